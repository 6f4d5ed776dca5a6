"""The escape hatch: a rich schema, published unchanged; the handler checks the arguments.

It reports what is wrong with `error_result`, so that the model can mend its call.
"""

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

server = MCPServer("order-raw", version="1.0.0")


def violations(args: dict[str, Any]) -> list[str]:
    """Return what is wrong with an order; checked here are only the counts."""
    items = args.get("items")
    if not isinstance(items, list) or not items:
        return ["items: expected at least one item"]
    return [
        f"items[{index}].count: expected at least 1"
        for index, item in enumerate(items)
        if not isinstance(item, dict) or not item.get("count", 0) >= 1
    ]


@server.tool("order", "Place an order", input=ORDER, application_validated=True)
def order(args: dict[str, Any]) -> ToolResult:
    if found := violations(args):
        return error_result("\n".join(found))
    return text_result(f"Ordered {sum(item['count'] for item in args['items'])} pieces")


if __name__ == "__main__":
    server.run()
