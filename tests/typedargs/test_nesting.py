"""Classes within classes, alternatives, constants, and classes that hold themselves."""

import copy
import pickle
from typing import Any

import attrs
import jsonschema_rs
import pytest

from tests.typedargs import recursive
from tests.typedargs.helpers import accepted, class_of, holder, property_of, refusal, schema_refusal
from tests.typedargs.recursive import Person, Team
from typedargs import (
    Array,
    AtLeastOneOf,
    Const,
    Date,
    Double,
    Field,
    Integer,
    Map,
    MCPArgs,
    Nested,
    OneOf,
    String,
    Tuple,
    check_schema,
    compile_schema,
    schema_of,
    structure,
    unstructure,
)


class Address(MCPArgs):
    """Where to."""

    city = String(aliases=("town",))
    zip = String(required=False, pattern="^[0-9]{5}$", name="zip-code")
    lat = Double(required=False)
    lon = Double(required=False)


class Strict(MCPArgs, extra="forbid"):
    city = String()
    zip = String(required=False)


class Contact(MCPArgs):
    mail = String(required=False)
    phone = String(required=False)
    reachable = AtLeastOneOf(mail, phone)


class Circle(MCPArgs):
    kind = Const("circle")
    radius = Double(minimum=0)


class Square(MCPArgs):
    kind = Const("square")
    side = Double()
    color = String()
    label = String()


class Order(MCPArgs):
    to = Nested(Address)
    back = Nested(Address, required=False, description="For returns")
    strict = Nested(Strict, required=False)
    contact = Nested(Contact, nullable=True, default=None)
    shape = OneOf(Circle, Square, tag="kind", required=False)
    either = OneOf(Integer(), Address, String(max_length=3), required=False)


TO = {"to": {"city": "Rome"}}


def test_a_class_within_another_is_published_in_place() -> None:
    assert property_of(Nested(Address)) == schema_of(Address)
    assert property_of(Nested(Address, description="For returns", nullable=True)) == {
        **schema_of(Address),
        "type": ["object", "null"],
        "description": "For returns",
    }
    assert property_of(Nested(Strict))["additionalProperties"] is False
    assert "$defs" not in schema_of(Order)


def test_alternatives_are_published_lean() -> None:
    assert property_of(OneOf(Integer(), Date())) == {
        "anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}]
    }
    assert property_of(OneOf(Integer(), Date(), nullable=True)) == {
        "anyOf": [{"type": "integer"}, {"type": "string", "format": "date"}, {"type": "null"}]
    }
    assert property_of(OneOf(Circle, Square, tag="kind", title="Shape")) == {
        "title": "Shape",
        "oneOf": [schema_of(Circle), schema_of(Square)],
    }
    assert property_of(Const("circle")) == {"const": "circle"}
    assert property_of(Const("circle", nullable=True)) == {"enum": ["circle", None]}


