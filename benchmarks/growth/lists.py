"""Tools: registering, listing, and listing them unchanged, and the memory, beside `mcp`."""

import re
import time
from collections.abc import Sequence
from statistics import median
from typing import Final

import attrs
import msgspec

from ..wire import Era, WrongAnswer
from .curve import Aim, Curve, Point
from .load import Load
from .messages import Asked, check
from .process import Stdio

_OURS: Final = "growth_tools.py"
_MCP: Final = "growth_tools_mcp.py"
_REGISTERED: Final = re.compile(r"registered in ([0-9.]+) s")
_UNCHANGED: Final = 20
_OUR_LOT: Final = 200
_THEIR_LOT: Final = 10
"""Lists asked of a process."""
_RATIO: Final = 100.0
"""What our lists per second must be, to those of `mcp`."""
_FEW: Final = (5, 10, 20, 40)
_USUAL: Final = 20
"""So many tools a server may have, of which the peak of memory is compared with `mcp`'s."""
_CALLS: Final = 10
"""Calls of each tool before the memory is read."""
_PEAK: Final = 30.0
_PEAK_RATIO: Final = 0.5


class _Page(msgspec.Struct, rename="camel"):
    next_cursor: str | None = None


class _Answer(msgspec.Struct):
    result: _Page


_decode_page: Final = msgspec.json.Decoder(_Answer).decode


def tools(load: Load) -> list[Curve]:
    """Measure the registering of tools, their first list, and a list unchanged since the last."""
    _sample(0)  # so that all bytecode is compiled: to compile takes memory
    samples: dict[int, list[_Sample]] = {size: [] for size in load.tools}
    for _ in range(load.tools_rounds):
        before = _sample(0).resident
        for size, found in samples.items():
            sample = _sample(size)
            found.append(attrs.evolve(sample, resident=sample.resident - before))
    registering, first, unchanged = [], [], []
    for size, found in samples.items():
        memory = median(sample.resident for sample in found)
        registering.append(Point(size, median(sample.registering for sample in found), memory))
        first.append(Point(size, median(sample.first for sample in found)))
        unchanged.append(Point(size, median(sample.unchanged for sample in found)))
    return [
        Curve("Tools registered, and held when they were listed", "tool", registering),
        Curve("The first full `tools/list`", "tool", first),
        Curve("`tools/list` unchanged since the last", "tool", unchanged),
    ]


def lists(load: Load) -> list[Curve]:
    """Measure lists unchanged since the last, one after another; of the most tools beside `mcp`."""
    ours: dict[int, list[_Lists]] = {size: [] for size in load.tools_listed}
    theirs: list[_Lists] = []
    most = load.tools_listed[-1]
    for _ in range(load.peer_rounds):
        for size, found in ours.items():
            found.append(_unchanged(_OURS, size, _OUR_LOT))
        theirs.append(_unchanged(_MCP, most, _THEIR_LOT))
    points = [Point(size, median(each.median for each in found)) for size, found in ours.items()]
    rates = [median(each.rate for each in found) for found in ours.values()]
    ratio = median(our.rate / their.rate for our, their in zip(ours[most], theirs, strict=True))
    blanks = [""] * (len(points) - 1)
    columns = {
        "lists/s": [f"{rate:,.0f}" for rate in rates],
        "lists/s of `mcp`": [*blanks, f"{median(each.rate for each in theirs):.3g}"],
        "to `mcp`": [*blanks, f"{ratio:.3g} x"],
    }
    aim = Aim(f"lists/s of {most:,} tools to those of `mcp`", ratio, _RATIO, " x", rising=True)
    title = "`tools/list` unchanged since the last, beside `mcp`"
    return [Curve(title, "tool", points, columns, [aim])]


def memory(load: Load) -> list[Curve]:
    """Measure the peak of memory of a server whose tools were listed and called, beside `mcp`."""
    _peak(_OURS, 1)  # so that all bytecode is compiled: to compile takes memory
    ours: dict[int, list[float]] = {size: [] for size in _FEW}
    theirs: list[float] = []
    for _ in range(load.peer_rounds):
        for size, found in ours.items():
            found.append(_peak(_OURS, size))
        theirs.append(_peak(_MCP, _USUAL))
    points = [Point(size, memory=median(found)) for size, found in ours.items()]
    peak = median(ours[_USUAL]) / (1 << 20)
    ratio = median(our / their for our, their in zip(ours[_USUAL], theirs, strict=True))
    aims = [
        Aim(f"the peak with {_USUAL} tools", peak, _PEAK, " MiB"),
        Aim(f"the peak with {_USUAL} tools to that of `mcp`", ratio, _PEAK_RATIO, " x"),
    ]
    return [Curve("Peak of memory of a server on stdio", "tool", points, aims=aims)]


def _peak(script: str, size: int) -> float:
    """Return the most memory that a server had which was asked for all it has, in bytes."""
    with Stdio(script, str(size), era=Era.LEGACY) as server:
        server.open()
        _list_all(server, size)
        for number in range(size):
            for _ in range(_CALLS):
                server.call(f"add_{number}", {"a": number, "b": 0.5})
        return server.peak() or server.resident()


@attrs.frozen
class _Sample:
    """What one process with so many tools has taken: seconds, and bytes of memory."""

    registering: float
    first: float
    unchanged: float
    resident: int


def _sample(size: int) -> _Sample:
    with Stdio(_OURS, str(size)) as server:
        server.ask("server/discover", {})
        registered = _REGISTERED.search(server.told())
        if registered is None:
            raise WrongAnswer("it does not tell how long it took to register")
        first = _list_all(server, size)
        unchanged = median(_list_all(server, size) for _ in range(_UNCHANGED))
        return _Sample(float(registered[1]), first, unchanged, server.resident())


@attrs.frozen
class _Lists:
    """The seconds of each list of a lot, one after another."""

    times: Sequence[float]

    @property
    def median(self) -> float:
        """The seconds of one."""
        return median(self.times)

    @property
    def rate(self) -> float:
        """Lists per second; of `mcp` some take several times what others do."""
        return len(self.times) / sum(self.times)


def _unchanged(script: str, size: int, lot: int) -> _Lists:
    """Return the lists of all tools after the first."""
    with Stdio(script, str(size), era=Era.LEGACY) as server:
        server.open()
        _list_all(server, size)
        return _Lists([_list_all(server, size) for _ in range(lot)])


def _list_all(server: Stdio, size: int) -> float:
    """List all pages, check that they have all tools, and return the seconds until they came."""
    requests = server.requests
    asked: list[Asked] = [requests.make("tools/list", {})]
    lines: list[bytes] = []
    took = 0.0
    while True:
        began = time.perf_counter()
        lines += server.exchange(asked[-1].line, 1)
        took += time.perf_counter() - began
        cursor = _decode_page(lines[-1]).result.next_cursor
        if cursor is None:
            break
        asked.append(requests.make("tools/list", {"cursor": cursor}))
    listed = [tool for result in check(asked, lines) for tool in result["tools"]]
    if [tool["name"] for tool in listed] != [f"add_{number}" for number in range(size)]:
        raise WrongAnswer(f"{len(listed)} tools listed, and not the {size} that there are")
    if not all({"a", "b"} == tool["inputSchema"]["properties"].keys() for tool in listed):
        raise WrongAnswer("tools without their schemas")
    return took
