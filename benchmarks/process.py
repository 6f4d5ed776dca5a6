"""A server's process, which ends with its context, and its memory. It knows no protocol.

It runs where pipes can be made non-blocking and the system tells of a process's memory: POSIX.
"""

import contextlib
import http.client
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from .wire import WrongAnswer


class ServerFailed(Exception):
    """A server ended, hung or answered wrongly; the message has what it wrote to stderr."""


class Process:
    """A server's process; a context manager, which ends it.

    `patience` is how long all that is asked of it may take, in seconds; then it is killed. Errors
    begin with `name`.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        patience: float,
        name: str = "",
    ) -> None:
        self._name = name
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            env=environment,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._to, self._from = self._stdin.fileno(), self._stdout.fileno()
        os.set_blocking(self._to, False)
        self._watch = threading.Timer(patience, self._process.kill)
        self._watch.daemon = True
        self._watch.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._watch.cancel()
        self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
        told = self.told()[-2000:].strip()
        self._stderr.close()
        if isinstance(error, WrongAnswer | OSError | EOFError | http.client.HTTPException):
            raise ServerFailed(f"{self._name}{error}\nits stderr ends: {told or '(empty)'}")

    def told(self) -> str:
        """Return what it has written to its standard error."""
        size = os.fstat(self._stderr.fileno()).st_size
        return os.pread(self._stderr.fileno(), size, 0).decode(errors="replace")

    def resident(self) -> int:
        """Return its resident size, in bytes."""
        pid = self._process.pid
        try:
            return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGESIZE"
            )
        except FileNotFoundError:  # not Linux
            told = subprocess.run(
                ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
            )
            return int(told.stdout) * 1024

    def forget_peak(self) -> None:
        """Have the system count the largest resident size from now on, where it can."""
        with contextlib.suppress(OSError):
            Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")

    def peak(self) -> int | None:
        """Return the largest resident size, in bytes, where the system tells it.

        What `wait4` tells after its end is no substitute on Linux: it counts the memory of the
        process that it was forked from.
        """
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return None
        found = re.search(r"^VmHWM:\s+([0-9]+) kB$", status, re.MULTILINE)
        return None if found is None else int(found[1]) * 1024
