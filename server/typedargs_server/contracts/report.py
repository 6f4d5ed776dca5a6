"""Changes of tools as text for people, and as JSON for machines."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from .changes import Change, is_break
from .shifts import Verdict

_SEVERITY: Final = [Verdict.BREAKS, Verdict.MAY_BREAK, Verdict.FINE]
MAX_AT: Final = 40
"""Width of the column that says where; longer paths push their line out."""


def text_of(changes: Sequence[Change]) -> str:
    """Return a table of changes, grouped by tool, the worst first, and what they come to."""
    if not changes:
        return "No changes."
    lines: list[str] = []
    for tool, group in groupby(changes, key=lambda change: change.tool):
        own = sorted(group, key=lambda change: _SEVERITY.index(change.verdict))
        labels = [_label(change) for change in own]
        width = max(len(label) for label in labels)
        place = min(max(len(change.at) for change in own), MAX_AT)
        lines.append(tool)
        lines += [
            f"  {label:{width}}  {change.at:{place}}  {change.message}"
            for label, change in zip(labels, own, strict=True)
        ]
        lines.append("")
    return "\n".join([*lines, summary(changes)])


def summary(changes: Sequence[Change]) -> str:
    """Return how many changes break somebody, may do so, or are compatible."""
    counts = [sum(change.verdict is verdict for change in changes) for verdict in _SEVERITY]
    words = zip(counts, ("breaking", "may break", "compatible"), strict=True)
    return ", ".join(f"{count} {word}" for count, word in words if count)


def data_of(changes: Sequence[Change], *, lenient: bool) -> dict[str, Any]:
    """Return changes as JSON values; `breaks` is what the exit status says."""
    return {
        "breaks": is_break(changes, lenient=lenient),
        "changes": [
            {
                "tool": change.tool,
                "at": change.at,
                "verdict": change.verdict.value,
                "affects": change.affects or None,
                "message": change.message,
            }
            for change in changes
        ],
    }


def _label(change: Change) -> str:
    return f"{change.verdict.value} {change.affects}".rstrip()
