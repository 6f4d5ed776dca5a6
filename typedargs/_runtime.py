"""What a compiled validator calls: the tests that are no one-liner, and the reports of faults.

Everything here runs per value; nothing here reads a schema.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any, TypeAlias

from .errors import Issue, described, nearest, path_text, shown

Path: TypeAlias = tuple[str | int, ...]


def is_integer(value: object) -> bool:
    """Tell whether `value` is an integer of JSON Schema: 3 and 3.0 are, true is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Tell whether `value` is a number that JSON can carry."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def is_multiple(value: float, divisor: float) -> bool:
    """Tell whether `value` is a multiple of `divisor`, in exact decimal arithmetic."""
    if isinstance(value, int) and isinstance(divisor, int):
        return value % divisor == 0
    with localcontext() as context:
        context.prec = 2000  # more digits than the quotient of any two doubles has
        return Decimal(repr(value)) % Decimal(repr(divisor)) == 0


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
        if close is not None:
            message += f" (did you mean {shown(close)}?)"
    issues.append(Issue(path_text(path), message, "enum", expected))


def null_for_optional(issues: list[Issue], path: Path, expected: str) -> None:
    """Report a null where leaving the key out is what the caller means."""
    message = f"expected {expected}, got null; leave the key out instead"
    issues.append(Issue(path_text(path), message, "type", expected))


def missing(issues: list[Issue], path: Path, expected: str) -> None:
    """Report a required key that is not there."""
    message = f"missing; expected {expected}" if expected else "missing"
    issues.append(Issue(path_text(path), message, "required", expected))


def unknown(issues: list[Issue], path: Path, value: Mapping[str, Any], known: list[str]) -> None:
    """Report each key that is not one of `known`, where others are forbidden."""
    expected = f"one of the keys {', '.join(map(shown, known))}" if known else "no keys"
    for key in value:
        if key not in known:
            message = f"unknown key; expected {expected}"
            close = nearest(key, known)
            if close is not None:
                message += f" (did you mean {shown(close)}?)"
            issue = Issue(path_text((*path, key)), message, "additionalProperties", expected)
            issues.append(issue)


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
