"""What a change of a keyword's operand does to the values that a schema takes: a table.

Each row speaks of one keyword, or of a few that make one statement, and of one kind of values.
Keywords that apply other schemas are in `comparison`; keywords with neither a row nor a place
there are unknown, and any change of them is unclear.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction
from typing import Final, TypeAlias

import attrs

from ..anyschema import (
    KINDS,
    NUMBERS,
    Json,
    Schema,
    listed,
    member,
    same_as,
    shown,
    strings,
    values_of,
)


class Effect(Enum):
    """What a change does to the values that are taken."""

    NARROWS = "narrows"
    """Some that were taken are refused now; none that were refused are taken."""
    WIDENS = "widens"
    SHIFTS = "shifts"
    """Some are refused now, and others are taken."""
    UNCLEAR = "unclear"
    """It cannot be decided, or no value is refused and yet it means something else."""
    NOTHING = "nothing"


Step: TypeAlias = tuple[Effect, str]
"""An effect, and the change in words."""


@attrs.frozen
class Row:
    """One row: keywords, the kinds of values they speak of, and the rule for a change of them."""

    keywords: tuple[str, ...]
    kinds: frozenset[str]
    rule: Callable[[Schema, Schema], Iterator[Step]]


def changed(keyword: str, old: Schema, new: Schema) -> str:
    """Return the change of a keyword in words."""
    if keyword not in old:
        return f"{keyword} {shown(new[keyword])} added"
    if keyword not in new:
        return f"{keyword} {shown(old[keyword])} removed"
    return f"{keyword} {shown(old[keyword])} -> {shown(new[keyword])}"


def how(keyword: str, old: Schema, new: Schema) -> str:
    """Return the change of a keyword in one word: "added", "removed" or "changed"."""
    return "added" if keyword not in old else "removed" if keyword not in new else "changed"


def differs(keyword: str, old: Schema, new: Schema) -> bool:
    """Return whether a keyword was added, removed or given another operand."""
    present = keyword in old
    if present != (keyword in new):
        return True
    return present and same_as(old[keyword]) != same_as(new[keyword])


def _number(value: Json) -> int | Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else value


def _limit(keyword: str, sign: int) -> Row:
    """A count with a least (`sign` 1) or a greatest (-1) value."""
    kind = {"Length": "string", "Items": "array", "perties": "object"}
    speaks_of = next(kind for ending, kind in kind.items() if keyword.endswith(ending))

    def rule(old: Schema, new: Schema) -> Iterator[Step]:
        if not differs(keyword, old, new):
            return
        before, after = (_number(schema.get(keyword)) for schema in (old, new))
        words = changed(keyword, old, new)
        if sign > 0:
            before, after = before or 0, after or 0
        if before == after:
            yield Effect.NOTHING, words
        elif after is None or (before is not None and (after - before) * sign < 0):
            yield Effect.WIDENS, words
        else:
            yield Effect.NARROWS, words

    return Row((keyword,), frozenset({speaks_of}), rule)


_Bound: TypeAlias = tuple[int | Decimal, bool] | None
"""A number, and whether it is itself excluded."""


def _bound(schema: Schema, inclusive: str, exclusive: str, sign: int) -> _Bound:
    candidates = [
        (number * sign, excluded)
        for keyword, excluded in ((inclusive, False), (exclusive, True))
        if (number := _number(schema.get(keyword))) is not None
    ]
    return max(candidates, default=None)


def _range(inclusive: str, exclusive: str, sign: int) -> Row:
    """Two keywords that bound a number from below (`sign` 1) or from above (-1)."""

    def rule(old: Schema, new: Schema) -> Iterator[Step]:
        words = ", ".join(
            changed(keyword, old, new)
            for keyword in (inclusive, exclusive)
            if differs(keyword, old, new)
        )
        if not words:
            return
        before = _bound(old, inclusive, exclusive, sign)
        after = _bound(new, inclusive, exclusive, sign)
        if before == after:
            yield Effect.NOTHING, words
        elif after is None or (before is not None and after < before):
            yield Effect.WIDENS, words
        else:
            yield Effect.NARROWS, words

    return Row((inclusive, exclusive), NUMBERS, rule)


def _divides(part: Json, whole: Json) -> bool:
    a, b = _number(part), _number(whole)
    if a is None or b is None:
        return False
    try:
        if any(abs(Decimal(each).adjusted()) > 400 for each in (a, b)):
            return False
        return Fraction(b) % Fraction(a) == 0
    except (InvalidOperation, ValueError, OverflowError, ZeroDivisionError):
        return False


def _multiple_of(old: Schema, new: Schema) -> Iterator[Step]:
    if not differs("multipleOf", old, new):
        return
    words = changed("multipleOf", old, new)
    if "multipleOf" not in old:
        yield Effect.NARROWS, words
    elif "multipleOf" not in new or _divides(new["multipleOf"], old["multipleOf"]):
        yield Effect.WIDENS, words
    elif _divides(old["multipleOf"], new["multipleOf"]):
        yield Effect.NARROWS, words
    else:
        yield Effect.SHIFTS, words


def _unique_items(old: Schema, new: Schema) -> Iterator[Step]:
    before, after = (schema.get("uniqueItems") is True for schema in (old, new))
    if before != after:
        effect = Effect.NARROWS if after else Effect.WIDENS
        yield effect, changed("uniqueItems", old, new)


def _replaced(keyword: str, kind: str) -> Row:
    """An operand of which another one says nothing that could be compared."""

    def rule(old: Schema, new: Schema) -> Iterator[Step]:
        if differs(keyword, old, new):
            words = changed(keyword, old, new)
            if keyword not in old:
                yield Effect.NARROWS, words
            elif keyword not in new:
                yield Effect.WIDENS, words
            else:
                yield Effect.UNCLEAR, words

    return Row((keyword,), frozenset({kind}), rule)


def _dependent_required(old: Schema, new: Schema) -> Iterator[Step]:
    before, after = member(old, "dependentRequired"), member(new, "dependentRequired")
    for key in dict.fromkeys([*before, *after]):
        needed, needs = strings(before.get(key)), strings(after.get(key))
        if more := [name for name in needs if name not in needed]:
            yield Effect.NARROWS, f"{shown(key)} now needs {listed([*more])} beside it"
        if fewer := [name for name in needed if name not in needs]:
            yield Effect.WIDENS, f"{shown(key)} no longer needs {listed([*fewer])} beside it"


def _values(old: Schema, new: Schema) -> Iterator[Step]:
    before, after = values_of(old), values_of(new)
    if before is None and after is None:
        return
    if before is None:
        yield Effect.NARROWS, f"only these values now: {listed(after or [])}"
    elif after is None:
        yield Effect.WIDENS, f"no longer only these values: {listed(before)}"
    else:
        had, has = {same_as(each) for each in before}, {same_as(each) for each in after}
        if gone := [each for each in before if same_as(each) not in has]:
            yield Effect.NARROWS, f"{_values_word(gone)} removed: {listed(gone)}"
        if more := [each for each in after if same_as(each) not in had]:
            yield Effect.WIDENS, f"{_values_word(more)} added: {listed(more)}"


def _values_word(values: list[Json]) -> str:
    return "value" if len(values) == 1 else "values"


def _annotation(keyword: str) -> Row:
    """Said of a value, and without any effect on what is taken."""

    def rule(old: Schema, new: Schema) -> Iterator[Step]:
        if differs(keyword, old, new):
            yield Effect.NOTHING, f"{keyword} {how(keyword, old, new)}"

    return Row((keyword,), KINDS, rule)


def _default(old: Schema, new: Schema) -> Iterator[Step]:
    if differs("default", old, new):
        added = "default" not in old
        yield Effect.NOTHING if added else Effect.UNCLEAR, changed("default", old, new)


def _unclear(keyword: str) -> Row:
    """Said of a value, and clients act on it."""

    def rule(old: Schema, new: Schema) -> Iterator[Step]:
        if differs(keyword, old, new):
            yield Effect.UNCLEAR, changed(keyword, old, new)

    return Row((keyword,), KINDS, rule)


DEFAULT: Final = Row(("default",), KINDS, _default)
"""Apart from the other annotations: of an argument it says what a call means that leaves it out."""

NOTES: Final = (
    *(
        _annotation(keyword)
        for keyword in (
            "title",
            "description",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly",
            "$comment",
        )
    ),
    _unclear("$schema"),
    _unclear("x-mcp-header"),
)
"""Keywords that say something of a value."""

VALUES: Final = Row(("enum", "const"), KINDS, _values)

ROWS: Final = (
    _range("minimum", "exclusiveMinimum", 1),
    _range("maximum", "exclusiveMaximum", -1),
    Row(("multipleOf",), NUMBERS, _multiple_of),
    _limit("minLength", 1),
    _limit("maxLength", -1),
    _replaced("pattern", "string"),
    _replaced("format", "string"),
    _replaced("contentEncoding", "string"),
    _replaced("contentMediaType", "string"),
    _limit("minItems", 1),
    _limit("maxItems", -1),
    Row(("uniqueItems",), frozenset({"array"}), _unique_items),
    _limit("minProperties", 1),
    _limit("maxProperties", -1),
    Row(("dependentRequired",), frozenset({"object"}), _dependent_required),
)
"""Keywords that refuse values by themselves, but for `type`, `enum`, `const` and `required`."""

KNOWN: Final = frozenset(
    keyword for row in (*ROWS, *NOTES, DEFAULT, VALUES) for keyword in row.keywords
)


def types_words(old: Schema, new: Schema) -> str:
    """Return a change of `type` in words."""

    def names(schema: Schema) -> str:
        return " | ".join(strings(schema["type"])) if "type" in schema else "any"

    return f"type {names(old)} -> {names(new)}"
