"""What the driver says and hears: the bytes of requests in each era, the check of answers.

Written from the specification alone: the servers under measure share no code with it.
"""

import enum
from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs
import msgspec

_encode: Final = msgspec.json.Encoder().encode
_CLIENT: Final = {"name": "benchmarks", "version": "1.0.0"}


class Era(enum.Enum):
    """A way to talk to a server, by its latest revision of the protocol."""

    LEGACY = "2025-11-25"
    MODERN = "2026-07-28"


class WrongAnswer(Exception):
    """A server answered something else than the sums that were asked for."""


class _Sum(msgspec.Struct):
    sum: float


class _Result(msgspec.Struct, rename="camel"):
    content: list[dict[str, Any]]
    structured_content: _Sum
    is_error: bool = False


class _Answer(msgspec.Struct):
    jsonrpc: str
    id: int
    result: _Result


_decode_answer: Final = msgspec.json.Decoder(_Answer).decode


@attrs.frozen
class Call:
    """A call of `add`: the line to send, the sum to expect."""

    id: int
    line: bytes
    sum: float


def calls(era: Era, ids: Iterable[int]) -> list[Call]:
    """Make calls of `add`, one for each id; each has numbers of its own."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": era.value,
        "io.modelcontextprotocol/clientInfo": _CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    made = []
    for number in ids:
        a, b = number + 0.5, number / 4  # sums of such numbers are exact
        params: dict[str, Any] = {"name": "add", "arguments": {"a": a, "b": b}}
        if era is Era.MODERN:
            params["_meta"] = meta
        made.append(Call(number, _request(number, "tools/call", params), a + b))
    return made


def initialize(number: int) -> bytes:
    """Give the line that opens a legacy session."""
    return _request(
        number,
        "initialize",
        {"protocolVersion": Era.LEGACY.value, "capabilities": {}, "clientInfo": _CLIENT},
    )


INITIALIZED: Final = _encode({"jsonrpc": "2.0", "method": "notifications/initialized"}) + b"\n"
"""The line that says that a legacy session is open."""


def check(asked: Sequence[Call], lines: Sequence[bytes]) -> None:
    """Raise `WrongAnswer` unless `lines`, in any order, answer each call asked with its sum."""
    open_calls = {call.id: call.sum for call in asked}
    for line in lines:
        try:
            answer = _decode_answer(line)
            right = open_calls.pop(answer.id) == answer.result.structured_content.sum
        except (msgspec.MsgspecError, KeyError) as error:
            raise WrongAnswer(f"not an answer to a call ({error}): {line!r}") from error
        if not right or answer.result.is_error or not answer.result.content:
            raise WrongAnswer(f"not the sum of the call: {line!r}")
    if open_calls:
        raise WrongAnswer(f"calls without an answer: {sorted(open_calls)}")


def _request(number: int, method: str, params: dict[str, Any]) -> bytes:
    return _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + b"\n"
