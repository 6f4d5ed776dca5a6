"""compile_schema: any schema to a validator of JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from ._compiler import compile_validator
from .args import MCPArgs, form_of, schema_of, unstructure
from .builder import ObjectSchema
from .dialect import JSONSchema, check_parsed, parse_schema
from .validation import check


@attrs.frozen
class Validator:
    """Takes a JSON value and returns it, with the defaults of omitted keys filled in.

    Raises ValidationError, with every fault in `.issues`, where the value does not fit `schema`.
    """

    schema: JSONSchema
    _validate: Callable[[Any], Any] = attrs.field(repr=False)

    def __call__(self, value: Any) -> Any:
        return self._validate(value)


def compile_schema(
    schema: str | Mapping[str, Any] | type[MCPArgs] | ObjectSchema,
) -> Validator:
    """Return the validator of a class, a builder, or a raw schema as JSON text or a mapping.

    Raises SchemaError where a raw schema is outside the enforced dialect.
    """
    if isinstance(schema, ObjectSchema):
        return Validator(schema_of(schema), form_of(schema).structure)
    if isinstance(schema, type):
        form = form_of(schema)
        return Validator(schema_of(schema), lambda value: unstructure(form.structure(value)))
    parsed = parse_schema(schema)
    check_parsed(parsed, "")
    compiled = compile_validator(parsed)
    return Validator(parsed, lambda value: check(compiled, parsed, value))
