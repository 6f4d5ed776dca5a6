"""Streamable HTTP: an ASGI application that serves clients of both eras on one path.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
"""

import contextlib
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeAlias

import anyio

from .. import jsonrpc
from .._typed import require
from ..definition import ServerDefinition
from ..eras import versions
from ..eras.headers import PROTOCOL_VERSION
from ..errors import WireError
from ..protocol import Connection, is_modern, read
from ..runner import Runner
from . import _exchange, _legacy, _pair
from ._asgi import App, Receive, Scope, Sending
from ._guard import Guard
from ._leaving import left
from ._lifetime import Lifetime
from ._live import Live
from ._refusals import Gone, Refused
from ._replies import json_response, send_empty, send_json, send_refusal
from ._requests import FindPrincipal, Head, HttpRequest, body_of, path_of, plain_path, read_headers
from ._settings import HttpSettings

__all__ = ["HttpApp", "HttpSettings", "Route", "http_app", "serve"]

Route: TypeAlias = tuple[str, Sequence[str], Callable[..., Any]]
"""A path, its methods, and an ASGI application or a function as starlette takes it."""

_Endpoint: TypeAlias = Callable[[Live, HttpRequest], Awaitable[None]]

_KNOWN: Final = 32
"""Heads of requests that are remembered: their bytes are bounded as those of each are."""

_EXPOSED: Final = ("Mcp-Session-Id", "MCP-Protocol-Version")


class HttpApp:
    """A server as an ASGI application, to be run by itself or mounted in another one.

    `make_runner` returns a new runner each time that serving starts. `routes` are served beside
    the protocol's own paths. `principal` tells from an ASGI scope who sends a request.
    """

    def __init__(
        self,
        definition: ServerDefinition,
        make_runner: Callable[[], Runner],
        settings: HttpSettings | None = None,
        routes: Sequence[Route] = (),
        principal: FindPrincipal | None = None,
    ) -> None:
        self.settings = settings = settings or HttpSettings()
        self._definition = definition
        self._make_runner = make_runner
        self._find_principal = principal
        self._lifetime = Lifetime(self._running)
        self._guard = Guard(
            settings.allowed_hosts, (*settings.allowed_origins, *settings.cors_origins)
        )
        self._known = functools.lru_cache(maxsize=_KNOWN)(self._checked)
        self._last_raw: list[tuple[bytes, bytes]] | None = None
        self._last_head: Head
        self._endpoints = _endpoints(settings)
        self._routes = routes
        self._elsewhere: App | None = None
        if routes:
            self._elsewhere = _router(routes)  # now, so that what is missing shows here
        self.runner: Runner | None = None
        """The runner of the current or the last serving."""

    async def __call__(self, scope: Scope, receive: Receive, send: Sending) -> None:
        """Serve as ASGI says."""
        if scope["type"] != "http":
            await self._serve_other(scope, receive, send)
            return
        try:
            head = self._head(scope["headers"])
            methods = self._endpoints.get(path_of(scope))
            if methods is None:
                if self._elsewhere is None:
                    raise Refused(404, f"Not Found: the endpoint is {self.settings.path}")
                await self._elsewhere(scope, receive, send)
                return
            endpoint = methods.get(scope["method"])
            if endpoint is None:
                await _answer_other_method(scope["method"], methods, send)
                return
            live = self._lifetime.live
            if live is None or self._lifetime.is_stale():
                live = await self._lifetime.in_background()
            principal = None if self._find_principal is None else self._principal(scope)
            await endpoint(live, HttpRequest(scope, head, receive, send, principal))
        except Refused as refused:
            await send_refusal(send, refused)
        except WireError as error:
            await send_json(send, error.http_status, jsonrpc.error_response(None, error))
        except Gone:
            pass

    async def _serve_other(self, scope: Scope, receive: Receive, send: Sending) -> None:
        if scope["type"] == "lifespan":
            await self._lifetime.lifespan(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})

    def lifespan(self, _app: object = None) -> AbstractAsyncContextManager[None]:
        """Return the context around all serving, for the app that this one is mounted in.

        As in `Starlette(routes=[Mount("/", app)], lifespan=app.lifespan)`.
        """
        return self._lifetime.serving()

    async def end(self) -> None:
        """End subscriptions and let calls finish within the limits; new requests are refused."""
        if self._lifetime.live is not None:
            await self._lifetime.live.end()

    @contextlib.asynccontextmanager
    async def _running(self) -> AsyncIterator[Live]:
        self.runner = self._make_runner()
        self._elsewhere = _router(self._routes) if self._routes else None
        async with self.runner as runner, anyio.create_task_group() as tasks:
            live = Live(self._definition, self.settings, runner)
            tasks.start_soon(_end_early, live)
            yield live
            tasks.cancel_scope.cancel()

    def _head(self, raw: Iterable[tuple[bytes, bytes]]) -> Head:
        """Return the head of a request that may be served; a client repeats its own."""
        if raw == self._last_raw:
            return self._last_head
        key = tuple(raw)
        try:
            head = self._known(key)
        except TypeError:  # pairs that are lists
            head = self._known(tuple((name, value) for name, value in key))
        self._last_raw, self._last_head = list(key), head
        return head

    def _checked(self, raw: Sequence[tuple[bytes, bytes]]) -> Head:
        settings = self.settings
        headers = read_headers(raw, settings.max_headers, settings.max_header_bytes)
        self._guard.check(headers)
        return Head.of(headers, self._definition.limits.max_message_bytes)

    def _principal(self, scope: Scope) -> str | None:
        assert self._find_principal is not None
        principal = self._find_principal(scope)
        require(principal, str | None, "http_app: what principal returns")
        return principal


