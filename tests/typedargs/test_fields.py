"""What each kind of field publishes, takes and refuses."""

import enum
import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tests.typedargs.helpers import accepted, holder, property_of, refusal
from typedargs import (
    Boolean,
    Double,
    Enum,
    Field,
    Integer,
    MCPArgs,
    String,
    schema_of,
    structure,
)


class Color(enum.Enum):
    RED = "r"
    GREEN = "g"
    CRIMSON = "r"  # noqa: PIE796


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Empty(enum.Enum):
    pass


class Text(str):
    pass


HUGE = 10**400
BEYOND = Decimal("1E+400")
"""What a JSON number is that a double cannot hold."""

ACCEPTED: list[tuple[Field[Any, Any], Any, Any]] = [
    (String(), "", ""),
    (String(), "[1,2]", "[1,2]"),
    (String(), "null", "null"),
    (String(), " 3 ", " 3 "),
    (String(), "true", "true"),
    (String(), "a\x00\u2028\U0001f600", "a\x00\u2028\U0001f600"),
    (Double(), 3, 3.0),
    (Double(), -0.5, -0.5),
    (Double(), 1e308, 1e308),
    (Double(), 2**53 + 1, float(2**53 + 1)),
    (Integer(), 3, 3),
    (Integer(), 3.0, 3),
    (Integer(), -0.0, 0),
    (Integer(), 2**63, 2**63),
    (Integer(), HUGE, HUGE),
    (Integer(), -HUGE, -HUGE),
    (Integer(), 1e20, 100_000_000_000_000_000_000),
    (Boolean(), True, True),
    (Boolean(), False, False),
    (Enum("a", "b"), "b", "b"),
    (Enum("null", "[1,2]", ""), "", ""),
    (Enum(Color), "r", Color.RED),
    (Enum(Color, by="name"), "GREEN", Color.GREEN),
    (Enum(Size), "LARGE", Size.LARGE),
    (Enum(Size, by="value"), 2, Size.LARGE),
    (Enum(Size, by="value"), 2.0, Size.LARGE),
    (Enum(Level), "LOW", Level.LOW),
    (Enum(Mode), "fast", Mode.FAST),
    (Enum(Mixed), "TWO", Mixed.TWO),
    (String(nullable=True), None, None),
    (Double(nullable=True), None, None),
    (Integer(nullable=True), None, None),
    (Boolean(nullable=True), None, None),
    (Enum("a", nullable=True), None, None),
    (Enum(Color, nullable=True), None, None),
    (Enum(Size, nullable=True, by="value"), None, None),
]

