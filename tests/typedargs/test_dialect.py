"""The dialect: every row of the table, and the words for what is outside it."""

import enum
import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import SchemaError, check_schema, compile_schema, parse_schema
from typedargs.dialect import KEYWORDS

DRAFT = "https://json-schema.org/draft/2020-12/schema"

OPERANDS: dict[str, tuple[list[Any], list[Any], str]] = {
    "$schema": ([DRAFT, f"{DRAFT}#"], [3, None, [DRAFT]], f'"{DRAFT}"'),
    "$comment": (["x", ""], [None, 3], "a string"),
    "$anchor": (["a", "_a-b.c"], ["", "1a", "a b", 3], "a name"),
    "$defs": ([{}, {"a": {}, "b": True}], [[], None], "an object"),
    "$ref": ([], [], ""),  # see the test of references
    "type": (
        ["string", ["string", "null"], ["integer", "number"]],
        ["text", [], ["string", "string"], ["string", 3], None, "any", {}],
        "one of null, boolean, integer, number, string, array, object, or a list of them",
    ),
    "title": ([""], [3], "a string"),
    "description": (["x"], [["x"]], "a string"),
    "enum": ([[1], [None, "a", {"a": 1}]], [[], "a", {}], "a list with a member"),
    "const": ([None, {}, [1], 1e300], [], ""),
    "minimum": ([0, -1.5, 10**30], ["0", True, None], "a number"),
    "maximum": ([0], [[]], "a number"),
    "exclusiveMinimum": ([0], [True], "a number"),
    "exclusiveMaximum": ([0], [False], "a number"),
    "multipleOf": ([0.1, 3], [0, -1, "1"], "a number above 0"),
    "minLength": ([0, 2.0, 10**400], [-1, 1.5, "1", True], "an integer of at least 0"),
    "maxLength": ([0], [-1], "an integer of at least 0"),
    "pattern": (["^a$", "", "[$]"], [3], "a regular expression of ECMA-262"),
    "format": (
        ["date", "uuid", "email"],
        [3, ["date"], {}],
        "a format that is enforced (date, time, date-time, duration, uuid, ipv4, ipv6, uri, "
        "email, regex)",
    ),
    "contentEncoding": (["base64"], [3], "a string"),
    "prefixItems": ([[True, {}]], [[], {}], "a list with a member"),
    "items": ([{}, False], [[], 3], "a schema"),
    "contains": ([{}, True], [None], "a schema"),
    "minContains": ([0], [-1], "an integer of at least 0"),
    "maxContains": ([1], ["1"], "an integer of at least 0"),
    "minItems": ([0], [-1], "an integer of at least 0"),
    "maxItems": ([2.0], [1.5], "an integer of at least 0"),
    "uniqueItems": ([True, False], [1], "true or false"),
    "properties": ([{}, {"a": True, "b": {}}], [[], "a", None], "an object"),
    "patternProperties": ([{}, {"^a": {}}], [[]], "an object"),
    "additionalProperties": ([True, False, {"type": "string"}], [1, []], "a schema"),
    "propertyNames": ([{"maxLength": 3}, False], ["a"], "a schema"),
    "required": ([[], ["a", "b"]], ["a", ["a", "a"], [1], {}], "a list of different strings"),
    "dependentRequired": ([{}, {"a": ["b"]}], [[]], "an object"),
    "minProperties": ([0], [-1], "an integer of at least 0"),
    "maxProperties": ([0], [True], "an integer of at least 0"),
    "allOf": ([[{}]], [[], {}], "a list with a member"),
    "anyOf": ([[{}, True]], [[]], "a list with a member"),
    "oneOf": ([[{}]], ["a"], "a list with a member"),
    "not": ([{}, True], [[]], "a schema"),
    "if": ([{}, True], [3], "a schema"),
    "then": ([{}], [None], "a schema"),
    "else": ([{}], ["a"], "a schema"),
    "default": ([None, 3, {"a": []}], [], ""),
    "examples": ([[], [1, "a"]], ["a", {}, None], "a list"),
    "deprecated": ([True, False], ["true", 1], "true or false"),
    "readOnly": ([True], [1], "true or false"),
    "writeOnly": ([False], ["x"], "true or false"),
    "x-mcp-header": (
        ["Region", "X-A.b"],
        ["", "a b", "a:b", "é", 3],
        "a header name (RFC 9110 token)",
    ),
}


def test_the_table_of_this_test_is_complete() -> None:
    assert list(OPERANDS) == list(KEYWORDS)


@pytest.mark.parametrize(
    ("keyword", "operand"),
    [(keyword, operand) for keyword, (good, _, _) in OPERANDS.items() for operand in good],
    ids=lambda value: ascii(value)[:30],
)
def test_a_good_operand_is_taken(keyword: str, operand: Any) -> None:
    check_schema({keyword: operand})
    check_schema({"properties": {"a": {keyword: operand}}})
    compile_schema({"type": "object", "properties": {"a": {keyword: operand}}})


