"""A server as several processes behind a proxy that sends each connection to the next of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult, TextContent

from tests.server.support import PATIENCE_SECONDS, Reader, encoded, request
from tests.server.transports.round_robin import round_robin
from tests.server.transports.test_http_process import Process
from tests.server.transports.web import BOTH, JSON
from typedargs_server.eras import meta, versions

KEY = "k" * 32
ANSWERS = {"What?": "tea", "How?": "cash", "Sure?": "yes"}
ASKS: dict[str, Any] = {meta.CLIENT_CAPABILITIES: {"elicitation": {}}}
WARNING = (
    "server shop: what a call asks its client is sealed by a key of this process only; "
    "to run several, give all of them MCPServer(states=RequestStates(keys=[...]))"
)
NOT_ITS_OWN = (
    "requestState is not one that this server gave for this request; "
    "send the request again without requestState"
)
EXPIRED = "requestState has expired; send the request again without requestState"


class Reply(NamedTuple):
    """What a request is answered with, and by which process."""

    status: int
    message: Any
    worker: int

    @property
    def result(self) -> Any:
        assert self.status == 200
        return self.message["result"]

    @property
    def refusal(self) -> tuple[int, int, str]:
        """The status, the code and the message of an error."""
        error = self.message["error"]
        return self.status, error["code"], error["message"]


class Shop:
    """Processes of one server, the proxy before them, and a client that keeps no connection."""

    def __init__(self, port: int, workers: list[Process], notes: Path) -> None:
        self.url = f"http://127.0.0.1:{port}/mcp"
        self.workers = workers
        self._notes = notes
        self._read = 0
        self._next_id = 0

    def noted(self, what: str) -> list[int]:
        """The processes that have noted this, since the test before."""
        notes = [line.split() for line in self._notes.read_text().splitlines()[self._read :]]
        return [int(worker) for noted, worker in notes if noted == what]

    def forget(self) -> None:
        """What has been noted so far is of another test."""
        self._read = len(self._notes.read_text().splitlines())

    def call(self, tool: str = "buy", user: str | None = None, **more: Any) -> Reply:
        """Call a tool, on a connection of its own."""
        self._next_id += 1
        params = {"name": tool, "arguments": {}, **more}
        message = encoded(request(self._next_id, "tools/call", params, **ASKS))
        reader = Reader(versions.MODERN)
        reader.sent(message)
        headers = {
            "accept": BOTH,
            "content-type": JSON,
            "mcp-protocol-version": versions.MODERN,
            "mcp-method": "tools/call",
            "mcp-name": tool,
            **({} if user is None else {"x-user": user}),
        }
        answer = httpx2.post(self.url, content=message, headers=headers, timeout=PATIENCE_SECONDS)
        read = reader.read(answer.content)
        return Reply(answer.status_code, read, int(answer.headers["x-worker"]))


def retry(asked: Any) -> dict[str, Any]:
    """What the client adds when it calls again: the state, and an answer to each question."""
    responses = {
        key: {"action": "accept", "content": {"value": ANSWERS[each["params"]["message"]]}}
        for key, each in asked["inputRequests"].items()
    }
    return {"requestState": asked["requestState"], "inputResponses": responses}


@contextlib.contextmanager
def shop(count: int, notes: Path, **environment: str) -> Iterator[Shop]:
    """The server as so many processes."""
    notes.touch()
    environment["SHOP_NOTES"] = str(notes)
    arguments = ("tests.server.transports.worker:app", "--port", "0")
    with contextlib.ExitStack() as stack:
        workers = [Process(*arguments, module="uvicorn", **environment) for _ in range(count)]
        for worker in workers:
            stack.callback(worker.kill)
        running = ".*Uvicorn running on http://127.0.0.1:([0-9]+) .*"
        ports = [int(worker.tells(running)[1]) for worker in workers]
        portal = stack.enter_context(start_blocking_portal())
        port = stack.enter_context(portal.wrap_async_context_manager(round_robin(ports)))
        yield Shop(port, workers, notes)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Four processes that have a key in common."""
    with shop(4, tmp_path_factory.mktemp("shop") / "notes", SHOP_KEY=KEY) as made:
        yield made


