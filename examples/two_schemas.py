"""Two builders: one for the input, one for the structured content of the result."""

from typing import Any

from typedargs import ObjectSchema
from typedargs_server import MCPServer

server = MCPServer("two-schemas", version="1.0.0")


def add(args: dict[str, Any]) -> dict[str, Any]:
    return {"sum": args["a"] + args["b"]}


server.register_tool(
    "add",
    "Add two numbers",
    ObjectSchema().add_number("a").add_number("b"),
    add,
    output=ObjectSchema().add_number("sum", "The result"),
)


if __name__ == "__main__":
    server.run()
