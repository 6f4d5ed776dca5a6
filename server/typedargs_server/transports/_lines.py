"""Chunks of bytes to lines, within a bound on the length of one; pure, no IO."""

from typing import Final, Literal, TypeAlias

import attrs

TOO_LONG: Final = "too long"
Line: TypeAlias = bytes | Literal["too long"]


@attrs.define
class LineSplitter:
    """Collects chunks; gives back the lines without their ends, blank ones left out.

    Of a line over `max_bytes` nothing is kept: it comes out as TOO_LONG when it ends.
    """

    max_bytes: int
    _pending: list[bytes] = attrs.field(factory=list)
    _length: int = 0

    def feed(self, chunk: bytes) -> list[Line]:
        """Return the lines that `chunk` completes."""
        *ended, rest = chunk.split(b"\n")
        lines: list[Line] = []
        for part in ended:
            self._keep(part)
            lines += self.end()
        self._keep(rest)
        return lines

    def end(self) -> list[Line]:
        """Return the line that is pending as if it ended here; none where it is blank."""
        line: Line = TOO_LONG if self._length > self.max_bytes else b"".join(self._pending)
        self._pending.clear()
        self._length = 0
        return [line] if line == TOO_LONG or line.strip() else []

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self.max_bytes:
            if part:
                self._pending.append(part)
        else:
            self._pending.clear()
