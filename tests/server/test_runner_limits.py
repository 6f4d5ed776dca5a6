"""The bounds of running calls, on asyncio and on trio: timeouts and overload."""

import contextlib
from typing import Any

import anyio
import pytest

from tests.server.running import OBJECT, Gate, ThreadGate, gated, started
from tests.server.support import PATIENCE_SECONDS, Client, connected, running, texts
from typedargs_server import Limits, MCPServer, faults
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio


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
        if gate.entered.is_set():  # on a busy machine the time is up before the thread starts
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
        text = 'Tool "gate" is busy: 1 call is running, its limit. Try again later.'
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


async def test_who_can_wait_for_room_is_told_when_there_is_some() -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(max_concurrent_calls=1))
    async with running(server) as runner:
        client = Client(server, runner, versions.MODERN)
        await runner.room()
        first = client.start("gate")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runner.room)
            await anyio.wait_all_tasks_blocked()
            assert client.received == []
            gate.may_go_on.set()
        second = client.start("gate")
        for call_id in (first, second):
            assert texts((await client.answer(call_id))["result"]) == ["done"]
        client.check()
