"""Streamable HTTP for legacy clients: sessions, streams that can be resumed, the general stream."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import anyio
import pytest

from tests.server.calculator import calculator
from tests.server.running import OBJECT, Gate, gated
from tests.server.support import initialize_params, notification, request, texts
from tests.server.transports.test_http import TALK, adding, register_one, talking
from tests.server.transports.web import BOTH, EVENTS, JSON, Answer, Web, serving
from typedargs import MCPArgs, String
from typedargs_server import InvalidRequest, Limits, MCPServer, RequestContext
from typedargs_server.eras import versions
from typedargs_server.transports._sessions import Sessions

pytestmark = pytest.mark.anyio

LEGACY = versions.LATEST_LEGACY
NOT_FOUND = "Session not found: it has ended, or never was; initialize a new one"
MISSING = "Bad Request: the header Mcp-Session-Id is missing; initialize answers with it"

streaming = pytest.mark.parametrize(
    "revision", [each for each in versions.LEGACY if each != versions.LEGACY[-1]]
)


def sessions(web: Web) -> Sessions:
    live = web._app._lifetime.live
    assert live is not None
    found: Sessions = live.sessions
    return found


async def new_web(web: Web, revision: str = LEGACY) -> Web:
    """Another client of the same server, in a session of its own."""
    other = Web(web._app, web._tasks, revision)
    await other.initialize()
    return other


def talk(web: Web, **more: Any) -> Answer:
    message = web.request("tools/call", {"name": TALK, "arguments": {}}, progressToken="p")
    return web.post(message, **more)


@pytest.mark.parametrize("revision", versions.LEGACY)
async def test_initialize_opens_a_session_in_which_the_client_goes_on(revision: str) -> None:
    async with serving(adding(), revision) as web:
        assert re.fullmatch(r"[\x21-\x7e]{32,}", web.headers["mcp-session-id"])
        answer = web.call("sum", {"a": 1, "b": 2})
        await answer.ended()
        assert (answer.status, answer.headers["content-type"]) == (200, JSON)
        assert answer.json["result"]["structuredContent"] == {"sum": 3.0}
        assert "mcp-session-id" not in answer.headers
        assert (await web.ask("ping")) == {}


async def test_initialize_with_the_header_of_the_revision_opens_a_session_too() -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        opened = await web.initialize()
        assert "mcp-session-id" in opened.headers
        assert len(sessions(web)) == 2


async def test_initialize_is_answered_as_events_where_only_these_are_taken() -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        message = web.request("initialize", initialize_params(LEGACY))
        opened = web.post(message, accept=EVENTS)
        (answer,) = await opened.messages()
        assert answer["result"]["protocolVersion"] == LEGACY
        web.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        assert (await web.ask("ping")) == {}


async def test_initialize_that_fails_opens_nothing() -> None:
    async with serving(calculator()) as web:
        web.revision = LEGACY
        answer = web.post(web.request("initialize", {"protocolVersion": 3}))
        await answer.ended()
        assert answer.json["error"]["code"] == -32602
        assert "mcp-session-id" not in answer.headers
        assert len(sessions(web)) == 0


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "resources/list", "unknown"])
async def test_a_request_without_a_session_is_refused(method: str) -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        answer = web.post(web.request(method))
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, -32602)
        assert "initialize" in answer.json["error"]["message"]


async def test_any_other_message_without_a_session_is_refused() -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        for message in (
            notification("notifications/initialized"),
            {"jsonrpc": "2.0", "id": 1, "result": {}},
        ):
            answer = web.post(message)
            await answer.ended()
            assert answer.error == (400, MISSING)


async def test_initialize_may_pass_through_middleware() -> None:
    server = calculator()
    methods: list[str] = []

    async def note(ctx: RequestContext, proceed: Any) -> Any:
        methods.append(ctx.method)
        return await proceed()

    server.middleware(note)
    async with serving(server, LEGACY) as web:
        assert "mcp-session-id" in web.headers
        del web.headers["mcp-session-id"]
        assert (await web.ask("ping")) == {}
        assert methods == ["initialize", "ping"]
        assert len(sessions(web)) == 1


@pytest.mark.parametrize("accept", [BOTH, EVENTS])
async def test_initialize_that_middleware_refuses_opens_nothing(accept: str) -> None:
    server = calculator()

    async def refuse(ctx: RequestContext, proceed: Any) -> Any:
        if ctx.method == "initialize":
            raise InvalidRequest("sign in first")
        return await proceed()

    server.middleware(refuse)
    async with serving(server) as web:
        web.revision = LEGACY
        answer = web.post(web.request("initialize", initialize_params(LEGACY)), accept=accept)
        await answer.ended()
        assert b"sign in first" in answer.body
        assert "mcp-session-id" not in answer.headers
        assert len(sessions(web)) == 0


async def test_a_slow_ping_without_a_session_opens_none() -> None:
    server, gate = calculator(), Gate()

    async def wait(ctx: RequestContext, proceed: Any) -> Any:
        if ctx.method == "ping":
            await gate()
        return await proceed()

    server.middleware(wait)
    async with serving(server, LEGACY, keep_alive_seconds=0.01) as web:
        del web.headers["mcp-session-id"]
        answer = web.post(web.request("ping"))
        await answer.commented()
        gate.may_go_on.set()
        assert [message["result"] for message in await answer.messages()] == [{}]
        assert "mcp-session-id" not in answer.headers
        assert len(sessions(web)) == 1


async def test_ping_needs_no_session() -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        assert (await web.ask("ping")) == {}
        assert len(sessions(web)) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_unknown_session_is_not_found(method: str) -> None:
    async with serving(calculator(), LEGACY) as web:
        web.headers["mcp-session-id"] = "unknown"
        if method == "POST":
            answer = web.post(web.request("tools/list"))
            await answer.ended()
        else:
            answer = await web.send(method)
        assert answer.error == (404, NOT_FOUND)


async def test_initialize_with_a_session_that_has_ended_opens_a_new_one() -> None:
    async with serving(calculator(), LEGACY) as web:
        web.headers["mcp-session-id"] = "stale"
        await web.initialize()
        assert web.headers["mcp-session-id"] != "stale"
        assert (await web.ask("ping")) == {}


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_revision_that_is_not_served_is_refused(method: str) -> None:
    async with serving(calculator(), LEGACY) as web:
        web.headers["mcp-protocol-version"] = "1999-01-01"
        if method == "POST":
            answer = web.post(web.request("tools/list"))
            await answer.ended()
        else:
            answer = await web.send(method)
        assert answer.status == 400


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_the_modern_era_has_only_post(method: str) -> None:
    async with serving(calculator()) as web:
        answer = await web.send(method, mcp_protocol_version=versions.MODERN)
        assert (answer.status, answer.headers["allow"]) == (405, "POST")


async def test_a_modern_client_on_the_same_path_needs_no_session() -> None:
    async with serving(calculator(), LEGACY) as web:
        modern = Web(web._app, web._tasks)
        assert "tools" in await modern.ask("tools/list")
        modern.headers["mcp-session-id"] = "ignored"
        answer = modern.post(modern.request("tools/list"))
        await answer.ended()
        assert answer.status == 200
        assert "mcp-session-id" not in answer.headers


async def test_a_modern_call_in_a_session_is_held_to_its_headers() -> None:
    async with serving(adding(), LEGACY) as web:
        message = request(1, "tools/call", {"name": "sum", "arguments": {"a": 1, "b": 2}})
        answer = web.post(message)
        await answer.ended()
        assert answer.status == 400
        assert answer.json["error"]["message"].startswith("Header mismatch: MCP-Protocol-Version")


async def test_errors_within_a_session_are_answers_like_others() -> None:
    async with serving(calculator(), LEGACY) as web:
        answer = web.post(web.request("unknown/method"))
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_handler_that_cancels_its_own_task_ends_nothing_else() -> None:
    server = adding()

    @server.tool("stop", "Stop", input=OBJECT)
    async def stop(_: Any, ctx: RequestContext) -> str:  # noqa: ARG001
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return "stopped"

    async with serving(server, LEGACY) as web:
        for _ in range(2):
            answer = web.call("stop", {})
            await answer.ended()
            assert texts(answer.json["result"]) == ["stopped"]


async def test_delete_ends_the_session() -> None:
    async with serving(calculator(), LEGACY) as web:
        ended = await web.send("DELETE")
        assert (ended.status, ended.body) == (204, b"")
        answer = web.post(web.request("tools/list"))
        await answer.ended()
        assert answer.error == (404, NOT_FOUND)
        assert len(sessions(web)) == 0


async def test_delete_cancels_what_runs_and_closes_what_is_open() -> None:
    gate = Gate()
    server = talking(gate)
    server.register_tool("gate", None, OBJECT, gate)
    async with serving(server, LEGACY) as web:
        waiting, stream, general = web.call("gate"), talk(web), web.open("GET")
        await stream.message()
        await general.started()
        await web.send("DELETE")
        await gate.left.wait()
        await waiting.ended()
        assert waiting.error == (404, "Session not found: it has ended")
        assert await stream.messages() == []
        assert await general.messages() == []


@streaming
async def test_leaving_does_not_cancel_the_call(revision: str) -> None:
    gate = Gate()
    async with serving(gated(gate), revision) as web:
        answer = web.call("gate")
        await gate.entered.wait()
        answer.disconnect()
        await answer.ended()
        assert answer.status is None
        assert not gate.left.is_set()
        gate.may_go_on.set()
        await gate.left.wait()
        assert (await web.ask("ping")) == {}


async def test_cancelling_ends_the_response_without_an_answer() -> None:
    gate = Gate()
    async with serving(gated(gate), LEGACY) as web:
        message = web.request("tools/call", {"name": "gate", "arguments": {}})
        for accept, status in ((BOTH, 200), (JSON, 202), (EVENTS, 200)):
            gate.entered = anyio.Event()
            answer = web.post({**message, "id": f"of {accept}"}, accept=accept)
            await gate.entered.wait()
            params = {"requestId": f"of {accept}"}
            told = web.post(notification("notifications/cancelled", params))
            await told.ended()
            assert told.status == 202
            await answer.ended()
            assert (answer.status, answer.is_complete) == (status, True)
            assert b"result" not in answer.body


@streaming
async def test_a_stream_begins_with_an_id_to_resume_by_where_the_revision_has_that(
    revision: str,
) -> None:
    gate = Gate()
    async with serving(talking(gate), revision) as web:
        answer = talk(web)
        if revision in versions.PRIMED:
            assert await answer.event() == {"id": "1-0", "data": ""}
        told = await answer.event()
        assert (told["id"], told.message["method"]) == ("1-1", "notifications/progress")
        gate.may_go_on.set()
        last = await answer.event()
        assert (last["id"], texts(last.message["result"])) == ("1-2", ["done"])
        await answer.ended()


async def test_a_stream_can_be_resumed_while_the_call_runs() -> None:
    gate = Gate()
    async with serving(talking(gate), LEGACY) as web:
        first = talk(web)
        await first.message()
        first.disconnect()
        await first.ended()
        second = web.open("GET", last_event_id="1-1")
        await second.started()
        gate.may_go_on.set()
        last = await second.event()
        assert (last["id"], texts(last.message["result"])) == ("1-2", ["done"])
        await second.ended()
        assert second.is_complete


async def test_a_stream_can_be_resumed_after_the_call() -> None:
    gate = Gate()
    async with serving(talking(gate), LEGACY) as web:
        first = talk(web)
        await first.message()
        first.disconnect()
        await first.ended()
        gate.may_go_on.set()
        await gate.left.wait()
        for _ in range(2):
            again = web.open("GET", last_event_id="1-0")
            told, last = await again.messages()
            assert told["method"] == "notifications/progress"
            assert texts(last["result"]) == ["done"]


async def test_a_stream_that_is_resumed_elsewhere_ends_where_it_was() -> None:
    gate = Gate()
    async with serving(talking(gate), LEGACY) as web:
        first = talk(web)
        await first.message()
        second = web.open("GET", last_event_id="1-1")
        assert await first.messages() == []
        gate.may_go_on.set()
        (last,) = await second.messages()
        assert texts(last["result"]) == ["done"]


async def test_a_stream_of_another_session_cannot_be_resumed() -> None:
    gate = Gate()
    async with serving(talking(gate), LEGACY) as web:
        await talk(web).message()
        other = await new_web(web)
        answer = await other.send("GET", last_event_id="1-0")
        assert answer.error == (
            400,
            "Last-Event-ID: the session has no event '1-0', or keeps it no longer; "
            "open a new stream without it",
        )
        gate.may_go_on.set()


async def test_what_is_no_longer_kept_is_told() -> None:
    gate = Gate()
    gate.may_go_on.set()
    async with serving(talking(gate), LEGACY, max_kept_events=1) as web:
        await talk(web).messages()
        answer = await web.send("GET", last_event_id="1-0")
        status, told = answer.error
        assert (status, "no longer kept" in told) == (400, True)
        (last,) = await web.open("GET", last_event_id="1-1").messages()
        assert texts(last["result"]) == ["done"]


def polling(gate: Gate) -> MCPServer:
    server = MCPServer("s")

    async def poll(_args: Any, ctx: RequestContext) -> str:
        ctx.close_stream()
        return await gate()

    server.register_tool("poll", None, OBJECT, poll)
    return server


async def test_a_call_may_close_its_stream_and_be_polled() -> None:
    gate = Gate()
    async with serving(polling(gate), LEGACY, reconnect_seconds=0.5) as web:
        answer = web.call("poll")
        assert await answer.event() == {"id": "1-0", "data": ""}
        assert await answer.event() == {"retry": "500"}
        await answer.ended()
        assert answer.is_complete
        again = web.open("GET", last_event_id="1-0")
        await again.started()
        gate.may_go_on.set()
        (last,) = await again.messages()
        assert texts(last["result"]) == ["done"]


@pytest.mark.parametrize(
    ("revision", "accept"), [("2025-06-18", BOTH), ("2025-03-26", BOTH), (LEGACY, JSON)]
)
async def test_where_nobody_could_poll_the_stream_stays_open(revision: str, accept: str) -> None:
    gate = Gate()
    async with serving(polling(gate), revision) as web:
        answer = web.call("poll", accept=accept)
        await gate.entered.wait()
        gate.may_go_on.set()
        await answer.ended()
        assert texts(answer.json["result"]) == ["done"]


async def test_a_long_silence_begins_a_stream_that_can_be_resumed() -> None:
    gate = Gate()
    async with serving(gated(gate), LEGACY, keep_alive_seconds=0.01) as web:
        answer = web.call("gate")
        assert await answer.event() == {"id": "1-0", "data": ""}
        await answer.commented()
        answer.disconnect()
        await answer.ended()
        gate.may_go_on.set()
        await gate.left.wait()
        (last,) = await web.open("GET", last_event_id="1-0").messages()
        assert texts(last["result"]) == ["done"]


async def test_the_general_stream_tells_of_changes() -> None:
    server = calculator()
    async with serving(server, LEGACY) as web:
        general = web.open("GET")
        assert await general.event() == {"id": "0-0", "data": ""}
        register_one(server, "new")
        told = await general.event()
        assert (told["id"], told.message["method"]) == (
            "0-1",
            "notifications/tools/list_changed",
        )
        general.disconnect()
        await general.ended()


async def test_what_nobody_heard_is_told_on_the_next_general_stream() -> None:
    server = calculator()
    async with serving(server, LEGACY) as web:
        register_one(server, "new")
        general = web.open("GET")
        assert await general.event() == {"id": "0-0", "data": ""}
        assert (await general.event())["id"] == "0-1"
        general.disconnect()
        await general.ended()
        register_one(server, "newer")
        again = web.open("GET")
        assert await again.event() == {"id": "0-1", "data": ""}
        assert (await again.event())["id"] == "0-2"
        resumed = web.open("GET", last_event_id="0-1")
        assert (await resumed.event())["id"] == "0-2"
        await again.ended()


async def test_what_was_heard_on_a_resumed_stream_is_not_told_again() -> None:
    server = calculator()
    async with serving(server, LEGACY) as web:
        for name in ("new", "newer"):
            register_one(server, name)
        resumed = web.open("GET", last_event_id="0-0")
        assert [(await resumed.event())["id"] for _ in range(2)] == ["0-1", "0-2"]
        register_one(server, "newest")
        assert (await resumed.event())["id"] == "0-3"
        again = web.open("GET")
        assert await again.event() == {"id": "0-3", "data": ""}
        register_one(server, "last")
        assert (await again.event())["id"] == "0-4"


async def test_a_second_general_stream_takes_the_place_of_the_first() -> None:
    server = calculator()
    async with serving(server, LEGACY) as web:
        first = web.open("GET")
        await first.started()
        second = web.open("GET")
        assert await first.messages() == []
        register_one(server, "new")
        assert (await second.message())["method"] == "notifications/tools/list_changed"


async def test_the_general_stream_wants_a_client_that_takes_events() -> None:
    async with serving(calculator(), LEGACY) as web:
        assert (await web.send("GET", accept="text/html")).status == 406


async def test_get_and_delete_want_a_session() -> None:
    async with serving(calculator(), LEGACY) as web:
        del web.headers["mcp-session-id"]
        for method in ("GET", "DELETE"):
            assert (await web.send(method)).error == (400, MISSING)


class Who(MCPArgs):
    name = String()


def greeting() -> MCPServer:
    server = MCPServer("s")

    async def greet(_args: Any, ctx: RequestContext) -> str:
        answer = await ctx.elicit("Whom?", Who)
        return f"Hello, {answer.content.name}!"  # type: ignore[union-attr]

    server.register_tool("greet", None, OBJECT, greet)
    return server


@pytest.mark.parametrize("accept", [BOTH, EVENTS])
async def test_a_question_comes_on_the_stream_of_its_call(accept: str) -> None:
    async with serving(greeting(), LEGACY) as web:
        await web.initialize(elicitation={})
        answer = web.call("greet", accept=accept)
        question = await answer.message()
        assert question["method"] == "elicitation/create"
        reply = web.post(
            {
                "jsonrpc": "2.0",
                "id": question["id"],
                "result": {"action": "accept", "content": {"name": "Ada"}},
            }
        )
        await reply.ended()
        assert (reply.status, reply.body) == (202, b"")
        (last,) = await answer.messages()
        assert texts(last["result"]) == ["Hello, Ada!"]


async def test_a_question_of_a_call_that_takes_only_json_comes_on_the_general_stream() -> None:
    async with serving(greeting(), LEGACY) as web:
        await web.initialize(elicitation={})
        general, answer = web.open("GET"), web.call("greet", accept=JSON)
        question = await general.message()
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}
        await web.post(reply).ended()
        await answer.ended()
        assert answer.status == 200


async def test_the_calls_of_one_session_each_have_their_stream() -> None:
    gate = Gate()
    async with serving(talking(gate), LEGACY) as web:
        answers = [talk(web) for _ in range(3)]
        for answer in answers:
            await answer.message()
        gate.may_go_on.set()
        for at, answer in enumerate(answers):
            (last,) = await answer.messages()
            assert last["id"] == at + 2


async def test_a_batch_is_answered_by_a_batch() -> None:
    async with serving(calculator(), versions.BATCHING) as web:
        messages = [web.request("ping"), notification("x"), web.request("ping")]
        answer = web.post(messages)
        await answer.ended()
        assert [each["result"] for each in answer.json] == [{}, {}]
        silent = web.post([notification("x"), {"jsonrpc": "2.0", "id": 1, "result": {}}])
        await silent.ended()
        assert (silent.status, silent.body) == (202, b"")


async def test_a_batch_of_which_all_calls_are_cancelled_ends() -> None:
    gate = Gate()
    async with serving(gated(gate), versions.BATCHING) as web:
        call = {"name": "gate", "arguments": {}}
        calls = [request(at, "tools/call", call, revision=versions.BATCHING) for at in ("a", "b")]
        answer = web.post(calls)
        await gate.entered.wait()
        for at in ("a", "b"):
            assert answer.status is None
            told = web.post(notification("notifications/cancelled", {"requestId": at}))
            await told.ended()
        await answer.ended()
        assert answer.is_complete


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18"])
async def test_a_batch_is_refused_where_the_revision_has_none(revision: str) -> None:
    async with serving(calculator(), revision) as web:
        web.reader.revision = versions.BATCHING
        answer = web.post([web.request("ping")])
        await answer.ended()
        assert (answer.status, answer.json["error"]["code"]) == (400, -32600)


async def test_a_session_that_was_idle_for_long_ends() -> None:
    now = [1000.0]
    async with serving(calculator(), LEGACY, session_idle_seconds=60) as web:
        sessions(web)._clock = lambda: now[0]
        await web.ask("ping")
        now[0] += 59
        await web.ask("ping")
        now[0] += 61
        answer = web.post(web.request("ping"))
        await answer.ended()
        assert answer.error == (404, NOT_FOUND)


async def test_a_session_with_an_open_stream_or_a_running_call_is_not_idle() -> None:
    now, gate = [1000.0], Gate()
    async with serving(gated(gate), LEGACY, session_idle_seconds=60) as web:
        sessions(web)._clock = lambda: now[0]
        general = web.open("GET")
        await general.started()
        now[0] += 100
        await web.ask("ping")
        left = web.call("gate")
        await gate.entered.wait()
        left.disconnect()
        general.disconnect()
        await general.ended()
        await left.ended()
        now[0] += 100
        await web.ask("ping")
        gate.may_go_on.set()
        await gate.left.wait()
        await web.ask("ping")
        now[0] += 100
        answer = web.post(web.request("ping"))
        await answer.ended()
        assert answer.status == 404


class Name(MCPArgs):
    value = String()


async def asked_and_left(web: Web) -> None:
    """In a new session the client is asked, and does not answer."""
    web.headers.pop("mcp-session-id", None)
    await web.initialize(elicitation={})
    answer = web.call("ask")
    await answer.message()
    answer.disconnect()
    await answer.ended()


def asking() -> MCPServer:
    server = MCPServer("s", limits=Limits(drain_seconds=0))  # nobody will answer

    @server.tool("ask", input=OBJECT)
    async def ask(_args: Any, ctx: RequestContext) -> str:
        return repr(await ctx.elicit("Who?", Name))

    return server


async def test_a_session_whose_call_waits_for_its_absent_client_is_idle() -> None:
    now = [1000.0]
    async with serving(asking(), LEGACY, session_idle_seconds=60) as web:
        sessions(web)._clock = lambda: now[0]
        await web.send("DELETE")
        await asked_and_left(web)
        now[0] += 59
        await web.send("GET", mcp_session_id="unknown")
        assert len(sessions(web)) == 1
        now[0] += 2
        await web.send("GET", mcp_session_id="unknown")
        assert len(sessions(web)) == 0


async def test_clients_that_never_answer_do_not_keep_others_out() -> None:
    async with serving(asking(), LEGACY, max_sessions=2) as web:
        for _ in range(2):
            await asked_and_left(web)
        other = Web(web._app, web._tasks, LEGACY)
        await other.initialize()
        assert (await other.ask("ping")) == {}


async def test_one_session_too_many_ends_the_longest_idle_one() -> None:
    async with serving(calculator(), LEGACY, max_sessions=2) as web:
        second = await new_web(web)
        await web.ask("ping")
        third = await new_web(web)
        assert len(sessions(web)) == 2
        answer = second.post(second.request("ping"))
        await answer.ended()
        assert answer.status == 404
        assert (await web.ask("ping"), await third.ask("ping")) == ({}, {})


async def test_where_no_session_is_idle_one_more_is_refused() -> None:
    async with serving(calculator(), LEGACY, max_sessions=1) as web:
        general = web.open("GET")
        await general.started()
        other = Web(web._app, web._tasks, LEGACY)
        answer = other.post(other.request("initialize", initialize_params(LEGACY)))
        await answer.ended()
        assert answer.error == (503, "Service Unavailable: all 1 sessions are in use")
        assert answer.headers["retry-after"] == "60"


async def test_the_end_of_the_server_ends_the_general_streams() -> None:
    async with serving(calculator(), LEGACY) as web:
        general = web.open("GET")
        await general.started()
        await web._app.end()
        assert await general.messages() == []
        assert len(sessions(web)) == 0


async def test_an_answer_to_a_question_is_taken_while_the_server_ends() -> None:
    async with serving(greeting(), LEGACY) as web, anyio.create_task_group() as tasks:
        await web.initialize(elicitation={})
        answer = web.call("greet")
        question = await answer.message()
        tasks.start_soon(web._app.end)
        await anyio.wait_all_tasks_blocked()
        result = {"action": "accept", "content": {"name": "Ada"}}
        await web.post({"jsonrpc": "2.0", "id": question["id"], "result": result}).ended()
        (last,) = await answer.messages()
        assert texts(last["result"]) == ["Hello, Ada!"]
