"""Subscriptions: streams of `subscriptions/listen` on one server, and one change for all of them.

On stdio they are on the one connection, by HTTP each is a response of its own.
"""

import functools
import re
import selectors
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Self

from ..wire import Era, WrongAnswer
from .curve import Curve, Point
from .load import Load
from .messages import Asked, Requests, check, notified
from .process import Http, Stdio, medians, traced

_SERVER: Final = "growth_load.py"
_URI: Final = "growth://resource"
_FILTER: Final = {"notifications": {"resourceSubscriptions": [_URI]}}
_CHANGED: Final = {"uri": _URI}
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
_UPDATED: Final = "notifications/resources/updated"
_ID: Final = "io.modelcontextprotocol/subscriptionId"
_CHUNK: Final = 1 << 16
_PATIENCE: Final = 60.0
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": Era.MODERN.value,
}
_EVENT: Final = re.compile(rb"^data: (\{.*\})\r?\n", re.MULTILINE)


def streams(load: Load) -> list[Curve]:
    """Measure the telling of a change, on stdio and by HTTP."""
    return [
        Curve("Subscriptions notified of a change, on stdio", "stream", _on_stdio(load)),
        Curve("Subscriptions notified of a change, by HTTP", "stream", _by_http(load)),
    ]


def _on_stdio(load: Load) -> list[Point]:
    with Stdio(_SERVER, "--traced") as tracing:
        held = [_held(tracing, size) for size in load.streams]
    with ExitStack() as stack:
        measures = {}
        for size in load.streams:
            server = stack.enter_context(Stdio(_SERVER))
            measures[size] = functools.partial(_change, server, _listen(server, size))
        times = medians(measures, load.rounds)
    return [Point(size, times[size], memory) for size, memory in zip(times, held, strict=True)]


def _held(server: Stdio, size: int) -> int:
    """Return the bytes that so many more streams on stdio take."""
    _listen(server, 1)
    traced(server)
    before, _ = traced(server)
    _listen(server, size)
    return traced(server)[0] - before


def _listen(server: Stdio, size: int) -> list[Asked]:
    asked = [server.requests.make("subscriptions/listen", _FILTER) for _ in range(size)]
    lines = server.exchange(b"".join(each.line for each in asked), size)
    _check(asked, lines, _ACKNOWLEDGED, _FILTER)
    return asked


def _change(server: Stdio, opened: Sequence[Asked]) -> float:
    """Have the resource change, and return the seconds until all streams were told."""
    asked = server.requests.call("change", {})
    began = time.perf_counter()
    lines = server.exchange(asked.line, 1 + len(opened))
    took = time.perf_counter() - began
    told = [line for line in lines if b'"result"' not in line]
    check([asked], [line for line in lines if b'"result"' in line])
    _check(opened, told, _UPDATED, _CHANGED)
    return took


def _check(
    opened: Sequence[Asked], lines: Sequence[bytes], method: str, expected: Mapping[str, Any]
) -> None:
    """Raise WrongAnswer unless each stream got the notification, with what is expected."""
    told = [notified(line, method) for line in lines]
    if sorted(each["_meta"][_ID] for each in told) != [each.id for each in opened]:
        raise WrongAnswer(f"{len(told)} notifications for {len(opened)} streams")
    for each in told:
        if any(each.get(name) != value for name, value in expected.items()):
            raise WrongAnswer(f"not the right notification: {each}")


def _by_http(load: Load) -> list[Point]:
    held, measures = {}, {}
    with ExitStack() as stack:
        for size in load.streams:
            server = stack.enter_context(Http(_SERVER, "--http"))
            client = stack.enter_context(_HttpClient(server))
            with client.streams(1):
                client.change()
            before = server.resident()
            stack.enter_context(client.streams(size))
            client.change()
            held[size] = server.resident() - before
            measures[size] = client.change
        times = medians(measures, load.rounds)
    return [Point(size, times[size], held[size]) for size in load.streams]


class _HttpClient:
    """A client with many streams, each on a socket of its own; a context manager."""

    def __init__(self, server: Http) -> None:
        self._port = server.port()
        self._calling = server.connect()
        self._requests = Requests(Era.MODERN)
        self._selector = selectors.DefaultSelector()
        self._opened: list[Asked] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._calling.close()
        self._selector.close()

    @contextmanager
    def streams(self, size: int) -> Iterator[None]:
        """Hold so many streams open."""
        self._opened = [self._requests.make("subscriptions/listen", _FILTER) for _ in range(size)]
        with ExitStack() as stack:
            for asked in self._opened:
                stream = stack.enter_context(self._stream(asked))
                self._selector.register(stream, selectors.EVENT_READ, bytearray())
                stack.callback(self._selector.unregister, stream)
                _check([asked], self._events(1), _ACKNOWLEDGED, _FILTER)
            yield

    def change(self) -> float:
        """Have the resource change, and return the seconds until all streams were told."""
        asked = self._requests.call("change", {})
        headers = {**_HEADERS, "Mcp-Method": "tools/call", "Mcp-Name": "change"}
        began = time.perf_counter()
        self._calling.request("POST", "/mcp", asked.line, headers)
        events = self._events(len(self._opened))
        took = time.perf_counter() - began
        check([asked], [self._calling.getresponse().read()])
        _check(self._opened, events, _UPDATED, _CHANGED)
        return took

    def _stream(self, asked: Asked) -> socket.socket:
        """Send a request on a connection of its own, and return this."""
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=_PATIENCE)
        headers = {
            **_HEADERS,
            "Host": f"127.0.0.1:{self._port}",
            "Content-Length": str(len(asked.line)),
            "Mcp-Method": "subscriptions/listen",
        }
        head = "".join(f"{title}: {value}\r\n" for title, value in headers.items())
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + asked.line)
        return connection

    def _events(self, count: int) -> list[bytes]:
        """Return the data of the next so many events, of whichever streams."""
        found: list[bytes] = []
        while len(found) < count:
            ready = self._selector.select(_PATIENCE)
            if not ready:
                raise WrongAnswer(f"{count - len(found)} streams were not told")
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                read = key.fileobj.recv(_CHUNK)
                if not read:
                    raise EOFError("a stream ended")
                found += _taken(key.data, read)
        return found


def _taken(pending: bytearray, read: bytes) -> list[bytes]:
    """Return the data of the events that are complete, and keep the rest in `pending`."""
    pending += read
    events = list(_EVENT.finditer(pending))
    found = [bytes(event[1]) for event in events]
    if events:
        end = events[-1].end()
        del events
        del pending[:end]
    return found
