"""An enum class: its member names are the allowed values, and the handler gets a member."""

import enum

from typedargs import Enum, MCPArgs
from typedargs_server import MCPServer


class Color(enum.Enum):
    RED = "#ff0000"
    GREEN = "#00ff00"
    BLUE = "#0000ff"


class PaintArgs(MCPArgs):
    color = Enum(Color, by="name", description="The colour of the wall")
    finish = Enum("matt", "gloss", default="matt")


server = MCPServer("paint", version="1.0.0")


@server.tool
def paint(args: PaintArgs) -> str:
    """Paint a wall."""
    return f"The wall is {args.color.value}, {args.finish}"


if __name__ == "__main__":
    server.run()
