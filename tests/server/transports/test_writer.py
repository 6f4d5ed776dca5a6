"""Writing to a file descriptor: what waits for more, and for how long."""

import os
import sys
from collections.abc import Iterator

import pytest

from typedargs_server import MCPServer
from typedargs_server.effects import Send
from typedargs_server.transports import stdio

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="pipes there are written by a thread"),
]

_PART = stdio.HELD_SECONDS * 0.6


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The two ends of a pipe, of which reading does not wait."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    yield reading, writing
    os.close(reading)
    os.close(writing)


async def test_what_waits_for_more_waits_no_longer_for_more_that_keeps_coming(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = pipe
    now = 100.0
    monkeypatch.setattr(stdio, "perf_counter", lambda: now)

    def written() -> bytes:
        try:
            return os.read(reading, 100)
        except BlockingIOError:
            return b""

    with stdio._Writer.on(writing, MCPServer("quiet")._runner(), 1 << 24) as writer:
        writer.send(Send(b"1"))
        assert written() == b"1\n"

        for message in (b"2", b"3"):
            writer.hold()
            writer.send(Send(message))
            assert written() == b""
            now += _PART
        writer.hold()
        writer.send(Send(b"4"))
        assert written() == b"2\n3\n4\n"

        now += _PART
        writer.send(Send(b"5"))
        assert written() == b""
        writer.flush()
        assert written() == b"5\n"

        writer.send(Send((b"6", b"7")))
        assert written() == b"67\n"
