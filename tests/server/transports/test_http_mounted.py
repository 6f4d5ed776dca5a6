"""A server mounted in Starlette and FastAPI apps, as their users have it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from tests.server.running import OBJECT
from tests.server.support import Reader, encoded, initialize_params, notification, request
from tests.server.transports.web import BOTH, JSON
from typedargs_server import MCPServer, RequestContext, RequestStates
from typedargs_server.eras import versions
from typedargs_server.transports._lifetime import NO_LIFESPAN

Make: TypeAlias = Callable[..., Any]


def starlette(
    mounted: Mapping[str, Any], lifespan: Any = None, middleware: Sequence[Middleware] = ()
) -> Starlette:
    routes = [Mount(prefix, app) for prefix, app in mounted.items()]
    return Starlette(routes=routes, lifespan=lifespan, middleware=middleware)


def fastapi(
    mounted: Mapping[str, Any], lifespan: Any = None, middleware: Sequence[Middleware] = ()
) -> FastAPI:
    outer = FastAPI(lifespan=lifespan, middleware=list(middleware))

    @outer.get("/items/{number}")
    def item(number: int) -> dict[str, int]:
        return {"item": number}

    for prefix, app in mounted.items():
        outer.mount(prefix, app)
    return outer


in_each = pytest.mark.parametrize("make", [starlette, fastapi])
at_each = pytest.mark.parametrize("prefix", ["/", "/tools", "/a/b"])


class Log:
    """A server that notes when it starts and ends, and has a route of its own."""

    def __init__(self, name: str = "s") -> None:
        self.notes: list[str] = []
        states = RequestStates(keys=["k" * 32])
        self.server = MCPServer(name, lifespan=self._lifespan, states=states)
        self.server.tool("who", input=OBJECT)(self._who)
        self.server.route("/health")(self._health)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _server: MCPServer) -> AsyncIterator[str]:
        self.notes.append("start")
        yield "well"
        self.notes.append("end")

    async def _who(self, _args: Any, ctx: RequestContext) -> str:
        return f"{ctx.principal}, {ctx.state}"

    async def _health(self, _request: Request) -> PlainTextResponse:
        return PlainTextResponse(" ".join(self.notes))


class Client:
    """A client of both eras of a server at `path`, which checks what it reads."""

    def __init__(self, http: TestClient, path: str) -> None:
        self._http = http
        self._path = path
        self._next_id = 0

    def who(self, **headers: str) -> str:
        """The text of the tool, by a modern request."""
        message = self._request("tools/call", {"name": "who", "arguments": {}})
        modern = {
            "mcp-protocol-version": versions.MODERN,
            "mcp-method": "tools/call",
            "mcp-name": "who",
        }
        answer, _ = self._post(message, {**modern, **headers}, versions.MODERN)
        text: str = answer["result"]["content"][0]["text"]
        return text

    def who_in_session(self) -> str:
        """The same within a session of a legacy client."""
        revision = versions.LATEST_LEGACY
        message = self._request("initialize", initialize_params(), revision=revision)
        _, headers = self._post(message, {}, revision)
        session = {"mcp-session-id": headers["mcp-session-id"]}
        self._post(notification("notifications/initialized"), session, revision)
        call = {"name": "who", "arguments": {}}
        message = self._request("tools/call", call, revision=revision)
        answer, _ = self._post(message, session, revision)
        assert self._http.delete(self._path, headers=session).status_code == 204
        text: str = answer["result"]["content"][0]["text"]
        return text

    def _request(self, method: str, params: Any, **more: Any) -> Any:
        self._next_id += 1
        return request(self._next_id, method, params, **more)

    def _post(self, message: Any, headers: Mapping[str, str], revision: str) -> tuple[Any, Any]:
        reader, data = Reader(revision), encoded(message)
        reader.sent(data)
        headers = {"accept": BOTH, "content-type": JSON, **headers}
        answer = self._http.post(self._path, content=data, headers=headers)
        if "id" not in message:
            assert (answer.status_code, answer.content) == (202, b"")
            return None, answer.headers
        assert answer.status_code == 200, answer.content
        return reader.read(answer.content), answer.headers


def path_at(prefix: str, path: str = "/mcp") -> str:
    return prefix.rstrip("/") + path


def http(outer: Any, backend: Literal["asyncio", "trio"] = "asyncio") -> TestClient:
    return TestClient(outer, base_url="http://127.0.0.1:8000", backend=backend)


@in_each
@at_each
def test_it_serves_both_eras_and_its_own_routes_below_where_it_is_mounted(
    make: Make, prefix: str, backend: Literal["asyncio", "trio"]
) -> None:
    log = Log()
    app = log.server.http_app()
    with http(make({prefix: app}, app.lifespan), backend) as outer:
        client = Client(outer, path_at(prefix))
        assert client.who() == "None, well"
        assert client.who_in_session() == "None, well"
        assert outer.get(path_at(prefix, "/health")).text == "start"
        assert outer.get(path_at(prefix, "/elsewhere")).status_code == 404
    assert log.notes == ["start", "end"]


@in_each
def test_a_path_that_is_all_of_the_mounted_app_is_served_too(make: Make) -> None:
    app = Log().server.http_app("/")
    with http(make({"/mcp": app}, app.lifespan)) as outer:
        assert Client(outer, "/mcp/").who() == "None, well"


@at_each
def test_the_routes_of_the_other_app_stay_as_they_are(prefix: str) -> None:
    app = Log().server.http_app()
    with http(fastapi({prefix: app}, app.lifespan)) as outer:
        assert outer.get("/items/5").json() == {"item": 5}
        assert outer.get("/items/x").status_code == 422
        assert Client(outer, path_at(prefix)).who() == "None, well"


@in_each
@at_each
def test_without_its_lifespan_it_serves_all_the_same_and_says_so_once(
    make: Make, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    log = Log()
    with (
        caplog.at_level(logging.WARNING, logger="typedargs"),
        http(make({prefix: log.server.http_app()})) as outer,
    ):
        client = Client(outer, path_at(prefix))
        assert client.who() == "None, well"
        assert client.who_in_session() == "None, well"
        assert log.notes == ["start"]
    assert [record.getMessage() for record in caplog.records] == [NO_LIFESPAN]


@in_each
def test_several_servers_run_within_a_lifespan_of_ones_own(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    logs = {"/one": Log("one"), "/two": Log("two")}
    apps = {prefix: log.server.http_app() for prefix, log in logs.items()}

    @contextlib.asynccontextmanager
    async def lifespan(outer: Any) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for app in apps.values():
                await stack.enter_async_context(app.lifespan(outer))
            yield

    with (
        caplog.at_level(logging.WARNING, logger="typedargs"),
        http(make(apps, lifespan)) as outer,
    ):
        for prefix, log in logs.items():
            assert Client(outer, path_at(prefix)).who() == "None, well"
            assert log.notes == ["start"]
    assert [log.notes for log in logs.values()] == [["start", "end"]] * 2
    assert caplog.records == []


class Believing(AuthenticationBackend):
    """Believes what a client says of itself."""

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser] | None:
        name = conn.headers.get("x-user")
        return None if name is None else (AuthCredentials(), SimpleUser(name))


@in_each
@at_each
def test_the_user_that_starlette_has_authenticated_is_the_principal(
    make: Make, prefix: str
) -> None:
    app = Log().server.http_app(principal=lambda scope: scope["user"].display_name or None)
    authenticated = [Middleware(AuthenticationMiddleware, backend=Believing())]
    with http(make({prefix: app}, app.lifespan, authenticated)) as outer:
        client = Client(outer, path_at(prefix))
        assert client.who(**{"x-user": "ada"}) == "ada, well"
        assert client.who() == "None, well"
