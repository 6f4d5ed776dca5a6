"""A server as a child process that reads and writes lines. Knows nothing of the protocol.

How it is ended is the specification's: basic/transports/stdio, section "Shutdown".
"""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final

from ._errors import CommandError

GRACE: Final = 2.0
"""Seconds that a server has to leave after its stdin is closed, and again after SIGTERM."""

SLICE: Final = 0.2
"""Seconds of one wait for the server's next line."""


class ServerProcess:
    """A running server; its stderr is ours, so that what it reports is seen as it happens."""

    def __init__(self, command: Sequence[str]):
        """Start `command`; raise CommandError if that cannot be done."""
        # On Windows `npx` is `npx.cmd`, which only a search of the path finds.
        program = shutil.which(command[0]) or command[0]
        try:
            self._process = subprocess.Popen(
                [program, *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Its own process group, so that what `npx` or a shell starts ends with it.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise CommandError(f"cannot start {command[0]!r}: {reason}") from None
        self._written: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._writer.start()
        self._reader.start()

    def send(self, line: bytes) -> None:
        """Write `line`, which ends in LF, without waiting for a server that does not read."""
        self._written.put(line)

    def receive(self, deadline: float) -> bytes:
        """Return the next line, or nothing once the server has closed its stdout.

        Raises TimeoutError at `deadline`, a time of time.monotonic.
        """
        while True:
            left = deadline - time.monotonic()
            try:
                # In slices: a signal that comes just before the wait would be seen only after it.
                line = self._lines.get(timeout=max(0.0, min(left, SLICE)))
                break
            except queue.Empty:
                if left <= SLICE:
                    raise TimeoutError from None
        if not line:
            self._lines.put(line)  # the end stays the end
        return line

    def ended(self) -> int | None:
        """Return the exit status, negative for a signal, of a server that has closed its stdout."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        return self._process.returncode

    def close(self) -> None:
        """End the server: close its stdin, wait, then terminate, then kill."""
        self._written.put(None)
        for by_force in (False, True):
            try:
                self._process.wait(GRACE)
                break
            except subprocess.TimeoutExpired:
                self._stop(by_force=by_force)
        self._process.wait()
        self._reader.join(GRACE)
        if self._reader.is_alive():
            # Something that the server started has outlived it, and holds its stdout.
            self._stop(by_force=True)
        for thread, stream in (
            (self._writer, self._process.stdin),
            (self._reader, self._process.stdout),
        ):
            thread.join(GRACE)
            if stream is not None and not thread.is_alive():
                with contextlib.suppress(OSError):
                    stream.close()

    def _stop(self, *, by_force: bool) -> None:
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL if by_force else signal.SIGTERM)

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):  # a server that is gone is noticed by the reader
            while (line := self._written.get()) is not None:
                stream.write(line)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):
            for line in stream:
                self._lines.put(line)
        self._lines.put(b"")
