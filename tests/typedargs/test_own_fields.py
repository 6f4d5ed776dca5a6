"""Fields of one's own: subclasses of `Field` and of the fields that there are."""

from decimal import Decimal
from typing import Any

import pytest

from tests.typedargs.helpers import accepted, holder, refusal, schema_refusal
from typedargs import (
    Array,
    Field,
    Integer,
    MCPArgs,
    String,
    schema_of,
    structure,
    unstructure,
)


class Money(Field[Decimal]):
    """A field of one's own, as the documentation shows it."""

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{2}$"}

    def structure(self, value: Any, /) -> Decimal:
        return Decimal(value)

    def unstructure(self, value: Decimal, /) -> str:
        return f"{value:.2f}"


class Even(Integer):
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "multipleOf": 2}


class Prime(Integer):
    def structure(self, value: Any, /) -> int:
        if value < 2 or any(value % low == 0 for low in range(2, value)):
            raise ValueError("expected a prime number")
        return int(value)


class Names(Field[list[str]]):
    """A field whose values can be changed."""

    def schema(self) -> dict[str, Any]:
        return {"enum": [["a"], ["a", "b"], []]}


def test_a_field_of_ones_own_converts_both_ways() -> None:
    class Price(MCPArgs):
        price = Money(description="In euros", default=Decimal("1.50"))

    assert schema_of(Price)["properties"]["price"] == {
        "type": "string",
        "description": "In euros",
        "pattern": r"^-?[0-9]+\.[0-9]{2}$",
        "default": "1.50",
    }
    assert structure({"price": "2.00"}, Price).price == Decimal("2.00")
    assert structure({}, Price).price == Decimal("1.50")
    assert unstructure(Price(price=Decimal(3))) == {"price": "3.00"}
    assert refusal(lambda: structure({"price": "2"}, Price)) == (
        'price: expected a match of the pattern ^-?[0-9]+\\.[0-9]{2}$, got string "2"'
    )
    assert refusal(lambda: Price(price="2.00")).endswith('got string "2.00"')


class Named(Money):
    words = "an amount such as 2.50"


class Shout(String):
    """A field with words, whose values need no conversion."""

    words = "capital letters"

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^[A-Z]+$"}


@pytest.mark.parametrize(
    ("field", "json", "message"),
    [
        (Named(), "2.5", 'x: expected an amount such as 2.50, got string "2.5"'),
        (Named(), 2.5, "x: expected an amount such as 2.50, got number 2.5"),
        (Named(nullable=True), 2.5, "x: expected an amount such as 2.50 or null, got number 2.5"),
        (Array(Named()), ["2.5"], 'x[0]: expected an amount such as 2.50, got string "2.5"'),
        (Shout(), "a", 'x: expected capital letters, got string "a"'),
        (Shout(max_length=1), "AB", 'x: expected at most 1 character, got string "AB"'),
    ],
)
def test_a_field_of_ones_own_has_its_own_words(
    field: Field[Any, Any], json: Any, message: str
) -> None:
    assert refusal(lambda: accepted(field, json)) == message


def test_a_field_of_ones_own_may_narrow_another() -> None:
    assert refusal(lambda: accepted(Even(), 3)) == "x: expected a multiple of 2, got number 3"
    assert refusal(lambda: accepted(Prime(), 8)) == "x: expected a prime number, got number 8"
    assert accepted(Prime(), 7) == 7
    assert schema_refusal(lambda: holder(x=Prime(default=8))) == (
        "Args.x: the default is rejected by its own field: expected a prime number, got number 8"
    )


def test_a_default_that_can_be_changed_is_copied_for_each_instance() -> None:
    default = ["a"]

    class Args(MCPArgs):
        names = Names(default=default)

    made, structured = Args(), structure({}, Args)
    made.names.append("b")
    structured.names.append("c")
    default.append("d")
    assert Args().names == ["a"]
    assert structure({}, Args).names == ["a"]
    assert schema_of(Args)["properties"]["names"]["default"] == ["a"]


def test_a_field_without_a_schema_says_what_it_lacks() -> None:
    class Bare(Field[int]):
        pass

    with pytest.raises(NotImplementedError, match=r"^Bare must define schema\(\)$"):
        holder(x=Bare())


def test_a_schema_of_ones_own_is_held_against_the_dialect() -> None:
    class Odd(Field[int]):
        def schema(self) -> dict[str, Any]:
            return {"type": "integer", "unevaluatedItems": False}

    assert schema_refusal(lambda: holder(x=Odd())).startswith(
        'Args.x: "unevaluatedItems" at /unevaluatedItems is outside the enforced'
    )
