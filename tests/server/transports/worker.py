"""A server over HTTP for tests of it as several processes, as `uvicorn ...worker:app` runs it.

Its environment says what seals its states, and for how long: SHOP_KEY, SHOP_TTL; and which pages
may read its answers: SHOP_CORS. What happens in it is noted in the file SHOP_NOTES, by all
processes in the same. Each response tells its process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from typedargs import MCPArgs, String
from typedargs_server import Accepted, MCPServer, RequestContext, RequestStates
from typedargs_server.transports.http import HttpSettings

key = os.environ.get("SHOP_KEY")
ttl = float(os.environ.get("SHOP_TTL", "60"))
states = RequestStates(keys=[] if key is None else [key], ttl_seconds=ttl)
server = MCPServer("shop", version="1.0", states=states)


class Answer(MCPArgs):
    value = String()


def note(what: str) -> int:
    """Note what happens here, in a line of its own."""
    with open(os.environ["SHOP_NOTES"], "a") as notes:
        notes.write(f"{what} {os.getpid()}\n")
    return os.getpid()


async def ask(ctx: RequestContext, message: str) -> str:
    match await ctx.elicit(message, Answer):
        case Accepted(answer):
            return answer.value
    return "nothing"


@server.tool("sell", input={"type": "object"})
@server.tool("buy", input={"type": "object"})
async def buy(_args: Any, ctx: RequestContext) -> str:
    note("run")
    what = await ask(ctx, "What?")
    how = await ask(ctx, "How?")
    charged_by = await ctx.once("charge", lambda: note("charge"))
    sure = await ask(ctx, "Sure?")
    return f"{what}, {how}, {sure}; charged by {charged_by}"


def user_of(scope: Mapping[str, Any]) -> str | None:
    """The user, as a proxy that authenticates would tell it."""
    user: bytes | None = dict(scope["headers"]).get(b"x-user")
    return None if user is None else user.decode()


class Told:
    """An application whose responses tell the process that they come from."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def tell(event: Any) -> None:
            if event["type"] == "http.response.start":
                event["headers"] = [*event["headers"], (b"x-worker", b"%d" % os.getpid())]
            await send(event)

        await self._app(scope, receive, tell)


settings = HttpSettings(cors_origins=os.environ.get("SHOP_CORS", "").split())
app = Told(server.http_app(settings=settings, principal=user_of))
