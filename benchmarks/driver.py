"""The client: a server's process, its two pipes, and a clock. It knows no server by name.

It is the same for every server, and as little as can be: requests are bytes before the clock
starts, answers are parsed and checked after it has stopped, between is `os.write` and `os.read`.
It runs where pipes can be made non-blocking and processes waited for: POSIX.
"""

import os
import select
import sys
import time
from collections.abc import Mapping, Sequence

from .process import Process
from .wire import INITIALIZED, Call, Era, WrongAnswer, calls, check, initialize

_CHUNK = 1 << 18


class Driver(Process):
    """A server's process and the way to it; a context manager.

    `patience` is how long all that is asked of the server may take, in seconds; then it is killed.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], era: Era, patience: float
    ) -> None:
        self._era = era
        self._ids = 0
        self._began = time.perf_counter()
        super().__init__(command, environment, patience)

    def open(self) -> float:
        """Open the session and make one call; give the seconds since the process was started."""
        if self._era is Era.LEGACY:
            answer = self._exchange(initialize(0), 1)
            if b'"serverInfo"' not in answer:
                raise WrongAnswer(f"not an answer to initialize: {answer!r}")
            self._exchange(INITIALIZED, 0)
        asked = self._calls(1)
        answer = self._exchange(asked[0].line, 1)
        took = time.perf_counter() - self._began
        check(asked, [answer])
        return took

    def one_after_another(self, count: int) -> float:
        """Make `count` calls, each after the answer to the one before; give the seconds taken."""
        asked = self._calls(count)
        lines = [call.line for call in asked]
        exchange = self._exchange
        began = time.perf_counter()
        answers = [exchange(line, 1) for line in lines]
        took = time.perf_counter() - began
        check(asked, answers)
        return took

    def at_once(self, count: int) -> float:
        """Send `count` calls and await all their answers; give the seconds taken."""
        asked = self._calls(count)
        block = b"".join(call.line for call in asked)
        began = time.perf_counter()
        answer = self._exchange(block, count)
        took = time.perf_counter() - began
        check(asked, answer.splitlines())
        return took

    def peak_memory(self) -> int:
        """End the server's input, wait for its end, and give the most memory it had, in bytes."""
        peak = self.peak()
        self._stdin.close()
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        if peak is None:
            peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return peak

    def _calls(self, count: int) -> list[Call]:
        first = self._ids + 1
        self._ids += count
        return calls(self._era, range(first, first + count))

    def _exchange(self, block: bytes, lines: int) -> bytes:
        """Write `block`, reading meanwhile what comes; give the next `lines` lines."""
        try:
            written = os.write(self._to, block)
        except BlockingIOError:
            written = 0
        if written < len(block):
            return self._exchange_slowly(block[written:], lines)
        read = b""
        while lines:
            chunk = os.read(self._from, _CHUNK)
            if not chunk:
                raise EOFError(f"the server ended, or was too slow, {lines} answers before its due")
            read += chunk
            lines -= chunk.count(b"\n")
        return read

    def _exchange_slowly(self, block: bytes, lines: int) -> bytes:
        """Go on with an exchange that does not fit into the pipe."""
        read = b""
        while block:
            readable, writable, _ = select.select([self._from], [self._to], [])
            if readable:
                chunk = os.read(self._from, _CHUNK)
                if not chunk:
                    raise EOFError("the server ended while it was written to")
                read += chunk
            if writable:
                block = block[os.write(self._to, block) :]
        return read + self._exchange(b"", lines - read.count(b"\n"))
