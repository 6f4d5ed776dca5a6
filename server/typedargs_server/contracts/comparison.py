"""Two schemas compared, keyword by keyword and schema within schema, by what they take.

The question is always whether a value that one of them takes is taken by the other too, for
callers in the one direction and for readers in the other; both are answered in one walk. What
cannot be decided is said to break something perhaps, never to be fine.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import attrs

from ..anyschema import (
    ANNOTATIONS,
    CONTAINERS,
    KINDS,
    Json,
    Schema,
    as_schema,
    asserts,
    declared_kinds,
    is_false,
    kinds,
    member,
    members,
    same_as,
    shown,
    strings,
    target,
)
from .alternatives import lifted, mixed_shifts, union_shifts
from .narrowing import DEFAULT, KNOWN, NOTES, ROWS, VALUES, Effect, Row, Step, how, types_words
from .properties import object_shifts
from .shifts import VERDICTS, Shift, Verdict, paired, shift

MAX_STEPS: Final = 20_000
"""Pairs of schemas that one comparison looks at; beyond, the rest is said to be too large."""

_APPLICATORS: Final = frozenset(
    {
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "contains",
        "else",
        "if",
        "items",
        "maxContains",
        "minContains",
        "not",
        "oneOf",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
    }
)


def compare_schemas(old: Json, new: Json) -> list[Shift]:
    """Return every difference between two schemas, each the root of its document."""
    before, after = as_schema(old), as_schema(new)
    try:
        return Comparison(before, after).shifts(before, after, "")
    except RecursionError:
        return [shift("", Effect.UNCLEAR, "nested too deep to be compared")]
    except _TooLarge:
        return [shift("", Effect.UNCLEAR, "too large to be compared")]


_WITHIN: Final = "~"
"""The path of a trial, which nobody sees; not the root, where objects are open."""


class _TooLarge(Exception):
    pass


class Comparison:
    """One walk through two documents."""

    def __init__(self, old: Schema, new: Schema):
        self.old_root, self.new_root = old, new
        self._left = MAX_STEPS
        self._under_way: set[tuple[int, int, bool]] = set()
        self._turned = False
        self._made: dict[tuple[object, ...], tuple[object, Schema]] = {}

    def shifts(self, old: Schema, new: Schema, path: str, *, notes: bool = True) -> list[Shift]:
        """Return the differences of two schemas of the two documents; without `notes`, only
        those of what is taken."""
        self._left -= 1
        if self._left < 0:
            raise _TooLarge
        old, new = self.resolved(old, new)
        key = (id(old), id(new), self._turned)
        if key in self._under_way:
            return []  # a cycle: the differences are those that are being found
        self._under_way.add(key)
        try:
            return list(self._shifts(old, new, path, notes))
        finally:
            self._under_way.discard(key)

    def fits(self, old: Schema, new: Schema) -> bool:
        """Return whether `new` surely takes all that `old` takes."""
        return all(
            each.callers is Verdict.FINE for each in self.shifts(old, new, _WITHIN, notes=False)
        )

    def covers(self, old: Schema, new: Schema) -> bool:
        """Return whether `old` surely takes all that `new` takes."""
        return all(
            each.readers is Verdict.FINE for each in self.shifts(old, new, _WITHIN, notes=False)
        )

    def resolved(self, old: Schema, new: Schema) -> tuple[Schema, Schema]:
        """Return the two with what their references mean; as they are where they mean nothing."""
        return self._meant(old, self.old_root), self._meant(new, self.new_root)

    def kinds_of(self, old: Schema, new: Schema) -> tuple[frozenset[str], frozenset[str]]:
        """Return the kinds of values that the two may take."""
        return kinds(old, self.old_root), kinds(new, self.new_root)

    def _shifts(self, old: Schema, new: Schema, path: str, notes: bool) -> Iterator[Shift]:
        if notes:
            yield from self._noted(old, new, path)
        if is_false(old) or is_false(new):
            yield from self._nothing(old, new, path)
            return
        branches = lifted(self, old, new)
        if branches is not None:
            yield from union_shifts(self, *branches, path)
            return
        of_both = frozenset[str].intersection(*self.kinds_of(old, new))
        yield from self._by_rows(old, new, path)
        if "object" in of_both:
            yield from object_shifts(self, old, new, path)
        if "array" in of_both:
            yield from self._arrays(old, new, path)
        yield from self._combined(old, new, path)
        yield from self._unknown(old, new, path)

    def _noted(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        for row in NOTES:
            yield from (shift(path, *step) for step in row.rule(old, new))
        for effect, words in DEFAULT.rule(old, new):
            callers, _ = VERDICTS[effect]
            yield Shift(path, words, callers, Verdict.FINE)

    def _nothing(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        if is_false(old) and is_false(new):
            return
        if is_false(new):
            yield shift(path, Effect.NARROWS, "nothing is taken here any more")
        else:
            yield shift(path, Effect.WIDENS, "something is taken here now")

    def _by_rows(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        old_kinds, new_kinds = self.kinds_of(old, new)
        yield from (shift(path, *step) for step in _types(old, new, old_kinds, new_kinds))
        for row in (VALUES, *ROWS):
            for effect, words in row.rule(old, new):
                if _matters(effect, row, old_kinds, new_kinds):
                    yield shift(path, effect, words)

    def _arrays(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        before, after = members(old, "prefixItems"), members(new, "prefixItems")
        rest, new_rest = as_schema(old.get("items", True)), as_schema(new.get("items", True))
        for at in range(max(len(before), len(after))):
            was = as_schema(before[at]) if at < len(before) else rest
            now = as_schema(after[at]) if at < len(after) else new_rest
            yield from self.shifts(was, now, f"{path}[{at}]")
        if "items" in old or "items" in new:
            yield from self.shifts(rest, new_rest, f"{path}[]")
        yield from self._contained(old, new, path)

    def _contained(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        if "contains" not in old or "contains" not in new:
            yield from _one_sided("contains", old, new, path)
            return
        inner = self.shifts(as_schema(old["contains"]), as_schema(new["contains"]), path)
        counted = "maxContains" in old or "maxContains" in new
        for each in inner:
            message = f"contains: {each.message}"
            if counted and Verdict.FINE in (each.callers, each.readers):
                yield shift(each.path, Effect.UNCLEAR, message)
            else:
                yield attrs.evolve(each, message=message)
        for keyword, missing, sign in (("minContains", 1, 1), ("maxContains", None, -1)):
            was, now = old.get(keyword, missing), new.get(keyword, missing)
            if same_as(was) != same_as(now):
                raised = now is not None and (was is None or _above(now, was) == (sign > 0))
                effect = Effect.NARROWS if raised else Effect.WIDENS
                yield shift(path, effect, f"{keyword} {shown(was)} -> {shown(now)}")

    def _combined(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        yield from mixed_shifts(self, old, new, path)
        yield from self._all_of(old, new, path)
        yield from self._negated(old, new, path)
        yield from self._conditional(old, new, path)

    def _all_of(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        before = [as_schema(each) for each in members(old, "allOf")]
        after = [as_schema(each) for each in members(new, "allOf")]
        pairs, gone, more = paired(before, after, [same_as, _names_of])
        # What is left over is compared in order, as long as both sides have some.
        ordered = list(zip(gone, more, strict=False))
        for was, now in [*pairs, *ordered]:
            yield from self.shifts(was, now, path)
        for now in more[len(ordered) :]:
            if not any(self.fits(was, now) for was in [*before, _without(old, "allOf")]):
                yield shift(path, Effect.NARROWS, "a condition (allOf) added")
        for was in gone[len(ordered) :]:
            if not any(self.covers(was, now) for now in [*after, _without(new, "allOf")]):
                yield shift(path, Effect.WIDENS, "a condition (allOf) removed")

    def _negated(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        if "not" in old and "not" in new:
            self._turned = not self._turned
            inner = self.shifts(as_schema(old["not"]), as_schema(new["not"]), path)
            self._turned = not self._turned
            for each in inner:
                yield attrs.evolve(each.turned(), message=f"not: {each.message}")
        else:
            yield from _one_sided("not", old, new, path)

    def _conditional(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        if "if" not in old or "if" not in new:
            yield from _one_sided("if", old, new, path)
            return  # without it `then` and `else` say nothing
        if self.shifts(as_schema(old["if"]), as_schema(new["if"]), path, notes=False):
            yield shift(path, Effect.UNCLEAR, "if changed")
            return
        for keyword in ("then", "else"):
            was, now = (as_schema(schema.get(keyword, True)) for schema in (old, new))
            for each in self.shifts(was, now, path):
                yield attrs.evolve(each, message=f"{keyword}: {each.message}")

    def _unknown(self, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
        for keyword in dict.fromkeys([*old, *new]):
            known = keyword in KNOWN or keyword in _APPLICATORS or keyword in CONTAINERS
            was, now = old.get(keyword), new.get(keyword)
            if not known and ((keyword in old) != (keyword in new) or same_as(was) != same_as(now)):
                yield shift(path, Effect.UNCLEAR, f"{keyword} changed")
        if old.get("$ref") != new.get("$ref"):  # of those that mean nothing within the document
            yield shift(path, Effect.UNCLEAR, "$ref to elsewhere changed")

    def _meant(self, schema: Schema, root: Schema) -> Schema:
        for _ in range(100):
            meant = target(schema.get("$ref"), root)
            if meant is None:
                break
            beside = {key: each for key, each in schema.items() if key != "$ref"}
            if asserts(beside):
                every = [meant, *members(schema, "allOf")]
                return self.made((id(schema),), schema, {**beside, "allOf": every})
            notes = {key: each for key, each in beside.items() if key in ANNOTATIONS}
            found = as_schema(meant)
            schema = self.made((id(schema),), schema, {**found, **notes}) if notes else found
        return schema

    def made(self, key: tuple[object, ...], kept: object, schema: Schema) -> Schema:
        """Return the schema made from others for the first time, so that cycles are seen."""
        return self._made.setdefault(key, (kept, schema))[1]


def _one_sided(keyword: str, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
    """Give the difference where only one of two schemas has a keyword that refuses values."""
    if (keyword in old) != (keyword in new):
        effect = Effect.NARROWS if keyword in new else Effect.WIDENS
        yield shift(path, effect, f"{keyword} {how(keyword, old, new)}")


def _types(
    old: Schema, new: Schema, old_kinds: frozenset[str], new_kinds: frozenset[str]
) -> Iterator[Step]:
    # What is asked is what `type` says; what fulfils it may be said by other keywords too.
    narrows = not old_kinds <= declared_kinds(new)
    widens = not new_kinds <= declared_kinds(old)
    if narrows or widens:
        effect = Effect.SHIFTS if narrows and widens else _EFFECTS[narrows]
        yield effect, types_words(old, new)


_EFFECTS: Final = {True: Effect.NARROWS, False: Effect.WIDENS}


def _matters(
    effect: Effect, row: Row, old_kinds: frozenset[str], new_kinds: frozenset[str]
) -> bool:
    """Return whether there are values that a row speaks of, for its change to refuse or take."""
    if row.kinds == KINDS:
        return True
    if effect is Effect.NARROWS:
        return bool(row.kinds & old_kinds)
    if effect is Effect.WIDENS:
        return bool(row.kinds & new_kinds)
    return bool(row.kinds & old_kinds & new_kinds)


def _names_of(schema: Schema) -> object:
    names = tuple(sorted(member(schema, "properties"))) or tuple(
        sorted(strings(schema.get("required")))
    )
    return names or None


def _without(schema: Schema, keyword: str) -> Schema:
    return {key: each for key, each in schema.items() if key != keyword}


def _above(value: Json, other: Json) -> bool:
    if isinstance(value, int | Decimal) and isinstance(other, int | Decimal):
        return value > other
    return False
