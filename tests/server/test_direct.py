"""The direct way of a call: the same bytes as the other way, or the other way."""

import contextvars
import gc
import json
import logging
import types
import weakref
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.support import MODERN_META, initialize_params, request
from typedargs import Array, Decimal, Double, Enum, Field, Integer, MCPArgs, Requires, String
from typedargs_server import Limits, MCPServer, RequestContext, ToolError, ToolResult, error_result
from typedargs_server.direct import MAX_BYTES, Direct
from typedargs_server.effects import Encoded, Run, Send, whole
from typedargs_server.eras import meta, versions
from typedargs_server.eras.base import LARGE_BYTES, Era
from typedargs_server.eras.headers import called_tool
from typedargs_server.errors import InvalidParams
from typedargs_server.peer import Peer
from typedargs_server.protocol import Connection
from typedargs_server.runner import Runner
from typedargs_server.transports.memory import MemoryTransport

pytestmark = pytest.mark.anyio

SEEN: Final[contextvars.ContextVar[str]] = contextvars.ContextVar("SEEN", default="nothing")


class Point(MCPArgs):
    x = Double()
    y = Double(minimum=-10, default=0.5)
    unit = Enum("m", "km", default="m")


class Found(MCPArgs):
    """A result with names of its own, and a rule over them."""

    value = Double(name="theValue")
    label = String(required=False)
    parts = Array(Integer(), required=False)
    needs = Requires("label", "parts")


class Priced(MCPArgs):
    price = Decimal()


def served(calls: list[Any] | None = None, **options: Any) -> MCPServer:
    """A server with a tool for each kind of result, most of which can be called directly."""
    calls = [] if calls is None else calls
    server = MCPServer("direct \N{SNOWMAN}", version="1", **options)

    def tool(name: str, output: Any = None, **more: Any) -> Any:
        return server.tool(name, name, input=Point, output=output, **more)

    @tool("instance", Found)
    async def instance(args: Point) -> Found:
        calls.append(args)
        return Found(value=args.x * args.y)

    @tool("full", Found)
    async def full(args: Point) -> Found:
        return Found(value=args.x, label=f'{args.unit} "\N{SNOWMAN}"', parts=[1, 2])

    @tool("large", Found)
    async def large(args: Point) -> Found:
        return Found(value=args.x, label='"\N{SNOWMAN}' * 50_000, parts=[1])

    @tool("changed", Found)
    async def changed(args: Point) -> Found:
        found = Found(value=args.x, label="l", parts=[1])
        found.parts.append("no integer")
        return found

    @tool("rule", Found)
    async def rule(args: Point) -> Found:
        found = Found(value=args.x, label="l", parts=[1])
        vars(found)["parts"] = None
        return found

    @tool("surrogate", Found)
    async def surrogate(args: Point) -> Found:
        found = Found(value=args.x, label="l", parts=[])
        vars(found)["label"] = "\ud800"
        return found

    @tool("dict", Found)
    async def as_dict(args: Point) -> Any:
        return {"theValue": args.x}

    @tool("unfit", Found)
    async def unfit(args: Point) -> Any:
        return {"theValue": args.unit}

    @tool("text")
    async def text(args: Point) -> str:
        return f"{args.x} \N{SNOWMAN}"

    @tool("broken-text")
    async def broken_text(_: Point) -> str:
        return "\ud800"

    @tool("nothing")
    async def nothing(_: Point) -> None:
        return None

    @tool("refused")
    async def refused(args: Point) -> ToolResult:
        return error_result(f"not {args.x}", meta={"a": 1})

    @tool("raises")
    async def raises(args: Point) -> str:
        raise ToolError(f"no {args.unit}", code="no", retryable=True)

    @tool("breaks")
    async def breaks(_: Point) -> str:
        raise ValueError("secret")

    @tool("wire")
    async def wire(_: Point) -> str:
        raise InvalidParams("not these", {"why": 1})

    @tool("exits")
    async def exits(_: Point) -> str:
        raise SystemExit(3)

    @tool("context")
    async def context(args: Point, ctx: RequestContext) -> str:
        return f"{args.x} {ctx.protocol_version}"

    @tool("slow", timeout=60)
    async def slow(args: Point) -> str:
        return str(args.x)

    @tool("sets")
    async def sets(args: Point) -> str:
        before = SEEN.get()
        SEEN.set(args.unit)
        return before

    return server


DIRECT: Final = (
    "instance",
    "full",
    "large",
    "changed",
    "rule",
    "surrogate",
    "dict",
    "unfit",
    "text",
    "broken-text",
    "nothing",
    "refused",
    "raises",
    "breaks",
    "wire",
    "exits",
    "sets",
)


