"""The floor on an event loop: asyncio reads the pipe, and each call is a task.

It is the least that a server does which can run calls at once; it knows nothing else either.
"""

import asyncio
import os
import sys
from typing import Any

# Found beside this script, which is run by its path.
from floor import add, decode, encode, initialize  # type: ignore[import-not-found]

_METHODS = {"tools/call": add, "initialize": initialize}


class Lines(asyncio.Protocol):
    """Answers lines; the answers of one chunk are written together."""

    def __init__(self, ended: "asyncio.Future[None]") -> None:
        self._ended = ended
        self._pending = b""
        self._answers: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        """Start a task for each request."""
        loop = asyncio.get_running_loop()
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            message = decode(line)
            if "id" in message:
                loop.create_task(self._answer(message))  # noqa: RUF006  # it never waits
        loop.call_soon(self._write)

    async def _answer(self, message: dict[str, Any]) -> None:
        result = _METHODS[message["method"]](message["params"])
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        self._answers.append(encode(answer) + b"\n")

    def _write(self) -> None:
        if self._answers:
            os.write(1, b"".join(self._answers))
            self._answers.clear()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """End with the input."""
        self._ended.set_result(None)


async def main() -> None:
    """Serve until the end of input."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    await loop.connect_read_pipe(lambda: Lines(ended), sys.stdin.buffer)
    await ended


if __name__ == "__main__":
    asyncio.run(main())
