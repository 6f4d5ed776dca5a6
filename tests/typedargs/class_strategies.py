"""Random classes of all fields, with Python values for them."""

import datetime
import decimal
import pathlib
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.typedargs.every_field import Blue, Leaf, Red, Size
from tests.typedargs.helpers import class_of
from typedargs import (
    UUID,
    Array,
    Boolean,
    Bytes,
    Const,
    Date,
    DateTime,
    Decimal,
    Double,
    Duration,
    Enum,
    Field,
    Integer,
    Json,
    Map,
    Nested,
    OneOf,
    Path,
    String,
    Time,
    Tuple,
)

Make = Callable[..., Field[Any, Any]]
Kind = tuple[Make, st.SearchStrategy[Any]]
"""What makes a field from its options, and the Python values that it takes."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
zones = st.integers(-1439, 1439).map(
    lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
SCALARS: list[Kind] = [
    (String, texts),
    (Double, st.floats(allow_nan=False, allow_infinity=False)),
    (Integer, st.integers()),
    (Boolean, st.booleans()),
    (lambda **options: Enum("a", "b", **options), st.sampled_from(["a", "b"])),
    (lambda **options: Enum(Size, **options), st.sampled_from(Size)),
    (Date, st.dates()),
    (Time, st.times(timezones=zones)),
    (DateTime, st.datetimes(timezones=zones)),
    (
        Duration,
        st.integers(0, 10**10).map(lambda seconds: datetime.timedelta(seconds=seconds)),
    ),
    (UUID, st.uuids()),
    (Bytes, st.binary(max_size=8)),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False, places=3)),
    (Decimal, st.decimals(-1, 1, places=9) | st.just(decimal.Decimal("1E+9"))),
    (Path, st.text("ab./", min_size=1).map(pathlib.Path)),
    (Json, json_values.filter(lambda value: value is not None)),
    (lambda **options: Const(["x", 1], **options), st.just(["x", 1])),
    (lambda **options: Nested(Leaf, **options), st.builds(Leaf, day=st.dates())),
    (
        lambda **options: OneOf(Red, Blue, tag="kind", **options),
        st.builds(Red) | st.builds(Blue, depth=st.integers()),
    ),
    (lambda **options: OneOf(Integer(), Date(), **options), st.integers() | st.dates()),
]


def kinds(depth: int = 2) -> st.SearchStrategy[Kind]:
    if depth == 0:
        return st.sampled_from(SCALARS)
    inner = kinds(depth - 1)
    return st.one_of(
        st.sampled_from(SCALARS),
        inner.map(_array),
        st.lists(inner, min_size=1, max_size=3).map(_tuple),
        inner.map(_map),
        st.lists(inner, min_size=1, max_size=3).map(_nested),
    )


def _array(of: Kind) -> Kind:
    make, values = of
    return lambda **options: Array(make(), **options), st.lists(values, max_size=3)


def _tuple(of: list[Kind]) -> Kind:
    values = st.tuples(*(values for _, values in of))
    return lambda **options: Tuple(*(make() for make, _ in of), **options), values


def _map(of: Kind) -> Kind:
    make, values = of
    return lambda **options: Map(make(), **options), st.dictionaries(texts, values, max_size=3)


def _nested(of: list[Kind]) -> Kind:
    cls = class_of({f"f{index}": make() for index, (make, _) in enumerate(of)})
    values = st.builds(cls, **{f"f{index}": values for index, (_, values) in enumerate(of)})
    return lambda **options: Nested(cls, **options), values


@st.composite
def instances(draw: st.DrawFn) -> Any:
    """An instance of a class of up to four fields, some with defaults and examples."""
    body: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for index, (make, values) in enumerate(draw(st.lists(kinds(), min_size=1, max_size=4))):
        name = f"f{index}"
        options: dict[str, Any] = {"nullable": draw(st.booleans())}
        if draw(st.booleans()):
            options["default"] = draw(values)
        elif draw(st.booleans()):
            options["required"] = False
        if draw(st.booleans()):
            options["examples"] = [make().to_json(draw(values))]
        body[name] = make(**options)
        if options["nullable"] and draw(st.booleans()):
            given[name] = None
        elif body[name].required or draw(st.booleans()):
            given[name] = draw(values)
    return class_of(body)(**given)
