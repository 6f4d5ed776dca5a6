"""A server process for HTTP; the only import of uvicorn.

It says where it serves when it does. A first SIGINT or SIGTERM ends it orderly, a second one at
once; either way the process ends as if its work were done.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Mapping
from types import FrameType
from typing import Any, Final

import uvicorn

from . import _signals
from .http import HttpApp

_DEFAULTS: Final[Mapping[str, Any]] = {
    "access_log": False,
    "lifespan": "on",
    "log_config": None,  # the program's own logging stays as it is
    "log_level": "warning",
    "timeout_graceful_shutdown": 1,
    "ws": "none",
}


def serve(app: HttpApp, name: str, host: str, port: int, options: Mapping[str, Any]) -> None:
    """Serve until a signal; `options` are those of `uvicorn.Config`."""
    server = Server(app, name, host, port, options)
    try:
        server.run()
    finally:
        server.give_up_ending()
    if app.runner is not None:
        _signals.end_despite(app.runner.threads.busy)


class Server(uvicorn.Server):
    """uvicorn, which lets calls and streams of an app end before it waits for them."""

    def __init__(
        self, app: HttpApp, name: str, host: str, port: int, options: Mapping[str, Any]
    ) -> None:
        super().__init__(uvicorn.Config(app, host=host, port=port, **{**_DEFAULTS, **options}))
        self._app = app
        self._name = name
        self._ending: asyncio.Task[None] | None = None
        self._last_resort: threading.Timer | None = None

    async def startup(self, sockets: Any = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        if self.started and sys.stderr is not None:
            print(f"{self._name} serves MCP at {self._url()}", file=sys.stderr, flush=True)

    async def shutdown(self, sockets: Any = None) -> None:
        """Take no more connections, let what is open end, and end."""
        for server in self.servers:
            server.close()
        if not self.force_exit:
            self._ending = asyncio.create_task(self._app.end())
            with contextlib.suppress(asyncio.CancelledError):
                await self._ending
        if not self.force_exit:
            self._end_within(self.config.timeout_graceful_shutdown or 0)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Take a signal; uvicorn would raise it again after the end."""
        if not self.should_exit:
            self.should_exit = True
            return
        self.force_exit = True
        self._end_within(0)
        if self._ending is not None:
            self._ending.get_loop().call_soon_threadsafe(self._ending.cancel)

    def give_up_ending(self) -> None:
        """Take note that the server has ended by itself."""
        if self._last_resort is not None:
            self._last_resort.cancel()

    def _end_within(self, seconds: float) -> None:
        """End the process soon after, whatever handlers that cannot be cancelled do."""
        self.give_up_ending()
        self._last_resort = threading.Timer(seconds + _signals.GRACE_SECONDS, os._exit, [0])
        self._last_resort.daemon = True
        self._last_resort.start()

    def _url(self) -> str:
        config = self.config
        path = self._app.settings.path
        if config.uds is not None:
            return f"unix:{config.uds}, path {path}"
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        if ":" in host:
            host = f"[{host}]"
        return f"{'https' if config.is_ssl else 'http'}://{host}:{port}{config.root_path}{path}"
