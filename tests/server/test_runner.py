"""Running calls, on asyncio and on trio: what handlers may do, and what the client sees of it."""

import asyncio
import concurrent.futures
import contextlib
import logging
import math
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest

from tests.server.support import (
    BOTH_ERAS,
    PATIENCE_SECONDS,
    Client,
    connected,
    notification,
    request,
    running,
    texts,
)
from typedargs import Double, Integer, MCPArgs
from typedargs_server import (
    ImageContent,
    InvalidParams,
    Limits,
    MCPServer,
    MissingRequiredClientCapability,
    RequestContext,
    TextContent,
    ToolError,
    WireError,
    error_result,
    faults,
    structured_result,
    text_result,
)
from typedargs_server.eras import meta, versions

pytestmark = pytest.mark.anyio

MODES = ("async", "thread", "inline")
"""The ways in which a handler runs."""

OBJECT = {"type": "object"}
NOTHING_AWAY = 'Tool "t" failed. The server\'s log says why.'


class Count(MCPArgs):
    n = Integer()


class Sum(MCPArgs):
    sum = Double()


def register(
    server: MCPServer,
    mode: str,
    function: Callable[[Any, RequestContext], Any],
    name: str = "t",
    **options: Any,
) -> None:
    """Register `function`, which does not wait, as a handler that runs in `mode`."""

    async def on_loop(args: Any, ctx: RequestContext) -> Any:
        return function(args, ctx)

    handler = on_loop if mode == "async" else function
    server.register_tool(name, None, OBJECT, handler, inline=mode == "inline", **options)


def raising(error: BaseException) -> Callable[[Any, RequestContext], Any]:
    """A handler that raises `error`."""

    def handler(*_: Any) -> Any:
        raise error

    return handler


def wait(event: threading.Event) -> None:
    """Wait, in a worker thread."""
    assert event.wait(PATIENCE_SECONDS)


async def started(event: threading.Event) -> None:
    """Wait on the event loop for what a worker thread sets."""
    await anyio.to_thread.run_sync(wait, event, limiter=anyio.CapacityLimiter(1))


class Gate:
    """A handler that says when it has started, and goes on when it may."""

    def __init__(self) -> None:
        self.entered = anyio.Event()
        self.may_go_on = anyio.Event()
        self.left = anyio.Event()
        self.times = 0

    async def __call__(self) -> str:
        self.times += 1
        self.entered.set()
        try:
            await self.may_go_on.wait()
        finally:
            self.left.set()
        return "done"


