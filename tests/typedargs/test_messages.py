"""Twenty wrong inputs of an order form, and the exact words for each.

Each message names the path, what was expected there, and what was sent: whoever reads it, and
nothing else, can mend the call. Reviewed as a whole; a change of words is a change here.
"""

import copy
import datetime
import decimal
from collections.abc import Callable
from typing import Any

import pytest

from tests.typedargs.helpers import refusal
from typedargs import (
    UUID,
    Array,
    AtLeastOneOf,
    Boolean,
    Const,
    Date,
    Decimal,
    Email,
    Enum,
    Integer,
    Map,
    MCPArgs,
    Nested,
    OneOf,
    String,
    Tuple,
    structure,
)


class Article(MCPArgs):
    sku = String(pattern="^[A-Z]{3}-[0-9]+$")
    color = Enum("red", "green", "blue", required=False)
    price = Decimal()


class Line(MCPArgs):
    article = Nested(Article)
    count = Integer(minimum=1, maximum=99, aliases=("quantity",))
    gift = Boolean(default=False)
    size = Tuple(Integer(), Integer(), required=False)


class ByPost(MCPArgs):
    by = Const("post")
    street = String(min_length=1)
    city = String()


class ByMail(MCPArgs):
    by = Const("mail")
    address = Email()


class Buyer(MCPArgs, extra="forbid"):
    name = String()
    mail = Email(required=False)
    phone = String(required=False)

    reachable = AtLeastOneOf(mail, phone)


class OrderForm(MCPArgs):
    id = UUID()
    buyer = Nested(Buyer)
    lines = Array(Line, min_items=1, max_items=3)
    delivery = OneOf(ByPost, ByMail, tag="by")
    wanted = Date(required=False)
    notes = Map(String(max_length=10), key_pattern="^[a-z]+$", default={})


GOOD: dict[str, Any] = {
    "id": "123e4567-e89b-12d3-a456-426614174000",
    "buyer": {"name": "Ada", "mail": "ada@example.com"},
    "lines": [
        {"article": {"sku": "ABC-1", "color": "red", "price": "1.50"}, "count": 2},
        {"article": {"sku": "ABC-2", "price": 3}, "count": 1, "size": [3, 4]},
    ],
    "delivery": {"by": "post", "street": "1 High St", "city": "Rome"},
    "wanted": "2026-07-28",
    "notes": {"door": "green"},
}


def article(form: Any) -> Any:
    return form["lines"][1]["article"]


WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (
        lambda form: form.pop("id"),
        "id: missing; expected a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    ),
    (
        lambda form: form.update(id=7),
        "id: expected a UUID such as 123e4567-e89b-12d3-a456-426614174000, got number 7",
    ),
    (
        lambda form: form.update(wanted="28.7.2026"),
        'wanted: expected a date such as 2026-07-28, got string "28.7.2026"',
    ),
    (
        lambda form: form.update(wanted=None),
        "wanted: expected a date such as 2026-07-28, got null; leave the key out instead",
    ),
    (
        lambda form: form.update(lines=form["lines"][0]),
        "lines: expected array, got object "
        '{"article":{"sku":"ABC-1","color":"red","price":"1.50"},"count":2}',
    ),
    (
        lambda form: form.update(lines=[]),
        "lines: expected at least 1 item, got array []",
    ),
    (
        lambda form: form["lines"][0].update(count="2"),
        'lines[0].count: expected integer, got string "2"',
    ),
    (
        lambda form: form["lines"][1].update(count=100),
        "lines[1].count: expected at most 99, got number 100",
    ),
    (
        lambda form: form["lines"][1].update(amount=form["lines"][1].pop("count")),
        "lines[1].count: missing; expected integer\n"
        'ignored unknown key: "lines[1].amount" (did you mean "count"?)',
    ),
    (
        lambda form: form["lines"][1].update(quantity=1),
        'lines[1].count: given twice, also under an alias; send only "count"',
    ),
    (
        lambda form: form["lines"][1].update(size=[3]),
        "lines[1].size: expected at least 2 items, got array [3]",
    ),
    (
        lambda form: article(form).update(sku="abc-1"),
        "lines[1].article.sku: expected a match of the pattern ^[A-Z]{3}-[0-9]+$, "
        'got string "abc-1"',
    ),
    (
        lambda form: article(form).update(price="1,50"),
        'lines[1].article.price: expected a decimal number such as 1.50, got string "1,50"',
    ),
    (
        lambda form: article(form).update(color="Red"),
        'lines[1].article.color: expected one of "red", "green", "blue", got string "Red" '
        '(did you mean "red"?)',
    ),
    (
        lambda form: form["lines"][1].update(article="ABC-2"),
        'lines[1].article: expected object, got string "ABC-2"',
    ),
    (
        lambda form: form["delivery"].update(by="pigeon"),
        'delivery.by: expected one of "post", "mail", got string "pigeon"',
    ),
    (
        lambda form: form["delivery"].update(by="mail"),
        "delivery.address: missing; expected an e-mail address such as ada@example.com",
    ),
    (
        lambda form: form["delivery"].pop("by"),
        'delivery.by: missing; expected one of "post", "mail"',
    ),
    (
        lambda form: form.update(buyer={"name": "Ada", "email": "ada@example.com"}),
        'buyer.email: unknown key; expected one of the keys "name", "mail", "phone" '
        '(did you mean "mail"?)\n'
        "buyer: expected at least one of mail, phone, got none",
    ),
    (
        lambda form: form.update(notes={"Door": "green", "gate": "the green one"}),
        'notes.Door: expected a match of the pattern ^[a-z]+$, got string "Door"\n'
        'notes.gate: expected at most 10 characters, got string "the green one"',
    ),
]


def test_the_form_is_in_order() -> None:
    form = structure(GOOD, OrderForm)
    assert form.lines[1].article.price == decimal.Decimal(3)
    assert form.wanted == datetime.date(2026, 7, 28)
    assert form.delivery == ByPost(street="1 High St", city="Rome")


@pytest.mark.parametrize(("spoil", "message"), WRONG)
def test_each_fault_is_told_so_that_the_call_can_be_mended(
    spoil: Callable[[Any], Any], message: str
) -> None:
    form = copy.deepcopy(GOOD)
    spoil(form)
    assert refusal(lambda: structure(form, OrderForm)) == message


def test_all_faults_of_a_call_are_told_at_once() -> None:
    form = copy.deepcopy(GOOD)
    for spoil, _ in (WRONG[0], WRONG[2], WRONG[6], WRONG[11], WRONG[15]):
        spoil(form)
    assert refusal(lambda: structure(form, OrderForm)).splitlines() == [
        WRONG[0][1],
        WRONG[6][1],
        WRONG[11][1],
        WRONG[15][1],
        WRONG[2][1],
    ]
