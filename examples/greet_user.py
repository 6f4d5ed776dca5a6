"""A raw schema as a JSON string: any object, which the handler gets as a dict."""

from typing import Any

from typedargs_server import MCPServer

server = MCPServer("greet-user", version="1.0.0")


def greet_user(args: dict[str, Any]) -> str:
    return f"Hello, {args.get('name', 'stranger')}!"


server.register_tool("greet_user", "Greet a person", '{"type": "object"}', greet_user)


if __name__ == "__main__":
    server.run()
