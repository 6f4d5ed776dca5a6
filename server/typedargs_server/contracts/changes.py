"""Two lists of tools compared: which changes break those who call them or read their results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from ..anyschema import Json, Schema, member
from .comparison import compare_schemas
from .lock import Lock
from .narrowing import changed, differs, how
from .shifts import Shift, Verdict


@attrs.frozen
class Change:
    """One change of one tool.

    `at` is where: `input.a.b`, `output.items[].price`, or the member of the tool. `affects` is
    who relied on it, "callers" or "readers"; empty where nobody did.
    """

    tool: str
    at: str
    verdict: Verdict
    affects: str
    message: str


_NOTED: Final = ("title", "description", "icons", "_meta")
"""Members of a tool on which nobody relies."""

_COMPARED: Final = ("name", "inputSchema", "outputSchema", "annotations")

_PROMISES: Final = (
    ("readOnlyHint", False, True),
    ("destructiveHint", True, False),
    ("idempotentHint", False, True),
    ("openWorldHint", True, False),
)
"""An annotation, its value where it is left out, and the value that promises something.

Source: https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
"""


def compare(old: Lock, new: Lock) -> list[Change]:
    """Return all changes from one list of tools to another, tool by tool in the old order."""
    before = {str(tool["name"]): tool for tool in old.tools}
    after = {str(tool["name"]): tool for tool in new.tools}
    found: list[Change] = []
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            found.append(Change(name, "tool", Verdict.BREAKS, "callers", "removed"))
        elif name not in before:
            found.append(Change(name, "tool", Verdict.FINE, "", "added"))
        else:
            found += _tool_changes(name, before[name], after[name])
    return found


def is_break(changes: Sequence[Change], *, lenient: bool = False) -> bool:
    """Return whether a list of changes breaks somebody, or, unless `lenient`, may do so."""
    bad = {Verdict.BREAKS} if lenient else {Verdict.BREAKS, Verdict.MAY_BREAK}
    return any(change.verdict in bad for change in changes)


def _tool_changes(name: str, old: Schema, new: Schema) -> Iterator[Change]:
    for shift in compare_schemas(old.get("inputSchema", {}), new.get("inputSchema", {})):
        yield _of_shift(name, "input", shift, shift.callers, "callers")
    yield from _output_changes(name, old, new)
    yield from _annotation_changes(name, member(old, "annotations"), member(new, "annotations"))
    for key in dict.fromkeys([*old, *new]):
        if key in _COMPARED or not differs(key, old, new):
            continue
        if key in _NOTED:
            yield Change(name, key, Verdict.FINE, "", how(key, old, new))
        else:
            yield Change(name, key, Verdict.MAY_BREAK, "callers", changed(key, old, new))


def _output_changes(name: str, old: Schema, new: Schema) -> Iterator[Change]:
    if "outputSchema" in old and "outputSchema" in new:
        for shift in compare_schemas(old["outputSchema"], new["outputSchema"]):
            yield _of_shift(name, "output", shift, shift.readers, "readers")
    elif "outputSchema" in old:
        yield Change(name, "output", Verdict.BREAKS, "readers", "no longer declared")
    elif "outputSchema" in new:
        yield Change(name, "output", Verdict.FINE, "", "declared now")


def _annotation_changes(
    name: str, old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[Change]:
    promises = {hint for hint, _, _ in _PROMISES}
    for hint, default, promise in _PROMISES:
        was, now = old.get(hint, default), new.get(hint, default)
        if was != now:
            lost = was == promise
            verdict = Verdict.MAY_BREAK if lost else Verdict.FINE
            affects = "callers" if lost else ""
            words = f"{hint} {_word(was)} -> {_word(now)}"
            yield Change(name, "annotations", verdict, affects, words)
    for key in dict.fromkeys([*old, *new]):
        if key not in promises and differs(key, old, new):
            yield Change(name, "annotations", Verdict.FINE, "", changed(key, old, new))


def _of_shift(name: str, place: str, shift: Shift, verdict: Verdict, affects: str) -> Change:
    affected = "" if verdict is Verdict.FINE else affects
    return Change(name, f"{place}{shift.path}", verdict, affected, shift.message)


def _word(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
