"""The official Python client on the everything-server: `everything_mcp.py {modern,legacy} SERVER`.

SERVER is a command line or a URL. Reads a JSON list of steps from stdin, takes them, and prints one
JSON document with the outcome of each.
"""

from __future__ import annotations

import warnings
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.subscriptions import event_to_notification
from mcp_types import ListRootsResult
from steps import Changes, Step, Told, change, is_uri, plain, reference, run, take

warnings.simplefilter("ignore")  # the client warns of what its newest revision has no more


class Driver:
    """One connection; a method for each kind of step."""

    def __init__(self, era: str, server: list[str]) -> None:
        self.modern = era == "modern"
        self.told = Told()
        self.changes = Changes()

        async def notified(message: Any) -> None:
            self.changes.came(message)

        async def logged(params: Any) -> None:
            self.told.note("logs", plain(params))

        async def elicited(_context: Any, params: Any) -> Any:
            return self.told.elicited(params)

        async def sampled(_context: Any, params: Any) -> Any:
            return self.told.sampled(params)

        async def listed(_context: Any) -> ListRootsResult:
            return ListRootsResult(roots=self.told.listed_roots())

        (first, *rest) = server
        self.client = Client(
            first if first.startswith("http") else StdioServerParameters(command=first, args=rest),
            mode="auto" if self.modern else "legacy",
            message_handler=notified,
            logging_callback=logged,
            log_level="debug" if self.modern else None,
            elicitation_callback=elicited,
            sampling_callback=sampled,
            list_roots_callback=listed,
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
        of = step["of"]
        method = getattr(self.client, f"list_{of}")
        found, cursor = [], None
        while True:
            page = await method(cursor=cursor)
            found += getattr(page, of)
            cursor = page.next_cursor
            if cursor is None:
                return found

    async def call(self, step: Step) -> Any:
        async def progressed(done: float, total: float | None, message: str | None) -> None:
            self.told.progress(done, total, message)

        return await self.client.call_tool(
            step["name"], step.get("arguments"), progress_callback=progressed
        )

    async def log(self, step: Step) -> Any:
        if not self.modern:  # in the modern era the client asks with each call
            await self.client.set_logging_level("debug")
        return await self.call(step)

    async def cancel(self, step: Step) -> Any:
        scope = anyio.CancelScope()

        async def progressed(*_progress: Any) -> None:
            scope.cancel()

        with scope:
            await self.client.call_tool(
                step["name"], step.get("arguments"), progress_callback=progressed
            )
        return await self.call(step["then"])

    async def prompt(self, step: Step) -> Any:
        return await self.client.get_prompt(step["name"], step.get("arguments"))

    async def read(self, step: Step) -> Any:
        return await self.client.read_resource(step["uri"])

    async def complete(self, step: Step) -> Any:
        argument = {"name": step["argument"], "value": step["value"]}
        return await self.client.complete(reference(step["of"]), argument)

    async def ping(self, _step: Step) -> Any:
        return await self.client.send_ping()

    async def watch(self, step: Step) -> Any:
        of = step["of"]
        if self.modern:
            wanted: dict[str, Any] = (
                {"resource_subscriptions": [of]} if is_uri(of) else {f"{of}_list_changed": True}
            )
            async with self.client.listen(**wanted) as subscription:
                await self.call(step["then"])
                event = await anext(aiter(subscription))
                return change(event_to_notification(event, {}))
        if not is_uri(of):
            await self.call(step["then"])
            return await self.changes.next(of)
        await self.client.subscribe_resource(of)
        await self.call(step["then"])
        found = await self.changes.next(of)
        await self.client.unsubscribe_resource(of)
        return found


async def drive(era: str, server: list[str], steps: list[Step]) -> dict[str, Any]:
    driver = Driver(era, server)
    async with driver.client:
        return await take(driver.told, driver.verbs, steps)


if __name__ == "__main__":
    run(drive)
