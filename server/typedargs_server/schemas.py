"""The three ways to give a tool a schema, made into one form when the tool is registered.

A class, a builder and a raw schema all become a `ToolSchema`: what is published, and the function
that checks a value against exactly that.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from typedargs import (
    ObjectSchema,
    SchemaError,
    aliases_of,
    compile_schema,
    is_args_class,
    parse_schema,
    reads_literals,
    schema_of,
    structure,
)

from ._typed import require

SchemaSource: TypeAlias = type[Any] | ObjectSchema | str | Mapping[str, Any]
"""An args class, a builder, or a raw schema as a JSON string or a mapping.

An args class is an `MCPArgs` subclass, or an attrs class, a dataclass, a TypedDict, a NamedTuple, a
pydantic model or a msgspec Struct.
"""

Validation: TypeAlias = Literal["dialect", "full"]
"""What raw schemas are held to: the enforced dialect, or, by an extra, all of JSON Schema."""


class ToolSchema(msgspec.Struct, frozen=True):
    """A tool's input or output: the published schema, and the check that enforces it.

    `structure` takes a JSON value and returns what a handler gets, or raises `ValidationError`.
    `aliases` maps each accepted older key to the canonical one.
    """

    published: Mapping[str, Any]
    structure: Callable[[Any], Any]
    aliases: Mapping[str, str] = msgspec.field(default_factory=dict)
    reads_literals: bool = False
    """Whether some field needs numbers as they are written."""
    args_class: type[Any] | None = None
    """The class that it was made from, where it was made from one."""


def tool_schema(
    source: SchemaSource,
    *,
    application_validated: bool = False,
    validation: Validation = "dialect",
) -> ToolSchema:
    """Return `source` in the one form. Raises SchemaError where it cannot be enforced.

    With `application_validated` a raw schema is published unchanged and checks nothing.
    """
    require(validation, Validation, "validation")
    require(application_validated, bool, "application_validated")
    if application_validated and isinstance(source, type | ObjectSchema):
        raise SchemaError(
            "application_validated=True is for raw schemas; a class or a builder is enforced"
        )
    if isinstance(source, ObjectSchema):
        # Compiled as it is now: what the builder gets later is not published either.
        return ToolSchema(schema_of(source), compile_schema(source), aliases_of(source))
    if is_args_class(source):
        args = source
        compile_schema(args)  # now, so that what is wrong with it shows here
        return ToolSchema(
            schema_of(args),
            lambda value: structure(value, args),
            aliases_of(args),
            reads_literals(args),
            args,
        )
    if not isinstance(source, str | Mapping):
        raise SchemaError(
            "a schema must be an args class, an ObjectSchema, a JSON string or a dict, "
            f"got {source!r}"
        )
    published = parse_schema(source)
    if application_validated:
        return ToolSchema(published, lambda value: value)
    return ToolSchema(published, compile_schema(published, validation=validation))


def input_schema(
    source: SchemaSource,
    *,
    application_validated: bool = False,
    validation: Validation = "dialect",
) -> ToolSchema:
    """Return `source` as a tool's input, whose root the protocol wants to be an object."""
    schema = tool_schema(source, application_validated=application_validated, validation=validation)
    if schema.published.get("type") != "object":
        raise SchemaError(
            'an input schema must have "type": "object" at its root',
            keyword="type",
            pointer="/type",
        )
    _check_headers(schema.published)
    return schema


def _check_headers(schema: Mapping[str, Any]) -> None:
    """Raise SchemaError for an `x-mcp-header` that makes clients drop the tool.

    Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
    """
    taken: set[str] = set()
    for name, child in schema.get("properties", {}).items():
        header = child.get("x-mcp-header") if isinstance(child, dict) else None
        if header is None:
            continue
        if child.get("type") not in ("string", "integer", "boolean"):
            raise SchemaError(
                f'"x-mcp-header" of {name} is for one of the types string, integer and boolean',
                keyword="x-mcp-header",
                pointer=f"/properties/{name}/x-mcp-header",
            )
        if not isinstance(header, str) or header.lower() in taken:
            raise SchemaError(
                f'"x-mcp-header" of {name} is taken already: {header}',
                keyword="x-mcp-header",
                pointer=f"/properties/{name}/x-mcp-header",
            )
        taken.add(header.lower())
