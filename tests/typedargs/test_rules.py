"""Rules over several fields: enforced inwards and in the constructor, published in words."""

import copy
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import attrs
import pytest

from tests.typedargs.helpers import holder, refusal, schema_refusal
from typedargs import (
    AllOrNone,
    AtLeastOneOf,
    AtMostOneOf,
    ExactlyOneOf,
    Integer,
    MCPArgs,
    Requires,
    Rule,
    String,
    ValidationError,
    schema_of,
    structure,
    unstructure,
)

A, B, C = "a", "b-b", "c"


def ruled(rule: Rule) -> Any:
    return holder(
        a=Integer(required=False),
        b=Integer(required=False, name="b-b", aliases=("bb",)),
        c=Integer(required=False, nullable=True),
        rule=rule,
    )


SENTENCES = [
    (ExactlyOneOf, "Give exactly one of a, b-b, c."),
    (AtLeastOneOf, "Give at least one of a, b-b, c."),
    (AtMostOneOf, "Give at most one of a, b-b, c."),
    (AllOrNone, "Give a, b-b, c together or not at all."),
    (Requires, "Where a is given, give b-b, c too."),
]

BROKEN: list[tuple[type[Rule], set[str], str | None]] = [
    (ExactlyOneOf, set(), "expected exactly one of a, b-b, c, got none"),
    (ExactlyOneOf, {A}, None),
    (ExactlyOneOf, {A, C}, "expected exactly one of a, b-b, c, got a, c"),
    (AtLeastOneOf, set(), "expected at least one of a, b-b, c, got none"),
    (AtLeastOneOf, {B}, None),
    (AtLeastOneOf, {A, B, C}, None),
    (AtMostOneOf, set(), None),
    (AtMostOneOf, {C}, None),
    (AtMostOneOf, {A, B, C}, "expected at most one of a, b-b, c, got a, b-b, c"),
    (AllOrNone, set(), None),
    (AllOrNone, {A, B, C}, None),
    (AllOrNone, {B}, "expected a, b-b, c together or not at all, got no a, c"),
    (Requires, set(), None),
    (Requires, {B}, None),
    (Requires, {A, B, C}, None),
    (Requires, {A}, "expected b-b, c beside a, got none"),
    (Requires, {A, B}, "expected c beside a, got none"),
]


@pytest.mark.parametrize(("kind", "sentence"), SENTENCES)
def test_a_rule_is_published_in_words_and_in_no_other_way(kind: type[Rule], sentence: str) -> None:
    schema = schema_of(ruled(kind("a", "b", "c")))
    assert schema["description"] == sentence
    assert list(schema) == ["type", "description", "properties"]


@pytest.mark.parametrize(("kind", "given", "message"), BROKEN)
def test_a_rule_holds_for_json_and_for_the_constructor(
    kind: type[Rule], given: set[str], message: str | None
) -> None:
    args = ruled(kind("a", "b", "c"))
    json = dict.fromkeys(sorted(given), 1)
    values: dict[str, Any] = {key.partition("-")[0]: 1 for key in given}
    if message is None:
        made = structure(json, args)
        assert made == args(**values) == attrs.evolve(made) == copy.copy(made)
        assert structure(unstructure(made), args) == made
    else:
        assert refusal(lambda: structure(json, args)) == message
        assert refusal(lambda: args(**values)) == message


def test_rules_follow_the_docstring_in_the_description() -> None:
    class Args(MCPArgs):
        """Fetch a file."""

        path = String(required=False)
        url = String(required=False)
        token = String(required=False)

        source = ExactlyOneOf(path, url)
        token_needs_url = Requires(token, "url")

    assert schema_of(Args)["description"] == (
        "Fetch a file.\nGive exactly one of path, url. Where token is given, give url too."
    )
    assert refusal(lambda: structure({"token": "t"}, Args)) == (
        "expected exactly one of path, url, got none\nexpected url beside token, got none"
    )


