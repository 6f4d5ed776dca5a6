"""ObjectSchema: a schema property by property."""

from typing import Any

import pytest

from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import (
    Boolean,
    Double,
    Enum,
    Integer,
    MCPArgs,
    ObjectSchema,
    String,
    aliases_of,
    compile_schema,
    schema_of,
    structure,
)


def test_a_builder_publishes_what_a_class_with_the_same_fields_does() -> None:
    class Search(MCPArgs, extra="forbid"):
        """Search."""

        query = String(description="Terms", min_length=1, max_length=9, pattern=".", title="Q")
        limit = Integer(description="Most", required=False, minimum=1, maximum=9, multiple_of=1)
        price = Double(default=1.5, exclusive_minimum=0, exclusive_maximum=9, nullable=True)
        stock = Boolean(default=False, deprecated=True, examples=[True])
        order = Enum("up", "down", default="up", aliases=("sort",))
        day = String(required=False, format="date", header="Day")

    builder = (
        ObjectSchema("Search.", extra="forbid")
        .add_string("query", "Terms", min_length=1, max_length=9, pattern=".", title="Q")
        .add_integer("limit", "Most", required=False, minimum=1, maximum=9, multiple_of=1)
        .add_number("price", default=1.5, exclusive_minimum=0, exclusive_maximum=9, nullable=True)
        .add_boolean("stock", default=False, deprecated=True, examples=[True])
        .add_enum("order", ["up", "down"], default="up", aliases=("sort",))
        .add_string("day", required=False, format="date", header="Day")
    )
    assert schema_of(builder) == schema_of(Search)
    assert list(schema_of(builder)["properties"]) == list(schema_of(Search)["properties"])
    assert aliases_of(builder) == aliases_of(Search) == {"sort": "order"}


def test_the_pages_example_works_with_its_arguments_by_position() -> None:
    builder = (
        ObjectSchema()
        .add_string("query", "Search terms")
        .add_integer("limit", "Maximum results", False)
    )
    assert schema_of(builder) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Search terms"},
            "limit": {"type": "integer", "description": "Maximum results"},
        },
        "required": ["query"],
    }
    assert structure({"query": "x", "zzz": 1}, builder) == {"query": "x"}
    assert structure({"query": "x", "limit": 3.0}, builder) == {"query": "x", "limit": 3}


def test_a_builder_gives_a_dict_of_the_declared_values_with_defaults() -> None:
    builder = (
        ObjectSchema()
        .add_number("a")
        .add_integer("b", default=3)
        .add_boolean("c", required=False)
        .add_string("d", nullable=True)
        .add_string("e", default=None)
        .add_string("f", default=None, nullable=True)
    )
    result = structure({"a": 1, "d": None, "zzz": 0}, builder)
    assert result == {"a": 1.0, "b": 3, "d": None, "f": None}
    assert list(result) == ["a", "b", "d", "f"]
    assert type(result["a"]) is float
    assert compile_schema(builder)({"a": 1, "d": None}) == result


def test_a_builder_reports_faults_as_a_class_does() -> None:
    builder = ObjectSchema(extra="forbid").add_string("query").add_integer("limit", required=False)
    assert refusal(lambda: structure({"limit": None, "qery": 1}, builder)) == (
        'qery: unknown key; expected one of the keys "query", "limit" (did you mean "query"?)\n'
        "query: missing; expected string\n"
        "limit: expected integer, got null; leave the key out instead"
    )


def test_any_key_can_be_declared() -> None:
    builder = ObjectSchema()
    keys = ["a b", "", "class", "__init__", "it's", "self", "\n", "{}", "\U0001f600"]
    for key in keys:
        assert builder.add_integer(key) is builder
    value = dict.fromkeys(keys, 1)
    assert structure(value, builder) == value
    assert structure({**value, "": 2.0}, builder)[""] == 2


def test_a_builder_that_has_been_used_can_grow() -> None:
    builder = ObjectSchema().add_string("a", required=False)
    assert structure({"b": 1}, builder) == {}
    builder.add_integer("b", required=False)
    assert structure({"b": 1}, builder) == {"b": 1}
    assert repr(builder) == "<ObjectSchema of a, b>"
    assert repr(ObjectSchema()) == "<ObjectSchema of nothing>"


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (
            lambda b: b.add_string("a"),
            'ObjectSchema.a has the key "a" twice',
        ),
        (
            lambda b: b.add_string("b", aliases=("a",)),
            'ObjectSchema: a and b both have the key "a" on the wire; '
            "give one of them another name=",
        ),
        (lambda b: b.add_string(3), "ObjectSchema.3: a key must be a string, got 3"),
        (
            lambda b: b.add_integer("b", default="x"),
            "ObjectSchema.b: the default is rejected by its own field: "
            'expected integer, got string "x"',
        ),
        (
            lambda b: b.add_integer("b", minimum="x"),
            'ObjectSchema.b: "minimum" at /minimum must be a number, got "x"',
        ),
        (lambda b: b.add_enum("b", []), "Enum takes at least one string, or an enum.Enum class"),
        (
            lambda b: b.add_enum("b", "up"),
            "ObjectSchema.b: add_enum takes a list of strings, got 'up'",
        ),
        (
            lambda b: b.add_enum("b", int),
            "ObjectSchema.b: add_enum takes a list of strings, got <class 'int'>",
        ),
        (
            lambda _: ObjectSchema(extra="no"),  # type: ignore[arg-type]
            'ObjectSchema: extra must be "ignore" or "forbid", got "no"',
        ),
    ],
)
def test_a_property_that_cannot_be_declared_is_refused_and_leaves_the_builder_as_it_was(
    declare: Any, message: str
) -> None:
    builder = ObjectSchema().add_integer("a")
    assert schema_refusal(lambda: declare(builder)) == message
    assert list(schema_of(builder)["properties"]) == ["a"]


def test_a_misspelt_option_is_named() -> None:
    with pytest.raises(TypeError, match=r"^Integer has no option minmum; did you mean minimum\?$"):
        ObjectSchema().add_integer("a", minmum=3)  # type: ignore[call-arg]
