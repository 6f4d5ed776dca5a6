"""A check of tools against the rules: what was found, as text and as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import attrs

from ..anyschema import Json
from ..plain import Loss
from .finders import ToolView, view_of
from .rule import Consequence, Rule
from .rules import MODES, RULES

MAX_PLACES: Final = 4
"""Places that the text names of what one rule found in one tool."""

_SEVERITY: Final = [Consequence.REFUSED, Consequence.DROPPED, Consequence.IGNORED]


@attrs.frozen
class Finding:
    """What one rule found in one tool; `tool` is None for what concerns all of them."""

    tool: str | None
    rule: Rule
    places: Sequence[str]


@attrs.frozen
class PlainNotes:
    """What the plain form of each tool does not say; whether it is what the server publishes."""

    losses: Mapping[str, Sequence[Loss]]
    in_use: bool


def check(tools: Iterable[Mapping[str, Json]], providers: Iterable[str]) -> list[Finding]:
    """Return what providers and modes are known to refuse, drop or ignore in a list of tools."""
    wanted = {name for each in providers for name in (each, MODES.get(each, each))}
    rules = [rule for rule in RULES if rule.provider in wanted]
    views = [view_of(tool) for tool in tools]
    found = [_finding(view, rule) for view in views for rule in rules]
    found += [
        Finding(None, rule, list(rule.find_all(views)) if rule.find_all else []) for rule in rules
    ]
    return [finding for finding in found if finding.places]


def is_refused(findings: Iterable[Finding]) -> bool:
    """Return whether something is refused."""
    return any(finding.rule.consequence is Consequence.REFUSED for finding in findings)


def text_of(findings: Sequence[Finding], plain: PlainNotes, names: Sequence[str]) -> str:
    """Return what was found, tool by tool, with the rules and their sources below."""
    lines: list[str] = []
    if not findings:
        lines += [f"Nothing is known to be refused, dropped or ignored in {_tools(names)}.", ""]
    for tool, group in groupby(findings, key=lambda finding: finding.tool):
        own = sorted(group, key=lambda finding: _SEVERITY.index(finding.rule.consequence))
        width = max(len(finding.rule.id) for finding in own)
        lines.append("(all tools)" if tool is None else tool)
        lines += [
            f"  {each.rule.consequence.value:7}  {each.rule.id:{width}}  {_places(each.places)}"
            for each in own
        ]
        lines.append("")
    lines += _plain_lines(plain)
    lines += _rule_lines(findings)
    return "\n".join(lines).rstrip()


def data_of(findings: Sequence[Finding], plain: PlainNotes) -> dict[str, Any]:
    """Return what was found as JSON values; `refused` is what the exit status says."""
    rules = {finding.rule.id: finding.rule for finding in findings}
    return {
        "refused": is_refused(findings),
        "findings": [
            {
                "tool": finding.tool,
                "rule": finding.rule.id,
                "consequence": finding.rule.consequence.value,
                "places": list(finding.places),
            }
            for finding in findings
        ],
        "rules": {
            rule.id: {
                "looksFor": rule.looks_for,
                "consequence": rule.consequence.value,
                "says": rule.says,
                "reported": rule.reported,
                "source": rule.source,
            }
            for rule in rules.values()
        },
        "plain": {
            "inUse": plain.in_use,
            "losses": {
                tool: [attrs.asdict(loss) for loss in losses]
                for tool, losses in plain.losses.items()
                if losses
            },
        },
    }


def _finding(view: ToolView, rule: Rule) -> Finding:
    return Finding(view.name, rule, list(rule.find(view)) if rule.find else [])


def _places(places: Sequence[str]) -> str:
    more = f" and {len(places) - MAX_PLACES} more" if len(places) > MAX_PLACES else ""
    return ", ".join(places[:MAX_PLACES]) + more


def _tools(names: Sequence[str]) -> str:
    return f"{len(names)} tool{'' if len(names) == 1 else 's'}"


def _plain_lines(plain: PlainNotes) -> list[str]:
    lossy = {tool: losses for tool, losses in plain.losses.items() if losses}
    if not lossy:
        return []
    head = "Shown in the plain form, without:" if plain.in_use else "plain=True would not show:"
    lines = [head]
    for tool, losses in lossy.items():
        lines += [f"  {tool}  {loss}" for loss in losses]
    return [*lines, ""]


def _rule_lines(findings: Sequence[Finding]) -> list[str]:
    lines: list[str] = []
    for rule in {finding.rule.id: finding.rule for finding in findings}.values():
        known = "reported" if rule.reported else "known"
        lines += [
            f"{rule.id}: {rule.looks_for}",
            f"  {known}: {rule.says}",
            f"  {rule.source}",
        ]
    return lines
