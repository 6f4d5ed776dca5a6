"""Of requests that are refused, and of what clients abandon, a server keeps nothing.

The objects of the package are counted by their types, and the blocks of memory of all objects,
before and after thousands of cases; and the registries of the server must be empty.
"""

from __future__ import annotations

import gc
import json
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeAlias

import anyio
import anyio.abc
import anyio.from_thread
import pytest

from tests.server.running import OBJECT
from tests.server.support import PATIENCE_SECONDS, encoded, initialize_params, notification, request
from tests.server.transports.web import BOTH, EVENTS, JSON, NAMED
from typedargs import MCPArgs, String
from typedargs_server import Limits, MCPServer, RequestContext
from typedargs_server.eras import meta, versions
from typedargs_server.transports._live import Live
from typedargs_server.transports.http import HttpSettings

pytestmark = pytest.mark.anyio

LEGACY: Final = versions.LATEST_LEGACY
ASKS: Final[dict[str, Any]] = {meta.CLIENT_CAPABILITIES: {"elicitation": {}}}
IDLE_SECONDS: Final = 60.0
MAX_SESSIONS: Final = 8
MAX_BYTES: Final = 10_000
PLACE: Final = "typedargs_server._threads._Place"
ROUTED: Final = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}}


class Name(MCPArgs):
    value = String()


class Handlers:
    """Handlers that say when they run, and wait for what does not come."""

    def __init__(self) -> None:
        self.entered = anyio.Event()
        self.may_end = threading.Event()
        self.server = MCPServer("s", limits=Limits(max_threads=1, max_message_bytes=MAX_BYTES))
        for handler in (self.wait, self.talk, self.ask, self.block, self.quick):
            self.server.register_tool(handler.__name__, None, OBJECT, handler)
        self.server.register_tool("routed", None, ROUTED, self.routed)

    async def wait(self) -> None:
        self.entered.set()
        await anyio.sleep_forever()

    async def talk(self, _args: Any, ctx: RequestContext) -> None:
        for done in range(5):
            ctx.progress(done)
        await self.wait()

    async def ask(self, _args: Any, ctx: RequestContext) -> None:
        self.entered.set()
        await ctx.elicit("Who?", Name)

    def block(self) -> None:
        anyio.from_thread.run_sync(self.entered.set)
        assert self.may_end.wait(PATIENCE_SECONDS)

    def quick(self) -> str:
        return "done"

    def routed(self, _args: Any) -> str:
        return "done"


class Response:
    """The response to one request, of which only the beginning is kept."""

    def __init__(self) -> None:
        self.gone = anyio.Event()
        self.begun = anyio.Event()
        self.over = anyio.Event()
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.body = b""

    async def send(self, event: Any) -> None:
        if event["type"] == "http.response.start":
            self.status, self.headers = event["status"], dict(event["headers"])
        else:
            self.body = self.body or event.get("body", b"")
            self.begun.set()

    async def leave(self) -> None:
        """The client closes its connection, and the application takes note."""
        self.gone.set()
        await self.over.wait()


