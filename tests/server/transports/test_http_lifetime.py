"""When a server runs: with a lifespan of ASGI's, with that of the app around it, or from the first
request on."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Literal

import anyio
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.server.calculator import calculator
from tests.server.running import OBJECT
from tests.server.support import PATIENCE_SECONDS, texts
from tests.server.transports.web import Web, http_app
from typedargs_server import MCPServer, RequestContext
from typedargs_server.transports._lifetime import NO_LIFESPAN
from typedargs_server.transports.http import HttpApp

Backend = Literal["asyncio", "trio"]


class Log:
    """A server whose lifespan notes its start and its end, and may fail."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.error: Exception | None = None

    @contextlib.asynccontextmanager
    async def lifespan(self, _server: MCPServer) -> AsyncIterator[str]:
        self.notes.append("start")
        if self.error is not None:
            raise self.error
        try:
            yield "the state"
        finally:
            self.notes.append("end")

    def app(self, **settings: Any) -> HttpApp:
        server = MCPServer("s", lifespan=self.lifespan)

        async def state(_args: Any, ctx: RequestContext) -> str:
            return str(ctx.state)

        server.register_tool("state", None, OBJECT, state)
        return http_app(server, **settings)


def within(backend: Backend, use: Callable[[Web], Any], app: Any) -> None:
    """Run `use` with a client of `app`, on an event loop of its own."""

    async def main() -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            async with anyio.create_task_group() as tasks:
                await use(Web(app, tasks))
                tasks.cancel_scope.cancel()

    anyio.run(main, backend=backend)


async def call(web: Web) -> str:
    answer = web.call("state")
    await answer.ended()
    (text,) = texts(answer.json["result"])
    return text


class Server:
    """The part of an ASGI server that runs an application's lifespan."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.sent: list[Any] = []
        self.may_end = anyio.Event()
        self.has_sent = anyio.Event()
        self._events = iter(["lifespan.startup", "lifespan.shutdown"])

    async def run(self) -> None:
        await self._app({"type": "lifespan", "asgi": {}}, self._receive, self._send)

    async def _receive(self) -> dict[str, str]:
        kind = next(self._events)
        if kind == "lifespan.shutdown":
            await self.may_end.wait()
        return {"type": kind}

    async def _send(self, event: Any) -> None:
        self.sent.append(event)
        self.has_sent.set()


def test_the_lifespan_of_asgi_is_that_of_the_server(backend: Backend) -> None:
    log = Log()
    app = log.app()

    async def use(web: Web) -> None:
        server = Server(app)
        web._tasks.start_soon(server.run)
        await server.has_sent.wait()
        assert log.notes == ["start"]
        assert await call(web) == "the state"
        server.has_sent = anyio.Event()
        server.may_end.set()
        await server.has_sent.wait()
        assert [event["type"] for event in server.sent] == [
            "lifespan.startup.complete",
            "lifespan.shutdown.complete",
        ]
        assert log.notes == ["start", "end"]

    within(backend, use, app)


def test_a_server_that_does_not_start_says_so(
    backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    log = Log()
    log.error = ValueError("no database")
    app = log.app()

    async def use(_web: Web) -> None:
        server = Server(app)
        await server.run()
        (event,) = server.sent
        assert event == {"type": "lifespan.startup.failed", "message": "no database"}

    within(backend, use, app)
    assert "the server failed at its startup" in caplog.text


def test_a_mounted_app_runs_within_the_lifespan_of_the_other(backend: Backend) -> None:
    log = Log()
    app = log.app()
    outer = Starlette(routes=[Mount("/", app)], lifespan=app.lifespan)

    async def use(web: Web) -> None:
        async with outer.router.lifespan_context(outer):
            assert await call(web) == "the state"
        assert log.notes == ["start", "end"]

    within(backend, use, outer)


def test_without_any_lifespan_it_starts_with_the_first_request_and_says_so(
    backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    log = Log()
    outer = Starlette(routes=[Mount("/", log.app())])

    async def use(web: Web) -> None:
        answers = [web.call("state") for _ in range(3)]
        for answer in answers:
            await answer.ended()
            assert texts(answer.json["result"]) == ["the state"]
        assert await call(web) == "the state"
        assert log.notes == ["start"]

    with caplog.at_level(logging.WARNING, logger="typedargs"):
        within(backend, use, outer)
    assert [record.getMessage() for record in caplog.records] == [NO_LIFESPAN]
    assert log.notes == ["start", "end"]


def test_it_starts_anew_on_another_event_loop() -> None:
    log = Log()
    app = log.app()

    async def use(web: Web) -> None:
        assert await call(web) == "the state"

    for backend in ("asyncio", "trio", "asyncio"):
        within(backend, use, app)  # type: ignore[arg-type]
    assert log.notes == ["start", "end"] * 3


def test_a_first_request_for_which_it_does_not_start_fails_and_the_next_one_tries_again(
    backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    log = Log()
    app = log.app()

    async def use(web: Web) -> None:
        log.error = ValueError("no database")
        with pytest.raises(BaseExceptionGroup) as caught:
            async with anyio.create_task_group() as tasks:
                Web(app, tasks).call("state")
        assert caught.group_contains(RuntimeError, match="the server did not start")
        log.error = None
        assert await call(web) == "the state"

    within(backend, use, app)
    assert "no database" in caplog.text


def test_two_lifespans_at_once_are_a_mistake(backend: Backend) -> None:
    app = http_app(calculator())

    async def use(_web: Web) -> None:
        async with app.lifespan():
            with pytest.raises(RuntimeError, match="is being served already"):
                async with app.lifespan():
                    pass

    within(backend, use, app)


def test_one_lifespan_after_another_is_none(backend: Backend) -> None:
    log = Log()
    app = log.app()

    async def use(web: Web) -> None:
        for _ in range(2):
            async with app.lifespan():
                assert await call(web) == "the state"

    within(backend, use, app)
    assert log.notes == ["start", "end"] * 2


def test_the_end_of_an_event_loop_cancels_what_was_started_in_its_background(
    backend: Backend,
) -> None:
    left: list[str] = []
    server = MCPServer("s")

    async def wait() -> str:
        try:
            await anyio.sleep_forever()
        finally:
            left.append("left")
        return "never"

    server.register_tool("wait", None, OBJECT, wait)

    async def use(web: Web) -> None:
        web.call("wait")
        await anyio.wait_all_tasks_blocked()

    within(backend, use, http_app(server))
    assert left == ["left"]
