"""Regular expressions mean what JSON Schema says, not what Python says."""

import pytest

from tests.typedargs.helpers import refusal
from typedargs import compile_schema

TAKEN = [
    ("^[a-z]+$", "abc"),
    ("b", "abc"),
    ("", ""),
    ("[$]", "a$b"),
    (r"\$", "$"),
    (r"[\]$]", "$"),
    ("[]$]", "$"),
    ("[^]$]", "a"),
    (r"\\$", "\\"),
    ("a|b$", "b"),
    ("^(a$|b)", "bc"),
    (r"^\w+$", "abc_1"),
    (r"[\w-]$", "a-"),
    ("{x}", "{x}"),
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
]


@pytest.mark.parametrize(("pattern", "text"), TAKEN)
def test_a_text_with_a_match_anywhere_is_taken(pattern: str, text: str) -> None:
    assert compile_schema({"pattern": pattern})(text) == text
    assert compile_schema({"type": "string", "pattern": pattern})(text) == text


@pytest.mark.parametrize(("pattern", "text"), REFUSED)
def test_a_text_without_a_match_is_refused(pattern: str, text: str) -> None:
    message = refusal(lambda: compile_schema({"pattern": pattern})(text))
    assert message.startswith(f"expected a match of the pattern {pattern}, got string ")
