"""Server-Sent Events: messages to the bytes of a stream; pure, no IO.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from typing import Final

KEEP_ALIVE: Final = b":\n\n"
"""A comment, which says nothing to a client but that the stream is alive."""


def event(data: bytes, *, event_id: str | None = None, name: str | None = None) -> bytes:
    """Return one event; `data` without a line break, as every message is, is one line of it."""
    lines = b"data: " + data if _is_one_line(data) else _lines(data)
    if event_id is not None:
        lines = b"id: " + event_id.encode() + b"\n" + lines
    if name is not None:
        lines = b"event: " + name.encode() + b"\n" + lines
    return lines + b"\n\n"


def priming(event_id: str) -> bytes:
    """Return an event without data, which gives a client the id to resume after."""
    return b"id: " + event_id.encode() + b"\ndata:\n\n"


def retry(seconds: float) -> bytes:
    """Return what tells a client how long to wait before it connects again."""
    return b"retry: %d\n\n" % round(seconds * 1000)


def _is_one_line(data: bytes) -> bool:
    return b"\n" not in data and b"\r" not in data


def _lines(data: bytes) -> bytes:
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return b"\n".join(b"data: " + line for line in lines)
