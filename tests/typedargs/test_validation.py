"""A value against a schema: what is taken, what it becomes, and faults with their places."""

import copy
import math
from decimal import Decimal
from typing import Any

import pytest

from tests.typedargs.helpers import refusal
from typedargs import (
    ValidationError,
    compile_schema,
)

BEYOND = Decimal("1E+400")

VERDICTS: list[tuple[dict[str, Any], list[Any], list[tuple[Any, str]]]] = [
    ({}, [None, True, 3, "a", [], {}, {"a": 1}, BEYOND], []),
    (
        {"type": "integer"},
        [3, 3.0, -(10**400)],
        [(3.5, "number 3.5"), (True, "boolean true"), (None, "null"), (math.inf, "number inf")],
    ),
    (
        {"type": "number"},
        [3, 3.5, 10**400],
        [
            (True, "boolean true"),
            (math.nan, "number nan"),
            (BEYOND, "number 1E+400 (out of range)"),
            (-BEYOND, "number -1E+400 (out of range)"),
        ],
    ),
    ({"type": "string"}, ["", "null"], [(3, "number 3"), (b"", "a Python bytes")]),
    ({"type": "boolean"}, [True, False], [(0, "number 0"), ("true", 'string "true"')]),
    ({"type": "null"}, [None], [(0, "number 0"), (False, "boolean false"), ("", 'string ""')]),
    ({"type": "array"}, [[], [1, "a"]], [({}, "object {}"), ((), "a Python tuple")]),
    ({"type": "object"}, [{}, {"a": None}], [([], "array []"), ("{}", 'string "{}"')]),
]


@pytest.mark.parametrize(("schema", "good", "bad"), VERDICTS)
def test_types_are_jsons(
    schema: dict[str, Any], good: list[Any], bad: list[tuple[Any, str]]
) -> None:
    validate = compile_schema(schema)
    for value in good:
        assert validate(value) == value
    for value, got in bad:
        assert refusal(lambda: validate(value)) == f"expected {schema['type']}, got {got}"  # noqa: B023


def test_several_types_are_named_in_their_order() -> None:
    validate = compile_schema({"type": ["string", "integer", "null"]})
    assert validate(3.0) == 3
    assert validate(None) is None
    assert refusal(lambda: validate(3.5)) == "expected string or integer or null, got number 3.5"
    either = compile_schema({"type": ["integer", "number"]})
    assert type(either(3.0)) is float


def test_equality_is_jsons() -> None:
    """1 equals 1.0, and no boolean equals a number, at any depth."""
    rows: list[tuple[Any, list[Any], list[Any]]] = [
        (1, [1, 1.0], [True, "1", 2]),
        (True, [True], [1, 1.0, "true"]),
        (0, [0, -0.0], [False, None]),
        ({"a": [1]}, [{"a": [1.0]}], [{"a": [True]}, {"a": [1], "b": 1}, {"a": [1, 1]}]),
        ([False], [[False]], [[0], []]),
        (None, [None], [0, False, "null"]),
        ("a", ["a"], ["A"]),
        (10**400, [10**400, BEYOND], [math.inf]),
    ]
    for operand, good, bad in rows:
        for schema in ({"const": operand}, {"enum": ["zzz", operand]}):
            validate = compile_schema(schema)
            for value in good:
                assert validate(value) == value
            for value in bad:
                with pytest.raises(ValidationError):
                    validate(value)


def test_a_text_enum_passes_over_members_of_other_types() -> None:
    validate = compile_schema({"type": "string", "enum": ["a", 1, {}, None, []]})
    assert validate("a") == "a"
    assert refusal(lambda: validate("b")) == (
        'expected one of "a", 1, {}, null, [], got string "b"'
    )


def test_keywords_speak_only_of_values_of_their_kind() -> None:
    validate = compile_schema(
        {"minimum": 5, "multipleOf": 5, "minLength": 2, "pattern": "a", "required": ["a"]}
    )
    for value in (True, None, [], 5, 5.0, "ab", {"a": 1}):  # type: ignore[var-annotated]
        assert validate(value) == value
    for value in (4, 6.5, "a", "bb", {}):
        with pytest.raises(ValidationError):
            validate(value)


def test_keywords_of_another_type_than_the_schemas_say_nothing() -> None:
    validate = compile_schema({"type": "string", "minimum": 5, "properties": {"a": False}})
    assert validate("a") == "a"


