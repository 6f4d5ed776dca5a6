"""What a compiled validator calls: the tests that are no one-liner, and the reports of faults.

Everything here runs per value; nothing here reads a schema.
"""

import copy
import enum
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

import attrs

from ._bounds import bounds
from .errors import (
    MAX_SHOWN_ISSUES,
    Issue,
    ValidationError,
    described,
    did_you_mean,
    nearest,
    path_text,
    shown,
)

Path: TypeAlias = tuple[str | int, ...]
Fault: TypeAlias = tuple[Any, ...]
"""A function that makes an Issue, and its arguments: words are made only for faults that count."""

MAX_SHOWN_ERROR: Final = 300
"""Characters of the error of a class that refuses its values."""


class TooManySteps(Exception):
    """A validation that takes more than `bounds.steps`."""


GIVEN_UP: Final = (RecursionError, TimeoutError, TooManySteps)
"""What ends a validation that asks too much."""


def expected_instead(of: Exception) -> str:
    """Return in words what would not have ended the validation."""
    match of:
        case TimeoutError():
            return f"text in which each pattern is searched within {bounds.search_seconds} s"
        case TooManySteps():
            return f"a value that takes at most {bounds.steps} steps to check"
        case _:
            return "a value that is not nested as deeply"


class Report(list[Fault]):
    """The faults found so far, and the steps taken; `branch` shares the steps."""

    __slots__ = ("steps",)

    steps: list[int]

    def branch(self) -> "Report":
        """Return an empty report for a schema that may be left unsatisfied."""
        branch = Report()
        branch.steps = self.step()
        return branch

    def step(self) -> list[int]:
        """Count the application of a shared or alternative schema.

        Raises TooManySteps where it is one too many.
        """
        try:
            steps = self.steps
        except AttributeError:  # made on demand: most validations count none
            steps = self.steps = [0]
        steps[0] += 1
        if steps[0] > bounds.steps:
            raise TooManySteps
        return steps

    def issues(self) -> list[Issue]:
        """Return the faults in words."""
        found: list[Issue] = []
        for make, *arguments in self:
            found += make(*arguments)
        # Two keywords may say the same: a format, and a pattern that narrows it.
        by_words: dict[tuple[str, str], Issue] = {}
        for issue in found:
            by_words.setdefault((issue.path, issue.message), issue)
        return list(by_words.values())


Check: TypeAlias = Callable[[Any, Report, Path], Any]


def merged(first: Any, given: Any, second: Any) -> Any:
    """Return the value that two schemas have made of `given`: what either has filled in."""
    return second if first is given else first if second is given else _both(first, second)


def _both(first: Any, second: Any) -> Any:
    if isinstance(first, dict) and isinstance(second, dict):
        both = {key: _both(v, second[key]) if key in second else v for key, v in first.items()}
        return both | {key: value for key, value in second.items() if key not in first}
    if isinstance(first, list) and isinstance(second, list):
        return list(map(_both, first, second))
    return second if isinstance(first, float) and isinstance(second, int) else first


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


def all_different(items: Sequence[object]) -> bool:
    """Tell whether no two JSON values are equal."""
    seen: set[object] = set()
    for item in items:
        key = _identity(item)
        if key in seen:
            return False
        seen.add(key)
    return True


def _identity(value: object) -> object:
    """Return a key that two JSON values share where they are equal."""
    if isinstance(value, bool):
        return bool, value
    if isinstance(value, list):
        return list, tuple(map(_identity, value))
    if isinstance(value, dict):
        return dict, frozenset((key, _identity(item)) for key, item in value.items())
    return value


def count_valid(check: Check, items: Sequence[object], report: Report) -> int:
    """Return how many of `items` satisfy `check`."""
    count = 0
    for item in items:
        branch = report.branch()
        check(item, branch, ())
        count += not branch
    return count


def satisfies(check: Check, value: object, report: Report) -> bool:
    """Tell whether `value` satisfies `check`, and report nothing."""
    branch = report.branch()
    check(value, branch, ())
    return not branch


