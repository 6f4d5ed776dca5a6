"""What a comparison of two schemas finds: one change, and its verdict for either side."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, Protocol

import attrs

from ..anyschema import Schema
from .narrowing import Effect


class Verdict(Enum):
    """What a change does to those who relied on what was published before."""

    BREAKS = "breaks"
    MAY_BREAK = "may break"
    FINE = "compatible"


@attrs.frozen
class Shift:
    """One change of a schema: where, in words, and what it does to either side.

    `callers` send values to the schema; `readers` get values that it describes.
    """

    path: str
    message: str
    callers: Verdict
    readers: Verdict

    def turned(self) -> "Shift":
        """Return what the change does from within a `not`."""
        return attrs.evolve(self, callers=self.readers, readers=self.callers)


VERDICTS: Final[Mapping[Effect, tuple[Verdict, Verdict]]] = {
    Effect.NARROWS: (Verdict.BREAKS, Verdict.FINE),
    Effect.WIDENS: (Verdict.FINE, Verdict.BREAKS),
    Effect.SHIFTS: (Verdict.BREAKS, Verdict.BREAKS),
    Effect.UNCLEAR: (Verdict.MAY_BREAK, Verdict.MAY_BREAK),
    Effect.NOTHING: (Verdict.FINE, Verdict.FINE),
}
"""For callers and for readers: who sends may be refused, who reads may meet the unexpected."""


def shift(path: str, effect: Effect, message: str) -> Shift:
    """Return a change with the verdicts that follow from its effect alone."""
    return Shift(path, message, *VERDICTS[effect])


class Walk(Protocol):
    """The comparison under way, as the rules for objects and for alternatives use it."""

    def shifts(self, old: Schema, new: Schema, path: str, *, notes: bool = True) -> list[Shift]:
        """Return the differences of two schemas; without `notes` only of what is taken."""
        ...

    def fits(self, old: Schema, new: Schema) -> bool:
        """Return whether `new` surely takes all that `old` takes."""
        ...

    def covers(self, old: Schema, new: Schema) -> bool:
        """Return whether `old` surely takes all that `new` takes."""
        ...

    def resolved(self, old: Schema, new: Schema) -> tuple[Schema, Schema]:
        """Return the two with what their references mean."""
        ...

    def kinds_of(self, old: Schema, new: Schema) -> tuple[frozenset[str], frozenset[str]]:
        """Return the kinds of values that the two may take."""
        ...

    def made(self, key: tuple[object, ...], kept: object, schema: Schema) -> Schema:
        """Return the schema that was made for `key` first, from `kept`."""
        ...


Likeness = Callable[[Schema], object]
"""Gives a hashable that is equal for schemas that stand for each other, or None."""


def paired(
    old: Sequence[Schema], new: Sequence[Schema], likenesses: Sequence[Likeness]
) -> tuple[list[tuple[Schema, Schema]], list[Schema], list[Schema]]:
    """Return the pairs that are alike, by the first likeness that tells, and what is left over."""
    pairs: list[tuple[Schema, Schema]] = []
    gone, more = list(old), list(new)
    for likeness in likenesses:
        for was in list(gone):
            mark = likeness(was)
            found = next((now for now in more if mark is not None and likeness(now) == mark), None)
            if found is not None:
                pairs.append((was, found))
                gone = [each for each in gone if each is not was]
                more = [each for each in more if each is not found]
    return pairs, gone, more
