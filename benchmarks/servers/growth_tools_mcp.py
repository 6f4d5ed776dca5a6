"""So many tools on the official SDK, `mcp`: `growth_tools_mcp.py COUNT`."""

import sys
from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field


class SumResult(BaseModel):
    """The sum of two numbers."""

    sum: float = Field(description="The sum")


def register(server: MCPServer, number: int) -> None:
    """Register the tool `add_NUMBER`."""

    @server.tool(f"add_{number}", description="Add two numbers")
    async def add(
        a: Annotated[float, Field(description="Left operand")],
        b: Annotated[float, Field(description="Right operand")],
    ) -> SumResult:
        """Return the sum."""
        return SumResult(sum=a + b)


def main() -> None:
    """Register, and serve."""
    server = MCPServer("calculator", version="1.0.0", log_level="WARNING")
    for number in range(int(sys.argv[1])):
        register(server, number)
    server.run()


if __name__ == "__main__":
    main()
