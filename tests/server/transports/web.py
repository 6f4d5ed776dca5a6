"""A client of an ASGI application in its process: each test says what is sent and what is read.

Every message that the server writes is read by `support.Reader`, and so checked.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

import anyio
import anyio.abc
import anyio.lowlevel

from tests.server.support import (
    PATIENCE_SECONDS,
    Message,
    Reader,
    encoded,
    initialize_params,
    notification,
    request,
)
from typedargs_server import MCPServer
from typedargs_server.eras import versions
from typedargs_server.runner import Runner
from typedargs_server.transports.http import HttpApp, HttpSettings, Route
from typedargs_server.transports.http import http_app as make_app

BOTH: Final = "application/json, text/event-stream"
EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"

NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def http_app(server: MCPServer, routes: Sequence[Route] = (), **settings: Any) -> HttpApp:
    """The ASGI application of `server`."""
    lifespan = server._lifespan
    make = None if lifespan is None else lambda: lifespan(server)
    return make_app(
        server._definition,
        lambda: Runner(server._definition, make, debug=server._debug),
        HttpSettings(**settings),
        routes,
    )


class Event(dict[str, str]):
    """The fields of one event; `message` is the JSON in its data."""

    message: Any = None


class Answer:
    """The response to one request, as far as it has come."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._news = anyio.Event()
        self._pending = b""
        self._events: list[Event] = []
        self._gone = anyio.Event()
        self.may_send = anyio.Event()
        self.may_send.set()
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.body = b""
        self.is_complete = False
        self.has_returned = False
        self.comments = 0

    async def receive(self) -> Message:
        """The `receive` of ASGI, after the body."""
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, event: Any) -> None:
        """The `send` of ASGI; it blocks where the client does not read."""
        await self.may_send.wait()
        await anyio.lowlevel.checkpoint()
        if event["type"] == "http.response.start":
            assert self.status is None
            self.status = event["status"]
            self.headers = {name.decode(): value.decode() for name, value in event["headers"]}
        else:
            assert self.status is not None
            assert not self.is_complete
            self.body += event.get("body", b"")
            self.is_complete = not event.get("more_body", False)
            self._parse(event.get("body", b""))
            if self.is_complete:
                self._gone.set()
        self._tell()

    def returned(self) -> None:
        """The application has returned."""
        self.has_returned = True
        self._tell()

    def disconnect(self) -> None:
        """The client leaves."""
        self._gone.set()

    @property
    def error(self) -> tuple[int | None, Any]:
        """The status and the message of a refusal, which has no id."""
        assert "id" not in self.json
        return self.status, self.json["error"]["message"]

    @property
    def json(self) -> Any:
        """The one message that the response is."""
        assert self.headers["content-type"] == JSON, self.headers
        assert self.headers["content-length"] == str(len(self.body))
        return self._reader.read(self.body)

    async def event(self) -> Event:
        """The next event of the stream."""
        await self._until(lambda: bool(self._events))
        return self._events.pop(0)

    async def message(self) -> Any:
        """The message of the next event that has one."""
        while (event := await self.event()).message is None:
            pass
        return event.message

    async def messages(self) -> list[Any]:
        """All messages of the stream until its end."""
        await self.ended()
        assert self.headers["content-type"] == EVENTS, self.body
        found = [event.message for event in self._events if event.message is not None]
        self._events.clear()
        return found

    async def started(self) -> None:
        """Wait until the response begins."""
        await self._until(lambda: self.status is not None)

    async def ended(self) -> None:
        """Wait until the application has returned."""
        await self._until(lambda: self.has_returned)

    async def commented(self, times: int = 1) -> None:
        """Wait until the stream has had so many comments."""
        await self._until(lambda: self.comments >= times)

    async def _until(self, condition: Callable[[], bool]) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while not condition():
                assert not self.has_returned, (self.status, self.headers, self.body)
                self._news = anyio.Event()
                await self._news.wait()

    def _tell(self) -> None:
        self._news.set()

    def _parse(self, chunk: bytes) -> None:
        if self.headers.get("content-type") != EVENTS:
            return
        *whole, self._pending = (self._pending + chunk).split(b"\n\n")
        for block in whole:
            event = Event()
            for line in block.decode().split("\n"):
                name, _, value = line.partition(":")
                if name:
                    assert name not in event
                    event[name] = value.removeprefix(" ")
                else:
                    self.comments += 1
            if event.get("data") and event.get("event", "message") == "message":
                event.message = self._reader.read(event["data"].encode())
            if event:
                self._events.append(event)


