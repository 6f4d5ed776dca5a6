"""A value against a compiled schema: the result, or every fault and the keys that were ignored."""

from collections.abc import Container
from typing import Any

from ._compiler import Compiled
from ._runtime import Path
from .dialect import JSONSchema
from .errors import MAX_SHOWN_ISSUES, IgnoredKey, Issue, ValidationError, nearest, path_text


def check(
    compiled: Compiled, schema: JSONSchema | bool, value: Any, known: Container[str] = ()
) -> Any:
    """Return what `compiled` makes of `value`; raise ValidationError where it has faults.

    `known` are the keys at the root that are not to be named as ignored, beside the properties.
    """
    issues: list[Issue] = []
    try:
        result = compiled(value, issues)
    except RecursionError:
        expected = "a value that is not nested as deeply"
        raise ValidationError([Issue("", f"expected {expected}", "type", expected)]) from None
    if issues:
        raise ValidationError(issues, ignored_keys(schema, value, known=known))
    return result


def ignored_keys(
    schema: JSONSchema | bool, value: Any, path: Path = (), known: Container[str] = ()
) -> list[IgnoredKey]:
    """Return the keys in `value`, at any depth, that no part of `schema` speaks of.

    Only the first of them, as many as a message shows, are compared with the known ones.
    """
    if isinstance(schema, bool) or not isinstance(value, dict) or "properties" not in schema:
        return []
    properties: dict[str, JSONSchema] = schema["properties"]
    ignored: list[IgnoredKey] = []
    for key, item in value.items():
        if key in properties:
            ignored += ignored_keys(properties[key], item, (*path, key))
        elif key not in known and schema.get("additionalProperties") is not False:
            name = str(key)
            close = nearest(name, properties) if len(ignored) < MAX_SHOWN_ISSUES else None
            ignored.append(IgnoredKey(path_text((*path, name)), close))
    return ignored
