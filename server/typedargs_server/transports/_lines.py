"""Chunks of bytes to lines, within a bound on the length of one; pure, no IO."""

import codecs
from io import BytesIO
from typing import Final, Literal, TypeAlias

TOO_LONG: Final = "too long"
Line: TypeAlias = bytes | Literal["too long"]


class LineSplitter:
    """Collects chunks; gives back the lines, some with their ends, which JSON does not mind.

    Of a line over `max_bytes`, its end not counted, nothing is kept: it comes out as TOO_LONG when
    it ends. A byte order mark, which some editors put before the first line, is no part of it.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pending = bytearray()
        self._length = 0
        self._at_start = True

    def feed(self, chunk: bytes) -> list[Line]:
        """Return the lines that `chunk` completes."""
        lines: list[Line] = [*BytesIO(chunk)]  # several times as fast as `split`
        is_usual = chunk.endswith(b"\n") and len(chunk) <= self._max_bytes
        if is_usual and not self._length and not self._at_start:
            return lines
        rest = chunk[chunk.rfind(b"\n") + 1 :]
        if rest:
            del lines[-1]
        if len(chunk) > self._max_bytes:
            lines = [TOO_LONG if len(line) - 1 > self._max_bytes else line for line in lines]
        if lines and (self._length or self._at_start):
            first = chunk[: chunk.index(b"\n")]
            self._keep(first)
            lines[:1] = self.end()
        if rest:
            self._keep(rest)
        return lines

    def end(self) -> list[Line]:
        """Return the line that is pending as if it ended here; none where nothing is."""
        line: Line = TOO_LONG if self._length > self._max_bytes else bytes(self._pending)
        self._pending.clear()
        self._length = 0
        if self._at_start and isinstance(line, bytes):
            line = line.removeprefix(codecs.BOM_UTF8)
        self._at_start = False
        return [line] if line else []

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._max_bytes:
            self._pending += part
        else:
            self._pending.clear()


def is_utf8(data: bytes) -> bool:
    """Tell whether all of `data` is UTF-8; what a parser of JSON skips, it may not look at."""
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
