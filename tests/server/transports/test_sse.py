"""Messages become Server-Sent Events."""

from __future__ import annotations

import pytest

from typedargs_server.transports import _sse


@pytest.mark.parametrize(
    ("event", "encoded"),
    [
        (_sse.event(b'{"a":1}'), b'data: {"a":1}\n\n'),
        (_sse.event(b"{}", event_id="3-7"), b"id: 3-7\ndata: {}\n\n"),
        (_sse.event(b"/x", name="endpoint"), b"event: endpoint\ndata: /x\n\n"),
        (_sse.event(b"a\nb\r\nc\rd"), b"data: a\ndata: b\ndata: c\ndata: d\n\n"),
        (_sse.priming("3-0"), b"id: 3-0\ndata:\n\n"),
        (_sse.retry(1.5), b"retry: 1500\n\n"),
        (_sse.KEEP_ALIVE, b":\n\n"),
    ],
)
def test_an_event_is_lines_and_a_blank_one(event: bytes, encoded: bytes) -> None:
    assert event == encoded
