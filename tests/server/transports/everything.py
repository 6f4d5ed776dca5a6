"""A server with a tool for each thing that a handler can do to its process, for test_stdio.

Run as a program with settings in JSON: the backend, the limits, when to send itself a signal. What
happens inside it is told in lines on stderr.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from typedargs_server import Limits, MCPServer, RequestContext
from typedargs_server.transports import stdio

OBJECT = {"type": "object"}
MIB = 1 << 20
NUMBER = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}
settings: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}


def tell(line: str) -> None:
    """Tell the test what happens; in one write, so that lines of threads do not mix."""
    with contextlib.suppress(OSError):  # nobody may be listening
        os.write(2, f"{line}\n".encode())


@asynccontextmanager
async def lifespan(_: MCPServer) -> AsyncIterator[None]:
    tell("lifespan: entering")
    if settings.get("signal_in") == "lifespan":
        signal.raise_signal(signal.SIGINT)
        try:
            await anyio.sleep_forever()
        finally:
            tell("lifespan: cancelled")
    try:
        yield
    finally:
        await anyio.lowlevel.checkpoint()
        tell("lifespan: left")


server = MCPServer(
    "everything",
    version="1.0.0",
    lifespan=lifespan,
    limits=Limits(**settings.get("limits", {})),
)


F = TypeVar("F", bound=Callable[..., Any])


def tool(name: str, *, inline: bool = False) -> Callable[[F], F]:
    """Register a tool that takes any object."""
    return server.tool(name, input=OBJECT, inline=inline)


@tool("say", inline=True)
def say(args: dict[str, Any]) -> str:
    return str(args["text"])


@tool("say_in_thread")
def say_in_thread(args: dict[str, Any]) -> str:
    return str(args["text"])


@tool("say_directly")
async def say_directly(args: dict[str, Any]) -> str:
    return str(args["text"])


@tool("yields")
async def yields(_: dict[str, Any]) -> str:
    for _ in range(5):
        await anyio.lowlevel.checkpoint()
    return "yielded"


@tool("large_directly")
async def large_directly(args: dict[str, Any]) -> str:
    return "x" * int(args["size"])


@tool("reports")
async def reports(args: dict[str, Any], ctx: RequestContext) -> str:
    for done in range(args["times"]):
        await ctx.progress(done, None, "x" * MIB)
    return "reported"


@tool("floods")
async def floods(_: dict[str, Any], ctx: RequestContext) -> None:
    for done in itertools.count():
        await ctx.progress(done, None, "x" * 3000)


@tool("reports_in_thread")
def reports_in_thread(args: dict[str, Any], ctx: RequestContext) -> str:
    for done in range(args["times"]):
        ctx.progress(done, None, "x" * MIB)
    return "reported"


@tool("naps")
async def naps(_: dict[str, Any]) -> str:
    time.sleep(0.005)  # noqa: ASYNC251  # on the event loop, which no handler should do
    return "awake"


@server.tool("number", input=NUMBER, inline=True)
def number(args: dict[str, Any]) -> str:
    return repr(args["value"])


@tool("wait")
async def wait(_: dict[str, Any]) -> None:
    try:
        tell("wait: running")
        await anyio.sleep_forever()
    finally:
        tell("wait: ended")


@tool("stuck")
def stuck(_: dict[str, Any]) -> None:
    tell("stuck: running")
    threading.Event().wait()


@tool("loop", inline=True)
def loop(_: dict[str, Any]) -> None:
    tell("loop: running")
    while True:
        pass


@tool("forks")
def forks(_: dict[str, Any]) -> str:
    context = multiprocessing.get_context("fork")
    running = context.Event()

    def run() -> None:
        running.set()
        threading.Event().wait()

    child = context.Process(target=run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # later Pythons warn of forks beside threads
        child.start()
    running.wait()
    child.terminate()
    child.join()
    return f"the child's exit code is {child.exitcode}"


@tool("cancels_itself")
async def cancels_itself(_: dict[str, Any]) -> str:
    if settings.get("backend") != "trio" and (task := asyncio.current_task()) is not None:
        task.cancel()
    return "done"


@tool("asks")
async def asks(_: dict[str, Any], ctx: RequestContext) -> str:
    return str(await ctx.list_roots())


@tool("second")
async def second(_: dict[str, Any]) -> str:
    await anyio.sleep(1)
    return "a second later"


@tool("prints")
def prints(_: dict[str, Any]) -> str:
    print("printed by the handler")
    subprocess.run([sys.executable, "-c", "print('printed by its child')"], check=True)
    return "printed"


@tool("prints_unheard")
def prints_unheard(_: dict[str, Any]) -> str:
    with contextlib.suppress(OSError):
        print("printed by the handler")
    return "printed"


@tool("reads")
def reads(_: dict[str, Any]) -> str:
    child = subprocess.run(
        [sys.executable, "-c", "import sys; sys.exit(len(sys.stdin.read()))"], check=False
    )
    try:
        return input()
    except EOFError:
        return f"end of file; the child read {child.returncode} characters"


FAILURES: dict[str, BaseException] = {
    "exit": SystemExit(3),
    "interrupt": KeyboardInterrupt(),
    "pipe": BrokenPipeError(32, "Broken pipe"),
    "blocking": BlockingIOError(11, "Resource temporarily unavailable"),
    "descriptors": OSError(24, "Too many open files"),
    "end": EOFError(),
    "stop": StopIteration(),
}


@tool("fail_in_thread")
def fail_in_thread(args: dict[str, Any]) -> None:
    raise FAILURES[args["how"]]


@tool("fail_inline", inline=True)
def fail_inline(args: dict[str, Any]) -> None:
    raise FAILURES[args["how"]]


@tool("fail_async")
async def fail_async(args: dict[str, Any]) -> None:
    raise FAILURES[args["how"]]


@tool("steps")
async def steps(_: dict[str, Any], ctx: RequestContext) -> str:
    for done in (1, 2):
        await ctx.progress(done, 2)
    return "done"


@tool("steps_in_thread")
def steps_in_thread(_: dict[str, Any], ctx: RequestContext) -> str:
    for done in (1, 2):
        ctx.progress(done, 2)
    return "done"


@tool("large", inline=True)
def large(args: dict[str, Any]) -> str:
    return "x" * int(args["size"])


@tool("remove", inline=True)
def remove(args: dict[str, Any]) -> str:
    server.remove_tool(args["name"])
    return "removed"


class SignalAtImport:
    """Sends this process a signal as soon as the event loop's module is looked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, *_: object) -> None:
        if name == self._module:
            self._module = ""
            tell("signal: sent")
            signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    backend = settings.get("backend", "asyncio")
    if "held_seconds" in settings:
        vars(stdio)["HELD_SECONDS"] = settings["held_seconds"]
    if settings.get("signal_in") == "import":
        sys.meta_path.insert(0, SignalAtImport(f"anyio._backends._{backend}"))
    server.run(backend=backend)