class Web:
    """A client of an ASGI application, with what `headers` it sends always."""

    def __init__(
        self,
        app: Any,
        tasks: anyio.abc.TaskGroup,
        revision: str = versions.MODERN,
        path: str = "/mcp",
        root_path: str = "",
    ) -> None:
        self._app = app
        self._tasks = tasks
        self._next_id = 0
        self.revision = revision
        self.path = path
        self.root_path = root_path
        self.reader = Reader(revision)
        self.headers: dict[str, str] = {"host": "127.0.0.1:8000", "accept": BOTH}

    def open(
        self,
        method: str,
        path: str | None = None,
        body: bytes | Sequence[bytes] = b"",
        *,
        reads: bool = True,
        duplicates: Sequence[tuple[str, str]] = (),
        **headers: str | None,
    ) -> Answer:
        """Send a request, and return its response, which is to come."""
        chunks = [body] if isinstance(body, bytes) else list(body)
        whole = b"".join(chunks)
        sent: dict[str, str | None] = {**self.headers}
        if method == "POST":
            sent |= {"content-type": JSON, "content-length": str(len(whole))}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        pairs = [(name, value) for name, value in sent.items() if value is not None]
        path, _, query = (self.path if path is None else path).partition("?")
        answer = Answer(self.reader)
        if not reads:
            answer.may_send = anyio.Event()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": self.root_path,
            "headers": [(n.encode(), v.encode("latin-1")) for n, v in (*pairs, *duplicates)],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }

        async def receive() -> Message:
            if chunks:
                chunk = chunks.pop(0)
                return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}
            return await answer.receive()

        async def run() -> None:
            try:
                await self._app(scope, receive, answer.send)
            finally:
                answer.returned()

        self._tasks.start_soon(run)
        return answer

    async def send(self, method: str, path: str | None = None, **more: Any) -> Answer:
        """The whole response to a request."""
        answer = self.open(method, path, **more)
        await answer.ended()
        return answer

    def request(self, method: str, params: Mapping[str, Any] | None = None, **meta: Any) -> Message:
        """A request of this client with a new id."""
        self._next_id += 1
        return request(self._next_id, method, params, revision=self.revision, **meta)

    def post(self, message: object, **more: Any) -> Answer:
        """Send a message by POST, with the headers that belong to it."""
        data = encoded(message)
        self.reader.sent(data)
        headers: dict[str, Any] = {}
        if self.revision == versions.MODERN and isinstance(message, dict) and "method" in message:
            headers["mcp-protocol-version"] = versions.MODERN
            headers["mcp-method"] = message["method"]
            key = NAMED.get(message["method"])
            if key is not None:
                headers["mcp-name"] = message["params"].get(key)
        return self.open("POST", body=data, **{**headers, **more})

    async def answer(self, message: object, **more: Any) -> Any:
        """The message that a POST is answered with, as JSON and at once."""
        answer = self.post(message, **more)
        await answer.ended()
        return answer.json

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The result of a method."""
        return (await self.answer(self.request(method, params)))["result"]

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Answer:
        """Call a tool."""
        params = {"name": tool, "arguments": dict(arguments or {})}
        return self.post(self.request("tools/call", params), **more)

    async def initialize(self, **capabilities: Any) -> Answer:
        """Open a session."""
        params = {**initialize_params(self.revision), "capabilities": capabilities}
        opened = self.post(self.request("initialize", params))
        await opened.ended()
        assert "result" in opened.json
        if "mcp-session-id" in opened.headers:
            self.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = self.revision
        told = self.post(notification("notifications/initialized"))
        await told.ended()
        assert (told.status, told.body) == (202, b"")
        return opened


@contextlib.asynccontextmanager
async def serving(
    server: MCPServer, revision: str = versions.MODERN, **settings: Any
) -> AsyncIterator[Web]:
    """A client of `revision` before the application of `server`, which has its lifespan."""
    app = http_app(server, **settings)
    async with app.lifespan(), anyio.create_task_group() as tasks:
        web = Web(app, tasks, revision)
        if revision != versions.MODERN:
            await web.initialize()
        yield web
        tasks.cancel_scope.cancel()


def events_in(body: bytes) -> list[Any]:
    """The messages in the body of a stream of events."""
    return [
        json.loads(line.removeprefix(b"data: "))
        for line in body.split(b"\n")
        if line.startswith(b"data: ")
    ]
