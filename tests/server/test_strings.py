"""Arguments that are strings on the wire, made into what the schema wants."""

from decimal import Decimal
from typing import Any

import pytest

from typedargs_server import RegistrationError
from typedargs_server.strings import candidates, check_flat, from_strings


def value(text: Any, schema: Any) -> Any:
    return from_strings({"a": text}, {"properties": {"a": schema}}, {})["a"]


INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("text", "schema", "wanted"),
    [
        ("3", INTEGER, 3),
        ("-3", INTEGER, -3),
        ("0", INTEGER, 0),
        ("3.0", INTEGER, 3.0),
        ("9" * 30, INTEGER, int("9" * 30)),
        ("9" * 4300, INTEGER, int("9" * 4300)),
        ("9" * 5000, NUMBER, Decimal("9" * 5000)),
        ("3", NUMBER, 3),
        ("2.5e3", NUMBER, 2500.0),
        ("1e999", NUMBER, Decimal("1e999")),
        ("true", BOOLEAN, True),
        ("false", BOOLEAN, False),
        ("null", {"type": ["integer", "null"]}, None),
        ("7", {"type": ["integer", "null"]}, 7),
        ("null", {"type": ["string", "null"]}, "null"),
        ("3", STRING, "3"),
        ("true", STRING, "true"),
        ("1.50", {"type": ["string", "number"]}, "1.50"),
        ("b", {"enum": ["a", "b"]}, "b"),
        ("1", {"enum": ["a", 1]}, 1),
        ("1", {"enum": ["1", 1]}, "1"),
        ("true", {"enum": [1, True]}, True),
        ("1", {"enum": [True]}, "1"),
        ("null", {"enum": ["a", None]}, None),
        ("3", {"const": 3}, 3),
        ("3", {}, "3"),
        ("3", True, "3"),
        (["1", "2"], {"type": "array", "items": INTEGER}, [1, 2]),
        (["1", "x"], {"type": "array", "items": INTEGER}, [1, "x"]),
    ],
)
def test_a_string_becomes_the_value_that_the_schema_wants(
    text: Any, schema: Any, wanted: Any
) -> None:
    got = value(text, schema)
    assert got == wanted
    assert type(got) is type(wanted)


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("", INTEGER),
        ("three", INTEGER),
        ("+3", INTEGER),
        ("03", INTEGER),
        (" 3", INTEGER),
        ("3\n", INTEGER),
        ("\u0663", INTEGER),
        ("1_000", INTEGER),
        ("0x10", INTEGER),
        ("NaN", NUMBER),
        ("Infinity", NUMBER),
        ("1.", NUMBER),
        (".5", NUMBER),
        ("1e" + "9" * 30, NUMBER),
        ("True", BOOLEAN),
        ("1", BOOLEAN),
        ("yes", BOOLEAN),
        ("null", INTEGER),
        ("c", {"enum": ["a", "b"]}),
        ("2", {"enum": [1]}),
    ],
)
def test_what_is_no_literal_stays_a_string_for_the_check_to_name(text: str, schema: Any) -> None:
    assert value(text, schema) == text


def test_an_older_key_is_read_like_the_current_one() -> None:
    schema = {"properties": {"limit": INTEGER}}
    given = {"max": "3", "other": "3"}
    assert from_strings(given, schema, {"max": "limit"}) == {"max": 3, "other": "3"}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "object"}, "x: a is given as a string, which an object cannot be"),
        ({"type": "array"}, "x: a is given as a string, which an array cannot be"),
        ({"type": ["array", "null"]}, "x: a is given as a string, which an array cannot be"),
        ({}, "x: a is given as a string, which a value of {} cannot be"),
        (True, "x: a is given as a string, which a value of true cannot be"),
        (
            {"anyOf": [INTEGER, STRING]},
            'x: a is given as a string, which a value of {"anyOf":[{"type":"integer"},'
            '{"type":"string"}]} cannot be',
        ),
        (
            {"enum": [[1]]},
            'x: a is given as a string, which a value of {"enum":[[1]]} cannot be',
        ),
    ],
)
def test_what_cannot_be_given_as_a_string_is_refused(schema: Any, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        check_flat("x", {"properties": {"a": schema}})
    assert str(caught.value) == f"{message}; make it a string, a number, a boolean or an enum"


@pytest.mark.parametrize(
    "schema", [STRING, {"type": "array"}, {"type": "array", "items": {"type": "array"}}]
)
def test_a_list_must_be_of_what_strings_can_be(schema: Any) -> None:
    with pytest.raises(RegistrationError) as caught:
        check_flat("x", {"properties": {"a": schema}}, lists={"a"})
    assert str(caught.value) == (
        "x: a is given as a list of strings; "
        "make it an Array of strings, numbers, booleans or enums"
    )


@pytest.mark.parametrize(
    "schema", [STRING, INTEGER, NUMBER, BOOLEAN, {"type": ["string", "null"]}, {"const": 3}]
)
def test_scalars_may_be_given_as_strings(schema: Any) -> None:
    check_flat("x", {"properties": {"a": schema}})
    check_flat("x", {"properties": {"a": {"type": "array", "items": schema}}}, lists=["a"])


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"enum": ["b", "a", None, 1, True]}, ["b", "a", "1", "true"]),
        ({"const": "x"}, ["x"]),
        (BOOLEAN, ["true", "false"]),
        ({"type": ["boolean", "null"]}, ["true", "false"]),
        ({"type": "array", "items": {"enum": ["a"]}}, ["a"]),
        (STRING, []),
        ({}, []),
    ],
)
def test_the_values_that_a_schema_lists_are_candidates(schema: Any, texts: list[str]) -> None:
    assert candidates(schema) == texts