REFUSED: list[tuple[Any, str]] = [
    ({}, "to: missing; expected object"),
    ({"to": None}, "to: expected object, got null"),
    ({"to": "Rome"}, 'to: expected object, got string "Rome"'),
    ({"to": {}}, "to.city: missing; expected string"),
    (
        {"to": {"city": 1, "zip-code": "x"}},
        "to.city: expected string, got number 1\n"
        'to.zip-code: expected a match of the pattern ^[0-9]{5}$, got string "x"',
    ),
    (
        {"to": {"town": 5}},
        "to.city: expected string, got number 5",
    ),
    (
        {"to": {"town": "Rome", "city": "Rome"}},
        'to.city: given twice, also under an alias; send only "city"',
    ),
    (
        {"to": {"ctiy": "Rome", "zipcode": "12345"}},
        "to.city: missing; expected string\n"
        'ignored unknown keys: "to.ctiy" (did you mean "city"?), '
        '"to.zipcode" (did you mean "zip-code"?)',
    ),
    (
        {**TO, "back": None},
        "back: expected object, got null; leave the key out instead",
    ),
    (
        {**TO, "strict": {"city": "Rome", "zipp": "1"}},
        'strict.zipp: unknown key; expected one of the keys "city", "zip" (did you mean "zip"?)',
    ),
    (
        {**TO, "contact": {}},
        "contact: expected at least one of mail, phone, got none",
    ),
    ({**TO, "contact": 3}, "contact: expected object or null, got number 3"),
    (
        {**TO, "shape": {"kind": "tri"}},
        'shape.kind: expected one of "circle", "square", got string "tri"',
    ),
    (
        {**TO, "shape": {"kind": "squar", "side": 1}},
        'shape.kind: expected one of "circle", "square", got string "squar" '
        '(did you mean "square"?)',
    ),
    ({**TO, "shape": {"kind": 1}}, 'shape.kind: expected one of "circle", "square", got number 1'),
    ({**TO, "shape": {}}, 'shape.kind: missing; expected one of "circle", "square"'),
    ({**TO, "shape": {"radius": 1}}, 'shape.kind: missing; expected one of "circle", "square"'),
    ({**TO, "shape": {"kind": "circle"}}, "shape.radius: missing; expected number"),
    (
        {**TO, "shape": {"kind": "square", "radius": 1}},
        "shape.side: missing; expected number\n"
        "shape.color: missing; expected string\n"
        "shape.label: missing; expected string",
    ),
    ({**TO, "shape": "circle"}, 'shape: expected object, got string "circle"'),
    (
        {**TO, "either": 1.5},
        "either: expected integer or object or string, got number 1.5",
    ),
    ({**TO, "either": {"city": 1}}, "either.city: expected string, got number 1"),
    ({**TO, "either": "long"}, 'either: expected at most 3 characters, got string "long"'),
]


@pytest.mark.parametrize(("json", "message"), REFUSED)
def test_a_fault_within_is_told_with_its_path(json: Any, message: str) -> None:
    assert refusal(lambda: structure(json, Order)) == message


@pytest.mark.parametrize(
    ("field", "json", "message"),
    [
        (OneOf(Integer(minimum=5), String()), 3, "x: expected at least 5, got number 3"),
        (
            OneOf(Date(), Integer(), String(max_length=3)),
            "today",
            'x: expected a date such as 2026-07-28 or at most 3 characters, got string "today"',
        ),
        (
            OneOf(OneOf(Circle, Square, tag="kind"), Integer()),
            "round",
            'x: expected object or integer, got string "round"',
        ),
        (
            OneOf(OneOf(Circle, Square, tag="kind"), Integer()),
            {"kind": "tri"},
            'x.kind: expected one of "circle", "square", got string "tri"',
        ),
        (
            OneOf(Array(Integer()), Map(Integer())),
            [1, "2"],
            'x[1]: expected integer, got string "2"',
        ),
        (
            OneOf(Array(Integer()), Map(Integer())),
            "2",
            'x: expected array or object, got string "2"',
        ),
    ],
)
def test_of_the_alternatives_the_nearest_are_told(
    field: Field[Any, Any], json: Any, message: str
) -> None:
    assert refusal(lambda: accepted(field, json)) == message


def test_a_call_gives_instances_all_the_way_down() -> None:
    args = structure(
        {
            "to": {"town": "Rome", "zip-code": "12345"},
            "strict": {"city": "Oslo"},
            "contact": {"mail": "a@b.c"},
            "shape": {"kind": "circle", "radius": 1},
            "either": {"city": "Bern"},
        },
        Order,
    )
    assert args == Order(
        to=Address(city="Rome", zip="12345"),
        strict=Strict(city="Oslo"),
        contact=Contact(mail="a@b.c"),
        shape=Circle(radius=1.0),
        either=Address(city="Bern"),
    )
    assert isinstance(args.shape, Circle)
    assert unstructure(args) == {
        "to": {"city": "Rome", "zip-code": "12345"},
        "strict": {"city": "Oslo"},
        "contact": {"mail": "a@b.c"},
        "shape": {"kind": "circle", "radius": 1.0},
        "either": {"city": "Bern"},
    }
    assert structure(unstructure(args), Order) == args
    assert copy.deepcopy(args) == pickle.loads(pickle.dumps(args)) == args
    assert attrs.evolve(args, either=5).either == 5  # type: ignore[misc]
    assert attrs.asdict(args)["shape"] == {"kind": "circle", "radius": 1.0}


