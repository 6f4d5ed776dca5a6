"""The fastmcp client on the everything-server: `everything_fastmcp.py {modern,legacy} SERVER`.

SERVER is a command line or a URL. Reads a JSON list of steps from stdin, takes them, and prints one
JSON document with the outcome of each. Only methods of the client's own class count.
"""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import CallToolResult
from steps import Changes, Step, Told, is_uri, method_of, plain, reference, run, take

warnings.simplefilter("ignore")  # the client warns of what its newest revision has no more

LOG_LEVEL = {"io.modelcontextprotocol/logLevel": "debug"}


class Driver:
    """One connection; a method for each kind of step."""

    def __init__(self, era: str, server: list[str]) -> None:
        self.modern = era == "modern"
        self.told = Told()
        self.changes = Changes()

        async def notified(message: Any) -> None:
            self.changes.came(message)

        async def logged(message: Any) -> None:
            self.told.note("logs", plain(message))

        async def elicited(_message: str, _form: Any, params: Any, _context: Any) -> Any:
            return self.told.elicited(params)

        async def sampled(_messages: Any, params: Any, _context: Any) -> Any:
            return self.told.sampled(params)

        async def listed(_context: Any) -> Any:
            return self.told.listed_roots()

        (first, *rest) = server
        self.client: Client[Any] = Client(
            first if first.startswith("http") else StdioTransport(first, rest, keep_alive=False),
            mode="auto" if self.modern else "legacy",
            message_handler=notified,
            log_handler=logged,
            elicitation_handler=elicited,
            sampling_handler=sampled,
            roots=listed,
        )
        self.verbs = {
            "connect": self.connect,
            "list": self.list,
            "call": self.call,
            "cancel": self.cancel,
            "prompt": self.prompt,
            "read": self.read,
            "complete": self.complete,
            "log": self.log,
            "ping": self.ping,
            "watch": self.watch,
        }

    async def connect(self, _step: Step) -> Any:
        client = self.client
        return {
            "protocolVersion": client.protocol_version,
            "serverInfo": plain(client.server_info),
            "instructions": client.instructions,
            "capabilities": plain(client.server_capabilities),
        }

    async def list(self, step: Step) -> Any:
        return await getattr(self.client, f"list_{step['of']}")()

    async def call(self, step: Step, meta: dict[str, Any] | None = None) -> CallToolResult:
        async def progressed(done: float, total: float | None, message: str | None) -> None:
            self.told.progress(done, total, message)

        return await self.client.call_tool_mcp(
            step["name"], step.get("arguments", {}), progress_handler=progressed, meta=meta
        )

    async def log(self, step: Step) -> Any:
        if self.modern:  # which has no level for a session, and asks for one with each call
            return await self.call(step, LOG_LEVEL)
        await self.client.set_logging_level("debug")
        return await self.call(step)

    async def cancel(self, step: Step) -> Any:
        async def progressed(*_progress: Any) -> None:
            call.cancel()

        call = asyncio.ensure_future(
            self.client.call_tool_mcp(
                step["name"], step.get("arguments", {}), progress_handler=progressed
            )
        )
        with contextlib.suppress(asyncio.CancelledError):
            await call
        return await self.call(step["then"])

    async def prompt(self, step: Step) -> Any:
        return await self.client.get_prompt_mcp(step["name"], step.get("arguments"))

    async def read(self, step: Step) -> Any:
        return await self.client.read_resource_mcp(step["uri"])

    async def complete(self, step: Step) -> Any:
        argument = {"name": step["argument"], "value": step["value"]}
        return await self.client.complete_mcp(reference(step["of"]), argument)

    async def ping(self, _step: Step) -> Any:
        return {} if await self.client.ping() else None

    async def watch(self, step: Step) -> Any:
        of = step["of"]
        if self.modern:
            return await method_of(self.client, "listen")()
        if is_uri(of):
            return await method_of(self.client, "subscribe_resource")(of)
        await self.call(step["then"])
        return await self.changes.next(of)


async def drive(era: str, server: list[str], steps: list[Step]) -> dict[str, Any]:
    driver = Driver(era, server)
    async with driver.client:
        return await take(driver.told, driver.verbs, steps)


if __name__ == "__main__":
    run(drive)
