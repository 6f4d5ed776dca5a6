"""Dates, times, identifiers and the like: what each takes, what it gives, and what it refuses."""

import datetime
import decimal
import pathlib
import uuid
import zoneinfo
from typing import Any

import pytest

from tests.typedargs.helpers import accepted, holder, property_of, refusal, schema_refusal
from typedargs import (
    UUID,
    Bytes,
    Date,
    DateTime,
    Decimal,
    Duration,
    Email,
    Field,
    Json,
    Path,
    Time,
    Uri,
    structure,
    unstructure,
)

UTC = datetime.UTC
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


def offset(**amount: float) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(**amount))


def days(count: float, seconds: int = 0) -> datetime.timedelta:
    return datetime.timedelta(days=count, seconds=seconds)


SCHEMAS: list[tuple[Field[Any, Any], dict[str, Any]]] = [
    (Date(), {"type": "string", "format": "date"}),
    (Time(), {"type": "string", "format": "time"}),
    (DateTime(), {"type": "string", "format": "date-time"}),
    (Duration(), {"type": "string", "format": "duration", "pattern": "^P[^YM]*(T.*)?$"}),
    (UUID(), {"type": "string", "format": "uuid"}),
    (Uri(max_length=9), {"type": "string", "format": "uri", "maxLength": 9}),
    (Email(min_length=9), {"type": "string", "format": "email", "minLength": 9}),
    (
        Bytes(),
        {
            "type": "string",
            "contentEncoding": "base64",
            "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
        },
    ),
    (
        Decimal(),
        {
            "type": ["string", "number"],
            "pattern": "^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)$",
        },
    ),
    (Path(), {"type": "string", "minLength": 1, "pattern": "^[^\\x00]*$"}),
    (Json(), {}),
    (Json(description="Anything"), {"description": "Anything"}),
    (
        Date(default=datetime.date(2026, 7, 28), nullable=True),
        {"type": ["string", "null"], "format": "date", "default": "2026-07-28"},
    ),
    (
        Bytes(default=b"a", examples=["YWI="]),
        {**property_of(Bytes()), "default": "YQ==", "examples": ["YWI="]},
    ),
]


@pytest.mark.parametrize(("field", "schema"), SCHEMAS)
def test_a_value_is_published_as_text_with_its_format(
    field: Field[Any, Any], schema: dict[str, Any]
) -> None:
    assert property_of(field) == schema


BOTH_WAYS: list[tuple[Field[Any, Any], Any, Any]] = [
    (Date(), "2024-02-29", datetime.date(2024, 2, 29)),
    (Date(), "0001-01-01", datetime.date.min),
    (Date(), "9999-12-31", datetime.date.max),
    (Time(), "09:30:00Z", datetime.time(9, 30, tzinfo=UTC)),
    (Time(), "09:30:00.000005Z", datetime.time(9, 30, 0, 5, tzinfo=UTC)),
    (Time(), "00:00:00+23:59", datetime.time(tzinfo=offset(hours=23, minutes=59))),
    (Time(), "00:00:00-05:30", datetime.time(tzinfo=offset(hours=-5, minutes=-30))),
    (DateTime(), "0001-01-01T00:00:00Z", datetime.datetime(1, 1, 1, tzinfo=UTC)),
    (
        DateTime(),
        "9999-12-31T23:59:59-23:59",
        datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=offset(hours=-23, minutes=-59)),
    ),
    (
        DateTime(),
        "2026-07-28T09:30:00.500000+02:00",
        datetime.datetime(2026, 7, 28, 9, 30, 0, 500_000, tzinfo=offset(hours=2)),
    ),
    (Duration(), "P0D", days(0)),
    (Duration(), "P2DT3H4M5S", days(2, 3 * 3600 + 4 * 60 + 5)),
    (Duration(), "PT1H0M1S", days(0, 3601)),
    (Duration(), "PT1M", days(0, 60)),
    (Duration(), "PT1H", days(0, 3600)),
    (Duration(), "PT1M1S", days(0, 61)),
    (Duration(), "P1D", days(1)),
    (Duration(), "P1DT1S", days(1, 1)),
    (Duration(), "P999999999D", days(999_999_999)),
    (
        UUID(),
        "123e4567-e89b-12d3-a456-426614174000",
        uuid.UUID(int=0x123E4567E89B12D3A456426614174000),
    ),
    (Uri(), "https://example.com/a?b#c", "https://example.com/a?b#c"),
    (Uri(), "mailto:ada@example.com", "mailto:ada@example.com"),
    (Uri(), "http://[::1]:80/", "http://[::1]:80/"),
    (Email(), "ada@example.com", "ada@example.com"),
    (Email(), '"a b"@example.com', '"a b"@example.com'),
    (Email(), "ada@[127.0.0.1]", "ada@[127.0.0.1]"),
    (Bytes(), "", b""),
    (Bytes(), "AP8=", b"\x00\xff"),
    (Bytes(), "YWJj", b"abc"),
    (Decimal(), "1.50", decimal.Decimal("1.50")),
    (Decimal(), "-0", decimal.Decimal("-0")),
    (Decimal(), "0.1", decimal.Decimal("0.1")),
    (Decimal(), "1" * 5000, decimal.Decimal("1" * 5000)),
    (Path(), "a/b", pathlib.Path("a/b")),
    (Path(), "/", pathlib.Path("/")),
    (Path(), "..", pathlib.Path("..")),
    (Path(), "~", pathlib.Path("~")),
    (Path(), "C:\\new", pathlib.Path("C:\\new")),
    (Json(), None, None),
    (Json(), [1, {"a": [None, 2.5, "x", True]}], [1, {"a": [None, 2.5, "x", True]}]),
]


