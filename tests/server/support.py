"""What the server's tests share: messages of each era, and clients that check what they read.

Whatever a server writes in these tests is read by `Reader.read`, and so checked by `wire.check`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

import anyio
import attrs

from tests.server import wire
from typedargs_server import MCPServer, ToolResult, WireError
from typedargs_server.effects import Call, Cancel, Effect, Run, Send
from typedargs_server.eras import meta, versions
from typedargs_server.peer import Peer
from typedargs_server.protocol import Connection
from typedargs_server.runner import Runner

BOTH_ERAS: Final = (versions.MODERN, versions.LATEST_LEGACY)

PATIENCE_SECONDS: Final = 20
"""After which a test that waits for a message that never comes fails."""

MODERN_META: Final[Mapping[str, Any]] = {
    meta.PROTOCOL_VERSION: versions.MODERN,
    meta.CLIENT_INFO: {"name": "tester", "version": "1"},
    meta.CLIENT_CAPABILITIES: {},
}

RequestId = str | int
Message = dict[str, Any]


def initialize_params(revision: str = versions.LATEST_LEGACY) -> Message:
    """The parameters of `initialize`."""
    return {
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    }


def request(
    request_id: Any,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    revision: str = versions.MODERN,
    **request_meta: Any,
) -> Message:
    """A request as a client of `revision` sends it; `request_meta` goes into its `_meta`."""
    given = dict(params or {})
    members = {**(MODERN_META if revision == versions.MODERN else {}), **request_meta}
    if members:
        given["_meta"] = {**members, **given.get("_meta", {})}
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return {**message, "params": given} if given else message


def notification(method: str, params: Mapping[str, Any] | None = None) -> Message:
    """A notification."""
    message = {"jsonrpc": "2.0", "method": method}
    return message if params is None else {**message, "params": dict(params)}


def encoded(message: object) -> bytes:
    """A message as bytes; bytes stay as they are."""
    return message if isinstance(message, bytes) else json.dumps(message).encode()


class Reader:
    """Remembers what a client asks, and reads the answers, each checked."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self._asked: dict[RequestId, tuple[str, str]] = {}
        self._answered: set[RequestId] = set()

    def sent(self, data: bytes) -> None:
        """Take note of the requests in `data`, which is about to be sent."""
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(data, parse_int=float if len(data) > 4000 else int)
            for message in value if isinstance(value, list) else [value]:
                self._note(message)

    def read(self, data: bytes) -> Any:
        """The message in `data`, which the server wrote. Fails where it is not valid."""
        value = json.loads(data)
        if isinstance(value, list):
            wire.check(data, self.revision, None)
            for member in value:
                self._read(member, json.dumps(member).encode())
        else:
            self._read(value, data)
        return value

    def _note(self, message: Any) -> None:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return
        params = message.get("params")
        request_meta = params.get("_meta") if isinstance(params, dict) else None
        is_modern = isinstance(request_meta, dict) and meta.PROTOCOL_VERSION in request_meta
        if isinstance(message.get("id"), RequestId | float):
            legacy = self.revision if self.revision in versions.LEGACY else versions.LATEST_LEGACY
            revision = versions.MODERN if is_modern else legacy
            asked = message["id"]
            if asked not in self._asked or asked in self._answered:
                self._asked[asked] = message["method"], revision
                self._answered.discard(asked)

    def _read(self, value: Message, data: bytes) -> None:
        if "id" not in value or "method" in value:
            wire.check(data, self.revision, None)
            return
        method, revision = self._asked.get(value["id"], (None, self.revision))
        self._answered.add(value["id"])
        wire.check(data, self.revision if "error" in value else revision, method)
        if method == "initialize" and "result" in value:
            self.revision = value["result"]["protocolVersion"]


@attrs.frozen
class Effects:
    """What the protocol core wants done, by kind."""

    sent: list[Any]
    calls: list[Call]
    cancelled: list[Cancel]