@pytest.mark.parametrize(("json", "value"), [(3, 3), (3.0, 3), ("abc", "abc")])
def test_the_first_alternative_that_takes_a_value_gives_it(json: Any, value: Any) -> None:
    found = structure({**TO, "either": json}, Order).either
    assert (found, type(found)) == (value, type(value))


def test_an_instance_that_is_set_is_the_instance_that_is_read() -> None:
    to = Address(city="Rome")
    order = Order(to=to, either=to)
    assert order.to is to
    assert order.either is to
    other = Address(city="Oslo")
    order.back = other
    assert order.back is other
    to.city = "Bern"
    assert unstructure(order)["to"] == {"city": "Bern"}


class Parcel(Address):
    weight = Double(default=1)


def test_an_instance_of_a_subclass_may_stand_for_its_base() -> None:
    order = Order(to=Parcel(city="Rome", weight=2.5))
    assert unstructure(order) == {"to": {"city": "Rome", "weight": 2.5}}


REFUSED_FROM_PYTHON: list[tuple[dict[str, Any], str]] = [
    ({"to": {"city": "Rome"}}, 'to: expected an instance of Address, got object {"city":"Rome"}'),
    ({"to": Strict(city="Rome")}, "to: expected an instance of Address, got a Python Strict"),
    ({"to": None}, "to: expected object, got null"),
    (
        {"shape": Strict(city="x")},
        "shape: expected a value that one of the alternatives takes, got a Python Strict",
    ),
    (
        {"either": 1.5},
        "either: expected a value that one of the alternatives takes, got number 1.5",
    ),
]


@pytest.mark.parametrize(("values", "message"), REFUSED_FROM_PYTHON)
def test_an_attribute_takes_instances(values: dict[str, Any], message: str) -> None:
    given = {"to": Address(city="Rome")} | values
    assert refusal(lambda: Order(**given)) == message
    order = Order(to=Address(city="Rome"))
    ((name, value),) = values.items()
    assert refusal(lambda: setattr(order, name, value)) == message


def test_a_constant_need_not_be_given_to_the_constructor_but_on_the_wire() -> None:
    assert Circle(radius=1) == Circle(kind="circle", radius=1)
    assert refusal(lambda: Circle(kind="square", radius=1)) == (
        'kind: expected "circle", got string "square"'
    )
    assert refusal(lambda: structure({"radius": 1}, Circle)) == 'kind: missing; expected "circle"'
    assert schema_of(Circle)["required"] == ["kind", "radius"]


@pytest.mark.parametrize("constant", ["a", 3, 2.5, True, None, ["a"], {"a": [1]}])
def test_a_constant_may_be_any_json(constant: Any) -> None:
    cls = holder(x=Const(constant))
    assert structure({"x": constant}, cls) == cls(x=constant)
    assert cls().x == constant
    assert cls().x is not constant or not isinstance(constant, list | dict)
    assert unstructure(cls()) == {"x": constant}
    assert refusal(lambda: structure({"x": "other"}, cls)).startswith("x: expected ")


def test_a_default_instance_is_copied_for_each_instance() -> None:
    cls = holder(x=Nested(Address, default=Address(city="Rome")))
    assert schema_of(cls)["properties"]["x"]["default"] == {"city": "Rome"}
    first, second = cls(), structure({}, cls)
    first.x.city = second.x.city = "Oslo"
    assert cls().x == structure({}, cls).x == Address(city="Rome")


# Classes that hold themselves.


class Node(MCPArgs):
    value = Integer()
    children = Array(Nested(lambda: Node), default=[])
    named = Map(Nested("Node"), required=False)
    pair = Tuple(Integer(), Nested("Node"), required=False)
    other = OneOf(Integer(), Nested("Node"), nullable=True, default=None)


TREE = {
    "value": 1,
    "children": [{"value": 2, "children": []}],
    "named": {"a": {"value": 3, "children": []}},
    "pair": [4, {"value": 5, "children": []}],
    "other": {"value": 6, "children": [], "other": 7},
}


