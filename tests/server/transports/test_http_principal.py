"""Who sends a request, as the authentication before the app has found out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio
import pytest

from tests.server.running import OBJECT
from tests.server.support import initialize_params, notification, request, texts
from tests.server.transports.web import Web
from typedargs import MCPArgs, String
from typedargs_server import Accepted, MCPServer, RequestContext
from typedargs_server.eras import meta, versions
from typedargs_server.transports.http import HttpSettings

pytestmark = pytest.mark.anyio

ENDED = "Session not found: it has ended, or never was; initialize a new one"
NO_STREAM = "Session not found: its stream is closed; open a new one"
OLDEST = versions.LEGACY[-1]


class Name(MCPArgs):
    value = String()


def user_of(scope: Mapping[str, Any]) -> str | None:
    user: str | None = scope.get("user")
    return user


def server() -> MCPServer:
    made = MCPServer("s")

    @made.tool("who", input=OBJECT)
    async def who(_args: Any, ctx: RequestContext) -> str:
        return f"{ctx.principal}"

    @made.tool("ask", input=OBJECT)
    async def ask(_args: Any, ctx: RequestContext) -> str:
        match await ctx.elicit("Which?", Name):
            case Accepted(name):
                return f"{name.value} of {ctx.principal}"
        return "none"

    return made


class Authenticated:
    """An application behind an authentication that believes what the client says of itself."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        user = dict(scope["headers"]).get(b"x-user")
        await self._app({**scope, "user": user and user.decode()}, receive, send)


@contextlib.asynccontextmanager
async def serving(principal: Any = user_of, **settings: Any) -> AsyncIterator[Any]:
    """Gives what returns a client, by the name of its user and its revision."""
    app = server().http_app(settings=HttpSettings(**settings), principal=principal)
    async with app.lifespan(), anyio.create_task_group() as tasks:

        def web(user: str | None, revision: str = versions.MODERN) -> Web:
            made = Web(Authenticated(app), tasks, revision)
            if user is not None:
                made.headers["x-user"] = user
            return made

        yield web
        tasks.cancel_scope.cancel()


async def who(web: Web) -> str:
    (text,) = texts(await web.ask("tools/call", {"name": "who", "arguments": {}}))
    return text


@pytest.mark.parametrize("user", ["ada", None])
async def test_a_handler_sees_who_sends_a_modern_request(user: str | None) -> None:
    async with serving() as web:
        assert await who(web(user)) == str(user)


async def test_without_being_told_how_to_know_nobody_is_the_principal() -> None:
    async with serving(None) as web:
        assert await who(web("ada")) == "None"


@pytest.mark.parametrize("stateless", [False, True])
async def test_a_handler_sees_who_sends_a_request_in_a_session_or_without_one(
    stateless: bool,
) -> None:
    async with serving(stateless=stateless) as web:
        ada = web("ada", versions.LATEST_LEGACY)
        await ada.initialize()
        assert await who(ada) == "ada"


@pytest.mark.parametrize("other", ["eve", None])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_a_session_is_to_others_as_if_it_were_not_there(
    method: str, other: str | None
) -> None:
    async with serving() as web:
        ada, eve = (web(user, versions.LATEST_LEGACY) for user in ("ada", other))
        await ada.initialize()
        eve.headers["mcp-session-id"] = ada.headers["mcp-session-id"]
        if method == "POST":
            answer = eve.post(eve.request("tools/list"))
            await answer.ended()
        else:
            answer = await eve.send(method)
        assert answer.error == (404, ENDED)
        assert await who(ada) == "ada"


async def test_a_session_that_nobody_in_particular_opened_is_not_a_users() -> None:
    async with serving() as web:
        anyone, ada = (web(user, versions.LATEST_LEGACY) for user in (None, "ada"))
        await anyone.initialize()
        ada.headers["mcp-session-id"] = anyone.headers["mcp-session-id"]
        answer = ada.post(ada.request("tools/list"))
        await answer.ended()
        assert answer.error == (404, ENDED)


async def test_another_user_who_initializes_with_that_session_gets_one_of_their_own() -> None:
    async with serving() as web:
        ada, eve = (web(user, versions.LATEST_LEGACY) for user in ("ada", "eve"))
        await ada.initialize()
        session_id = eve.headers["mcp-session-id"] = ada.headers["mcp-session-id"]
        await eve.initialize()
        assert eve.headers["mcp-session-id"] != session_id
        assert (await who(eve), await who(ada)) == ("eve", "ada")


async def test_a_pair_is_bound_to_who_opened_its_stream() -> None:
    async with serving(sse=True) as web:
        ada, eve = (web(user, OLDEST) for user in ("ada", "eve"))
        stream = ada.open("GET", "/sse")
        path = (await stream.event())["data"]
        for message in (
            request(0, "initialize", initialize_params(OLDEST), revision=OLDEST),
            notification("notifications/initialized"),
            ada.request("tools/call", {"name": "who", "arguments": {}}),
        ):
            refused = eve.post(message, path=path)
            await refused.ended()
            assert refused.error == (404, NO_STREAM)
            taken = ada.post(message, path=path)
            await taken.ended()
            assert taken.status == 202
        assert "serverInfo" in (await stream.message())["result"]
        assert texts((await stream.message())["result"]) == ["ada"]


async def test_the_state_of_a_call_is_refused_where_another_user_brings_it() -> None:
    asks: dict[str, Any] = {meta.CLIENT_CAPABILITIES: {"elicitation": {}}}
    async with serving() as web:
        ada, eve = web("ada"), web("eve")

        async def ask(user: Web, **more: Any) -> Any:
            params = {"name": "ask", "arguments": {}, **more}
            answer = user.post(user.request("tools/call", params, **asks))
            await answer.ended()
            return answer.status, answer.json

        _, first = await ask(ada)
        (key,) = first["result"]["inputRequests"]
        retry = {
            "requestState": first["result"]["requestState"],
            "inputResponses": {key: {"action": "accept", "content": {"value": "tea"}}},
        }
        status, refused = await ask(eve, **retry)
        assert (status, refused["error"]["code"]) == (200, -32602)
        status, answer = await ask(ada, **retry)
        assert (status, texts(answer["result"])) == (200, ["tea of ada"])


async def test_what_is_no_name_of_a_principal_is_a_mistake_of_the_program() -> None:
    async def use() -> None:
        async with serving(lambda _: 5) as web:
            web("ada").call("who")
            await anyio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as caught:
        await use()
    assert caught.group_contains(
        TypeError, match="http_app: what principal returns must be a str or None, got 5"
    )


def test_what_cannot_tell_a_principal_is_refused() -> None:
    with pytest.raises(TypeError, match="http_app: principal must be a Callable or None, got 'me'"):
        server().http_app(principal="me")  # type: ignore[arg-type]
