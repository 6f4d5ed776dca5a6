"""Typed arguments: the class is the schema.

Declare fields on an `MCPArgs` class; its JSON Schema, its validation and its conversion follow.
"""

from ._field import Field
from ._missing import MISSING, Missing
from .args import MCPArgs, TypedArgs, aliases_of, schema_of, structure, unstructure
from .containers import Array, Const, Map, Nested, OneOf, Tuple
from .values import Bytes, Date, DateTime, Decimal, Duration, Email, Json, Path, Time, UUID, Uri
from .builder import ObjectSchema
from .compile import Validator, compile_schema
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
from .rules import AllOrNone, AtLeastOneOf, AtMostOneOf, ExactlyOneOf, Requires, Rule

__all__ = [
    "MISSING",
    "AllOrNone",
    "Array",
    "AtLeastOneOf",
    "AtMostOneOf",
    "Boolean",
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
    "UUID",
    "Uri",
    "ValidationError",
    "Validator",
    "aliases_of",
    "check_schema",
    "compile_schema",
    "nearest",
    "parse_schema",
    "schema_of",
    "structure",
    "unstructure",
]