@pytest.mark.parametrize(("field", "json", "value"), BOTH_WAYS)
def test_a_value_is_the_same_whichever_way_it_comes(
    field: Field[Any, Any], json: Any, value: Any
) -> None:
    cls = holder(x=field)
    structured = structure({"x": json}, cls)
    assert (structured.x, type(structured.x)) == (value, type(value))
    assert structured == cls(x=value)
    assert unstructure(structured) == {"x": json}


ACCEPTED: list[tuple[Field[Any, Any], Any, Any]] = [
    (Time(), "23:59:60Z", datetime.time(23, 59, 59, tzinfo=UTC)),
    (Time(), "01:59:60+02:00", datetime.time(1, 59, 59, tzinfo=offset(hours=2))),
    (Time(), "09:30:00.5z", datetime.time(9, 30, 0, 500_000, tzinfo=UTC)),
    (Time(), "09:30:00.123456789Z", datetime.time(9, 30, 0, 123_456, tzinfo=UTC)),
    (Time(), "09:30:00-00:00", datetime.time(9, 30, tzinfo=UTC)),
    (DateTime(), "2016-12-31t23:59:60z", datetime.datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    (Duration(), "PT0S", days(0)),
    (Duration(), "PT36H", days(1.5)),
    (Duration(), "P1W", days(7)),
    (Duration(), "PT90M", days(0, 5400)),
    (
        UUID(),
        "123E4567-E89B-12D3-A456-42661417400F",
        uuid.UUID("123e4567-e89b-12d3-a456-42661417400f"),
    ),
    (Bytes(), "YR==", b"a"),
    (Decimal(), "+1", decimal.Decimal(1)),
    (Decimal(), ".5", decimal.Decimal("0.5")),
    (Decimal(), "5.", decimal.Decimal(5)),
    (Decimal(), 0.1, decimal.Decimal("0.1")),
    (Decimal(), 3, decimal.Decimal(3)),
    (Decimal(), 10**30, decimal.Decimal(10**30)),
    (Decimal(), 1e-7, decimal.Decimal("1e-7")),
    (Path(), "a//b/./c", pathlib.Path("a/b/c")),
]


@pytest.mark.parametrize(("field", "json", "value"), ACCEPTED)
def test_a_value_may_be_written_in_other_ways(
    field: Field[Any, Any], json: Any, value: Any
) -> None:
    found = accepted(field, json)
    assert (found, type(found)) == (value, type(value))


DATE = "a date such as 2026-07-28"
TIME = "a time with offset such as 09:30:00Z"
DATE_TIME = "a date and time with offset such as 2026-07-28T09:30:00Z"
DURATION = "a duration in days or shorter units such as P1DT2H30M"
IDENTIFIER = "a UUID such as 123e4567-e89b-12d3-a456-426614174000"
URI = "an absolute URI such as https://example.com/a"
EMAIL = "an e-mail address such as ada@example.com"
NUMBER = "a decimal number such as 1.50"

REFUSED: list[tuple[Field[Any, Any], list[Any], str]] = [
    (
        Date(),
        ["", "0000-01-01", "2026-02-29", "2026-7-28", "20260728", "2026-07-28\n", "today", 3, None],
        DATE,
    ),
    (Time(), ["24:00:00Z", "09:30", "09:30:00", "09:30:00,5Z", "09:30:61Z", 930, None], TIME),
    (
        DateTime(),
        [
            "0000-01-01T00:00:00Z",
            "2026-07-28",
            "2026-07-28T24:00:00Z",
            "2026-07-28T09:30:00",
            "2026-07-28 09:30:00Z",
            "2026-07-28T09:30:60Z",
            1_785_231_000,
        ],
        DATE_TIME,
    ),
    (
        Duration(),
        ["", "P", "PT", "P1DT", "P1M", "P1Y2D", "-P1D", "P-1D", "PT1.5S", "PT1H1S", "1 day", 60],
        DURATION,
    ),
    (
        UUID(),
        ["123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "", 5],
        IDENTIFIER,
    ),
    (Uri(), ["", "/a", "a b", "http://[zz]/", "//example.com", 5], URI),
    (Email(), ["", "ada", "@", "ada@b", "ada@b..c", "ada@example.com ", "Ada <a@b.c>", 5], EMAIL),
    (Bytes(), ["YQ", "YQ=", "YW Jj", "YWJ\n", "-_==", "###", "====", 5, [97]], "base64"),
    (
        Decimal(),
        ["", ".", "1e5", "NaN", "Infinity", "1_000", "1,5", "٣", " 1", "--1", "0x1", True, None],
        NUMBER,
    ),
    (Path(), ["a\0b", 5, None], "a file path"),
]


@pytest.mark.parametrize(
    ("field", "json", "expected"), [(f, v, words) for f, values, words in REFUSED for v in values]
)
def test_what_is_no_such_value_is_refused_in_the_fields_words(
    field: Field[Any, Any], json: Any, expected: str
) -> None:
    message = refusal(lambda: accepted(field, json))
    kind = {str: "string", int: "number", bool: "boolean", list: "array"}.get(type(json), "null")
    assert message.startswith(f"x: expected {expected}, got {kind}")
    assert "\n" not in message


EXACT: list[tuple[Field[Any, Any], Any, str]] = [
    (Bytes(), "###", 'x: expected base64, got string "###"'),
    (Decimal(), "1e5", f'x: expected {NUMBER}, got string "1e5"'),
    (Decimal(), None, f"x: expected {NUMBER}, got null"),
    (Decimal(nullable=True), "a", f'x: expected {NUMBER}, got string "a"'),
    (Decimal(nullable=True), True, f"x: expected {NUMBER} or null, got boolean true"),
    (Path(), "", 'x: expected at least 1 character, got string ""'),
    (Path(), "a\0b", 'x: expected a file path, got string "a\\u0000b"'),
    (
        Duration(),
        "P1000000000D",
        'x: expected a duration of at most 999999999 days, got string "P1000000000D"',
    ),
    (
        Duration(),
        f"PT{'9' * 5000}S",
        f'x: expected a duration of at most 999999999 days, got string "PT{"9" * 76}…',
    ),
    (Date(required=False), None, f"x: expected {DATE}, got null; leave the key out instead"),
    (Date(nullable=True), 3, f"x: expected {DATE} or null, got number 3"),
    (Uri(max_length=3), "a:bcd", 'x: expected at most 3 characters, got string "a:bcd"'),
    (
        Email(pattern="@example[.]"),
        "a@b.org",
        'x: expected a match of the pattern @example[.], got string "a@b.org"',
    ),
]


@pytest.mark.parametrize(("field", "json", "message"), EXACT)
def test_a_refusal_says_what_was_expected_and_what_was_sent(
    field: Field[Any, Any], json: Any, message: str
) -> None:
    assert refusal(lambda: accepted(field, json)) == message


def test_a_missing_value_is_named_as_its_field_names_it() -> None:
    cls = holder(day=Date(), data=Bytes(), price=Decimal(), id=UUID(), anything=Json())
    assert refusal(lambda: structure({}, cls)).splitlines() == [
        f"day: missing; expected {DATE}",
        "data: missing; expected base64",
        f"price: missing; expected {NUMBER}",
        f"id: missing; expected {IDENTIFIER}",
        "anything: missing; expected any value",
    ]


REFUSED_FROM_PYTHON: list[tuple[Field[Any, Any], Any, str]] = [
    (Date(), "2026-07-28", 'expected a datetime.date, got string "2026-07-28"'),
    (Date(), datetime.datetime(2026, 7, 28), "expected a datetime.date, got a Python datetime"),
    (
        Time(),
        datetime.time(9),
        "expected a datetime.time with a tzinfo of a fixed offset, got a Python time",
    ),
    (
        Time(),
        datetime.time(9, tzinfo=BERLIN),
        "expected a datetime.time with a tzinfo of a fixed offset, got a Python time",
    ),
    (
        Time(),
        datetime.time(9, tzinfo=offset(seconds=30)),
        f'expected {TIME}, got string "09:00:00+00:00:30"',
    ),
    (
        DateTime(),
        datetime.datetime(2026, 7, 28),
        "expected a datetime.datetime with a tzinfo, got a Python datetime",
    ),
    (
        DateTime(),
        datetime.date(2026, 7, 28),
        "expected a datetime.datetime with a tzinfo, got a Python date",
    ),
    *(
        (
            Duration(),
            value,
            "expected a datetime.timedelta of whole seconds, not negative, got a Python timedelta",
        )
        for value in (days(-1), datetime.timedelta(milliseconds=5), datetime.timedelta.max)
    ),
    (UUID(), "x", 'expected a uuid.UUID, got string "x"'),
    (Uri(), "x", f'expected {URI}, got string "x"'),
    (Email(), 3, f"expected {EMAIL}, got number 3"),
    (Bytes(), "a", 'expected bytes, got string "a"'),
    (Bytes(), bytearray(b"a"), "expected bytes, got a Python bytearray"),
    (Decimal(), 1, "expected a finite decimal.Decimal, got number 1"),
    (Decimal(), 1.5, "expected a finite decimal.Decimal, got number 1.5"),
    (Decimal(), decimal.Decimal("NaN"), "expected a finite decimal.Decimal, got a Python Decimal"),
    (Decimal(), decimal.Decimal("sNaN"), "expected a finite decimal.Decimal, got a Python Decimal"),
    (
        Decimal(),
        decimal.Decimal("-Infinity"),
        "expected a finite decimal.Decimal, got number -Infinity (out of range)",
    ),
    (Path(), "a", 'expected a pathlib.Path, got string "a"'),
    (
        Path(),
        pathlib.PureWindowsPath("C:/a"),
        "expected a pathlib.Path, got a Python PureWindowsPath",
    ),
    (Json(), float("nan"), "expected a JSON value, with nan in it, got number nan"),
    (Json(), {1: 2}, 'expected a JSON value, with {1: 2} in it, got object {"1":2}'),
    (Json(), [b"a"], "expected a JSON value, with b'a' in it, got array [\"YQ==\"]"),
]


@pytest.mark.parametrize(("field", "value", "message"), REFUSED_FROM_PYTHON)
def test_an_attribute_takes_the_python_value_alone(
    field: Field[Any, Any], value: Any, message: str
) -> None:
    cls = holder(x=field)
    assert refusal(lambda: cls(x=value)) == f"x: {message}"


FROM_PYTHON: list[tuple[Field[Any, Any], Any, Any]] = [
    (DateTime(), datetime.datetime(2026, 7, 28, 9, 30, tzinfo=BERLIN), "2026-07-28T09:30:00+02:00"),
    (Decimal(), decimal.Decimal("1E+5"), "100000"),
    (Decimal(), decimal.Decimal("1E-10"), "0.0000000001"),
    (Path(), pathlib.Path(), "."),
    (Json(), (1, (2,)), [1, [2]]),
]


@pytest.mark.parametrize(("field", "value", "json"), FROM_PYTHON)
def test_a_python_value_is_written_plainly(field: Field[Any, Any], value: Any, json: Any) -> None:
    cls = holder(x=field)
    made = cls(x=value)
    assert unstructure(made) == {"x": json}
    assert structure({"x": json}, cls) == made


def test_a_default_is_a_python_value_and_published_as_json() -> None:
    cls = holder(x=Decimal(default=decimal.Decimal("1.50")), y=Json(default={"a": []}))
    assert cls.x.default == decimal.Decimal("1.50")
    assert structure({}, cls) == cls()
    assert unstructure(cls()) == {"x": "1.50", "y": {"a": []}}
    first = cls()
    first.y["a"].append(1)
    assert cls().y == {"a": []}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Date(default="2026-07-28"),  # type: ignore[call-overload]
            "the default is rejected by its own field: expected a datetime.date, "
            'got string "2026-07-28"',
        ),
        (
            lambda: Date(examples=["today"]),
            f'an example is rejected by its own field: expected {DATE}, got string "today"',
        ),
        (
            lambda: Json(default=object()),
            "the default is rejected by its own field: expected a JSON value, with ",
        ),
        (
            lambda: Bytes(header="Data", nullable=True),
            "header is for string, integer and boolean fields",
        ),
    ],
)
def test_a_value_that_cannot_hold_is_an_error_where_the_class_is_defined(
    make: Any, message: str
) -> None:
    assert schema_refusal(lambda: holder(x=make())).startswith(f"Args.x: {message}")