@pytest.fixture
def four(shared: Shop) -> Shop:
    """The same, with nothing noted."""
    shared.forget()
    return shared


def test_each_round_of_a_call_may_be_answered_by_another_worker(four: Shop) -> None:
    replies = [four.call()]
    while "inputRequests" in replies[-1].result:
        replies.append(four.call(**retry(replies[-1].result)))
    assert len(replies) == 4
    assert len({reply.worker for reply in replies}) == 4
    (charged_by,) = four.noted("charge")
    assert charged_by == replies[2].worker
    text = f"tea, cash, yes; charged by {charged_by}"
    assert replies[-1].result["content"] == [{"type": "text", "text": text}]


def test_the_rounds_of_a_client_of_the_sdk_go_through_different_workers(four: Shop) -> None:
    asked: list[str] = []

    async def answer(
        context: Any,  # noqa: ARG001
        params: ElicitRequestParams,
    ) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"value": ANSWERS[params.message]})

    async def buy() -> str:
        limits = httpx2.Limits(max_keepalive_connections=0)
        async with httpx2.AsyncClient(limits=limits, timeout=PATIENCE_SECONDS) as http:
            transport = streamable_http_client(four.url, http_client=http)
            async with Client(
                transport, mode=versions.MODERN, elicitation_callback=answer
            ) as client:
                (content,) = (await client.call_tool("buy", {})).content
                assert isinstance(content, TextContent)
                return content.text

    text = anyio.run(buy)
    assert asked == ["What?", "How?", "Sure?"]
    (charged_by,) = four.noted("charge")
    assert text == f"tea, cash, yes; charged by {charged_by}"
    assert len(four.noted("run")) == 4
    assert len(set(four.noted("run"))) >= 3


def test_workers_with_a_key_in_common_do_not_warn(four: Shop) -> None:
    four.call()
    assert all(WARNING not in worker.told for worker in four.workers)


def tampered(state: str) -> str:
    middle = len(state) // 2
    other = "A" if state[middle] != "A" else "B"
    return state[:middle] + other + state[middle + 1 :]


@pytest.mark.parametrize(
    "change",
    [
        lambda params: {**params, "requestState": tampered(params["requestState"])},
        lambda params: {**params, "requestState": params["requestState"][:-8]},
        lambda params: {**params, "requestState": "bm9uZSBvZiBvdXJz"},
        lambda params: {**params, "tool": "sell"},
        lambda params: {**params, "arguments": {"note": "another"}},
        lambda params: {**params, "user": "eve"},
        lambda params: {**params, "user": None},
    ],
    ids=["tampered", "cut", "made up", "tool", "arguments", "another principal", "no principal"],
)
def test_a_state_that_is_not_for_this_request_is_refused_by_every_worker(
    four: Shop, change: Any
) -> None:
    bring = {"user": "ada", **retry(four.call(user="ada").result)}
    four.forget()
    replies = [four.call(**change(bring)) for _ in four.workers]
    assert {reply.refusal for reply in replies} == {(200, -32602, NOT_ITS_OWN)}
    assert len({reply.worker for reply in replies}) == len(four.workers)
    assert four.noted("run") == []
    assert "inputRequests" in four.call(**bring).result


def test_a_state_that_has_expired_is_refused(tmp_path: Path) -> None:
    with shop(1, tmp_path / "notes", SHOP_KEY=KEY, SHOP_TTL="0.000001") as short:
        refused = short.call(**retry(short.call().result))
        assert refused.refusal == (200, -32602, EXPIRED)


def test_without_a_key_in_common_workers_say_so_and_refuse_each_others_states(
    tmp_path: Path,
) -> None:
    with shop(2, tmp_path / "notes") as two:
        for worker in two.workers:
            assert WARNING in worker.told
        first = two.call()
        second = two.call(**retry(first.result))
        assert second.worker != first.worker
        assert second.refusal == (200, -32602, NOT_ITS_OWN)
        again = two.call(**retry(first.result))
        assert again.worker == first.worker
        assert "inputRequests" in again.result
