"""Reading a file descriptor: all that comes, in its order, until the end."""

import contextlib
import os
import random
import sys
import termios
import tty
from collections.abc import Iterator

import anyio
import anyio.lowlevel
import pytest

from tests.server.support import PATIENCE_SECONDS
from typedargs_server._threads import Threads
from typedargs_server.transports import _reader
from typedargs_server.transports._reader import Reader

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="pipes there have no readiness"),
]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The two ends of a pipe, the second of which a test may close."""
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    with contextlib.suppress(OSError):
        os.close(writing)


@pytest.fixture
def threads() -> Threads:
    return Threads()


@pytest.mark.parametrize("seed", range(20))
async def test_what_comes_is_read_in_its_order_however_it_is_waited_for(
    pipe: tuple[int, int], threads: Threads, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reader, "TURN_SECONDS", 60.0)  # no turn is due
    chance = random.Random(seed)
    reading, writing = pipe
    reader = Reader(reading, threads)
    written, read = b"", b""
    for number in range(200):
        match chance.randrange(4):
            case 0 | 1:
                line = b"%d\n" % number
                os.write(writing, line)
                written += line
            case 2:
                await anyio.lowlevel.checkpoint()
            case 3 if len(read) < len(written):
                read += reader.read_soon() if chance.randrange(2) else await reader.read()
    while len(read) < len(written):
        read += await reader.read()
    reader.close()
    assert read == written


async def test_the_end_is_told_once_all_is_read(pipe: tuple[int, int], threads: Threads) -> None:
    reading, writing = pipe
    reader = Reader(reading, threads)
    os.write(writing, b"last")
    assert await reader.read() == b"last"
    assert not reader.has_ended
    os.close(writing)
    assert reader.read_soon() == b""
    assert await reader.read() == b""
    assert reader.has_ended
    reader.close()


async def test_the_end_that_a_terminal_tells_once_is_not_lost(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reader, "TURN_SECONDS", 60.0)  # no turn is due
    ours, theirs = os.openpty()
    tty.setcbreak(theirs)
    settings = termios.tcgetattr(theirs)
    settings[3] |= termios.ICANON
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    reader = Reader(theirs, threads)
    os.write(ours, b"line\n\x04")
    assert await reader.read() == b"line\n"
    assert reader.read_soon() == b""
    with anyio.fail_after(PATIENCE_SECONDS):
        assert await reader.read() == b""
    assert reader.has_ended
    reader.close()
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(
    ("processors", "turn", "soon"),
    [
        pytest.param(2, 60.0, b"two", id="a client with a processor of its own"),
        pytest.param(1, 60.0, b"", id="no other processor"),
        pytest.param(2, 0.0, b"", id="the turn of the event loop is due"),
    ],
)
async def test_the_next_request_is_looked_for_where_that_is_right(
    pipe: tuple[int, int],
    threads: Threads,
    processors: int,
    turn: float,
    soon: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_reader, "TURN_SECONDS", turn)
    monkeypatch.setattr(_reader, "_processors", lambda: processors)
    reading, writing = pipe
    reader = Reader(reading, threads)
    os.write(writing, b"one")
    assert await reader.read() == b"one"
    os.write(writing, b"two")
    assert reader.read_soon() == soon
    assert soon or await reader.read() == b"two"
    os.write(writing, b"three")
    assert await reader.read() == b"three"
    reader.close()


async def test_other_tasks_go_on_while_the_next_request_is_waited_for(
    pipe: tuple[int, int], threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reader, "TURN_SECONDS", 60.0)  # no turn is due
    reading, writing = pipe
    reader = Reader(reading, threads)
    os.write(writing, b"one")
    assert await reader.read() == b"one"
    assert reader.read_soon() == b""

    async def send() -> None:
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        os.write(writing, b"two")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        with anyio.fail_after(PATIENCE_SECONDS):
            assert await reader.read() == b"two"
    reader.close()


async def test_all_else_has_its_turn_though_the_next_request_is_there(
    pipe: tuple[int, int], threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reader, "TURN_SECONDS", 0.0)  # with each request
    reading, writing = pipe
    reader = Reader(reading, threads)
    turns: list[str] = []

    async def other() -> None:
        turns.append("other")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        for request in (b"one", b"two"):  # trio runs what is due at once in any order
            os.write(writing, request)
            assert await reader.read() == request
        assert turns == ["other"]
    reader.close()
