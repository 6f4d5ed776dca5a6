"""What a compiled validator calls: the tests that are no one-liner, and the reports of faults.

Everything here runs per value; nothing here reads a schema.
"""

import copy
import enum
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import attrs

from .errors import (
    MAX_SHOWN_ISSUES,
    Issue,
    described,
    did_you_mean,
    nearest,
    path_text,
    shown,
)

Path: TypeAlias = tuple[str | int, ...]


def shareable(value: object) -> bool:
    """Tell whether all who get `value` may get the same one: it cannot be changed."""
    return value is None or isinstance(value, bool | int | float | str | enum.Enum)


def own(value: Any) -> Any:
    """Return `value`, or a copy of it where it can be changed."""
    return value if shareable(value) else copy.deepcopy(value)


def is_integer(value: object) -> bool:
    """Tell whether `value` is an integer of JSON Schema: 3 and 3.0 are, true is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def as_integer(value: Any) -> Any:
    """Return `value`, and the `int` for a float that is an integer of JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_number(value: object) -> bool:
    """Tell whether `value` is a number that JSON can carry."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def is_multiple(value: float, divisor: float) -> bool:
    """Tell whether `value` is a multiple of `divisor`, in exact decimal arithmetic."""
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    numerator, denominator = _decimal_ratio(value)
    by_numerator, by_denominator = _decimal_ratio(divisor)
    return numerator * by_denominator % (denominator * by_numerator) == 0


def _decimal_ratio(number: float) -> tuple[int, int]:
    """Return the decimal number that a JSON text of `number` shows, as a ratio of integers."""
    if isinstance(number, int):
        return number, 1
    return Decimal(float.__repr__(number)).as_integer_ratio()


def json_equal(left: object, right: object) -> bool:
    """Tell whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return left == right


def json_member(value: object, members: Sequence[object]) -> bool:
    """Tell whether `value` equals one of `members`."""
    return any(json_equal(value, member) for member in members)


def misfit(issues: list[Issue], path: Path, keyword: str, expected: str, value: object) -> None:
    """Report a value that does not satisfy `keyword`."""
    message = f"expected {expected}, got {described(value)}"
    issues.append(Issue(path_text(path), message, keyword, expected))


def no_member(
    issues: list[Issue], path: Path, expected: str, value: object, members: Sequence[object]
) -> None:
    """Report a value that an `enum` does not have, with the member that it most resembles."""
    message = f"expected {expected}, got {described(value)}"
    if isinstance(value, str):
        close = nearest(value, [member for member in members if isinstance(member, str)])
        message += did_you_mean(close)
    issues.append(Issue(path_text(path), message, "enum", expected))


def null_or_misfit(
    issues: list[Issue], path: Path, keyword: str, expected: str, value: object
) -> None:
    """Report a misfit in an optional property; for a null, what the caller is to do instead."""
    misfit(issues, path, keyword, expected, value)
    if value is None:
        hint = f"{issues[-1].message}; leave the key out instead"
        issues[-1] = attrs.evolve(issues[-1], message=hint)


def missing(issues: list[Issue], path: Path, expected: str) -> None:
    """Report a required key that is not there."""
    message = f"missing; expected {expected}" if expected else "missing"
    issues.append(Issue(path_text(path), message, "required", expected))


def unknown(issues: list[Issue], path: Path, value: Mapping[str, Any], known: list[str]) -> None:
    """Report each key that is not one of `known`, where others are forbidden."""
    expected = f"one of the keys {', '.join(map(shown, known))}" if known else "no keys"
    for count, key in enumerate(str(key) for key in value if key not in known):
        # Comparing names takes time, and nobody reads beyond the first few.
        close = nearest(key, known) if count < MAX_SHOWN_ISSUES else None
        message = f"unknown key; expected {expected}{did_you_mean(close)}"
        issues.append(Issue(path_text((*path, key)), message, "additionalProperties", expected))


def unconvertible(
    issues: list[Issue], path: Path, expected: str, value: object, error: Exception
) -> None:
    """Report a value that satisfies the schema but has no Python value in its field."""
    if isinstance(error, OverflowError):
        expected = f"{expected} that fits a double (up to about 1.8e308)"
        message = f"expected {expected}, got {described(value)}"
    else:
        message = f"{error}, got {described(value)}"
    issues.append(Issue(path_text(path), message, "type", expected))


def canonical(
    issues: list[Issue], path: Path, value: Mapping[str, Any], aliases: Mapping[str, str]
) -> Mapping[str, Any]:
    """Return `value` with each alias renamed to its canonical key."""
    if value.keys().isdisjoint(aliases):
        return value
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        name = aliases.get(key, key)
        if name in renamed:
            message = f"given twice, also under an alias; send only {shown(name)}"
            issues.append(Issue(path_text((*path, name)), message, "properties", "one value"))
        renamed[name] = item
    return renamed
