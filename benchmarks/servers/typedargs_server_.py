"""The tool on typedargs."""

from typedargs import Double, MCPArgs
from typedargs_server import MCPServer


class AddArgs(MCPArgs):
    """Add two numbers."""

    a = Double(description="Left operand")
    b = Double(description="Right operand")


class SumResult(MCPArgs):
    """The sum of two numbers."""

    sum = Double(description="The sum")


server = MCPServer("calculator", version="1.0.0")


@server.tool("add", "Add two numbers")
async def add(args: AddArgs) -> SumResult:
    """Return the sum."""
    return SumResult(sum=args.a + args.b)


if __name__ == "__main__":
    server.run()
