"""compile_schema: any schema to a validator of JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from .args import form_of, schema_of
from .builder import ObjectSchema
from .dialect import JSONSchema, parse_schema
from .validation import compile_validator


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
    schema: str | Mapping[str, Any] | type[Any] | ObjectSchema,
    *,
    validation: Literal["dialect", "full"] = "dialect",
) -> Validator:
    """Return the validator of a class, a builder, or a raw schema as JSON text or a mapping.

    With `validation="full"`, which needs the extra `jsonschema`, a raw schema may be any of JSON
    Schema 2020-12 or draft-07; defaults are then not filled in. Raises SchemaError where a raw
    schema is outside what is enforced.
    """
    if isinstance(schema, ObjectSchema):
        return Validator(schema_of(schema), form_of(schema).enter)
    if isinstance(schema, type):
        form = form_of(schema)
        enter = form.enter
        return Validator(schema_of(schema), lambda value: form.unstructure(enter(value)))
    parsed = parse_schema(schema)
    if validation == "full":
        from .full import compile_full  # an extra

        return Validator(parsed, compile_full(parsed))
    return Validator(parsed, compile_validator(parsed).enter)
