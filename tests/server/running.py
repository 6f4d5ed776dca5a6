"""Handlers that the tests of the runner register."""

import threading
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread

from tests.server.support import PATIENCE_SECONDS
from typedargs_server import MCPServer, RequestContext

MODES = ("async", "thread", "inline")
"""The ways in which a handler runs."""

OBJECT = {"type": "object"}


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