def test_a_class_that_holds_itself_is_published_with_definitions_under_an_object() -> None:
    schema = schema_of(Node)
    assert list(schema) == ["type", "properties", "required", "$defs"]
    assert schema["type"] == "object"
    assert schema["properties"]["children"] == {
        "type": "array",
        "items": {"$ref": "#/$defs/Node"},
        "default": [],
    }
    assert schema["properties"]["other"] == {
        "anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Node"}, {"type": "null"}],
        "default": None,
    }
    assert schema["$defs"] == {
        "Node": {name: schema[name] for name in ("type", "properties", "required")}
    }
    check_schema(schema)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(TREE)
    assert compile_schema(schema)(TREE) == TREE | {
        "other": {"value": 6, "children": [], "other": 7},
        "children": [{"value": 2, "children": [], "other": None}],
        "named": {"a": {"value": 3, "children": [], "other": None}},
        "pair": [4, {"value": 5, "children": [], "other": None}],
    }


def test_a_tree_comes_in_and_goes_out() -> None:
    tree = structure(TREE, Node)
    assert tree == Node(
        value=1,
        children=[Node(value=2)],
        named={"a": Node(value=3)},
        pair=(4, Node(value=5)),
        other=Node(value=6, other=7),
    )
    assert unstructure(tree) == TREE
    assert unstructure(structure(unstructure(tree), Node)) == TREE


@pytest.mark.parametrize(
    ("json", "message"),
    [
        ({"value": 1, "children": [{}]}, "children[0].value: missing; expected integer"),
        (
            {"value": 1, "children": [{"value": 1, "children": [{"value": "2"}]}]},
            'children[0].children[0].value: expected integer, got string "2"',
        ),
        (
            {"value": 1, "named": {"a": {"valu": 1}}},
            "named.a.value: missing; expected integer\n"
            'ignored unknown key: "named.a.valu" (did you mean "value"?)',
        ),
        ({"value": 1, "pair": [1, {}]}, "pair[1].value: missing; expected integer"),
        ({"value": 1, "other": {"value": "1"}}, 'other.value: expected integer, got string "1"'),
        ({"value": 1, "other": "1"}, 'other: expected integer or object or null, got string "1"'),
    ],
)
def test_a_fault_in_a_tree_is_told_with_its_path(json: Any, message: str) -> None:
    assert refusal(lambda: structure(json, Node)) == message


def test_a_tree_that_is_too_deep_is_refused() -> None:
    tree: Any = {"value": 1}
    for _ in range(50_000):
        tree = {"value": 1, "children": [tree]}
    assert refusal(lambda: structure(tree, Node)) == "expected a value that is not nested as deeply"
    while "children" in tree:  # or it would be freed by recursion
        tree = tree["children"][0]


def test_classes_may_hold_each_other() -> None:
    json = {"name": "Ada", "team": {"members": [{"name": "Bob"}], "size": 2}}
    person = structure(json, Person)
    assert person.team == Team(members=[Person(name="Bob")], size=2)
    assert unstructure(person) == json
    assert list(schema_of(Person)["$defs"]) == ["Person", "Team"]
    assert list(schema_of(Team)["$defs"]) == ["Person", "Team"]
    assert schema_of(Team)["type"] == "object"
    assert refusal(lambda: structure({"by_role": {"lead": {"name": 1}}}, Team)) == (
        "by_role.lead.name: expected string, got number 1"
    )


def test_a_name_is_looked_up_where_the_field_is_declared() -> None:
    """And not in the module of a subclass, or of the class around it."""

    class Boss(Person):
        budget = Integer(default=0)

    boss = structure({"name": "Ada", "boss": {"name": "Bob"}}, Boss)
    assert boss.boss == Person(name="Bob")
    around = holder(boss=Nested(Boss))
    assert structure({"boss": {"name": "Ada", "team": {}}}, around).boss.team == Team()


