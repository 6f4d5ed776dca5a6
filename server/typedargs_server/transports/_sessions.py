"""The sessions of legacy clients: each with its streams, and the events kept for these.

A session begins with a client's opening, and ends when the client says so, when it was idle for
long, or when too many others are open. Nothing here runs by itself: sessions that are due end when
the next one is looked for.

Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..effects import Send, whole
from ..eras import versions
from ..peer import Peer
from ..protocol import Connection
from ..runner import Runner
from . import _sse
from ._events import EventLog
from ._refusals import Refused
from ._replies import Outbox
from ._settings import HttpSettings


class Stream:
    """The messages about one request, or the general ones: a channel of a session's connection.

    It outlives the HTTP responses that it is sent by, one at a time. Until something but the answer
    is sent, it may have none, and then nothing of it is kept.
    """

    def __init__(self, session: "Session", *, is_json_only: bool = False) -> None:
        self._session = session
        self._number: int | None = None
        self._unsent = 0
        self.is_json_only = is_json_only
        self.outbox: Outbox | None = None
        """The messages of the HTTP response that is open for it."""

    def begin(self) -> bytes:
        """Become a stream of events, and return what it begins with."""
        if self._number is None:
            self._number = self._session.log.open()
            self._session.streams[self._number] = self
        return self._session.priming(f"{self._number}-0")

    def put(self, message: Send) -> None:
        """Take a message, and keep it where the client can come back for it."""
        if self._number is None and not message.is_last:
            self.begin()
        if self._number is None:
            if self.outbox is not None:
                self.outbox.put(message)
            return
        event = self._session.log.add(self._number, whole(message.data))
        if message.is_last:
            self._end()
        if self.outbox is not None and not self.outbox.is_over:
            self.outbox.put(message, event.id)
        else:
            self._unsent += 1

    def attach(self, outbox: Outbox) -> None:
        """Send by this response from now on; a former one ends."""
        if self.outbox is not None:
            self.outbox.end()
        self.outbox = outbox
        self._unsent = 0  # the client has got it, or has said up to where it has
        self._session.attached.add(self)

    def attach_general(self, outbox: Outbox) -> bytes:
        """Send by this response what was not sent, and what comes; returns what it begins with."""
        assert self._number is not None
        before, events = self._session.log.last(self._number, self._unsent)
        for event in events:
            outbox.put(Send(event.data), event.id)
        self.attach(outbox)
        return self._session.priming(before)

    def detach(self, outbox: Outbox) -> None:
        """Take note that a response is over; a later one may have taken its place."""
        if self.outbox is outbox:
            self.outbox = None
            self._session.attached.discard(self)

    def close(self, retry_seconds: float) -> None:
        """End the response that is open, in mid-call; the client is to come back for the rest."""
        if self.outbox is not None:
            self.begin()
            self.outbox.end(retry_seconds=retry_seconds)

    def abandon(self) -> None:
        """End for good, without an answer."""
        if self._number is not None:
            self._end()
        if self.outbox is not None:
            self.outbox.end()

    def _end(self) -> None:
        assert self._number is not None
        del self._session.streams[self._number]
        self._session.log.end(self._number)


class Session:
    """A client that has opened a connection; `send` and `close_stream` are those of its peer."""

    def __init__(
        self, connection: Connection, settings: HttpSettings, principal: str | None = None
    ) -> None:
        self.id = secrets.token_urlsafe(24)
        self.principal = principal
        """Who has opened it, and alone may use it."""
        self.connection = connection
        self.peer = Peer(connection, self.send, self.close_stream)
        self.log = EventLog(settings.max_kept_events, settings.max_kept_bytes)
        self.streams: dict[int, Stream] = {}
        """Those that are not over, by their numbers."""
        self.attached: set[Stream] = set()
        """Those that have an HTTP response."""
        self.general = Stream(self)
        self.general.begin()
        self.used = 0.0
        """When it was used last."""
        self._reconnect_seconds = settings.reconnect_seconds

    @property
    def is_primed(self) -> bool:
        """Whether streams begin with an event without data, so that they can be resumed."""
        return self.connection.revision in versions.PRIMED

    @property
    def is_idle(self) -> bool:
        """Whether no call runs, and no response is open."""
        return not self.attached and self.connection.is_idle

    def priming(self, event_id: str) -> bytes:
        """Return what a stream begins with, before any event."""
        return _sse.priming(event_id) if self.is_primed else b""

    def send(self, message: Send) -> None:
        """Put a message on the stream that it belongs to, or that is left for it."""
        stream: Stream = message.channel or self.general
        if stream.is_json_only and not message.is_last:
            stream = self.general
        stream.put(message)

    def close_stream(self, channel: Any) -> None:
        """End the response of a call before its answer, where the client can come back for it."""
        stream: Stream = channel
        if self.is_primed and not stream.is_json_only:
            stream.close(self._reconnect_seconds)

    def resume(self, event_id: str, outbox: Outbox) -> Stream | None:
        """Send by `outbox` what follows an event on its stream; raises UnknownEvent.

        Returns the stream, or None where it is over and no more can follow.
        """
        events = self.log.after(event_id)
        stream = self.streams.get(self.log.stream_of(event_id))
        for event in events:
            outbox.put(Send(event.data), event.id)
        if stream is None:
            outbox.end()
        else:
            stream.attach(outbox)
        return stream

    def end_responses(self, refusal: Refused) -> None:
        """End what is open; what was not answered at all is refused."""
        for stream in list(self.attached):
            if stream.outbox is not None:
                stream.outbox.end(refusal=refusal)


class Sessions:
    """All sessions, at most as many as the settings say; the one used last comes last."""

    def __init__(
        self,
        runner: Runner,
        settings: HttpSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runner = runner
        self._settings = settings
        self._clock = clock
        self._by_id: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, session: Session) -> None:
        """Keep a session from now on; raises Refused where there is no place for it."""
        self._expire()
        if len(self._by_id) >= self._settings.max_sessions:
            self._drop_one()
        self._by_id[session.id] = session
        self.touch(session)
        self._runner.add(session.peer)

    def find(self, session_id: str, principal: str | None = None) -> Session | None:
        """Return the principal's session of that id, which is in use now; None without one."""
        self._expire()
        session = self._by_id.get(session_id)
        if session is None or session.principal != principal:
            return None
        self.touch(session)
        return session

    def touch(self, session: Session) -> None:
        """Take note that a session is in use."""
        session.used = self._clock()
        if session.id in self._by_id:
            self._by_id.move_to_end(session.id)

    def close(self, session: Session) -> None:
        """End a session: its calls are cancelled, its responses end."""
        if self._by_id.pop(session.id, None) is None:
            return
        self._runner.remove(session.peer)
        self._runner.perform(session.peer, session.connection.close())
        session.end_responses(Refused(404, "Session not found: it has ended"))

    def close_all(self) -> None:
        """End all sessions."""
        for session in list(self._by_id.values()):
            self.close(session)

    def _expire(self) -> None:
        horizon = self._clock() - self._settings.session_idle_seconds
        while self._by_id:
            oldest = next(iter(self._by_id.values()))
            if oldest.used > horizon:
                return
            if oldest.is_idle:
                self.close(oldest)
            else:
                self.touch(oldest)

    def _drop_one(self) -> None:
        idle = next((each for each in self._by_id.values() if each.is_idle), None)
        if idle is None:
            raise Refused(
                503,
                f"Service Unavailable: all {self._settings.max_sessions} sessions are in use",
                [(b"retry-after", b"60")],
            )
        self.close(idle)
