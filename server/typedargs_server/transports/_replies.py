"""One HTTP response that messages make up: a JSON object, or a stream of events.

JSON, where the answer is the first thing to send; events, as soon as something comes before it,
or nothing comes for long, or where the client takes nothing else.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Final

import anyio
import anyio.lowlevel

from ..effects import Data, Send, size, whole
from . import _sse
from ._asgi import Event, Headers, Sending
from ._refusals import Refused
from ._requests import HttpRequest

logger = logging.getLogger("typedargs")

_JSON: Final = (b"content-type", b"application/json")
_EVENTS: Final = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


def json_response(
    status: int, body: Data, headers: Sequence[tuple[bytes, bytes]] = ()
) -> list[Event]:
    """Return the events that send a whole response of one JSON object."""
    length = (b"content-length", b"%d" % size(body))
    start = {"type": "http.response.start", "status": status, "headers": [_JSON, length, *headers]}
    if isinstance(body, bytes):
        return [start, {"type": "http.response.body", "body": body}]
    *parts, last = body
    return [
        start,
        *({"type": "http.response.body", "body": part, "more_body": True} for part in parts),
        {"type": "http.response.body", "body": last},
    ]


async def send_json(
    send: Sending, status: int, body: Data, headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Send a whole response of one JSON object."""
    for event in json_response(status, body, headers):
        await send(event)


async def send_empty(
    send: Sending, status: int, headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Send a whole response without a body."""
    length: Headers = [] if status == 204 else [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": [*length, *headers]})
    await send({"type": "http.response.body", "body": b""})


async def send_refusal(send: Sending, refused: Refused) -> None:
    """Send what a refused request is answered with."""
    await send_json(send, refused.status, refused.body, refused.headers)


def is_json(message: Send, request: HttpRequest) -> bool:
    """Tell whether `message`, the first one to send, is sent as JSON: an answer, or an error."""
    return message.is_last and (request.accepted.json or message.status >= 400)


class Outbox:
    """The messages of one HTTP response that are not sent yet, in order.

    At most `max_bytes` wait, and one message more: the response of a client that reads more slowly
    than that is cut off. With `only_last` it takes none but the last, for a client that reads only
    JSON.
    """

    waiting = 0
    """Bytes that are not sent yet."""
    is_over = False
    """Whether nothing more is to come."""
    refusal: Refused | None = None
    """How the request is answered where it ends without any message."""
    retry_seconds: float | None = None
    """When the client is to connect again, where the response ends in the midst."""
    cut_off: Callable[[], None] | None = None
    """Ends the response of a client that does not read it."""
    _arrival: anyio.Event | None = None

    def __init__(self, max_bytes: int, *, only_last: bool = False) -> None:
        self._max_bytes = max_bytes
        self._only_last = only_last
        self.items: list[tuple[Send, str | None]] = []
        """Each message that is not yet being sent, with the id of its event."""

    def put(self, message: Send, event_id: str | None = None) -> None:
        """Take a message; after the last one there are no more."""
        if self.is_over or (self._only_last and not message.is_last):
            return
        if self.waiting > self._max_bytes:
            logger.info("cut off a client that has %d bytes to read and does not", self.waiting)
            self.is_over = True
            if self.cut_off is not None:
                self.cut_off()
            return
        self.items.append((message, event_id))
        self.waiting += size(message.data)
        self.is_over = message.is_last
        self._arrive()

    def end(self, *, refusal: Refused | None = None, retry_seconds: float | None = None) -> None:
        """Take note that there are no more messages, though the last one was not among them."""
        if not self.is_over:
            self.is_over = True
            self.refusal = refusal
            self.retry_seconds = retry_seconds
            self._arrive()

    def take(self) -> list[tuple[Send, str | None]]:
        """Return what is there, which is being sent from now on."""
        taken, self.items = self.items, []
        return taken

    async def arrival(self, seconds: float) -> None:
        """Wait until there is something to do, at most so long."""
        if self.items or self.is_over:
            return
        self._arrival = anyio.Event()
        with anyio.move_on_after(seconds):
            await self._arrival.wait()

    def _arrive(self) -> None:
        if self._arrival is not None:
            self._arrival.set()


class Reply:
    """Sends one response, from its outbox.

    `begin` returns what a stream of events begins with; it is called once, where there is one.
    `headers` returns those beside its own, when the response begins.
    """

    def __init__(
        self,
        request: HttpRequest,
        outbox: Outbox,
        keep_alive_seconds: float,
        *,
        begin: Callable[[], bytes] = bytes,
        headers: Callable[[], Headers] = list,
        event_name: str | None = None,
    ) -> None:
        self._request = request
        self._outbox = outbox
        self._keep_alive_seconds = keep_alive_seconds
        self._begin = begin
        self._headers = headers
        self._event_name = event_name
        self._has_begun = False
        self._has_ended = False

    async def run(self, *, as_events: bool = False) -> None:
        """Send all of the response, until it ends or the client is gone.

        With `as_events` the stream begins at once.
        """
        if as_events:
            await self._start_events(_sse.KEEP_ALIVE)  # headers alone, some servers hold back
        elif not self._outbox.is_over:  # a call that waits for nothing has its answer by then
            await anyio.lowlevel.checkpoint()
        if self._outbox.is_over:
            await self._send_all()
            return
        async with anyio.create_task_group() as tasks:
            self._outbox.cut_off = tasks.cancel_scope.cancel
            tasks.start_soon(self._watch, tasks.cancel_scope)
            await self._send_all()
            tasks.cancel_scope.cancel()

    async def _watch(self, scope: anyio.CancelScope) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    async def _send_all(self) -> None:
        try:
            while not self._has_ended:
                await self._outbox.arrival(self._keep_alive_seconds)
                if not self._has_begun:
                    await self._choose()
                if self._has_begun:
                    await self._send_events()
        except OSError:  # how a server may say that the client is gone
            pass

    async def _choose(self) -> None:
        """Answer by JSON, or begin the events, or leave it open."""
        outbox, send = self._outbox, self._request.send
        if outbox.items and is_json(first := outbox.items[0][0], self._request):
            self._has_ended = True
            await send_json(send, first.status, first.data, self._headers())
        elif outbox.is_over and not outbox.items and outbox.refusal is not None:
            self._has_ended = True
            await send_refusal(send, outbox.refusal)
        elif self._request.accepted.events:
            await self._start_events(b"")
        elif outbox.is_over:
            self._has_ended = True
            await send_empty(send, 202)

    async def _start_events(self, otherwise: bytes) -> None:
        self._has_begun = True
        headers = [*_EVENTS, *self._headers()]
        await self._request.send({"type": "http.response.start", "status": 200, "headers": headers})
        if beginning := self._begin() or otherwise:
            await self._send_body(beginning, more=True)

    async def _send_events(self) -> None:
        outbox = self._outbox
        is_over, items = outbox.is_over, outbox.take()
        chunk = b"".join(
            [_sse.event(whole(item.data), event_id=at, name=self._event_name) for item, at in items]
        )
        if is_over and outbox.retry_seconds is not None:
            chunk += _sse.retry(outbox.retry_seconds)
        self._has_ended = is_over
        await self._send_body(chunk or (b"" if is_over else _sse.KEEP_ALIVE), more=not is_over)
        outbox.waiting -= sum(size(message.data) for message, _ in items)

    async def _send_body(self, chunk: bytes, *, more: bool) -> None:
        await self._request.send({"type": "http.response.body", "body": chunk, "more_body": more})