REFUSED: list[tuple[Field[Any, Any], Any, str]] = [
    (String(), 3, "x: expected string, got number 3"),
    (String(), None, "x: expected string, got null"),
    (String(), ["a"], 'x: expected string, got array ["a"]'),
    (String(), {"a": 1}, 'x: expected string, got object {"a":1}'),
    (String(), b"a", "x: expected string, got a Python bytes"),
    (Double(), True, "x: expected number, got boolean true"),
    (Double(), "3", 'x: expected number, got string "3"'),
    (Double(), None, "x: expected number, got null"),
    (Double(), math.nan, "x: expected number, got number nan"),
    (Double(), math.inf, "x: expected number, got number inf"),
    (Double(), -math.inf, "x: expected number, got number -inf"),
    (Double(), BEYOND, "x: expected number, got number 1E+400 (out of range)"),
    (Double(), Decimal("1.5"), "x: expected number, got a Python Decimal"),
    (Double(), Fraction(1, 2), "x: expected number, got a Python Fraction"),
    (
        Double(),
        HUGE,
        "x: expected number that fits a double (up to about 1.8e308), got number "
        + str(HUGE)[:79]
        + "…",
    ),
    (Integer(), True, "x: expected integer, got boolean true"),
    (Integer(), "3", 'x: expected integer, got string "3"'),
    (Integer(), 3.5, "x: expected integer, got number 3.5"),
    (Integer(), None, "x: expected integer, got null"),
    (Integer(), math.inf, "x: expected integer, got number inf"),
    (Integer(), math.nan, "x: expected integer, got number nan"),
    (Integer(), BEYOND, "x: expected integer, got number 1E+400 (out of range)"),
    (Integer(), [], "x: expected integer, got array []"),
    (Boolean(), 0, "x: expected boolean, got number 0"),
    (Boolean(), 1, "x: expected boolean, got number 1"),
    (Boolean(), "true", 'x: expected boolean, got string "true"'),
    (Boolean(), None, "x: expected boolean, got null"),
    (Enum("a", "b"), "c", 'x: expected one of "a", "b", got string "c"'),
    (Enum("a", "b"), "A", 'x: expected one of "a", "b", got string "A" (did you mean "a"?)'),
    (Enum("a", "b"), None, 'x: expected one of "a", "b", got null'),
    (Enum("a", "b"), 1, 'x: expected one of "a", "b", got number 1'),
    (Enum("a"), ["a"], 'x: expected "a", got array ["a"]'),
    (Enum(Color), "RED", 'x: expected one of "r", "g", got string "RED"'),
    (
        Enum(Size),
        "SMALLER",
        'x: expected one of "SMALL", "LARGE", got string "SMALLER" (did you mean "SMALL"?)',
    ),
    (Enum(Size), 1, 'x: expected one of "SMALL", "LARGE", got number 1'),
    (Enum(Size, by="value"), True, "x: expected one of 1, 2, got boolean true"),
    (Enum(Size, by="value"), "1", 'x: expected one of 1, 2, got string "1"'),
    (Integer(nullable=True), "3", 'x: expected integer or null, got string "3"'),
    (Enum("a", nullable=True), "b", 'x: expected one of "a", null, got string "b"'),
    (Integer(minimum=1), 0, "x: expected at least 1, got number 0"),
    (Integer(maximum=1), 2, "x: expected at most 1, got number 2"),
    (Integer(exclusive_minimum=1), 1, "x: expected more than 1, got number 1"),
    (Integer(exclusive_maximum=1), 1, "x: expected less than 1, got number 1"),
    (Integer(multiple_of=3), 4, "x: expected a multiple of 3, got number 4"),
    (Double(minimum=0.5), 0.25, "x: expected at least 0.5, got number 0.25"),
    (Double(multiple_of=0.1), 0.25, "x: expected a multiple of 0.1, got number 0.25"),
    (String(min_length=2), "a", 'x: expected at least 2 characters, got string "a"'),
    (String(max_length=1), "ab", 'x: expected at most 1 character, got string "ab"'),
    (String(pattern="^a+$"), "b", 'x: expected a match of the pattern ^a+$, got string "b"'),
    (
        String(format="date"),
        "28.7.2026",
        'x: expected a date such as 2026-07-28, got string "28.7.2026"',
    ),
]


def label(value: object) -> str:
    return repr(value)[:40] if isinstance(value, Field) else ascii(value)[:40]


@pytest.mark.parametrize(("field", "value", "expected"), ACCEPTED, ids=label)
def test_a_field_takes_what_its_type_is_exactly(
    field: Field[Any, Any], value: Any, expected: Any
) -> None:
    got = accepted(field, value)
    assert got == expected
    assert type(got) is type(expected)


@pytest.mark.parametrize(("field", "value", "message"), REFUSED, ids=label)
def test_a_field_refuses_all_else_and_says_what_it_wants(
    field: Field[Any, Any], value: Any, message: str
) -> None:
    assert refusal(lambda: accepted(field, value)) == message


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [row for row in REFUSED if row[0].to_json is None],
    ids=label,
)
def test_the_constructor_refuses_in_the_same_words(
    field: Field[Any, Any], value: Any, message: str
) -> None:
    assert refusal(lambda: holder(x=field)(x=value)) == message


@pytest.mark.parametrize(
    ("field", "value", "got"),
    [
        (Enum(Size), "SMALL", 'string "SMALL"'),
        (Enum(Size), 1, "number 1"),
        (Enum(Size), Level.LOW, "number 1"),
        (Enum(Size), Color.RED, "a Python Color"),
    ],
)
def test_the_constructor_wants_a_member_itself(
    field: Field[Any, Any], value: Any, got: str
) -> None:
    message = refusal(lambda: holder(x=field)(x=value))
    assert message == f"x: expected a member of Size, got {got}"


def test_a_string_field_keeps_a_string_byte_for_byte() -> None:
    for text in ("[1,2]", "null", "3", "true", '"quoted"', " ", "\r\n", "\ufeff", "é", "e\u0301"):
        assert accepted(String(), text) is text


