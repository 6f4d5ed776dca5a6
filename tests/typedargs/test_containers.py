"""Arrays, tuples and maps: alone, and every field within every other."""

import collections
import datetime
import enum
import types
from typing import Any, Never

import pytest

from tests.typedargs.helpers import accepted, holder, property_of, refusal, schema_refusal
from typedargs import (
    Array,
    Date,
    Double,
    Enum,
    Field,
    Integer,
    Json,
    Map,
    MCPArgs,
    String,
    Tuple,
    compile_unstructure,
    schema_of,
    structure,
    unstructure,
)


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Item(MCPArgs):
    sku = String(pattern="^[A-Z]+$", aliases=("id",))
    count = Integer(default=1, minimum=1)


SCHEMAS: list[tuple[Field[Any, Any], dict[str, Any]]] = [
    (Array(String()), {"type": "array", "items": {"type": "string"}}),
    (
        Array(Integer(minimum=0), min_items=1, max_items=3, unique=True, description="Numbers"),
        {
            "type": "array",
            "description": "Numbers",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 1,
            "maxItems": 3,
            "uniqueItems": True,
        },
    ),
    (Array(Json()), {"type": "array", "items": {}}),
    (
        Array(Item, default=[]),
        {"type": "array", "items": schema_of(Item), "default": []},
    ),
    (
        Tuple(String(), Integer()),
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (Map(Double()), {"type": "object", "additionalProperties": {"type": "number"}}),
    (Map(Json()), {"type": "object", "additionalProperties": True}),
    (
        Map(Item, key_pattern="^[a-z]+$", min_items=1, max_items=2, nullable=True),
        {
            "type": ["object", "null"],
            "propertyNames": {"pattern": "^[a-z]+$"},
            "additionalProperties": schema_of(Item),
            "minProperties": 1,
            "maxProperties": 2,
        },
    ),
]


@pytest.mark.parametrize(("field", "schema"), SCHEMAS)
def test_a_container_is_published_with_what_is_in_it(
    field: Field[Any, Any], schema: dict[str, Any]
) -> None:
    assert property_of(field) == schema


ACCEPTED: list[tuple[Field[Any, Any], Any, Any]] = [
    (Array(String()), [], []),
    (Array(Double()), [1, 2.5], [1.0, 2.5]),
    (Array(Integer(nullable=True)), [1, None, 2.0], [1, None, 2]),
    (Array(Date()), ["2026-07-28"], [datetime.date(2026, 7, 28)]),
    (Array(Item), [{"sku": "A"}], [Item(sku="A")]),
    (Array(Item), [{"id": "A", "count": 2}], [Item(sku="A", count=2)]),
    (Array(Array(Enum(Size))), [["SMALL"], []], [[Size.SMALL], []]),
    (Array(Integer(), unique=True), [1, 2], [1, 2]),
    (Array(Json(), unique=True), [1, True, "1", [1], [True]], [1, True, "1", [1], [True]]),
    (Tuple(String(), Double()), ["a", 1], ("a", 1.0)),
    (Tuple(Item), [{"sku": "A"}], (Item(sku="A"),)),
    (Tuple(Tuple(Integer()), Date()), [[1], "2026-07-28"], ((1,), datetime.date(2026, 7, 28))),
    (Map(Double()), {}, {}),
    (Map(Double()), {"a": 1, "": 2}, {"a": 1.0, "": 2.0}),
    (Map(Item), {"a": {"sku": "A"}}, {"a": Item(sku="A")}),
    (Map(Map(Enum(Size))), {"a": {"b": "LARGE"}}, {"a": {"b": Size.LARGE}}),
    (Map(Integer(), key_pattern="^[a-z]$"), {"a": 1}, {"a": 1}),
]


@pytest.mark.parametrize(("field", "json", "value"), ACCEPTED)
def test_a_container_takes_what_its_fields_take(
    field: Field[Any, Any], json: Any, value: Any
) -> None:
    found = accepted(field, json)
    assert repr(found) == repr(value)
    assert found == value


REFUSED: list[tuple[Field[Any, Any], Any, str]] = [
    (Array(String()), "a", 'x: expected array, got string "a"'),
    (Array(String()), {"0": "a"}, 'x: expected array, got object {"0":"a"}'),
    (Array(String()), None, "x: expected array, got null"),
    (Array(String()), ["a", 1], "x[1]: expected string, got number 1"),
    (
        Array(String()),
        ["a", None, 2],
        "x[1]: expected string, got null\nx[2]: expected string, got number 2",
    ),
    (Array(String(), min_items=2), ["a"], 'x: expected at least 2 items, got array ["a"]'),
    (Array(String(), max_items=1), ["a", "b"], 'x: expected at most 1 item, got array ["a","b"]'),
    (
        Array(Integer(), unique=True),
        [1, 2, 1.0],
        "x: expected items that all differ, got array [1,2,1.0]",
    ),
    (Array(Array(Integer())), [[1], [2, "3"]], 'x[1][1]: expected integer, got string "3"'),
    (
        Array(Item),
        [{"sku": "a"}],
        'x[0].sku: expected a match of the pattern ^[A-Z]+$, got string "a"',
    ),
    (Array(Item), [{"sku": "A"}, 3], "x[1]: expected object, got number 3"),
    (
        Array(Item),
        [{"sku": "A", "cuont": 2, "count": 0}],
        "x[0].count: expected at least 1, got number 0\n"
        'ignored unknown key: "x[0].cuont" (did you mean "count"?)',
    ),
    (Array(Item), [{"id": "A", "count": 0}], "x[0].count: expected at least 1, got number 0"),
    (
        Array(Item),
        [{"id": "A", "sku": "A"}],
        'x[0].sku: given twice, also under an alias; send only "sku"',
    ),
    (Tuple(String(), Integer()), ["a"], 'x: expected at least 2 items, got array ["a"]'),
    (Tuple(String(), Integer()), ["a", 1, 2], 'x: expected at most 2 items, got array ["a",1,2]'),
    (
        Tuple(String(), Integer()),
        [1, "a"],
        'x[0]: expected string, got number 1\nx[1]: expected integer, got string "a"',
    ),
    (Map(Integer()), [1], "x: expected object, got array [1]"),
    (Map(Integer()), {"a": "1"}, 'x.a: expected integer, got string "1"'),
    (Map(Integer()), {"a.b": "1"}, 'x["a.b"]: expected integer, got string "1"'),
    (Map(Integer(), min_items=1), {}, "x: expected at least 1 key, got object {}"),
    (
        Map(Integer(), max_items=1),
        {"a": 1, "b": 2},
        'x: expected at most 1 key, got object {"a":1,"b":2}',
    ),
    (
        Map(Integer(), key_pattern="^[a-z]$"),
        {"A": 1},
        'x.A: expected a match of the pattern ^[a-z]$, got string "A"',
    ),
    (
        Map(Item),
        {"a": {"sku": "A", "quantity": 3}, "b": {}},
        'x.b.sku: missing; expected string\nignored unknown key: "x.a.quantity"',
    ),
]


@pytest.mark.parametrize(("field", "json", "message"), REFUSED)
def test_what_is_within_is_refused_with_its_path(
    field: Field[Any, Any], json: Any, message: str
) -> None:
    assert refusal(lambda: accepted(field, json)) == message


REFUSED_FROM_PYTHON: list[tuple[Field[Any, Any], Any, str]] = [
    (Array(String()), "abc", 'x: expected a list, got string "abc"'),
    (Array(String()), {"a"}, "x: expected a list, got a Python set"),
    (Array(String()), {"a": 1}, 'x: expected a list, got object {"a":1}'),
    (Array(String()), [1], "x[0]: expected string, got number 1"),
    (Array(Date()), ["2026-07-28"], 'x: expected a datetime.date, got array ["2026-07-28"]'),
    (Array(Item), [{"sku": "A"}], 'x: expected an instance of Item, got array [{"sku":"A"}]'),
    (Tuple(String()), (1,), "x[0]: expected string, got number 1"),
    (Tuple(String()), ("a", "b"), "x: expected a tuple of 1, got a Python tuple"),
    (Tuple(String()), "a", 'x: expected a tuple of 1, got string "a"'),
    (Map(Integer()), [("a", 1)], "x: expected a dict, got a Python list"),
    (Map(Integer()), {"a": "b"}, 'x.a: expected integer, got string "b"'),
]


@pytest.mark.parametrize(("field", "value", "message"), REFUSED_FROM_PYTHON)
def test_an_attribute_takes_a_container_of_python_values(
    field: Field[Any, Any], value: Any, message: str
) -> None:
    cls = holder(x=field)
    found = refusal(lambda: cls(x=value))
    if message.endswith("got a Python list"):
        message = message.replace("a Python list", 'array [["a",1]]')
    assert found == message


MISTAKES: list[tuple[Any, str]] = [
    (lambda: Array(int), "expected a field or an args class, got <class 'int'>; write Integer()"),
    (lambda: Map("x"), "expected a field or an args class, got 'x'"),  # type: ignore[call-overload]
    (lambda: Array(String), "expected a field, got the class String; write String()"),
    (
        lambda: Array(String(required=False)),
        "a field within another cannot be optional or have a default",
    ),
    (
        lambda: Array(String(default="a")),
        "a field within another cannot be optional or have a default",
    ),
    (lambda: Tuple(), "Tuple takes at least one field"),
    (
        lambda: Array(String(), default="abc"),
        'Args.x: the default is rejected by its own field: expected a list, got string "abc"',
    ),
    (
        lambda: Array(String(), min_items=1, default=[]),
        "Args.x: the default is rejected by its own field: expected at least 1 item, got array []",
    ),
    (
        lambda: Array(Item, examples=[[{"sku": "a"}]]),
        "Args.x: an example is rejected by its own field: "
        'expected a match of the pattern ^[A-Z]+$, got string "a"',
    ),
    (lambda: Array(String(), min_items=-1), 'Args.x: "minItems" at /minItems must be a count'),
    (
        lambda: Map(Integer(), key_pattern="["),
        'Args.x: "pattern" at /propertyNames/pattern must be a regular expression of ECMA-262',
    ),
]


@pytest.mark.parametrize(("make", "message"), MISTAKES)
def test_a_container_that_cannot_hold_is_an_error_where_it_is_defined(
    make: Any, message: str
) -> None:
    found = schema_refusal(lambda: holder(x=make()))
    assert found.startswith(message.removesuffix(" a count"))


def test_a_list_is_copied_and_instances_in_it_are_kept() -> None:
    cls = holder(x=Array(Item), y=Map(Item), z=Tuple(Item, Array(Item)))
    item = Item(sku="A")
    items, by_name = [item], {"a": item}
    made = cls(x=items, y=by_name, z=(item, [item]))
    assert made.x is not items
    assert made.y is not by_name
    assert all(found is item for found in (made.x[0], made.y["a"], made.z[0], made.z[1][0]))
    made.x = items
    assert made.x is not items
    assert made.x[0] is item


def test_a_default_that_can_be_changed_is_copied_for_each_instance() -> None:
    default = [Item(sku="A")]
    cls = holder(x=Array(Item, default=default))
    made, structured = cls(), structure({}, cls)
    made.x.append(Item(sku="B"))
    structured.x[0].count = 5
    default.clear()
    assert cls().x == structure({}, cls).x == [Item(sku="A")]
    assert schema_of(cls)["properties"]["x"]["default"] == [{"sku": "A", "count": 1}]


def test_an_array_may_be_given_as_any_sequence_and_a_tuple_as_a_list() -> None:
    cls = holder(x=Array(String()), y=Tuple(String()))
    made = cls(x=("a",), y=["b"])
    assert made.x == ["a"]
    assert made.y == ("b",)


def test_a_container_that_was_replaced_by_one_of_another_kind_goes_out_as_json() -> None:
    cls = holder(x=Array(String()), y=Map(Integer()), z=Array(Array(Double())))
    made = cls(x=[], y={}, z=[])
    vars(made).update(
        x=("a", "b"), y=types.MappingProxyType({"b": 1}), z=[(1.5,), collections.deque([2.5])]
    )
    for out in (unstructure, compile_unstructure(cls)):
        assert out(made) == {"x": ["a", "b"], "y": {"b": 1}, "z": [[1.5], [2.5]]}
    vars(made)["x"] = "ab"
    for out in (unstructure, compile_unstructure(cls)):
        with pytest.raises(ValueError, match="expected a list"):
            out(made)


def test_what_unstructure_gives_is_ones_own() -> None:
    cls = holder(x=Array(String()), y=Map(Integer()))
    made = cls(x=["a"], y={"b": 1})
    for unstructured in (unstructure, compile_unstructure(cls)):
        out = unstructured(made)
        out["x"].append("c")
        out["y"]["c"] = 2
        assert made == cls(x=["a"], y={"b": 1})


class Sealed(MCPArgs):
    """Its constructor puts the last hand to what it holds."""

    lines = Array(String())
    counts = Map(Integer())
    more = Json()

    def __attrs_post_init__(self) -> None:
        self.lines.append("end")
        self.counts["lines"] = len(self.lines)
        self.more["sealed"] = True


def test_to_give_an_instance_runs_nothing_on_it_nor_on_what_is_given() -> None:
    made = Sealed(lines=["a"], counts={}, more={})
    expected = {"lines": ["a", "end"], "counts": {"lines": 2}, "more": {"sealed": True}}
    for _ in range(2):
        assert compile_unstructure(Sealed)(made) == unstructure(made) == expected


@pytest.mark.parametrize("key", [1, None, 1.5, b"b", ("b",)])
def test_the_keys_of_a_map_are_str(key: Any) -> None:
    cls = holder(x=Map(Integer()))
    assert refusal(lambda: cls(x={key: 1})).startswith("x: expected a dict with str keys, got ")
    made = cls(x={})
    made.x[key] = 1
    for out in (unstructure, compile_unstructure(cls)):
        with pytest.raises(ValueError, match="expected a dict with str keys"):
            out(made)


def test_a_container_of_ones_own_goes_out_in_its_own_way() -> None:
    class Sorted(Array[list[str], Never]):
        def unstructure(self, value: Any, /) -> list[Any]:
            return sorted(value)

    cls = holder(x=Sorted(String()))
    for out in (unstructure, compile_unstructure(cls)):
        assert out(cls(x=["b", "a"])) == {"x": ["a", "b"]}
