"""stdio: one message a line, from file descriptor 0 to file descriptor 1, and nothing else there.

While the transport holds the two, the process's own standard output is its standard error, and
its standard input is empty, for handlers and for the processes they start.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
"""

import contextlib
import io
import logging
import os
import sys
from collections import deque
from collections.abc import Iterator
from time import perf_counter
from typing import Final

import anyio
import anyio.abc

from ..definition import Limits
from ..direct import Direct
from ..effects import Data, Effect, Run, Send, size
from ..errors import InvalidRequest, ParseError
from ..peer import Peer
from ..protocol import Connection
from ..runner import Runner
from ._lines import Line, LineSplitter, is_utf8
from ._reader import Reader, has_readiness

if sys.platform != "win32":
    import fcntl

logger = logging.getLogger("typedargs")

_PIPE_BYTES: Final = 1 << 20
"""What Linux lets anybody's pipe hold."""

_MAX_PARTS: Final = 1000
"""Parts that are written by one call; systems take 1,024."""

_HELD_BYTES: Final = 1 << 16
"""Bytes of answers that wait for those of other messages in the same chunk."""

HELD_SECONDS: Final = 0.001
"""How long they wait, at most."""


@contextlib.contextmanager
def standard_streams() -> Iterator[tuple[int, int] | None]:
    """Take the process's standard input and output for the protocol, until the block is left.

    Gives two file descriptors, to read and to write, or None where the process was started without
    them. What it prints meanwhile, or has printed and not flushed, goes to its standard error, or
    nowhere if it has none.
    """
    if sys.__stdin__ is None or sys.__stdout__ is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        reading, writing = _duplicate(0), _duplicate(1)
        stack.callback(os.close, reading)
        stack.callback(os.close, writing)
        nowhere = os.open(os.devnull, os.O_RDWR)
        stack.callback(os.close, nowhere)
        os.dup2(nowhere, 0)
        stack.callback(os.dup2, reading, 0)
        os.dup2(nowhere if sys.__stderr__ is None else 2, 1)
        stack.callback(os.dup2, writing, 1)
        stack.enter_context(_flushed_by_line(nowhere))
        yield reading, writing


def _duplicate(fd: int) -> int:
    """Return a duplicate of `fd` that is none of the three standard ones, should one be closed."""
    duplicate = os.dup(fd)
    if duplicate > 2:
        return duplicate
    try:
        return _duplicate(fd)
    finally:
        os.close(duplicate)


@contextlib.contextmanager
def _flushed_by_line(nowhere: int) -> Iterator[None]:
    """Make what is printed in the block go where standard output leads then, or `nowhere`."""
    stream = sys.stdout
    with contextlib.suppress(OSError, ValueError):
        stream.flush()
    by_line = isinstance(stream, io.TextIOWrapper) and stream.line_buffering
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(line_buffering=True)
    try:
        yield
    finally:
        try:
            stream.flush()
        except OSError:  # what cannot be written must not be kept, to be written later
            os.dup2(nowhere, 1)
            stream.flush()
        except ValueError:  # it was closed
            pass
        if isinstance(stream, io.TextIOWrapper) and not stream.closed:
            stream.reconfigure(line_buffering=by_line)


async def serve(
    runner: Runner,
    connection: Connection,
    limits: Limits,
    reading: int,
    writing: int,
    stop: anyio.Event,
) -> None:
    """Serve one peer until the end of input, until it reads no more, or until `stop` is set.

    At the end of input the calls that run are answered, within `limits.drain_seconds`; then the
    answers are written, for as long as the peer takes to read them.
    """
    with (
        _Writer.on(writing, runner, limits.max_waiting_bytes) as writer,
        contextlib.closing(Reader(reading, runner.threads)) as reader,
    ):
        peer = Peer(connection, writer.send, room=writer.room)
        runner.add(peer)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(writer.run, tasks.cancel_scope)
                tasks.start_soon(_cancel_at, stop, tasks.cancel_scope)
                messages = _Reading(runner, peer, writer, limits, reader)
                tasks.start_soon(messages.lead, tasks)
                await messages.has_ended.wait()
                runner.perform(peer, connection.no_more())
                await runner.drain()
                await writer.flushed()
                tasks.cancel_scope.cancel()
        finally:
            runner.remove(peer)


