"""One call in process, from the bytes of the request to the bytes of the answer, beside a floor.

    python -m benchmarks.inprocess [--quick] [--require]

No pipe and no socket: what the server itself costs. The floor parses, adds and encodes, and knows
nothing else. A call through the in-memory client of `mcp`, which has no bytes, is beside them. Each
round takes the three in turn; a ratio is taken within a round, and its median is told. With
`--require` the exit status is 1 where a ratio is not what it should be. A wrong answer ends the run
with exit status 2.
"""

import asyncio
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final, Literal

import attrs
from mcp import Client

from typedargs_server.direct import Direct
from typedargs_server.effects import whole
from typedargs_server.protocol import Connection
from typedargs_server.runner import Runner

from .command import ended, parser
from .servers import floor, mcp_, typedargs_server_
from .wire import INITIALIZED, Call, Era, WrongAnswer, calls, check, initialize

MOST_TO_FLOOR: Final = 3.0
LEAST_OF_MCP: Final = 25.0

_MODES: Final[dict[Era, Literal["legacy", "auto"]]] = {Era.LEGACY: "legacy", Era.MODERN: "auto"}


@attrs.frozen
class Load:
    """So many rounds, and in each so many calls; of `mcp`'s client, fewer."""

    rounds: int
    calls: int
    mcp_calls: int


FULL = Load(rounds=15, calls=10_000, mcp_calls=300)
QUICK = Load(rounds=5, calls=3_000, mcp_calls=50)


@attrs.frozen
class Times:
    """Of one era: for each round, the seconds that one call takes."""

    era: Era
    floor: list[float]
    typedargs: list[float]
    mcp: list[float]

    @property
    def to_floor(self) -> float:
        """The median of the ratio of our time to the floor's."""
        pairs = zip(self.typedargs, self.floor, strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)

    @property
    def of_mcp(self) -> float:
        """The median of the ratio of the time of `mcp` to ours."""
        pairs = zip(self.mcp, self.typedargs, strict=True)
        return statistics.median(theirs / ours for theirs, ours in pairs)


async def run(load: Load) -> list[Times]:
    """Return what was measured in both eras; raises WrongAnswer."""
    return [await _measured(era, load) for era in Era]


async def _measured(era: Era, load: Load) -> Times:
    times = Times(era, [], [], [])
    asked = calls(era, range(1, load.calls + 1))
    mode = _MODES[era]
    server = typedargs_server_.server
    async with server._runner() as runner, Client(mcp_.server, mode=mode) as client:
        answer = _answering(runner, era)
        for _ in range(load.rounds):
            with _timed(times.floor, load.calls):
                answers = _each(_floor, asked)
            check(asked, answers)
            with _timed(times.typedargs, load.calls):
                answers = _each(answer, asked)
            check(asked, answers)
            with _timed(times.mcp, load.mcp_calls):
                await _by_client(client, load.mcp_calls)
    return times


def _answering(runner: Runner, era: Era) -> Callable[[bytes], bytes]:
    """Return what answers a call of a client of the era."""
    connection = Connection(runner.definition)
    if era is Era.LEGACY:
        connection.receive(initialize(0))
        connection.receive(INITIALIZED)
    direct = Direct(runner, connection)

    def answer(line: bytes) -> bytes:
        sent = direct.answer(line)
        if sent is None:
            raise WrongAnswer(f"not a call that is answered directly: {line!r}")
        return whole(sent[0])

    return answer


def _floor(line: bytes) -> bytes:
    message = floor.decode(line)
    result = floor.add(message["params"])
    return floor.encode({"jsonrpc": "2.0", "id": message["id"], "result": result})


def _each(answer: Callable[[bytes], bytes], asked: Sequence[Call]) -> list[bytes]:
    return [answer(call.line) for call in asked]


async def _by_client(client: Client, count: int) -> None:
    for number in range(count):
        result = await client.call_tool("add", {"a": number, "b": 0.5})
        if result.structured_content != {"sum": number + 0.5}:
            raise WrongAnswer(f"mcp: not the sum of {number} and 0.5: {result}")


@contextmanager
def _timed(times: list[float], count: int) -> Iterator[None]:
    began = time.perf_counter()
    yield
    times.append((time.perf_counter() - began) / count)


def markdown(every: Sequence[Times], load: Load) -> str:
    """Return a table, and what it was measured with."""
    lines = [
        "| era | floor | typedargs | `mcp`'s client | typedargs to the floor | times `mcp` |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for times in every:
        medians = [statistics.median(each) * 1e6 for each in (times.floor, times.typedargs)]
        shown = " | ".join(f"{median:.1f} us" for median in medians)
        theirs = f"{statistics.median(times.mcp) * 1e6:,.0f} us"
        ratios = f"{times.to_floor:.2f} | {times.of_mcp:.0f}"
        lines.append(f"| {times.era.value} | {shown} | {theirs} | {ratios} |")
    used = ", ".join(f"{name} {version(name)}" for name in ("typedargs-mcp", "mcp", "msgspec"))
    lines += [
        "",
        f"With Python {platform.python_version()}, {used}, on {platform.system()}. Medians over "
        f"{load.rounds} rounds of {load.calls:,} calls, {load.mcp_calls:,} of `mcp`.",
    ]
    return "\n".join(lines)


def shortfalls(every: Sequence[Times]) -> list[str]:
    """Return a sentence for each ratio that is not what it should be."""
    found = []
    for times in every:
        if times.to_floor > MOST_TO_FLOOR:
            found.append(
                f"{times.era.value}: {times.to_floor:.2f} times the floor, "
                f"required at most {MOST_TO_FLOOR:g}"
            )
        if times.of_mcp < LEAST_OF_MCP:
            found.append(
                f"{times.era.value}: {times.of_mcp:.0f} times mcp, "
                f"required at least {LEAST_OF_MCP:g}"
            )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser("benchmarks.inprocess", __doc__).parse_args(arguments)
    load = QUICK if options.quick else FULL
    try:
        every = asyncio.run(run(load))
    except WrongAnswer as error:
        print(error, file=sys.stderr)
        return 2
    print(markdown(every, load))
    return ended(shortfalls(every) if options.require else (), require=options.require)


if __name__ == "__main__":
    sys.exit(main())
