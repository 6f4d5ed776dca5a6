"""What is said of a growth: points, their verdict, their table. Pure: no clock, no process.

A measure is linear or better where its exponent, from the last size but one to the last, is at
most `LINEAR`: time n^1.15 is what noise makes of time n.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

LINEAR: Final = 1.15
"""The largest exponent that passes for linear."""

_SECONDS: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES: Final = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


@attrs.frozen
class Point:
    """What one size takes, medians over the repetitions: seconds, bytes, or only one of them."""

    size: int
    seconds: float | None = None
    memory: float | None = None


@attrs.frozen
class Aim:
    """A number, and what it must be: at most `bound`, or at least if `rising`."""

    what: str
    value: float
    bound: float
    unit: str = ""
    rising: bool = False

    @property
    def holds(self) -> bool:
        """Whether the number is as good as required."""
        return self.value >= self.bound if self.rising else self.value <= self.bound

    def __str__(self) -> str:
        least = "at least" if self.rising else "at most"
        return f"{self.what}: {self.value:.3g}{self.unit}, aim {least} {self.bound:.3g}{self.unit}"


@attrs.frozen
class Curve:
    """How something grows with the number of `item`s.

    `columns` are cells beyond those of every curve, a column by its title. `aims` are what is
    required beyond being linear.
    """

    title: str
    item: str
    points: Sequence[Point]
    columns: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    aims: Sequence[Aim] = ()

    def all_aims(self) -> list[Aim]:
        """Return what is required of this curve: first that it is linear, then the rest."""
        exponents = (("time", self.time_exponent), ("memory", self.memory_exponent))
        linear = [
            Aim(f"the exponent of the {what}", value, LINEAR)
            for what, value in exponents
            if value is not None
        ]
        return [*linear, *self.aims]

    def missed(self) -> list[str]:
        """Return a sentence for each aim that is missed."""
        return [f"{self.title}: {aim}" for aim in self.all_aims() if not aim.holds]

    @property
    def time_exponent(self) -> float | None:
        """The exponent of the time; None where there is no time."""
        return exponent([(point.size, point.seconds) for point in self.points])

    @property
    def memory_exponent(self) -> float | None:
        """The exponent of the memory; None where there is no memory."""
        return exponent([(point.size, point.memory) for point in self.points])


def exponent(points: Sequence[tuple[int, float | None]]) -> float | None:
    """Return the k for which the last two values grow as size^k; None without two values.

    What grows from nothing to something is worse than any power; what is nothing, does not grow.
    """
    if len(points) < 2:
        return None
    (small, before), (large, after) = points[-2:]
    if before is None or after is None:
        return None
    if after <= 0:
        return 0.0
    if before <= 0:
        return math.inf
    return math.log(after / before) / math.log(large / small)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all values are not above."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def markdown(curve: Curve) -> str:
    """Return the table of a curve, and the verdicts below."""
    return "\n".join([f"### {curve.title}\n", *_rows(curve), "", *_verdicts(curve)])


def seconds_text(seconds: float) -> str:
    """Return a time in the unit in which it reads best."""
    return _in_units(seconds, _SECONDS)


def memory_text(count: float) -> str:
    """Return bytes in the unit in which they read best."""
    return _in_units(count, _BYTES)


def _rows(curve: Curve) -> Iterator[str]:
    item = curve.item
    titles = [f"{item}s", "time", f"time per {item}, to the first", "memory", f"memory per {item}"]
    titles += curve.columns
    yield f"| {' | '.join(titles)} |"
    yield f"|{' ---: |' * len(titles)}"
    first = curve.points[0]
    for number, point in enumerate(curve.points):
        cells = [f"{point.size:,}", *_time_cells(point, first), *_memory_cells(point)]
        cells += [column[number] for column in curve.columns.values()]
        yield f"| {' | '.join(cells)} |"


def _time_cells(point: Point, first: Point) -> tuple[str, str]:
    if point.seconds is None or first.seconds is None:
        return "", ""
    ratio = (point.seconds / point.size) / (first.seconds / first.size)
    return seconds_text(point.seconds), f"{ratio:.3g} x"


def _memory_cells(point: Point) -> tuple[str, str]:
    if point.memory is None:
        return "", ""
    return memory_text(point.memory), memory_text(point.memory / point.size)


def _verdicts(curve: Curve) -> Iterator[str]:
    for what, value in (("Time", curve.time_exponent), ("Memory", curve.memory_exponent)):
        if value is not None:
            verdict = "linear or better" if value <= LINEAR else "worse than linear"
            yield f"- {what}: {verdict}, exponent {value:.2f}"
    for aim in curve.aims:
        yield f"- {aim}: {'reached' if aim.holds else 'missed'}"
    yield ""


def _in_units(value: float, units: Sequence[tuple[float, str]]) -> str:
    size, name = next((unit for unit in units if abs(value) >= unit[0]), units[-1])
    number = value / size
    return f"{number:,.0f} {name}" if abs(number) >= 100 else f"{number:.3g} {name}"