def any_of(
    checks: Sequence[Check], value: object, report: Report, path: Path, expected: str
) -> object:
    """Return what the first check that `value` satisfies makes of it."""
    branches: list[Report] = []
    for check in checks:
        branch = report.branch()
        result = check(value, branch, path)
        if not branch:
            return result
        branches.append(branch)
    report.append((no_alternative, path, "anyOf", expected, value, branches))
    return value


def one_of(
    checks: Sequence[Check], value: object, report: Report, path: Path, expected: str
) -> object:
    """Return what the only check that `value` satisfies makes of it."""
    branches: list[Report] = []
    results: list[object] = []
    for check in checks:
        branch = report.branch()
        result = check(value, branch, path)
        (branches.append(branch) if branch else results.append(result))
    if len(results) == 1:
        return results[0]
    if results:
        report.append((several_alternatives, path, expected, len(results), value))
    else:
        report.append((no_alternative, path, "oneOf", expected, value, branches))
    return value


def misfit(path: Path, keyword: str, expected: str, value: object) -> list[Issue]:
    """A value that does not satisfy `keyword`."""
    message = f"expected {expected}, got {described(value)}"
    return [Issue(path_text(path), message, keyword, expected)]


def no_member(path: Path, expected: str, value: object, members: Sequence[object]) -> list[Issue]:
    """A value that an `enum` does not have, with the member that it most resembles."""
    message = f"expected {expected}, got {described(value)}"
    if isinstance(value, str):
        close = nearest(value, [member for member in members if isinstance(member, str)])
        message += did_you_mean(close)
    return [Issue(path_text(path), message, "enum", expected)]


def no_alternative(
    path: Path, keyword: str, expected: str, value: object, branches: Sequence[Report]
) -> list[Issue]:
    """A value that none of some alternatives takes: told by the one that comes nearest.

    Nearest is one that takes the value's type and its tag. Where the tag is of none, it alone is
    told, with the tags that there are.
    """
    near = [b for b in branches if not any(f[1] == path and _is_kind(f) for f in b)]
    if len(near) > 1 and (faults := _tag_faults(path, near)):
        return _tag_issues(faults)
    tagged = [b for b in near if not any(f[1][:-1] == path and _is_wrong_tag(f) for f in b)]
    if len(near) > 1 and all(len(b) == 1 and b[0][:2] == (misfit, path) for b in near):
        expected = " or ".join(dict.fromkeys(_expected(b[0]) for b in near))
    elif near:
        return min(tagged or near, key=len).issues()
    message = f"expected {expected}, got {described(value)}"
    return [Issue(path_text(path), message, keyword, expected)]


def _is_kind(fault: Fault) -> bool:
    """Tell whether a fault is that the value is of another kind altogether."""
    if fault[0] is no_alternative:
        return all(any(f[1] == fault[1] and _is_kind(f) for f in b) for b in fault[5])
    return fault[0] is misfit and fault[2] in ("type", "const", "false")


def _is_wrong_tag(fault: Fault) -> bool:
    """Tell whether a property has not the one value that its alternative wants there."""
    return fault[0] is misfit and fault[2] == "const"


def _tag_faults(path: Path, branches: Sequence[Report]) -> list[Fault]:
    """Return what each branch says of the property by which they differ; nothing without one.

    It is wrong or missing in all of them, and each expects something else there.
    """
    for first in branches[0]:
        at = first[1]
        if at[:-1] == path and (first[0] is missing or _is_wrong_tag(first)):
            found = [f for b in branches for f in b if f[0] is first[0] and f[1] == at]
            if len({_expected(f) for f in found}) == len(branches):
                return found
    return []


def _expected(fault: Fault) -> str:
    expected: str = fault[2] if fault[0] is missing else fault[3]
    return expected