def plainly(
    runner: Runner, connection: Connection, data: bytes, *, framed: bool = False, **how: Any
) -> list[tuple[bytes, int]]:
    """What the other way answers to a message, all of whose work is done at once, and the statuses.

    Unless `framed`, no answer is spliced from bytes that are always the same.
    """
    sent: list[Send] = []
    peer = Peer(connection, sent.append)
    with pytest.MonkeyPatch.context() as patch:
        if not framed:
            patch.setattr(Era, "framed", lambda *_: None)
        for effect in connection.receive(data, **how):
            if isinstance(effect, Run):
                assert runner.begin(peer, effect.call, anyio.CancelScope()) is None
            elif isinstance(effect, Send):
                peer.send(effect)
    return [in_one((each.data, each.status)) for each in sent]


def in_one(answer: Encoded) -> tuple[bytes, int]:
    """The answer with its message in one part."""
    data, status = answer
    return whole(data), status


def connected(runner: Runner, revision: str) -> Connection:
    """A connection, with a session where the revision has one."""
    connection = Connection(runner.definition)
    if revision != versions.MODERN:
        opening = request(0, "initialize", initialize_params(revision), revision=revision)
        connection.receive(json.dumps(opening).encode())
    return connection


def call_of(name: str, arguments: Any, revision: str, request_id: Any = 1, **members: Any) -> bytes:
    params = {"name": name, "arguments": arguments, **members}
    if revision == versions.MODERN:
        params.setdefault("_meta", dict(MODERN_META))
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
    return json.dumps(message).encode()


@pytest.mark.parametrize("revision", versions.SUPPORTED)
@pytest.mark.parametrize("name", DIRECT)
async def test_a_call_that_waits_for_nothing_goes_the_direct_way_to_the_same_bytes(
    name: str, revision: str
) -> None:
    async with served()._runner() as runner:
        connection = connected(runner, revision)
        data = call_of(name, {"x": 2, "y": 1.5}, revision, "an id")
        direct = Direct(runner, connection).answer(data)
        assert direct is not None
        assert [in_one(direct)] == plainly(runner, connection, data)
        assert [in_one(direct)] == plainly(runner, connection, data, framed=True)


@pytest.mark.parametrize("revision", [versions.MODERN, versions.LATEST_LEGACY])
@pytest.mark.parametrize("arguments", [{}, {"x": "a", "y": -11}, {"x": 10**400}, {"x": None}])
async def test_arguments_that_do_not_fit_are_refused_directly(
    arguments: Mapping[str, Any], revision: str
) -> None:
    calls: list[Any] = []
    async with served(calls)._runner() as runner:
        connection = connected(runner, revision)
        data = call_of("instance", arguments, revision)
        direct = Direct(runner, connection).answer(data)
        assert direct is not None
        assert b"Invalid arguments" in direct[0]
        assert [in_one(direct)] == plainly(runner, connection, data)
        assert calls == []


class Counted(MCPArgs):
    x = Integer()

    made: ClassVar[list[int]] = []

    def __attrs_post_init__(self) -> None:
        self.made.append(self.x)
        if self.x == 1:
            raise ValueError("not 1")
        if self.x == 2:
            raise RuntimeError("no 2")


@pytest.mark.parametrize("x", [0, 1, 2])
async def test_arguments_are_made_once_fit_or_not(x: int) -> None:
    server = MCPServer("s")

    @server.tool("t", "t")
    async def t(args: Counted) -> str:
        return str(args.x)

    async with server._runner() as runner:
        connection = connected(runner, versions.MODERN)
        data = call_of("t", {"x": x}, versions.MODERN)
        Counted.made.clear()
        direct = Direct(runner, connection).answer(data)
        assert Counted.made == [x]
        assert [in_one(direct)] == plainly(runner, connection, data)


