"""When a server runs: with the lifespan of the ASGI application that it is, or is part of.

Where nobody runs a lifespan, it starts with the first request, in the background of the event
loop, and says so.
"""

import asyncio
import contextlib
import contextvars
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import anyio
import anyio.lowlevel

from ._asgi import Receive, Sending
from ._live import Live

logger = logging.getLogger("typedargs")

NO_LIFESPAN: Final = (
    "the app that mounts the MCP server does not run its lifespan, so that the server starts with "
    "the first request and is cut off at the end; make it Starlette(..., lifespan=app.lifespan) "
    "or FastAPI(..., lifespan=app.lifespan), where app is what http_app() returned, or enter "
    "app.lifespan(...) within your own lifespan"
)


class Lifetime:
    """Starts and ends what serves; `make` returns it, as a context around all serving."""

    def __init__(self, make: Callable[[], AbstractAsyncContextManager[Live]]) -> None:
        self._make = make
        self._starting: _Starting | None = None
        self._has_warned = False
        self.live: Live | None = None
        """What serves, from the start to the end."""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve while in the block; at its end calls may finish within the limits."""
        if self.live is not None and self._starting is None:
            raise RuntimeError("this app is being served already; one lifespan of it is enough")
        self._starting = None
        async with self._make() as live:
            self.live = live
            try:
                yield
                await live.end()
            finally:
                if self.live is live:
                    self.live = None
                live.close()

    async def in_background(self) -> Live:
        """Return what serves, started now if need be on the event loop that runs."""
        token = anyio.lowlevel.current_token()
        if self._starting is None or self._starting.token != token:
            self._starting = _Starting(token)
            self._starting.task = _spawn(self._serve_in_background, self._starting)
        starting = self._starting
        await starting.done.wait()
        if starting.error is not None:
            raise RuntimeError("the server did not start") from starting.error
        assert starting.live is not None
        return starting.live

    def is_stale(self) -> bool:
        """Tell whether what serves was started in the background of another event loop."""
        return self._starting is not None and (
            self._starting.token != anyio.lowlevel.current_token()
        )

    async def _serve_in_background(self, starting: "_Starting") -> None:
        if not self._has_warned:
            self._has_warned = True
            logger.warning(NO_LIFESPAN)
        try:
            async with self._make() as live:
                self.live = starting.live = live
                starting.done.set()
                try:
                    await anyio.sleep_forever()
                finally:
                    if self.live is live:
                        self.live = None
                    live.close()
        except Exception as error:
            logger.exception("the server failed")
            starting.error = error
        finally:
            if self._starting is starting:
                self._starting = None
            starting.done.set()

    async def lifespan(self, receive: Receive, send: Sending) -> None:
        """Serve for as long as the ASGI server says.

        Source: https://asgi.readthedocs.io/en/latest/specs/lifespan.html
        """
        await receive()
        stage = "startup"
        try:
            async with self.serving():
                await send({"type": "lifespan.startup.complete"})
                stage = "shutdown"
                await receive()
        except Exception as error:
            logger.exception("the server failed at its %s", stage)
            await send({"type": f"lifespan.{stage}.failed", "message": str(error)})
        else:
            await send({"type": "lifespan.shutdown.complete"})


class _Starting:
    """A start in the background of an event loop."""

    def __init__(self, token: anyio.lowlevel.EventLoopToken) -> None:
        self.token = token
        self.done = anyio.Event()
        self.live: Live | None = None
        self.error: Exception | None = None
        self.task: Any = None
        """Held, since an event loop does not hold its tasks."""


def _spawn(function: Callable[..., Any], *args: Any) -> Any:
    """Run a coroutine function beside all that the event loop runs, until it ends."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return trio.lowlevel.spawn_system_task(function, *args)
    loop = asyncio.get_running_loop()
    return loop.create_task(function(*args), context=contextvars.Context())
