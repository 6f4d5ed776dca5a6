"""compile_schema: values in, values with their defaults out, faults with their places."""

import copy
import math
from decimal import Decimal
from typing import Any

import pytest

from tests.typedargs.helpers import refusal
from typedargs import (
    Enum,
    Integer,
    MCPArgs,
    ObjectSchema,
    String,
    ValidationError,
    compile_schema,
    schema_of,
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


class Args(MCPArgs):
    query = String(name="q")
    limit = Integer(default=10)
    order = Enum("up", "down", required=False)


BUILDER = (
    ObjectSchema()
    .add_string("q")
    .add_integer("limit", default=10)
    .add_enum("order", ["up", "down"], required=False)
)

FOUR = [
    Args,
    BUILDER,
    schema_of(Args),
    '{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer","default":10},"order":{"type":"string","enum":["up","down"]}},"required":["q"]}',
]


@pytest.mark.parametrize("schema", FOUR, ids=["class", "builder", "dict", "string"])
def test_the_four_ways_to_give_a_schema_are_enforced_alike(schema: Any) -> None:
    validate = compile_schema(schema)
    assert validate.schema == schema_of(Args)
    assert validate({"q": "a"}) == {"q": "a", "limit": 10}
    assert validate({"q": "a", "limit": 3.0, "order": "up"}) == {
        "q": "a",
        "limit": 3,
        "order": "up",
    }
    assert refusal(lambda: validate({"Q": "a", "limit": None, "order": "left"})) == (
        "q: missing; expected string\n"
        "limit: expected integer, got null; leave the key out instead\n"
        'order: expected one of "up", "down", got string "left"\n'
        'ignored unknown key: "Q" (did you mean "q"?)'
    )


def test_a_validator_is_not_changed_through_its_schema() -> None:
    validate = compile_schema(Args)
    validate.schema["properties"].clear()
    assert "q" in schema_of(Args)["properties"]
    assert repr(compile_schema({"type": "null"})) == "Validator(schema={'type': 'null'})"


def test_a_builder_may_grow_and_a_validator_of_it_stays() -> None:
    builder = ObjectSchema().add_string("a")
    validate = compile_schema(builder)
    builder.add_string("b")
    assert validate({"a": "x"}) == {"a": "x"}
    assert validate.schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
    }


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


HOSTILE = ["'", '"', "\\", "\n", "{}", "{v}", "'); raise SystemExit('", "\x00", "\u2028", "__v__"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_in_a_schema_becomes_code(text: str) -> None:
    schema = {
        "title": text,
        "type": "object",
        "properties": {
            text: {
                "type": "object",
                "properties": {text: {"const": text}, f"{text}d": {"default": text}},
                "required": [text, f"{text}r"],
                "additionalProperties": False,
            },
            f"{text}e": {"enum": [text, 3], "default": text},
        },
        "required": [text],
    }
    validate = compile_schema(schema)
    with pytest.raises(ValidationError) as caught:
        validate({text: {text: "x", f"{text}z": 1}, f"{text}e": text + text})
    assert [issue.keyword for issue in caught.value.issues] == [
        "additionalProperties",
        "const",
        "required",
        "enum",
    ]
    with pytest.raises(ValidationError):
        compile_schema({"properties": {text: {"type": "string", "pattern": "^b$"}}})({text: text})


def test_the_generated_source_can_be_read() -> None:
    class Small(MCPArgs):
        query = String(name="q")
        limit = Integer(default=10)
        order = Enum("up", required=False)

    assert (
        Small.__args_form__.validation.compiled.__doc__
        == """\
def check_0(v, report, path):
    if not isinstance(v, dict):
        report.append((misfit, path, 'type', 'object', v))
    else:
        values_1_faults = len(report)
        values_1 = {}
        item_2 = v.get('q', MISSING)
        if item_2 is not MISSING:
            if not (type(item_2) is str or isinstance(item_2, str)):
                report.append((misfit, (*path, 'q'), 'type', 'string', item_2))
            values_1['q'] = item_2
        else:
            report.append((missing, (*path, 'q'), 'string'))
        item_3 = v.get('limit', MISSING)
        if item_3 is not MISSING:
            if type(item_3) is not int: item_3 = as_integer(item_3)
            if not (type(item_3) is int or is_integer(item_3)):
                if item_3 is None:
                    report.append((null_for_optional, (*path, 'limit'), 'integer'))
                else:
                    report.append((misfit, (*path, 'limit'), 'type', 'integer', item_3))
            values_1['limit'] = item_3
        else:
            values_1['limit'] = 10
        item_4 = v.get('order', MISSING)
        if item_4 is not MISSING:
            if not (type(item_4) is str or isinstance(item_4, str)):
                if item_4 is None:
                    report.append((null_for_optional, (*path, 'order'), '"up"'))
                else:
                    report.append((misfit, (*path, 'order'), 'type', '"up"', item_4))
            else:
                if item_4 not in k_6:
                    report.append((no_member, (*path, 'order'), '"up"', item_4, k_5))
            values_1['order'] = item_4
        else:
            values_1['order'] = None
        if len(report) == values_1_faults: v = build_7(values_1)
    return v"""
    )
