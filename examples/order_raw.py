"""The escape hatch: a rich schema, published unchanged; the handler checks the arguments.

It reports what is wrong with `error_result`, so that the model can mend its call.
"""

import re
from typing import Any

from typedargs_server import MCPServer, ToolResult, error_result, text_result

ORDER = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/item"},
        },
        "deliver_to": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/address"}]},
    },
    "required": ["items"],
    "$defs": {
        "item": {
            "type": "object",
            "properties": {
                "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"},
                "count": {"type": "integer", "minimum": 1},
            },
            "required": ["sku", "count"],
        },
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            "required": ["street", "city"],
        },
    },
}

SKU = re.compile("[A-Z]{3}-[0-9]+")

server = MCPServer("order-raw", version="1.0.0")


def violations(args: dict[str, Any]) -> list[str]:
    """Return what is wrong with an order, each with its place and what was expected there."""
    found: list[str] = []
    items: Any = args.get("items")
    if not isinstance(items, list) or not items:
        found.append("items: expected at least one item")
        items = []
    for index, item in enumerate(items):
        match item:
            case {"sku": str(sku), "count": int(count)} if SKU.fullmatch(sku) and count >= 1:
                pass
            case _:
                found.append(f"items[{index}]: expected a sku like ABC-1 and a count of at least 1")
    match args.get("deliver_to", ""):
        case str() | {"street": str(), "city": str()}:
            pass
        case _:
            found.append("deliver_to: expected a name, or an object with street and city")
    return found


@server.tool("order", "Place an order", input=ORDER, application_validated=True)
def order(args: dict[str, Any]) -> ToolResult:
    if found := violations(args):
        return error_result("\n".join(found))
    return text_result(f"Ordered {sum(item['count'] for item in args['items'])} pieces")


if __name__ == "__main__":
    server.run()
