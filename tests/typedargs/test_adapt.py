"""Classes that users already have: their schemas, their instances, their refusals."""

import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
)

import attrs
import msgspec
import pydantic
import pytest
from annotated_types import Ge, Len

from tests.typedargs import later
from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import (
    Array,
    Field,
    MCPArgs,
    Nested,
    String,
    check_schema,
    compile_schema,
    is_args_class,
    schema_of,
    structure,
    unstructure,
)


class Color(enum.Enum):
    RED = 1
    GREEN = 2


UserId = NewType("UserId", int)


def published(annotation: Any, **default: Any) -> Any:
    """Return what a dataclass with an attribute of `annotation` publishes for it."""
    field = dataclasses.field(**default)
    cls = dataclasses.make_dataclass("Data", [("x", annotation, field)])
    schema = schema_of(cls)
    check_schema(schema)
    return schema["properties"]["x"]


INTEGER = {"type": "integer"}

ANNOTATIONS: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, INTEGER),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (decimal.Decimal, {"type": ["string", "number"]}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (pathlib.Path, {"type": "string", "minLength": 1}),
    (Any, {}),
    (object, {}),
    (Color, {"type": "string", "enum": ["RED", "GREEN"]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, "a"], {"enum": [1, "a"]}),
    (Literal[1, "a"] | None, {"enum": [1, "a", None]}),
    (Literal["a"], {"const": "a"}),
    (int | None, {"type": ["integer", "null"]}),
    (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045
    (int | str, {"anyOf": [INTEGER, {"type": "string"}]}),
    (float | int, {"anyOf": [INTEGER, {"type": "number"}]}),
    (int | str | None, {"anyOf": [INTEGER, {"type": "string"}, {"type": "null"}]}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": INTEGER}),
    (Sequence[int], {"type": "array", "items": INTEGER}),
    (Iterable[int], {"type": "array", "items": INTEGER}),
    (collections.deque[int], {"type": "array", "items": INTEGER}),
    (tuple[int, ...], {"type": "array", "items": INTEGER}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [INTEGER, {"type": "string"}], "minItems": 2},
    ),
    (set[int], {"type": "array", "items": INTEGER, "uniqueItems": True}),
    (frozenset[int], {"type": "array", "items": INTEGER, "uniqueItems": True}),
    (AbstractSet[int], {"type": "array", "items": INTEGER, "uniqueItems": True}),
    (dict, {"type": "object", "additionalProperties": True}),
    (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
    (Mapping[str, Any], {"type": "object", "additionalProperties": True}),
    (UserId, INTEGER),
    (Final[int], INTEGER),
    (Annotated[int, "How many"], {**INTEGER, "description": "How many"}),
    (Annotated[int, Ge(3)], {**INTEGER, "minimum": 3}),
    (Annotated[list[int], Len(1, 3)], {"type": "array", "items": INTEGER, "minItems": 1}),
    (Annotated[int, pydantic.Field(gt=3, description="D")], {**INTEGER, "exclusiveMinimum": 3}),
    (Annotated[int, msgspec.Meta(le=3, title="T")], {**INTEGER, "maximum": 3, "title": "T"}),
    (Annotated[str, msgspec.Meta(pattern="^a")], {"type": "string", "pattern": "^a"}),
    (Annotated[str, String(format="date")], {"type": "string", "format": "date"}),
    (Annotated[str | None, Len(1)], {"type": ["string", "null"], "minLength": 1}),
    (list[Annotated[int, Ge(0)]], {"type": "array", "items": {**INTEGER, "minimum": 0}}),
]


@pytest.mark.parametrize(("annotation", "schema"), ANNOTATIONS)
def test_an_annotation_becomes_the_field_of_its_values(
    annotation: Any, schema: dict[str, Any]
) -> None:
    found = published(annotation)
    assert {name: found[name] for name in schema} == schema
    assert "title" not in found or "title" in schema


UNFIT: list[tuple[Any, str]] = [
    (complex, "there is no field for <class 'complex'>"),
    (Callable[[], int], "there is no field for collections.abc.Callable[[], int]"),
    (int | type[int], "there is no field for type[int]"),
    (TypeVar("T"), "there is no field for ~T"),
    (list[complex], "there is no field for <class 'complex'>"),
    (bytearray, "there is no field for <class 'bytearray'>"),
    (collections.Counter[str], "there is no field for collections.Counter[str]"),
    (None, "there is no field for <class 'NoneType'>"),
    (dict[int, str], "the keys of dict[int, str] must be str, as those of JSON are"),
    (enum.Enum, "Enum has no members"),
    (Annotated[bool, Ge(3)], "Boolean has no option minimum"),
    (Annotated[decimal.Decimal, Ge(3)], "Decimal has no option minimum"),
    (Annotated[str, msgspec.Meta(pattern="\\A")], '"pattern" at /pattern must be a regular'),
    (Literal[b"a"], "the schema cannot be written as JSON: a Python bytes at "),
]


@pytest.mark.parametrize(("annotation", "message"), UNFIT)
def test_an_annotation_without_a_field_is_an_error_that_names_it(
    annotation: Any, message: str
) -> None:
    found = schema_refusal(lambda: published(annotation))
    assert found.startswith(f"Data.x: {message}")
    if "there is no field" in message:
        assert found.endswith("; annotate it as Annotated[..., a field], or write an MCPArgs class")


def test_an_annotation_that_cannot_be_resolved_says_where_to_define_it() -> None:
    cls = dataclasses.make_dataclass("Data", [("x", "Nowhere")])
    assert schema_refusal(lambda: schema_of(cls)) == (
        "Data: an annotation cannot be resolved: name 'Nowhere' is not defined; "
        "define what it names in the module of the class"
    )


# One class of each kind, all of them of the same form.


@attrs.define
class AttrsOrder:
    """An order."""

    sku: Annotated[str, Len(1, 8)]
    count: int = 1
    tags: list[str] = attrs.field(factory=list)
    note: str | None = None


@dataclasses.dataclass(kw_only=True, slots=True)
class DataOrder:
    """An order."""

    sku: Annotated[str, Len(1, 8)]
    count: int = 1
    tags: list[str] = dataclasses.field(default_factory=list)
    note: str | None = None
    seen: ClassVar[int] = 0


class TupleOrder(NamedTuple):
    """An order."""

    sku: Annotated[str, Len(1, 8)]
    count: int = 1  # type: ignore[assignment]
    tags: list[str] = []
    note: str | None = None


class ModelOrder(pydantic.BaseModel):
    """An order."""

    sku: str = pydantic.Field(min_length=1, max_length=8)
    count: int = 1
    tags: list[str] = []
    note: str | None = None


class StructOrder(msgspec.Struct):
    """An order."""

    sku: Annotated[str, msgspec.Meta(min_length=1, max_length=8)]
    count: int = 1
    tags: list[str] = []
    note: str | None = None


ORDER = {
    "type": "object",
    "description": "An order.",
    "properties": {
        "sku": {"type": "string", "minLength": 1, "maxLength": 8},
        "count": {"type": "integer", "default": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        "note": {"type": "string"},
    },
    "required": ["sku"],
}
KINDS: list[Any] = [AttrsOrder, DataOrder, TupleOrder, ModelOrder, StructOrder]


@pytest.mark.parametrize("cls", KINDS)
def test_every_kind_of_class_comes_to_the_same_lean_schema(cls: Any) -> None:
    assert is_args_class(cls)
    assert schema_of(cls) == ORDER
    assert list(schema_of(cls)["properties"]) == list(ORDER["properties"])


@pytest.mark.parametrize("cls", KINDS)
def test_every_kind_of_class_makes_its_own_instances(cls: Any) -> None:
    order = structure({"sku": "A", "tags": ["x"], "other": 1}, cls)
    assert order == cls(sku="A", tags=["x"])
    assert type(order) is cls
    assert unstructure(order) == {"sku": "A", "count": 1, "tags": ["x"]}
    assert structure(unstructure(order), cls) == order
    assert structure({"sku": "A", "note": "n"}, cls).note == "n"
    assert compile_schema(cls)({"sku": "A"}) == {"sku": "A", "count": 1, "tags": []}


@pytest.mark.parametrize("cls", KINDS)
def test_every_kind_of_class_refuses_in_the_same_words(cls: Any) -> None:
    assert refusal(lambda: structure({"sku": "", "cuont": 3, "tags": [1]}, cls)) == (
        'sku: expected at least 1 character, got string ""\n'
        "tags[0]: expected string, got number 1\n"
        'ignored unknown key: "cuont" (did you mean "count"?)'
    )
    assert refusal(lambda: structure({"sku": "A", "note": None}, cls)) == (
        "note: expected string, got null; leave the key out instead"
    )
    assert refusal(lambda: structure([], cls)) == "expected object, got array []"


@pytest.mark.parametrize(
    "cls",
    [
        later.AttrsNode,
        later.DataNode,
        later.DictNode,
        later.TupleNode,
        later.ModelNode,
        later.StructNode,
    ],
)
def test_every_kind_of_class_may_hold_itself_and_have_its_annotations_as_strings(cls: Any) -> None:
    schema = schema_of(cls)
    check_schema(schema)
    assert schema["type"] == "object"
    assert schema["required"] == ["value"]
    assert schema["properties"]["children"]["items"] == {"$ref": f"#/$defs/{cls.__name__}"}
    json = {"value": 1, "children": [{"value": 2, "children": []}]}
    node = structure(json, cls)
    assert unstructure(node, cls) == json
    assert refusal(lambda: structure({"value": 1, "children": [{"value": "2"}]}, cls)) == (
        'children[0].value: expected integer, got string "2"'
    )


@pytest.mark.parametrize("cls", KINDS)
def test_every_kind_of_class_may_stand_in_an_args_class(cls: Any) -> None:
    class Args(MCPArgs):
        order = Nested(cls)
        more = Array(cls, default=[])

    args = structure({"order": {"sku": "A"}, "more": [{"sku": "B", "count": 2}]}, Args)
    assert args == Args(order=cls(sku="A"), more=[cls(sku="B", count=2)])
    assert unstructure(args)["more"] == [{"sku": "B", "count": 2, "tags": []}]
    order = cls(sku="C")
    args.order = order
    assert args.order is order
    assert refusal(lambda: structure({"order": {"sku": 3}}, Args)) == (
        "order.sku: expected string, got number 3"
    )


# attrs.


def positive(_: object, attribute: Any, value: int) -> None:
    if value <= 0:
        raise ValueError(f"{attribute.name} must be above 0", attribute, value)


@attrs.frozen
class Range:
    low: int = attrs.field(validator=positive)
    high: int = attrs.field(default=attrs.Factory(lambda self: self.low + 1, takes_self=True))
    _step: int = 1
    size: int = attrs.field(init=False, default=0)
    anything: Any = None

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


def test_an_attrs_class_keeps_its_own_ways() -> None:
    assert list(schema_of(Range)["properties"]) == ["low", "high", "_step", "anything"]
    assert schema_of(Range)["required"] == ["low"]
    assert structure({"low": 3, "_step": 2}, Range) == Range(low=3, high=4, step=2)
    assert unstructure(Range(low=3)) == {"low": 3, "high": 4, "_step": 1}


def test_an_attribute_without_an_annotation_takes_anything() -> None:
    cls = attrs.make_class("Data", {"x": attrs.field(type=int), "y": attrs.field(default=None)})
    assert schema_of(cls)["properties"] == {"x": {"type": "integer"}, "y": {}}
    assert unstructure(structure({"x": 1, "y": [2]}, cls)) == {"x": 1, "y": [2]}


def test_what_the_class_refuses_is_an_issue_in_its_own_words() -> None:
    assert refusal(lambda: structure({"low": 0}, Range)) == "low must be above 0"

    class Args(MCPArgs):
        ranges = Array(Range)

    message = refusal(lambda: structure({"ranges": [{"low": 1}, {"low": 5, "high": 1}]}, Args))
    assert message == "ranges[1]: low is above high"


@dataclasses.dataclass
class Silent:
    x: int

    def __post_init__(self) -> None:
        raise ValueError


def test_a_refusal_without_words_names_no_class_of_python() -> None:
    assert refusal(lambda: structure({"x": 1}, Silent)) == "the value is refused"


# Dataclasses.


def test_a_factory_is_published_where_it_makes_the_same_each_time() -> None:
    assert published(list[int], default_factory=list)["default"] == []
    assert "default" not in published(uuid.UUID, default_factory=uuid.uuid4)
    assert "default" not in published(datetime.datetime, default_factory=datetime.datetime.now)
    cls = dataclasses.make_dataclass(
        "Data", [("x", uuid.UUID, dataclasses.field(default_factory=uuid.uuid4))]
    )
    assert "required" not in schema_of(cls)
    assert structure({}, cls).x != structure({}, cls).x


@dataclasses.dataclass(kw_only=True)
class Based(DataOrder):
    price: Annotated[decimal.Decimal, "In euros"]
    sku: str = "none"
    made: str = dataclasses.field(init=False, default="x")
    hint: dataclasses.InitVar[int] = 3


def test_a_dataclass_has_the_fields_of_its_bases_and_those_it_takes() -> None:
    schema = schema_of(Based)
    assert list(schema["properties"]) == ["sku", "count", "tags", "note", "price"]
    assert schema["properties"]["sku"] == {"type": "string", "default": "none"}
    assert schema["properties"]["price"]["description"] == "In euros"
    assert "description" not in schema
    assert structure({"price": 1.5}, Based) == Based(price=decimal.Decimal("1.5"))


def test_an_init_var_that_is_required_is_an_error() -> None:
    @dataclasses.dataclass
    class Data:
        x: int
        seed: dataclasses.InitVar[int]

    assert schema_refusal(lambda: schema_of(Data)) == (
        "Data.seed: an InitVar is no field; give it a default"
    )


@dataclasses.dataclass
class Collections:
    a: set[str] = dataclasses.field(default_factory=set)
    b: frozenset[int] = frozenset({1})
    c: tuple[int, ...] = ()
    d: tuple[int, str] = (1, "a")
    e: collections.deque[Color] = dataclasses.field(default_factory=collections.deque)
    f: Mapping[str, Color] = dataclasses.field(default_factory=dict)
    g: list[set[int]] = dataclasses.field(default_factory=list)


def test_collections_are_what_their_annotations_say() -> None:
    json = {
        "a": ["x"],
        "b": [2],
        "c": [1, 2],
        "d": [2, "b"],
        "e": ["RED"],
        "f": {"k": "GREEN"},
        "g": [[1], []],
    }
    made = structure(json, Collections)
    assert made == Collections(
        a={"x"},
        b=frozenset({2}),
        c=(1, 2),
        d=(2, "b"),
        e=collections.deque([Color.RED]),
        f={"k": Color.GREEN},
        g=[{1}, set()],
    )
    assert unstructure(made) == json
    assert structure({}, Collections) == Collections()
    assert refusal(lambda: structure({"a": ["x", "x"]}, Collections)) == (
        'a: expected items that all differ, got array ["x","x"]'
    )


def test_a_set_of_what_cannot_be_in_a_set_is_refused_in_words() -> None:
    cls = dataclasses.make_dataclass("Data", [("x", set[list[int]])])
    assert refusal(lambda: structure({"x": [[1]]}, cls)) == (
        "x: expected items that Python can hash, got array [[1]]"
    )


def test_a_field_in_an_annotation_has_the_default_of_the_class() -> None:
    field: Field[Any, Any] = String(format="date", description="A day")
    found = published(Annotated[str, field], default="2026-07-28")
    assert found == {
        "type": "string",
        "description": "A day",
        "format": "date",
        "default": "2026-07-28",
    }
    assert field.required
    assert "default" not in published(Annotated[str, field])


def test_a_default_that_does_not_fit_its_annotation_is_an_error() -> None:
    assert schema_refusal(lambda: published(int, default="x")) == (
        'Data.x: the default is rejected by its own field: expected integer, got string "x"'
    )


T = TypeVar("T")


@dataclasses.dataclass
class Box(Generic[T]):
    content: list[Any]


def test_a_generic_class_needs_no_parameters_where_its_fields_have_none() -> None:
    assert structure({"content": [1]}, Box) == Box(content=[1])
    assert schema_refusal(lambda: published(Box[int])).startswith("Data.x: there is no field for ")


# TypedDicts.


class Base(TypedDict, total=False):
    a: Required[int]
    b: str


class Movie(Base):
    c: NotRequired[datetime.date]
    d: Annotated[int, Ge(0)]


def test_a_typed_dict_is_a_dict_of_the_keys_that_were_given() -> None:
    schema = schema_of(Movie)
    assert schema["required"] == ["a", "d"]
    assert schema["properties"]["d"] == {"type": "integer", "minimum": 0}
    movie = structure({"a": 1, "d": 2, "c": "2026-07-28", "x": 1}, Movie)
    assert movie == {"a": 1, "d": 2, "c": datetime.date(2026, 7, 28)}
    assert unstructure(movie, Movie) == {"a": 1, "d": 2, "c": "2026-07-28"}
    assert refusal(lambda: structure({"b": 1, "d": -1}, Movie)) == (
        "a: missing; expected integer\n"
        "b: expected string, got number 1\n"
        "d: expected at least 0, got number -1"
    )
    with pytest.raises(TypeError, match="expected an instance of an args class"):
        unstructure(movie)


def test_a_typed_dict_within_another_class_takes_a_dict() -> None:
    class Args(MCPArgs):
        movie = Nested(Movie)

    args: Any = Args(movie={"a": 1, "d": 2})
    assert unstructure(args) == {"movie": {"a": 1, "d": 2}}
    assert structure({"movie": {"a": 1, "d": 2}}, Args) == args
    assert refusal(lambda: Args(movie={"a": "1", "d": 2})) == (
        'movie.a: expected integer, got string "1"'
    )


# pydantic.


class Line(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", populate_by_name=True)
    sku: str = pydantic.Field(alias="SKU", pattern="^[A-Z]+$", description="What", examples=["A"])
    price: decimal.Decimal = pydantic.Field(default=decimal.Decimal(1), ge=0, max_digits=4)
    mail: pydantic.EmailStr | None = None
    link: pydantic.HttpUrl | None = None
    old: int = pydantic.Field(default=3, validation_alias=pydantic.AliasChoices("old", "older"))

    @pydantic.field_validator("sku")
    @classmethod
    def no_x(cls, value: str) -> str:
        if value == "X":
            raise ValueError("X is sold out")
        return value

    @pydantic.model_validator(mode="after")
    def fits(self) -> "Line":
        if self.price == 13:
            raise AssertionError("13 is unlucky")
        return self


class Invoice(pydantic.BaseModel):
    lines: list[Line]


def test_a_model_is_published_lean_by_its_aliases() -> None:
    schema = schema_of(Line)
    assert list(schema["properties"]) == ["SKU", "price", "mail", "link", "old"]
    assert schema["required"] == ["SKU"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["SKU"] == {
        "type": "string",
        "description": "What",
        "pattern": "^[A-Z]+$",
        "examples": ["A"],
    }
    assert schema["properties"]["mail"] == {"type": "string", "format": "email"}
    assert "title" not in str(schema)


def test_a_model_makes_its_own_values() -> None:
    line = structure({"SKU": "A", "link": "https://a.example", "older": 5}, Line)
    assert line == Line(SKU="A", link=pydantic.HttpUrl("https://a.example"), old=5)
    assert unstructure(line) == {
        "SKU": "A",
        "price": "1",
        "link": "https://a.example/",
        "old": 5,
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"SKU": "a"}, 'SKU: expected a match of the pattern ^[A-Z]+$, got string "a"'),
        ({"SKU": "X"}, 'SKU: X is sold out, got string "X"'),
        ({"SKU": "A", "price": "13"}, ": 13 is unlucky"),
        (
            {"SKU": "A", "price": "-1"},
            "price: Input should be greater than or equal to 0, got a Python Decimal",
        ),
        (
            {"SKU": "A", "price": "1.23456"},
            "price: Decimal input should have no more than 4 digits in total, got a Python Decimal",
        ),
        (
            {"SKU": "A", "sku": "A"},
            'sku: unknown key; expected one of the keys "SKU", "price", "mail", "link", "old" '
            '(did you mean "SKU"?)',
        ),
    ],
)
def test_what_a_model_refuses_is_told_at_its_place(line: Any, message: str) -> None:
    at = "lines[1]" + ("" if message.startswith(":") else ".")
    lines = {"lines": [{"SKU": "A"}, line]}
    assert refusal(lambda: structure(lines, Invoice)) == at + message


@pydantic.dataclasses.dataclass
class PydanticData:
    x: int = pydantic.Field(ge=3)

    @pydantic.field_validator("x")
    @classmethod
    def odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be odd")
        return value


def test_a_dataclass_of_pydantic_is_one_of_its_models() -> None:
    assert schema_of(PydanticData)["properties"] == {"x": {"type": "integer", "minimum": 3}}
    assert structure({"x": 5}, PydanticData) == PydanticData(x=5)
    assert refusal(lambda: structure({"x": 4}, PydanticData)) == "x: must be odd, got number 4"


def test_a_type_of_no_kind_in_a_model_is_an_error() -> None:
    class Model(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        x: TypeError

    assert schema_refusal(lambda: schema_of(Model)).startswith("Model.x: there is no field for ")


# msgspec.


class Circle(msgspec.Struct, tag="circle", rename="camel"):
    outer_radius: float
    color: str | msgspec.UnsetType = msgspec.UNSET


class Square(msgspec.Struct, tag="square", forbid_unknown_fields=True):
    side: float

    def __post_init__(self) -> None:
        if self.side == 13:
            raise ValueError("13 is unlucky")


class Drawing(msgspec.Struct):
    shapes: list[Circle | Square]


def test_structs_are_told_by_their_tags_and_renamed_as_they_say() -> None:
    json = {"shapes": [{"type": "circle", "outerRadius": 1.0}, {"type": "square", "side": 2.0}]}
    drawing = structure(json, Drawing)
    assert drawing == Drawing(shapes=[Circle(outer_radius=1), Square(side=2)])
    assert unstructure(drawing) == json
    assert unstructure(Circle(outer_radius=1, color="red"))["color"] == "red"
    assert schema_of(Square) == {
        "type": "object",
        "properties": {"type": {"const": "square"}, "side": {"type": "number"}},
        "required": ["type", "side"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"type": "tri"}, '.type: expected one of "circle", "square", got string "tri"'),
        ({"side": 1}, '.type: missing; expected one of "circle", "square"'),
        ({"type": "square", "side": 13}, ": 13 is unlucky"),
        ({"type": "circle"}, ".outerRadius: missing; expected number"),
        (
            {"type": "square", "side": 1, "x": 1},
            '.x: unknown key; expected one of the keys "type", "side"',
        ),
    ],
)
def test_what_a_struct_refuses_is_told_at_its_place(shape: Any, message: str) -> None:
    assert refusal(lambda: structure({"shapes": [shape]}, Drawing)) == f"shapes[0]{message}"
