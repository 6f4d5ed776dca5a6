"""Typed arguments: the class is the schema.

Declare fields on an `MCPArgs` class; its JSON Schema, its validation and its conversion follow.
"""

import typing

from ._bounds import Bounds, bounds
from ._field import Field
from ._forms import is_args_class
from ._literal import read_literal
from ._missing import MISSING, Missing
from .args import (
    MCPArgs,
    TypedArgs,
    aliases_of,
    compile_structure,
    compile_unstructure,
    reads_literals,
    register_hooks,
    schema_of,
    structure,
    unstructure,
)
from .builder import ObjectSchema
from .compile import Validator, compile_schema
from .containers import Array, Map, Tuple
from .dialect import JSONSchema, check_schema, parse_schema
from .errors import (
    IgnoredKey,
    Issue,
    SchemaError,
    TypedArgsError,
    ValidationError,
    nearest,
)
from .fields import Boolean, Double, Enum, Integer, String
from .nesting import Const, Nested, OneOf
from .rules import AllOrNone, AtLeastOneOf, AtMostOneOf, ExactlyOneOf, Requires, Rule
from .times import Date, DateTime, Duration, Time

if typing.TYPE_CHECKING:
    from .values import UUID, Bytes, Decimal, Email, Json, Path, Uri

__all__ = [
    "MISSING",
    "UUID",
    "AllOrNone",
    "Array",
    "AtLeastOneOf",
    "AtMostOneOf",
    "Boolean",
    "Bounds",
    "Bytes",
    "Const",
    "Date",
    "DateTime",
    "Decimal",
    "Double",
    "Duration",
    "Email",
    "Enum",
    "ExactlyOneOf",
    "Field",
    "IgnoredKey",
    "Integer",
    "Issue",
    "JSONSchema",
    "Json",
    "MCPArgs",
    "Map",
    "Missing",
    "Nested",
    "ObjectSchema",
    "OneOf",
    "Path",
    "Requires",
    "Rule",
    "SchemaError",
    "String",
    "Time",
    "Tuple",
    "TypedArgs",
    "TypedArgsError",
    "Uri",
    "ValidationError",
    "Validator",
    "aliases_of",
    "bounds",
    "check_schema",
    "compile_schema",
    "compile_structure",
    "compile_unstructure",
    "is_args_class",
    "nearest",
    "parse_schema",
    "read_literal",
    "reads_literals",
    "register_hooks",
    "schema_of",
    "structure",
    "unstructure",
]


_ON_DEMAND = frozenset({"UUID", "Bytes", "Decimal", "Email", "Json", "Path", "Uri"})
"""The fields that a server starts without: they load modules of their own."""


def __getattr__(name: str) -> typing.Any:
    if name in _ON_DEMAND:
        from . import values

        return getattr(values, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})