class ThreadGate:
    """The same in a worker thread."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.may_go_on = threading.Event()
        self.left = threading.Event()

    def __call__(self) -> str:
        self.entered.set()
        wait(self.may_go_on)
        self.left.set()
        return "done"


def gated(gate: Gate | ThreadGate, name: str = "gate", **options: Any) -> MCPServer:
    server = MCPServer("s", **options)
    server.register_tool(name, None, OBJECT, gate)
    return server


# Where a handler runs


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_a_handler_runs_on_the_loop_or_in_a_thread(mode: str, revision: str) -> None:
    server = MCPServer("s")
    register(server, mode, lambda *_: str(threading.get_ident()))
    async with connected(server, revision) as client:
        is_on_loop = await client.text("t") == str(threading.get_ident())
    assert is_on_loop is (mode != "thread")


async def test_a_function_may_return_something_to_await() -> None:
    server = MCPServer("s")

    async def later() -> str:
        await anyio.lowlevel.checkpoint()
        return f"on {threading.get_ident()}"

    server.register_tool("thread", None, OBJECT, lambda: later())
    server.register_tool("inline", None, OBJECT, lambda: later(), inline=True)
    async with connected(server) as client:
        here = f"on {threading.get_ident()}"
        assert [await client.text(name) for name in ("thread", "inline")] == [here, here]


@pytest.mark.parametrize("mode", MODES)
async def test_a_handler_sees_the_request_that_it_answers(mode: str) -> None:
    server = MCPServer("s")
    seen: list[RequestContext] = []
    register(server, mode, lambda _, ctx: seen.append(ctx))
    async with connected(server) as client:
        call_id = client.start("t", {}, **{"example.org/x": 1})
        await client.answer(call_id)
    (ctx,) = seen
    assert ctx.request_id == call_id
    assert ctx.protocol_version == versions.MODERN
    assert ctx.client_info is not None
    assert ctx.client_info.name == "tester"
    assert ctx.client_capabilities == {}
    assert ctx.meta["example.org/x"] == 1
    assert ctx.state is None


async def test_calls_run_at_once_and_are_answered_as_they_end() -> None:
    server = MCPServer("s")
    first, second = Gate(), Gate()
    server.register_tool("first", None, OBJECT, first)
    server.register_tool("second", None, OBJECT, second)
    async with connected(server) as client:
        ids = [client.start("first"), client.start("second")]
        await first.entered.wait()
        await second.entered.wait()
        second.may_go_on.set()
        await client.answer(ids[1])
        first.may_go_on.set()
        await client.answer(ids[0])
        assert [message["id"] for message in client.received] == [ids[1], ids[0]]


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_handlers_in_threads_run_at_once(revision: str) -> None:
    server = MCPServer("s")
    meeting = threading.Barrier(3)
    server.register_tool("meet", None, OBJECT, lambda: str(meeting.wait(PATIENCE_SECONDS) >= 0))
    async with connected(server, revision) as client:
        ids = [client.start("meet") for _ in range(3)]
        for call_id in ids:
            assert texts((await client.answer(call_id))["result"]) == ["True"]


async def test_other_calls_wait_for_a_free_thread() -> None:
    server = MCPServer("s", limits=Limits(max_threads=2))
    counting = threading.Lock()
    inside = most = 0

    def handler() -> None:
        nonlocal inside, most
        with counting:
            inside += 1
            most = max(most, inside)
        with counting:
            inside -= 1

    server.register_tool("t", None, OBJECT, handler)
    async with connected(server) as client:
        for call_id in [client.start("t") for _ in range(20)]:
            assert "isError" not in (await client.answer(call_id))["result"]
    assert most <= 2


async def test_ping_is_answered_while_all_threads_are_busy() -> None:
    gate = ThreadGate()
    server = gated(gate, limits=Limits(max_threads=1))
    async with connected(server, versions.LATEST_LEGACY) as client:
        ids = [client.start("gate"), client.start("gate")]
        await started(gate.entered)
        try:
            assert await client.ask("ping") == {}
            assert len((await client.ask("tools/list"))["tools"]) == 1
        finally:
            gate.may_go_on.set()
        for call_id in ids:
            assert texts((await client.answer(call_id))["result"]) == ["done"]


# What a handler returns


IMAGE = ImageContent(b"\x00", "image/png")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("returned", "output", "result"),
    [
        ("a", None, {"content": [{"type": "text", "text": "a"}]}),
        (None, None, {"content": []}),
        ([], None, {"content": []}),
        (TextContent("a"), None, {"content": [{"type": "text", "text": "a"}]}),
        (
            [TextContent("a"), IMAGE],
            None,
            {
                "content": [
                    {"type": "text", "text": "a"},
                    {"type": "image", "data": "AA==", "mimeType": "image/png"},
                ]
            },
        ),
        (text_result("a"), None, {"content": [{"type": "text", "text": "a"}]}),
        (
            error_result("a", meta={"m": 1}),
            None,
            {"content": [{"type": "text", "text": "a"}], "isError": True, "_meta": {"m": 1}},
        ),
        (
            structured_result("The sum is 5", Sum(sum=5)),
            Sum,
            {
                "content": [{"type": "text", "text": "The sum is 5"}],
                "structuredContent": {"sum": 5.0},
            },
        ),
        (
            Sum(sum=5),
            Sum,
            {
                "content": [{"type": "text", "text": '{"sum":5.0}'}],
                "structuredContent": {"sum": 5.0},
            },
        ),
        (
            {"sum": 5},
            Sum,
            {"content": [{"type": "text", "text": '{"sum":5}'}], "structuredContent": {"sum": 5}},
        ),
    ],
)
async def test_every_form_of_result_reaches_the_client(
    mode: str, returned: Any, output: Any, result: dict[str, Any]
) -> None:
    server = MCPServer("s")
    register(server, mode, lambda *_: returned, output=output)
    async with connected(server, versions.LATEST_LEGACY) as client:
        assert await client.call("t") == result


@pytest.mark.parametrize(
    ("returned", "output", "logged"),
    [
        ({"sum": "x"}, Sum, 'sum: expected number, got string "x"'),
        ({"sum": math.nan}, Sum, "JSON has no nan"),
        ({"sum": 1, "more": math.inf}, Sum, "JSON has no inf"),
        (structured_result("a", {"a": math.nan}), None, "JSON has no nan"),
        ({"sum": object()}, Sum, "a object has no JSON form"),
        ("text", Sum, 'expected object, got string "text"'),
        (None, Sum, "it declares an output schema but returned no structured content"),
        ({"sum": 1}, None, "it declares no output schema"),
        (object(), None, "it returned a object"),
        ("\ud800", None, "cannot be sent"),
        (structured_result("a", {"\ud800": 1}), None, "cannot be sent"),
    ],
)
@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_a_result_that_cannot_be_sent_is_logged_and_answered_as_an_error(
    returned: Any, output: Any, logged: str, revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = MCPServer("s")
    register(server, "async", lambda *_: returned, output=output)
    async with connected(server, revision) as client:
        result = await client.call("t")
    assert result["isError"] is True
    assert texts(result) == [NOTHING_AWAY]
    assert "structuredContent" not in result
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("typedargs", logging.ERROR)
    assert logged in record.getMessage() + caplog.text


async def test_debugging_shows_why_a_result_cannot_be_sent() -> None:
    server = MCPServer("s", debug=True)
    register(server, "async", lambda *_: {"sum": "x"}, output=Sum)
    async with connected(server) as client:
        text = await client.text("t")
    assert 'sum: expected number, got string "x"' in text


# What a handler raises


class Quota(ToolError):
    """A failure with a code of its own, which does not call its base's constructor."""

    code = "quota"
    retryable = True

    def __init__(self, left: int) -> None:
        self.left = left

    def __str__(self) -> str:
        return f"{self.left} calls left"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("error", "text", "code", "retryable"),
    [
        (ToolError("No such city."), "No such city.", "tool_error", False),
        (ToolError("Later.", code="busy", retryable=True), "Later.", "busy", True),
        (ToolError(""), "", "tool_error", False),
        (Quota(0), "0 calls left", "quota", True),
    ],
)
async def test_a_tool_error_is_a_result_for_the_model(
    mode: str,
    error: ToolError,
    text: str,
    code: str,
    retryable: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = MCPServer("s")
    register(server, mode, raising(error), output=Sum)
    async with connected(server) as client:
        result = await client.call("t")
    assert result["isError"] is True
    assert texts(result) == [text]
    assert result["_meta"][faults.FAULTS] == [
        {"code": code, "path": "", "expected": "", "message": text, "retryable": retryable}
    ]
    assert caplog.records == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("error", "body"),
    [
        (InvalidParams("no", {"a": 1}), {"code": -32602, "message": "no", "data": {"a": 1}}),
        (
            MissingRequiredClientCapability("no", {"requiredCapabilities": {"sampling": {}}}),
            {"code": -32021, "message": "no", "data": {"requiredCapabilities": {"sampling": {}}}},
        ),
    ],
)
async def test_a_wire_error_is_a_protocol_error(
    mode: str, error: WireError, body: dict[str, Any]
) -> None:
    server = MCPServer("s")
    register(server, mode, raising(error))
    async with connected(server) as client:
        assert (await client.answer(client.start("t")))["error"] == body


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def recursion(*_: Any) -> Any:
    return recursion()


