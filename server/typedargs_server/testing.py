"""A client in memory for the tests of a server, in both eras, with scripted answers.

    async with connect(server, elicit={"name": "Ada"}) as client:
        result = await client.call_tool("greet")
        assert result.text == "Hello, Ada!"

What the server asks is answered from the script: in the modern era the client calls again with
the answers, in the older one it answers the server's request; a test sees no difference.
"""

import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import anyio
import anyio.abc
import attrs
import msgspec

from . import jsonrpc
from ._typed import require
from .app import MCPServer
from .eras import meta, versions
from .jsonrpc import RequestId
from .protocol import Connection
from .questions import Accepted, Cancelled, Declined, Root
from .runner import alone
from .transports.memory import MemoryTransport

Script: TypeAlias = Any
"""How one kind of question is answered: with a value, each time the same; with the values of a
list, one after another; or with what a function gives, which takes the question's params."""

MAX_ROUNDS: Final = 20
"""How often one call is sent again with answers, before it counts as going round in circles."""

PATIENCE_SECONDS: Final = 30.0
"""How long the client waits for an answer, in seconds."""

_CAPABILITIES: Final = {"elicit": "elicitation", "sample": "sampling", "roots": "roots"}


class RequestFailed(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


@attrs.frozen
class Result:
    """A result as it came; `raw` is all of its JSON."""

    raw: Mapping[str, Any]

    @property
    def content(self) -> Sequence[Mapping[str, Any]]:
        """The content blocks of a tool call."""
        blocks: Sequence[Mapping[str, Any]] = self.raw.get("content", [])
        return blocks

    @property
    def text(self) -> str:
        """The text of all text blocks, each on lines of its own."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def structured(self) -> Any:
        """The structured content; None where there is none."""
        return self.raw.get("structuredContent")

    @property
    def is_error(self) -> bool:
        """Whether the tool call failed."""
        return bool(self.raw.get("isError"))

    @property
    def meta(self) -> Mapping[str, Any]:
        """The result's `_meta`."""
        given: Mapping[str, Any] = self.raw.get("_meta", {})
        return given


class _Answers:
    """The script: what the client answers to each kind of question."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = scripts
        self._given = dict.fromkeys(scripts, 0)

    @property
    def capabilities(self) -> dict[str, Any]:
        """What a client declares that answers these."""
        declared: dict[str, Any] = {
            _CAPABILITIES[kind]: {} for kind, script in self._scripts.items() if script is not None
        }
        if "elicitation" in declared:
            declared["elicitation"] = {"form": {}, "url": {}}
        if "sampling" in declared:
            declared["sampling"] = {"tools": {}, "context": {}}
        return declared

    async def to(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result for a request of the server; raises AssertionError for none."""
        match method:
            case "elicitation/create":
                return _elicited(await self._next("elicit", method, params))
            case "sampling/createMessage":
                return _sampled(await self._next("sample", method, params))
            case "roots/list":
                roots = await self._next("roots", method, params, whole=True)
                return {"roots": [_root(root) for root in roots]}
        raise AssertionError(f"the server sent a request that no client knows: {method}")

    async def _next(
        self, kind: str, method: str, params: Mapping[str, Any], *, whole: bool = False
    ) -> Any:
        script = self._scripts[kind]
        if script is None:
            raise AssertionError(f"the server sent {method}; give connect(..., {kind}=...)")
        if callable(script):
            given: Any = script(params)
            return await given if inspect.isawaitable(given) else given
        if whole or isinstance(script, str | Mapping) or not isinstance(script, Sequence):
            return script
        if self._given[kind] >= len(script):
            raise AssertionError(
                f"the server sent {method} more often than {kind}= has answers, {len(script)}"
            )
        self._given[kind] += 1
        return script[self._given[kind] - 1]


def _elicited(answer: Any) -> dict[str, Any]:
    match answer:
        case Accepted(content):
            return {"action": "accept"} if content is None else _elicited(content)
        case Declined() | Cancelled():
            return {"action": answer.action}
        case {"action": str()}:
            return dict(answer)
    return {"action": "accept", "content": msgspec.to_builtins(answer)}


def _sampled(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Mapping):
        return dict(answer)
    content = {"type": "text", "text": answer} if isinstance(answer, str) else answer
    return {
        "role": "assistant",
        "content": content,
        "model": "scripted",
        "stopReason": "endTurn",
    }


def _root(root: Root | str) -> dict[str, Any]:
    if isinstance(root, str):
        return {"uri": root}
    return {"uri": root.uri, **({"name": root.name} if root.name is not None else {})}


class Client:
    """A client that is connected to a server; made by `connect`."""

    def __init__(self, revision: str, answers: _Answers, principal: str | None) -> None:
        self.revision = revision
        self.notifications: list[Mapping[str, Any]] = []
        """All notifications of the server up to now, in order."""
        self._answers = answers
        self._principal = principal
        self._pending: dict[RequestId, tuple[anyio.Event, list[Any]]] = {}
        self._last_id = 0
        self._arrived = anyio.Event()
        self._tasks: anyio.abc.TaskGroup
        self._transport: MemoryTransport

    @property
    def is_modern(self) -> bool:
        """Whether each request says its revision, and none opens a session."""
        return self.revision == versions.MODERN

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, **meta: Any
    ) -> Result:
        """Call a tool, and answer what it asks; raises RequestFailed."""
        params = {"name": name, "arguments": dict(arguments or {})}
        return Result(await self.request("tools/call", params, **meta))

    async def list_tools(self) -> Sequence[Mapping[str, Any]]:
        """Return all tools, as they are published."""
        return await self._all("tools/list", "tools")

    async def list_prompts(self) -> Sequence[Mapping[str, Any]]:
        """Return all prompts."""
        return await self._all("prompts/list", "prompts")

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """Return the messages of a prompt."""
        params = {"name": name, "arguments": dict(arguments or {})}
        messages: Sequence[Mapping[str, Any]] = (await self.request("prompts/get", params))[
            "messages"
        ]
        return messages

    async def list_resources(self) -> Sequence[Mapping[str, Any]]:
        """Return all resources."""
        return await self._all("resources/list", "resources")

    async def list_resource_templates(self) -> Sequence[Mapping[str, Any]]:
        """Return all resource templates."""
        return await self._all("resources/templates/list", "resourceTemplates")

    async def read_resource(self, uri: str) -> Sequence[Mapping[str, Any]]:
        """Return the contents of a resource."""
        contents: Sequence[Mapping[str, Any]] = (
            await self.request("resources/read", {"uri": uri})
        )["contents"]
        return contents

    async def complete(
        self, ref: Mapping[str, Any], name: str, value: str = "", **chosen: str
    ) -> Sequence[str]:
        """Return the values offered for the argument `name`, of which `value` is there so far."""
        params: dict[str, Any] = {"ref": dict(ref), "argument": {"name": name, "value": value}}
        if chosen:
            params["context"] = {"arguments": chosen}
        values: Sequence[str] = (await self.request("completion/complete", params))["completion"][
            "values"
        ]
        return values

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, **meta: Any
    ) -> Mapping[str, Any]:
        """Return the result of any request; raises RequestFailed. `meta` goes into its `_meta`."""
        given = dict(params or {})
        for _ in range(MAX_ROUNDS):
            result = await self._exchange(method, given, meta)
            if result.get("resultType") != "input_required":
                return result
            answers = {
                key: await self._answers.to(asked["method"], asked.get("params", {}))
                for key, asked in result.get("inputRequests", {}).items()
            }
            given = {**(params or {}), "inputResponses": answers}
            if "requestState" in result:
                given["requestState"] = result["requestState"]
        raise AssertionError(f"{method} asks again and again, {MAX_ROUNDS} times")

    async def notified(self, method: str) -> Mapping[str, Any]:
        """Wait for a notification; returns the params of the first."""
        with anyio.fail_after(PATIENCE_SECONDS):
            while True:
                for notification in self.notifications:
                    if notification["method"] == method:
                        params: Mapping[str, Any] = notification.get("params", {})
                        return params
                self._arrived = anyio.Event()
                await self._arrived.wait()

    async def _all(self, method: str, key: str) -> Sequence[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        params: dict[str, Any] = {}
        while True:
            page = await self.request(method, params)
            found += page[key]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    async def _exchange(
        self, method: str, params: Mapping[str, Any], given_meta: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        self._last_id += 1
        request_id = self._last_id
        own = {**(self._modern_meta() if self.is_modern else {}), **given_meta}
        if own:
            params = {**params, "_meta": {**own, **params.get("_meta", {})}}
        arrived, holder = self._pending[request_id] = anyio.Event(), []
        self._transport.send(jsonrpc.request(request_id, method, params), self._principal)
        try:
            with anyio.fail_after(PATIENCE_SECONDS):
                await arrived.wait()
        finally:
            del self._pending[request_id]
        answer = holder[0]
        if isinstance(answer, AssertionError):
            raise answer
        if "error" in answer:
            error = answer["error"]
            raise RequestFailed(error["code"], error["message"], error.get("data"))
        result: Mapping[str, Any] = answer["result"]
        return result

    def _modern_meta(self) -> dict[str, Any]:
        return {
            meta.PROTOCOL_VERSION: self.revision,
            meta.CLIENT_INFO: {"name": "typedargs-testing", "version": "1"},
            meta.CLIENT_CAPABILITIES: self._answers.capabilities,
        }

    async def _open(self) -> None:
        params = {
            "protocolVersion": self.revision,
            "capabilities": self._answers.capabilities,
            "clientInfo": {"name": "typedargs-testing", "version": "1"},
        }
        await self.request("initialize", params)
        self._transport.send(jsonrpc.notification("notifications/initialized"), self._principal)

    def _receive(self, data: bytes) -> None:
        message = msgspec.json.decode(data)
        if "method" not in message:
            arrived, holder = self._pending.get(message.get("id"), (anyio.Event(), []))
            holder.append(message)
            arrived.set()
        elif "id" in message:
            self._tasks.start_soon(self._answer, message)
        else:
            self.notifications.append(message)
            self._arrived.set()

    async def _answer(self, request: Mapping[str, Any]) -> None:
        try:
            result = await self._answers.to(request["method"], request.get("params", {}))
        except AssertionError as error:  # for the test, not for the server
            for arrived, holder in self._pending.values():
                holder.append(error)
                arrived.set()
            return
        data = jsonrpc.result_response(request["id"], result)
        self._transport.send(data, self._principal)


@contextlib.asynccontextmanager
async def connect(
    server: MCPServer,
    era: Literal["modern", "legacy"] = "modern",
    *,
    elicit: Script = None,
    sample: Script = None,
    roots: Sequence[Root | str] | Callable[..., Any] | None = None,
    principal: str | None = None,
) -> AsyncIterator[Client]:
    """Run `server` in memory, with its lifespan, and give a client that is connected to it.

    `elicit` answers forms and pages: with the content as a dict, with Accepted, Declined() or
    Cancelled(). `sample` answers with a text, or the whole result as a dict. `roots` are URIs. The
    client declares the capabilities for which it has answers. Raises AssertionError, from the
    block, where the server asks what has no answer.
    """
    require(server, MCPServer, "connect: server")
    require(era, Literal["modern", "legacy"], "connect: era")
    answers = _Answers({"elicit": elicit, "sample": sample, "roots": roots})
    revision = versions.MODERN if era == "modern" else versions.LATEST_LEGACY
    client = Client(revision, answers, principal)
    try:
        async with _connected(server, client):
            yield client
    except BaseExceptionGroup as group:  # what a test raises in the block is not to be wrapped
        raise alone(group) from None


@contextlib.asynccontextmanager
async def _connected(server: MCPServer, client: Client) -> AsyncIterator[None]:
    async with server._runner() as runner, anyio.create_task_group() as tasks:
        client._tasks = tasks
        connection = Connection(runner.definition)
        with MemoryTransport(runner, connection, client._receive) as transport:
            client._transport = transport
            if not client.is_modern:
                await client._open()
            yield
        tasks.cancel_scope.cancel()