@pytest.mark.parametrize(
    ("keyword", "operand", "wanted"),
    [
        (keyword, bad, wanted)
        for keyword, (_, all_bad, wanted) in OPERANDS.items()
        for bad in all_bad
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_wrong_operand_is_named_with_where_it_stands(
    keyword: str, operand: Any, wanted: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        check_schema({"type": "object", "properties": {"a/b": {keyword: operand}}})
    got = msgspec.json.encode(operand).decode()
    pointer = f"/properties/a~1b/{keyword}"
    assert str(caught.value) == f'"{keyword}" at {pointer} must be {wanted}, got {got}'
    assert (caught.value.keyword, caught.value.pointer) == (keyword, pointer)


HAND = " with application_validated=True and validate in the handler"
FULL = f'; leave it out, register the tool with validation="full", or{HAND}'
NOT_FULL = f"; leave it out, or register the tool{HAND}"


@pytest.mark.parametrize(
    ("keyword", "hint"),
    [
        ("$dynamicAnchor", FULL),
        ("$dynamicRef", FULL),
        ("$id", FULL),
        ("contentSchema", ""),
        ("dependentSchemas", FULL),
        ("unevaluatedItems", FULL),
        ("unevaluatedProperties", FULL),
        ("minlength", ' (did you mean "minLength"?)'),
        ("nullable", ""),
        ("x-anything", ""),
        ("", ""),
    ],
)
def test_a_keyword_outside_the_dialect_is_named_three_levels_deep(keyword: str, hint: str) -> None:
    schema = {"properties": {"a": {"properties": {"b": {"type": "string", keyword: {}}}}}}
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)
    pointer = f"/properties/a/properties/b/{keyword}"
    named = str(caught.value).partition(" (did you")[0].partition(";")[0]
    assert named == f'"{keyword}" at {pointer} is outside the enforced dialect of JSON Schema'
    assert hint in str(caught.value)
    assert str(caught.value).endswith(FULL if hint == FULL else NOT_FULL)
    assert (caught.value.keyword, caught.value.pointer) == (keyword, pointer)
    with pytest.raises(SchemaError):
        compile_schema(schema)


OUTSIDE: list[tuple[dict[str, Any], str, bool]] = [
    (
        {"format": "hostname"},
        '"format" at /format must be a format that is enforced (date, time, date-time, duration, '
        'uuid, ipv4, ipv6, uri, email, regex), got "hostname"; leave it out, register the tool '
        f'with validation="full", which checks no format, or{HAND}',
        True,
    ),
    *(
        (
            {"$schema": draft},
            f'"$schema" at /$schema must be "{DRAFT}", got "{draft}"{way_out}',
            way_out == FULL,
        )
        for draft, way_out in (
            ("http://json-schema.org/draft-07/schema", FULL),
            ("http://json-schema.org/draft-07/schema#", FULL),
            ("http://json-schema.org/draft-04/schema#", NOT_FULL),
            ("draft-07", NOT_FULL),
        )
    ),
    *(
        (
            {"$ref": elsewhere},
            '"$ref" at /$ref must point into the schema itself, as #/$defs/name does, '
            f'got "{elsewhere}"; put the definition into the schema\'s own $defs, '
            f"or register the tool{HAND}",
            False,
        )
        for elsewhere in ("https://example.com/a.json", "a.json#/$defs/b", "/$defs/b")
    ),
]


@pytest.mark.parametrize(("schema", "message", "is_full"), OUTSIDE)
def test_what_is_outside_is_refused_with_the_ways_that_lead_out(
    schema: dict[str, Any], message: str, is_full: bool
) -> None:
    assert schema_refusal(lambda: check_schema(schema)) == message
    if is_full:
        assert compile_schema(schema, validation="full")("a") == "a"
    else:
        with pytest.raises(SchemaError):
            compile_schema(schema, validation="full")


@pytest.mark.parametrize("operand", [3, None, ["#"], {}])
def test_what_is_no_reference_at_all_has_no_way_out(operand: Any) -> None:
    got = msgspec.json.encode(operand).decode()
    assert schema_refusal(lambda: check_schema({"$ref": operand})) == (
        f'"$ref" at /$ref must point into the schema itself, as #/$defs/name does, got {got}'
    )


def test_a_reference_leads_into_the_schema_itself() -> None:
    nothing = {"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"a": {}}}
    endless = {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}
    assert schema_refusal(lambda: check_schema(nothing)) == (
        '"$ref" at /properties/a/$ref names no schema: "#/$defs/b"'
    )
    assert schema_refusal(lambda: check_schema(endless)) == (
        "the schema at /$defs/a/allOf/0 refers to itself without end"
    )


@pytest.mark.parametrize("subschema", [3, None, "string", []])
def test_what_is_no_schema_is_named_with_where_it_stands(subschema: Any) -> None:
    shown = msgspec.json.encode(subschema).decode()
    with pytest.raises(SchemaError) as caught:
        check_schema({"properties": {"a~b": subschema}})
    assert str(caught.value) == (
        f"a schema must be an object, true or false; at /properties/a~0b it is {shown}"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the schema is not valid JSON: "),
        ("", "the schema is not valid JSON: "),
        ("{'type': 'object'}", "the schema is not valid JSON: "),
        ('{"minimum": NaN}', "the schema is not valid JSON: "),
        ('{"minimum": 1e400}', "the schema is not valid JSON: "),
        ('{"a": "\\ud800"}', "the schema is not valid JSON: "),
        ('{"a": "\ud800"}', "the schema is not valid JSON: "),
        ("[" * 100_000, "the schema is n"),
        ("[1]", "a schema must be a JSON object, got [1]"),
        ("true", "a schema must be a JSON object, got true"),
        ('"object"', 'a schema must be a JSON object, got "object"'),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_a_text_that_is_no_json_object_is_refused(text: str, message: str) -> None:
    for read in (parse_schema, check_schema, compile_schema):
        with pytest.raises(SchemaError) as caught:
            read(text)
        assert str(caught.value).startswith(message)
        assert len(str(caught.value)) < 300


class Kind(enum.StrEnum):
    STRING = "string"


class Color(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"minimum": math.nan}, "number nan at /minimum"),
        ({"default": math.inf}, "number inf at /default"),
        ({"enum": [1, {1}]}, "a Python set at /enum/1"),
        ({"default": Decimal("1.5")}, "a Python Decimal at /default"),
        ({"const": date(2026, 7, 28)}, "a Python date at /const"),
        ({"properties": {"a": {"default": Color.RED}}}, "a Python Color at /properties/a/default"),
        ({"properties": {1: {}}}, "the key 1 at /properties"),
        ({None: 1}, "the key None at the root"),
        ({"title": "\ud800"}, "the text '\\ud800' at /title"),
        ({"a\udfff": 1}, "the text 'a\\udfff' at the root"),
        ({"minimum": 10**5000}, "number <int of 16610 bits> at /minimum"),
        ({"default": b"a"}, "a Python bytes at /default"),
        (None, None),
        (3, None),
        ([{}], None),
    ],
)
def test_what_json_cannot_carry_is_refused_where_it_stands(
    schema: Any, message: str | None
) -> None:
    for read in (parse_schema, check_schema, compile_schema):
        with pytest.raises(SchemaError) as caught:
            read(schema)
        if message is None:
            assert str(caught.value).startswith("a schema must be a JSON object, got ")
        else:
            assert str(caught.value) == f"the schema cannot be written as JSON: {message}"


def test_a_mapping_becomes_a_dict_of_its_own_in_jsons_own_types() -> None:
    enumerated = ["a"]
    schema: Mapping[Any, Any] = MappingProxyType(
        {
            "type": Kind.STRING,
            "enum": enumerated,
            "examples": ("a",),
            "properties": MappingProxyType({Kind.STRING: True}),
        }
    )
    parsed = parse_schema(schema)
    assert parsed == {
        "type": "string",
        "enum": ["a"],
        "examples": ["a"],
        "properties": {"string": True},
    }
    assert type(parsed["type"]) is str
    assert [type(key) for key in parsed["properties"]] == [str]
    enumerated.append("b")
    assert parsed["enum"] == ["a"]
    assert parse_schema(msgspec.json.encode(parsed).decode()) == parsed


def test_integers_of_a_schema_are_exact() -> None:
    assert parse_schema('{"minimum": 100000000000000000000000000000000000001}') == {
        "minimum": 10**38 + 1
    }


def nested(depth: int, innermost: Any) -> Any:
    schema = innermost
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def test_schemas_nest_a_hundred_deep_and_no_deeper() -> None:
    validate = compile_schema(nested(100, {"type": "integer"}))
    value: Any = 3.0
    wrong: Any = "3"
    for _ in range(100):
        value, wrong = {"a": value}, {"a": wrong}
    assert validate(value) == value
    assert refusal(lambda: validate(wrong)) == (
        ".".join("a" * 100) + ': expected integer, got string "3"'
    )
    message = "the schema is nested too deeply: more than 100 schemas in each other"
    text = '{"properties":{"a":' * 2_000 + "{}" + "}}" * 2_000
    for schema in (nested(101, {}), nested(5_000, {}), text):
        with pytest.raises(SchemaError) as caught:
            compile_schema(schema)
        assert str(caught.value) == message
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(SchemaError):
        check_schema({"default": deep})


def test_a_cycle_is_no_schema() -> None:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"self": schema}
    with pytest.raises(SchemaError, match="nested too deeply"):
        check_schema(schema)