class Client:
    """A client of an application, who remembers nothing."""

    def __init__(self, app: Any, tasks: anyio.abc.TaskGroup, handlers: Handlers) -> None:
        self.app = app
        self.handlers = handlers
        self._tasks = tasks

    @property
    def live(self) -> Live:
        live: Live = self.app._lifetime.live
        return live

    def open(
        self,
        method: str,
        body: bytes = b"",
        path: str = "/mcp",
        *,
        more: bool = False,
        **given: str,
    ) -> Response:
        """Send a request; with `more`, the end of its body is to come."""
        headers = {"host": "127.0.0.1", "accept": BOTH, "content-type": JSON}
        headers |= {name.replace("_", "-"): value for name, value in given.items()}
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        response = Response()
        events = [{"type": "http.request", "body": body, "more_body": more}]

        async def receive() -> Any:
            if events:
                return events.pop()
            await response.gone.wait()
            return {"type": "http.disconnect"}

        async def run() -> None:
            await self.app(scope, receive, response.send)
            response.over.set()

        self._tasks.start_soon(run)
        return response

    async def send(self, method: str, body: bytes = b"", **given: Any) -> Response:
        """The whole response to a request."""
        response = self.open(method, body, **given)
        await response.over.wait()
        return response

    def post(self, message: Any, **given: Any) -> Response:
        """Send a message, by modern headers where it is modern."""
        request_meta = message.get("params", {}).get("_meta", {})
        if meta.PROTOCOL_VERSION in request_meta:
            method, params = message["method"], message["params"]
            headers: dict[str, Any] = {
                "mcp_protocol_version": versions.MODERN,
                "mcp_method": method,
            }
            if method in NAMED:
                headers["mcp_name"] = params[NAMED[method]]
            given = {**headers, **given}
        return self.open("POST", encoded(message), **given)

    async def refused(self, status: int, message: Any, **given: str) -> None:
        """Send a message that is answered with this status."""
        response = self.post(message, **given)
        await response.over.wait()
        assert response.status == status, response.body

    async def abandoned(self, tool: str, session: str | None = None) -> Response:
        """A call of a tool that runs, and whose client has left."""
        self.handlers.entered = anyio.Event()
        response = self.post(call(tool, session), **within(session))
        await self.handlers.entered.wait()
        await response.leave()
        return response

    async def session(self, revision: str = LEGACY) -> str:
        """Open a session."""
        params = {**initialize_params(revision), "capabilities": {"elicitation": {}}}
        opened = self.post(request(0, "initialize", params, revision=revision))
        await opened.over.wait()
        session = opened.headers[b"mcp-session-id"].decode()
        told = self.post(notification("notifications/initialized"), mcp_session_id=session)
        await told.over.wait()
        assert told.status == 202
        return session

    async def end(self, session: str) -> None:
        """End a session."""
        assert (await self.send("DELETE", mcp_session_id=session)).status == 204


def within(session: str | None) -> dict[str, str]:
    return {} if session is None else {"mcp_session_id": session}


def call(tool: str, session: str | None = None, **given: Any) -> Any:
    """A tool call, of a legacy client in its session."""
    params = {"name": tool, "arguments": {}, **given}
    if session is not None:
        return request(1, "tools/call", params, revision=LEGACY, progressToken="p")
    return request(1, "tools/call", params, progressToken="p", **ASKS)


Case: TypeAlias = Callable[[Client], Awaitable[None]]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def refusal(name: str, status: int, message: Any, **given: str) -> None:
    """A case of a request that is refused."""

    async def refused(client: Client) -> None:
        await client.refused(status, message, **given)

    CASES[name] = refused


LIST: Final = request(1, "tools/list")
INITIALIZE: Final = request(1, "initialize", initialize_params(), revision=LEGACY)

refusal("host", 403, LIST, host="evil.example")
refusal("origin", 403, LIST, origin="https://evil.example")
refusal("origin of initialize", 403, INITIALIZE, origin="https://evil.example")
refusal("announced size", 413, LIST, content_length="99999999")
refusal("size", 413, call("quick", note="x" * MAX_BYTES))
refusal("size of headers", 431, LIST, x_large="x" * 40_000)
refusal("content type", 415, LIST, content_type="text/plain")
refusal("accept", 406, LIST, accept="text/html")
refusal("path", 404, LIST, path="/elsewhere")
refusal("session", 404, request(1, "ping", revision=LEGACY), mcp_session_id="unknown")
refusal("no session", 400, notification("notifications/initialized"))
refusal("request without a session", 400, call("quick", "none"))
refusal("method header", 400, LIST, mcp_method="tools/call")
refusal("name header", 400, call("quick"), mcp_name="other")
refusal("parameter header", 400, call("routed", arguments={"a": "x"}), mcp_param_a="y")
refusal("no such method", 404, request(1, "unknown"))
refusal("no such tool", 200, call("unknown"))
refusal("arguments", 200, call("routed", arguments={"a": []}))
refusal("state", 200, call("ask", requestState="bm9uZSBvZiBvdXJz"))
refusal("response", 400, {"jsonrpc": "2.0", "id": 1, "result": {}})
refusal("initialize that fails", 200, request(1, "initialize", {"a": 1}, revision=LEGACY))
refusal("no filter", 200, request(1, "subscriptions/listen", {"notifications": 5}))
refusal("no stream of a pair", 404, LIST, path="/messages?session_id=unknown")


@case
async def bad_json(client: Client) -> None:
    assert (await client.send("POST", b'{"jsonrpc": ')).status == 400


@case
async def no_utf8(client: Client) -> None:
    assert (await client.send("POST", b'"\xff"')).status == 400


