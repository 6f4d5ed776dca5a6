"""Numbers as they are written reach `Decimal` fields, and nothing else changes for it."""

import json
from decimal import Decimal as PythonDecimal
from typing import Any

import pytest

from tests.server.support import BOTH_ERAS, MODERN_META, initialize_params, request
from typedargs import (
    Array,
    Decimal,
    Double,
    MCPArgs,
    Nested,
    ValidationError,
    read_literal,
    structure,
    unstructure,
)
from typedargs_server import MCPServer
from typedargs_server.effects import Run
from typedargs_server.eras import versions
from typedargs_server.protocol import Connection


class Price(MCPArgs):
    amount = Decimal()


class Args(MCPArgs):
    amount = Decimal()
    prices = Array(Price, default=[])
    inner = Nested(Price, required=False)
    weight = Double(required=False)


def arguments_of(text: str, revision: str = versions.MODERN, tool: str = "pay") -> Any:
    """Return what a handler gets for arguments that are written as `text`."""
    server = MCPServer("literals")
    server.register_tool("take", "Take", {"type": "object"}, lambda args: str(args))
    server.register_tool("pay", "Pay", Args, lambda args: str(args.amount))
    connection = Connection(server._definition)
    if revision != versions.MODERN:
        opening = request(0, "initialize", initialize_params(revision), revision=revision)
        connection.receive(json.dumps(opening).encode())
    meta = json.dumps(MODERN_META if revision == versions.MODERN else {})
    call = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{text},"_meta":{meta}}}}}'
    )
    batched = f"[{call}]" if revision == versions.BATCHING else call
    (effect,) = connection.receive(batched.encode())
    assert isinstance(effect, Run)
    return effect.call.arguments


@pytest.mark.parametrize("revision", [*BOTH_ERAS, versions.BATCHING])
@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("1.10", "1.10"),
        (
            "0.1234567890123456789012345678901234567890",
            "0.1234567890123456789012345678901234567890",
        ),
        ("1e2", "1E+2"),
        ("-0.0", "-0.0"),
        ("12345678901234567890123", "12345678901234567890123"),
        ('"1.50"', "1.50"),
    ],
)
def test_a_decimal_is_what_was_written(written: str, amount: str, revision: str) -> None:
    args = arguments_of(f'{{"amount": {written}}}', revision)
    assert str(args.amount) == amount


def test_a_decimal_within_others_is_what_was_written() -> None:
    args = arguments_of('{"amount": 1, "prices": [{"amount": 2.50}], "inner": {"amount": 3.0}}')
    assert [str(price.amount) for price in (*args.prices, args.inner)] == ["2.50", "3.0"]


@pytest.mark.parametrize(
    "written", ["1e-999999999", "0e-999999999", "0e999999999", "1e-2000000000000000000"]
)
def test_an_exponent_whose_digits_would_fill_memory_is_refused(written: str) -> None:
    with pytest.raises(ValidationError) as caught:
        structure({"amount": read_literal(written)}, Price)
    assert str(caught.value) == (
        "amount: expected a decimal number such as 1.50, its exponent within ±400, "
        f"got number {written}"
    )


@pytest.mark.parametrize(("written", "length"), [("1e-400", 402), (f"0.{'0' * 999}1", 1002)])
def test_a_decimal_that_can_be_written_out_is_taken(written: str, length: int) -> None:
    price = structure({"amount": read_literal(written)}, Price)
    assert len(unstructure(price)["amount"]) == length


@pytest.mark.parametrize("revision", [*BOTH_ERAS, versions.BATCHING])
def test_other_tools_get_plain_numbers(revision: str) -> None:
    got = arguments_of('{"any": [1.5, 1e3]}', revision, tool="take")
    assert [type(number) for number in got["any"]] == [float, float]


def test_a_double_beside_a_decimal_is_a_plain_float() -> None:
    args = arguments_of('{"amount": 1.50, "weight": 2.50}')
    assert type(args.amount) is PythonDecimal
    assert (args.weight, type(args.weight)) == (2.5, float)
