"""What is said of the numbers: Markdown, JSON, and what is required of them. No IO."""

import platform
from collections.abc import Iterator, Sequence
from typing import Any

from .measures import FLOOR, MCP, MEASURES, OURS, SERVERS, Load, Series


def markdown(every: Sequence[Series], load: Load) -> str:
    """Give a table for each era, and what they were measured with."""
    return "\n".join([*_tables(every), *_remarks(load)])


def data(every: Sequence[Series], load: Load) -> dict[str, Any]:
    """Give all samples, with their medians and ratios, as JSON data."""
    return {
        "versions": versions(),
        "rounds": load.rounds,
        "units": {measure.key: measure.unit for measure in MEASURES},
        "eras": {
            series.era.value: {
                server.name: {
                    measure.key: {
                        "median": series.median(server, measure),
                        "to_floor": series.ratio(server, FLOOR, measure),
                        "to_mcp": series.ratio(server, MCP, measure),
                        "samples": [sample[measure.key] for sample in series.samples[server.name]],
                    }
                    for measure in MEASURES
                }
                for server in SERVERS
            }
            for series in every
        },
    }


def shortfalls(every: Sequence[Series]) -> list[str]:
    """Give a sentence for each number of ours, or ratio, that is worse than required."""
    found = []
    for series in every:
        for measure in MEASURES:
            required = (
                (series.ratio(OURS, MCP, measure), measure.to_mcp, "x mcp"),
                (series.ratio(OURS, FLOOR, measure), measure.to_floor, "x floor"),
                (series.median(OURS, measure), measure.bound, measure.unit),
            )
            at = "at least" if measure.rising else "at most"
            found += [
                f"{series.era.value}, {measure.title}: {number:.2f} {unit}, "
                f"required {at} {aim:.3g} {unit}"
                for number, aim, unit in required
                if aim is not None and not measure.holds(number, aim)
            ]
    return found


def versions() -> dict[str, str]:
    """Give the version of everything measured."""
    return {
        platform.python_implementation(): platform.python_version(),
        **{server.distribution: server.version for server in SERVERS},
    }


def _tables(every: Sequence[Series]) -> Iterator[str]:
    for series in every:
        yield f"### {series.era.name.capitalize()} era ({series.era.value})\n"
        yield "| measure | server | median | to floor | to mcp |"
        yield "|---|---|---:|---:|---:|"
        for measure in MEASURES:
            for server in SERVERS:
                median = f"{series.median(server, measure):,.0f} {measure.unit}"
                to_floor = f"{series.ratio(server, FLOOR, measure):.3g} x"
                to_mcp = f"{series.ratio(server, MCP, measure):.3g} x"
                yield f"| {measure.title} | {server.name} | {median} | {to_floor} | {to_mcp} |"
        yield ""


def _remarks(load: Load) -> Iterator[str]:
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    yield f"With {used}, on {platform.system()}."
    yield (
        f"Medians over {load.rounds} round(s), the servers taken in turn in each: a new process, "
        f"{load.sequential_lots} lots of {load.lot} calls one after another, then "
        f"{load.pipelined_lots} lots of {load.lot} calls at a time; calls/s are those of the "
        "median lot. Ratios are taken within a round, and their median is given. Of times and "
        "memory less is better, of calls/s more. Peak memory is the resident size after all calls."
    )
    yield (
        "Floor is a loop that reads a line, parses it, adds, and writes a line: no validation, "
        "no concurrency. Event loop is the same by asyncio, with a task for each call. "
        "Ratios depend little on the machine; the other numbers do."
    )
