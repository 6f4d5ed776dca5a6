"""Every field within every other, and nullable, optional and with a default."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given

from tests.typedargs.class_strategies import instances
from tests.typedargs.every_field import LEAVES, OUTER
from tests.typedargs.helpers import holder, refusal
from typedargs import (
    Field,
    Nested,
    check_schema,
    compile_schema,
    compile_unstructure,
    schema_of,
    structure,
    unstructure,
)


def around(outer: str, field: Field[Any, Any], value: Any) -> tuple[Field[Any, Any], Any]:
    """Return the field with `field` in it, and its Python value with `value` in it."""
    make, _, in_python, _ = OUTER[outer]
    if outer == "Nested":
        cls = holder(y=field)
        return Nested(cls), cls(y=value)
    return make(field), in_python(value)


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("leaf", LEAVES)
def test_every_field_works_in_every_other(leaf: str, outer: str) -> None:
    make, json, value, bad = LEAVES[leaf]
    wrap, path = OUTER[outer][1], OUTER[outer][3]
    field, expected = around(outer, make(), value)
    cls = holder(x=field)
    schema = schema_of(cls)
    check_schema(schema)
    published = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
    assert published.is_valid({"x": wrap(json)})

    structured = structure({"x": wrap(json)}, cls)
    assert structured.x == expected
    assert structured == cls(x=expected)
    assert unstructure(structured) == {"x": wrap(json)}
    assert compile_unstructure(cls)(structured) == {"x": wrap(json)}
    assert compile_schema(schema)({"x": wrap(json)}) == {"x": wrap(json)}
    made = cls(x=expected)
    made.x = expected
    assert made == structured
    assert refusal(lambda: structure({"x": wrap(bad)}, cls)).startswith(f"x{path}")
    assert refusal(lambda: structure({}, cls)).startswith("x: missing; expected ")


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_field_may_be_nullable_optional_or_have_a_default(leaf: str) -> None:
    make, json, value, _ = LEAVES[leaf]
    cls = holder(
        a=make(nullable=True),
        b=make(required=False),
        c=make(default=value),
        d=make(nullable=True, default=None),
    )
    schema = schema_of(cls)
    check_schema(schema)
    assert schema["required"] == ["a"]
    assert schema["properties"]["c"]["default"] == json
    assert schema["properties"]["d"]["default"] is None
    published = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
    for sent, found in (
        ({"a": None}, (None, None, value, None)),
        ({"a": json, "b": json, "c": json, "d": json}, (value, value, value, value)),
    ):
        assert published.is_valid(sent)
        structured = structure(sent, cls)
        assert (structured.a, structured.b, structured.c, structured.d) == found
        assert structure(unstructure(structured), cls) == structured
        assert cls(a=structured.a, b=structured.b) == structure(
            {key: sent[key] for key in ("a", "b") if key in sent}, cls
        )
    for out in (unstructure, compile_unstructure(cls)):
        assert out(cls(a=None)) == {"a": None, "c": json}
    message = refusal(lambda: structure({"a": None, "b": None}, cls))
    assert message.startswith("b: expected ")
    assert "got null" in message


@given(instances())
def test_what_goes_out_comes_in_again(instance: Any) -> None:
    cls = type(instance)
    json = unstructure(instance)
    schema = schema_of(cls)
    check_schema(schema)
    assert jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid(json)
    assert compile_unstructure(cls)(instance) == json
    assert structure(json, cls) == instance
    assert unstructure(structure(json, cls)) == json
    assert compile_schema(schema)(json) == json


@given(instances())
def test_every_published_default_example_and_enum_value_fits_its_own_schema(instance: Any) -> None:
    for schema in within(schema_of(type(instance))):
        validate = compile_schema(schema)
        reference = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        defaults = [schema["default"]] if "default" in schema else []
        for value in (*defaults, *schema.get("examples", ()), *schema.get("enum", ())):
            validate(value)
            assert reference.is_valid(value)


def within(schema: Any) -> Iterator[Any]:
    """Give the schemas within a schema of a class, and itself."""
    yield schema
    held = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())]
    held += [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    held += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    for inner in held:
        if isinstance(inner, dict):
            yield from within(inner)
