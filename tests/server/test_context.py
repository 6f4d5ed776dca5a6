"""RequestContext: the request, progress and log messages, on asyncio and on trio."""

import math
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
import pytest

from tests.server.running import MODES, OBJECT, register
from tests.server.support import BOTH_ERAS, PATIENCE_SECONDS, connected, texts
from typedargs_server import MCPServer, RequestContext
from typedargs_server.eras import meta, versions

pytestmark = pytest.mark.anyio


# The request


@pytest.mark.parametrize("mode", MODES)
async def test_a_handler_sees_the_request_that_it_answers(mode: str) -> None:
    server = MCPServer("s")
    seen: list[RequestContext] = []
    register(server, mode, lambda _, ctx: seen.append(ctx))
    async with connected(server) as client:
        call_id = client.start("t", {}, **{"example.org/x": 1})
        await client.answer(call_id)
    (ctx,) = seen
    assert ctx.request_id == call_id
    assert ctx.protocol_version == versions.MODERN
    assert ctx.client_info is not None
    assert ctx.client_info.name == "tester"
    assert ctx.client_capabilities == {}
    assert ctx.meta["example.org/x"] == 1
    assert ctx.state is None


# Progress


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_progress_that_grows_is_sent_before_the_answer(mode: str, revision: str) -> None:
    server = MCPServer("s")

    def handler(_: Any, ctx: RequestContext) -> str:
        for done in (0, 1, 1, 0.5, 2.5, math.nan, math.inf):
            ctx.progress(done)
        ctx.progress(3, 4, "nearly")
        ctx.progress(4, math.inf)
        return "done"

    register(server, mode, handler)
    async with connected(server, revision) as client:
        call_id = client.start("t", progressToken="mine")
        await client.answer(call_id)
        assert client.notifications("notifications/progress") == [
            {"progressToken": "mine", "progress": 0},
            {"progressToken": "mine", "progress": 1},
            {"progressToken": "mine", "progress": 2.5},
            {"progressToken": "mine", "progress": 3, "total": 4, "message": "nearly"},
            {"progressToken": "mine", "progress": 4},
        ]
        assert client.received[-1]["id"] == call_id


@pytest.mark.parametrize(
    ("tell", "message"),
    [
        (lambda ctx: ctx.progress("1"), "progress: done must be a number, got '1'"),
        (lambda ctx: ctx.progress(True), "progress: done must be a number, got True"),
        (lambda ctx: ctx.progress(1, "2"), "progress: total must be a number, got '2'"),
        (lambda ctx: ctx.progress(1, 2, 5), "progress: message must be a str, got 5"),
        (lambda ctx: ctx.log("info", "x", logger=5), "log: logger must be a str, got 5"),
    ],
)
@pytest.mark.parametrize("asked", [{}, {"progressToken": 1, meta.LOG_LEVEL: "debug"}])
async def test_what_cannot_be_told_is_refused_whether_the_client_asks_or_not(
    tell: Callable[[RequestContext], object], message: str, asked: dict[str, Any]
) -> None:
    server = MCPServer("s", debug=True)
    register(server, "async", lambda _, ctx: tell(ctx) and None)
    async with connected(server) as client:
        result = await client.call("t", **asked)
    assert texts(result) == [f'Tool "t" failed: TypeError: {message}']


@pytest.mark.parametrize("token", [0, 7, "", "x"])
async def test_the_token_of_the_request_comes_back(token: Any) -> None:
    server = MCPServer("s")
    register(server, "async", lambda _, ctx: ctx.progress(1) and None)
    async with connected(server) as client:
        await client.call("t", progressToken=token)
        (params,) = client.notifications("notifications/progress")
    assert (params["progressToken"], type(params["progressToken"])) == (token, type(token))


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_no_progress_is_sent_where_none_is_asked_for(revision: str) -> None:
    server = MCPServer("s")
    register(server, "async", lambda _, ctx: ctx.progress(1) and None)
    async with connected(server, revision) as client:
        await client.call("t")
        assert client.notifications("notifications/progress") == []


