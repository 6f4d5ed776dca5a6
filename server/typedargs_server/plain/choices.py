"""Choices in a plain schema: `anyOf` below the root, and words at the root."""

from collections.abc import Sequence
from typing import Any, Final

from ..anyschema import (
    Json,
    Schema,
    as_schema,
    listed,
    member,
    members,
    same_as,
    strings,
    values_of,
)

NOTES: Final = ("title", "description", "default", "x-mcp-header")
"""Keywords that say something of a value, and stay."""

ORDER: Final = (
    *("type", "title", "description", "enum", "format", "pattern", "minLength", "maxLength"),
    *("minimum", "maximum", "minItems", "maxItems", "items", "properties", "required"),
    *("anyOf", "default", "x-mcp-header"),
)
"""The keywords of a plain schema, in the order in which they are written."""


def any_of(parts: Sequence[dict[str, Any]], schema: Schema) -> dict[str, Any]:
    """Return a choice. It stands alone, so its notes go to the first alternative."""
    if not parts:
        return {"type": "object", "properties": {}}
    notes = {key: schema[key] for key in NOTES if key in schema}
    if len(parts) == 1:
        if notes.get("default", "") is None:
            del notes["default"]
        made = {**parts[0], **notes}
        return {key: made[key] for key in ORDER if key in made}
    first = dict(parts[0])
    texts = [notes.get("description"), first.get("description")]
    if words := " ".join(text for text in texts if isinstance(text, str) and text):
        first["description"] = words
    first = {key: first[key] for key in ORDER if key in first}
    rest = [part for part in parts[1:] if same_as(part) != same_as(first)]
    if not rest:
        return first
    header = {key: notes[key] for key in ("x-mcp-header",) if key in notes}
    return {"anyOf": [first, *rest], **header}


def unlike(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return alternatives without repetition, those of strings with values made one."""
    enums = [part for part in parts if part.keys() == {"type", "enum"}]
    if len(enums) > 1:
        values = {same_as(each): each for part in enums for each in part["enum"]}
        rest = [part for part in parts if part not in enums]
        parts = [{"type": "string", "enum": list(values.values())}, *rest]
    return list({same_as(part): part for part in parts}.values())


def joined(rest: Schema, branches: Sequence[Schema]) -> Schema:
    """Return the root with the keys of all its alternatives, each required only if all say so."""
    properties: dict[str, Json] = dict(member(rest, "properties"))
    for branch in branches:
        for key, each in member(branch, "properties").items():
            known = properties.get(key)
            if known is None or same_as(known) == same_as(each):
                properties[key] = each
            elif isinstance(known, dict) and known.keys() == {"anyOf"}:
                properties[key] = {"anyOf": [*members(known, "anyOf"), each]}
            else:
                properties[key] = {"anyOf": [known, each]}
    every = [strings(branch.get("required")) for branch in branches]
    common = [key for key in every[0] if all(key in names for names in every)]
    required = list(dict.fromkeys([*strings(rest.get("required")), *common]))
    return {**rest, "properties": properties, "required": [*required]}


def choice(keyword: str, branches: Sequence[Schema]) -> str:
    """Return a choice at the root in words."""
    how = "exactly one of" if keyword == "oneOf" else "at least one of"
    names = [_branch_words(branch) for branch in branches]
    return f"{how}: {'; '.join(names)}"


def _branch_words(branch: Schema) -> str:
    words = [
        f"{key} = {listed(values)}"
        for key, each in member(branch, "properties").items()
        if (values := values_of(as_schema(each))) is not None
    ]
    named = list(strings(branch.get("required")) or member(branch, "properties"))
    words += [key for key in named if not any(word.startswith(f"{key} = ") for word in words)]
    return " and ".join(words) or "anything"