def test_two_classes_of_one_name_are_told_apart() -> None:
    other: Any = class_of({"street": String(), "next": Nested(lambda: other)}, name="Address")
    cls = holder(a=Nested(recursive.Address), b=Nested(lambda: other, required=False))
    schema = schema_of(cls)
    assert list(schema["$defs"]) == ["Address", "Address_2"]
    assert schema["properties"]["a"] == {"$ref": "#/$defs/Address"}
    assert schema["properties"]["b"] == {"$ref": "#/$defs/Address_2"}
    assert "city" in schema["$defs"]["Address"]["properties"]
    assert "street" in schema["$defs"]["Address_2"]["properties"]


def test_a_description_beside_a_reference_stays() -> None:
    cls = holder(a=Nested(recursive.Address, description="Home", nullable=True))
    assert schema_of(cls)["properties"]["a"] == {
        "description": "Home",
        "anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}],
    }
    assert structure({"a": None}, cls).a is None


class Group(MCPArgs):
    kind = Const("group")
    parts = Array(OneOf(Nested("Group"), Nested("Leaf"), tag="kind"))


class Leaf(MCPArgs):
    kind = Const("leaf")
    text = String()


def test_alternatives_with_a_tag_may_hold_themselves() -> None:
    json = {
        "kind": "group",
        "parts": [{"kind": "leaf", "text": "a"}, {"kind": "group", "parts": []}],
    }
    group = structure(json, Group)
    assert group == Group(parts=[Leaf(text="a"), Group(parts=[])])
    assert unstructure(group) == json
    assert jsonschema_rs.Draft202012Validator(schema_of(Group)).is_valid(json)
    bad = {"kind": "group", "parts": [{"kind": "group", "parts": [{"kind": "leav"}]}]}
    assert refusal(lambda: structure(bad, Group)) == (
        'parts[0].parts[0].kind: expected one of "group", "leaf", got string "leav" '
        '(did you mean "leaf"?)'
    )


MISTAKES: list[tuple[Any, str]] = [
    (lambda: Nested(int), "Args.x: Nested needs an args class, got <class 'int'>"),
    (
        lambda: Nested("Nope"),
        "Nested('Nope'): the module tests.typedargs.helpers has no such class; "
        "write Nested(lambda: Nope)",
    ),
    (lambda: Nested(lambda: int), "Nested needs an args class, got <class 'int'>"),
    (lambda: OneOf(String()), "OneOf takes at least two fields or classes"),
    (
        lambda: OneOf(Circle, Address, tag="kind"),
        "Args.x: with tag='kind' each alternative must be a class with a required Const field "
        "kind; Address is not",
    ),
    (
        lambda: OneOf(String(), Integer(), tag="kind"),
        "Args.x: with tag='kind' each alternative must be a class with a required Const field "
        "kind; <String field> is not",
    ),
    (
        lambda: OneOf(Circle, holder(kind=Const("circle")), tag="kind"),
        'Args.x: two alternatives have the kind "circle"',
    ),
    (
        lambda: Const("a", default="b"),
        'Args.x: the default is rejected by its own field: expected "a", got string "b"',
    ),
    (lambda: Const(object()), "Args.x: the schema cannot be written as JSON: a Python object at "),
    (
        lambda: Array(Nested(lambda: Node), default=[1]),
        "Args.x: the default is rejected by its own field: expected an instance of Node, "
        "got array [1]",
    ),
    (
        lambda: Nested(lambda: Node, examples=[{}]),
        "Args.x: an example is rejected by its own field: missing; expected integer",
    ),
]


@pytest.mark.parametrize(("make", "message"), MISTAKES)
def test_a_class_within_that_cannot_hold_is_an_error_that_names_it(make: Any, message: str) -> None:
    """Where it is defined; or, for a class that need not be defined yet, where it is first used."""
    assert schema_refusal(lambda: schema_of(holder(x=make()))).startswith(message)


def test_a_default_of_a_class_to_come_is_copied_and_held_as_its_field_holds_it() -> None:
    default = [Node(value=1)]
    cls = holder(x=Array(Nested(lambda: Node), default=tuple(default)))
    assert structure({}, cls).x == default
    default.clear()
    assert cls().x == [Node(value=1)]
