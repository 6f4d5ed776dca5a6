"""The clients: the ways to a server's process, by stdio or HTTP, and what they measure by."""

import http.client
import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from ..measures import environment
from ..process import Process
from ..wire import INITIALIZED, Era, WrongAnswer, initialize
from .messages import Asked, Requests, Result, check

_SERVERS: Final = Path(__file__).parents[1] / "servers"
_CHUNK: Final = 1 << 16
_ENOUGH: Final = 30
_ALIGNMENT: Final = 16
"""Bytes to whose multiples Python rounds the size of an object up."""
_ENOUGH_SECONDS: Final = 0.05
_SERVES: Final = re.compile(r"serves MCP at http://127\.0\.0\.1:([0-9]+)/mcp")


class Script(Process):
    """One of the servers here, by its script and the script's arguments."""

    def __init__(self, script: str, *arguments: str, patience: float) -> None:
        command = [sys.executable, str(_SERVERS / script), *arguments]
        name = " ".join((script, *arguments))
        super().__init__(command, environment(), patience, f"{name}: ")


class Stdio(Script):
    """A server on stdio and its one client."""

    def __init__(
        self, script: str, *arguments: str, era: Era = Era.MODERN, patience: float = 120.0
    ) -> None:
        super().__init__(script, *arguments, patience=patience)
        self._parts: list[bytes] = []
        """The pieces of a line that has not ended."""
        self._lines: list[bytes] = []
        self.requests = Requests(era)
        self._era = era

    def open(self) -> None:
        """Open the session, where the era has one."""
        if self._era is Era.LEGACY:
            (answer,) = self.exchange(initialize(0), 1)
            if b'"serverInfo"' not in answer:
                raise WrongAnswer(f"not an answer to initialize: {answer!r}")
            self.send(INITIALIZED)

    def ask(self, method: str, params: Mapping[str, Any], **expected: Any) -> Result:
        """Make a request and return its result, which has what is expected."""
        asked = self.requests.make(method, params, **expected)
        (result,) = check([asked], self.exchange(asked.line, 1))
        return result

    def call(self, tool: str, arguments: Mapping[str, Any], **expected: Any) -> Result:
        """Call a tool and return its structured content."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, **expected)
        structured: Result = result["structuredContent"]
        return structured

    def timed(self, asked: Sequence[Asked]) -> float:
        """Make requests at once and check their answers; return the seconds that these took."""
        block = b"".join(each.line for each in asked)
        began = time.perf_counter()
        lines = self.exchange(block, len(asked))
        took = time.perf_counter() - began
        check(asked, lines)
        return took

    def exchange(self, block: bytes, count: int) -> list[bytes]:
        """Write `block`, and return the next `count` lines; raises WrongAnswer where more come."""
        self.send(block)
        found = self._lines
        while len(found) < count:
            self._read()
        if len(found) > count:
            raise WrongAnswer(f"a line that nobody asked for: {found[count][:500]!r}")
        self._lines = []
        return found

    def lines(self) -> list[bytes]:
        """Return the lines that are there, or those that come next."""
        while not self._lines:
            self._read()
        found, self._lines = self._lines, []
        return found

    def send(self, block: bytes) -> None:
        """Write `block`, reading meanwhile what comes."""
        rest = memoryview(block)
        while rest:
            try:
                rest = rest[os.write(self._to, rest) :]
            except BlockingIOError:
                readable, _, _ = select.select([self._from], [self._to], [])
                if readable:
                    self._read()

    def _read(self) -> None:
        chunk = os.read(self._from, _CHUNK)
        if not chunk:
            raise EOFError("the server ended, or was too slow")
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._lines.append(b"".join([*self._parts, part]))
            self._parts.clear()
        if rest:
            self._parts.append(rest)


class Http(Script):
    """A server by HTTP; says its port."""

    def __init__(self, script: str, *arguments: str, patience: float = 120.0) -> None:
        super().__init__(script, *arguments, patience=patience)
        self._patience = patience

    def port(self) -> int:
        """Wait until it serves, and return its port."""
        while (found := _SERVES.search(self.told())) is None:
            if self._process.poll() is not None:
                raise EOFError("the server ended")
            time.sleep(0.01)
        return int(found[1])

    def connect(self) -> http.client.HTTPConnection:
        """Return a connection, to be closed."""
        return http.client.HTTPConnection("127.0.0.1", self.port(), timeout=self._patience)


def traced(server: Stdio) -> tuple[int, int]:
    """Return the bytes that a traced server holds, and the most since this was last asked."""
    told = server.call("memory", {})
    return int(told["held"]), int(told["peak"])


def medians(measures: Mapping[int, Callable[[], float]], rounds: int) -> dict[int, float]:
    """Return the median of each measure over so many rounds, in which they take turns.

    So whatever slows the machine for a while slows all alike. What takes little time is measured
    several times in a round. One time before is left out.
    """
    found: dict[int, list[float]] = {size: [] for size in measures}
    for measure in measures.values():
        measure()
    for _ in range(rounds):
        for size, measure in measures.items():
            found[size].append(_repeated(measure))
    return {size: median(times) for size, times in found.items()}


def _repeated(measure: Callable[[], float]) -> float:
    times = [measure()]
    while sum(times) < _ENOUGH_SECONDS and len(times) < _ENOUGH:
        times.append(measure())
    return median(times)


def allocated(values: Iterable[Any]) -> int:
    """Return the bytes that are allocated for the values, without what they refer to."""
    return sum(-(-sys.getsizeof(value) // _ALIGNMENT) * _ALIGNMENT for value in values)
