"""A typed tool in its shortest form: the class is the schema, the answer is plain text."""

from typedargs import Double, MCPArgs
from typedargs_server import MCPServer


class AddArgs(MCPArgs):
    a = Double()
    b = Double()


server = MCPServer("add-text", version="1.0.0")


@server.tool("add", "Add two numbers", inline=True)
def add(args: AddArgs) -> str:
    return f"{args.a + args.b:g}"


if __name__ == "__main__":
    server.run()
