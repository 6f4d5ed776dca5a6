"""What a change does to a choice between schemas: `anyOf`, `oneOf`, and lists of types.

The alternatives of either side are paired by what they stand for, and the pairs compared. One
that has no partner was removed or added, unless another one takes all that it takes.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

import attrs

from ..anyschema import (
    KINDS,
    Schema,
    as_schema,
    asserts,
    declared_kinds,
    kind_names,
    kind_of,
    member,
    members,
    same_as,
    shown,
    strings,
    values_of,
)
from .narrowing import Effect
from .shifts import Shift, Verdict, Walk, paired, shift

MAX_ALTERNATIVES: Final = 64
"""Alternatives whose overlap is looked into."""

_UNIONS: Final = ("anyOf", "oneOf")


@attrs.frozen
class Union:
    """A choice: its alternatives, and whether exactly one of them has to hold.

    One that is `implied` is written as something else: as types, or as one plain schema.
    """

    branches: Sequence[Schema]
    exclusive: bool = False
    implied: bool = False


Unions: TypeAlias = tuple[Union, Union]


def lifted(walk: Walk, old: Schema, new: Schema) -> Unions | None:
    """Return two schemas as choices, where at least one of them is a choice and nothing else.

    The other one is a choice too then: between its types, or with a single alternative.
    """
    before, after = _pure_union(old), _pure_union(new)
    if before is None and after is None:
        return None
    if before is None:
        before = Union(_by_type(walk, old), implied=True)
    if after is None:
        after = Union(_by_type(walk, new), implied=True)
    return before, after


def mixed_shifts(walk: Walk, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
    """Yield the differences of choices that stand beside other keywords."""
    for keyword in _UNIONS:
        if keyword in old and keyword in new:
            yield from union_shifts(walk, _union(old, keyword), _union(new, keyword), path)
        elif keyword in new:
            yield shift(path, Effect.NARROWS, f"a choice ({keyword}) added")
        elif keyword in old:
            yield shift(path, Effect.WIDENS, f"a choice ({keyword}) removed")


def union_shifts(walk: Walk, old: Union, new: Union, path: str) -> Iterator[Shift]:
    """Yield the differences of two choices."""
    found = list(_branch_shifts(walk, old, new, path))
    yield from found
    if not (old.exclusive or new.exclusive):
        return
    harmless = old.exclusive == new.exclusive and all(
        each.callers is each.readers is Verdict.FINE for each in found
    )
    apart = _are_apart(walk, old, side=0) and _are_apart(walk, new, side=1)
    if not apart and not harmless:
        words = "exactly one alternative has to hold (oneOf), and they may overlap"
        yield shift(path, Effect.UNCLEAR, words)


def _branch_shifts(walk: Walk, old: Union, new: Union, path: str) -> Iterator[Shift]:
    marks = [same_as, _tag, lambda each: each.get("$ref"), lambda each: each.get("title")]
    pairs, gone, more = paired(old.branches, new.branches, marks)
    again, gone, more = paired(gone, more, [_sole_kind])
    alone = len(old.branches) == len(new.branches) == 1
    for was, now in [*pairs, *again]:
        where = path if alone else f"{path}<{_label(now)}>"
        notes = not (old.implied or new.implied)
        yield from walk.shifts(was, now, where, notes=notes)
    for was in gone:
        if not any(walk.fits(was, now) for now in new.branches):
            yield shift(path, Effect.NARROWS, f"alternative removed: {_label(was)}")
    for now in more:
        if not any(walk.covers(was, now) for was in old.branches):
            yield shift(path, Effect.WIDENS, f"alternative added: {_label(now)}")


def _pure_union(schema: Schema) -> Union | None:
    present = [keyword for keyword in _UNIONS if keyword in schema]
    if len(present) != 1:
        return None
    rest = {key: each for key, each in schema.items() if key != present[0]}
    return None if asserts(rest) else _union(schema, present[0])


def _union(schema: Schema, keyword: str) -> Union:
    branches = [as_schema(each) for each in members(schema, keyword)]
    return Union(branches, exclusive=keyword == "oneOf")


def _by_type(walk: Walk, schema: Schema) -> list[Schema]:
    """Return a schema of several types as one schema for each of them."""
    names = strings(schema.get("type"))
    if len(names) < 2:
        return [schema]
    parts: list[Schema] = []
    for name in names:
        part: Schema = {**schema, "type": name}
        values = values_of(schema)
        if values is not None:
            taken = declared_kinds(part)
            fitting = [each for each in values if kind_of(each) in taken]
            part = {**{k: v for k, v in part.items() if k != "const"}, "enum": fitting}
        parts.append(walk.made((id(schema), name), schema, part))
    return parts


def _sole_kind(schema: Schema) -> object:
    names = kind_names(declared_kinds(schema)) if "type" in schema else []
    return names[0] if len(names) == 1 else None


def _tag(schema: Schema) -> object:
    """Return the constants of an object's keys, by which alternatives are told apart."""
    constants = {
        name: same_as(values[0])
        for name, each in member(schema, "properties").items()
        if (values := values_of(as_schema(each))) is not None and len(values) == 1
    }
    return frozenset(constants.items()) or None


def _label(schema: Schema) -> str:
    """Return what an alternative is called: by its title, its constants or its type."""
    if isinstance(title := schema.get("title"), str) and title:
        return title
    if isinstance(reference := schema.get("$ref"), str):
        return reference.rpartition("/")[2] or reference
    if (values := values_of(schema)) is not None:
        return " | ".join(shown(each) for each in values[:4])
    for name, each in member(schema, "properties").items():
        if (only := values_of(as_schema(each))) is not None and len(only) == 1:
            return f"{name}={shown(only[0])}"
    if declared_kinds(schema) != KINDS:
        return " | ".join(kind_names(declared_kinds(schema)))
    names = strings(schema.get("required"))
    return f"with {', '.join(names)}" if names else "any"


def _are_apart(walk: Walk, union: Union, side: int) -> bool:
    """Return whether no value can fulfil two alternatives of the old (0) or the new (1) side."""
    if len(union.branches) > MAX_ALTERNATIVES:
        return False
    branches = [walk.resolved(each, each)[side] for each in union.branches]
    taken = [walk.kinds_of(each, each)[side] for each in branches]
    return all(
        _apart(*two, *of_two)
        for two, of_two in zip(combinations(branches, 2), combinations(taken, 2), strict=True)
    )


def _apart(
    one: Schema, other: Schema, kinds_of_one: frozenset[str], kinds_of_other: frozenset[str]
) -> bool:
    common = kinds_of_one & kinds_of_other
    if not common:
        return True
    values, others = values_of(one), values_of(other)
    if values is not None and others is not None:
        return not {same_as(each) for each in values} & {same_as(each) for each in others}
    if common != {"object"}:
        return False
    needed = {*strings(one.get("required"))} & {*strings(other.get("required"))}
    return any(_key_apart(one, other, name) for name in needed)


def _key_apart(one: Schema, other: Schema, name: str) -> bool:
    values, others = (
        values_of(as_schema(member(each, "properties").get(name))) for each in (one, other)
    )
    if values is None or others is None:
        return False
    return not {same_as(each) for each in values} & {same_as(each) for each in others}
