"""Instances to JSON and back, also within a cattrs converter of one's own."""

import enum

import attrs
import cattrs
import pytest

from typedargs import (
    Enum,
    Integer,
    MCPArgs,
    String,
    ValidationError,
    register_hooks,
    structure,
    unstructure,
)


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Shirt(MCPArgs):
    size = Enum(Size)
    count = Integer(default=1, name="how-many")
    note = String(required=False)
    gift = String(nullable=True)
    card = String(nullable=True, default=None)
    fit = Enum(Size, nullable=True, default=Size.LARGE, by="value")


def test_a_value_is_left_out_only_where_it_is_absent_without_a_default() -> None:
    assert unstructure(Shirt(size=Size.SMALL, gift=None)) == {
        "size": "SMALL",
        "how-many": 1,
        "gift": None,
        "fit": 2,
    }
    full = Shirt(size=Size.LARGE, count=2, note="n", gift="g", card="c", fit=None)
    assert unstructure(full) == {
        "size": "LARGE",
        "how-many": 2,
        "note": "n",
        "gift": "g",
        "card": "c",
        "fit": None,
    }
    assert structure(unstructure(full), Shirt) == full


@attrs.define
class Order:
    """A class of the user's own, with args classes within."""

    number: int
    shirts: list[Shirt]
    spare: Shirt | None = None


def test_a_cattrs_converter_learns_the_classes() -> None:
    converter = cattrs.Converter()
    register_hooks(converter)
    order = Order(1, [Shirt(size=Size.SMALL, gift=None)])
    wire = converter.unstructure(order)
    assert wire == {
        "number": 1,
        "shirts": [{"size": "SMALL", "how-many": 1, "gift": None, "fit": 2}],
        "spare": None,
    }
    assert converter.structure(wire, Order) == order
    wire["shirts"][0]["size"] = "TINY"
    with pytest.raises(Exception) as caught:  # noqa: PT011
        converter.structure(wire, Order)
    fault: BaseException = caught.value
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    assert isinstance(fault, ValidationError)
    assert str(fault) == 'size: expected one of "SMALL", "LARGE", got string "TINY"'
