"""The three ways to give a tool a schema, made into one form when the tool is registered.

A class, a builder and a raw schema all become a `ToolSchema`: what is published, and the function
that checks a value against exactly that.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import msgspec

from typedargs import (
    ObjectSchema,
    SchemaError,
    aliases_of,
    compile_schema,
    compile_structure,
    compile_unstructure,
    is_args_class,
    parse_schema,
    reads_literals,
    schema_of,
)

from ._typed import require
from .anyschema import inner

SchemaSource: TypeAlias = type[Any] | ObjectSchema | str | Mapping[str, Any]
"""An args class, a builder, or a raw schema as a JSON string or a mapping.

An args class is an `MCPArgs` subclass, or an attrs class, a dataclass, a TypedDict, a NamedTuple, a
pydantic model or a msgspec Struct.
"""

Validation: TypeAlias = Literal["dialect", "full"]
"""What raw schemas are held to: the enforced dialect, or, by an extra, all of JSON Schema."""


_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"


class HeaderParameter(msgspec.Struct, frozen=True):
    """A parameter of a tool that clients copy into an HTTP header."""

    header: str
    """The header's name."""
    path: tuple[str, ...]
    """The keys that lead to the parameter, from the arguments on."""


class ToolSchema(msgspec.Struct, frozen=True, dict=True):
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
    headers: tuple[HeaderParameter, ...] = ()
    """The parameters that clients copy into HTTP headers."""

    @cached_property
    def unstructure(self) -> Callable[[Any], dict[str, Any]]:
        """What makes JSON of an instance of the class; raises ValidationError where it is unfit."""
        assert self.args_class is not None
        return compile_unstructure(self.args_class)


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
        return ToolSchema(
            schema_of(args),
            compile_structure(args),  # now, so that what is wrong with it shows here
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
    return msgspec.structs.replace(schema, headers=_headers_of(schema.published))


def _headers_of(root: Mapping[str, Any]) -> tuple[HeaderParameter, ...]:
    """Return the parameters with an `x-mcp-header`, which clients copy into an HTTP header.

    Raises SchemaError for one that makes clients drop the tool.
    Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
    """
    found: dict[str, HeaderParameter] = {}
    pending: list[tuple[str, Any, tuple[str, ...] | None]] = [("", root, ())]
    for pointer, schema, path in pending:  # which grows meanwhile
        if not isinstance(schema, Mapping):
            continue
        if "x-mcp-header" in schema:
            complaint = _header_complaint(schema, path, found)
            if complaint is not None:
                raise SchemaError(
                    f'"x-mcp-header" at {pointer or "the root"} {complaint}',
                    keyword="x-mcp-header",
                    pointer=f"{pointer}/x-mcp-header",
                )
            name = schema["x-mcp-header"]
            found[name.lower()] = HeaderParameter(f"Mcp-Param-{name}", path or ())
        for step, child in inner(schema):
            at = None
            if path is not None and step.startswith("/properties/"):
                key = step.removeprefix("/properties/").replace("~1", "/").replace("~0", "~")
                at = (*path, key)
            pending.append((pointer + step, child, at))
    return tuple(found.values())


def _header_complaint(
    schema: Mapping[str, Any], path: tuple[str, ...] | None, taken: Mapping[str, Any]
) -> str | None:
    name = schema["x-mcp-header"]
    if not path:
        return "is for properties, and those of objects within properties, only"
    if schema.get("type") not in ("string", "integer", "boolean"):
        return "is for one of the types string, integer and boolean"
    if not isinstance(name, str) or re.fullmatch(_TOKEN, name) is None:
        return f"must be a header name (RFC 9110 token), got {name!r:.80}"
    if name.lower() in taken:
        return f"is taken already: {name}"
    return None