FAILURES = [
    (raising(ValueError("secret")), "ValueError: secret"),
    (raising(Exception("secret\ud800")), None),
    (raising(KeyError("secret")), "KeyError: 'secret'"),
    (raising(StopIteration("secret")), "StopIteration"),
    (raising(AssertionError()), "AssertionError"),
    (raising(ExceptionGroup("secret", [ValueError()])), "ExceptionGroup: secret (1 sub-exception)"),
    (raising(SystemExit(3)), "SystemExit: 3"),
    (raising(KeyboardInterrupt()), "KeyboardInterrupt"),
    (raising(asyncio.CancelledError("secret")), "CancelledError: secret"),
    (raising(concurrent.futures.CancelledError()), "CancelledError"),
    (raising(TimeoutError("secret")), "TimeoutError: secret"),
    (raising(BaseException("secret")), "BaseException: secret"),
    (raising(Unprintable()), "<exception str() failed>"),
    (recursion, "RecursionError: maximum recursion depth exceeded"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("handler", "_shown"), FAILURES)
@pytest.mark.parametrize("limit", [None, PATIENCE_SECONDS])
async def test_any_exception_is_logged_and_gives_nothing_away(
    mode: str,
    handler: Callable[..., Any],
    _shown: str,
    limit: float | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = MCPServer("s")
    register(server, mode, handler, timeout=limit)
    register(server, "async", lambda *_: "alive", "next")
    async with connected(server) as client:
        result = await client.call("t")
        assert await client.text("next") == "alive"
    assert result["isError"] is True
    assert texts(result) == [NOTHING_AWAY]
    assert result["_meta"][faults.FAULTS][0]["code"] == "internal_error"
    assert "secret" not in str(result)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("typedargs", logging.ERROR)
    assert record.getMessage() == 'tool "t" failed'
    assert record.exc_info is not None
    assert record.exc_info[2] is not None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("handler", "shown"), FAILURES)
async def test_debugging_shows_any_exception(
    mode: str, handler: Callable[..., Any], shown: str | None
) -> None:
    server = MCPServer("s", debug=True)
    register(server, mode, handler)
    async with connected(server) as client:
        text = await client.text("t")
    if shown is None:
        assert text == NOTHING_AWAY  # it cannot be written
    else:
        assert text.startswith('Tool "t" failed: ')
        assert shown in text


# Progress


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_progress_that_grows_is_sent_before_the_answer(mode: str, revision: str) -> None:
    server = MCPServer("s")

    def handler(_: Any, ctx: RequestContext) -> str:
        for done in (0, 1, 1, 0.5, 2.5, math.nan, math.inf):
            ctx.progress(done)
        ctx.progress(3, 4, "nearly")
        ctx.progress(4, math.inf)
        return "done"

    register(server, mode, handler)
    async with connected(server, revision) as client:
        call_id = client.start("t", progressToken="mine")
        await client.answer(call_id)
        assert client.notifications("notifications/progress") == [
            {"progressToken": "mine", "progress": 0},
            {"progressToken": "mine", "progress": 1},
            {"progressToken": "mine", "progress": 2.5},
            {"progressToken": "mine", "progress": 3, "total": 4, "message": "nearly"},
            {"progressToken": "mine", "progress": 4},
        ]
        assert client.received[-1]["id"] == call_id


@pytest.mark.parametrize("token", [0, 7, "", "x"])
async def test_the_token_of_the_request_comes_back(token: Any) -> None:
    server = MCPServer("s")
    register(server, "async", lambda _, ctx: ctx.progress(1) and None)
    async with connected(server) as client:
        await client.call("t", progressToken=token)
        (params,) = client.notifications("notifications/progress")
    assert (params["progressToken"], type(params["progressToken"])) == (token, type(token))


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_no_progress_is_sent_where_none_is_asked_for(revision: str) -> None:
    server = MCPServer("s")
    register(server, "async", lambda _, ctx: ctx.progress(1) and None)
    async with connected(server, revision) as client:
        await client.call("t")
        assert client.notifications("notifications/progress") == []


@pytest.mark.parametrize("mode", MODES)
async def test_nothing_is_sent_about_a_call_that_is_over(mode: str) -> None:
    server = MCPServer("s")
    contexts: list[RequestContext] = []
    register(server, mode, lambda _, ctx: contexts.append(ctx))
    async with connected(server) as client:
        await client.call("t", progressToken=1, **{meta.LOG_LEVEL: "debug"})
        contexts[0].progress(1)
        contexts[0].log("error", "late")
        await anyio.to_thread.run_sync(contexts[0].progress, 2)
        assert len(client.received) == 1


async def test_awaiting_progress_gives_other_calls_their_turn() -> None:
    server = MCPServer("s")
    other_ran = False

    async def patient(_: Any, ctx: RequestContext) -> str:
        done = 0
        while not other_ran:
            done += 1
            await ctx.progress(done)
            await ctx.log("debug", done)
        return "done"

    async def other() -> None:
        nonlocal other_ran
        other_ran = True

    server.register_tool("patient", None, OBJECT, patient)
    server.register_tool("other", None, OBJECT, other)
    async with connected(server) as client:
        call_id = client.start("patient", progressToken=1)
        await client.call("other")
        assert texts((await client.answer(call_id))["result"]) == ["done"]


async def test_awaiting_progress_ends_a_cancelled_handler() -> None:
    server = MCPServer("s")
    entered, ended = anyio.Event(), anyio.Event()

    async def endless(_: Any, ctx: RequestContext) -> None:
        done = 0
        try:
            while True:
                done += 1
                await ctx.progress(done)
                entered.set()
        finally:
            ended.set()

    server.register_tool("endless", None, OBJECT, endless)
    async with connected(server) as client:
        call_id = client.start("endless")
        await entered.wait()
        client.cancel(call_id)
        with anyio.fail_after(PATIENCE_SECONDS):
            await ended.wait()


# Log messages


LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def log_all(_: Any, ctx: RequestContext) -> None:
    for level in LEVELS:
        ctx.log(level, {"level": level})  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("least", [None, *LEVELS])
async def test_a_modern_client_gets_the_levels_that_its_request_asks_for(
    mode: str, least: str | None
) -> None:
    server = MCPServer("s")
    register(server, mode, log_all)
    async with connected(server) as client:
        await client.call("t", **({} if least is None else {meta.LOG_LEVEL: least}))
        got = [params["level"] for params in client.notifications("notifications/message")]
    assert got == ([] if least is None else list(LEVELS[LEVELS.index(least) :]))


@pytest.mark.parametrize("least", [None, *LEVELS])
async def test_a_legacy_client_gets_the_levels_that_it_set(least: str | None) -> None:
    server = MCPServer("s")
    register(server, "async", log_all)
    async with connected(server, versions.LATEST_LEGACY) as client:
        if least is not None:
            await client.ask("logging/setLevel", {"level": least})
        await client.call("t")
        got = [params["level"] for params in client.notifications("notifications/message")]
    assert got == list(LEVELS[LEVELS.index(least or "info") :])


async def test_a_log_message_carries_any_data_and_the_name_of_its_logger() -> None:
    server = MCPServer("s")

    def handler(_: Any, ctx: RequestContext) -> None:
        ctx.log("info", None)
        ctx.log("info", [1, {"a": "ä"}], logger="db")

    register(server, "thread", handler)
    async with connected(server, versions.LATEST_LEGACY) as client:
        await client.call("t")
        assert client.notifications("notifications/message") == [
            {"level": "info", "data": None},
            {"level": "info", "data": [1, {"a": "ä"}], "logger": "db"},
        ]


async def test_a_level_that_is_none_is_a_mistake_of_the_handler() -> None:
    server = MCPServer("s", debug=True)
    register(server, "async", lambda _, ctx: ctx.log("loud", "x"))
    async with connected(server) as client:
        assert "ValueError: the level must be one of debug, info" in await client.text("t")


# Timeouts


async def test_a_handler_that_takes_too_long_is_cancelled_and_the_model_told() -> None:
    gate = Gate()
    server = MCPServer("s")
    server.register_tool("t", None, OBJECT, gate, timeout=0.01)
    async with connected(server) as client:
        result = await client.call("t")
        assert gate.left.is_set()
    text = 'Tool "t" took longer than its limit of 0.01 s and was cancelled.'
    assert result["isError"] is True
    assert texts(result) == [text]
    assert result["_meta"][faults.FAULTS] == [
        {"code": "timeout", "path": "", "expected": "", "message": text, "retryable": True}
    ]


async def test_a_handler_in_a_thread_that_takes_too_long_is_left_to_itself() -> None:
    gate = ThreadGate()
    server = MCPServer("s")
    server.register_tool("t", None, OBJECT, gate, timeout=0.01)
    async with connected(server) as client:
        try:
            result = await client.call("t")
        finally:
            gate.may_go_on.set()
        await started(gate.left)
        assert len(client.received) == 1
    assert result["_meta"][faults.FAULTS][0]["code"] == "timeout"


async def test_a_handler_within_its_time_is_not_disturbed() -> None:
    server = MCPServer("s")
    server.register_tool("t", None, OBJECT, lambda: "done", timeout=PATIENCE_SECONDS)
    async with connected(server) as client:
        assert await client.text("t") == "done"


async def test_a_timeout_of_the_handler_itself_is_its_failure() -> None:
    server = MCPServer("s", debug=True)

    async def handler() -> None:
        with anyio.fail_after(0):
            await anyio.sleep_forever()

    server.register_tool("t", None, OBJECT, handler, timeout=PATIENCE_SECONDS)
    async with connected(server) as client:
        assert "TimeoutError" in await client.text("t")


# Overload


def busy_fault(text: str) -> list[dict[str, Any]]:
    return [{"code": "overloaded", "path": "", "expected": "", "message": text, "retryable": True}]


async def test_a_server_answers_a_call_too_many_at_once() -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(max_concurrent_calls=2))
    async with connected(server) as client, contextlib.AsyncExitStack() as stack:
        stack.callback(gate.may_go_on.set)
        ids = [client.start("gate"), client.start("gate")]
        await gate.entered.wait()
        refused = await client.call("gate")
        text = "The server is busy: 2 calls are running, its limit. Try again later."
        assert refused["isError"] is True
        assert texts(refused) == [text]
        assert refused["_meta"][faults.FAULTS] == busy_fault(text)
        assert gate.times == 2
        gate.may_go_on.set()
        for call_id in ids:
            assert texts((await client.answer(call_id))["result"]) == ["done"]
        assert await client.text("gate") == "done"


