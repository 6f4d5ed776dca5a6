"""What static type checkers see; read by checkers, never run.

Each `type: ignore` stands on a line that must be an error: one that is not is reported, as unused.
"""
# pyright: reportUnnecessaryTypeIgnoreComment=true

import datetime
import decimal
import enum
import pathlib
import uuid
from typing import Any, assert_type

import attrs
from typing_extensions import TypeVar

from typedargs import (
    UUID,
    Array,
    AtMostOneOf,
    Boolean,
    Bytes,
    Const,
    Date,
    DateTime,
    Decimal,
    Double,
    Duration,
    Email,
    Enum,
    Field,
    Integer,
    Json,
    Map,
    MCPArgs,
    Nested,
    ObjectSchema,
    OneOf,
    Path,
    String,
    Time,
    Tuple,
    TypedArgs,
    Uri,
    Validator,
    compile_schema,
    schema_of,
    structure,
    unstructure,
)
from typedargs_server import (
    Accepted,
    Cancelled,
    Declined,
    Elicit,
    RequestContext,
    Sample,
    Sampled,
)


class Color(enum.Enum):
    RED = 1


class AddArgs(MCPArgs):
    """Fields without annotations: the attributes are typed, the constructor takes any keyword."""

    a = Double(description="x", minimum=0)
    n = Integer(default=3)
    m = Integer(required=False)
    k = Integer(nullable=True)
    d = Integer(default=None)
    nd = Double(nullable=True, default=1.5)
    r = Enum("half-even", "down", default="down")
    r2 = Enum("half-even", "down", required=False)
    c = Enum(Color, by="name")
    c2 = Enum(Color, required=False)
    s = String(min_length=1, pattern="x", description="d", examples=["x"], aliases=("t",))
    b = Boolean(default=True)
    b2 = Boolean(required=False, name="b-2", title="B", deprecated=True, header="B")

    rule = AtMostOneOf(m, c2)


x = AddArgs(a=1.0, n=2)
assert_type(x, AddArgs)
assert_type(x.a, float)
assert_type(x.n, int)
assert_type(x.m, int | None)
assert_type(x.k, int | None)
assert_type(x.d, int | None)
assert_type(x.nd, float | None)
assert_type(x.r, str)
assert_type(x.r2, str | None)
assert_type(x.c, Color)
assert_type(x.c2, Color | None)
assert_type(x.s, str)
assert_type(x.b, bool)
assert_type(x.b2, bool | None)
assert_type(AddArgs.a, Double)
assert_type(attrs.asdict(x), dict[str, Any])
attrs.fields(AddArgs)
assert_type(AddArgs.m, Integer[None])
assert_type(AddArgs.a.description, str | None)
x.a = 2
x.m = None
x.a = "x"  # type: ignore[assignment]
x.n = None  # type: ignore[assignment]
x.c = "RED"  # type: ignore[assignment]
AddArgs(1.0)  # type: ignore[call-arg]

Integer(default="x")  # type: ignore[call-overload]
String(default=3)  # type: ignore[call-overload]
Boolean(default="x")  # type: ignore[call-overload]
Integer(minimum="x")  # type: ignore[call-overload]
Integer(zzz=1)  # type: ignore[call-overload]
Enum(Color, default="RED")  # type: ignore[call-overload]
Enum(Color, by="values")  # type: ignore[call-overload]
Enum(1, 2)  # type: ignore[call-overload]
String(minimum=3)  # type: ignore[call-overload]
String(aliases="path")  # type: ignore[call-overload]
String("A description")  # type: ignore[call-overload]


class Sub(AddArgs, extra="forbid"):
    """A class that inherits."""

    a2 = Double(default=0)


assert_type(Sub().a, float)
assert_type(Sub().a2, float)

assert_type(structure({"a": 1}, AddArgs), AddArgs)
assert_type(structure(b"", Sub), Sub)
assert_type(structure({}, ObjectSchema()), dict[str, Any])
assert_type(unstructure(x), dict[str, Any])
assert_type(schema_of(AddArgs), dict[str, Any])
schema_of(x)  # type: ignore[arg-type]


class Item(MCPArgs):
    sku = String()
    price = Double(minimum=0)


class Circle(MCPArgs):
    kind = Const("circle")
    radius = Double()


class Square(MCPArgs):
    kind = Const("square")
    side = Double()


class Order(MCPArgs):
    items = Array(Item, min_items=1)
    tags = Array(String(), unique=True, default=[])
    counts = Array(Integer(), required=False)
    prices = Map(Double(), key_pattern="^[a-z]+$")
    shelves = Map(Item, required=False)
    item = Nested(Item)
    parent = Nested(lambda: Order, required=False)
    pair = Tuple(Integer(), String())
    shape = OneOf(Circle, Square, tag="kind")
    either = OneOf(Integer(), String(), nullable=True)
    level = Const(3)
    day = Date()
    at = DateTime(required=False)
    time = Time(nullable=True)
    length = Duration()
    id = UUID()
    link = Uri(required=False)
    mail = Email()
    data = Bytes()
    amount = Decimal(default=decimal.Decimal("1.50"))
    path = Path(required=False)
    anything = Json()