@pytest.mark.parametrize("mode", MODES)
async def test_nothing_is_sent_about_a_call_that_is_over(mode: str) -> None:
    server = MCPServer("s")
    contexts: list[RequestContext] = []
    register(server, mode, lambda _, ctx: contexts.append(ctx))
    async with connected(server) as client:
        await client.call("t", progressToken=1, **{meta.LOG_LEVEL: "debug"})
        contexts[0].progress(1)
        contexts[0].log("error", "late")
        await anyio.to_thread.run_sync(contexts[0].progress, 2)
        assert len(client.received) == 1


async def test_awaiting_progress_gives_other_calls_their_turn() -> None:
    server = MCPServer("s")
    other_ran = False

    async def patient(_: Any, ctx: RequestContext) -> str:
        done = 0
        while not other_ran:
            done += 1
            await ctx.progress(done)
            await ctx.log("debug", done)
        return "done"

    async def other() -> None:
        nonlocal other_ran
        other_ran = True

    server.register_tool("patient", None, OBJECT, patient)
    server.register_tool("other", None, OBJECT, other)
    async with connected(server) as client:
        call_id = client.start("patient", progressToken=1)
        await client.call("other")
        assert texts((await client.answer(call_id))["result"]) == ["done"]


async def test_awaiting_progress_ends_a_cancelled_handler() -> None:
    server = MCPServer("s")
    entered, ended = anyio.Event(), anyio.Event()

    async def endless(_: Any, ctx: RequestContext) -> None:
        done = 0
        try:
            while True:
                done += 1
                await ctx.progress(done)
                entered.set()
        finally:
            ended.set()

    server.register_tool("endless", None, OBJECT, endless)
    async with connected(server) as client:
        call_id = client.start("endless")
        await entered.wait()
        client.cancel(call_id)
        with anyio.fail_after(PATIENCE_SECONDS):
            await ended.wait()


# Log messages


LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def log_all(_: Any, ctx: RequestContext) -> None:
    for level in LEVELS:
        ctx.log(level, {"level": level})  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("least", [None, *LEVELS])
async def test_a_modern_client_gets_the_levels_that_its_request_asks_for(
    mode: str, least: str | None
) -> None:
    server = MCPServer("s")
    register(server, mode, log_all)
    async with connected(server) as client:
        await client.call("t", **({} if least is None else {meta.LOG_LEVEL: least}))
        got = [params["level"] for params in client.notifications("notifications/message")]
    assert got == ([] if least is None else list(LEVELS[LEVELS.index(least) :]))


@pytest.mark.parametrize("least", [None, *LEVELS])
async def test_a_legacy_client_gets_the_levels_that_it_set(least: str | None) -> None:
    server = MCPServer("s")
    register(server, "async", log_all)
    async with connected(server, versions.LATEST_LEGACY) as client:
        if least is not None:
            await client.ask("logging/setLevel", {"level": least})
        await client.call("t")
        got = [params["level"] for params in client.notifications("notifications/message")]
    assert got == list(LEVELS[LEVELS.index(least or "info") :])


async def test_a_log_message_carries_any_data_and_the_name_of_its_logger() -> None:
    server = MCPServer("s")

    def handler(_: Any, ctx: RequestContext) -> None:
        ctx.log("info", None)
        ctx.log("info", [1, {"a": "ä"}], logger="db")

    register(server, "thread", handler)
    async with connected(server, versions.LATEST_LEGACY) as client:
        await client.call("t")
        assert client.notifications("notifications/message") == [
            {"level": "info", "data": None},
            {"level": "info", "data": [1, {"a": "ä"}], "logger": "db"},
        ]


async def test_a_level_that_is_none_is_a_mistake_of_the_handler() -> None:
    server = MCPServer("s", debug=True)
    register(server, "async", lambda _, ctx: ctx.log("loud", "x"))
    async with connected(server) as client:
        assert "ValueError: the level must be one of debug, info" in await client.text("t")