def test_a_broken_rule_is_reported_beside_the_other_faults() -> None:
    with pytest.raises(ValidationError) as caught:
        structure({"a": "x", "zzz": 1, "bb": 2}, ruled(AtMostOneOf("a", "b")))
    assert str(caught.value) == (
        'a: expected integer, got string "x"\n'
        "expected at most one of a, b-b, got a, b-b\n"
        'ignored unknown key: "zzz"'
    )
    assert [(issue.path, issue.keyword, issue.expected) for issue in caught.value.issues] == [
        ("a", "type", "integer"),
        ("", "rule", "Give at most one of a, b-b."),
    ]


def test_a_null_counts_as_not_given() -> None:
    """As an instance has it, which does not know a null from a key that was left out."""
    args = ruled(AtLeastOneOf("a", "c"))
    message = "expected at least one of a, c, got none"
    assert refusal(lambda: structure({"c": None}, args)) == message
    assert refusal(lambda: args(c=None)) == message
    made = structure({"c": None, "a": 1}, args)
    assert structure(unstructure(made), args) == made


def test_zero_false_and_empty_count_as_given() -> None:
    args = holder(a=Integer(required=False), s=String(required=False), rule=ExactlyOneOf("a", "s"))
    assert structure({"a": 0}, args) == args(a=0)
    assert structure({"s": ""}, args) == args(s="")


class AscendingKeys(Rule):
    """A rule of one's own."""

    least = 1

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Give {keys[0]} last."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        return "expected nothing" if keys[0] in given else None


def test_a_rule_of_ones_own_is_a_subclass() -> None:
    args = ruled(AscendingKeys("a"))
    assert refusal(lambda: structure({"a": 1}, args)) == "expected nothing"
    assert schema_of(args)["description"] == "Give a last."


stray = String()

MISTAKES: list[tuple[Any, str]] = [
    (lambda: ExactlyOneOf("a"), "ExactlyOneOf takes at least 2 fields"),
    (lambda: Requires(), "Requires takes at least 2 fields"),
    (
        lambda: ruled(ExactlyOneOf("a", "x")),
        'Args: ExactlyOneOf names "x", which is no field of the class',
    ),
    (
        lambda: ruled(ExactlyOneOf("a", stray)),
        "Args: ExactlyOneOf names <String field, optional>, which is no field of the class; "
        "a class that removes the field sets the rule's name to None too".replace(", optional", ""),
    ),
    (lambda: ruled(ExactlyOneOf("a", "a")), "Args: ExactlyOneOf names a field twice"),
    (
        lambda: holder(a=Integer(), b=Integer(required=False), rule=AtMostOneOf("a", "b")),
        "Args: AtMostOneOf speaks of a, which is always given; declare it with required=False",
    ),
    (
        lambda: holder(a=Integer(), b=Integer(required=False), rule=Requires("a", "b")),
        "Args: Requires speaks of a, which is always given; declare it with required=False",
    ),
    (
        lambda: holder(a=Integer(default=1), b=Integer(required=False), rule=AtMostOneOf("a", "b")),
        "Args: AtMostOneOf speaks of a, which has a default and so is always given; "
        "declare it with required=False",
    ),
    (
        lambda: holder(a=Integer(required=False), b=Integer(default=1), rule=Requires("a", "b")),
        "Args: Requires speaks of b, which has a default and so is always given; "
        "declare it with required=False",
    ),
]


@pytest.mark.parametrize(("make", "message"), MISTAKES)
def test_a_rule_that_cannot_hold_is_an_error_where_it_stands(make: Any, message: str) -> None:
    assert schema_refusal(make) == message


def test_what_is_required_anyway_may_be_required_by_another() -> None:
    args = holder(a=Integer(required=False), b=Integer(), rule=Requires("a", "b"))
    assert structure({"b": 1}, args) == args(b=1)
