"""Large arguments and results: their time, and how many copies of them there are at the peak.

The message itself, as read or written, and the value that it is parsed to or made from are
needed. A copy is as much memory as the payload has bytes of JSON, beyond these two. What is counted
is resident, where the system tells the largest resident size, for a buffer that is larger than what
stands in it costs nothing; what Python has allocated is told beside. Of small payloads the chunk in
which a server reads, and whole pages, are more than the payload.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

import attrs
import msgspec

from .curve import Aim, Curve, Point
from .load import Load
from .messages import Asked, Requests, check
from .process import Stdio, allocated, medians, traced

_SERVER: Final = "growth_load.py"
_NUMBER_BYTES: Final = 9
"""About what a number takes in JSON, with its comma."""
_SMALL: Final = 1_000
"""The bytes of a first call, so that what it alone takes is not counted."""
_MOST: Final = 1.25
"""How many copies there may be of the largest payload: one, and what allocators add."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


@attrs.frozen
class _Payload:
    """A call with a large argument or result: the request, and the large value."""

    asked: Asked
    value: Any

    @property
    def size(self) -> int:
        """Bytes of its JSON."""
        return len(_encode(self.value))

    @property
    def held(self) -> int:
        """Bytes of the value in memory."""
        parsed = _decode(_encode(self.value))
        return allocated([parsed, *parsed] if isinstance(parsed, list) else [parsed])


def _text_taken(requests: Requests, size: int) -> _Payload:
    text = "x" * size
    asked = requests.call("length", {"text": text}, structuredContent={"count": size})
    return _Payload(asked, text)


def _numbers_taken(requests: Requests, size: int) -> _Payload:
    numbers = _numbers(size)
    expected = {"sum": sum(numbers)}
    asked = requests.call("total", {"numbers": numbers}, structuredContent=expected)
    return _Payload(asked, numbers)


def _text_given(requests: Requests, size: int) -> _Payload:
    text = "x" * size
    content = [{"type": "text", "text": text}]
    return _Payload(requests.call("text", {"count": size}, content=content), text)


def _structured_text_given(tool: str, requests: Requests, size: int) -> _Payload:
    text = "x" * size
    asked = requests.call(tool, {"count": size}, structuredContent={"text": text})
    return _Payload(asked, text)


def _numbers_given(tool: str, requests: Requests, size: int) -> _Payload:
    numbers = _numbers(size)
    expected = {"numbers": numbers}
    asked = requests.call(tool, {"count": len(numbers)}, structuredContent=expected)
    return _Payload(asked, numbers)


def _numbers(size: int) -> list[float]:
    return [number + 0.5 for number in range(size // _NUMBER_BYTES)]


Maker = Callable[[Requests, int], _Payload]

_CASES: Final[Mapping[str, Maker]] = {
    "An argument, one string": _text_taken,
    "An argument, a list of numbers": _numbers_taken,
    "A result, unstructured text": _text_given,
    "A result, structured, one string": partial(_structured_text_given, "structured_text"),
    "The same, of a tool that takes a context": partial(
        _structured_text_given, "structured_text_in_context"
    ),
    "A result, structured, a list of numbers": partial(_numbers_given, "numbers"),
    "The same numbers, of a tool that takes a context": partial(
        _numbers_given, "numbers_in_context"
    ),
}


def payloads(load: Load) -> list[Curve]:
    """Measure the large arguments and results."""
    with Stdio(_SERVER, "--traced") as tracing:
        return [_curve(title, make, load, tracing) for title, make in _CASES.items()]


def _curve(title: str, make: Maker, load: Load, tracing: Stdio) -> Curve:
    with ExitStack() as stack:
        servers = {size: stack.enter_context(Stdio(_SERVER)) for size in load.payloads}
        taken = [_taken(make, size, server, tracing) for size, server in servers.items()]
        times = medians(
            {size: partial(_time, make, size, servers[size]) for size in servers},
            load.rounds,
        )
    columns = {
        "peak to payload": [f"{each.peak / each.size:.2f} x" for each in taken],
        "traced": [f"{each.traced / each.size:.2f} x" for each in taken],
        "message and value": [f"{each.needed / each.size:.2f} x" for each in taken],
        "copies beyond": [f"{each.copies:.2f}" for each in taken],
    }
    points = [
        Point(each.size, seconds, each.peak)
        for each, seconds in zip(taken, times.values(), strict=True)
    ]
    aim = Aim("copies of the largest payload", taken[-1].copies, _MOST)
    return Curve(title, "byte", points, columns, [aim])


def _time(make: Maker, size: int, server: Stdio) -> float:
    return server.timed([make(server.requests, size).asked])


@attrs.frozen
class _Taken:
    """What a payload of `size` bytes takes at the peak, in bytes above those before.

    `peak` is what is resident, where the system tells it, `traced` what Python has allocated;
    `needed` are the message and the value.
    """

    size: int
    peak: int
    traced: int
    needed: int

    @property
    def copies(self) -> float:
        """How many copies there are."""
        return (self.peak - self.needed) / self.size


def _taken(make: Maker, size: int, server: Stdio, tracing: Stdio) -> _Taken:
    payload = make(tracing.requests, size)
    message, in_python = _traced_peak(make, payload, tracing)
    _once(server, make(server.requests, _SMALL))
    before = server.resident()
    server.forget_peak()
    _once(server, make(server.requests, size))
    resident = server.peak()
    peak = in_python if resident is None else resident - before
    return _Taken(payload.size, peak, in_python, message + payload.held)


def _traced_peak(make: Maker, payload: _Payload, server: Stdio) -> tuple[int, int]:
    """Return the bytes of the payload's message, and of the most that Python held meanwhile."""
    _once(server, make(server.requests, _SMALL))
    traced(server)
    before, _ = traced(server)
    message = _once(server, payload)
    _, peak = traced(server)
    return message, peak - before


def _once(server: Stdio, payload: _Payload) -> int:
    """Make the call, and return the bytes of its message, the longer one of request and answer."""
    lines = server.exchange(payload.asked.line, 1)
    check([payload.asked], lines)
    return max(len(lines[0]), len(payload.asked.line))
