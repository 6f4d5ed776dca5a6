"""The rounds of a modern call: its sealed state, what happens once, which states are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.server.support import connected
from typedargs import MCPArgs, String
from typedargs_server import (
    Accepted,
    Elicit,
    MCPServer,
    RequestContext,
    RequestStates,
)
from typedargs_server.eras import meta
from typedargs_server.testing import RequestFailed, connect

pytestmark = pytest.mark.anyio

ASKS = {meta.CLIENT_CAPABILITIES: {"elicitation": {}}}
KEYS = ("k" * 32, "o" * 32)


class Answer(MCPArgs):
    value = String()


class Charged:
    """Three questions, and a side effect between the second and the third."""

    def __init__(self, states: RequestStates | None = None) -> None:
        self.charges = 0
        self.server = MCPServer("shop", version="1.0", states=states)
        self.server.tool("buy", "Buy something", input={"type": "object"})(self.buy)
        self.server.tool("sell", "Sell something", input={"type": "object"})(self.buy)

    async def buy(self, args: Mapping[str, Any], ctx: RequestContext) -> str:
        what = await self._ask(ctx, "What?")
        how = await self._ask(ctx, "How?")
        charge = await ctx.once("charge", self._charge)
        sure = await self._ask(ctx, "Sure?")
        return f"{what} {how} {charge['number']} {sure} {args.get('note')}"

    async def _ask(self, ctx: RequestContext, message: str) -> str:
        match await ctx.elicit(message, Answer):
            case Accepted(answer):
                return answer.value
        return "nothing"

    def _charge(self) -> dict[str, int]:
        self.charges += 1
        return {"number": self.charges}


def call(
    state: str | None = None, responses: Any = None, tool: str = "buy", **arguments: Any
) -> dict[str, Any]:
    """The parameters of a call, or of its retry."""
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    if state is not None:
        params["requestState"] = state
    if responses is not None:
        params["inputResponses"] = responses
    return params


def answers(key: str, value: str) -> dict[str, Any]:
    return {key: {"action": "accept", "content": {"value": value}}}


async def exchange(
    server: MCPServer, params: dict[str, Any], *, method: str = "tools/call"
) -> dict[str, Any]:
    """The answer of one worker of a server, made for this one request."""
    async with connected(server) as client:
        answer: dict[str, Any] = await client.answer(client._request(method, params, **ASKS))
        return answer


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_three_questions_and_a_side_effect_that_happens_once(era: Any) -> None:
    shop = Charged()
    async with connect(
        shop.server, era, elicit=[{"value": "tea"}, {"value": "cash"}, {"value": "yes"}]
    ) as client:
        assert (await client.call_tool("buy")).text == "tea cash 1 yes None"
    assert shop.charges == 1


async def test_each_round_may_reach_another_worker_with_the_key() -> None:
    workers = [Charged(RequestStates(keys=KEYS)) for _ in range(4)]
    state, responses = None, None
    for round_, (worker, value) in enumerate(
        zip(workers, ["tea", "cash", "yes", ""], strict=True), start=1
    ):
        result = (await exchange(worker.server, call(state, responses)))["result"]
        if round_ == 4:
            break
        assert result["resultType"] == "input_required"
        assert list(result["inputRequests"]) == [f"question-{round_}"]
        assert result["requestState"] != state
        state, responses = result["requestState"], answers(f"question-{round_}", value)
    assert result["content"] == [{"type": "text", "text": "tea cash 1 yes None"}]
    assert [worker.charges for worker in workers] == [0, 0, 1, 0]


async def test_a_question_without_its_answer_is_asked_again() -> None:
    shop = Charged()
    first = (await exchange(shop.server, call()))["result"]
    again = (await exchange(shop.server, call(first["requestState"], answers("other", "x"))))[
        "result"
    ]
    assert again["inputRequests"] == first["inputRequests"]


async def test_an_answer_may_come_with_the_first_call() -> None:
    result = (await exchange(Charged().server, call(None, answers("question-1", "tea"))))["result"]
    assert list(result["inputRequests"]) == ["question-2"]


async def test_an_answer_is_not_taken_for_another_question() -> None:
    server = MCPServer("s")
    asked = iter(["First?", "Second?"])

    @server.tool("ask", "Ask", input={"type": "object"})
    async def ask(_: Mapping[str, Any], ctx: RequestContext) -> str:
        await ctx.elicit(next(asked), Answer, key="q")
        await ctx.elicit("Last?", Answer, key="last")
        return "done"

    both = {**answers("q", "a")}
    first = (await exchange(server, call(None, both, "ask")))["result"]
    assert list(first["inputRequests"]) == ["last"]
    second = (await exchange(server, call(first["requestState"], {}, "ask")))["result"]
    assert second["inputRequests"]["q"]["params"]["message"] == "Second?"


REFUSED = (
    "requestState is not one that this server gave for this request; "
    "send the request again without requestState"
)


async def refusal(server: MCPServer, params: dict[str, Any], **options: Any) -> tuple[int, str]:
    error = (await exchange(server, params, **options))["error"]
    return error["code"], error["message"]


@pytest.mark.parametrize(
    "tampered",
    [
        lambda state: state + "-TAMPERED",
        lambda state: state[:-1] + ("A" if state[-1] != "A" else "B"),
        lambda state: state[: len(state) // 2],
        lambda state: state + "=",
        lambda state: state[:-1] + chr(ord(state[-1]) + 1),
        lambda _: "",
        lambda _: "not base64!",
        lambda _: "AAAA",
        lambda _: "ünï",
    ],
)
async def test_a_state_that_was_tampered_with_is_refused(tampered: Any) -> None:
    shop = Charged()
    state = (await exchange(shop.server, call()))["result"]["requestState"]
    assert await refusal(shop.server, call(tampered(state), {})) == (-32602, REFUSED)


@pytest.mark.parametrize(
    "other",
    [
        {"tool": "sell"},
        {"note": "another argument"},
    ],
)
async def test_a_state_of_another_request_is_refused(other: dict[str, Any]) -> None:
    shop = Charged()
    state = (await exchange(shop.server, call()))["result"]["requestState"]
    assert await refusal(shop.server, call(state, {}, **other)) == (-32602, REFUSED)


async def test_a_state_of_another_principal_is_refused() -> None:
    shop = Charged(RequestStates(keys=KEYS))
    states: list[str] = []

    async def steal(principal: str, params: dict[str, Any]) -> Mapping[str, Any]:
        async with connect(shop.server, elicit={}, principal=principal) as client:
            return await client._exchange("tools/call", params, {})

    states.append((await steal("ada", call()))["requestState"])
    with pytest.raises(RequestFailed, match="requestState is not one that this server gave"):
        await steal("eve", call(states[0], {}))
    assert (await steal("ada", call(states[0], {})))["resultType"] == "input_required"


async def test_a_state_without_a_shared_key_opens_in_its_own_process_only() -> None:
    state = (await exchange(Charged().server, call()))["result"]["requestState"]
    assert await refusal(Charged().server, call(state, {})) == (-32602, REFUSED)


async def test_a_state_that_has_expired_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Charged(RequestStates(ttl_seconds=60))
    now = 1_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    state = (await exchange(shop.server, call()))["result"]["requestState"]
    now += 60
    assert "result" in await exchange(shop.server, call(state, {}))
    now += 1
    assert await refusal(shop.server, call(state, {})) == (
        -32602,
        "requestState has expired; send the request again without requestState",
    )


async def test_keys_rotate() -> None:
    old = Charged(RequestStates(keys=["o" * 32]))
    new = Charged(RequestStates(keys=["n" * 32, "o" * 32]))
    state = (await exchange(old.server, call()))["result"]["requestState"]
    result = (await exchange(new.server, call(state, answers("question-1", "tea"))))["result"]
    assert list(result["inputRequests"]) == ["question-2"]
    assert await refusal(old.server, call(result["requestState"], {})) == (-32602, REFUSED)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"inputResponses": None}, "inputResponses must be an object, and each response in it too"),
        ({"inputResponses": []}, "inputResponses must be an object, and each response in it too"),
        (
            {"inputResponses": {"question-1": 12345}},
            "inputResponses must be an object, and each response in it too",
        ),
        ({"requestState": 3}, "requestState must be a string"),
    ],
)
async def test_what_is_no_state_and_no_response_is_refused(
    params: dict[str, Any], message: str
) -> None:
    assert await refusal(Charged().server, {**call(), **params}) == (-32602, message)


class Used:
    """A store of used states."""

    def __init__(self) -> None:
        self.ids: set[str] = set()

    async def claim(self, state_id: str, expires_at: float) -> bool:
        assert expires_at > 0
        is_new = state_id not in self.ids
        self.ids.add(state_id)
        return is_new


async def test_a_state_is_used_once_where_the_server_wants_it() -> None:
    shop = Charged(RequestStates(used=Used()))
    state = (await exchange(shop.server, call()))["result"]["requestState"]
    assert "result" in await exchange(shop.server, call(state, answers("question-1", "tea")))
    assert await refusal(shop.server, call(state, answers("question-1", "tea"))) == (
        -32602,
        "requestState was used already; send the request again without requestState",
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: RequestStates(keys=["short"]),
            "RequestStates: a key must have at least 16 bytes; take secrets.token_urlsafe(32)",
        ),
        (
            lambda: RequestStates(ttl_seconds=0),
            "RequestStates: ttl_seconds must be above 0 and finite, got 0",
        ),
    ],
)
def test_settings_of_states_that_cannot_be_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r"RequestStates: .*") as raised:
        make()
    assert str(raised.value) == message


def test_keys_are_not_shown() -> None:
    assert "secret" not in repr(RequestStates(keys=["secret" * 6]))


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_handler_that_swallows_every_exception_still_asks(era: Any) -> None:
    server = MCPServer("s")

    @server.tool("stubborn", "Ask", input={"type": "object"})
    async def stubborn(_: Mapping[str, Any], ctx: RequestContext) -> str:
        try:
            answer = await ctx.elicit("?", Answer)
        except Exception:
            return "swallowed"
        return repr(answer)

    async with connect(server, era, elicit={"value": "x"}) as client:
        assert (await client.call_tool("stubborn")).text == "Accepted(content=Answer(value='x'))"


async def test_an_answer_to_what_was_asked_is_none_to_what_is_asked_now() -> None:
    server = MCPServer("s")
    files = [3]

    @server.tool("delete", "Delete", input={"type": "object"})
    async def delete(_: Mapping[str, Any], ctx: RequestContext) -> str:
        await ctx.elicit(f"Delete {files[0]} files?", Answer)
        return f"deleted {files[0]}"

    first = (await exchange(server, call(tool="delete")))["result"]
    files[0] = 4
    agreed = answers("question-1", "yes")
    again = (await exchange(server, call(first["requestState"], agreed, "delete")))["result"]
    assert again["inputRequests"]["question-1"]["params"]["message"] == "Delete 4 files?"
    last = (await exchange(server, call(again["requestState"], agreed, "delete")))["result"]
    assert last["content"] == [{"type": "text", "text": "deleted 4"}]


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_tasks_of_one_handler_ask_at_once(era: Any) -> None:
    server = MCPServer("s")

    @server.tool("both", "Ask", input={"type": "object"})
    async def both(_: Mapping[str, Any], ctx: RequestContext) -> str:
        answered: dict[str, str] = {}

        async def ask(key: str) -> None:
            match await ctx.elicit(f"{key}?", Answer, key=key):
                case Accepted(answer):
                    answered[key] = answer.value

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "a")
            tasks.start_soon(ask, "b")
        return f"{answered['a']} {answered['b']}"

    async with connect(server, era, elicit=lambda asked: {"value": asked["message"]}) as client:
        assert (await client.call_tool("both")).text == "a? b?"


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_what_two_tasks_of_a_handler_want_once_happens_once(era: Any) -> None:
    server = MCPServer("s")

    @server.tool("both", "Count", input={"type": "object"})
    async def both(_: Mapping[str, Any], ctx: RequestContext) -> str:
        counted = 0
        got: list[int] = []

        async def count() -> int:
            nonlocal counted
            counted += 1
            await anyio.lowlevel.checkpoint()
            return counted

        async def want() -> None:
            got.append(await ctx.once("count", count))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(want)
            tasks.start_soon(want)
        return str(got)

    async with connect(server, era) as client:
        assert (await client.call_tool("both")).text == "[1, 1]"


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("in_a_task", [False, True])
async def test_what_happens_once_cannot_want_itself(
    era: Any, in_a_task: bool, caplog: pytest.LogCaptureFixture
) -> None:
    server = MCPServer("s")

    @server.tool("self", "Want itself", input={"type": "object"})
    async def wants_itself(_: Mapping[str, Any], ctx: RequestContext) -> str:
        async def function() -> int:
            if not in_a_task:
                return await ctx.once("k", function)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ctx.once, "k", function)
            return 1

        return str(await ctx.once("k", function))

    async with connect(server, era) as client:
        assert (await client.call_tool("self")).is_error
    assert 'once "k" is wanted within its own function' in caplog.text


async def test_a_question_that_cannot_be_sent_is_not_waited_for() -> None:
    server = MCPServer("s")

    @server.tool("ask", "Ask", input={"type": "object"})
    async def ask(_: Mapping[str, Any], ctx: RequestContext) -> str:
        await ctx.elicit_all(Elicit("fine", Answer), Elicit("\ud800", Answer))
        return "asked"

    async with connect(server, "legacy", elicit=lambda _: {"value": "x"}) as client:
        assert (await client.call_tool("ask")).is_error
        connection = client._transport._peer.connection
        assert connection._asked == {}


async def test_what_may_not_ask_says_so_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    server = MCPServer("s")

    @server.method("acme/ask")
    async def ask(_: Mapping[str, Any], ctx: RequestContext) -> None:
        await ctx.elicit("?", Answer)

    async with connect(server, elicit={"value": "x"}) as client:
        with pytest.raises(RequestFailed, match='Method "acme/ask" failed'):
            await client.request("acme/ask")
    assert "cannot be asked while it waits for acme/ask" in caplog.text
    async with connect(server, "legacy", elicit={"value": "x"}) as client:
        await client.request("acme/ask")
