"""What comes on a file descriptor, as soon as it comes and never blocking the event loop."""

import asyncio
import logging
import os
import select
import stat
import sys
from time import perf_counter
from typing import Final

import anyio
import anyio.lowlevel

from .._threads import Threads

logger = logging.getLogger("typedargs")

_CHUNK: Final = 1 << 16

LOOK_SECONDS: Final = 0.00005
"""How long one looks for the next request without sleeping: to sleep and be woken takes longer than
the fastest clients do. Only where these have another processor to run on."""

TURN_SECONDS: Final = 0.001
"""How long requests may be read so, until all else on the event loop has its turn: one round."""


class Reader:
    """Reads chunks of bytes from `fd`, until the end; to be closed when it is no longer read."""

    def __init__(self, fd: int, threads: Threads) -> None:
        self._fd = fd
        self._threads = threads
        self._thread = anyio.CapacityLimiter(1)
        self._poll = _poll(fd) if has_readiness(fd) else None
        self._watch = None if self._poll is None else _watch(fd, self._poll)
        self.is_file = stat.S_ISREG(os.fstat(fd).st_mode)
        self.has_ended = False
        self._end: bytes | OSError | None = None
        """The end, if `read_soon` met it: a terminal tells it once."""
        self._may_look = _processors() > 1
        self._turn = 0.0
        """When the event loop is to have its turn."""

    def read_soon(self) -> bytes:
        """Return the bytes that come at once, if some do; none says nothing.

        Some clients send the next request as soon as they have an answer. To look for it takes less
        time than the event loop takes to wait at all.
        """
        now = perf_counter()
        if now >= self._turn or self._poll is None or not self._may_look:
            return b""
        if self._watch is not None and self._watch.chunk is not None:  # which came before
            return b""
        until = now + LOOK_SECONDS
        while not self._poll.poll(0):
            if perf_counter() >= until:
                return b""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            self._end = error
            return b""
        if not chunk:
            self._end = chunk
        return chunk

    @property
    def is_turn_over(self) -> bool:
        """Whether it is time for all else on the event loop."""
        return perf_counter() >= self._turn

    async def turn(self) -> None:
        """Let all else on the event loop have its turn."""
        await anyio.lowlevel.checkpoint()
        self._turn = perf_counter() + TURN_SECONDS

    async def read(self) -> bytes:
        """Return some bytes, or none at the end; input that fails has ended.

        Raises ConnectionError where the peer is gone.
        """
        if self.is_turn_over:
            # To wait for the client, with the loop asleep, would take longer than it does.
            await self.turn()
            if chunk := self.read_soon():
                return chunk
        try:
            chunk = await self._read()
        except ConnectionError:
            raise
        except OSError as error:
            logger.error("standard input cannot be read: %s", error)
            chunk = b""
        self.has_ended = not chunk
        self._turn = perf_counter() + TURN_SECONDS
        return chunk

    def close(self) -> None:
        """Let go of the event loop."""
        if self._watch is not None:
            self._watch.close()

    async def _read(self) -> bytes:
        if isinstance(self._end, OSError):
            raise self._end
        if self._end is not None:
            return self._end
        if self._watch is not None:
            return await self._watch.read()
        while True:
            try:
                if self._poll is not None:
                    await anyio.wait_readable(self._fd)
                    return os.read(self._fd, _CHUNK)
                read: bytes = await self._threads.run(self._thread, os.read, self._fd, _CHUNK)
                return read
            except BlockingIOError:  # another process that shares the input was faster
                continue


class _Watch:
    """Reads on asyncio, which tells of each readiness by a callback, set once for many reads."""

    def __init__(self, fd: int, poll: "select.poll", loop: asyncio.AbstractEventLoop) -> None:
        self._fd = fd
        self._loop = loop
        self._poll = poll
        self._is_watching = False
        self.chunk: bytes | OSError | None = None
        """What was read and not taken yet: some bytes, or the end."""
        self._arrival: asyncio.Future[None] | None = None
        self.start()

    def start(self) -> None:
        """Have the loop tell; raises NotImplementedError where it does not."""
        if not self._is_watching:
            self._loop.add_reader(self._fd, self._on_readable)
            self._is_watching = True

    def close(self) -> None:
        if self._is_watching:
            self._loop.remove_reader(self._fd)
            self._is_watching = False

    async def read(self) -> bytes:
        """Return some bytes, or none at the end; raises OSError."""
        if self.chunk is None:
            self.start()
            self._arrival = self._loop.create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        chunk, self.chunk = self.chunk, None
        if isinstance(chunk, OSError):
            raise chunk
        assert chunk is not None
        return chunk

    def _on_readable(self) -> None:
        if self.chunk is not None:  # nobody takes it at the moment
            self.close()
            return
        if not self._poll.poll(0):  # read_soon was faster, or another process with this input
            return
        try:
            self.chunk = os.read(self._fd, _CHUNK)
        except BlockingIOError:  # another process that shares the input was faster
            return
        except OSError as error:
            self.chunk = error
        if not isinstance(self.chunk, bytes) or not self.chunk:
            self.close()
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)


def _processors() -> int:
    """Return how many processors this process may run on."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _poll(fd: int) -> "select.poll":
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return poll


def _watch(fd: int, poll: "select.poll") -> _Watch | None:
    """Return what reads `fd` on the running loop, where that is one of asyncio that can."""
    try:
        return _Watch(fd, poll, asyncio.get_running_loop())
    except (RuntimeError, NotImplementedError):
        return None


def has_readiness(fd: int) -> bool:
    """Tell whether the event loop can wait for `fd`; not for files, and not on Windows."""
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (
        stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or (stat.S_ISCHR(mode) and os.isatty(fd))
    )