def test_boolean_schemas_take_everything_and_nothing() -> None:
    validate = compile_schema({"properties": {"any": True, "none": False}})
    assert validate({"any": [1]}) == {"any": [1]}
    assert validate({}) == {}
    assert refusal(lambda: validate({"none": 1})) == "none: expected no value, got number 1"


NESTED = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "ship": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 1},
                "zip.code": {"type": "string", "pattern": "^[0-9]+$"},
                "count": {"type": "integer", "default": 1.0},
                "tags": {"type": "object", "default": {"a": 1}},
            },
            "required": ["city"],
            "additionalProperties": False,
        },
        "billing": {
            "type": "object",
            "properties": {"days": {"type": "integer", "default": 30}},
            "default": {},
        },
    },
    "required": ["name", "ship"],
}


def test_faults_within_are_reported_with_their_paths() -> None:
    with pytest.raises(ValidationError) as caught:
        compile_schema(NESTED)(
            {
                "nmae": 1,
                "ship": {"cty": 1, "zip.code": "x", "count": None},
                "billing": {"dais": 3},
            }
        )
    assert str(caught.value) == (
        "name: missing; expected string\n"
        'ship.cty: unknown key; expected one of the keys "city", "zip.code", "count", "tags" '
        '(did you mean "city"?)\n'
        "ship.city: missing; expected string\n"
        'ship["zip.code"]: expected a match of the pattern ^[0-9]+$, got string "x"\n'
        "ship.count: expected integer, got null; leave the key out instead\n"
        'ignored unknown keys: "nmae" (did you mean "name"?), "billing.dais" (did you mean "days"?)'
    )


def test_defaults_are_filled_in_at_every_depth() -> None:
    given = {"name": "n", "ship": {"city": "c"}}
    before = copy.deepcopy(given)
    validate = compile_schema(NESTED)
    result = validate(given)
    assert result == {
        "name": "n",
        "ship": {"city": "c", "count": 1, "tags": {"a": 1}},
        "billing": {"days": 30},
    }
    assert type(result["ship"]["count"]) is int
    assert given == before
    result["ship"]["tags"]["a"] = result["billing"]["days"] = 99
    assert validate(given)["ship"]["tags"] == {"a": 1}
    assert validate(given)["billing"] == {"days": 30}


def test_a_value_that_needs_nothing_is_passed_on_as_it_is() -> None:
    given = {"name": "n", "ship": {"city": "c", "count": 1, "tags": {}}, "billing": {"days": 1}}
    assert compile_schema(NESTED)(given) is given


def test_a_value_is_never_changed() -> None:
    given: Any = {"name": "n", "ship": {"city": "c", "count": 2.0}, "zzz": [1]}
    before = copy.deepcopy(given)
    result = compile_schema(NESTED)(given)
    assert given == before
    assert type(given["ship"]["count"]) is float
    assert type(result["ship"]["count"]) is int
    assert result["zzz"] == [1]


def test_a_default_that_its_own_schema_rejects_is_published_and_never_filled_in() -> None:
    schema = {"properties": {"a": {"properties": {"b": {"type": "integer", "default": "x"}}}}}
    validate = compile_schema(schema)
    assert validate.schema == schema
    assert validate({"a": {}}) == {"a": {}}


def test_required_keys_without_a_property_are_wanted() -> None:
    validate = compile_schema({"type": "object", "required": ["a", "b\n"]})
    assert validate({"a": 1, "b\n": 2}) == {"a": 1, "b\n": 2}
    assert refusal(lambda: validate({})) == "a: missing\nb\n: missing"


def test_an_empty_closed_object_has_no_keys() -> None:
    validate = compile_schema({"type": "object", "additionalProperties": False})
    assert validate({}) == {}
    assert refusal(lambda: validate({"a": 1})) == "a: unknown key; expected no keys"


@pytest.mark.parametrize("keyword", ["const", "enum"])
def test_a_deep_value_ends_in_a_fault_and_not_in_a_crash(keyword: str) -> None:
    """Equality of a deep value with a deep operand is the only test that goes down a value."""
    value: Any = []
    operand: Any = []
    for _ in range(100_000):
        value = [value]
    for _ in range(150):
        operand = [operand]
    validate = compile_schema({keyword: operand if keyword == "const" else [operand]})
    assert validate(copy.deepcopy(operand)) == operand
    with pytest.raises(ValidationError):
        validate(value)
