"""All of JSON Schema 2020-12, and draft-07 by `$schema`, through the package jsonschema-rs.

For raw schemas that need what the enforced dialect leaves out. The faults have the same shape;
defaults are not filled in, nothing is fetched from a network, and `format` is an annotation, as
the standard has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ._runtime import misfit, missing
from .dialect import DRAFT, KEYWORDS, JSONSchema
from .errors import Issue, SchemaError, ValidationError, path_text

DRAFTS: Final[Mapping[str, str]] = {
    DRAFT: "Draft202012Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
}
"""The drafts that are enforced in full, by their `$schema`, and the validator of each."""


def compile_full(schema: JSONSchema) -> Callable[[Any], Any]:
    """Return the check of `schema`, a parsed one: it returns a value, or raises ValidationError.

    Raises SchemaError where the schema is malformed, of another draft, or refers to what is not in
    it; ImportError, with what to install, without the extra `jsonschema`.
    """
    try:
        import jsonschema_rs
    except ImportError:
        raise ImportError(
            'validation="full" needs "pip install typedargs-mcp[jsonschema]"'
        ) from None
    draft = str(schema.get("$schema", DRAFT)).removesuffix("#")
    if draft not in DRAFTS:
        raise SchemaError(
            f'"$schema" at /$schema must be one of {", ".join(DRAFTS)}, got {draft!r}',
            keyword="$schema",
            pointer="/$schema",
        )
    make: Any = getattr(jsonschema_rs, DRAFTS[draft])
    try:
        jsonschema_rs.meta.validate(schema)
        validator = make(schema, validate_formats=False, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        raise SchemaError(f"the schema is not sound: {_first_line(error)}") from None

    def check(value: Any) -> Any:
        issues = [issue for error in validator.iter_errors(value) for issue in _issues(error)]
        if issues:
            raise ValidationError(issues)
        return value

    return check


def _issues(error: Any) -> list[Issue]:
    """Return a fault of jsonschema-rs in our own words, where the dialect has the keyword."""
    path, keyword = tuple(error.instance_path), str(error.kind.name)
    operand = error.kind.as_dict()
    row = KEYWORDS.get(keyword)
    if keyword == "required":
        return missing((*path, str(operand["property"])), "")
    given = next((v for k, v in operand.items() if k not in ("name", "value")), None)
    if keyword == "type":
        return misfit(path, keyword, _types(given), error.instance)
    if row is not None and row.failure and row.complaint(given) is None:
        return misfit(path, keyword, row.expected(given), error.instance)
    return [Issue(path_text(path), _first_line(error), keyword, keyword)]


def _types(given: Any) -> str:
    return given if isinstance(given, str) else " or ".join(map(str, given))


def _first_line(error: Exception) -> str:
    return str(getattr(error, "message", error)).splitlines()[0]