@pytest.mark.parametrize(
    ("value", "held"),
    [(Text("a"), "a"), (Mode.FAST, "fast")],
    ids=["a subclass of str", "a member of a StrEnum"],
)
def test_a_string_field_takes_subclasses_of_str(value: str, held: str) -> None:
    assert accepted(String(), value) == held


def test_a_message_shows_no_more_than_the_start_of_a_long_value() -> None:
    message = refusal(lambda: accepted(Integer(), "x" * 1_000_000))
    assert message == 'x: expected integer, got string "' + "x" * 78 + "…"


def test_a_message_shows_the_size_of_an_integer_too_large_to_write() -> None:
    assert refusal(lambda: accepted(String(), 10**5000)) == (
        "x: expected string, got number <int of 16610 bits>"
    )


def test_a_message_lists_no_more_than_the_first_members_of_a_long_enum() -> None:
    field = Enum(*(f"m{index}" for index in range(100)))
    message = refusal(lambda: accepted(field, 3))
    listed = ", ".join(f'"m{index}"' for index in range(20))
    assert message == f"x: expected one of {listed} and 80 more, got number 3"


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize(
    "field", [String(), Double(), Integer(), Boolean(), Enum("a"), Enum(Size), Enum("a", "b")]
)
def test_a_value_nested_beyond_all_bounds_is_a_fault_like_another(
    field: Field[Any, Any], depth: int
) -> None:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    message = refusal(lambda: accepted(field, value))
    assert message.startswith("x: expected ")
    assert ", got array " in message
    assert len(message) < 200


PUBLISHED: list[tuple[Field[Any, Any], dict[str, Any]]] = [
    (String(), {"type": "string"}),
    (Double(), {"type": "number"}),
    (Integer(), {"type": "integer"}),
    (Boolean(), {"type": "boolean"}),
    (Enum("b", "a"), {"type": "string", "enum": ["b", "a"]}),
    (Enum(Color), {"type": "string", "enum": ["r", "g"]}),
    (Enum(Color, by="name"), {"type": "string", "enum": ["RED", "GREEN"]}),
    (Enum(Size), {"type": "string", "enum": ["SMALL", "LARGE"]}),
    (Enum(Size, by="value"), {"type": "integer", "enum": [1, 2]}),
    (Enum(Level), {"type": "string", "enum": ["LOW", "HIGH"]}),
    (Enum(Mode), {"type": "string", "enum": ["fast", "slow"]}),
    (Enum(Mixed), {"type": "string", "enum": ["ONE", "TWO"]}),
    (Enum(*Mode), {"type": "string", "enum": ["fast", "slow"]}),
    (Integer(required=False), {"type": "integer"}),
    (Integer(default=3), {"type": "integer", "default": 3}),
    (Double(default=3), {"type": "number", "default": 3}),
    (Integer(default=None), {"type": "integer"}),
    (Integer(nullable=True), {"type": ["integer", "null"]}),
    (Integer(nullable=True, default=None), {"type": ["integer", "null"], "default": None}),
    (Enum("a", nullable=True), {"type": ["string", "null"], "enum": ["a", None]}),
    (Enum(Color, default=Color.GREEN), {"type": "string", "enum": ["r", "g"], "default": "g"}),
    (Boolean(default=False), {"type": "boolean", "default": False}),
    (String(title="T", description="D"), {"type": "string", "title": "T", "description": "D"}),
    (String(examples=["a", "b"]), {"type": "string", "examples": ["a", "b"]}),
    (Enum(Size, examples=["LARGE"]), {**property_of(Enum(Size)), "examples": ["LARGE"]}),
    (String(deprecated=True), {"type": "string", "deprecated": True}),
    (String(deprecated=False), {"type": "string"}),
    (String(header="X-Region"), {"type": "string", "x-mcp-header": "X-Region"}),
    (
        Integer(minimum=1, maximum=9, exclusive_minimum=0, exclusive_maximum=10, multiple_of=2),
        {
            "type": "integer",
            "minimum": 1,
            "maximum": 9,
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 10,
            "multipleOf": 2,
        },
    ),
    (Double(minimum=0.5, maximum=None), {"type": "number", "minimum": 0.5}),
    (
        String(min_length=1, max_length=9, pattern="^a", format="date"),
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a", "format": "date"},
    ),
    (String(aliases=("y", "z")), {"type": "string"}),
]


