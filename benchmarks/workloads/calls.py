"""Calls of a tool: in each era by a handler of its arguments alone, and by one with a context."""

import asyncio

from typedargs_server import MCPServer, RequestContext

from ..servers.typedargs_server_ import AddArgs, SumResult, server
from ..wire import INITIALIZED, Era, calls, check, initialize
from .in_process import answering
from .repeating import repeat

_with_context = MCPServer("calculator", version="1.0.0")


@_with_context.tool("add", "Add two numbers")
async def add(args: AddArgs, ctx: RequestContext) -> SumResult:  # noqa: ARG001
    """Return the sum."""
    return SumResult(sum=args.a + args.b)


def modern(count: int) -> None:
    """Call the tool in the modern era."""
    asyncio.run(_call(server, Era.MODERN, count))


def legacy(count: int) -> None:
    """Call the tool in a legacy session."""
    asyncio.run(_call(server, Era.LEGACY, count))


def with_context(count: int) -> None:
    """Call the tool whose handler takes the context, in the modern era."""
    asyncio.run(_call(_with_context, Era.MODERN, count))


async def _call(server: MCPServer, era: Era, count: int) -> None:
    asked = calls(era, range(1, 101))
    lines = [call.line.rstrip() for call in asked]
    async with answering(server) as answer:
        if era is Era.LEGACY:
            answer(initialize(0).rstrip())
            answer(INITIALIZED.rstrip())
        check(asked, [answer(line) for line in lines])
        repeat(answer, lines, count)
