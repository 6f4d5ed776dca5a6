"""A server as a process, and a client of its pipes that checks every message it reads."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.server.support import PATIENCE_SECONDS, Reader, encoded, request
from typedargs_server.eras import versions

ROOT: Final = Path(__file__).parents[3]
EVERYTHING: Final = Path(__file__).with_name("everything.py")
ENVIRONMENT: Final = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "server")]),
}

PING: Final = b'{"jsonrpc":"2.0","id":"p","method":"ping"}\n'
PONG: Final = b'{"jsonrpc":"2.0","id":"p","result":{}}\n'


def everything(backend: str, **settings: Any) -> list[str]:
    """The command line of the server in everything.py."""
    return [sys.executable, str(EVERYTHING), json.dumps({"backend": backend, **settings})]


def call(request_id: Any, tool: str, **arguments: Any) -> bytes:
    """The line of a modern tool call."""
    params = {"name": tool, "arguments": arguments}
    return encoded(request(request_id, "tools/call", params)) + b"\n"


def answer(request_id: Any, text: str) -> bytes:
    """The line that answers a modern tool call with a text."""
    return (
        b'{"jsonrpc":"2.0","id":%b,"result":{"resultType":"complete",'
        b'"content":[{"type":"text","text":%b}],"_meta":{"io.modelcontextprotocol/serverInfo":'
        b'{"name":"everything","version":"1.0.0"}}}}\n'
    ) % (json.dumps(request_id).encode(), json.dumps(text).encode())


def failure(request_id: Any, text: str, code: str, *, retryable: bool) -> bytes:
    """The line that answers a modern tool call with a fault."""
    return (
        b'{"jsonrpc":"2.0","id":%b,"result":{"resultType":"complete",'
        b'"content":[{"type":"text","text":%b}],"isError":true,"_meta":{"typedargs/faults":'
        b'[{"code":%b,"path":"","expected":"","message":%b,"retryable":%b}],'
        b'"io.modelcontextprotocol/serverInfo":{"name":"everything","version":"1.0.0"}}}}\n'
    ) % tuple(json.dumps(value).encode() for value in (request_id, text, code, text, retryable))


class Served:
    """A running server; leaving the block ends it, whatever it does.

    Its standard streams are pipes unless others are given. All waiting ends after PATIENCE_SECONDS
    with a failure that shows what the server wrote to stderr.
    """

    def __init__(
        self,
        command: list[str],
        *,
        stdin: int | Any = subprocess.PIPE,
        stdout: int | Any = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        revision: str = versions.LATEST_LEGACY,
    ) -> None:
        self._reader = Reader(revision)
        self._pending = b""
        self.process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=ENVIRONMENT,
            bufsize=0,
        )
        self.stderr: list[str] = []
        """The lines that the server has written to stderr and the test has seen."""
        self._told: queue.Queue[str | None] = queue.Queue()
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._listening.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def send(self, *lines: bytes) -> None:
        """Write lines to the server, which must read them meanwhile."""
        data = b"".join(lines)
        self.expect(data)
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) or 0 :]

    def expect(self, data: bytes) -> None:
        """Take note that the server gets the requests in `data`."""
        for line in data.split(b"\n"):
            self._reader.sent(line)

    def close_input(self) -> None:
        """End the server's input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def line(self) -> bytes:
        """The next line that the server writes, checked; b"" at the end."""
        line = self._line()
        if line:
            self._reader.read(line.removesuffix(b"\n"))
        return line

    def text(self) -> str:
        """The next line of the server's output, which its program prints when it does not serve."""
        return self._line().decode().removesuffix("\n")

    def lines(self) -> list[bytes]:
        """All lines until the end of the server's output, checked."""
        return list(iter(self.line, b""))

    def read(self) -> bytes:
        """Some bytes of the server's output, unchecked; b"" at the end."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
        if not ready:
            self._give_up("it writes nothing")
        return os.read(self.process.stdout.fileno(), 1 << 16)

    def told(self, line: str) -> None:
        """Wait until the server writes this line to stderr."""
        while not self.stderr or self.stderr[-1] != line:
            try:
                told = self._told.get(timeout=PATIENCE_SECONDS)
            except queue.Empty:
                self._give_up(f"{line!r} does not appear")
            assert told is not None, f"no {line!r}, but {self.stderr}"
            self.stderr.append(told)

    def status(self) -> int:
        """The exit status of the server, which ends by itself; all of stderr is seen then."""
        try:
            status = self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._give_up("it does not end")
        while (told := self._told.get(timeout=PATIENCE_SECONDS)) is not None:
            self.stderr.append(told)
        return status

    def ends(self, status: int = 0) -> list[str]:
        """Wait until the server has ended, and return what it told on stderr."""
        ended = self.status()
        assert ended == status, f"exit status {ended}; stderr: {self.stderr}"
        return self.stderr

    def signal(self, number: signal.Signals) -> None:
        """Send the server a signal."""
        self.process.send_signal(number)

    def peak_memory(self) -> int:
        """The most memory that the server had up to now, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024

    def _line(self) -> bytes:
        while b"\n" not in self._pending:
            chunk = self.read()
            if not chunk:
                assert not self._pending, f"cut off: {self._pending[-200:]!r}"
                return b""
            self._pending += chunk
        line, end, self._pending = self._pending.partition(b"\n")
        return line + end

    def _listen(self) -> None:
        for line in self.process.stderr or ():
            self._told.put(line.decode().rstrip("\n"))
        self._told.put(None)

    def _give_up(self, why: str) -> Any:
        self.process.kill()
        while not self._told.empty():
            self.stderr.append(str(self._told.get()))
        raise AssertionError(f"{why} for {PATIENCE_SECONDS} s; stderr: {self.stderr}")
