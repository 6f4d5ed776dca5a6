"""So many tools on typedargs, each with a class of its own: `growth_tools.py COUNT`.

How many seconds it took to register them is written to stderr.
"""

import sys
import time

from typedargs import Double, MCPArgs
from typedargs_server import MCPServer


class SumResult(MCPArgs):
    """The sum of two numbers."""

    sum = Double(description="The sum")


def register(server: MCPServer, number: int) -> None:
    """Register the tool `add_NUMBER`."""

    class AddArgs(MCPArgs):
        """Add two numbers."""

        a = Double(description="Left operand")
        b = Double(description="Right operand")

    @server.tool(f"add_{number}", "Add two numbers")
    async def add(args: AddArgs) -> SumResult:
        """Return the sum."""
        return SumResult(sum=args.a + args.b)


def main() -> None:
    """Register, and serve."""
    register(MCPServer("warm-up"), 0)  # what the first tool alone costs, is no growth
    server = MCPServer("calculator", version="1.0.0")
    began = time.perf_counter()
    for number in range(int(sys.argv[1])):
        register(server, number)
    print(f"registered in {time.perf_counter() - began:.9f} s", file=sys.stderr, flush=True)
    server.run()


if __name__ == "__main__":
    main()
