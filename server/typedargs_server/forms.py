"""A form that a user fills in: a flat schema, in the subset that the protocol allows.

Source: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import msgspec

from typedargs import SchemaError, parse_schema

from .schemas import SchemaSource, input_schema

_PRIMITIVES: Final = ("string", "number", "integer", "boolean")
_FORMATS: Final = ("email", "uri", "date", "date-time")
_ROOT: Final = ("$schema", "type", "properties", "required")
"""What the root of a form may have; all else in the class's schema is checked, not shown."""

_NAMES: Final = "enumNames"
"""What the user reads for each member of an enum: a word of forms alone, not of JSON Schema."""

_FLAT: Final = (
    "a form is flat: strings, numbers, booleans, choices of strings, and lists of such choices"
)


class Form(msgspec.Struct, frozen=True):
    """What is shown to the user, and the check of what they fill in."""

    published: Mapping[str, Any]
    structure: Callable[[Any], Any]


def form_of(schema: SchemaSource) -> Form:
    """Return the form for a flat class, builder or raw schema; raises SchemaError if not flat."""
    return _of_class(schema) if isinstance(schema, type) else _form_of(schema)


def _form_of(schema: SchemaSource) -> Form:
    names: Mapping[str, Any] = {}
    if isinstance(schema, str | Mapping):
        schema = parse_schema(schema)
        names = _take_names(schema)
    made = input_schema(schema)
    properties = {
        name: {**member, _NAMES: names[name]} if name in names else member
        for name, member in made.published.get("properties", {}).items()
    }
    for name, member in properties.items():
        fault = _fault(member)
        if fault is not None:
            raise SchemaError(
                f'"{name}" cannot be asked for in a form: {fault}; {_FLAT}',
                pointer=f"/properties/{name}",
            )
    published = {key: made.published[key] for key in _ROOT if key in made.published}
    return Form({**published, "properties": properties}, made.structure)


_of_class: Final = cast(Callable[[type[Any]], Form], functools.lru_cache(maxsize=1024)(_form_of))
"""A class is made into a form once, not each time it is asked for."""


def _take_names(schema: dict[str, Any]) -> Mapping[str, Any]:
    """Take the names of enum members out of a raw schema; return them by property.

    Raises SchemaError where they are not one string for each member.
    """
    properties = schema.get("properties")
    taken: dict[str, Any] = {}
    for name, member in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(member, dict) or _NAMES not in member:
            continue
        names, values = member.pop(_NAMES), member.get("enum")
        if (
            not isinstance(names, list)
            or not isinstance(values, list)
            or len(names) != len(values)
            or not all(isinstance(each, str) for each in names)
        ):
            raise SchemaError(
                f'"{_NAMES}" of "{name}" must be a list of strings, one for each of its enum',
                keyword=_NAMES,
                pointer=f"/properties/{name}/{_NAMES}",
            )
        taken[name] = names
    return taken


def _fault(schema: object) -> str | None:
    """Return why the schema of one property has no place in a form."""
    if not isinstance(schema, Mapping):
        return "its schema is not an object"
    kind = schema.get("type")
    if kind == "array":
        return _fault_of_choices(schema.get("items"))
    if kind not in _PRIMITIVES:
        return "it has no type" if kind is None else f"its type is {kind!r}".replace("'", '"')
    given = schema.get("format")
    if kind == "string" and given is not None and given not in _FORMATS:
        return f'its format is "{given}", and clients know {", ".join(_FORMATS)}'
    return None


def _fault_of_choices(items: object) -> str | None:
    if isinstance(items, Mapping) and ("enum" in items or "anyOf" in items):
        return None
    return "its items are no choices"
