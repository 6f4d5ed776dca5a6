"""A tool's arguments, read from its published input schema, for people to see and to fill in.

The schemas are other servers' too: whatever cannot be made out of one is left out, never an error.
"""

from collections.abc import Iterable
from typing import Final

import attrs
import msgspec

from ..anyschema import (
    NUMBERS,
    Json,
    Schema,
    as_schema,
    kind_of,
    member,
    members,
    strings,
    target,
    values_of,
)
from ._text import cut

MAX_DEPTH: Final = 8
"""How far references and alternatives are followed."""

MAX_TEXT: Final = 48
"""Characters shown of a type and of a default."""

_UNSAID: Final = frozenset[str]()


@attrs.frozen
class Argument:
    """One property of a tool's input schema."""

    name: str
    kinds: frozenset[str]
    """The JSON types that its values may have; none if the schema does not say."""
    type_text: str
    required: bool
    default: str | None = None
    """As JSON text, perhaps cut."""
    description: str = ""


def arguments_of(schema: Json) -> list[Argument]:
    """Return the arguments that an input schema declares, in its order."""
    root = as_schema(schema)
    required = strings(root.get("required"))
    return [
        _argument(name, each, root, name in required)
        for name, each in member(root, "properties").items()
    ]


def _argument(name: str, schema: Json, root: Schema, required: bool) -> Argument:
    own, meant = as_schema(schema), as_schema(_resolved(schema, root))
    # What stands beside a reference is about this use of it, and counts more.
    description = own.get("description") or meant.get("description")
    return Argument(
        name=name,
        kinds=kinds_of(schema, root),
        type_text=cut(_type_text(schema, root, MAX_DEPTH), MAX_TEXT),
        required=required,
        default=cut(_json(own["default"]), MAX_TEXT) if "default" in own else None,
        description=description if isinstance(description, str) else "",
    )


def kinds_of(schema: Json, root: Schema, depth: int = MAX_DEPTH) -> frozenset[str]:
    """Return the JSON types that values of `schema`, part of `root`, may have; none if unsaid."""
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth == 0:
        return _UNSAID
    if named := strings(schema.get("type")):
        return frozenset(named)
    if values := values_of(schema):
        found = {kind_of(value) for value in values}
        return frozenset("number" if kind in NUMBERS else kind for kind in found)
    if alternatives := _alternatives(schema):
        of_each = [kinds_of(each, root, depth - 1) for each in alternatives]
        return _UNSAID.union(*of_each) if all(of_each) else _UNSAID
    parts = (kinds_of(each, root, depth - 1) for each in members(schema, "allOf"))
    return next((part for part in parts if part), _UNSAID)


def _type_text(schema: Json, root: Schema, depth: int) -> str:
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth == 0:
        return "any"
    if values := values_of(schema):
        return _joined(_json(value) for value in values)
    if alternatives := _alternatives(schema):
        return _joined(_type_text(each, root, depth - 1) for each in alternatives)
    named, items = strings(schema.get("type")), schema.get("items")
    if "array" in named and isinstance(items, dict):
        inner = _type_text(items, root, depth - 1)
        array = f"array of ({inner})" if " | " in inner else f"array of {inner}"
        return _joined(array if each == "array" else each for each in named)
    return _joined(named or sorted(kinds_of(schema, root))) or "any"


def _joined(names: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(names))


def _resolved(schema: Json, root: Schema) -> Json:
    """Return what a schema that is a reference within `root` refers to."""
    for _ in range(MAX_DEPTH):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = target(reference, root)
    return None


def _alternatives(schema: Schema) -> list[Json]:
    return members(schema, "anyOf") or members(schema, "oneOf")


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()
