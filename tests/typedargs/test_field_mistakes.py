"""Fields that cannot hold are errors where they are declared, with what to change."""

import enum
import math
from typing import Any

import pytest

from tests.typedargs.helpers import holder, schema_refusal
from typedargs import (
    Boolean,
    Double,
    Enum,
    Integer,
    String,
)


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Empty(enum.Enum):
    pass


HUGE = 10**400

MISTAKES: list[tuple[Any, str]] = [
    (
        lambda: Integer(default=3.5),  # type: ignore[call-overload]
        "the default is rejected by its own field: expected integer, got number 3.5",
    ),
    (
        lambda: Integer(default="3"),  # type: ignore[call-overload]
        'the default is rejected by its own field: expected integer, got string "3"',
    ),
    (
        lambda: Integer(default=0, minimum=1),
        "the default is rejected by its own field: expected at least 1, got number 0",
    ),
    (
        lambda: Boolean(default=1),  # type: ignore[call-overload]
        "the default is rejected by its own field: expected boolean, got number 1",
    ),
    (
        lambda: Double(default=math.nan),
        "the schema cannot be written as JSON: number nan at /default",
    ),
    (
        lambda: Double(default=HUGE),
        "the default is rejected by its own field: "
        "expected number that fits a double (up to about 1.8e308), got number "
        + str(HUGE)[:79]
        + "…",
    ),
    (
        lambda: Enum("a", default="b"),
        'the default is rejected by its own field: expected "a", got string "b"',
    ),
    (
        lambda: Enum(Size, default="LARGE"),  # type: ignore[call-overload]
        'the default is rejected by its own field: expected a member of Size, got string "LARGE"',
    ),
    (
        lambda: String(default="a", min_length=2),
        'the default is rejected by its own field: expected at least 2 characters, got string "a"',
    ),
    (
        lambda: Integer(examples=["x"]),
        'an example is rejected by its own field: expected integer, got string "x"',
    ),
    (
        lambda: Integer(examples=[3, 0], minimum=1),
        "an example is rejected by its own field: expected at least 1, got number 0",
    ),
    (
        lambda: Enum(Size, examples=[Size.LARGE]),
        "the schema cannot be written as JSON: a Python Size at /examples/0",
    ),
    (lambda: Integer(minimum="x"), '"minimum" at /minimum must be a number, got "x"'),  # type: ignore[call-overload]
    (lambda: Integer(minimum=True), '"minimum" at /minimum must be a number, got true'),
    (
        lambda: Double(minimum=math.inf),
        "the schema cannot be written as JSON: number inf at /minimum",
    ),
    (
        lambda: Integer(minimum=10**5000),
        "the schema cannot be written as JSON: number <int of 16610 bits> at /minimum",
    ),
    (lambda: Integer(multiple_of=0), '"multipleOf" at /multipleOf must be a number above 0, got 0'),
    (
        lambda: String(min_length=-1),
        '"minLength" at /minLength must be an integer of at least 0, got -1',
    ),
    (
        lambda: String(min_length=1.5),  # type: ignore[call-overload]
        '"minLength" at /minLength must be an integer of at least 0, got 1.5',
    ),
    (
        lambda: String(pattern="("),
        '"pattern" at /pattern must be a regular expression of ECMA-262, got "(": '
        "a group is not closed, at position 1",
    ),
    (
        lambda: String(pattern="(?u)a"),
        '"pattern" at /pattern must be a regular expression of ECMA-262, got "(?u)a": '
        "unknown kind of group, at position 1",
    ),
    (
        lambda: String(format="hostname"),
        '"format" at /format must be a format that is enforced (date, time, date-time, duration, '
        'uuid, ipv4, ipv6, uri, email, regex), got "hostname"; leave it out, register the tool '
        'with validation="full", which checks no format, or with application_validated=True '
        "and validate in the handler",
    ),
    (lambda: String(title=3), '"title" at /title must be a string, got 3'),  # type: ignore[call-overload]
    (lambda: String(description=3), '"description" at /description must be a string, got 3'),  # type: ignore[call-overload]
    (
        lambda: String(deprecated="yes"),  # type: ignore[call-overload]
        '"deprecated" at /deprecated must be true or false, got "yes"',
    ),
    (
        lambda: String(header="a b"),
        '"x-mcp-header" at /x-mcp-header must be a header name (RFC 9110 token), got "a b"',
    ),
    (
        lambda: String(header="Region", nullable=True),
        'header is for string, integer and boolean fields, not for ["string","null"]',
    ),
    (
        lambda: Double(header="Price"),
        'header is for string, integer and boolean fields, not for "number"',
    ),
    (lambda: String(name=3), "a key must be a string, got 3"),  # type: ignore[call-overload]
    (
        lambda: String(name="\ud800"),
        "the schema cannot be written as JSON: the text '\\ud800' at the root",
    ),
    (lambda: String(aliases=(3,)), "a key must be a string, got 3"),  # type: ignore[arg-type]
    (
        lambda: String(description="\udfff"),
        "the schema cannot be written as JSON: the text '\\udfff' at /description",
    ),
]


@pytest.mark.parametrize(("make", "message"), MISTAKES)
def test_a_field_that_cannot_hold_is_an_error_where_the_class_is_defined(
    make: Any, message: str
) -> None:
    assert schema_refusal(lambda: holder(x=make())) == f"Args.x: {message}"


TYPE_ERRORS: list[tuple[Any, str]] = [
    (lambda: String(minimum=3), "String has no option minimum"),  # type: ignore[call-overload]
    (lambda: String(descripton="x"), "String has no option descripton; did you mean description?"),  # type: ignore[call-overload]
    (lambda: Boolean(zzz=1), "Boolean has no option zzz"),  # type: ignore[call-overload]
    (lambda: String(aliases="path"), "aliases must be a tuple of names; write aliases=('path',)"),  # type: ignore[call-overload]
    (lambda: String(examples="abc"), "examples must be a list; write examples=['abc']"),
]


@pytest.mark.parametrize(("make", "message"), TYPE_ERRORS)
def test_an_option_that_a_field_does_not_have_is_named(make: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


ENUM_MISTAKES: list[tuple[Any, str]] = [
    (lambda: Enum(), "Enum takes at least one string, or an enum.Enum class"),
    (lambda: Enum("a", "a"), "Enum has a string twice"),
    (lambda: Enum("a", 1), "Enum takes strings or one enum.Enum class, got 1"),  # type: ignore[call-overload]
    (lambda: Enum(["a", "b"]), "Enum takes strings or one enum.Enum class, got ['a', 'b']"),  # type: ignore[call-overload]
    (lambda: Enum(int), "Enum takes strings or one enum.Enum class, got <class 'int'>"),  # type: ignore[type-var]
    (lambda: Enum("a", by="name"), "by= is for an enum.Enum class"),  # type: ignore[call-overload]
    (lambda: Enum(Empty), "Empty has no members"),
    (lambda: Enum(Size, by="values"), 'by must be "name" or "value", got "values"'),  # type: ignore[call-overload]
    (
        lambda: Enum(Mixed, by="value"),
        'by="value" takes an enum whose values are all strings or all integers; '
        'Mixed has others, use by="name"',
    ),
]


@pytest.mark.parametrize(("make", "message"), ENUM_MISTAKES)
def test_an_enum_that_cannot_be_told_on_the_wire_is_refused(make: Any, message: str) -> None:
    assert schema_refusal(make) == message