class Proxy:
    """What passes for the function that it calls, as proxies of instrumentation do."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    @property
    def __class__(self) -> Any:
        return types.FunctionType

    @__class__.setter
    def __class__(self, _: Any) -> None: ...

    async def __call__(self, args: Any) -> Any:
        await anyio.lowlevel.checkpoint()
        return await self.function(args)


async def test_a_proxy_of_a_function_may_wait_though_the_function_does_not() -> None:
    async def handler(args: Point) -> str:
        return str(args.x)

    server = MCPServer("s")
    proxy: Any = Proxy(handler)
    server.register_tool("t", "t", Point, proxy)
    async with server._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        assert direct.answer(call_of("t", {"x": 1}, versions.MODERN)) is None


async def test_a_handler_that_waits_after_all_has_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def handler(args: Point) -> str:
        return str(args.x)

    async def waits(_: Point) -> str:
        await anyio.sleep_forever()
        return ""

    server = MCPServer("s")
    server.register_tool("t", "t", Point, handler)
    monkeypatch.setattr(handler, "__code__", waits.__code__)
    data = call_of("t", {"x": 1}, versions.MODERN)
    async with server._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        answer = direct.answer(data)
        assert answer is not None
        assert b"failed. The server's log says why." in answer[0]
        assert "the handler waits" in caplog.text
        assert direct.answer(data) is None


class Seen:
    """A text of which the context variable is a part, as it is when it is asked for."""

    def __str__(self) -> str:
        return f"seen {SEEN.get()}"


class SeenField(Field[Any]):
    def schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def structure(self, value: Any, /) -> Any:
        return value

    def unstructure(self, value: Any, /) -> str:
        return str(value)


class Sight(MCPArgs):
    text = SeenField()


class Exits(MCPArgs):
    how = Enum("post_init", "unstructure")
    text = SeenField(default="")

    def __attrs_post_init__(self) -> None:
        if self.how == "post_init":
            raise SystemExit(3)


@pytest.mark.parametrize("revision", [versions.MODERN, versions.LATEST_LEGACY])
@pytest.mark.parametrize("bound", [None, 60])
async def test_what_becomes_of_a_call_sees_the_context_variables_that_its_handler_sets(
    revision: str, bound: float | None, caplog: pytest.LogCaptureFixture
) -> None:
    server = MCPServer("s")

    @server.tool("give", "give", timeout=bound)
    async def give(_: Point) -> Sight:
        SEEN.set("given")
        return Sight(text=Seen())

    @server.tool("fail", "fail", timeout=bound)
    async def fail(_: Point) -> str:
        SEEN.set("failed")
        raise ToolError(Seen())  # type: ignore[arg-type]

    @server.tool("break", "break", timeout=bound)
    async def broken(_: Point) -> str:
        SEEN.set("broken")
        raise ValueError

    def note(record: logging.LogRecord) -> bool:
        record.seen = SEEN.get()
        return True

    caplog.handler.addFilter(note)
    sent: list[bytes] = []
    async with server._runner() as runner:
        with MemoryTransport(runner, connected(runner, revision), sent.append) as transport:
            for name in ("give", "fail", "break"):
                transport.send(call_of(name, {"x": 1}, revision))
                await anyio.wait_all_tasks_blocked()
    assert b"seen given" in sent[0]
    assert b"seen failed" in sent[1]
    assert [getattr(record, "seen", None) for record in caplog.records] == ["broken"]


@pytest.mark.parametrize("how", ["post_init", "unstructure"])
@pytest.mark.parametrize("bound", [None, 60])
async def test_a_class_that_exits_ends_no_server(how: str, bound: float | None) -> None:
    server = MCPServer("s")

    class Exiting:
        def __str__(self) -> str:
            raise SystemExit(3)

    @server.tool("exits", "exits", timeout=bound)
    async def exits(args: Exits) -> Exits:
        vars(args)["text"] = Exiting()
        return args

    sent: list[bytes] = []
    async with server._runner() as runner:
        connection = connected(runner, versions.MODERN)
        with MemoryTransport(runner, connection, sent.append) as transport:
            transport.send(call_of("exits", {"how": how}, versions.MODERN))
            await anyio.wait_all_tasks_blocked()
    (answer,) = map(json.loads, sent)
    if how == "post_init":
        assert answer["error"] == {"code": -32603, "message": "Internal error"}
    else:
        assert answer["result"]["isError"] is True


@pytest.mark.parametrize("revision", [versions.MODERN, versions.LATEST_LEGACY])
async def test_a_direct_call_has_its_own_context_variables(revision: str) -> None:
    async with served()._runner() as runner:
        direct = Direct(runner, connected(runner, revision))
        answers = [direct.answer(call_of("sets", {"x": 1}, revision)) for _ in range(2)]
        assert [b'"nothing"' in answer[0] for answer in answers if answer] == [True, True]
        assert SEEN.get() == "nothing"


UNUSUAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "arguments that are no object": {"arguments": [1]},
    "a tool that is unknown": {"name": "nobody"},
    "a tool that takes the context": {"name": "context"},
    "a tool that has a timeout": {"name": "slow"},
    "a name that is no string": {"name": 1},
    "a state of an earlier round": {"requestState": "x"},
    "answers of an earlier round": {"inputResponses": {}},
    "a revision that is unknown": {"_meta": {**MODERN_META, meta.PROTOCOL_VERSION: "1"}},
    "a client without capabilities": {"_meta": {meta.PROTOCOL_VERSION: versions.MODERN}},
    "a progress token that is none": {"_meta": {**MODERN_META, "progressToken": []}},
    "a level that is none": {"_meta": {**MODERN_META, meta.LOG_LEVEL: "loud"}},
    "a _meta that is no object": {"_meta": [1]},
}


@pytest.mark.parametrize("what", UNUSUAL)
async def test_what_is_unusual_goes_the_other_way_before_anything_was_done(what: str) -> None:
    calls: list[Any] = []
    async with served(calls)._runner() as runner:
        params = {"name": "instance", "arguments": {"x": 1}, **UNUSUAL[what]}
        data = call_of(revision=versions.MODERN, **params)
        assert Direct(runner, connected(runner, versions.MODERN)).answer(data) is None
        assert calls == []


async def test_a_long_message_goes_the_other_way() -> None:
    async with served()._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        data = call_of("text", {"x": 1}, versions.MODERN)
        assert direct.answer(data.ljust(MAX_BYTES)) is not None
        assert direct.answer(data.ljust(MAX_BYTES + 1)) is None


async def test_with_middleware_every_call_goes_the_other_way() -> None:
    server = served()

    @server.middleware
    async def around(_: RequestContext, proceed: Any) -> Any:
        return await proceed()

    async with server._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN)) is None


async def test_middleware_that_comes_later_sees_every_call_from_then_on() -> None:
    server = served()
    async with server._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN)) is not None

        @server.middleware
        async def around(_: RequestContext, proceed: Any) -> Any:
            return await proceed()

        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN)) is None


async def test_a_call_beyond_the_limit_goes_the_other_way() -> None:
    async with served(limits=Limits(max_concurrent_calls=1))._runner() as runner:
        connection = connected(runner, versions.MODERN)
        (run,) = connection.receive(call_of("context", {"x": 1}, versions.MODERN, "running"))
        assert isinstance(run, Run)
        direct = Direct(runner, connection)
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN)) is not None
        runner.running[run.call] = anyio.CancelScope()
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN)) is None
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN, "running")) is None
        runner.running.clear()
        assert direct.answer(call_of("text", {"x": 1}, versions.MODERN, "running")) is None


HEADERS: Final = {
    "mcp-protocol-version": versions.MODERN,
    "mcp-method": "tools/call",
    "mcp-name": "text",
}


@pytest.mark.parametrize(
    ("headers", "is_direct"),
    [
        (HEADERS, True),
        ({**HEADERS, "mcp-name": "dict"}, False),
        ({**HEADERS, "mcp-name": " text "}, False),
        ({**HEADERS, "mcp-name": "=?base64?dGV4dA==?="}, False),
        ({**HEADERS, "mcp-method": "tools/list"}, False),
        ({**HEADERS, "mcp-protocol-version": versions.LATEST_LEGACY}, False),
        ({}, False),
    ],
)
async def test_headers_that_do_not_plainly_repeat_the_body_are_checked_the_other_way(
    headers: Mapping[str, str], is_direct: bool
) -> None:
    async with served()._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        called = called_tool(headers)
        data = call_of("text", {"x": 1}, versions.MODERN)
        assert (called is not None and direct.answer(data, called) is not None) is is_direct


async def test_numbers_are_read_as_they_are_written_where_a_tool_wants_it() -> None:
    server = served()

    @server.tool("price", "price")
    async def price(args: Priced) -> Priced:
        return args

    async with server._runner() as runner:
        connection = connected(runner, versions.MODERN)
        data = call_of("price", {"price": 0}, versions.MODERN).replace(b": 0}", b": 0.10}")
        direct = Direct(runner, connection).answer(data)
        assert direct is not None
        assert b"0.10" in direct[0]
        assert [in_one(direct)] == plainly(runner, connection, data)


async def test_what_a_handler_returned_is_not_kept() -> None:
    server = served()
    returned: list[weakref.ref[Found]] = []

    @server.tool("found", "found")
    async def found(args: Point) -> Found:
        made = Found(value=args.x)
        returned.append(weakref.ref(made))
        return made

    async with server._runner() as runner:
        direct = Direct(runner, connected(runner, versions.MODERN))
        assert direct.answer(call_of("found", {"x": 1}, versions.MODERN)) is not None
        gc.collect()
        assert [each() for each in returned] == [None]


async def test_a_call_within_a_call_goes_the_other_way() -> None:
    server = served()
    within: list[Any] = []

    @server.tool("calls", "calls")
    async def calls(_: Point) -> str:
        within.append(direct.answer(call_of("text", {"x": 1}, versions.MODERN, 2)))
        return "called"

    async with server._runner() as runner:
        connection = connected(runner, versions.MODERN)
        direct = Direct(runner, connection)
        data = call_of("calls", {"x": 1}, versions.MODERN)
        sent = direct.answer(data)
        assert sent is not None
        assert b"called" in sent[0]
        assert within == [None]


@given(
    start=st.integers(0, 60),
    text=st.text(st.sampled_from('"\\\n\N{SNOWMAN}\N{GRINNING FACE}\u00e9a'), max_size=12),
)
def test_a_large_answer_has_the_same_bytes_wherever_it_is_parted(start: int, text: str) -> None:
    class Text(MCPArgs):
        text = String()

    server = MCPServer("large", version="1")
    repeated = "a" * start + text * (2 * LARGE_BYTES // max(1, len(text)))

    @server.tool("text", "text", output=Text)
    async def long_text(_: Point) -> Text:
        return Text(text=repeated)

    async def main() -> None:
        async with server._runner() as runner:
            connection = connected(runner, versions.MODERN)
            data = call_of("text", {"x": 1}, versions.MODERN)
            direct = Direct(runner, connection).answer(data)
            assert direct is not None
            assert isinstance(direct[0], bytes if not text else tuple)
            assert [in_one(direct)] == plainly(runner, connection, data)

    anyio.run(main)


SCALARS: Final = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["2.0", "m", "km", "tools/call", "instance", *versions.SUPPORTED])
)
JSON: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


POINTS: Final = st.fixed_dictionaries(
    {"x": st.floats(-1e300, 1e300) | st.integers(-(2**70), 2**70)},
    optional={"y": st.integers(-10, 3), "unit": st.sampled_from(["m", "km"]), "z": JSON},
)
METAS: Final = st.fixed_dictionaries(
    {key: st.just(value) for key, value in MODERN_META.items()},
    optional={
        meta.PROGRESS_TOKEN: st.integers() | st.text(max_size=3),
        meta.LOG_LEVEL: st.sampled_from(["info", "error"]),
        "traceparent": JSON,
    },
)
CALLS: Final = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "id": st.integers(0, 2**70) | st.text(max_size=8),
        "method": st.just("tools/call"),
        "params": st.fixed_dictionaries(
            {"name": st.sampled_from(DIRECT), "arguments": POINTS, "_meta": METAS},
            optional={"other": JSON},
        ),
    },
    optional={"result": JSON, "other": JSON},
)


def encoded(message: Any, revision: str) -> bytes:
    if revision != versions.MODERN:
        message["params"].pop("_meta", None)
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


@given(message=CALLS, revision=st.sampled_from(versions.SUPPORTED))
@pytest.mark.filterwarnings("ignore")
def test_both_ways_give_the_same_bytes_whatever_is_called(message: Any, revision: str) -> None:
    async def main() -> None:
        async with served()._runner() as runner:
            connection = connected(runner, revision)
            data = encoded(message, revision)
            direct = Direct(runner, connection).answer(data)
            assert (direct is None) is ("other" in message["params"])
            assert direct is None or [in_one(direct)] == plainly(runner, connection, data)

    anyio.run(main)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A call in which one or two values are something else, or are not there."""
    message = draw(CALLS)
    params = message["params"]
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from([message, params, params["arguments"], params["_meta"]]))
        key = draw(st.sampled_from([*place, "requestState", "y", "unit"]))
        if draw(st.booleans()):
            place.pop(key, None)
        else:
            place[key] = draw(JSON)
        if not all(isinstance(params.get(each), dict) for each in ("arguments", "_meta")):
            break
    return message


@given(
    message=damaged(),
    revision=st.sampled_from(versions.SUPPORTED),
    only=st.sampled_from([None, "modern", "legacy"]),
    cut=st.integers(-40, 400),
)
@pytest.mark.filterwarnings("ignore")
def test_both_ways_give_the_same_bytes_whatever_is_wrong(
    message: Any, revision: str, only: Any, cut: int
) -> None:
    async def main() -> None:
        async with served()._runner() as runner:
            connection = connected(runner, revision)
            connection._only = only
            direct = Direct(runner, connection)
            data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
            for each in (data, data[:cut] + data[cut + 1 :]):
                answer = direct.answer(each)
                if answer is not None:
                    assert [in_one(answer)] == plainly(runner, connection, each)

    anyio.run(main)
