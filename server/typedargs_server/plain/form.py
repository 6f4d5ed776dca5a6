"""One schema on its way to the plain form, keyword by keyword and schema within schema."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from ..anyschema import (
    Json,
    Schema,
    as_schema,
    escaped,
    is_false,
    kind_of,
    listed,
    member,
    members,
    shown,
    strings,
    target,
    values_of,
)
from .choices import NOTES, ORDER, any_of, choice, joined, unlike
from .merging import merged

MAX_NODES: Final = 2_000
"""Schemas in a plain schema; what would make it larger is shown as any object."""

MAX_REFERENCES: Final = 20
"""References within references that are worked in."""

_KEPT: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"enum", "minLength", "maxLength", "pattern", "format"}),
    "integer": frozenset({"minimum", "maximum"}),
    "number": frozenset({"minimum", "maximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"properties", "required"}),
}
"""The keywords that a plain schema has, by its type; the rest is said in words."""

_SILENT: Final = frozenset(
    {"$anchor", "$comment", "$defs", "$id", "$schema", "definitions", "readOnly", "writeOnly"}
)
"""Keywords left out without a word: they tell a caller nothing."""

_OF_TYPE: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset(
        {"minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"}
    ),
    "number": frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    ),
    "array": frozenset(
        {
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
        }
    ),
    "object": frozenset(
        {
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        }
    ),
}
"""Keywords that speak of one type only."""

_FORMATS: Final = frozenset({"date-time"})


@attrs.frozen
class Loss:
    """What a plain schema does not say: the place in the full schema, the keyword, the words."""

    pointer: str
    keyword: str
    message: str

    def __str__(self) -> str:
        """Return the loss as one line."""
        return f"{self.pointer or '/'} {self.keyword}".rstrip() + f": {self.message}"


def plain_schema(schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[Loss]]:
    """Return an input schema in the plain form, and all that it does not say in keywords."""
    work = _Plain(schema)
    try:
        return work.root(), work.losses
    except RecursionError:
        loss = Loss("", "", "shown as any object: the schema is nested too deep")
        return {"type": "object", "properties": {}}, [loss]


class _Plain:
    """One schema on its way to the plain form."""

    def __init__(self, root: Schema):
        self._root = root
        self._nodes = 0
        self.losses: list[Loss] = []

    def root(self) -> dict[str, Any]:
        """Return the whole, an object without a combinator at its root."""
        schema, within = self._flat(self._root, "", ())
        words: list[str] = []
        for keyword in ("anyOf", "oneOf"):
            if branches := members(schema, keyword):
                flat = [self._flat(as_schema(each), f"/{keyword}", ())[0] for each in branches]
                words.append(choice(keyword, flat))
                self._lose("", keyword, "said in the description; the keys of all are optional")
                rest = {key: each for key, each in schema.items() if key != keyword}
                schema = joined(rest, flat)
        return self._typed({**schema, "type": "object"}, "object", "", within, words)

    def _lose(self, pointer: str, keyword: str, message: str) -> None:
        self.losses.append(Loss(pointer, keyword, message))

    def _node(self, value: Json, pointer: str, within: tuple[int, ...]) -> dict[str, Any]:
        """Return a schema below the root."""
        if self._nodes > MAX_NODES:
            self._lose(pointer, "", "shown as any object: the schema is too large")
            return {"type": "object", "properties": {}}
        given = as_schema(value)
        reference = given.get("$ref")
        meant = target(reference, self._root)
        if meant is not None and (id(meant) in within or len(within) >= MAX_REFERENCES):
            self._lose(pointer, "$ref", "recursive; shown as any object from here on")
            name = str(reference).rpartition("/")[2].strip("#")
            words = f"Again {name}." if name else "Again the whole."
            return {"type": "object", "description": words, "properties": {}}
        schema, within = self._flat(given, pointer, within)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self._union(schema, keyword, pointer, within)
        types = self._types(schema, pointer)
        if len(types) == 1:
            return self._typed(schema, types[0], pointer, within, [])
        if not types:
            self._lose(pointer, "", "takes any value; shown as text, number or boolean")
            types = ["string", "number", "boolean"]
        parts = [self._typed(_only(schema, name), name, pointer, within, []) for name in types]
        return any_of(parts, schema)

    def _flat(
        self, schema: Schema, pointer: str, within: tuple[int, ...]
    ) -> tuple[Schema, tuple[int, ...]]:
        """Return a schema with its references and `allOf` worked in, and what it is within then."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            return {"type": "object"}, within
        parts: list[Json] = []
        meant = target(schema.get("$ref"), self._root)
        if meant is not None and id(meant) not in within:
            parts.append(meant)
            within = (*within, id(meant))
        elif "$ref" in schema:
            self._lose(pointer, "$ref", f"left out: {shown(schema['$ref'])} cannot be worked in")
        parts += members(schema, "allOf")
        flat: Schema = {k: each for k, each in schema.items() if k not in ("$ref", "allOf")}
        around = list(within)
        for part in parts:
            inner, inside = self._flat(as_schema(part), pointer, within)
            around += [each for each in inside if each not in around]
            flat, clashes = merged(flat, inner)
            for keyword in clashes:
                self._lose(pointer, keyword, "two conditions on it; only one is shown")
        return flat, tuple(around)

    def _types(self, schema: Schema, pointer: str) -> list[str]:
        """Return the types to be shown, without null where there is another."""
        values = values_of(schema)
        if "type" in schema:
            names = strings(schema["type"])
        elif values is not None:
            kinds = [kind_of(each).replace("fraction", "number") for each in values]
            names = list(dict.fromkeys(kinds))
        else:
            names = [name for name, speaking in _OF_TYPE.items() if speaking & schema.keys()]
        shown_types = [name for name in names if name != "null"] or names
        if len(shown_types) < len(names):
            self._lose(pointer, "type", "null is taken, and not shown")
        if "number" in shown_types and "integer" in shown_types:
            shown_types.remove("integer")
        return shown_types

    def _unlike(self, parts: list[dict[str, Any]], pointer: str) -> list[dict[str, Any]]:
        """Return the alternatives to be shown."""
        flat = [each for part in parts for each in part.get("anyOf", [part])]
        others = [part for part in flat if part.get("type") != "null"]
        if others and len(others) < len(flat):
            self._lose(pointer, "type", "null is taken, and not shown")
        return unlike(others or flat[:1])

    def _union(
        self, schema: Schema, keyword: str, pointer: str, within: tuple[int, ...]
    ) -> dict[str, Any]:
        beside = {key: each for key, each in schema.items() if key not in (keyword, *NOTES)}
        parts: list[dict[str, Any]] = []
        for at, each in enumerate(members(schema, keyword)):
            where = f"{pointer}/{keyword}/{at}"
            flat, _ = self._flat(as_schema(each), where, within)
            if strings(flat.get("type")) == ["null"] or values_of(flat) == [None]:
                self._lose(where, "type", "null is taken, and not shown")
            elif not is_false(flat):
                whole, clashes = merged(beside, each if isinstance(each, dict) else {})
                for clash in clashes:
                    self._lose(where, clash, "two conditions on it; only one is shown")
                parts.append(self._node(dict(whole), where, within))
        if keyword == "oneOf" and len(parts) > 1:
            self._lose(pointer, keyword, "shown as anyOf")
        return any_of(self._unlike(parts, pointer), schema)

    def _typed(
        self, schema: Schema, name: str, pointer: str, within: tuple[int, ...], words: list[str]
    ) -> dict[str, Any]:
        """Return a schema of one type."""
        made: dict[str, Any] = {"type": name}
        made |= {key: schema[key] for key in NOTES if key in schema}
        if made.get("default", "") is None and name != "null":
            del made["default"]
        said = list(words)
        for keyword, operand in self._rewritten(schema, name, pointer, said):
            if keyword in _KEPT[name] and (keyword != "format" or operand in _FORMATS):
                made[keyword] = operand
            elif keyword not in _SILENT and not _is_of_other_type(keyword, name):
                self._lose(pointer, keyword, _IN_WORDS)
                said.append(_words(keyword, operand))
        if name == "object":
            made |= self._object(schema, pointer, within)
        elif name == "array":
            made["items"] = self._items(schema, pointer, within, said)
        if said:
            given = made.get("description")
            text = f"({'; '.join(said)})"
            made["description"] = f"{given} {text}" if isinstance(given, str) and given else text
        return {key: made[key] for key in ORDER if key in made}

    def _rewritten(
        self, schema: Schema, name: str, pointer: str, said: list[str]
    ) -> Iterator[tuple[str, Json]]:
        """Yield the keywords with their operands, where another keyword says the same in its terms.

        What goes into words of its own is appended to `said`.
        """
        values = values_of(schema)
        if values is not None:
            fitting = [each for each in values if _has_type(each, name)]
            if not fitting:
                pass  # a contradiction, which no words would mend
            elif name == "string":
                yield "enum", fitting
            elif name not in ("null", "boolean") or len(fitting) < 2:
                self._lose(pointer, "enum" if "enum" in schema else "const", _IN_WORDS)
                said.append(f"one of: {listed(fitting)}")
        for keyword, operand in schema.items():
            if keyword in ("type", "enum", "const", *NOTES):
                continue
            rewrite = _REWRITES.get(keyword)
            yield from rewrite(schema, name, operand) if rewrite else [(keyword, operand)]

    def _object(self, schema: Schema, pointer: str, within: tuple[int, ...]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        for key, each in member(schema, "properties").items():
            where = f"{pointer}/properties/{escaped(key)}"
            if is_false(as_schema(each)):
                self._lose(where, "", "refused, and not shown")
            else:
                properties[key] = self._node(each, where, within)
        required = strings(schema.get("required"))
        for key in required:
            if key not in properties:
                self._lose(pointer, "required", f"{shown(key)} is required, and not declared")
        required = [key for key in required if key in properties]
        return {"properties": properties} | ({"required": required} if required else {})

    def _items(
        self, schema: Schema, pointer: str, within: tuple[int, ...], said: list[str]
    ) -> dict[str, Any]:
        first = members(schema, "prefixItems")
        parts = [
            self._node(each, f"{pointer}/prefixItems/{at}", within) for at, each in enumerate(first)
        ]
        if first:
            self._lose(pointer, "prefixItems", "shown as items of any of these kinds")
            said.append("in this order: " + ", ".join(_kind_word(part) for part in parts))
        if schema.get("items", not first) is not False and ("items" in schema or not first):
            parts.append(self._node(schema.get("items", True), f"{pointer}/items", within))
        return any_of(self._unlike(parts, pointer), {})


_IN_WORDS: Final = "said in the description"


def _words(keyword: str, operand: Json) -> str:
    if keyword == "additionalProperties":
        return "no other keys" if operand is False else f"values of other keys: {shown(operand)}"
    if keyword == "examples" and isinstance(operand, list):
        return f"for example {listed(operand)}"
    return f"{keyword}: {shown(operand)}"


def _next_integer(keyword: str, step: int) -> Callable[[Schema, str, Json], list[tuple[str, Json]]]:
    def rewrite(schema: Schema, name: str, operand: Json) -> list[tuple[str, Json]]:
        whole = isinstance(operand, int) and not isinstance(operand, bool)
        if name != "integer" or not whole or keyword in schema:
            return [("exclusiveMinimum" if step > 0 else "exclusiveMaximum", operand)]
        assert isinstance(operand, int)
        return [(keyword, operand + step)]

    return rewrite


def _other_keys(_: Schema, __: str, operand: Json) -> list[tuple[str, Json]]:
    return [] if operand is True or operand == {} else [("additionalProperties", operand)]


def _object_parts(*_: object) -> list[tuple[str, Json]]:
    return []


_REWRITES: Final[Mapping[str, Callable[[Schema, str, Json], list[tuple[str, Json]]]]] = {
    "exclusiveMinimum": _next_integer("minimum", 1),
    "exclusiveMaximum": _next_integer("maximum", -1),
    "additionalProperties": _other_keys,
    "properties": _object_parts,
    "required": _object_parts,
    "items": _object_parts,
    "prefixItems": _object_parts,
    "anyOf": _object_parts,
    "oneOf": _object_parts,
}
"""What becomes of a keyword and its operand; those that apply schemas are dealt with apart."""


def _is_of_other_type(keyword: str, name: str) -> bool:
    own = "number" if name == "integer" else name
    return any(keyword in speaking for each, speaking in _OF_TYPE.items() if each != own)


def _has_type(value: Json, name: str) -> bool:
    kind = kind_of(value)
    return kind == name or (name == "number" and kind in ("integer", "fraction"))


def _only(schema: Schema, name: str) -> Schema:
    """Return what a schema of several types asks of one of them, without its notes."""
    return {
        key: each
        for key, each in schema.items()
        if key not in NOTES and not _is_of_other_type(key, name)
    }


def _kind_word(part: Mapping[str, Any]) -> str:
    return str(part.get("type", "any"))
