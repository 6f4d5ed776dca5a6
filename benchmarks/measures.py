"""What is measured, of which servers: the tables, and the rounds that fill them with numbers."""

import os
import statistics
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

import attrs

from .driver import Driver
from .process import ServerFailed
from .wire import Era

_SERVERS = Path(__file__).parent / "servers"


@attrs.frozen
class Server:
    """A server under measure: its name, its script, the distribution that it shows."""

    name: str
    script: str
    distribution: str

    @property
    def version(self) -> str:
        """The version of the distribution, as installed."""
        return metadata.version(self.distribution)


FLOOR = Server("floor", "floor.py", "msgspec")
EVENT_LOOP = Server("event loop", "event_loop.py", "msgspec")
OURS = Server("typedargs", "typedargs_server_.py", "typedargs-mcp")
MCP = Server("mcp", "mcp_.py", "mcp")
SERVERS = (FLOOR, EVENT_LOOP, OURS, MCP, Server("fastmcp", "fastmcp_.py", "fastmcp"))


@attrs.frozen
class Measure:
    """One number about a server: its name, its unit, and what a good server's is.

    `to_mcp` and `to_floor` are what the ratio of our number to theirs must be: at most, or at least
    if `rising`. `bound` is so for the number itself.
    """

    key: str
    title: str
    unit: str
    rising: bool
    to_mcp: float
    to_floor: float | None = None
    bound: float | None = None

    def holds(self, found: float, required: float) -> bool:
        """Tell whether a number or a ratio is as good as required."""
        return found >= required if self.rising else found <= required


MEASURES = (
    Measure("start", "start to first answer", "ms", rising=False, to_mcp=0.2, to_floor=6),
    Measure("memory", "peak memory", "MiB", rising=False, to_mcp=0.5, bound=30),
    Measure(
        "sequential", "calls one after another", "calls/s", rising=True, to_mcp=4, to_floor=1 / 1.2
    ),
    Measure("pipelined", "100 calls at a time", "calls/s", rising=True, to_mcp=25, to_floor=0.8),
)


@attrs.frozen
class Load:
    """How much is asked: so many rounds, and in each of every server so many lots of calls."""

    rounds: int
    sequential_lots: int
    pipelined_lots: int
    lot: int = 100
    patience: float = 300.0


FULL = Load(rounds=7, sequential_lots=20, pipelined_lots=20)
QUICK = Load(rounds=3, sequential_lots=5, pipelined_lots=5)

Sample = dict[str, float]
"""The number of each measure, by its key, from one process."""


@attrs.frozen
class Series:
    """The samples of one era: of every server one in each round, taken in turn."""

    era: Era
    samples: dict[str, list[Sample]]

    def median(self, server: Server, measure: Measure) -> float:
        """Give the median over the rounds."""
        return statistics.median(self._numbers(server, measure))

    def ratio(self, server: Server, to: Server, measure: Measure) -> float:
        """Give the median over the rounds of the ratio of two servers' numbers in that round.

        The two of a round were taken within seconds: what slows the machine, slows both.
        """
        pairs = zip(self._numbers(server, measure), self._numbers(to, measure), strict=True)
        return statistics.median(one / other for one, other in pairs)

    def _numbers(self, server: Server, measure: Measure) -> list[float]:
        return [sample[measure.key] for sample in self.samples[server.name]]


def run(load: Load, servers: Sequence[Server], tell: Callable[[str], None]) -> list[Series]:
    """Measure every server in both eras, interleaved; `tell` hears of the progress.

    Raises `ServerFailed` when a server does not answer, or not with the right sums.
    """
    every = [Series(era, {server.name: [] for server in servers}) for era in Era]
    for server in servers:  # once unmeasured, so that all bytecode is compiled and in memory
        _sample(server, Era.LEGACY, attrs.evolve(load, sequential_lots=1, pipelined_lots=1))
    for number in range(load.rounds):
        for series in every:
            for server in servers:
                tell(f"round {number + 1} of {load.rounds}, {series.era.value}, {server.name}")
                series.samples[server.name].append(_sample(server, series.era, load))
    return every


def _sample(server: Server, era: Era, load: Load) -> Sample:
    command = [sys.executable, str(_SERVERS / server.script)]
    try:
        with Driver(command, environment(), era, load.patience) as driver:
            start = driver.open()
            driver.one_after_another(load.lot)  # warms up
            sequential = [driver.one_after_another(load.lot) for _ in range(load.sequential_lots)]
            pipelined = [driver.at_once(load.lot) for _ in range(load.pipelined_lots)]
            memory = driver.peak_memory()
    except ServerFailed as error:
        raise ServerFailed(f"{server.name}, {era.value}: {error}") from error
    return {
        "start": start * 1e3,
        "memory": memory / (1 << 20),
        "sequential": load.lot / statistics.median(sequential),
        "pipelined": load.lot / statistics.median(pipelined),
    }


def environment() -> dict[str, str]:
    """Give the environment of servers: ours, without what changes how Python starts and runs.

    Without bytecode on disk a library from a checkout would be compiled at every start, one that
    pip installed would not.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") or name in ("PYTHONPATH", "PYTHONHOME")
    }