@case
async def another_method(client: Client) -> None:
    assert (await client.send("PUT")).status == 405


@case
async def stream_of_an_unknown_session(client: Client) -> None:
    assert (await client.send("GET", mcp_session_id="unknown")).status == 404
    assert (await client.send("DELETE", mcp_session_id="unknown")).status == 404


@case
async def a_body_that_does_not_end(client: Client) -> None:
    await client.open("POST", b'{"jsonrpc"', more=True).leave()


@case
async def a_session_opened_and_never_used(client: Client) -> None:
    await client.session()
    assert len(client.live.sessions) <= MAX_SESSIONS


@case
async def a_call_whose_client_leaves(client: Client) -> None:
    await client.abandoned("wait")


@case
async def a_stream_whose_client_leaves(client: Client) -> None:
    response = await client.abandoned("talk")
    assert response.headers[b"content-type"] == EVENTS.encode()


@case
async def a_call_in_a_thread_whose_client_leaves(client: Client) -> None:
    client.handlers.may_end.clear()
    await client.abandoned("block")
    client.handlers.may_end.set()
    await client.refused(200, call("quick"))  # which has the one thread next


@case
async def a_question_that_is_never_answered(client: Client) -> None:
    response = client.post(call("ask"))
    await response.over.wait()
    assert json.loads(response.body)["result"]["resultType"] == "input_required"


