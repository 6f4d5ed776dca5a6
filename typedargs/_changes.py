"""Which schemas may make another value of the one that they check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dialect import Document, JSONSchema, subschemas, types_of

if TYPE_CHECKING:
    from ._hooks import Hooks


class Changes:
    """Tells of each schema of a document whether its check may return another value than it got."""

    def __init__(self, document: Document, hooks: Hooks) -> None:
        self._document = document
        self._hooks = hooks
        self._known: dict[int, bool] = {}

    def __call__(self, schema: JSONSchema | bool) -> bool:
        """Tell whether a check of `schema` may return another value than it got."""
        if isinstance(schema, bool):
            return False
        known = self._known.get(id(schema))
        if known is None:
            self._known[id(schema)] = True  # where a schema holds itself: to be safe
            known = self._known[id(schema)] = self._find(schema)
        return known

    def _find(self, schema: JSONSchema) -> bool:
        types = types_of(schema)
        if id(schema) in self._hooks or ("integer" in types and "number" not in types):
            return True
        if any(
            "default" in p for p in schema.get("properties", {}).values() if p not in (True, False)
        ):
            return True
        if "$ref" in schema and self(self._document.resolve(schema["$ref"])):
            return True
        return any(self(child) for _, child in subschemas(schema))
