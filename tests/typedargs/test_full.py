"""validation="full": all of JSON Schema 2020-12 and draft-07, and the same shape of errors."""

import subprocess
import sys
from typing import Any

import pytest

from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import MCPArgs, String, ValidationError, compile_schema

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def full(schema: Any) -> Any:
    return compile_schema(schema, validation="full")


ACCEPTED: list[tuple[dict[str, Any], Any]] = [
    ({"unevaluatedProperties": False, "properties": {"a": {}}}, {"a": 1}),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1, "b": 2}),
    ({"$dynamicRef": "#node", "$defs": {"n": {"$dynamicAnchor": "node", "type": "array"}}}, []),
    ({"$id": "https://example.com/a", "$ref": "#/$defs/b", "$defs": {"b": {"type": "null"}}}, None),
    ({"x-anything": 1, "type": "integer"}, 3.0),
    ({"type": "integer"}, 10**400),
    ({"format": "email"}, "nobody"),
    ({"$schema": DRAFT_7, "items": [{"type": "integer"}], "additionalItems": False}, [1]),
    ({"$schema": DRAFT_7, "dependencies": {"a": ["b"]}, "definitions": {"c": True}}, {"b": 1}),
]


@pytest.mark.parametrize(("schema", "value"), ACCEPTED)
def test_what_the_dialect_leaves_out_is_enforced(schema: dict[str, Any], value: Any) -> None:
    assert full(schema)(value) is value


REFUSED: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "integer"}, "3", 'expected integer, got string "3"'),
    ({"type": ["integer", "null"]}, "3", 'expected null or integer, got string "3"'),
    ({"enum": ["a", "b"]}, "c", 'expected one of "a", "b", got string "c"'),
    ({"const": 3}, 4, "expected 3, got number 4"),
    ({"minimum": 3}, 2, "expected at least 3, got number 2"),
    ({"exclusiveMaximum": 3}, 3, "expected less than 3, got number 3"),
    ({"multipleOf": 0.1}, 0.35, "expected a multiple of 0.1, got number 0.35"),
    ({"minLength": 2}, "a", 'expected at least 2 characters, got string "a"'),
    ({"pattern": "^a"}, "b", 'expected a match of the pattern ^a, got string "b"'),
    ({"uniqueItems": True}, [1, 1], "expected items that all differ, got array [1,1]"),
    ({"maxItems": 1}, [1, 2], "expected at most 1 item, got array [1,2]"),
    ({"minProperties": 1}, {}, "expected at least 1 key, got object {}"),
    ({"required": ["a", "b"]}, {"b": 1}, "a: missing"),
    (
        {"properties": {"a": {"items": {"type": "null"}}}},
        {"a": [1]},
        "a[0]: expected null, got number 1",
    ),
    (
        {"propertyNames": {"maxLength": 1}},
        {"ab": 1},
        'ab: expected at most 1 character, got string "ab"',
    ),
    ({"prefixItems": [True], "items": False}, [1, 2], "[1]: expected no value, got number 2"),
    (
        {"contains": {"type": "null"}},
        [1],
        'expected items as "contains" asks for them, got array [1]',
    ),
    ({"dependentRequired": {"a": ["b", "c"]}}, {"a": 1}, "b: missing\nc: missing"),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, "b: missing"),
    (
        {"properties": {"a": {}}, "additionalProperties": False},
        {"b": 1, "c": 2},
        "b: unknown key\nc: unknown key",
    ),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}, "b: unknown key"),
    (
        {"prefixItems": [True], "unevaluatedItems": False},
        [1, 2],
        "expected no further items, got array [1,2]",
    ),
    ({"not": {"type": "integer"}}, 3, 'expected anything but {"type":"integer"}, got number 3'),
    ({"if": {"type": "integer"}, "then": {"minimum": 3}}, 1, "expected at least 3, got number 1"),
    (
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        [],
        "expected integer or string, got array []",
    ),
    (
        {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["a"]}]},
        {},
        "a: missing",
    ),
    (
        {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
        3,
        "expected a value that fits one alternative only, got number 3",
    ),
    (
        {"$schema": DRAFT_7, "items": [{"type": "integer"}], "additionalItems": False},
        ["x", 2],
        '[0]: expected integer, got string "x"\nexpected no further items, got array ["x",2]',
    ),
    ({"type": "array"}, object(), "expected JSON: Unsupported type: 'object'"),
]


@pytest.mark.parametrize(("schema", "value", "message"), REFUSED)
def test_a_fault_is_told_as_the_dialect_tells_it(
    schema: dict[str, Any], value: Any, message: str
) -> None:
    assert refusal(lambda: full(schema)(value)) == message


def test_faults_have_path_keyword_and_expectation() -> None:
    schema = {"properties": {"a": {"items": {"minimum": 3}}}, "required": ["b"]}
    with pytest.raises(ValidationError) as caught:
        full(schema)({"a": [1]})
    assert {(i.path, i.keyword, i.expected) for i in caught.value.issues} == {
        ("a[0]", "minimum", "at least 3"),
        ("b", "required", ""),
    }


def test_defaults_are_published_and_not_filled_in() -> None:
    assert full({"properties": {"a": {"default": 1}}})({}) == {}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "strin"}, "the schema is not sound: "),
        ({"pattern": "["}, "the schema is not sound: "),
        ({"$ref": "#/$defs/nowhere"}, "the schema is not sound: Pointer '/$defs/nowhere' does not"),
        (
            {"$ref": "https://example.com/a"},
            "the schema is not sound: Resource 'https://example.com/a'",
        ),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#"},
            '"$schema" at /$schema must be one of https://json-schema.org/draft/2020-12/schema, '
            'http://json-schema.org/draft-07/schema, got "http://json-schema.org/draft-04/schema"',
        ),
    ],
)
def test_a_schema_that_cannot_be_enforced_is_refused(schema: dict[str, Any], message: str) -> None:
    assert schema_refusal(lambda: full(schema)).startswith(message)


@pytest.mark.parametrize("depth", [501, 50_000])
def test_a_value_that_is_nested_too_deeply_is_refused(depth: int) -> None:
    validate = full({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}})
    value: Any = []
    levels = [value]
    for _ in range(depth):
        value = [value]
        levels.append(value)
    assert refusal(lambda: validate(value)) == "expected a value nested at most 500 levels deep"
    for level in levels:  # or it would be freed by recursion
        level.clear()


def test_a_class_is_held_to_its_own_schema_all_the_same() -> None:
    class Args(MCPArgs):
        day = String(format="date")

    assert refusal(lambda: full(Args)({"day": "today"})).startswith("day: expected a date")


def test_without_the_extra_it_says_what_to_install() -> None:
    program = (
        "import sys\nsys.modules['jsonschema_rs'] = None\n"
        "from typedargs import compile_schema\n"
        "try: compile_schema({}, validation='full')\nexcept ImportError as error: print(error)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout == 'validation="full" needs "pip install typedargs-mcp[jsonschema]"\n'
