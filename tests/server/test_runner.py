"""Running calls, on asyncio and on trio: where handlers run, what they return and raise."""

import asyncio
import concurrent.futures
import logging
import math
import threading
from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.server.running import MODES, OBJECT, Gate, ThreadGate, gated, raising, register, started
from tests.server.support import BOTH_ERAS, PATIENCE_SECONDS, connected, texts
from typedargs import Double, MCPArgs
from typedargs_server import (
    ImageContent,
    InvalidParams,
    Limits,
    MCPServer,
    MissingRequiredClientCapability,
    TextContent,
    ToolError,
    error_result,
    faults,
    structured_result,
    text_result,
)
from typedargs_server._steps import never_waits
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio

NOTHING_AWAY = 'Tool "t" failed. The server\'s log says why.'


class Sum(MCPArgs):
    sum = Double()


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
        ({"sum": object()}, Sum, "an object has no JSON form"),
        ("text", Sum, 'expected object, got string "text"'),
        (None, Sum, "it declares an output schema but returned no structured content"),
        ({"sum": 1}, None, "it declares no output schema"),
        (object(), None, "it returned an object"),
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
        (ExceptionGroup("", [Quota(2)]), "2 calls left", "quota", True),
        (ExceptionGroup("", [ExceptionGroup("", [Quota(2)])]), "2 calls left", "quota", True),
    ],
)
async def test_a_tool_error_is_a_result_for_the_model(
    mode: str,
    error: Exception,
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
        (ExceptionGroup("", [InvalidParams("no")]), {"code": -32602, "message": "no"}),
    ],
)
async def test_a_wire_error_is_a_protocol_error(
    mode: str, error: Exception, body: dict[str, Any]
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
    (
        raising(ExceptionGroup("secret", [ToolError("a"), ToolError("b")])),
        "ExceptionGroup: secret (2 sub-exceptions)",
    ),
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


async def waits_for_nothing() -> int:
    return 1


async def waits() -> None:
    await anyio.lowlevel.checkpoint()


async def waits_by_the_way() -> list[Any]:
    return [each async for each in anyio.create_memory_object_stream[Any](1)[1]]


async def waits_in_a_block() -> None:
    async with anyio.create_task_group():
        pass


def is_no_coroutine_function() -> Any:
    return waits()


def test_whether_a_handler_may_wait_is_read_in_its_code() -> None:
    assert never_waits(waits_for_nothing)
    others = (waits, waits_by_the_way, waits_in_a_block, is_no_coroutine_function, print)
    assert [never_waits(function) for function in others] == [False] * len(others)