async def test_a_tool_answers_a_call_too_many_and_the_others_go_on() -> None:
    gate = Gate()
    server = MCPServer("s")
    server.register_tool("gate", None, OBJECT, gate, max_concurrency=1)
    server.register_tool("other", None, OBJECT, lambda: "free")
    async with connected(server) as client:
        call_id = client.start("gate")
        text = 'Tool "gate" is busy: 1 calls are running, its limit. Try again later.'
        assert await client.text("gate") == text
        assert await client.text("other") == "free"
        gate.may_go_on.set()
        assert texts((await client.answer(call_id))["result"]) == ["done"]
        assert await client.text("gate") == "done"


async def test_a_cancelled_call_makes_room_for_another() -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(max_concurrent_calls=1))
    async with connected(server) as client:
        call_id = client.start("gate")
        await gate.entered.wait()
        client.cancel(call_id)
        await gate.left.wait()
        await anyio.wait_all_tasks_blocked()
        gate.may_go_on.set()
        assert await client.text("gate") == "done"


# Cancellation


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_a_cancelled_handler_ends_and_its_call_is_not_answered(
    revision: str, caplog: pytest.LogCaptureFixture
) -> None:
    gate = Gate()
    async with connected(gated(gate), revision) as client:
        before = len(client.received)
        call_id = client.start("gate")
        await gate.entered.wait()
        client.cancel(call_id, "changed my mind")
        with anyio.fail_after(PATIENCE_SECONDS):
            await gate.left.wait()
        await client.ask("tools/list")
        assert [m.get("id") for m in client.received[before:]] == [call_id + 1]  # type: ignore[operator]
    assert caplog.records == []


