"""All of JSON Schema 2020-12, and draft-07 by `$schema`, through the package jsonschema-rs.

For raw schemas that need what the enforced dialect leaves out. The faults have the same shape;
defaults are not filled in, nothing is fetched from a network, and `format` is an annotation, as
the standard has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ._bounds import bounds
from ._runtime import Path, misfit, missing
from .dialect import DRAFT, DRAFT_7, KEYWORDS, JSONSchema
from .errors import Issue, SchemaError, ValidationError, path_text, shown

DRAFTS: Final[Mapping[str, str]] = {
    DRAFT: "Draft202012Validator",
    DRAFT_7: "Draft7Validator",
}
"""The drafts that are enforced in full, by their `$schema`, and the validator of each."""

_WORDS: Final[Mapping[str, str]] = {
    "falseSchema": "no value",
    "contains": 'items as "contains" asks for them',
    "additionalItems": "no further items",
    "unevaluatedItems": "no further items",
}


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
            f'"$schema" at /$schema must be one of {", ".join(DRAFTS)}, got {shown(draft)}',
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
        if is_deeper(value, bounds.full_depth):
            expected = f"a value nested at most {bounds.full_depth} levels deep"
            raise ValidationError([Issue("", f"expected {expected}", "type", expected)])
        try:
            errors = list(validator.iter_errors(value))
        except ValueError as error:  # a Python value that is none of JSON
            raise ValidationError([Issue("", f"expected JSON: {error}", "type", "JSON")]) from None
        issues = [issue for error in errors for issue in _issues(error)]
        if issues:
            raise ValidationError(issues)
        return value

    return check


def is_deeper(value: Any, limit: int) -> bool:
    """Tell whether arrays and objects stand in each other more than `limit` levels deep."""
    level = _containers([value])
    for _ in range(limit):
        level = [item for within in level for item in _containers(within)]
        if not level:
            return False
    return bool(level)


def _containers(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, Mapping) else value
    return [item for item in items if isinstance(item, Mapping | list | tuple)]


def _issues(error: Any, at: Path = ()) -> list[Issue]:
    """Return a fault of jsonschema-rs in our own words."""
    path, keyword = (*at, *error.instance_path), str(error.kind.name)
    operand = error.kind.as_dict()
    given: Any = next((v for k, v in operand.items() if k not in ("name", "value")), True)
    row = KEYWORDS.get(keyword)
    if keyword == "required":
        return missing((*path, str(operand["property"])), "")
    if keyword == "propertyNames":
        return _issues(operand["error"], (*path, str(operand["error"].instance)))
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        return [Issue(path_text((*path, key)), "unknown key", keyword, "") for key in given]
    if keyword in ("anyOf", "oneOf"):
        return _alternatives(error, path, keyword, operand["context"], at)
    if keyword == "type":
        expected = given if isinstance(given, str) else " or ".join(map(str, given))
    elif keyword == "not":
        expected = f"anything but {shown(operand['schema'])}"
    elif keyword in _WORDS:
        expected = _WORDS[keyword]
    elif row is not None and row.failure and row.complaint(given) is None:
        expected = row.expected(given)
    else:
        return [Issue(path_text(path), _first_line(error), keyword, keyword)]
    return misfit(path, keyword, expected, error.instance)


def _alternatives(
    error: Any, path: Path, keyword: str, branches: Sequence[Sequence[Any]], at: Path
) -> list[Issue]:
    """A value that fits no alternative is told by the nearest; one that fits several, as such."""
    if not all(branches):
        return misfit(path, keyword, "a value that fits one alternative only", error.instance)
    here = list(error.instance_path)
    near = [b for b in branches if not any(_is_of_another_type(e, here) for e in b)]
    if near:
        return [issue for e in min(near, key=len) for issue in _issues(e, at)]
    words = [issue.expected for branch in branches for e in branch for issue in _issues(e, at)]
    return misfit(path, keyword, " or ".join(dict.fromkeys(filter(None, words))), error.instance)


def _is_of_another_type(error: Any, path: list[Any]) -> bool:
    kinds = ("type", "const", "falseSchema")
    return error.kind.name in kinds and list(error.instance_path) == path


def _first_line(error: Exception) -> str:
    return str(getattr(error, "message", error)).splitlines()[0]
