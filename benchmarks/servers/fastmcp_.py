"""The tool on `fastmcp`."""

from typing import Annotated

from fastmcp import FastMCP
from pydantic import BaseModel, Field


class SumResult(BaseModel):
    """The sum of two numbers."""

    sum: float = Field(description="The sum")


server = FastMCP("calculator", version="1.0.0")


@server.tool("add", description="Add two numbers")
async def add(
    a: Annotated[float, Field(description="Left operand")],
    b: Annotated[float, Field(description="Right operand")],
) -> SumResult:
    """Return the sum."""
    return SumResult(sum=a + b)


if __name__ == "__main__":
    server.run(show_banner=False, log_level="WARNING")
