"""The three ways to give a tool a schema, made into one form when the tool is registered.

A class, a builder and a raw schema all become a `ToolSchema`: what is published, and the function
that checks a value against exactly that.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs

from typedargs import (
    MCPArgs,
    ObjectSchema,
    SchemaError,
    aliases_of,
    check_schema,
    compile_schema,
    parse_schema,
    schema_of,
    structure,
)

SchemaSource: TypeAlias = type[MCPArgs] | ObjectSchema | str | Mapping[str, Any]
"""An `MCPArgs` subclass, a builder, or a raw schema as a JSON string or a mapping."""


@attrs.frozen
class ToolSchema:
    """A tool's input or output: the published schema, and the check that enforces it.

    `structure` takes a JSON value and returns what a handler gets, or raises `ValidationError`.
    `aliases` maps each accepted older key to the canonical one.
    """

    published: Mapping[str, Any]
    structure: Callable[[Any], Any]
    aliases: Mapping[str, str] = attrs.field(factory=dict)


def tool_schema(source: SchemaSource, *, application_validated: bool = False) -> ToolSchema:
    """Return `source` in the one form. Raises SchemaError where it cannot be enforced.

    With `application_validated` a raw schema is published unchanged and checks nothing.
    """
    if application_validated and isinstance(source, type | ObjectSchema):
        raise SchemaError(
            "application_validated=True is for raw schemas; a class or a builder is enforced"
        )
    if isinstance(source, type) and issubclass(source, MCPArgs):
        args = source
        return ToolSchema(schema_of(args), lambda value: structure(value, args), aliases_of(args))
    if isinstance(source, ObjectSchema):
        # Compiled as it is now: what the builder gets later is not published either.
        return ToolSchema(schema_of(source), compile_schema(source), aliases_of(source))
    if not isinstance(source, str | Mapping):
        raise SchemaError(
            "a schema must be an MCPArgs subclass, an ObjectSchema, a JSON string or a dict, "
            f"got {source!r}"
        )
    published = parse_schema(source)
    if application_validated:
        return ToolSchema(published, lambda value: value)
    check_schema(published)
    return ToolSchema(published, compile_schema(published))


def input_schema(source: SchemaSource, *, application_validated: bool = False) -> ToolSchema:
    """Return `source` as a tool's input, whose root the protocol wants to be an object."""
    schema = tool_schema(source, application_validated=application_validated)
    if schema.published.get("type") != "object":
        raise SchemaError(
            'an input schema must have "type": "object" at its root',
            keyword="type",
            pointer="/type",
        )
    return schema