async def test_a_cancelled_handler_may_clean_up_and_must_not_answer() -> None:
    server = MCPServer("s")
    entered, cleaned = anyio.Event(), anyio.Event()

    async def stubborn(_: Any, ctx: RequestContext) -> str:
        entered.set()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await ctx.progress(1)
            cleaned.set()
        return "in spite of all"

    server.register_tool("stubborn", None, OBJECT, stubborn)
    async with connected(server) as client:
        call_id = client.start("stubborn", progressToken=1)
        await entered.wait()
        client.cancel(call_id)
        with anyio.fail_after(PATIENCE_SECONDS):
            await cleaned.wait()
        await anyio.wait_all_tasks_blocked()
        assert client.received == []


async def test_a_cancelled_handler_that_fails_while_it_cleans_up_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = MCPServer("s")
    entered = anyio.Event()

    async def clumsy() -> None:
        entered.set()
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("while cleaning up")

    server.register_tool("clumsy", None, OBJECT, clumsy)
    server.register_tool("next", None, OBJECT, lambda: "alive")
    async with connected(server) as client:
        call_id = client.start("clumsy")
        await entered.wait()
        client.cancel(call_id)
        assert await client.text("next") == "alive"
        assert len(client.received) == 1
    assert [record.getMessage() for record in caplog.records] == ['tool "clumsy" failed']