def _tag_issues(faults: Sequence[Fault]) -> list[Issue]:
    """A tag that none of some alternatives has; `faults` are what each of them says of it."""
    path: Path = faults[0][1]
    is_missing = faults[0][0] is missing
    tags = [_expected(fault) for fault in faults]
    expected = f"one of {', '.join(tags)}"
    if is_missing:
        return missing(path, expected)
    value = faults[0][4]
    close = nearest(value, [tag.strip('"') for tag in tags]) if isinstance(value, str) else None
    message = f"expected {expected}, got {described(value)}{did_you_mean(close)}"
    return [Issue(path_text(path), message, "const", expected)]


def several_alternatives(path: Path, expected: str, count: int, value: object) -> list[Issue]:
    """A value that more than one of some exclusive alternatives takes."""
    message = f"expected exactly one of {expected}, but {described(value)} fits {count} of them"
    return [Issue(path_text(path), message, "oneOf", expected)]


def null_for_optional(path: Path, expected: str) -> list[Issue]:
    """A null where leaving the key out is what the caller means."""
    message = f"expected {expected}, got null; leave the key out instead"
    return [Issue(path_text(path), message, "type", expected)]


def missing(path: Path, expected: str) -> list[Issue]:
    """A required key that is not there."""
    message = f"missing; expected {expected}" if expected else "missing"
    return [Issue(path_text(path), message, "required", expected)]


def dependency(path: Path, key: str) -> list[Issue]:
    """A key that another key requires and that is not there."""
    expected = f"a value, as {shown(key)} is given"
    return [Issue(path_text(path), f"missing; expected {expected}", "dependentRequired", expected)]


def unknown(path: Path, value: Mapping[str, Any], known: Sequence[str]) -> list[Issue]:
    """Each key that is not one of `known`, where others are forbidden."""
    found = [key for key in value if key not in known]
    return [
        issue
        for count, key in enumerate(found)
        # Comparing names takes time, and nobody reads beyond the first few.
        for issue in unknown_key(path, key, known, hint=count < MAX_SHOWN_ISSUES)
    ]


def unknown_key(path: Path, key: object, known: Sequence[str], *, hint: bool = True) -> list[Issue]:
    """A key that is not one of `known`, where others are forbidden."""
    expected = f"one of the keys {', '.join(map(shown, known))}" if known else "no keys"
    close = nearest(str(key), known) if hint else None
    message = f"unknown key; expected {expected}{did_you_mean(close)}"
    return [Issue(path_text((*path, str(key))), message, "additionalProperties", expected)]


def unconvertible(path: Path, expected: str, value: object, error: Exception) -> list[Issue]:
    """A value that satisfies the schema but has no Python value in its field."""
    if isinstance(error, OverflowError):
        expected = f"{expected} that fits a double (up to about 1.8e308)"
        message = f"expected {expected}, got {described(value)}"
    else:
        message = f"{error}, got {described(value)}"
    return [Issue(path_text(path), message, "type", expected)]


def given_twice(path: Path, key: str) -> list[Issue]:
    """A key that is given under an alias too."""
    message = f"given twice, also under an alias; send only {shown(key)}"
    return [Issue(path_text((*path, key)), message, "properties", "one value")]


def rule_broken(path: Path, issue: Issue) -> list[Issue]:
    """A rule over several fields that the object at `path` breaks."""
    return [attrs.evolve(issue, path=path_text(path))]


def unbuildable(path: Path, error: Exception) -> list[Issue]:
    """An object that satisfies the schema and that its own class refuses."""
    if isinstance(error, ValidationError):
        return [attrs.evolve(issue, path=joined(path, issue.path)) for issue in error.issues]
    # Some errors carry more than their text, such as those of attrs.
    text = str(error.args[0]) if error.args else ""
    message = " ".join(text.split())[:MAX_SHOWN_ERROR] or "the value is refused"
    return [Issue(path_text(path), message, "class", "")]


def joined(path: Path, rest: str) -> str:
    """Return the text of a path that begins with `path` and goes on with the text `rest`."""
    before = path_text(path)
    return f"{before}.{rest}" if before and rest and rest[0] != "[" else before + rest


def given_up(path: Path, expected: str) -> list[Issue]:
    """A value whose check was given up, since it asked too much."""
    return [Issue(path_text(path), f"expected {expected}", "limit", expected)]
