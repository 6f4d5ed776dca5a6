"""From the first call to the last, on asyncio and on trio: lifespan, drain, changing tools."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread
import pytest

from tests.server.running import MODES, OBJECT, Gate, gated, register
from tests.server.support import (
    BOTH_ERAS,
    PATIENCE_SECONDS,
    Client,
    connected,
    notification,
    running,
    texts,
)
from typedargs_server import Limits, MCPServer
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio


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


async def test_draining_cuts_off_a_call_that_does_not_end_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(drain_seconds=0))
    async with running(server) as runner:
        client = Client(server, runner, versions.MODERN)
        call_id = client.start("gate")
        await gate.entered.wait()
        with anyio.fail_after(PATIENCE_SECONDS):
            await runner.drain()
        result = (await client.answer(call_id))["result"]
        assert result["isError"]
        assert texts(result) == ['Tool "gate" was cut off: the server ended before it was done.']
        assert caplog.messages == [
            'cut off 0 s after no more could come, still running: tool "gate"'
        ]


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
