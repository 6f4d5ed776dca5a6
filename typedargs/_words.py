"""What a message calls the values that a schema takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dialect import KEYWORDS, Document, JSONSchema, types_of

if TYPE_CHECKING:
    from ._hooks import Hooks


class Words:
    """The words for each schema of a document; those that a field has of its own come first."""

    def __init__(self, document: Document, hooks: Hooks) -> None:
        self._document = document
        self._hooks = hooks

    def of(self, schema: JSONSchema | bool) -> str:
        """Return the words for the values that `schema` takes, as a message names them."""
        if isinstance(schema, bool):
            return "any value" if schema else "no value"
        own = self.own(schema)
        if own is None and "format" in schema and "string" in types_of(schema):
            own = KEYWORDS["format"].expected(schema["format"])
        if own is not None:
            return f"{own} or null" if "null" in types_of(schema) else own
        for name in ("enum", "const"):
            if name in schema:
                return KEYWORDS[name].expected(schema[name])
        if "type" in schema:
            names = schema["type"]
            return names if isinstance(names, str) else " or ".join(names)
        if "$ref" in schema and self._document.resolve(schema["$ref"]) is not schema:
            return self.of(self._document.resolve(schema["$ref"]))
        for name in ("anyOf", "oneOf"):
            if name in schema:
                return self.of_any(schema[name])
        is_open = all(KEYWORDS[name].group == "annotation" for name in schema)
        return "any value" if is_open else "another value"

    def own(self, schema: JSONSchema) -> str | None:
        """Return the words that a field has for its values, if it has any."""
        words: str | None = getattr(self._hooks.get(id(schema)), "words", None)
        return words

    def of_any(self, schemas: list[JSONSchema | bool]) -> str:
        """Return the words for the values that some of `schemas` takes."""
        return " or ".join(dict.fromkeys(map(self.of, schemas)))
