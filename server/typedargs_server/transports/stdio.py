"""stdio: one message a line, from file descriptor 0 to file descriptor 1, and nothing else there.

While the transport holds the two, the process's own standard output is its standard error, and
its standard input is empty, for handlers and for the processes they start.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
"""

import contextlib
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Final

import anyio
import anyio.lowlevel
import anyio.to_thread
import attrs

from ..definition import Limits
from ..errors import InvalidRequest
from ..protocol import Connection
from ..runner import Peer, Runner
from ._lines import TOO_LONG, LineSplitter

_CHUNK: Final = 1 << 16


@contextlib.contextmanager
def standard_streams() -> Iterator[tuple[int, int]]:
    """Take the process's standard input and output for the protocol, until the block is left.

    Gives two file descriptors, to read and to write. What the process prints meanwhile goes to
    its standard error, or nowhere if it has none.
    """
    with contextlib.ExitStack() as stack:
        reading, writing = os.dup(0), os.dup(1)
        stack.callback(os.close, reading)
        stack.callback(os.close, writing)
        sys.stdout.flush()
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        stack.callback(os.dup2, reading, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.close(nowhere)
        stack.callback(os.dup2, writing, 1)
        stack.callback(sys.stdout.flush)
        yield reading, writing


async def serve(
    runner: Runner,
    connection: Connection,
    limits: Limits,
    reading: int,
    writing: int,
    stop: anyio.Event,
) -> None:
    """Serve one peer until the end of input, until it reads no more, or until `stop` is set.

    At the end of input the calls that run are answered, within `limits.drain_seconds`.
    """
    with _Writer.on(writing) as writer:
        peer = Peer(connection, writer.write)
        runner.add(peer)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(writer.run, tasks.cancel_scope)
            tasks.start_soon(_cancel_at, stop, tasks.cancel_scope)
            await _read(runner, peer, writer, limits, reading)
            await runner.drain()
            await writer.flushed()
            tasks.cancel_scope.cancel()
        runner.remove(peer)


async def _cancel_at(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


async def _read(
    runner: Runner, peer: Peer, writer: "_Writer", limits: Limits, reading: int
) -> None:
    splitter = LineSplitter(limits.max_message_bytes)
    async for chunk in _chunks(reading):
        for line in splitter.feed(chunk) if chunk else splitter.end():
            if line == TOO_LONG:
                effects = peer.connection.refuse(
                    InvalidRequest(
                        "Invalid Request: the message is longer than "
                        f"{limits.max_message_bytes} bytes, this server's limit"
                    )
                )
            else:
                effects = peer.connection.receive(line)
            runner.perform(peer, effects)
        if writer.waiting > limits.max_waiting_bytes:
            await writer.flushed()


async def _chunks(fd: int) -> AsyncIterator[bytes]:
    """Give what can be read from `fd`, and at its end one empty chunk."""
    wait = _readiness(fd)
    chunk = b"not the end"
    while chunk:
        if wait:
            await anyio.wait_readable(fd)
            chunk = os.read(fd, _CHUNK)
        else:
            chunk = await anyio.to_thread.run_sync(os.read, fd, _CHUNK, abandon_on_cancel=True)
        yield chunk


def _readiness(fd: int) -> bool:
    """Tell whether the event loop can wait for `fd`; not for files, and not on Windows."""
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (
        stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or (stat.S_ISCHR(mode) and os.isatty(fd))
    )


@attrs.define(eq=False)
class _Writer:
    """Writes messages in the order given, as fast as the peer reads and never blocking the loop."""

    _fd: int
    _can_wait: bool
    waiting: int = 0
    """Bytes that are not written yet."""
    _messages: list[bytes] = attrs.field(factory=list)
    _wake: anyio.Event = attrs.field(factory=anyio.Event)
    _flushed: anyio.Event = attrs.field(factory=anyio.Event)

    @classmethod
    @contextlib.contextmanager
    def on(cls, fd: int) -> Iterator["_Writer"]:
        """Give a writer on `fd`, which is non-blocking meanwhile where nothing else shares it."""
        can_wait = _readiness(fd) and not os.isatty(fd) and not _shared_with_stderr(fd)
        was_blocking = os.get_blocking(fd)
        if can_wait:
            os.set_blocking(fd, False)
        try:
            yield cls(fd, can_wait)
        finally:
            if can_wait:
                os.set_blocking(fd, was_blocking)

    def write(self, message: bytes) -> None:
        """Take a message; it is written when the loop comes to it."""
        self._messages += (message, b"\n")
        self.waiting += len(message) + 1
        self._wake.set()

    async def flushed(self) -> None:
        """Wait until everything taken so far is written."""
        while self.waiting:
            self._flushed = anyio.Event()
            await self._flushed.wait()

    async def run(self, end: anyio.CancelScope) -> None:
        """Write until cancelled, or until the peer reads no more, which cancels `end`."""
        try:
            while True:
                await self._wake.wait()
                self._wake = anyio.Event()
                data = b"".join(self._messages)
                self._messages.clear()
                await self._write(data)
                self.waiting -= len(data)
                self._flushed.set()
        except OSError:  # a broken pipe: nobody is left to tell
            end.cancel()

    async def _write(self, data: bytes) -> None:
        if not self._can_wait:
            view = memoryview(data)
            while view:
                view = view[await anyio.to_thread.run_sync(os.write, self._fd, view) :]
            return
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:
                await anyio.wait_writable(self._fd)


def _shared_with_stderr(fd: int) -> bool:
    try:
        mine, theirs = os.fstat(fd), os.fstat(2)
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (theirs.st_dev, theirs.st_ino)