async def test_the_tasks_of_a_cancelled_handler_end_too(caplog: pytest.LogCaptureFixture) -> None:
    server = MCPServer("s")
    gates = [Gate(), Gate()]

    async def parent() -> None:
        async with anyio.create_task_group() as tasks:
            for gate in gates:
                tasks.start_soon(gate)

    server.register_tool("parent", None, OBJECT, parent)
    async with connected(server) as client:
        call_id = client.start("parent")
        for gate in gates:
            await gate.entered.wait()
        client.cancel(call_id)
        with anyio.fail_after(PATIENCE_SECONDS):
            for gate in gates:
                await gate.left.wait()
        await anyio.wait_all_tasks_blocked()
        assert client.received == []
    assert caplog.records == []


async def test_a_cancellation_in_a_group_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    server = MCPServer("s")
    entered = anyio.Event()

    async def grouping() -> None:
        entered.set()
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class() as error:
            raise BaseExceptionGroup("as some event loops do", [error]) from None

    server.register_tool("grouping", None, OBJECT, grouping)
    server.register_tool("next", None, OBJECT, lambda: "alive")
    async with connected(server) as client:
        call_id = client.start("grouping")
        await entered.wait()
        client.cancel(call_id)
        assert await client.text("next") == "alive"
        assert len(client.received) == 1
    assert caplog.records == []


