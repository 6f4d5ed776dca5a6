"""What is loaded to see a server of typedargs grow: `growth_load.py [--traced] [--http]`.

With `--traced` all memory is traced, and `memory` tells of it; with `--http` it serves by HTTP.
"""

import gc
import sys
import time
import tracemalloc
from typing import Final

import anyio
import anyio.lowlevel

from typedargs import Array, Double, Integer, MCPArgs, String
from typedargs_server import Limits, MCPServer, RequestContext

URI: Final = "growth://resource"

server = MCPServer(
    "growth", version="1.0.0", limits=Limits(max_concurrent_calls=5_000, max_threads=100)
)


class AddArgs(MCPArgs):
    a = Double()
    b = Double()


class SumResult(MCPArgs):
    sum = Double()


class Nothing(MCPArgs):
    pass


class Seconds(MCPArgs):
    seconds = Double()


class Count(MCPArgs):
    count = Integer()


class Text(MCPArgs):
    text = String()


class Numbers(MCPArgs):
    numbers = Array(Double())


class Memory(MCPArgs):
    held = Integer()
    peak = Integer()


class Gate:
    """Holds calls until it is opened; then a new one is in its place."""

    def __init__(self) -> None:
        self.waiting = 0
        self.opened = anyio.Event()


gate = Gate()


@server.tool("add", "Add two numbers")
async def add(args: AddArgs) -> SumResult:
    return SumResult(sum=args.a + args.b)


@server.tool("add_later", "Add two numbers, when others had their turn")
async def add_later(args: AddArgs, ctx: RequestContext) -> SumResult:  # noqa: ARG001
    await anyio.lowlevel.checkpoint()
    return SumResult(sum=args.a + args.b)


@server.tool("add_at_the_gate", "Add two numbers, when all are released")
async def add_at_the_gate(args: AddArgs) -> SumResult:
    here = gate
    here.waiting += 1
    await here.opened.wait()
    return SumResult(sum=args.a + args.b)


@server.tool("release", "Release those at the gate, and count them")
async def release(args: Nothing) -> Count:  # noqa: ARG001
    global gate
    released, gate = gate, Gate()
    released.opened.set()
    return Count(count=released.waiting)


@server.tool("sleep", "Sleep in a thread")
def sleep(args: Seconds) -> Seconds:
    time.sleep(args.seconds)
    return args


@server.tool("length", "Take a long text")
async def length(args: Text) -> Count:
    return Count(count=len(args.text))


@server.tool("total", "Take a long list")
async def total(args: Numbers) -> SumResult:
    return SumResult(sum=sum(args.numbers))


@server.tool("text", "Give a long text, unstructured")
async def text(args: Count) -> str:
    return "x" * args.count


@server.tool("structured_text", "Give a long text, structured")
async def structured_text(args: Count) -> Text:
    return Text(text="x" * args.count)


@server.tool("numbers", "Give a long list")
async def numbers(args: Count) -> Numbers:
    return Numbers(numbers=[number + 0.5 for number in range(args.count)])


@server.tool("structured_text_in_context", "Give a long text, structured, with a context at hand")
async def structured_text_in_context(args: Count, ctx: RequestContext) -> Text:  # noqa: ARG001
    return Text(text="x" * args.count)


@server.tool("numbers_in_context", "Give a long list, with a context at hand")
async def numbers_in_context(args: Count, ctx: RequestContext) -> Numbers:  # noqa: ARG001
    return Numbers(numbers=[number + 0.5 for number in range(args.count)])


@server.resource(URI, name="resource", description="What changes")
async def resource() -> str:
    return ""


@server.tool("change", "Tell of a change of the resource")
async def change(args: Nothing) -> Nothing:
    server.resource_updated(URI)
    return args


@server.tool("memory", "Tell the memory that is traced")
async def memory(args: Nothing) -> Memory:  # noqa: ARG001
    gc.collect()
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    return Memory(held=held, peak=peak)


if __name__ == "__main__":
    if "--traced" in sys.argv:
        tracemalloc.start()
    if "--http" in sys.argv:
        server.run(http=True, port=0)
    else:
        server.run()
