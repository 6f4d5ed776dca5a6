"""The bounds of schemas and validations are settings, and the messages name them as set."""

from collections.abc import Iterator

import pytest

from typedargs import SchemaError, ValidationError, bounds, check_schema, compile_schema


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    before = {name: getattr(bounds, name) for name in bounds.__struct_fields__}
    yield
    for name, value in before.items():
        setattr(bounds, name, value)


def test_the_defaults() -> None:
    assert {name: getattr(bounds, name) for name in bounds.__struct_fields__} == {
        "schema_depth": 100,
        "subschemas": 10_000,
        "steps": 1_000_000,
        "faults": 100,
        "search_seconds": 0.25,
        "full_depth": 500,
    }


@pytest.mark.parametrize(
    ("setting", "schema", "message"),
    [
        (
            "schema_depth",
            {"not": {"not": {"not": {}}}},
            "the schema is nested too deeply: more than 2 schemas in each other",
        ),
        ("subschemas", {"allOf": [{}, {}, {}]}, "the schema holds more than 2 schemas"),
    ],
)
def test_bounds_of_a_schema(setting: str, schema: dict[str, object], message: str) -> None:
    check_schema(schema)
    setattr(bounds, setting, 2)
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)
    assert str(caught.value) == message


def test_bound_of_the_steps_of_a_validation() -> None:
    validate = compile_schema({"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    assert validate(["a", None] * 10) == ["a", None] * 10
    bounds.steps = 10
    with pytest.raises(ValidationError) as caught:
        validate(["a", None] * 10)
    assert "expected a value that takes at most 10 steps to check" in str(caught.value)


def test_bound_of_the_faults() -> None:
    validate = compile_schema({"items": {"type": "integer"}})
    bounds.faults = 3
    with pytest.raises(ValidationError) as caught:
        validate(["x"] * 10)
    assert [issue.path for issue in caught.value.issues] == ["[0]", "[1]", "[2]", "[3]"]


def test_bound_of_a_search() -> None:
    validate = compile_schema({"pattern": "^(a|aa)+$"})
    bounds.search_seconds = 0.001
    with pytest.raises(ValidationError) as caught:
        validate("a" * 60 + "b")
    assert "text in which each pattern is searched within 0.001 s" in str(caught.value)


def test_bound_of_the_depth_that_full_validation_takes() -> None:
    validate = compile_schema({"type": "array"}, validation="full")
    assert validate([[[]]]) == [[[]]]
    bounds.full_depth = 2
    with pytest.raises(ValidationError) as caught:
        validate([[[]]])
    assert "a value nested at most 2 levels deep" in str(caught.value)
