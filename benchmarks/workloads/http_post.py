"""A call of a tool as one POST of revision 2026-07-28, through the ASGI application."""

import asyncio
from collections.abc import MutableMapping
from typing import Any, Final

from ..http import CALL, HEADERS
from ..servers.http_typedargs import app
from ..wire import check
from .repeating import settle

_BODY: Final = CALL.line.rstrip()
_HEADERS: Final = [
    (b"host", b"127.0.0.1:8000"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
    (b"content-length", str(len(_BODY)).encode()),
]


def post(count: int) -> None:
    """Send the POST and get its response."""
    asyncio.run(_post(count))


async def _post(count: int) -> None:
    async with app.lifespan():
        start, body = await _exchange()
        assert start["status"] == 200, body
        check([CALL], [body["body"]])
        settle()
        for _ in range(count):
            await _exchange()


async def _exchange() -> list[MutableMapping[str, Any]]:
    """Do what an ASGI server does for one request; returns the events of the response."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "root_path": "",
        "headers": list(_HEADERS),
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": _BODY, "more_body": False}

    async def send(event: MutableMapping[str, Any]) -> None:
        sent.append(event)

    await app(scope, receive, send)
    return sent
