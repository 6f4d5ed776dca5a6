"""The transport of the oldest clients: a stream of events, and a path that takes messages."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from tests.server.calculator import calculator
from tests.server.running import Gate, gated
from tests.server.support import initialize_params, notification, texts
from tests.server.transports.test_http import register_one
from tests.server.transports.web import Answer, Web, serving
from typedargs_server import Limits, MCPServer
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio

OLDEST = versions.LEGACY[-1]


class Pair:
    """A client of the oldest revision."""

    def __init__(self, web: Web, stream: Answer, path: str) -> None:
        self.web = web
        self.stream = stream
        self.path = path

    async def send(self, message: object) -> None:
        """Send a message, which is accepted."""
        answer = self.web.post(message, path=self.path)
        await answer.ended()
        assert (answer.status, answer.body) == (202, b"")

    async def ask(self, method: str, params: Any = None) -> Any:
        """The result of a method, which comes on the stream."""
        await self.send(self.web.request(method, params))
        return (await self.stream.message())["result"]


@contextlib.asynccontextmanager
async def pair(server: MCPServer, **settings: Any) -> AsyncIterator[Pair]:
    """A client that has its stream, and has shaken hands."""
    async with serving(server, sse=True, **settings) as web:
        web.revision = web.reader.revision = OLDEST
        yield await opened(web)


async def opened(web: Web) -> Pair:
    stream = web.open("GET", f"{web.root_path}/sse")
    event = await stream.event()
    assert event["event"] == "endpoint"
    client = Pair(web, stream, event["data"])
    await client.ask("initialize", initialize_params(OLDEST))
    await client.send(notification("notifications/initialized"))
    return client


async def test_the_stream_names_the_path_for_messages_and_brings_the_answers() -> None:
    async with pair(calculator()) as client:
        assert client.path.startswith("/messages?session_id=")
        assert "tools" in await client.ask("tools/list")
        await client.send(client.web.request("ping"))
        answer = await client.stream.event()
        assert (answer["event"], answer.message["result"]) == ("message", {})


async def test_the_path_is_where_the_app_is_mounted() -> None:
    async with serving(calculator(), sse=True, messages_path="/post here") as web:
        web.revision = web.reader.revision = OLDEST
        web.root_path = "/tools"
        stream = web.open("GET", "/tools/sse")
        event = await stream.event()
        assert event["data"].startswith("/tools/post%20here?session_id=")


async def test_changes_come_on_the_stream() -> None:
    server = calculator()
    async with pair(server) as client:
        register_one(server, "new")
        changed = await client.stream.message()
        assert changed["method"] == "notifications/tools/list_changed"


async def test_several_calls_run_at_once() -> None:
    gate = Gate()
    async with pair(gated(gate)) as client:
        call = {"name": "gate", "arguments": {}}
        for _ in range(2):
            await client.send(client.web.request("tools/call", call))
        gate.may_go_on.set()
        for _ in range(2):
            assert texts((await client.stream.message())["result"]) == ["done"]


async def test_leaving_ends_all() -> None:
    gate = Gate()
    async with pair(gated(gate)) as client:
        await client.send(client.web.request("tools/call", {"name": "gate", "arguments": {}}))
        await gate.entered.wait()
        client.stream.disconnect()
        await gate.left.wait()
        await client.stream.ended()
        answer = client.web.post(client.web.request("ping"), path=client.path)
        await answer.ended()
        assert answer.status == 404


async def test_a_message_for_no_stream_is_refused() -> None:
    async with pair(calculator()) as client:
        for path, status in (("/messages?session_id=unknown", 404), ("/messages", 400)):
            answer = client.web.post(client.web.request("ping"), path=path)
            await answer.ended()
            assert answer.status == status


async def test_what_is_no_message_is_refused() -> None:
    async with pair(calculator()) as client:
        answer = client.web.post(b"{", path=client.path)
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, -32700)


async def test_one_stream_too_many_is_refused() -> None:
    async with pair(calculator(), max_sessions=1) as client:
        answer = await client.web.send("GET", "/sse")
        assert answer.error == (503, "Service Unavailable: at most 1 streams")


async def test_a_client_that_does_not_read_is_cut_off() -> None:
    async with serving(calculator(limits=Limits(max_waiting_bytes=100)), sse=True) as web:
        web.revision = web.reader.revision = OLDEST
        client = await opened(web)
        client.stream.may_send = anyio.Event()
        for _ in range(10):
            answer = web.post(web.request("ping"), path=client.path)
            await answer.ended()
        await client.stream.ended()
        assert answer.status == 404


async def test_the_stream_ends_with_the_server() -> None:
    async with pair(calculator()) as client:
        await client.web._app.end()
        assert await client.stream.messages() == []
        assert client.stream.is_complete