order = structure({}, Order)
assert_type(order.items, list[Item])
assert_type(order.tags, list[str])
assert_type(order.counts, list[int] | None)
assert_type(order.prices, dict[str, float])
assert_type(order.shelves, dict[str, Item] | None)
assert_type(order.item, Item)
assert_type(order.parent, Order | None)
assert_type(order.pair, tuple[int, str])
assert_type(order.shape, Circle | Square)
assert_type(order.either, int | str | None)
assert_type(order.level, int)
assert_type(order.day, datetime.date)
assert_type(order.at, datetime.datetime | None)
assert_type(order.time, datetime.time | None)
assert_type(order.length, datetime.timedelta)
assert_type(order.id, uuid.UUID)
assert_type(order.link, str | None)
assert_type(order.mail, str)
assert_type(order.data, bytes)
assert_type(order.amount, decimal.Decimal)
assert_type(order.path, pathlib.Path | None)
order.items = [Item(sku="A", price=1)]
order.items = ["A"]  # type: ignore[list-item]
order.shape = Circle(radius=1)
order.day = "2026-07-28"  # type: ignore[assignment]
Array(3)  # type: ignore[call-overload]
Date(default="2026-07-28")  # type: ignore[call-overload]

builder = (
    ObjectSchema("Search", extra="forbid")
    .add_string("q", "Terms", min_length=1)
    .add_number("price", "Price", False, minimum=0.5)
    .add_integer("limit", required=False, maximum=3)
    .add_boolean("stock", default=True)
    .add_enum("order", ["up", "down"], "Order", default="up")
)
assert_type(builder, ObjectSchema)
builder.add_string(3)  # type: ignore[arg-type]
builder.add_string("a", minimum=3)  # type: ignore[call-arg]
builder.add_boolean("a", required="no")  # type: ignore[arg-type]
builder.add_integer("a", minimum="x")  # type: ignore[arg-type]

assert_type(compile_schema(AddArgs), Validator)
assert_type(compile_schema(builder), Validator)
assert_type(compile_schema('{"type": "object"}'), Validator)
assert_type(compile_schema({"type": "object"}), Validator)
compile_schema(3)  # type: ignore[arg-type]


class Typed(TypedArgs):
    """Fields with annotations: the constructor is checked too."""

    n: int = Integer(default=3)
    a: float = Double()
    m: int | None = Integer(default=None)
    b: bool = Boolean(default=True)
    c: Color = Enum(Color, default=Color.RED)
    r: str = Enum("x", "y", default="x")


class More(Typed):
    """A class that inherits."""

    q: str = String()


t = Typed(a=1.0)
assert_type(t.a, float)
assert_type(t.m, int | None)
assert_type(t.c, Color)
assert_type(structure({}, More), More)
More(a=1.0, q="x")
Typed(a="x")  # type: ignore[arg-type]
Typed()  # type: ignore[call-arg]
Typed(a=1.0, zzz=1)  # type: ignore[call-arg]
More(a=1.0)  # type: ignore[call-arg]
t.a = "x"  # type: ignore[assignment]


class Loose(MCPArgs):
    """Annotations on the plain base: the attributes are typed, the constructor is not checked."""

    a: float = Double()
    m: int | None = Integer(required=False)
    c: Color = Enum(Color)
    r: str = Enum("x", "y")


y = Loose(a=1.0)
assert_type(y.a, float)
y.a = "x"  # type: ignore[assignment]

A = TypeVar("A", default=None)


class Even(Integer):
    """A field of one's own."""

    def __init__(self, *, modulo: int = 2) -> None:
        super().__init__(description=f"a multiple of {modulo}")


class Odd(Integer[A]):
    """A field of one's own that may be absent."""


class Plain(Integer):
    """A field of one's own with the constructor of another."""


class Money(Field[decimal.Decimal]):
    """A field of one's own for another Python type."""


class Own(MCPArgs):
    """A class with them."""

    e = Even(modulo=3)
    o = Odd[None](required=False)
    p = Plain(default=3)
    m = Money(description="x")


o = Own(e=2)
assert_type(o.e, int)
assert_type(o.o, int | None)
assert_type(o.p, int)
assert_type(o.m, decimal.Decimal)
assert_type(Own.e, Even)


form = Elicit("?", Own)
raw_form = Elicit("?", {"type": "object"}, key="raw")
assert_type(form, Elicit[Own])
assert_type(raw_form, Elicit[dict[str, Any]])


async def asking(ctx: RequestContext) -> None:
    """What answers are read as."""
    assert_type(await ctx.elicit("?", Own), Accepted[Own] | Declined | Cancelled)
    assert_type(await ctx.elicit("?", "{}"), Accepted[dict[str, Any]] | Declined | Cancelled)
    own, sampled = await ctx.elicit_all(form, Sample("?", max_tokens=1))
    assert_type(own, Accepted[Own] | Declined | Cancelled)
    assert_type(sampled, Sampled)
