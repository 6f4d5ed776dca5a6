"""What a rule looks for: functions from a tool, or from all tools, to the places where it is.

A finder yields what it found in a few words. It knows no provider.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import attrs

from ..anyschema import (
    Json,
    Schema,
    as_schema,
    inner,
    member,
    members,
    shown,
    strings,
    target,
    values_of,
)

MAX_NODES: Final = 20_000
"""Schemas of one tool that are looked at."""


@attrs.frozen
class ToolView:
    """A tool as a rule sees it."""

    name: str
    description: str
    schema: Schema

    def nodes(self) -> Iterator[tuple[str, Schema]]:
        """Yield every schema within the input schema, the root first, each with its pointer.

        Those that are true or false are left out.
        """
        pending: list[tuple[str, Schema]] = [("", self.schema)]
        for _ in range(MAX_NODES):
            if not pending:
                return
            pointer, schema = pending.pop()
            yield pointer, schema
            within = [(pointer + step, each) for step, each in inner(schema)]
            pending += [(at, each) for at, each in reversed(within) if isinstance(each, dict)]


ToolFinder: TypeAlias = Callable[[ToolView], Iterator[str]]
NodeTest: TypeAlias = Callable[[str, Schema], Iterator[str]]


def nodes(test: NodeTest) -> ToolFinder:
    """Make a finder of a test of one schema, which is given with its pointer."""

    def find(tool: ToolView) -> Iterator[str]:
        for pointer, schema in tool.nodes():
            yield from test(pointer, schema)

    return find


def name_unlike(pattern: str) -> ToolFinder:
    """The tool's name does not match."""

    def find(tool: ToolView) -> Iterator[str]:
        if re.fullmatch(pattern, tool.name) is None:
            yield f"name {shown(tool.name)}"

    return find


def name_longer(most: int) -> ToolFinder:
    """The tool's name has more characters."""

    def find(tool: ToolView) -> Iterator[str]:
        if len(tool.name) > most:
            yield f"name of {len(tool.name)} characters"

    return find


def argument_unlike(pattern: str) -> ToolFinder:
    """A key of the root's properties does not match."""

    def find(tool: ToolView) -> Iterator[str]:
        for key in member(tool.schema, "properties"):
            if re.fullmatch(pattern, key) is None:
                yield f"argument {shown(key)}"

    return find


def no_description(tool: ToolView) -> Iterator[str]:
    """The tool has no description."""
    if not tool.description:
        yield "no description"


def root_not_object(tool: ToolView) -> Iterator[str]:
    """The root's type is not "object"."""
    if tool.schema.get("type") != "object":
        yield f"type {shown(tool.schema.get('type'))} at the root"


def root_without_properties(tool: ToolView) -> Iterator[str]:
    """The root has no `properties`, not even empty ones."""
    if "properties" not in tool.schema:
        yield "no properties at the root"


def root_with(*keywords: str) -> ToolFinder:
    """The root has one of the keywords."""

    def find(tool: ToolView) -> Iterator[str]:
        yield from (f"{keyword} at the root" for keyword in keywords if keyword in tool.schema)

    return find


def keyword_of(*keywords: str) -> ToolFinder:
    """A schema has one of the keywords."""

    def test(pointer: str, schema: Schema) -> Iterator[str]:
        yield from (f"{pointer}/{keyword}" for keyword in keywords if keyword in schema)

    return nodes(test)


def keyword_outside(known: Collection[str]) -> ToolFinder:
    """A schema has a keyword that is none of the known ones."""

    def test(pointer: str, schema: Schema) -> Iterator[str]:
        yield from (f"{pointer}/{keyword}" for keyword in schema if keyword not in known)

    return nodes(test)


def format_outside(known: Collection[str]) -> ToolFinder:
    """A string has a format that is none of the known ones."""

    def test(pointer: str, schema: Schema) -> Iterator[str]:
        value = schema.get("format")
        if value is not None and value not in known and "string" in strings(schema.get("type")):
            yield f"{pointer}/format {shown(value)}"

    return nodes(test)


def description_longer(most: int) -> ToolFinder:
    """A schema has a longer description."""

    def test(pointer: str, schema: Schema) -> Iterator[str]:
        text = schema.get("description")
        if isinstance(text, str) and len(text) > most:
            yield f"{pointer}/description of {len(text)} characters"

    return nodes(test)


@nodes
def array_without_items(pointer: str, schema: Schema) -> Iterator[str]:
    """An array does not say what its items are."""
    if "array" in strings(schema.get("type")) and "items" not in schema:
        yield pointer or "/"


@nodes
def list_of_types(pointer: str, schema: Schema) -> Iterator[str]:
    """A schema has several types in a list."""
    if isinstance(schema.get("type"), list):
        yield f"{pointer}/type {shown(schema['type'])}"


@nodes
def without_type(pointer: str, schema: Schema) -> Iterator[str]:
    """A schema has no type, and no choice or reference in its place."""
    if not schema.keys() & {"type", "anyOf", "oneOf", "allOf", "$ref"} and _is_shown(pointer):
        yield pointer or "/"
    for step, each in inner(schema):
        if isinstance(each, bool) and step.startswith(("/properties/", "/items")):
            yield pointer + step


@nodes
def values_not_strings(pointer: str, schema: Schema) -> Iterator[str]:
    """An enum has other values than strings, or stands beside another type."""
    values = members(schema, "enum")
    if any(not isinstance(each, str) for each in values):
        yield f"{pointer}/enum"
    elif values and strings(schema.get("type")) != ["string"]:
        yield f"{pointer}/enum without type string"


