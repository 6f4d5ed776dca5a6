"""An order of three levels: lists of nested classes, one of two deliveries, dates, exact prices."""

import datetime
import decimal

from typedargs import (
    Array,
    Const,
    Date,
    Decimal,
    Enum,
    Integer,
    MCPArgs,
    Nested,
    OneOf,
    String,
)
from typedargs_server import MCPServer


class Article(MCPArgs):
    sku = String(pattern="^[A-Z]{3}-[0-9]+$", description="As in ABC-1")
    price = Decimal(description="In euros, for one")
    color = Enum("red", "green", "blue", required=False)


class Line(MCPArgs):
    article = Nested(Article)
    count = Integer(default=1, minimum=1)


class Parcel(MCPArgs):
    by = Const("parcel")
    street = String()
    city = String()


class PickUp(MCPArgs):
    by = Const("pick-up")
    on = Date(description="The day when it is fetched")


class OrderArgs(MCPArgs):
    lines = Array(Line, min_items=1)
    delivery = OneOf(Parcel, PickUp, tag="by")
    note = String(required=False, max_length=200, description="For the packer")


class Receipt(MCPArgs):
    total = Decimal()
    pieces = Integer()
    ready = Date()


TODAY = datetime.date(2026, 7, 28)

server = MCPServer("order", version="1.0.0")


@server.tool
def order(args: OrderArgs) -> Receipt:
    """Place an order."""
    total = sum((line.article.price * line.count for line in args.lines), decimal.Decimal())
    if isinstance(args.delivery, PickUp):
        ready = args.delivery.on
    else:
        total += decimal.Decimal("4.90")
        ready = TODAY + datetime.timedelta(days=3)
    return Receipt(total=total, pieces=sum(line.count for line in args.lines), ready=ready)


if __name__ == "__main__":
    server.run()