async def test_a_handler_in_a_thread_is_left_to_itself_when_it_is_cancelled() -> None:
    server = MCPServer("s")
    gate = ThreadGate()
    told = threading.Event()

    def handler(_: Any, ctx: RequestContext) -> str:
        gate()
        ctx.progress(1)
        ctx.log("error", "late")
        told.set()
        return "late"

    server.register_tool("t", None, OBJECT, handler)
    async with connected(server, versions.LATEST_LEGACY) as client:
        before = len(client.received)
        call_id = client.start("t", progressToken=1)
        await started(gate.entered)
        client.cancel(call_id)
        gate.may_go_on.set()
        await started(told)
        await anyio.wait_all_tasks_blocked()
        assert client.received[before:] == []
        assert await client.ask("ping") == {}


async def test_a_handler_in_a_thread_can_ask_whether_it_is_cancelled() -> None:
    server = MCPServer("s")
    entered, ended = threading.Event(), threading.Event()
    cancelled = threading.Event()
    raised: list[str] = []

    def handler() -> None:
        entered.set()
        wait(cancelled)
        try:
            anyio.from_thread.check_cancelled()
        except BaseException as error:  # each event loop has its own
            raised.append(type(error).__name__)
            raise
        finally:
            ended.set()

    server.register_tool("t", None, OBJECT, handler)
    async with connected(server) as client:
        call_id = client.start("t")
        await started(entered)
        client.cancel(call_id)
        await anyio.wait_all_tasks_blocked()
        cancelled.set()
        await started(ended)
    assert raised in (["CancelledError"], ["Cancelled"])


async def test_a_thread_that_still_runs_keeps_its_place_after_the_cancellation() -> None:
    server = MCPServer("s", limits=Limits(max_threads=1))
    gate = ThreadGate()
    server.register_tool("gate", None, OBJECT, gate)
    server.register_tool("next", None, OBJECT, lambda: str(gate.left.is_set()))
    async with connected(server) as client:
        cancelled = client.start("gate")
        await started(gate.entered)
        client.cancel(cancelled)
        await anyio.wait_all_tasks_blocked()
        waiting = client.start("next")
        await anyio.wait_all_tasks_blocked()
        gate.may_go_on.set()
        assert texts((await client.answer(waiting))["result"]) == ["True"]


async def test_a_call_that_waits_for_a_thread_can_be_cancelled() -> None:
    server = MCPServer("s", limits=Limits(max_threads=1))
    gate = ThreadGate()
    ran: list[str] = []
    server.register_tool("gate", None, OBJECT, gate)
    server.register_tool("waiting", None, OBJECT, lambda: ran.append("waiting"))
    server.register_tool("next", None, OBJECT, lambda: "free")
    async with connected(server) as client:
        running_call = client.start("gate")
        await started(gate.entered)
        waiting = client.start("waiting")
        await anyio.wait_all_tasks_blocked()
        client.cancel(waiting)
        await anyio.wait_all_tasks_blocked()
        gate.may_go_on.set()
        await client.answer(running_call)
        assert await client.text("next") == "free"
    assert ran == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_call_that_is_cancelled_at_once_does_not_start(mode: str) -> None:
    server = MCPServer("s")
    ran: list[str] = []
    register(server, mode, lambda *_: ran.append("t"))
    async with connected(server) as client:
        client.cancel(client.start("t"))
        await client.ask("tools/list")
        await anyio.wait_all_tasks_blocked()
        assert len(client.received) == 1
    assert ran == []


async def test_a_batch_is_answered_without_its_cancelled_member() -> None:
    gate = Gate()
    server = gated(gate)
    server.register_tool("quick", None, OBJECT, lambda: "quick")
    async with connected(server, versions.BATCHING) as client:

        def member(request_id: str, tool: str) -> dict[str, Any]:
            return request(request_id, "tools/call", {"name": tool}, revision=versions.BATCHING)

        client.send([member("a", "gate"), member("b", "quick"), member("c", "gate")])
        await gate.entered.wait()
        client.cancel("a")
        gate.may_go_on.set()
        answers: list[Any] = []
        with anyio.fail_after(PATIENCE_SECONDS):
            while not answers:
                await anyio.lowlevel.checkpoint()
                answers = [message for message in client.received if isinstance(message, list)]
    assert sorted(answer["id"] for answer in answers[0]) == ["b", "c"]


