"""A tool's schemas in every way to give them: what is published is what is enforced."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from tests.server.support import Core, texts
from typedargs import Double, Integer, MCPArgs, ObjectSchema, SchemaError
from typedargs_server import MCPServer, ToolResult
from typedargs_server.schemas import SchemaSource, input_schema, tool_schema


class AddArgs(MCPArgs):
    a = Double(description="Left operand")
    digits = Integer(default=3, minimum=0)


class Sum(MCPArgs):
    sum = Double()


INPUT: Final = {
    "type": "object",
    "properties": {
        "a": {"type": "number", "description": "Left operand"},
        "digits": {"type": "integer", "default": 3, "minimum": 0},
    },
    "required": ["a"],
}
OUTPUT: Final = {
    "type": "object",
    "properties": {"sum": {"type": "number"}},
    "required": ["sum"],
}

INPUTS: Final[Mapping[str, SchemaSource]] = {
    "class": AddArgs,
    "builder": ObjectSchema()
    .add_number("a", "Left operand")
    .add_integer("digits", required=False, default=3, minimum=0),
    "string": json.dumps(INPUT),
    "dict": INPUT,
}
OUTPUTS: Final[Mapping[str, SchemaSource | None]] = {
    "class": Sum,
    "builder": ObjectSchema().add_number("sum"),
    "string": json.dumps(OUTPUT),
    "dict": OUTPUT,
    "none": None,
}


def plain(schema: Any) -> Any:
    """`schema` with its keys in one order, for schemas written by different hands."""
    return json.loads(json.dumps(schema, sort_keys=True))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("given", INPUTS)
def test_every_way_to_give_an_input_goes_with_every_way_to_give_an_output(
    given: str, output: str
) -> None:
    server = MCPServer("calculator")
    server.register_tool("add", "Add", INPUTS[given], lambda args: args, output=OUTPUTS[output])
    core = Core(server)

    (listed,) = core.ask("tools/list")["tools"]
    assert plain(listed["inputSchema"]) == plain(INPUT)
    assert plain(listed.get("outputSchema")) == plain(None if output == "none" else OUTPUT)

    call = core.start("add", {"a": 1})
    expected = AddArgs(a=1) if given == "class" else {"a": 1, "digits": 3}
    assert call.arguments == expected

    result = call.work.result(Sum(sum=2))
    (answer,) = core.finish(call, result).sent
    assert answer["result"]["structuredContent"] == {"sum": 2.0}
    assert texts(answer["result"]) == ['{"sum":2.0}']

    refused = core.ask("tools/call", {"name": "add", "arguments": {"digits": -1}})
    assert refused["isError"] is True
    assert texts(refused) == [
        'Invalid arguments for tool "add":\n'
        "a: missing; expected number\n"
        "digits: expected at least 0, got number -1"
    ]


@pytest.mark.parametrize("way", OUTPUTS)
@pytest.mark.parametrize("value", [{"sum": "x"}, {}, {"sum": None}])
def test_an_output_in_every_way_is_enforced(way: str, value: dict[str, Any]) -> None:
    server = MCPServer("calculator")
    add = server.register_tool("add", None, INPUT, lambda args: args, output=OUTPUTS[way])
    if way == "none":
        assert add.result(ToolResult(structured=value)).structured == value
    else:
        with pytest.raises(Exception, match=r"^its result does not fit its output schema: sum: "):
            add.result(value)


@pytest.mark.parametrize("source", [3, None, [], AddArgs(a=1), ObjectSchema, int, b"{}"])
def test_what_is_no_schema_is_refused(source: Any) -> None:
    with pytest.raises(SchemaError) as caught:
        tool_schema(source)
    assert str(caught.value) == (
        f"a schema must be an args class, an ObjectSchema, a JSON string or a dict, got {source!r}"
    )


@pytest.mark.parametrize("source", ["{", "", "{'a': 1}", "[1, 2]", "3"])
@pytest.mark.parametrize("application_validated", [False, True])
def test_a_string_that_is_no_schema_is_refused(source: str, application_validated: bool) -> None:
    with pytest.raises(SchemaError):
        tool_schema(source, application_validated=application_validated)


@pytest.mark.parametrize(
    "source", [{}, {"type": "array"}, {"type": ["object"]}, '{"type": "string"}']
)
@pytest.mark.parametrize("application_validated", [False, True])
def test_an_input_must_be_an_object(source: SchemaSource, application_validated: bool) -> None:
    with pytest.raises(SchemaError) as caught:
        input_schema(source, application_validated=application_validated)
    assert str(caught.value) == 'an input schema must have "type": "object" at its root'
    assert (caught.value.keyword, caught.value.pointer) == ("type", "/type")


def test_a_keyword_that_is_not_enforced_is_refused_with_its_place() -> None:
    source = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"unevaluatedItems": False}}}},
    }
    with pytest.raises(SchemaError) as caught:
        MCPServer("s").register_tool("t", None, source, lambda args: args)
    assert caught.value.keyword == "unevaluatedItems"
    assert caught.value.pointer == "/properties/a/properties/b/unevaluatedItems"
    assert "unevaluatedItems" in str(caught.value)
    assert "/properties/a/properties/b/unevaluatedItems" in str(caught.value)


@pytest.mark.parametrize("as_text", [False, True])
def test_an_application_validated_schema_is_published_as_it_is_and_checks_nothing(
    as_text: bool,
) -> None:
    schema = {
        "type": "object",
        "unevaluatedProperties": False,
        "$defs": {"a": {"type": "integer"}},
        "properties": {"a": {"$ref": "#/$defs/a", "x-note": 1}},
        "required": ["a"],
    }
    server = MCPServer("s")
    source = json.dumps(schema) if as_text else schema
    server.register_tool("t", None, source, lambda args: args, application_validated=True)
    core = Core(server)
    (listed,) = core.ask("tools/list")["tools"]
    assert json.dumps(listed["inputSchema"]) == json.dumps(schema)
    assert core.start("t", {"b": 1}).arguments == {"b": 1}


@pytest.mark.parametrize("source", [AddArgs, ObjectSchema()])
def test_a_class_or_a_builder_is_enforced_always(source: SchemaSource) -> None:
    with pytest.raises(SchemaError) as caught:
        tool_schema(source, application_validated=True)
    assert str(caught.value) == (
        "application_validated=True is for raw schemas; a class or a builder is enforced"
    )


def test_a_schema_is_published_as_it_was_when_it_was_registered() -> None:
    raw: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    builder = ObjectSchema().add_integer("a")
    server = MCPServer("s")
    server.register_tool("raw", None, raw, lambda args: args)
    server.register_tool("built", None, builder, lambda args: args)
    server.register_tool("open", None, raw, lambda args: args, application_validated=True)
    core = Core(server)
    before = core.ask("tools/list")["tools"]

    raw["properties"]["a"]["type"] = "string"
    raw["required"] = ["b"]
    builder.add_string("b")
    server.register_tool("last", None, {"type": "object"}, lambda args: args)

    assert core.ask("tools/list")["tools"][:3] == before
    assert core.start("raw", {"a": 1}).arguments == {"a": 1}
    assert core.start("built", {"a": 1}).arguments == {"a": 1}
