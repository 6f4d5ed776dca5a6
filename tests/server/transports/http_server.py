"""A server over HTTP for tests of it as a process.

The one argument is its port, or "uvicorn" to be run by that alone.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import anyio
import uvicorn

from typedargs_server import Limits, MCPServer, RequestContext

server = MCPServer("web", version="1.0", limits=Limits(drain_seconds=1))


def tell(line: str) -> None:
    """Write a line to stderr, where the test waits for it."""
    print(line, file=sys.stderr, flush=True)


@server.tool("add", input={"type": "object", "properties": {"a": {}, "b": {}}})
async def add(args: Any) -> str:
    return str(args["a"] + args["b"])


@server.tool("wait", input={"type": "object"})
async def wait(_args: Any, ctx: RequestContext) -> str:
    ctx.progress(1)
    tell("waiting")
    try:
        await anyio.sleep_forever()
    finally:
        tell("left")
    return "never"


@server.tool("sleep", input={"type": "object"})
async def sleep(_args: Any) -> str:
    tell("sleeping")
    await anyio.sleep(0.3)
    return "slept"


@server.tool("block", input={"type": "object"})
def block(_args: Any) -> str:
    tell("blocking")
    time.sleep(60)
    return "never"


if __name__ == "__main__":
    if sys.argv[1] == "uvicorn":
        uvicorn.run(server.http_app(), port=0)
    else:
        server.run(http=True, port=int(sys.argv[1]))
