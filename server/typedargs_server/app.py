"""MCPServer: what the user holds. It delegates, and stays small."""

import contextlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.from_thread
import anyio.lowlevel
import attrs

from ._typed import require
from .definition import Limits, ServerDefinition
from .model import CacheHints, Icon, Implementation
from .protocol import Connection
from .registration import Registration
from .runner import Runner
from .state import RequestStates, Sealer
from .tools import ToolRegistry
from .transports import _signals

if TYPE_CHECKING:
    from .transports.http import HttpApp, HttpSettings, Route

logger = logging.getLogger("typedargs")


class MCPServer(Registration):
    """A server of the Model Context Protocol, in both of its eras.

    `lifespan` takes the server and returns an async context manager around all serving; what it
    yields is each handler's `ctx.state`. `plain` shows input schemas in the form that all
    providers take, and enforces the full ones. `debug` puts the exceptions of handlers into
    answers.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str = "0.0.0",
        title: str | None = None,
        description: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Icon] = (),
        instructions: str | None = None,
        lifespan: Callable[["MCPServer"], AbstractAsyncContextManager[Any]] | None = None,
        limits: Limits | None = None,
        cache: CacheHints | None = None,
        plain: bool = False,
        debug: bool = False,
        states: RequestStates | None = None,
    ) -> None:
        require(states, RequestStates | None, "MCPServer: states")
        require(instructions, str | None, "MCPServer: instructions")
        require(lifespan, Callable[..., Any] | None, "MCPServer: lifespan")
        require(limits, Limits | None, "MCPServer: limits")
        require(cache, CacheHints | None, "MCPServer: cache")
        require(plain, bool, "MCPServer: plain")
        require(debug, bool, "MCPServer: debug")
        limits = limits or Limits()
        states = states or RequestStates()
        self._definition = ServerDefinition(
            implementation=Implementation(
                name=name,
                version=version,
                title=title,
                description=description,
                website_url=website_url,
                icons=icons,
            ),
            instructions=instructions,
            tools=ToolRegistry(limits.page_size),
            sealer=Sealer(states),
            used=states.used,
            limits=limits,
            cache=cache or CacheHints(),
        )
        self._lifespan = lifespan
        self._routes: list[Route] = []
        self._plain = plain
        self._debug = debug

    @property
    def name(self) -> str:
        """The server's name, as clients see it."""
        return self._definition.implementation.name

    @property
    def plain(self) -> bool:
        """Whether input schemas are shown in the plain form."""
        return self._plain

    def run(
        self,
        *,
        backend: Literal["asyncio", "trio"] = "asyncio",
        http: "bool | HttpSettings" = False,
        host: str | None = None,
        port: int | None = None,
    ) -> None:
        """Serve on stdio until the end of input, SIGINT or SIGTERM; blocks meanwhile.

        With `http` serve by Streamable HTTP instead, by uvicorn, at `http://host:port/mcp`; without
        them at http://127.0.0.1:8000/mcp. Port 0 is any that is free. Raises ImportError where the
        extra `http` is not installed, ValueError for what does not go together.
        """
        require(backend, Literal["asyncio", "trio"], "run: backend")
        require(host, str | None, "run: host")
        require(port, int | None, "run: port")
        if port is not None and not 0 <= port < 65536:
            raise ValueError(f"run: port must be from 0 to 65535, got {port!r}")
        if not http and (host is not None or port is not None):
            raise ValueError("run: host and port are for http=True")
        if http:
            if backend != "asyncio":
                raise ValueError("run: uvicorn, which serves http, runs on asyncio alone")
            from .transports.http import HttpSettings, serve

            require(http, bool | HttpSettings, "run: http")
            app = self._http_app(None if http is True else http, self._runner)
            serve(
                app, name=self.name, host=host or "127.0.0.1", port=8000 if port is None else port
            )
            return
        serving = _Serving()
        with _signals.ended_by_signals(serving.stop, loop_wakes=backend == "trio"):
            anyio.run(self._serve_stdio, serving, backend=backend)
        _signals.end_despite(serving.stuck)

    async def serve_stdio(self) -> None:
        """Serve on stdio until the end of input, in an event loop that runs already."""
        await self._serve_stdio(_Serving())

    async def _serve_stdio(self, serving: "_Serving") -> None:
        from .transports import stdio

        definition = self._definition
        serving.start()
        if serving.stop_asked:
            return
        with stdio.standard_streams() as streams:
            if streams is None:
                return
            runner = self._runner()
            serving.stuck = runner.threads.busy
            with serving.starting:
                async with runner:
                    serving.started = True
                    connection = Connection(definition)
                    await stdio.serve(
                        runner, connection, definition.limits, *streams, serving.stopping
                    )

    def http_app(
        self,
        path: str | None = None,
        *,
        settings: "HttpSettings | None" = None,
        principal: Callable[[Mapping[str, Any]], str | None] | None = None,
    ) -> "HttpApp":
        """Return an ASGI application that serves this server by Streamable HTTP at `path`.

        To be run by an ASGI server, or mounted in a Starlette or FastAPI app, whose lifespan is
        then `app.lifespan`. `path` is "/mcp" unless the settings say otherwise. Raises ValueError
        for a path that is none.

        `principal` tells from an ASGI scope who sends a request, as the authentication before this
        app has found out, such as `lambda scope: scope["user"].display_name`; it is
        `ctx.principal`. What one principal has opened, and what a call of theirs has asked, is to
        others as if it were not there.
        """
        from .transports.http import HttpSettings

        require(path, str | None, "http_app: path")
        require(settings, HttpSettings | None, "http_app: settings")
        require(principal, Callable[..., Any] | None, "http_app: principal")
        if path is not None and settings is not None and settings.path != HttpSettings().path:
            raise ValueError("http_app: give the path once, as path= or in the settings")
        settings = settings or HttpSettings()
        if path is not None:
            settings = attrs.evolve(settings, path=path)
        return self._http_app(settings, self._one_of_several, principal)

    def _http_app(
        self,
        settings: "HttpSettings | None",
        make_runner: Callable[[], Runner],
        principal: Callable[[Mapping[str, Any]], str | None] | None = None,
    ) -> "HttpApp":
        from .transports.http import http_app

        return http_app(self._definition, make_runner, settings, self._routes, principal)

    def _one_of_several(self) -> Runner:
        """Return a runner; says where other processes could not go on with its calls."""
        if not self._definition.sealer.is_shared and self._definition.may_ask():
            logger.warning(
                "server %s: what a call asks its client is sealed by a key of this process only; "
                "to run several, give all of them MCPServer(states=RequestStates(keys=[...]))",
                self.name,
            )
        return self._runner()

    def _runner(self) -> Runner:
        """Return what runs the calls of this server; its block is around all serving."""
        make = self._lifespan
        lifespan = None if make is None else lambda: make(self)
        return Runner(self._definition, lifespan, debug=self._debug)


class _Serving:
    """One run of a server, which another thread may ask to stop."""

    def __init__(self) -> None:
        self.stuck: AbstractSet[threading.Thread] = frozenset()
        """Worker threads that are still busy when the run is over; nothing can end them."""
        self._token: anyio.lowlevel.EventLoopToken | None = None
        self.stop_asked = False

    def start(self) -> None:
        """Take part in the event loop that runs."""
        self.starting = anyio.CancelScope()
        self.started = False
        self.stopping = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    def stop(self) -> None:
        """End the run, from any thread but the event loop's."""
        self.stop_asked = True
        if self._token is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                anyio.from_thread.run_sync(self._stop, token=self._token)

    def _stop(self) -> None:
        if self.started:
            self.stopping.set()
        else:  # the lifespan is being entered
            self.starting.cancel()
