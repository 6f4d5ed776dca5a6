"""What is raised, and its text."""

import copy
import pickle
from decimal import Decimal
from typing import Any

import pytest

from typedargs import (
    IgnoredKey,
    Issue,
    SchemaError,
    TypedArgsError,
    ValidationError,
    nearest,
)
from typedargs._literal import Literal
from typedargs.errors import described, path_text, shown

HUGE = 10**5000


def label(value: Any) -> str:
    return "huge" if value is HUGE else ascii(value)[:20]


def test_both_errors_are_value_errors_of_one_root() -> None:
    for error in (SchemaError, ValidationError):
        assert issubclass(error, TypedArgsError)
        assert issubclass(error, ValueError)


def test_the_text_lists_every_fault_and_then_the_ignored_keys() -> None:
    error = ValidationError(
        [Issue("a[2].b", "expected x, got y", "type", "x"), Issue("", "expected z", "rule", "z")],
        [IgnoredKey("c", "a"), IgnoredKey("d")],
    )
    assert str(error) == (
        'a[2].b: expected x, got y\nexpected z\nignored unknown keys: "c" (did you mean "a"?), "d"'
    )


def test_the_text_is_cut_and_the_data_are_not() -> None:
    issues = [Issue(str(index), "bad", "type", "good") for index in range(30)]
    error = ValidationError(issues, [IgnoredKey(str(index)) for index in range(30)])
    lines = str(error).splitlines()
    assert lines[:2] == ["0: bad", "1: bad"]
    assert lines[19:21] == ["19: bad", "and 10 more faults"]
    assert lines[21].startswith('ignored unknown keys: "0", ')
    assert lines[21].endswith('"19" and 10 more')
    assert len(error.issues) == len(error.ignored) == 30


def test_one_fault_more_than_is_shown_is_one_fault() -> None:
    issues = [Issue(str(index), "bad", "type", "good") for index in range(21)]
    assert str(ValidationError(issues)).endswith("\nand 1 more fault")


def test_errors_can_be_copied_and_pickled() -> None:
    error = ValidationError([Issue("a", "m", "type", "e")], [IgnoredKey("b")])
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(twin), twin.issues, twin.ignored) == (str(error), error.issues, error.ignored)
    schema_error = SchemaError("m", keyword="k", pointer="/k")
    for twin in (copy.copy(schema_error), pickle.loads(pickle.dumps(schema_error))):
        assert (str(twin), twin.keyword, twin.pointer) == ("m", "k", "/k")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", "b"), "a.b"),
        (("items", 2, "price"), "items[2].price"),
        ((0,), "[0]"),
        (("a.b",), '["a.b"]'),
        (("a", "[0]"), 'a["[0]"]'),
        (("",), '[""]'),
        (("a", "x" * 100), 'a["' + "x" * 78 + "…]"),
    ],
)
def test_a_path_reads_like_code(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ('"\n', '"\\"\\n"'),
        ("\ud800", '"\\\\ud800"'),
        ("x" * 100, '"' + "x" * 78 + "…"),
        ([1, None], "[1,null]"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (HUGE, "<int of 16610 bits>"),
        (object(), "<object>"),
        ({1: {2}}, '{"1":[2]}'),
    ],
    ids=label,
)
def test_a_value_is_shown_as_json_cut_to_a_length(value: Any, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "boolean true"),
        (1, "number 1"),
        (1.0, "number 1.0"),
        ("1", 'string "1"'),
        ([], "array []"),
        ({"a": 1}, 'object {"a":1}'),
        (Decimal("-1e999"), "number -1E+999 (out of range)"),
        (Decimal("1e1000000"), "number 1E+1000000 (out of range)"),
        (Decimal("-Infinity"), "number -Infinity (out of range)"),
        (Literal("1.50"), "number 1.50"),
        ([Literal("2e3")], "array [2e3]"),
        (Decimal("0.1"), "a Python Decimal"),
        (Decimal("NaN"), "a Python Decimal"),
        (Decimal("sNaN"), "a Python Decimal"),
        (Decimal("1" * 5000), "number " + "1" * 80 + " (out of range)"),
        ((1,), "a Python tuple"),
        (object, "a Python type"),
    ],
    ids=label,
)
def test_what_was_got_is_described_by_its_json_type(value: Any, text: str) -> None:
    assert described(value) == text


@pytest.mark.parametrize(
    ("name", "known", "close"),
    [
        ("limt", ["limit", "query"], "limit"),
        ("LIMIT", ["limit", "query"], "limit"),
        ("maxResults", ["max_results"], "max_results"),
        ("zzz", ["limit"], None),
        ("", ["limit"], None),
        ("limit", [], None),
        ("limit" + "x" * 1_000_000, ["limit"], None),
    ],
    ids=label,
)
def test_the_nearest_name_is_found_whatever_its_case(
    name: str, known: list[str], close: str | None
) -> None:
    assert nearest(name, known) == close
