"""A tool's arguments, read from its published input schema, for people to see and to fill in.

The schemas are other servers' too: whatever cannot be made out of one is left out, never an error.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

import attrs
import msgspec

from ._text import cut

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

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
    properties = _member(schema, "properties")
    if not isinstance(properties, dict):
        return []
    required = _strings(_member(schema, "required"))
    return [_argument(name, each, schema, name in required) for name, each in properties.items()]


def _argument(name: str, schema: Json, root: Json, required: bool) -> Argument:
    resolved = _resolved(schema, root)
    # What stands beside a reference is about this use of it, and counts more.
    description = _member(schema, "description") or _member(resolved, "description")
    has_default = isinstance(schema, dict) and "default" in schema
    return Argument(
        name=name,
        kinds=kinds_of(schema, root),
        type_text=cut(_type_text(schema, root, MAX_DEPTH), MAX_TEXT),
        required=required,
        default=cut(_json(_member(schema, "default")), MAX_TEXT) if has_default else None,
        description=description if isinstance(description, str) else "",
    )


def kinds_of(schema: Json, root: Json, depth: int = MAX_DEPTH) -> frozenset[str]:
    """Return the JSON types that values of `schema`, part of `root`, may have; none if unsaid."""
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth == 0:
        return _UNSAID
    if named := _strings(schema.get("type")):
        return frozenset(named)
    if values := _values(schema):
        return frozenset(_kind(value) for value in values)
    alternatives = _alternatives(schema)
    found = [kinds_of(each, root, depth - 1) for each in alternatives]
    if alternatives:
        return _UNSAID.union(*found) if all(found) else _UNSAID
    every = schema.get("allOf")
    parts = [kinds_of(each, root, depth - 1) for each in every] if isinstance(every, list) else []
    return next((part for part in parts if part), _UNSAID)


def _type_text(schema: Json, root: Json, depth: int) -> str:
    schema = _resolved(schema, root)
    if not isinstance(schema, dict) or depth == 0:
        return "any"
    if values := _values(schema):
        return _joined(_json(value) for value in values)
    if alternatives := _alternatives(schema):
        return _joined(_type_text(each, root, depth - 1) for each in alternatives)
    items = schema.get("items")
    if "array" in _strings(schema.get("type")) and isinstance(items, dict):
        inner = _type_text(items, root, depth - 1)
        array = f"array of ({inner})" if " | " in inner else f"array of {inner}"
        return _joined(array if each == "array" else each for each in _strings(schema["type"]))
    return _joined(_strings(schema.get("type")) or sorted(kinds_of(schema, root))) or "any"


def _joined(names: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(names))


def _resolved(schema: Json, root: Json) -> Json:
    """Return what a schema that is a reference within `root` refers to."""
    for _ in range(MAX_DEPTH):
        reference = _member(schema, "$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for step in reference[1:].split("/")[1:]:
            schema = _member(schema, step.replace("~1", "/").replace("~0", "~"))
    return None


def _member(schema: Json, name: str) -> Json:
    return schema.get(name) if isinstance(schema, dict) else None


def _strings(value: Json) -> list[str]:
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return [value] if isinstance(value, str) else []


def _values(schema: dict[str, Json]) -> list[Json]:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def _alternatives(schema: dict[str, Json]) -> list[Json]:
    for keyword in ("anyOf", "oneOf"):
        found = schema.get(keyword)
        if isinstance(found, list):
            return found
    return []


def _kind(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()