@case
async def a_subscription_whose_client_leaves(client: Client) -> None:
    listen = request(1, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    response = client.post(listen)
    await response.begun.wait()
    await response.leave()


@case
async def a_session_with_a_call_that_is_left_and_deleted(client: Client) -> None:
    session = await client.session()
    await client.abandoned("talk", session)
    await client.end(session)


@case
async def a_session_with_a_call_that_is_deleted(client: Client) -> None:
    session = await client.session()
    client.handlers.entered = anyio.Event()
    response = client.post(call("wait", session), mcp_session_id=session)
    await client.handlers.entered.wait()
    await client.end(session)
    await response.over.wait()
    assert response.status == 404


@case
async def a_question_asked_live_that_is_never_answered(client: Client) -> None:
    session = await client.session()
    response = client.post(call("ask", session), mcp_session_id=session)
    await response.begun.wait()
    await client.end(session)
    await response.over.wait()


@case
async def a_question_whose_client_leaves_and_deletes(client: Client) -> None:
    session = await client.session()
    await client.abandoned("ask", session)
    await client.end(session)


@case
async def a_general_stream_whose_client_leaves(client: Client) -> None:
    session = await client.session()
    for _ in range(2):
        stream = client.open("GET", mcp_session_id=session)
        await stream.begun.wait()
        await stream.leave()


@case
async def a_general_stream_that_is_deleted(client: Client) -> None:
    session = await client.session()
    stream = client.open("GET", mcp_session_id=session)
    await stream.begun.wait()
    await client.end(session)
    await stream.over.wait()


@case
async def a_stream_that_is_resumed_and_left(client: Client) -> None:
    session = await client.session()
    begun = await client.abandoned("talk", session)
    event_id = begun.body.partition(b"id: ")[2].partition(b"\n")[0].decode()
    stream = client.open("GET", mcp_session_id=session, last_event_id=event_id)
    await stream.begun.wait()
    await stream.leave()
    await client.end(session)


@case
async def a_call_that_is_cancelled(client: Client) -> None:
    session = await client.session()
    response = await client.abandoned("talk", session)
    assert response.status == 200
    cancelled = notification("notifications/cancelled", {"requestId": 1})
    await client.refused(202, cancelled, mcp_session_id=session)
    (kept,) = [each for each in client.live.sessions._by_id.values() if each.id == session]
    assert (len(kept.streams), len(kept.attached), kept.is_idle) == (1, 0, True)


@case
async def a_batch_whose_client_leaves(client: Client) -> None:
    session = await client.session(versions.BATCHING)
    client.handlers.entered = anyio.Event()
    batch = [call("wait", session), {**call("quick", session), "id": 2}, {"jsonrpc": "1.0"}]
    response = client.open("POST", encoded(batch), mcp_session_id=session)
    await client.handlers.entered.wait()
    await response.leave()
    await client.end(session)


@case
async def an_answer_to_no_question(client: Client) -> None:
    session = await client.session()
    answer = {"jsonrpc": "2.0", "id": 77, "result": {}}
    await client.refused(202, answer, mcp_session_id=session)


@case
async def a_pair_whose_client_leaves(client: Client) -> None:
    stream = client.open("GET", path="/sse")
    await stream.begun.wait()
    path = stream.body.partition(b"data: ")[2].split()[0].decode()
    params = initialize_params(versions.LEGACY[-1])
    await client.refused(202, request(1, "initialize", params, revision=LEGACY), path=path)
    client.handlers.entered = anyio.Event()
    await client.refused(202, {**call("wait", "pair"), "id": 2}, path=path)
    await client.handlers.entered.wait()
    await stream.leave()


@case
async def a_session_more_than_there_is_place_for(client: Client) -> None:
    sessions = [await client.session() for _ in range(MAX_SESSIONS)]
    streams = [client.open("GET", mcp_session_id=session) for session in sessions]
    for stream in streams:
        await stream.begun.wait()
    await client.refused(503, INITIALIZE)
    for stream in streams:
        await stream.leave()


def kept() -> Counter[str]:
    """How many objects of each of the package's types there are."""
    gc.collect()
    kinds = [type(each) for each in gc.get_objects()]
    return Counter(
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in kinds
        if kind.__module__.startswith("typedargs_server")
    )


def registries(live: Live) -> dict[str, int]:
    """How much is in each of what a server remembers clients by."""
    runner = live.runner
    return {
        "sessions": len(live.sessions),
        "pairs": len(live.pairs),
        "listening": len(live._listening),
        "outboxes": len(live._outboxes),
        "peers": len(runner._peers),
        "calls": len(runner.running),
        "running": len(runner._labels),
        "threads": runner._workers.borrowed_tokens + runner.threads._unlimited.borrowed_tokens,
        "modern": len(live._modern._in_flight) + len(live._modern._asked),
    }


async def expire(client: Client, now: list[float]) -> None:
    """Let all idle sessions end; none of them is in use."""
    now[0] += 2 * IDLE_SECONDS
    await client.send("GET", mcp_session_id="unknown")


async def check(cases: Sequence[Case], times: int, **settings: Any) -> None:
    """Fail where something is kept after so many of `cases`, each as often as the others."""
    handlers = Handlers()
    now = [0.0]
    app = handlers.server.http_app(settings=HttpSettings(**settings))
    async with app.lifespan(), anyio.create_task_group() as tasks:
        client = Client(app, tasks, handlers)
        client.live.sessions._clock = lambda: now[0]

        async def run(rounds: int) -> None:
            for at, one in enumerate(list(cases) * rounds):
                with anyio.fail_after(PATIENCE_SECONDS):
                    await one(client)
                if at % 100 == 0:
                    await expire(client, now)
            await expire(client, now)

        empty = registries(client.live)
        assert not any(empty.values())
        await run(3)  # fills the caches of the interpreter and of libraries
        before, blocks_before = kept(), sys.getallocatedblocks()
        await run(times // len(cases) + 1)
        after, blocks_after = kept(), sys.getallocatedblocks()
        assert registries(client.live) == empty
        left = after - before
        # An idle worker thread of anyio's holds the last thing that it did, until the next.
        assert left.pop(PLACE, 0) <= threading.active_count()
        assert left == Counter()
        assert blocks_after - blocks_before < times / 10


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_nothing_is_kept_of_what_was_refused_or_abandoned() -> None:
    await check(
        list(CASES.values()),
        10_000,
        sse=True,
        max_sessions=MAX_SESSIONS,
        session_idle_seconds=IDLE_SECONDS,
        max_kept_events=3,
    )


async def a_legacy_call_whose_client_leaves(client: Client) -> None:
    client.handlers.entered = anyio.Event()
    response = client.post(call("talk", "none"))
    await client.handlers.entered.wait()
    await response.leave()


async def a_legacy_question_that_cannot_be_asked(client: Client) -> None:
    await client.refused(200, call("ask", "none"))


async def a_legacy_message_that_wants_no_answer(client: Client) -> None:
    await client.refused(202, notification("notifications/cancelled", {"requestId": 1}))


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_nothing_is_kept_of_legacy_requests_where_there_are_no_sessions() -> None:
    await check(
        [
            a_legacy_call_whose_client_leaves,
            a_legacy_question_that_cannot_be_asked,
            a_legacy_message_that_wants_no_answer,
        ],
        5_000,
        stateless=True,
    )