@pytest.mark.parametrize(("field", "schema"), PUBLISHED, ids=label)
def test_a_field_publishes_a_lean_schema(field: Field[Any, Any], schema: dict[str, Any]) -> None:
    published = property_of(field)
    assert published == schema
    assert list(published) == [
        keyword
        for keyword in (
            "type",
            "title",
            "description",
            "enum",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "default",
            "examples",
            "deprecated",
            "x-mcp-header",
        )
        if keyword in schema
    ]


def test_the_options_of_presence_combine() -> None:
    """Whether the key may be left out, what it is then, and whether it may be null."""
    rows: list[tuple[dict[str, Any], bool, Any, bool]] = [
        ({}, True, None, False),
        ({"required": True}, True, None, False),
        ({"required": False}, False, None, False),
        ({"nullable": True}, True, None, True),
        ({"required": False, "nullable": True}, False, None, True),
        ({"default": 3}, False, 3, False),
        ({"default": 3, "required": True}, False, 3, False),
        ({"default": 3, "required": False}, False, 3, False),
        ({"default": 3, "nullable": True}, False, 3, True),
        ({"default": 3, "required": False, "nullable": True}, False, 3, True),
        ({"default": None}, False, None, False),
        ({"default": None, "nullable": True}, False, None, True),
        ({"default": None, "required": False, "nullable": True}, False, None, True),
    ]
    for options, required, absent, nullable in rows:
        args = holder(x=Integer(**options))
        assert ("required" in schema_of(args)) is required, options
        if required:
            assert refusal(lambda: structure({}, args)) == (  # noqa: B023
                f"x: missing; expected integer{' or null' if nullable else ''}"
            )
        else:
            assert structure({}, args).x == absent, options
            assert args().x == absent, options
        if nullable:
            assert structure({"x": None}, args).x is None, options
        else:
            hint = "" if required else "; leave the key out instead"
            assert refusal(lambda: structure({"x": None}, args)) == (  # noqa: B023
                f"x: expected integer, got null{hint}"
            )


def test_null_for_an_optional_field_is_told_to_leave_the_key_out() -> None:
    for field in (String(required=False), Double(default=1), Boolean(default=None)):
        message = refusal(lambda: accepted(field, None))  # noqa: B023
        assert message == (
            f"x: expected {field.schema()['type']}, got null; leave the key out instead"
        )
    assert refusal(lambda: accepted(Enum("a", "b", required=False), None)) == (
        'x: expected one of "a", "b", got null; leave the key out instead'
    )


@pytest.mark.parametrize(
    ("value", "divisor", "fits"),
    [
        (0.3, 0.1, True),
        (19.99, 0.01, True),
        (1e308, 0.1, True),
        (1.5, 0.4, False),
        (3, 1.5, True),
        (10**400, 0.5, True),
        (7.0, 7, True),
        (0, 0.7, True),
        (-0.3, 0.1, True),
        (5e-324, 5e-324, True),
        (1e-7, 3e-8, False),
        (sys.float_info.max, sys.float_info.min, False),
    ],
)
def test_multiple_of_is_exact_in_decimal(value: float, divisor: float, fits: bool) -> None:
    field = Integer(multiple_of=divisor) if isinstance(value, int) else Double(multiple_of=divisor)  # type: ignore[call-overload]
    if fits:
        assert accepted(field, value) == value
    else:
        assert "expected a multiple of" in refusal(lambda: accepted(field, value))


def test_length_counts_characters() -> None:
    assert accepted(String(max_length=1), "\U0001f600") == "\U0001f600"
    assert accepted(String(min_length=2), "e\u0301") == "e\u0301"


class Half(float):
    pass


class Three(int):
    pass


def test_subclasses_of_float_and_int_count_as_numbers() -> None:
    assert type(accepted(Integer(), Half(3.0))) is int
    assert accepted(Integer(), Three(3)) == 3
    assert type(accepted(Double(), Three(3))) is float
    assert accepted(Double(multiple_of=0.5), Half(1.5)) == 1.5
    assert accepted(Integer(), Level.HIGH) == 2


def test_a_field_says_what_it_is() -> None:
    class Args(MCPArgs):
        a = String()
        b = Integer(default=3)

    assert repr(Args.a) == "<String field a>"
    assert repr(Args.b) == "<Integer field b, optional>"
    assert repr(String()) == "<String field>"