@nodes
def object_without_keys(pointer: str, schema: Schema) -> Iterator[str]:
    """An object below the root declares no key."""
    if pointer and schema.get("type") == "object" and not member(schema, "properties"):
        yield pointer


@nodes
def keys_of_no_object(pointer: str, schema: Schema) -> Iterator[str]:
    """`properties` or `required` stand where the type is not object."""
    if "type" in schema and schema["type"] != "object":
        yield from (f"{pointer}/{key}" for key in ("properties", "required") if key in schema)


@nodes
def undeclared_required(pointer: str, schema: Schema) -> Iterator[str]:
    """A key is required and not declared."""
    declared = member(schema, "properties")
    if "properties" in schema:
        for key in strings(schema.get("required")):
            if key not in declared:
                yield f"{pointer}/required {shown(key)}"


@nodes
def optional_keys(pointer: str, schema: Schema) -> Iterator[str]:
    """A declared key is not required."""
    required = strings(schema.get("required"))
    for key in member(schema, "properties"):
        if key not in required:
            yield f"{pointer}/properties/{key}"


@nodes
def open_objects(pointer: str, schema: Schema) -> Iterator[str]:
    """An object does not refuse keys that it does not declare."""
    is_object = "object" in strings(schema.get("type")) or "properties" in schema
    if is_object and schema.get("additionalProperties") is not False:
        yield pointer or "/"


@nodes
def untyped_keys(pointer: str, schema: Schema) -> Iterator[str]:
    """The values of undeclared keys have a schema without a type."""
    others = schema.get("additionalProperties")
    if isinstance(others, dict) and not others.keys() & {"type", "anyOf", "$ref"}:
        yield f"{pointer}/additionalProperties"


@nodes
def choice_not_alone(pointer: str, schema: Schema) -> Iterator[str]:
    """`anyOf` has keywords beside it."""
    if "anyOf" in schema and (beside := [key for key in schema if key != "anyOf"]):
        yield f"{pointer}/anyOf beside {', '.join(beside)}"


@nodes
def old_forms(pointer: str, schema: Schema) -> Iterator[str]:
    """A keyword has a form that older drafts had."""
    if isinstance(schema.get("items"), list):
        yield f"{pointer}/items is a list"
    for keyword in ("exclusiveMinimum", "exclusiveMaximum", "required"):
        if isinstance(schema.get(keyword), bool):
            yield f"{pointer}/{keyword} is a boolean"


@nodes
def many_least_items(pointer: str, schema: Schema) -> Iterator[str]:
    """`minItems` is neither 0 nor 1."""
    if "minItems" in schema and schema["minItems"] not in (0, 1):
        yield f"{pointer}/minItems"


def recursive(tool: ToolView) -> Iterator[str]:
    """A reference leads back to where it stands."""
    seen: set[int] = set()

    def visit(pointer: str, value: Json, within: frozenset[int]) -> Iterator[str]:
        if isinstance(value, dict) and id(value) in within:
            yield pointer
        if not isinstance(value, dict) or id(value) in within or id(value) in seen:
            return
        under = within | {id(value)}
        meant = target(value.get("$ref"), tool.schema)
        if meant is not None:
            yield from visit(f"{pointer}/$ref", meant, under)
        for step, each in inner(value):
            if not step.startswith(("/$defs", "/definitions")):
                yield from visit(pointer + step, each, under)
        seen.add(id(value))

    if isinstance(tool.schema, dict):
        try:
            yield from visit("", tool.schema, frozenset())
        except RecursionError:
            yield "/"


def deeper(most: int) -> ToolFinder:
    """Objects are nested deeper."""

    def find(tool: ToolView) -> Iterator[str]:
        deepest = max(_object_depth(pointer) for pointer, _ in tool.nodes())
        if deepest > most:
            yield f"{deepest} levels"

    return find


def more_in(what: str, most: int, count: Callable[[Schema], int]) -> ToolFinder:
    """Something is there more often, over all schemas of the tool."""

    def find(tool: ToolView) -> Iterator[str]:
        total = sum(count(schema) for _, schema in tool.nodes())
        if total > most:
            yield f"{total} {what}"

    return find


def keys_in(schema: Schema) -> int:
    """Return how many keys a schema declares."""
    return len(member(schema, "properties"))


def values_in(schema: Schema) -> int:
    """Return how many values a schema lists."""
    return len(members(schema, "enum"))


def characters_in(schema: Schema) -> int:
    """Return the characters of a schema's keys, definitions' names and values."""
    texts = [*member(schema, "properties"), *member(schema, "$defs")]
    texts += [each for each in values_of(schema) or [] if isinstance(each, str)]
    return sum(len(text) for text in texts)


def more_tools(most: int) -> Callable[[Sequence[ToolView]], Iterator[str]]:
    """There are more tools."""

    def find(tools: Sequence[ToolView]) -> Iterator[str]:
        if len(tools) > most:
            yield f"{len(tools)} tools"

    return find


def _object_depth(pointer: str) -> int:
    return 1 + pointer.count("/properties/")


def _is_shown(pointer: str) -> bool:
    """Return whether a schema stands where its type is asked for, and is no condition."""
    steps = pointer.split("/")
    return not {"not", "if", "then", "else", "propertyNames", "$defs", "definitions"} & {*steps}


def view_of(tool: Mapping[str, Json]) -> ToolView:
    """Return a tool of a list as rules see it."""
    description = tool.get("description")
    return ToolView(
        name=str(tool.get("name", "")),
        description=description if isinstance(description, str) else "",
        schema=as_schema(tool.get("inputSchema", {})),
    )
