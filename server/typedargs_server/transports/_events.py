"""What a session has sent on its streams, kept within bounds for clients that connect again; pure.

An event's id is the number of its stream, and its own number within that: "3-7". The id "3-0" is
that of no event, before the first one.

Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
"""

import re
from collections import deque

import msgspec

_ID = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


class UnknownEvent(Exception):
    """There is no resuming after this id; the message says why."""


class Event(msgspec.Struct, frozen=True):
    """A message that was sent, or is to be."""

    id: str
    data: bytes


class _Stream(msgspec.Struct):
    events: deque[Event] = msgspec.field(default_factory=deque)
    count: int = 0
    """How many events the stream has had."""
    has_ended: bool = False


class EventLog:
    """The last events of one session: at most `max_events`, and `max_bytes` of their data.

    The very last event is kept in any case, so that a large answer can be fetched.
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._streams: dict[int, _Stream] = {}
        self._opened = 0
        self._order: deque[int] = deque()
        """The stream of each event that is kept, oldest first."""
        self._bytes = 0

    def open(self) -> int:
        """Begin a stream, and return its number."""
        number = self._opened
        self._opened += 1
        self._streams[number] = _Stream()
        return number

    def add(self, number: int, data: bytes) -> Event:
        """Keep the next message of a stream."""
        stream = self._streams[number]
        stream.count += 1
        event = Event(f"{number}-{stream.count}", data)
        stream.events.append(event)
        self._order.append(number)
        self._bytes += len(data)
        while len(self._order) > 1 and (
            len(self._order) > self._max_events or self._bytes > self._max_bytes
        ):
            self._drop_oldest()
        return event

    def end(self, number: int) -> None:
        """Take note that a stream gets no more events; its last ones can still be fetched."""
        stream = self._streams[number]
        stream.has_ended = True
        self._forget_if_empty(number, stream)

    def last(self, number: int, count: int) -> tuple[str, list[Event]]:
        """Return the last `count` events of a stream, as far as they are kept.

        Before them comes the id after which they are.
        """
        stream = self._streams[number]
        events = list(stream.events)[max(0, len(stream.events) - count) :]
        return f"{number}-{stream.count - len(events)}", events

    def stream_of(self, event_id: str) -> int:
        """Return the number of the stream that an id names; raises UnknownEvent."""
        return self._position(event_id)[0]

    def after(self, event_id: str) -> list[Event]:
        """Return the events that follow an id on its stream; raises UnknownEvent.

        Events of other streams are none of them. It is an error too where some are kept no more.
        """
        number, position = self._position(event_id)
        stream = self._streams[number]
        following = stream.count - position
        if following > len(stream.events):
            raise UnknownEvent(f"the events after {event_id!r} are no longer kept")
        return list(stream.events)[len(stream.events) - following :]

    def _position(self, event_id: str) -> tuple[int, int]:
        parts = _ID.fullmatch(event_id)
        if parts is None:
            raise UnknownEvent(f"{event_id!r:.60} is no id of an event of this server")
        number, position = int(parts[1]), int(parts[2])
        stream = self._streams.get(number)
        if stream is None or position > stream.count:
            raise UnknownEvent(f"the session has no event {event_id!r}, or keeps it no longer")
        return number, position

    def _drop_oldest(self) -> None:
        number = self._order.popleft()
        stream = self._streams[number]
        self._bytes -= len(stream.events.popleft().data)
        self._forget_if_empty(number, stream)

    def _forget_if_empty(self, number: int, stream: _Stream) -> None:
        if stream.has_ended and not stream.events:
            del self._streams[number]
