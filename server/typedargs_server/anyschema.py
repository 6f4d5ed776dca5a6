"""Reading any schema without enforcing it: where schemas stand, references, kinds of values.

Any JSON may come, from any server. What cannot be made out of it is said to be unknown, and is
never an error.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | Decimal | bool | None"
Schema: TypeAlias = "Mapping[str, Json]"

KINDS: Final = frozenset({"null", "boolean", "integer", "fraction", "string", "array", "object"})
"""The kinds of values, apart from each other: a `number` is an integer or has a fraction."""

NUMBERS: Final = frozenset({"integer", "fraction"})
MAX_SHOWN: Final = 60
"""Characters of a value that a message shows."""

ANNOTATIONS: Final = frozenset(
    {
        "$comment",
        "$schema",
        "default",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
        "x-mcp-header",
    }
)
"""Keywords that say something of a value, and refuse none."""

CONTAINERS: Final = frozenset({"$anchor", "$defs", "$id", "definitions"})
"""Keywords that hold or name schemas, and do nothing by themselves."""


_OF_SCHEMA: Final = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_OF_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_OF_MAP: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)


def as_schema(value: Json) -> Schema:
    """Return a schema as an object: true and whatever is none become {}, false {"not": {}}."""
    if value is False:
        return {"not": {}}
    return value if isinstance(value, dict) else {}


def is_false(schema: Schema) -> bool:
    """Return whether a schema plainly takes no value."""
    return "not" in schema and schema["not"] in (True, {})


def asserts(schema: Schema) -> bool:
    """Return whether a schema may refuse some value."""
    return any(key not in ANNOTATIONS and key not in CONTAINERS for key in schema)


def member(value: "Json | Schema", name: str) -> dict[str, Json]:
    """Return the object that is a member of `value`, or an empty one."""
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, dict) else {}


def members(schema: Schema, name: str) -> list[Json]:
    """Return the list that is a member of `schema`, or an empty one."""
    found = schema.get(name)
    return found if isinstance(found, list) else []


def strings(value: Json) -> list[str]:
    """Return the strings of a list, or the one string."""
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    return [value] if isinstance(value, str) else []


def target(reference: Json, root: Schema) -> "Json | None":
    """Return the schema that a reference within `root` means; None where there is none here."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    from urllib.parse import unquote

    fragment = reference[1:]
    if fragment and not fragment.startswith("/"):
        named = next((each for each in subschemas(root) if each.get("$anchor") == fragment), None)
        return named if isinstance(named, dict) else None
    found: Any = root
    for step in fragment.split("/")[1:]:
        step = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            found = found.get(step)
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found if isinstance(found, dict | bool) else None


def subschemas(value: "Json | Schema") -> Iterator[Schema]:
    """Yield every object within a JSON value: a superset of its schemas."""
    pending: list[Any] = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            yield each
            pending += each.values()
        elif isinstance(each, list):
            pending += each


def inner(schema: Schema) -> Iterator[tuple[str, Json]]:
    """Yield the schemas that stand directly within a schema, each with its pointer from there."""
    for keyword, operand in schema.items():
        if keyword in _OF_SCHEMA and isinstance(operand, dict | bool):
            yield f"/{keyword}", operand
        elif keyword in _OF_LIST and isinstance(operand, list):
            yield from ((f"/{keyword}/{at}", each) for at, each in enumerate(operand))
        elif keyword in _OF_MAP and isinstance(operand, dict):
            yield from ((f"/{keyword}/{escaped(key)}", each) for key, each in operand.items())


def escaped(key: str) -> str:
    """Return a key as a step of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def declared_kinds(schema: Schema) -> frozenset[str]:
    """Return the kinds that a schema's own `type` takes; all where it has none."""
    if "type" not in schema:
        return KINDS
    found: set[str] = set()
    for name in strings(schema["type"]):
        found |= NUMBERS if name == "number" else {name}
    return frozenset(found)


def kinds(
    schema: Schema, root: Schema, found: dict[int, frozenset[str]] | None = None
) -> frozenset[str]:
    """Return the kinds of values that a schema may take, or more, never fewer."""
    known = {} if found is None else found
    if id(schema) in known:
        return known[id(schema)]
    taken = frozenset[str]() if is_false(schema) else declared_kinds(schema)
    known[id(schema)] = taken  # what a cycle comes back to
    if (values := values_of(schema)) is not None:
        taken &= {kind_of(value) for value in values}
    parts: list[Json] = [*members(schema, "allOf")]
    if "$ref" in schema and (meant := target(schema["$ref"], root)) is not None:
        parts.append(meant)
    for part in parts:
        taken &= kinds(part, root, known) if isinstance(part, dict) else KINDS
    for keyword in ("anyOf", "oneOf"):
        if branches := members(schema, keyword):
            of_branches = (
                kinds(each, root, known) if isinstance(each, dict) else KINDS for each in branches
            )
            taken &= frozenset[str]().union(*of_branches)
    known[id(schema)] = taken
    return taken


def kind_of(value: Json) -> str:
    """Return the kind of a JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float() | Decimal():
            return "integer" if value == value // 1 else "fraction"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def kind_names(found: frozenset[str]) -> list[str]:
    """Return kinds by the names that `type` has for them."""
    names = set(found)
    if names >= NUMBERS:
        names = (names - NUMBERS) | {"number"}
    order = ["string", "number", "integer", "fraction", "boolean", "array", "object", "null"]
    return [name for name in order if name in names]


def values_of(schema: Schema) -> list[Json] | None:
    """Return the only values that `enum` and `const` leave, or None if they leave all."""
    if "const" in schema and "enum" in schema:
        only = same_as(schema["const"])
        return [value for value in members(schema, "enum") if same_as(value) == only]
    if "const" in schema:
        return [schema["const"]]
    return members(schema, "enum") if "enum" in schema else None


def same_as(value: "Json | Schema") -> object:
    """Return a hashable that is equal for equal JSON values: 1.0 is 1, and true is not."""
    match value:
        case bool():
            return ("boolean", value)
        case list():
            return ("array", tuple(same_as(each) for each in value))
        case Mapping():
            return ("object", frozenset((key, same_as(each)) for key, each in value.items()))
        case _:
            return value


def shown(value: Json) -> str:
    """Return a value as JSON text, cut where it is long."""
    import json  # on first use, as below: a server starts without

    text = json.dumps(value, ensure_ascii=False, default=_plain_number)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def listed(values: Sequence[Json], most: int = 8) -> str:
    """Return several values as JSON text."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(shown(value) for value in values[:most]) + more


def matches(pattern: str, name: str) -> bool:
    """Return whether a pattern of keys covers a key; one that cannot be read covers all."""
    try:
        return re.search(pattern, name) is not None
    except (re.error, RecursionError):
        return True


def _plain_number(value: Any) -> Any:
    return float(value)
