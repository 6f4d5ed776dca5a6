"""Streamable HTTP for modern clients: one POST, one connection, one response."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.server.calculator import AddArgs, Sum, calculator
from tests.server.running import OBJECT, Gate, gated
from tests.server.support import notification, request, texts
from tests.server.transports.web import BOTH, EVENTS, JSON, serving
from typedargs import Array, MCPArgs, String
from typedargs_server import Limits, MCPServer, RequestContext
from typedargs_server.eras import versions

pytestmark = pytest.mark.anyio

TALK = "talk"
"""The tool that tells its progress, and goes on when it may."""


def talking(gate: Gate, **options: Any) -> MCPServer:
    server = MCPServer("s", **options)

    async def talk(_args: Any, ctx: RequestContext) -> str:
        ctx.progress(1, 2, "half")
        return await gate()

    server.register_tool(TALK, None, OBJECT, talk)
    return server


def adding() -> MCPServer:
    server = MCPServer("s")

    @server.tool("sum")
    async def add(args: AddArgs) -> Sum:
        return Sum(sum=args.a + args.b)

    return server


class Nothing(MCPArgs):
    pass


class Lines(MCPArgs):
    lines = Array(String())


async def test_an_answer_that_is_there_at_once_is_json() -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("server/discover"))
        await answer.ended()
        assert (answer.status, answer.headers["content-type"]) == (200, JSON)
        assert versions.MODERN in answer.json["result"]["supportedVersions"]
        assert "mcp-session-id" not in answer.headers


async def test_the_answer_of_a_call_is_json_too() -> None:
    async with serving(adding()) as web:
        answer = web.call("sum", {"a": 1, "b": 2})
        await answer.ended()
        assert answer.json["result"]["structuredContent"] == {"sum": 3.0}


async def test_a_call_that_takes_its_time_is_answered_by_json() -> None:
    gate = Gate()
    async with serving(gated(gate)) as web:
        answer = web.call("gate")
        await gate.entered.wait()
        assert answer.status is None
        gate.may_go_on.set()
        await answer.ended()
        assert texts(answer.json["result"]) == ["done"]


async def test_what_precedes_the_answer_makes_it_a_stream_of_events() -> None:
    gate = Gate()
    async with serving(talking(gate)) as web:
        params = {"name": TALK, "arguments": {}}
        answer = web.post(web.request("tools/call", params, progressToken="p"))
        told = await answer.event()
        assert told.message["params"] == {
            "progressToken": "p",
            "progress": 1,
            "total": 2,
            "message": "half",
        }
        assert "id" not in told
        assert answer.status == 200
        assert answer.headers == {
            "content-type": EVENTS,
            "cache-control": "no-cache, no-transform",
            "x-accel-buffering": "no",
        }
        gate.may_go_on.set()
        (last,) = await answer.messages()
        assert texts(last["result"]) == ["done"]
        assert answer.is_complete


async def test_what_precedes_a_quick_answer_comes_with_it() -> None:
    gate = Gate()
    gate.may_go_on.set()
    async with serving(talking(gate)) as web:
        params = {"name": TALK, "arguments": {}}
        answer = web.post(web.request("tools/call", params, progressToken="p"))
        told, last = await answer.messages()
        assert told["method"] == "notifications/progress"
        assert texts(last["result"]) == ["done"]


async def test_a_client_that_takes_only_events_gets_events() -> None:
    async with serving(adding()) as web:
        answer = web.call("sum", {"a": 1, "b": 2}, accept=EVENTS)
        (last,) = await answer.messages()
        assert last["result"]["structuredContent"] == {"sum": 3.0}


async def test_a_client_that_takes_only_json_gets_the_answer_alone() -> None:
    gate = Gate()
    async with serving(talking(gate)) as web:
        params = {"name": TALK, "arguments": {}}
        message = web.request("tools/call", params, progressToken="p")
        answer = web.post(message, accept=JSON)
        await gate.entered.wait()
        gate.may_go_on.set()
        await answer.ended()
        assert texts(answer.json["result"]) == ["done"]


async def test_what_a_client_of_json_alone_is_not_told_does_not_count_as_waiting() -> None:
    server = MCPServer("s", limits=Limits(max_waiting_bytes=1000))

    async def tell(_args: Any, ctx: RequestContext) -> str:
        for done in range(100):
            await ctx.progress(done, None, "x" * 100)
        return "done"

    server.register_tool("tell", None, OBJECT, tell)
    async with serving(server) as web:
        params = {"name": "tell", "arguments": {}}
        answer = web.post(web.request("tools/call", params, progressToken="p"), accept=JSON)
        await answer.ended()
        assert texts(answer.json["result"]) == ["done"]


async def test_a_long_silence_is_broken_by_comments() -> None:
    gate = Gate()
    async with serving(gated(gate), keep_alive_seconds=0.01) as web:
        answer = web.call("gate")
        await answer.commented(2)
        gate.may_go_on.set()
        (last,) = await answer.messages()
        assert texts(last["result"]) == ["done"]


async def test_a_long_silence_does_not_disturb_who_takes_only_json() -> None:
    gate = Gate()
    async with serving(gated(gate), keep_alive_seconds=0.01) as web:
        answer, stream = web.call("gate", accept=JSON), web.call("gate")
        await stream.commented(3)
        gate.may_go_on.set()
        await answer.ended()
        assert texts(answer.json["result"]) == ["done"]


async def test_leaving_cancels_the_call() -> None:
    gate = Gate()
    async with serving(gated(gate)) as web:
        answer = web.call("gate")
        await gate.entered.wait()
        answer.disconnect()
        await gate.left.wait()
        await answer.ended()
        assert answer.status is None


async def test_leaving_in_the_midst_of_a_stream_cancels_the_call() -> None:
    gate = Gate()
    async with serving(talking(gate)) as web:
        params = {"name": TALK, "arguments": {}}
        answer = web.post(web.request("tools/call", params, progressToken="p"))
        await answer.event()
        answer.disconnect()
        await gate.left.wait()
        await answer.ended()
        assert not answer.is_complete


async def test_an_application_that_is_cancelled_from_outside_sends_no_more() -> None:
    gate, other = Gate(), Gate()
    server = talking(gate)
    server.register_tool("gate", None, OBJECT, other)
    async with serving(server, keep_alive_seconds=0.01) as web:
        app, outside = web._app, anyio.CancelScope()

        async def bounded(*arguments: Any) -> None:
            with outside:
                await app(*arguments)

        web._app = bounded
        params = {"name": TALK, "arguments": {}}
        answer = web.post(web.request("tools/call", params, progressToken="p"))
        await answer.event()
        outside.cancel()
        await answer.ended()
        await gate.left.wait()
        body, web._app = answer.body, app
        await web.call("gate").commented(3)
        assert (answer.body, answer.is_complete) == (body, False)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_application_whose_task_is_cancelled_ends_with_its_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gate = Gate()
    async with serving(gated(gate)) as web:
        app, tasks, was_cancelled = web._app, [], anyio.Event()

        async def noted(*arguments: Any) -> None:
            tasks.append(asyncio.current_task())
            try:
                await app(*arguments)
            except asyncio.CancelledError:
                tasks[0].uncancel()
                was_cancelled.set()

        web._app = noted
        answer = web.call("gate")
        await gate.entered.wait()
        tasks[0].cancel()
        await gate.left.wait()
        await was_cancelled.wait()
        assert answer.status is None
        assert not caplog.records


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_handler_that_cancels_its_own_task_is_answered_and_ends_nothing_else() -> None:
    server = adding()

    async def stop(_args: Any, _ctx: RequestContext) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return "stopped"

    server.register_tool("stop", None, OBJECT, stop)
    async with serving(server) as web:
        for _ in range(2):
            answer = web.call("stop")
            await answer.ended()
            assert texts(answer.json["result"]) == ["stopped"]


@pytest.mark.parametrize(
    ("method", "params", "status", "code"),
    [
        ("unknown/method", None, 404, -32601),
        ("initialize", None, 404, -32601),
        ("ping", None, 404, -32601),
        ("logging/setLevel", {"level": "info"}, 404, -32601),
        ("tools/call", {"name": "nobody", "arguments": {}}, 200, -32602),
    ],
)
async def test_an_error_has_the_status_of_its_code(
    method: str, params: dict[str, Any] | None, status: int, code: int
) -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request(method, params))
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (status, code)


async def test_an_error_is_json_for_a_client_that_takes_only_events() -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("unknown/method"), accept=EVENTS)
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (404, -32601)


async def test_a_revision_that_is_not_served_is_told() -> None:
    async with serving(calculator()) as web:
        message = web.request("tools/list")
        message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "v999"
        answer = web.post(message, mcp_protocol_version="v999")
        await answer.ended()
        assert answer.status == 400
        error = answer.json["error"]
        assert (error["code"], error["data"]["requested"]) == (-32022, "v999")
        mismatched = web.post(message)
        await mismatched.ended()
        assert (mismatched.status, mismatched.json["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize("version", [versions.MODERN, "v999"])
async def test_a_request_without_a_revision_in_its_body_is_malformed(version: str) -> None:
    async with serving(calculator()) as web:
        bare = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}
        answer = web.post(bare, mcp_protocol_version=version)
        await answer.ended()
        assert (answer.status, answer.json["id"]) == (400, 7)
        assert answer.json["error"]["code"] == -32602


async def test_headers_that_contradict_the_body_are_refused() -> None:
    async with serving(calculator()) as web:
        answer = web.call("add", {"a": 1, "b": 2}, mcp_name="subtract")
        await answer.ended()
        assert answer.status == 400
        assert answer.json["error"]["code"] == -32020
        assert "Mcp-Name header value 'subtract'" in answer.json["error"]["message"]


async def test_a_header_given_twice_is_refused_where_the_values_differ() -> None:
    async with serving(calculator()) as web:
        same = web.post(web.request("tools/list"), duplicates=[("mcp-method", "tools/list")])
        await same.ended()
        assert same.status == 200
        other = web.post(web.request("tools/list"), duplicates=[("mcp-method", "tools/call")])
        await other.ended()
        assert (other.status, other.json["error"]["code"]) == (400, -32020)


async def test_a_notification_is_accepted_without_a_body() -> None:
    async with serving(calculator()) as web:
        answer = web.post(notification("notifications/cancelled", {"requestId": 1}))
        await answer.ended()
        assert (answer.status, answer.body) == (202, b"")


async def test_a_response_is_refused() -> None:
    async with serving(calculator()) as web:
        answer = web.post(
            {"jsonrpc": "2.0", "id": 1, "result": {}}, mcp_protocol_version=versions.MODERN
        )
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, -32600)
        assert "id" not in answer.json


async def test_a_batch_is_refused() -> None:
    async with serving(calculator()) as web:
        answer = web.post([web.request("tools/list")], mcp_protocol_version=versions.MODERN)
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b'{"jsonrpc":"2.0","method":"x","params":{"a":"\xff"}}', -32700),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b"[]", -32600),
        (b"3", -32600),
    ],
)
async def test_what_is_no_message_is_refused(body: bytes, code: int) -> None:
    async with serving(calculator()) as web:
        answer = web.post(body, mcp_protocol_version=versions.MODERN)
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, code)


async def test_two_requests_of_one_id_do_not_meet() -> None:
    gate = Gate()
    async with serving(gated(gate)) as web:
        message = request(1, "tools/call", {"name": "gate", "arguments": {}})
        answers = [web.post(message), web.post(message)]
        await anyio.wait_all_tasks_blocked()
        assert gate.times == 2
        gate.may_go_on.set()
        for answer in answers:
            await answer.ended()
            assert texts(answer.json["result"]) == ["done"]


def register_one(server: MCPServer, name: str) -> None:
    server.register_tool(name, None, OBJECT, lambda: "x")


LISTEN = "subscriptions/listen"


async def test_a_subscription_is_a_stream_until_the_client_leaves() -> None:
    server = calculator()
    async with serving(server) as web:
        message = web.request(LISTEN, {"notifications": {"toolsListChanged": True}})
        stream = web.post(message)
        acknowledged = await stream.message()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        register_one(server, "new")
        changed = await stream.message()
        assert changed["method"] == "notifications/tools/list_changed"
        told = changed["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
        assert told == message["id"]
        stream.disconnect()
        await stream.ended()
        register_one(server, "newer")
        assert not stream.is_complete


async def test_a_subscription_hears_only_what_it_wants() -> None:
    server = calculator()
    async with serving(server, keep_alive_seconds=0.01) as web:
        stream = web.post(web.request(LISTEN, {"notifications": {"promptsListChanged": True}}))
        await stream.message()
        register_one(server, "new")
        await stream.commented(2)
        stream.disconnect()
        await stream.ended()
        assert b"list_changed" not in stream.body


async def test_a_subscription_wants_a_client_that_takes_events() -> None:
    async with serving(calculator()) as web:
        message = web.request(LISTEN, {"notifications": {"toolsListChanged": True}})
        stream = web.post(message, accept=JSON)
        await stream.ended()
        assert stream.status == 406


async def test_a_subscription_gets_its_answer_when_the_server_ends() -> None:
    async with serving(calculator()) as web:
        message = web.request(LISTEN, {"notifications": {"toolsListChanged": True}})
        stream = web.post(message)
        await stream.message()
        await web._app.end()
        (last,) = await stream.messages()
        assert (last["id"], last["result"]["resultType"]) == (message["id"], "complete")


async def test_a_client_that_does_not_read_is_cut_off_and_its_call_cancelled() -> None:
    server = MCPServer("s", limits=Limits(max_waiting_bytes=1000))
    left = anyio.Event()

    async def flood(_args: Any, ctx: RequestContext) -> str:
        try:
            for done in itertools.count():
                ctx.progress(done, None, "x" * 100)
                await anyio.lowlevel.checkpoint()
        finally:
            left.set()

    server.register_tool("flood", None, OBJECT, flood)
    async with serving(server) as web:
        params = {"name": "flood", "arguments": {}}
        message = web.request("tools/call", params, progressToken="p")
        answer = web.post(message, reads=False)
        await left.wait()
        await answer.ended()
        assert answer.status is None


async def test_an_answer_larger_than_what_may_wait_is_sent() -> None:
    server = MCPServer("s", limits=Limits(max_waiting_bytes=1000))
    server.register_tool("large", None, OBJECT, lambda: "x" * 5000)
    async with serving(server) as web:
        for accept in (JSON, EVENTS):
            answer = web.call("large", accept=accept)
            await answer.ended()
            assert b"x" * 5000 in answer.body


@pytest.mark.parametrize("revision", versions.SUPPORTED)
@pytest.mark.parametrize("accept", [BOTH, EVENTS])
@pytest.mark.parametrize("tool", ["direct", "in_context", "in_time"])
async def test_a_large_structured_answer_is_whole(tool: str, accept: str, revision: str) -> None:
    server = MCPServer("s")
    expected = [f'{number} "\N{SNOWMAN}"' for number in range(20_000)]

    @server.tool("direct")
    async def directly(_: Nothing) -> Lines:
        return Lines(lines=expected)

    @server.tool("in_context")
    async def in_context(_: Nothing, ctx: RequestContext) -> Lines:
        assert ctx.method == "tools/call"
        return Lines(lines=expected)

    @server.tool("in_time")
    async def in_time(_: Nothing) -> Lines:
        await anyio.lowlevel.checkpoint()
        return Lines(lines=expected)

    async with serving(server, revision) as web:
        answer = web.call(tool, accept=accept)
        await answer.ended()
        is_json = answer.headers["content-type"] == JSON
        result = (answer.json if is_json else (await answer.messages())[0])["result"]
        assert result["structuredContent"] == {"lines": expected}
        assert json.loads(result["content"][0]["text"]) == {"lines": expected}


async def test_while_the_server_ends_calls_finish_and_new_ones_are_refused() -> None:
    gate = Gate()
    async with serving(gated(gate)) as web, anyio.create_task_group() as tasks:
        running = web.call("gate")
        await gate.entered.wait()
        tasks.start_soon(web._app.end)
        await anyio.wait_all_tasks_blocked()
        late = web.call("gate")
        await late.ended()
        assert (late.status, late.headers["retry-after"]) == (503, "1")
        gate.may_go_on.set()
        await running.ended()
        assert texts(running.json["result"]) == ["done"]


async def test_a_call_that_outlasts_the_end_is_answered_as_cut_off() -> None:
    gate = Gate()
    server = gated(gate, limits=Limits(drain_seconds=0))
    async with serving(server) as web:
        running = web.call("gate")
        await gate.entered.wait()
        await web._app.end()
        await running.ended()
        assert running.json["result"]["isError"] is True
