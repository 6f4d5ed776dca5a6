"""The form of an input schema that all providers take, and what it says to be lost."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typedargs import Integer, MCPArgs, String
from typedargs_server import MCPServer
from typedargs_server.anyschema import inner
from typedargs_server.plain import plain_schema
from typedargs_server.providers import PROVIDERS, check

S: dict[str, Any] = {"type": "string"}
I: dict[str, Any] = {"type": "integer"}  # noqa: E741
NULL: dict[str, Any] = {"type": "null"}
ANY = {"anyOf": [S, {"type": "number"}, {"type": "boolean"}]}


def obj(properties: dict[str, Any] | None = None, /, **keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties or {}, **keywords}


ARGUMENTS: dict[str, tuple[Any, Any, list[str]]] = {
    "text": ({**S, "minLength": 1}, {**S, "minLength": 1}, []),
    "a description": ({**S, "description": "d"}, {**S, "description": "d"}, []),
    "null beside a type": (
        {"type": ["string", "null"], "default": None},
        S,
        ["/properties/a type: null is taken, and not shown"],
    ),
    "null as an alternative": (
        {"anyOf": [S, NULL], "default": None, "title": "A"},
        {"type": "string", "title": "A"},
        ["/properties/a/anyOf/1 type: null is taken, and not shown"],
    ),
    "several types": (
        {"type": ["string", "integer"], "minLength": 1, "minimum": 0, "description": "d"},
        {"anyOf": [{**S, "description": "d", "minLength": 1}, {**I, "minimum": 0}]},
        [],
    ),
    "a number or an integer": ({"type": ["number", "integer"]}, {"type": "number"}, []),
    "a constant": ({"const": "x"}, {**S, "enum": ["x"]}, []),
    "constants as alternatives": (
        {"oneOf": [{"const": "x"}, {"const": "y"}]},
        {**S, "enum": ["x", "y"]},
        ["/properties/a oneOf: shown as anyOf"],
    ),
    "numbers to choose from": (
        {"type": "integer", "enum": [1, 2], "description": "How many."},
        {"type": "integer", "description": "How many. (one of: 1, 2)"},
        ["/properties/a enum: said in the description"],
    ),
    "values of several types": (
        {"enum": ["x", 1, None]},
        {"anyOf": [{**S, "enum": ["x"]}, {"type": "integer", "description": "(one of: 1)"}]},
        [
            "/properties/a type: null is taken, and not shown",
            "/properties/a enum: said in the description",
        ],
    ),
    "an exclusive bound of an integer": (
        {**I, "exclusiveMinimum": 0, "exclusiveMaximum": 9},
        {**I, "minimum": 1, "maximum": 8},
        [],
    ),
    "an exclusive bound of a number": (
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "number", "description": "(exclusiveMinimum: 0)"},
        ["/properties/a exclusiveMinimum: said in the description"],
    ),
    "a format": (
        {**S, "format": "uuid"},
        {**S, "description": '(format: "uuid")'},
        ["/properties/a format: said in the description"],
    ),
    "the format that is taken": ({**S, "format": "date-time"}, {**S, "format": "date-time"}, []),
    "examples": (
        {**S, "examples": ["x", "y"]},
        {**S, "description": '(for example "x", "y")'},
        ["/properties/a examples: said in the description"],
    ),
    "a header": ({**S, "x-mcp-header": "A"}, {**S, "x-mcp-header": "A"}, []),
    "notes for nobody": ({**S, "$comment": "c", "readOnly": True}, S, []),
    "an array": (
        {"type": "array", "items": S, "uniqueItems": True},
        {"type": "array", "description": "(uniqueItems: true)", "items": S},
        ["/properties/a uniqueItems: said in the description"],
    ),
    "an array of anything": (
        {"type": "array"},
        {"type": "array", "items": ANY},
        ["/properties/a/items: takes any value; shown as text, number or boolean"],
    ),
    "a tuple": (
        {"type": "array", "prefixItems": [S, I], "items": False},
        {
            "type": "array",
            "description": "(in this order: string, integer)",
            "items": {"anyOf": [S, I]},
        },
        ["/properties/a prefixItems: shown as items of any of these kinds"],
    ),
    "anything": (
        True,
        ANY,
        ["/properties/a: takes any value; shown as text, number or boolean"],
    ),
    "a map": (
        {"type": "object", "additionalProperties": I},
        {
            "type": "object",
            "description": '(values of other keys: {"type": "integer"})',
            "properties": {},
        },
        ["/properties/a additionalProperties: said in the description"],
    ),
    "conditions worked into one": (
        {"allOf": [obj({"x": S}), {"properties": {"y": I}, "required": ["y"]}], "description": "d"},
        {"type": "object", "description": "d", "properties": {"x": S, "y": I}, "required": ["y"]},
        [],
    ),
    "conditions that clash": (
        {"allOf": [{**S, "pattern": "a"}, {"pattern": "b"}]},
        {**S, "pattern": "a"},
        ["/properties/a pattern: two conditions on it; only one is shown"],
    ),
    "alternatives within alternatives": (
        {"anyOf": [{"anyOf": [S, I]}, {"type": "boolean"}], "description": "d"},
        {"anyOf": [{**S, "description": "d"}, I, {"type": "boolean"}]},
        [],
    ),
    "what stands beside a choice": (
        {"type": "object", "properties": {"x": S}, "anyOf": [{"required": ["x"]}, obj({"y": I})]},
        {
            "anyOf": [
                {"type": "object", "properties": {"x": S}, "required": ["x"]},
                {"type": "object", "properties": {"x": S, "y": I}},
            ]
        },
        [],
    ),
}


@pytest.mark.parametrize(("full", "plain", "lost"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_an_argument_becomes_plain(full: Any, plain: Any, lost: list[str]) -> None:
    shown, losses = plain_schema(obj({"a": full}))
    assert shown == obj({"a": plain})
    assert [str(loss) for loss in losses] == lost


ROOTS: dict[str, tuple[Any, Any, list[str]]] = {
    "no arguments": ({"type": "object"}, obj(), []),
    "other keys refused": (
        obj({"a": S}, additionalProperties=False, description="Args."),
        {"type": "object", "description": "Args. (no other keys)", "properties": {"a": S}},
        ["/ additionalProperties: said in the description"],
    ),
    "a refused key": (
        obj({"a": S, "b": False}),
        obj({"a": S}),
        ["/properties/b: refused, and not shown"],
    ),
    "a required key that is not declared": (
        obj({"a": S}, required=["a", "b"]),
        obj({"a": S}, required=["a"]),
        ['/ required: "b" is required, and not declared'],
    ),
    "one of two keys": (
        obj({"a": S, "b": S}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
        {
            "type": "object",
            "description": "(exactly one of: a; b)",
            "properties": {"a": S, "b": S},
        },
        ["/ oneOf: said in the description; the keys of all are optional"],
    ),
    "a choice at the root": (
        {
            "type": "object",
            "properties": {"x": I},
            "required": ["x"],
            "anyOf": [
                obj({"k": {"const": "a"}, "p": S}, required=["k", "p"]),
                obj({"k": {"const": "b"}, "p": I}, required=["k"]),
            ],
        },
        {
            "type": "object",
            "description": '(at least one of: k = "a" and p; k = "b")',
            "properties": {
                "x": I,
                "k": {**S, "enum": ["a", "b"]},
                "p": {"anyOf": [S, I]},
            },
            "required": ["x", "k"],
        },
        ["/ anyOf: said in the description; the keys of all are optional"],
    ),
    "a rule for some": (
        obj({"a": S}, **{"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        {
            "type": "object",
            "description": '(if: {"required": ["a"]}; then: {"required": ["b"]})',
            "properties": {"a": S},
        },
        ["/ if: said in the description", "/ then: said in the description"],
    ),
    "references": (
        {"$defs": {"t": {**S, "title": "T"}}, **obj({"a": {"$ref": "#/$defs/t", "minLength": 2}})},
        obj({"a": {**S, "title": "T", "minLength": 2}}),
        [],
    ),
    "a schema that contains itself": (
        obj({"a": S, "more": {"type": "array", "items": {"$ref": "#"}}}),
        obj(
            {
                "a": S,
                "more": {
                    "type": "array",
                    "items": obj(
                        {
                            "a": S,
                            "more": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "description": "Again the whole.",
                                    "properties": {},
                                },
                            },
                        }
                    ),
                },
            }
        ),
        [
            "/properties/more/items/properties/more/items $ref: "
            "recursive; shown as any object from here on"
        ],
    ),
    "a reference to elsewhere": (
        obj({"a": {**S, "$ref": "https://example.com"}}),
        obj({"a": S}),
        ['/properties/a $ref: left out: "https://example.com" cannot be worked in'],
    ),
}


@pytest.mark.parametrize(("full", "plain", "lost"), ROOTS.values(), ids=ROOTS.keys())
def test_a_root_becomes_plain(full: Any, plain: Any, lost: list[str]) -> None:
    shown, losses = plain_schema(full)
    assert shown == plain
    assert [str(loss) for loss in losses] == lost


@pytest.mark.parametrize(
    "full",
    [
        *({"type": "object", "properties": {"a": full}} for full, _, _ in ARGUMENTS.values()),
        *(full for full, _, _ in ROOTS.values()),
    ],
    ids=[*ARGUMENTS, *ROOTS],
)
def test_no_provider_is_known_to_refuse_what_is_plain(full: Any) -> None:
    # An object that may have any key has no plain form; a header is the protocol's own.
    beyond_help = {"gemini/object-keys"}
    shown, _ = plain_schema(full)
    tool = {"name": "t", "description": "d", "inputSchema": without_headers(shown)}
    refused = {
        finding.rule.id
        for finding in check([tool], PROVIDERS)
        if finding.rule.consequence.value == "refused"
    }
    assert refused - beyond_help == set()


def without_headers(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {k: without_headers(each) for k, each in schema.items() if k != "x-mcp-header"}
    return [without_headers(each) for each in schema] if isinstance(schema, list) else schema


WORDS = st.sampled_from(
    [
        S,
        I,
        NULL,
        True,
        False,
        {},
        {"const": 1},
        {"enum": ["a", 2]},
        {"$ref": "#"},
        {"$ref": "#/$defs/d"},
    ]
)


def composed(part: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(part, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "object", "array", ["string", "null", "integer"]]),
            "properties": st.dictionaries(st.sampled_from("ab"), part, max_size=2),
            "required": st.lists(st.sampled_from("ab"), unique=True),
            "additionalProperties": part,
            "items": part,
            "prefixItems": several,
            "anyOf": several,
            "oneOf": several,
            "allOf": several,
            "not": part,
            "default": st.none() | st.just("x"),
            "description": st.just("d"),
            "minLength": st.just(1),
            "exclusiveMinimum": st.sampled_from([1, 1.5]),
        },
    )


@given(composed(st.recursive(WORDS, composed, max_leaves=6)), WORDS)
def test_whatever_is_made_plain_is_plain(root: dict[str, Any], definition: Any) -> None:
    full = {**root, "type": "object", "$defs": {"d": definition}}
    shown, _ = plain_schema(full)
    assert shown["type"] == "object"
    assert plain_schema(shown) == (shown, [])
    pending: list[Any] = [shown]
    while pending:
        schema = pending.pop()
        assert ("anyOf" in schema and len(schema) == 1) or isinstance(schema["type"], str)
        assert {"$ref", "allOf", "oneOf", "not", "const"} & schema.keys() == set()
        pending += [each for _, each in inner(schema)]


def nothing(_: object) -> dict[str, Any]:
    return {}


class Args(MCPArgs, extra="forbid"):
    count = Integer(minimum=1)
    note = String(nullable=True, required=False)


def test_a_plain_server_shows_one_schema_and_enforces_the_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = MCPServer("s", plain=True)
    tool = server.register_tool("t", "T", Args, nothing, output={"type": "object"})
    assert tool.wire(objects_only=False)["inputSchema"] == {
        "type": "object",
        "description": "(no other keys)",
        "properties": {"count": {"type": "integer", "minimum": 1}, "note": {"type": "string"}},
        "required": ["count"],
    }
    assert tool.wire(objects_only=False)["outputSchema"] == {"type": "object"}
    assert tool.input.structure({"count": 1, "note": None}) == Args(count=1, note=None)
    assert [record.getMessage() for record in caplog.records] == [
        'tool "t", shown in the plain form: / additionalProperties: said in the description; '
        "/properties/note type: null is taken, and not shown"
    ]


def test_a_plain_server_says_nothing_where_nothing_is_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    MCPServer("s", plain=True).register_tool(
        "t", "T", {"type": "object"}, nothing, output={"type": "object"}
    )
    assert caplog.records == []


@pytest.mark.parametrize(
    "doubled", [lambda part: obj({"l": part, "r": part}), lambda part: {"allOf": [part, part]}]
)
def test_a_schema_that_would_become_too_large_is_cut(doubled: Callable[[Any], Any]) -> None:
    definitions = {f"d{at}": doubled({"$ref": f"#/$defs/d{at + 1}"}) for at in range(40)}
    full = {**obj({"a": {"$ref": "#/$defs/d0"}, "b": S}), "$defs": definitions}
    shown, losses = plain_schema(full)
    assert len(str(shown)) < 200_000
    assert str(losses[-1]) == "/properties/b: shown as any object: the schema is too large"
