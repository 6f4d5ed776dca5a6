"""Cancelled calls, on asyncio and on trio: who ends, who is answered, who makes room."""

import threading
from typing import Any

import anyio
import anyio.from_thread
import pytest

from tests.server.running import MODES, OBJECT, Gate, ThreadGate, gated, register, started, wait
from tests.server.support import BOTH_ERAS, PATIENCE_SECONDS, connected, request, texts
from typedargs_server import Limits, MCPServer, RequestContext
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio


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
