"""compile_schema: four ways to give a schema, one rule for all."""

from typing import Any

import pytest

from tests.typedargs.helpers import refusal
from typedargs import (
    Enum,
    Integer,
    MCPArgs,
    ObjectSchema,
    String,
    compile_schema,
    schema_of,
)


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
