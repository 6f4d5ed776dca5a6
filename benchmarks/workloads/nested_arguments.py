"""Arguments of nested classes, arrays and enums, validated into instances."""

from typing import Any, Final

from typedargs import Array, Double, Enum, Integer, MCPArgs, Nested, String, structure, unstructure

from .repeating import repeat


class Address(MCPArgs):
    street = String()
    city = String(min_length=1)
    zip = String(pattern="^[0-9]{5}$")
    country = Enum("DE", "FR", "GB")


class Customer(MCPArgs):
    name = String(min_length=1, max_length=50)
    age = Integer(minimum=0)
    address = Nested(Address)


class Position(MCPArgs):
    sku = String()
    count = Integer(minimum=1)
    price = Double(minimum=0)
    unit = Enum("piece", "kilogram", "metre")


class Order(MCPArgs):
    id = Integer()
    customer = Nested(Customer)
    positions = Array(Position)
    labels = Array(Enum("gift", "fragile", "express"))
    note = String(required=False)


ORDER: Final[dict[str, Any]] = {
    "id": 1,
    "customer": {
        "name": "Ada",
        "age": 36,
        "address": {"street": "Elm", "city": "York", "zip": "12345", "country": "GB"},
    },
    "positions": [
        {"sku": "A1", "count": 1, "price": 1.5, "unit": "piece"},
        {"sku": "A2", "count": 20, "price": 0.25, "unit": "kilogram"},
        {"sku": "A3", "count": 3, "price": 12.0, "unit": "metre"},
    ],
    "labels": ["gift", "express"],
}


def validate(count: int) -> None:
    """Make an instance of the arguments."""
    made = structure(ORDER, Order)
    assert type(made.positions[2]) is Position
    assert made.customer.address.country == "GB"
    assert unstructure(made) == ORDER
    repeat(lambda order: structure(order, Order), [ORDER], count)
