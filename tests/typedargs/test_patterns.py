"""Regular expressions mean what JSON Schema says, not what Python says."""

import pytest

from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import compile_schema

TAKEN = [
    ("^[a-z]+$", "abc"),
    ("b", "abc"),
    ("", ""),
    ("[$]", "a$b"),
    (r"\$", "$"),
    (r"[\]$]", "$"),
    ("[^]$", "a"),
    (r"\{x\}", "{x}"),
    (r"^\p{Lu}\p{L}*$", "Élan"),
    (r"^(?<quote>'|!).*\k<quote>$", "'a'"),
    (r"^.$", "\U0001f432"),
    ("^\\ud83d\\udc32$", "\U0001f432"),
    (r"\\$", "\\"),
    ("a|b$", "b"),
    ("^(a$|b)", "bc"),
    (r"^\w+$", "abc_1"),
    (r"[\w-]$", "a-"),
    ("'\"", "'\""),
    ("é", "café"),
]
REFUSED = [
    ("^[a-z]+$", "abc\n"),
    ("a$", "a\n"),
    ("^(a$|b)", "a\n"),
    (r"^\d+$", "\u0661\u0662"),
    (r"^\w+$", "é"),
    ("^a", "\na"),
    (r"[\\]$", "\\\n"),
    ("[]", "a"),
    (r"\s", "\x1c"),
    (".", "\u2028"),
]
FOREIGN = [
    ("(?P<a>x)", "unknown kind of group"),
    ("(?i)x", "unknown kind of group"),
    (r"\Ax", r"\A has no meaning"),
    (r"x\Z", r"\Z has no meaning"),
    ("a++", "+ stands alone; write \\+ for the character"),
    ("{x}", "{ stands alone; write \\{ for the character"),
    ("[a-", "a character class is not closed"),
    ("[b-a]", "a range is out of order, or not between characters"),
    ("a{2,1}", "a quantifier's bounds are out of order"),
    ("^*", "an assertion cannot be repeated"),
    (r"\1", "there is no group 1"),
    ("(?<a>x)(?<a>y)", "two groups are named a"),
]


@pytest.mark.parametrize(("pattern", "text"), TAKEN)
def test_a_text_with_a_match_anywhere_is_taken(pattern: str, text: str) -> None:
    assert compile_schema({"pattern": pattern})(text) == text
    assert compile_schema({"type": "string", "pattern": pattern})(text) == text


@pytest.mark.parametrize(("pattern", "text"), REFUSED)
def test_a_text_without_a_match_is_refused(pattern: str, text: str) -> None:
    message = refusal(lambda: compile_schema({"pattern": pattern})(text))
    assert message.startswith(f"expected a match of the pattern {pattern}, got string ")


@pytest.mark.parametrize(("pattern", "why"), FOREIGN)
def test_what_is_no_pattern_of_ecma_262_is_refused_with_why(pattern: str, why: str) -> None:
    message = schema_refusal(lambda: compile_schema({"pattern": pattern}))
    assert message.startswith(
        '"pattern" at /pattern must be a regular expression of ECMA-262, got '
    )
    assert f": {why}" in message


def test_a_search_that_takes_too_long_refuses_the_value() -> None:
    hostile = "^(a|aa)+$"
    validate = compile_schema({"pattern": hostile})
    assert validate("aaa") == "aaa"
    assert refusal(lambda: validate("a" * 60 + "b")) == (
        "expected text in which each pattern is searched within 0.25 s"
    )
    negated = compile_schema({"not": {"pattern": hostile}})
    assert refusal(lambda: negated("a" * 60 + "b")).startswith(
        "expected text in which each pattern"
    )