class Core:
    """The protocol core of a server, and a client of `revision` before it; nothing runs.

    A legacy client has shaken hands, unless told otherwise.
    """

    def __init__(
        self, server: MCPServer, revision: str = versions.MODERN, *, handshake: bool = True
    ) -> None:
        self.connection = Connection(server._definition)
        self.reader = Reader(revision)
        self._next_id = 1000
        if revision != versions.MODERN and handshake:
            self.ask("initialize", initialize_params(revision))
            self.receive(notification("notifications/initialized"))

    def receive(self, message: object) -> Effects:
        """Give a message, or bytes, to the core."""
        data = encoded(message)
        self.reader.sent(data)
        return self.effects(self.connection.receive(data))

    def finish(self, call: Call, outcome: ToolResult | WireError) -> Effects:
        """End a call."""
        return self.effects(self.connection.finish(call, outcome))

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> Message:
        """A request of this client with a new id."""
        self._next_id += 1
        return request(self._next_id, method, params, revision=self.reader.revision)

    def answer(self, message: object) -> Any:
        """Give a message that is answered at once, with one message: the answer."""
        effects = self.receive(message)
        assert (effects.calls, effects.cancelled) == ([], [])
        (answer,) = effects.sent
        return answer

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The result of a method that is answered at once."""
        return self.answer(self.request(method, params))["result"]

    def error(self, method: str, params: Mapping[str, Any] | None = None) -> Message:
        """The error that a method is answered with at once."""
        error: Message = self.answer(self.request(method, params))["error"]
        return error

    def start(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Call:
        """A call that is to run."""
        effects = self.receive(
            self.request("tools/call", {"name": tool, "arguments": dict(arguments or {})})
        )
        assert (effects.sent, effects.cancelled) == ([], [])
        (call,) = effects.calls
        return call

    def effects(self, effects: list[Effect]) -> Effects:
        """The effects by kind, with what is sent read."""
        return Effects(
            [self.reader.read(effect.data) for effect in effects if isinstance(effect, Send)],
            [effect.call for effect in effects if isinstance(effect, Run)],
            [effect for effect in effects if isinstance(effect, Cancel)],
        )


class Client:
    """A client of a running server, in its process: messages in, messages out, no transport."""

    def __init__(self, server: MCPServer, runner: Runner, revision: str) -> None:
        self._runner = runner
        self._peer = Peer(Connection(server._definition), self._receive)
        self._reader = Reader(revision)
        self._arrived = anyio.Event()
        self._next_id = 0
        self.received: list[Any] = []
        """Everything that the server has written, in order."""
        self.invalid: list[AssertionError] = []
        """What was wrong with it."""
        runner.add(self._peer)

    async def handshake(self) -> None:
        """Open a session, in the legacy era; nothing in the modern one."""
        if self._reader.revision != versions.MODERN:
            await self.ask("initialize", initialize_params(self._reader.revision))
            self.send(notification("notifications/initialized"))

    def send(self, message: object) -> None:
        """Send a message, or bytes."""
        data = encoded(message)
        self._reader.sent(data)
        self._runner.perform(self._peer, self._peer.connection.receive(data))

    def start(
        self, tool: str, arguments: Mapping[str, Any] | None = None, **request_meta: Any
    ) -> RequestId:
        """Call a tool, and return the id of the request."""
        params = {"name": tool, "arguments": dict(arguments or {})}
        return self._request("tools/call", params, **request_meta)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> None:
        """Cancel a request."""
        params = {"requestId": request_id, **({"reason": reason} if reason else {})}
        self.send(notification("notifications/cancelled", params))

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """The result of a method."""
        return (await self.answer(self._request(method, params)))["result"]

    async def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None, **request_meta: Any
    ) -> Any:
        """The result of a tool call."""
        return (await self.answer(self.start(tool, arguments, **request_meta)))["result"]

    async def text(self, tool: str, arguments: Mapping[str, Any] | None = None) -> str:
        """The one text that a tool call gives."""
        (block,) = (await self.call(tool, arguments))["content"]
        text: str = block["text"]
        return text

    async def answer(self, request_id: RequestId) -> Message:
        """The answer to a request."""
        return await self._first(
            lambda m: m.get("id") == request_id and type(m["id"]) is type(request_id)
        )

    async def notified(self, method: str) -> Message:
        """The first notification of `method`."""
        return await self._first(lambda m: m.get("method") == method)

    def check(self) -> None:
        """Fail where the server has written what is not valid."""
        if self.invalid:
            raise self.invalid[0]

    def notifications(self, method: str) -> list[Message]:
        """The parameters of the notifications of `method` up to now."""
        return [m["params"] for m in self.received if m.get("method") == method]

    def _request(
        self, method: str, params: Mapping[str, Any] | None, **request_meta: Any
    ) -> RequestId:
        self._next_id += 1
        revision = self._reader.revision
        self.send(request(self._next_id, method, params, revision=revision, **request_meta))
        return self._next_id

    def _receive(self, message: Send) -> None:
        try:
            self.received.append(self._reader.read(message.data))
        except AssertionError as error:  # raised here, it would be a failure of the handler
            self.invalid.append(error)
        self._arrived.set()

    async def _first(self, wanted: Any) -> Message:
        with anyio.fail_after(PATIENCE_SECONDS):
            while True:
                self.check()
                for message in self.received:
                    if isinstance(message, dict) and wanted(message):
                        found: Message = message
                        return found
                self._arrived = anyio.Event()
                await self._arrived.wait()


@contextlib.asynccontextmanager
async def running(server: MCPServer) -> AsyncIterator[Runner]:
    """Run the calls of `server`."""
    async with server._runner() as runner:
        yield runner


@contextlib.asynccontextmanager
async def connected(server: MCPServer, revision: str = versions.MODERN) -> AsyncIterator[Client]:
    """Run the calls of `server` for one client."""
    async with running(server) as runner:
        client = Client(server, runner, revision)
        await client.handshake()
        yield client
        client.check()


def texts(result: Mapping[str, Any]) -> list[str]:
    """The texts of a tool call's result."""
    return [block["text"] for block in result["content"]]
