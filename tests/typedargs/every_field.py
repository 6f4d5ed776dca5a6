"""Every kind of field, with a value of it, and everything that may stand around one."""

import datetime
import decimal
import enum
import pathlib
import uuid
from typing import Any

from tests.typedargs.helpers import holder
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
    Email,
    Enum,
    Integer,
    Map,
    MCPArgs,
    Nested,
    OneOf,
    Path,
    String,
    Time,
    Tuple,
    Uri,
)


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Leaf(MCPArgs):
    day = Date()


class Red(MCPArgs):
    kind = Const("red")


class Blue(MCPArgs):
    kind = Const("blue")
    depth = Integer()


LEAVES: dict[str, tuple[Any, Any, Any, Any]] = {
    "String": (lambda **o: String(**o), "a", "a", 1),
    "Double": (lambda **o: Double(**o), 1.5, 1.5, "1"),
    "Integer": (lambda **o: Integer(**o), 3, 3, 3.5),
    "Boolean": (lambda **o: Boolean(**o), True, True, 1),
    "Enum": (lambda **o: Enum("a", "b", **o), "b", "b", "c"),
    "Enum class": (lambda **o: Enum(Size, **o), "LARGE", Size.LARGE, 2),
    "Date": (lambda **o: Date(**o), "2026-07-28", datetime.date(2026, 7, 28), "today"),
    "Time": (
        lambda **o: Time(**o),
        "09:30:00Z",
        datetime.time(9, 30, tzinfo=datetime.UTC),
        "09:30",
    ),
    "DateTime": (
        lambda **o: DateTime(**o),
        "2026-07-28T09:30:00Z",
        datetime.datetime(2026, 7, 28, 9, 30, tzinfo=datetime.UTC),
        "now",
    ),
    "Duration": (lambda **o: Duration(**o), "PT1M", datetime.timedelta(minutes=1), "P1M"),
    "UUID": (
        lambda **o: UUID(**o),
        "123e4567-e89b-12d3-a456-426614174000",
        uuid.UUID("123e4567-e89b-12d3-a456-426614174000"),
        "x",
    ),
    "Uri": (lambda **o: Uri(**o), "https://example.com", "https://example.com", "x"),
    "Email": (lambda **o: Email(**o), "ada@example.com", "ada@example.com", "ada"),
    "Bytes": (lambda **o: Bytes(**o), "YQ==", b"a", "YQ"),
    "Decimal": (lambda **o: Decimal(**o), "1.50", decimal.Decimal("1.50"), "1e5"),
    "Path": (lambda **o: Path(**o), "a/b", pathlib.Path("a/b"), ""),
    "Const": (lambda **o: Const("x", **o), "x", "x", "y"),
    "Nested": (
        lambda **o: Nested(Leaf, **o),
        {"day": "2026-07-28"},
        Leaf(day=datetime.date(2026, 7, 28)),
        {"day": "today"},
    ),
    "OneOf": (
        lambda **o: OneOf(Integer(), Date(), **o),
        "2026-07-28",
        datetime.date(2026, 7, 28),
        [],
    ),
    "tagged OneOf": (
        lambda **o: OneOf(Red, Blue, tag="kind", **o),
        {"kind": "blue", "depth": 3},
        Blue(depth=3),
        {"kind": "blue", "depth": "3"},
    ),
    "Array": (lambda **o: Array(Date(), **o), ["2026-07-28"], [datetime.date(2026, 7, 28)], ["x"]),
    "Tuple": (lambda **o: Tuple(Integer(), Bytes(), **o), [1, "YQ=="], (1, b"a"), [1]),
    "Map": (lambda **o: Map(Decimal(), **o), {"a": "1"}, {"a": decimal.Decimal(1)}, {"a": None}),
}
"""Each field, a JSON value that it takes, the Python value of that, and one that it refuses."""

OUTER: dict[str, tuple[Any, Any, Any, str]] = {
    "alone": (lambda of: of, lambda v: v, lambda v: v, ""),
    "Array": (Array, lambda v: [v], lambda v: [v], "[0]"),
    "Tuple": (lambda of: Tuple(Integer(), of), lambda v: [1, v], lambda v: (1, v), "[1]"),
    "Map": (Map, lambda v: {"k": v}, lambda v: {"k": v}, ".k"),
    "Nested": (
        lambda of: Nested(holder(y=of)),
        lambda v: {"y": v},
        None,
        ".y",
    ),
    "OneOf": (lambda of: OneOf(Const("other"), of), lambda v: v, lambda v: v, ""),
}
"""What may stand around a field: JSON and Python values with its value in them, and the path."""
