"""Typed both ways: the result is a class too, and becomes the call's structured content."""

from typedargs import Double, MCPArgs
from typedargs_server import MCPServer, RequestContext, ToolResult, structured_result


class AddArgs(MCPArgs):
    a = Double(description="Left operand")
    b = Double(description="Right operand")


class SumResult(MCPArgs):
    sum = Double(description="The sum")


server = MCPServer("add-result", version="1.0.0")


@server.tool("add", "Add two numbers")
async def add(args: AddArgs) -> SumResult:
    return SumResult(sum=args.a + args.b)


@server.tool("add_in_words", "Add two numbers, and say so", output=SumResult)
async def add_in_words(args: AddArgs, ctx: RequestContext) -> ToolResult:
    result = SumResult(sum=args.a + args.b)
    await ctx.log("info", f"added {args.a:g} and {args.b:g}")
    return structured_result(f"The sum is {result.sum:g}", result)


if __name__ == "__main__":
    server.run()
