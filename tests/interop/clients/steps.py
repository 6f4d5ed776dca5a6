"""What the Python drivers of the everything-server share: taking steps, noting what happens.

A step says in the words of the protocol what to do; a driver does it with its client's own API.
`features.py`, one folder up, has the steps.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp import MCPError
from mcp_types import (
    CreateMessageResult,
    ElicitResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
)
from pydantic import BaseModel

Step = dict[str, Any]
Verb = Callable[[Step], Awaitable[Any]]

PATIENCE_SECONDS = 15
ROOT = Root(uri="file:///test/root", name="Test Root")


class Absent(Exception):
    """The client has no method for what a step asks."""


class Told:
    """What the server told and asked the client during one step, and how the client answers."""

    def __init__(self) -> None:
        self.start({})

    def start(self, step: Step) -> None:
        self.noted: dict[str, list[Any]] = {}
        self._forms = list(step.get("elicit", ()))

    def note(self, kind: str, value: Any) -> None:
        self.noted.setdefault(kind, []).append(value)

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.note("progress", [done, total, message])

    def elicited(self, params: BaseModel) -> ElicitResult:
        self.note("asked", ["elicitation/create", plain(params)])
        return ElicitResult(**self._forms.pop(0))

    def sampled(self, params: BaseModel) -> CreateMessageResult:
        self.note("asked", ["sampling/createMessage", plain(params)])
        return CreateMessageResult(
            role="assistant",
            content=TextContent(text="This is a test response from the client"),
            model="test-model",
            stop_reason="endTurn",
        )

    def listed_roots(self) -> list[Root]:
        self.note("asked", ["roots/list", {}])
        return [ROOT]


def plain(value: Any) -> Any:
    """What a model of the client's library says, as JSON."""
    match value:
        case BaseModel():
            return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
        case list() | tuple():
            return [plain(part) for part in value]
    return value


class Changes:
    """The notifications of changes that came, for a step to wait for one."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[dict[str, Any]](1000)

    def came(self, message: Any) -> None:
        """Take a message of the server; those that tell of no change are left out."""
        method = getattr(message, "method", "")
        if method.endswith(("/list_changed", "/updated")):
            self._send.send_nowait(change(message))

    async def next(self, of: str) -> dict[str, Any]:
        """The next change of the tools, the prompts or the resources, or of a resource's URI."""
        while True:
            found = await self._receive.receive()
            if of in (found.get("uri"), found["method"].split("/")[1]):
                return found


def change(message: Any) -> dict[str, Any]:
    """What a notification of a change says: its method, and the URI of an updated resource."""
    uri = getattr(message.params, "uri", None)
    return {"method": message.method, **({} if uri is None else {"uri": str(uri)})}


def is_uri(of: str) -> bool:
    return "://" in of


def reference(of: str) -> PromptReference | ResourceTemplateReference:
    """What is completed: the template of a URI, or a prompt by its name."""
    if is_uri(of):
        return ResourceTemplateReference(uri=of, type="ref/resource")
    return PromptReference(name=of, type="ref/prompt")


def method_of(client: Any, name: str) -> Any:
    """A method of the client. Raises Absent where its class has none."""
    method = getattr(client, name, None)
    if method is None:
        kind = type(client)
        raise Absent(f"{kind.__module__.partition('.')[0]}.{kind.__name__} has no {name}")
    return method


async def take(told: Told, verbs: dict[str, Verb], steps: list[Step]) -> dict[str, Any]:
    """The outcome of each step, by the name of its feature."""
    return {step["feature"]: await _take(told, verbs[step["do"]], step) for step in steps}


async def _take(told: Told, verb: Verb, step: Step) -> dict[str, Any]:
    told.start(step)
    try:
        with anyio.fail_after(PATIENCE_SECONDS):
            outcome = {"result": plain(await verb(step))}
    except Absent as absent:
        return {"absent": str(absent)}
    except MCPError as error:
        outcome = {"error": error.error.model_dump(mode="json", exclude_unset=True)}
    except Exception as error:
        outcome = {"raised": f"{type(error).__name__}: {error}"}
    return {**outcome, **told.noted}


def run(drive: Callable[[str, list[str], list[Step]], Awaitable[dict[str, Any]]]) -> None:
    """Run a driver: `SCRIPT {modern,legacy} COMMAND...`, or a URL in place of the command."""
    era, *server = sys.argv[1:]
    print(json.dumps(anyio.run(drive, era, server, json.load(sys.stdin))))