class _WithCors(HttpApp):
    """One that tells browsers which pages may read its answers."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._with_cors = _cors(super().__call__, self.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Sending) -> None:
        await self._with_cors(scope, receive, send)


def http_app(
    definition: ServerDefinition,
    make_runner: Callable[[], Runner],
    settings: HttpSettings | None = None,
    routes: Sequence[Route] = (),
    principal: FindPrincipal | None = None,
) -> HttpApp:
    """Return an `HttpApp`, with CORS where the settings have origins."""
    made = _WithCors if settings is not None and settings.cors_origins else HttpApp
    return made(definition, make_runner, settings, routes, principal)


async def _end_early(live: Live) -> None:
    await left()
    await live.end()


def serve(
    app: HttpApp,
    *,
    name: str = "the server",
    host: str = "127.0.0.1",
    port: int = 8000,
    **options: Any,
) -> None:
    """Serve in this process until SIGINT or SIGTERM, by uvicorn; blocks meanwhile.

    `name` is what the line on stderr calls the server that tells its URL. Port 0 is any that is
    free. `options` are more of those of `uvicorn.Config`.
    """
    try:
        from . import _uvicorn
    except ImportError as error:
        raise _needs_extra("serving HTTP", "uvicorn") from error
    _uvicorn.serve(app, name, host, port, options)


def _endpoints(settings: HttpSettings) -> Mapping[str, Mapping[str, _Endpoint]]:
    """Return what is served: by path, then by method."""
    main: dict[str, _Endpoint] = {"POST": _post}
    if not settings.stateless:
        main |= {"GET": _legacy.get, "DELETE": _legacy.delete}
    found: dict[str, Mapping[str, _Endpoint]] = {plain_path(settings.path): main}
    if settings.sse:
        found[plain_path(settings.sse_path)] = {"GET": _pair.get}
        found[plain_path(settings.messages_path)] = {"POST": _pair.post}
    return found


async def _post(live: Live, request: HttpRequest) -> None:
    called = request.head.called
    if called is None:
        accepts = request.accepted
        if not (accepts.json or accepts.events):
            raise Refused(
                406, "Not Acceptable: Accept must have application/json and text/event-stream"
            )
        body = await request.json_body(live.max_message_bytes)
        direct = None
        if not (live.is_ending or live.settings.stateless):
            direct = _legacy.answer_directly(live, request, body)
    else:  # as `json_body` does, without a coroutine for it: most requests come here
        event = await request.receive()
        given = body_of(event, live.max_message_bytes)
        body = await request.rest(event, live.max_message_bytes) if given is None else given
        direct = None if live.is_ending else live.direct.answer(body, called)
    if direct is not None:
        data, status = direct
        for event in json_response(status, data):
            await request.send(event)
        return
    message = read(body, live.definition)
    if is_modern(message, request.headers):
        await _exchange.modern(live, request, message)
    elif live.settings.stateless:
        revision = request.headers.get(PROTOCOL_VERSION, versions.UNNAMED)
        connection = Connection(live.definition, only="legacy", revision=revision)
        await _exchange.exchange(live, request, message, connection)
    else:
        await _legacy.post(live, request, message)


async def _answer_other_method(
    method: str, methods: Mapping[str, _Endpoint], send: Sending
) -> None:
    allowed = [(b"allow", ", ".join((*methods, "OPTIONS")).encode())]
    if method == "OPTIONS":
        await send_empty(send, 204, allowed)
    else:
        raise Refused(405, f"Method Not Allowed: {method:.20}", allowed)


def _router(routes: Sequence[Route]) -> App:
    try:
        from starlette.routing import Route as StarletteRoute
        from starlette.routing import Router
    except ImportError as error:
        raise _needs_extra("routes", "starlette") from error
    made = [
        StarletteRoute(path, endpoint, methods=list(methods)) for path, methods, endpoint in routes
    ]
    return Router(made, redirect_slashes=False)


def _cors(app: App, settings: HttpSettings) -> App:
    try:
        from starlette.middleware.cors import CORSMiddleware
    except ImportError as error:
        raise _needs_extra("cors_origins", "starlette") from error
    return CORSMiddleware(
        app,
        allow_origins=[origin for origin in settings.cors_origins if "*." not in origin],
        allow_origin_regex=_as_regex(settings.cors_origins),
        allow_methods=("GET", "POST", "DELETE"),
        allow_headers=("*",),
        expose_headers=_EXPOSED,
    )


def _as_regex(origins: Sequence[str]) -> str | None:
    """Return a pattern for the origins with a wildcard in them, or None."""
    wild = [re.escape(origin) for origin in origins if "*." in origin]
    return "|".join(each.replace(r"\*\.", r"[^/:@]+\.") for each in wild) or None


def _needs_extra(what: str, package: str) -> ImportError:
    return ImportError(f'{what} needs {package}: pip install "typedargs-mcp[http]"')
