"""The builder: a flat schema without a class; the handler gets a dict of checked values."""

from typing import Any

from typedargs import ObjectSchema
from typedargs_server import MCPServer

PRODUCTS = ("red shoe", "blue shoe", "red hat", "green scarf")

server = MCPServer("search", version="1.0.0")


def search(args: dict[str, Any]) -> str:
    found = [product for product in PRODUCTS if args["query"] in product]
    return "\n".join(found[: args.get("limit")]) or "nothing found"


server.register_tool(
    "search",
    "Search the product catalog",
    ObjectSchema()
    .add_string("query", "Search terms")
    .add_integer("limit", "Maximum results", required=False, minimum=1),
    search,
)


if __name__ == "__main__":
    server.run()
