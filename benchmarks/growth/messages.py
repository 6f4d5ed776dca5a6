"""What the clients say and hear: requests as bytes before the clock, answers checked after it.

Written from the specification alone: the servers under measure share no code with it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs
import msgspec

from ..wire import Era, WrongAnswer

_encode: Final = msgspec.json.Encoder().encode
_CLIENT: Final = {"name": "benchmarks", "version": "1.0.0"}
META: Final = {
    "io.modelcontextprotocol/protocolVersion": Era.MODERN.value,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""The `_meta` of every request of the modern era."""

Result = dict[str, Any]


@attrs.frozen
class Asked:
    """A request: the line to send, and what its result must have, at least."""

    id: int
    line: bytes
    expected: Mapping[str, Any]


class Requests:
    """Makes the requests of one client, each with an id of its own."""

    def __init__(self, era: Era) -> None:
        self._era = era
        self._last = 0

    def make(self, method: str, params: Mapping[str, Any], **expected: Any) -> Asked:
        """Return a request."""
        self._last += 1
        told = dict(params)
        if self._era is Era.MODERN:
            told["_meta"] = META
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": told}
        return Asked(self._last, _encode(message) + b"\n", expected)

    def call(self, tool: str, arguments: Mapping[str, Any], **expected: Any) -> Asked:
        """Return a call of a tool."""
        return self.make("tools/call", {"name": tool, "arguments": arguments}, **expected)

    def sum(self, tool: str) -> Asked:
        """Return a call of a tool that adds, with numbers of its own."""
        a, b = self._last + 0.5, self._last / 4  # sums of such numbers are exact
        return self.call(tool, {"a": a, "b": b}, structuredContent={"sum": a + b})


class _Answer(msgspec.Struct):
    jsonrpc: str
    id: int
    result: Result


class _Notified(msgspec.Struct):
    method: str
    params: Result


_decode_answer: Final = msgspec.json.Decoder(_Answer).decode
_decode_notified: Final = msgspec.json.Decoder(_Notified).decode


def check(asked: Iterable[Asked], lines: Iterable[bytes]) -> list[Result]:
    """Return the results in `lines`, in their order, which is any.

    Raises WrongAnswer unless they are one for each request, with what it expects.
    """
    expected = {each.id: each.expected for each in asked}
    results = []
    for line in lines:
        try:
            answer = _decode_answer(line)
            wanted = expected.pop(answer.id)
        except (msgspec.MsgspecError, KeyError) as error:
            raise WrongAnswer(f"not an answer to a request ({error}): {line[:500]!r}") from error
        result = answer.result
        if any(result.get(name) != value for name, value in wanted.items()):
            raise WrongAnswer(f"not the right answer: {line[:500]!r}")
        results.append(result)
    if expected:
        raise WrongAnswer(f"{len(expected)} requests without an answer")
    return results


def notified(line: bytes, method: str) -> Result:
    """Return the parameters of a notification; raises WrongAnswer for anything else."""
    try:
        found = _decode_notified(line)
    except msgspec.MsgspecError as error:
        raise WrongAnswer(f"not a notification ({error}): {line[:500]!r}") from error
    if found.method != method:
        raise WrongAnswer(f"not {method}: {line[:500]!r}")
    return found.params