# The beginning and the end


async def test_what_the_lifespan_yields_is_the_state_of_each_request() -> None:
    happened: list[str] = []
    state = object()
    servers: list[MCPServer] = []

    @contextlib.asynccontextmanager
    async def lifespan(server: MCPServer) -> AsyncIterator[object]:
        servers.append(server)
        happened.append("opened")
        yield state
        happened.append("closed")

    server = MCPServer("s", lifespan=lifespan)
    for mode in MODES:
        register(server, mode, lambda _, ctx: happened.append(str(ctx.state is state)), mode)
    async with connected(server) as client:
        for mode in MODES:
            await client.call(mode)
        assert "closed" not in happened
    assert happened == ["opened", "True", "True", "True", "closed"]
    assert servers == [server]


async def test_calls_that_run_at_the_end_are_cancelled_before_the_lifespan_closes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = Gate()
    left_before_closing: list[bool] = []

    @contextlib.asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        yield
        left_before_closing.append(gate.left.is_set())

    async with connected(gated(gate, lifespan=lifespan)) as client:
        client.start("gate")
        await gate.entered.wait()
    assert left_before_closing == [True]
    assert client.received == []
    assert caplog.records == []


async def test_calls_that_run_when_all_is_cancelled_from_outside_are_not_failures(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = Gate()
    with anyio.CancelScope() as outside:
        async with connected(gated(gate)) as client:
            client.start("gate")
            await gate.entered.wait()
            outside.cancel()
            await anyio.sleep_forever()
    assert gate.left.is_set()
    assert client.received == []
    assert caplog.records == []


async def test_a_lifespan_that_fails_is_the_error_of_the_server() -> None:
    @contextlib.asynccontextmanager
    async def lifespan(_: MCPServer) -> AsyncIterator[None]:
        raise ValueError("no database")
        yield

    with pytest.raises(ValueError, match="no database"):
        async with running(MCPServer("s", lifespan=lifespan)):
            raise AssertionError("it must not serve")


async def test_draining_waits_for_the_calls_that_run() -> None:
    gate = Gate()
    server = gated(gate)
    async with running(server) as runner:
        client = Client(server, runner, versions.MODERN)
        call_id = client.start("gate")
        await gate.entered.wait()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runner.drain)
            await anyio.wait_all_tasks_blocked()
            assert client.received == []
            gate.may_go_on.set()
        assert texts((await client.answer(call_id))["result"]) == ["done"]
        await runner.drain()
        client.check()


async def test_draining_ends_though_a_call_does_not() -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(drain_seconds=0))
    async with running(server) as runner:
        client = Client(server, runner, versions.MODERN)
        client.start("gate")
        await gate.entered.wait()
        with anyio.fail_after(PATIENCE_SECONDS):
            await runner.drain()
        assert client.received == []


# Tools that change


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_a_legacy_client_is_told_when_a_handler_changes_the_tools(
    mode: str, revision: str
) -> None:
    server = MCPServer("s")

    def grow(*_: Any) -> None:
        server.register_tool("new", None, OBJECT, lambda: "new")
        server.remove_tool("t")

    register(server, mode, grow)
    async with connected(server, revision) as client:
        await client.call("t")
        told = [m for m in client.received if m.get("method")]
        assert told == [notification("notifications/tools/list_changed")] * (
            2 if revision == versions.LATEST_LEGACY else 0
        )
        listed = (await client.ask("tools/list"))["tools"]
        assert [tool["name"] for tool in listed] == ["new"]
        assert await client.text("new") == "new"


async def test_every_legacy_client_is_told_from_a_thread_of_the_application() -> None:
    server = MCPServer("s")
    async with running(server) as runner:
        clients = [Client(server, runner, versions.LATEST_LEGACY) for _ in range(3)]
        for client in clients[:2]:
            await client.handshake()  # the third has not shaken hands
        await anyio.to_thread.run_sync(
            lambda: server.register_tool("new", None, OBJECT, lambda: "new")
        )
        for client in clients:
            client.check()
        counts = [
            len([m for m in client.received if m.get("method") is not None]) for client in clients
        ]
    assert counts == [1, 1, 0]


async def test_tools_can_change_when_nothing_is_served_any_more() -> None:
    server = MCPServer("s")
    async with connected(server, versions.LATEST_LEGACY) as client:
        pass
    before = list(client.received)
    server.register_tool("new", None, OBJECT, lambda: "new")
    assert client.received == before
