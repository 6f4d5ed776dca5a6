"""What typedargs raises, as a tree, and the one place that turns faults into text.

TypedArgsError
├── SchemaError       a schema or a class definition is wrong: the developer mends it
└── ValidationError   a value does not fit its schema: the caller mends it; holds `Issue`s
"""

import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

import attrs
import msgspec

from ._literal import Literal

MAX_SHOWN_VALUE: Final = 80
"""Characters of an offending value that a message shows."""

MAX_SHOWN_ISSUES: Final = 20
"""Faults that the text of a `ValidationError` lists; `.issues` holds all of them."""

_JSON_TYPE: Final[Mapping[type, str]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class TypedArgsError(Exception):
    """The root of all errors raised by typedargs."""


class SchemaError(TypedArgsError, ValueError):
    """A schema or a class definition that cannot be published or enforced as it stands.

    `keyword` and `pointer` (a JSON Pointer, RFC 6901) say where, when one keyword is at fault.
    """

    def __init__(self, message: str, *, keyword: str | None = None, pointer: str | None = None):
        super().__init__(message)
        self.keyword = keyword
        self.pointer = pointer


@attrs.frozen
class Issue:
    """One fault of a value: where it is, and what was expected there.

    `path` reads like `items[2].price` and is empty for the value as a whole. `keyword` is the
    JSON Schema keyword that the value does not satisfy.
    """

    path: str
    message: str
    keyword: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@attrs.frozen
class IgnoredKey:
    """A key that no field reads, and the known key that it most resembles, if one does."""

    path: str
    nearest: str | None = None

    def __str__(self) -> str:
        return f"{shown(self.path)}{did_you_mean(self.nearest)}"


class ValidationError(TypedArgsError, ValueError):
    """A value that does not fit its schema; `issues` holds every fault, in schema order.

    `ignored` names the unknown keys that were passed over: harmless alone, but beside a fault
    often its cause, as with a misspelt key.
    """

    def __init__(self, issues: Iterable[Issue], ignored: Iterable[IgnoredKey] = ()):
        self.issues = tuple(issues)
        self.ignored = tuple(ignored)
        super().__init__(_text(self.issues, self.ignored))

    def __reduce__(self) -> tuple[type, tuple[tuple[Issue, ...], tuple[IgnoredKey, ...]]]:
        return type(self), (self.issues, self.ignored)


def shown(value: object, limit: int = MAX_SHOWN_VALUE) -> str:
    """Return `value` as JSON, cut to `limit` characters."""
    if isinstance(value, str):
        value = value[: limit + 1].encode(errors="backslashreplace").decode()
    try:
        text = msgspec.json.encode(value, enc_hook=_as_written).decode()
    except (TypeError, ValueError, RecursionError):
        size = f" of {value.bit_length()} bits" if isinstance(value, int) else ""
        text = f"<{type(value).__name__}{size}>"
    if isinstance(value, float) and text == "null":
        text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _as_written(value: object) -> msgspec.Raw:
    """Return the JSON of a number that knows how it was written; raises TypeError for others."""
    if isinstance(value, Literal):
        return msgspec.Raw(value.text.encode())
    raise TypeError


def described(value: object) -> str:
    """Return `value` as a message names what it got: its JSON type, then the value itself."""
    if value is None:
        return "null"
    # Exact: `abs` would round, and raise where the exponent is large.
    if isinstance(value, Decimal) and not value.is_nan() and value.copy_abs() > sys.float_info.max:
        return f"number {str(value)[:MAX_SHOWN_VALUE]} (out of range)"
    kind = next((name for base, name in _JSON_TYPE.items() if isinstance(value, base)), None)
    return f"{kind} {shown(value)}" if kind else f"a Python {type(value).__name__}"


def path_text(path: Iterable[str | int]) -> str:
    """Return the steps of `path` as one string, such as `items[2].price`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif 0 < len(step) <= MAX_SHOWN_VALUE and not any(mark in step for mark in ".[]"):
            text += f".{step}" if text else step
        else:
            text += f"[{shown(step)}]"
    return text


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that `name` most resembles, or None if none is close."""
    import difflib  # only on the way to an error message

    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name[:MAX_SHOWN_VALUE].casefold(), by_folded, n=1)
    return by_folded[close[0]] if close else None


def did_you_mean(name: str | None) -> str:
    """Return the hint that a message ends with where a known name is close; else nothing."""
    return "" if name is None else f" (did you mean {shown(name)}?)"


def _text(issues: tuple[Issue, ...], ignored: tuple[IgnoredKey, ...]) -> str:
    lines = [str(issue) for issue in issues[:MAX_SHOWN_ISSUES]]
    more = len(issues) - MAX_SHOWN_ISSUES
    if more > 0:
        lines.append(f"and {more} more fault{'' if more == 1 else 's'}")
    if ignored:
        names = ", ".join(str(key) for key in ignored[:MAX_SHOWN_ISSUES])
        more = len(ignored) - MAX_SHOWN_ISSUES
        rest = f" and {more} more" if more > 0 else ""
        lines.append(f"ignored unknown {'key' if len(ignored) == 1 else 'keys'}: {names}{rest}")
    return "\n".join(lines)