async def _cancel_at(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


class _Reading:
    """The reading of the peer's messages, each of which is acted on before the next is read.

    One task leads: it reads, and runs the call that it has read. A call that waits keeps the task,
    and another one leads.
    """

    def __init__(
        self, runner: Runner, peer: Peer, writer: "_Writer", limits: Limits, reader: Reader
    ) -> None:
        self._runner = runner
        self._peer = peer
        self._writer = writer
        self._limits = limits
        self._reader = reader
        self._answer, self._write = Direct(runner, peer.connection).answer, writer.write
        self._splitter = LineSplitter(limits.max_message_bytes)
        self._lines: deque[Line] = deque()
        self._effects: deque[Effect] = deque()
        self.has_ended = anyio.Event()

    async def lead(self, tasks: anyio.abc.TaskGroup) -> None:
        """Read and run, until a call waits; then have another task of `tasks` lead."""
        try:
            await self._lead(tasks)
        except ConnectionError:  # nobody is left to answer
            tasks.cancel_scope.cancel()

    async def _lead(self, tasks: anyio.abc.TaskGroup) -> None:
        with anyio.CancelScope() as scope:
            while True:
                if not self._effects and not await self._next():
                    self.has_ended.set()
                    return
                if not self._effects:
                    continue
                effect = self._effects.popleft()
                if not isinstance(effect, Run):
                    self._runner.perform(self._peer, [effect])
                    continue
                waiting = self._runner.begin(self._peer, effect.call, scope)
                if waiting is None:
                    await self._runner.shrug()
                else:
                    tasks.start_soon(self.lead, tasks)
                    await self._runner.go_on(self._peer, effect.call, waiting)
                    return

    async def _next(self) -> bool:
        """Take in messages up to one that has effects; false at the end of input."""
        if self._writer.is_full:  # asked here too: most messages need no coroutine for it
            await self._writer.room()
        if not self._lines:
            self._writer.flush()
            if not await self._read():
                return False
        elif self._reader.is_turn_over:
            self._writer.flush()
            await self._reader.turn()
        if self._reader.is_file and not self._runner.has_room:  # whose calls can wait
            self._writer.flush()
            await self._runner.room()
        self._take()
        while not (self._lines or self._effects or self._runner.running):
            self._writer.flush()
            chunk = self._reader.read_soon()
            if not chunk:
                break
            self._lines += self._splitter.feed(chunk)
            self._take()
        await self._runner.shrug()
        return True

    async def _read(self) -> bool:
        """Read more lines, if only a part of one; false at the end of input."""
        if self._reader.has_ended:
            return False
        chunk = await self._reader.read()
        self._lines += self._splitter.feed(chunk) if chunk else self._splitter.end()
        return True

    def _take(self) -> None:
        """Answer the lines directly, up to one that has effects, or until others are to run."""
        lines, effects = self._lines, self._effects
        answer, write = self._answer, self._write
        if len(lines) > 1:
            self._writer.hold()
        while lines and not effects:
            line = lines.popleft()
            if isinstance(line, str):  # TOO_LONG
                effects += self._peer.connection.refuse(_too_long(self._limits.max_message_bytes))
            elif not (line.isascii() or is_utf8(line)):
                not_utf8 = ParseError("Parse error: the line is not UTF-8")
                effects += self._peer.connection.refuse(not_utf8)
            elif (direct := answer(line)) is not None:
                if write(direct[0]):
                    return
            elif not line.isspace():
                effects += self._peer.connection.receive(line)


def _too_long(max_bytes: int) -> InvalidRequest:
    return InvalidRequest(
        f"Invalid Request: the message is longer than {max_bytes} bytes, this server's limit"
    )


class _Writer:
    """Writes messages in the order given, as fast as the peer reads and never blocking the loop.

    It is full where more than `max_bytes` are not written yet; it takes more all the same.
    """

    def __init__(self, fd: int, runner: Runner, max_bytes: int, *, can_wait: bool) -> None:
        self._fd = fd
        self._runner = runner
        self._max_bytes = max_bytes
        self._can_wait = can_wait
        self._thread = anyio.CapacityLimiter(1)
        self._parts: list[bytes | memoryview] = []
        """What is not written yet: messages, the ends of lines, the rest of a message."""
        self._wake = anyio.Event()
        self._is_woken = False
        self._progress: anyio.Event | None = None
        """Set when `run` has written something, for those who wait for it."""
        self._written = 0
        """Bytes that were ever written."""
        self.waiting = 0
        """Bytes that are not written yet."""
        self._due = 0.0
        """When the messages that wait for others are to wait no longer; 0 where none is to wait."""

    @classmethod
    @contextlib.contextmanager
    def on(cls, fd: int, runner: Runner, max_bytes: int) -> Iterator["_Writer"]:
        """Give a writer on `fd`, which is non-blocking meanwhile where nothing else shares it."""
        if (
            sys.platform == "win32"
            or not has_readiness(fd)
            or os.isatty(fd)
            or _shared_with_stderr(fd)
        ):
            yield cls(fd, runner, max_bytes, can_wait=False)
            return
        was_blocking = os.get_blocking(fd)
        os.set_blocking(fd, False)
        _widen(fd)
        try:
            yield cls(fd, runner, max_bytes, can_wait=True)
        finally:
            os.set_blocking(fd, was_blocking)

    def hold(self) -> None:
        """Let what is sent wait until `flush`, or for HELD_SECONDS: more is about to come."""
        if not self._due:
            self._due = perf_counter() + HELD_SECONDS

    def send(self, message: Send) -> None:
        """Write a message; see `write`."""
        self.write(message.data)

    def write(self, data: Data) -> bool:
        """Take a message; it is written at once, with those before it, unless more are to come.

        Returns whether so many were written, or after so long, that others are to have their turn.
        """
        if isinstance(data, bytes):
            self._parts.append(data)
            self.waiting += len(data) + 1
        else:
            self._parts += data
            self.waiting += size(data) + 1
        self._parts.append(b"\n")
        if self._due and self.waiting <= _HELD_BYTES and perf_counter() < self._due:
            return False
        self._push()
        if self._due:
            self._due = perf_counter() + HELD_SECONDS
        return True

    def flush(self) -> None:
        """Write what is there: no more is about to come."""
        self._due = 0.0
        if self._parts:
            self._push()

    def _push(self) -> None:
        """Write as much as goes now; `run` writes the rest, and what many calls bring at once."""
        if self._is_woken:
            return
        if self._can_wait and len(self._runner.running) < 2:
            try:  # noqa: SIM105  # a context manager for each answer would cost more
                self._write_some()
            except OSError:  # a full pipe, or a broken one: `run` sees to it
                pass
        if self._parts:
            self._is_woken = True
            self._wake.set()

    def _write_some(self) -> None:
        """Write as much as goes: many small parts as one, large ones without a copy."""
        if self.waiting <= _HELD_BYTES:
            written = os.write(self._fd, b"".join(self._parts))
        else:
            written = os.writev(self._fd, self._parts[:_MAX_PARTS])
        if written == self.waiting:
            self._written += written
            self.waiting = 0
            self._parts.clear()
        else:
            self._drop(written)

    def _drop(self, count: int) -> None:
        """Drop so many bytes of the parts, which are written."""
        self._written += count
        self.waiting -= count
        done = 0
        for part in self._parts:
            if len(part) > count:
                break
            count -= len(part)
            done += 1
        del self._parts[:done]
        if count:
            self._parts[0] = memoryview(self._parts[0])[count:]

    async def flushed(self) -> None:
        """Wait until everything taken so far is written."""
        while self.waiting:
            await self._written_some()

    @property
    def is_full(self) -> bool:
        """Whether nobody should add to it."""
        return self.waiting > self._max_bytes

    async def room(self) -> None:
        """Wait while it is full, at most until what it holds now is written."""
        if not self.is_full:
            return
        self.flush()
        end = self._written + self.waiting
        while self.is_full and self._written < end:
            await self._written_some()

    async def _written_some(self) -> None:
        if self._progress is None:
            self._progress = anyio.Event()
        await self._progress.wait()

    async def run(self, end: anyio.CancelScope) -> None:
        """Write until cancelled, or until the peer reads no more, which cancels `end`."""
        try:
            while True:
                await self._wake.wait()
                self._wake = anyio.Event()
                while self._parts:
                    await self._write()
                    if self._progress is not None:
                        self._progress.set()
                        self._progress = None
                self._is_woken = False
        except ConnectionError:  # a broken pipe: nobody is left to tell
            end.cancel()
        except OSError as error:
            logger.error("standard output cannot be written: %s", error)
            end.cancel()

    async def _write(self) -> None:
        """Write some of what is there."""
        if not self._can_wait:
            data = b"".join(self._parts) if self.waiting <= _HELD_BYTES else self._parts[0]
            written = await self._runner.threads.run(self._thread, os.write, self._fd, data)
            self._drop(written)
            return
        try:
            self._write_some()
        except BlockingIOError:
            await anyio.wait_writable(self._fd)


def _widen(fd: int) -> None:
    """Let a pipe hold more than it does by default, so that a list goes out at once, on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # no pipe, or none so wide for this user
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _shared_with_stderr(fd: int) -> bool:
    try:
        mine, theirs = os.fstat(fd), os.fstat(2)
    except OSError:
        return False
    return (mine.st_dev, mine.st_ino) == (theirs.st_dev, theirs.st_ino)
