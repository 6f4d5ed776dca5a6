"""Optional arguments: one with a default, which is published, and one without, None if left out."""

from typedargs import Integer, MCPArgs, String
from typedargs_server import MCPServer


class RepeatArgs(MCPArgs):
    text = String(description="What to repeat", min_length=1)
    times = Integer(default=2, minimum=1, maximum=10)
    separator = String(required=False, description="What to put between; nothing if left out")


class Repeated(MCPArgs):
    text = String()
    separator_given = String(required=False)


server = MCPServer("repeat", version="1.0.0")


@server.tool
async def repeat(args: RepeatArgs) -> Repeated:
    """Repeat a text."""
    separator = "" if args.separator is None else args.separator
    return Repeated(text=separator.join([args.text] * args.times), separator_given=args.separator)


if __name__ == "__main__":
    server.run()
