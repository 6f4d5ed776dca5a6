"""The tool on the official SDK, `mcp`."""

from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field


class SumResult(BaseModel):
    """The sum of two numbers."""

    sum: float = Field(description="The sum")


server = MCPServer("calculator", version="1.0.0", log_level="WARNING")


@server.tool("add", description="Add two numbers")
async def add(
    a: Annotated[float, Field(description="Left operand")],
    b: Annotated[float, Field(description="Right operand")],
) -> SumResult:
    """Return the sum."""
    return SumResult(sum=a + b)


if __name__ == "__main__":
    server.run()
