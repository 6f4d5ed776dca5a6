"""What HTTP itself asks of a request: path, method, headers, body; and browsers' own rules."""

from __future__ import annotations

import gc
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from tests.server.calculator import calculator
from tests.server.support import initialize_params
from tests.server.transports.web import BOTH, Web, http_app, serving
from typedargs_server import Limits
from typedargs_server.eras import versions
from typedargs_server.transports._requests import HttpRequest

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "TRACE"])
async def test_another_method_is_told_those_that_are_served(method: str) -> None:
    async with serving(calculator()) as web:
        answer = await web.send(method)
        assert (answer.status, answer.headers["allow"]) == (405, "POST, GET, DELETE, OPTIONS")


async def test_options_tells_the_methods() -> None:
    async with serving(calculator()) as web:
        answer = await web.send("OPTIONS")
        assert (answer.status, answer.headers["allow"]) == (204, "POST, GET, DELETE, OPTIONS")


async def test_without_sessions_there_is_only_post() -> None:
    async with serving(calculator(), stateless=True) as web:
        for method in ("GET", "DELETE"):
            answer = await web.send(method)
            assert (answer.status, answer.headers["allow"]) == (405, "POST, OPTIONS")


@pytest.mark.parametrize("path", ["/", "/mcp/x", "/mcpx", "/MCP", "/sse", "/messages"])
async def test_elsewhere_nothing_is_found(path: str) -> None:
    async with serving(calculator()) as web:
        assert (await web.send("POST", path)).error == (404, "Not Found: the endpoint is /mcp")


@pytest.mark.parametrize(
    ("setting", "root_path", "path"),
    [
        ("/mcp", "", "/mcp"),
        ("/mcp", "", "/mcp/"),
        ("/mcp/", "", "/mcp"),
        ("/", "", "/"),
        ("/", "", ""),
        ("/", "/mcp", "/mcp"),
        ("/", "/mcp", "/mcp/"),
        ("/", "/mcp/", "/mcp/"),
        ("/mcp", "/tools", "/tools/mcp"),
        ("/mcp", "/tools", "/mcp"),
        ("/mcp", "/mcp", "/mcp/mcp"),
        ("/mcp", "/m", "/mcp"),
        ("/a/b", "", "/a/b"),
    ],
)
async def test_the_endpoint_is_found_wherever_it_is_mounted(
    setting: str, root_path: str, path: str
) -> None:
    async with serving(calculator(), path=setting) as web:
        web.path, web.root_path = path, root_path
        assert "tools" in await web.ask("tools/list")


@pytest.mark.parametrize(
    ("mounted", "setting", "url"),
    [
        ("/", "/mcp", "/mcp"),
        ("/", "/mcp", "/mcp/"),
        ("", "/mcp", "/mcp"),
        ("/tools", "/mcp", "/tools/mcp"),
        ("/mcp", "/", "/mcp/"),
    ],
)
async def test_it_can_be_mounted_in_starlette(mounted: str, setting: str, url: str) -> None:
    app = http_app(calculator(), path=setting)
    outer = Starlette(routes=[Mount(mounted, app)], lifespan=app.lifespan)
    async with outer.router.lifespan_context(outer), anyio.create_task_group() as tasks:
        web = Web(outer, tasks, path=url)
        assert "tools" in await web.ask("tools/list")


async def test_it_can_be_a_route_of_starlette() -> None:
    app = http_app(calculator())
    outer = Starlette(routes=[Route("/mcp", app)], lifespan=app.lifespan)
    async with outer.router.lifespan_context(outer), anyio.create_task_group() as tasks:
        web = Web(outer, tasks)
        assert "tools" in await web.ask("tools/list")


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"]
)
async def test_a_body_of_json_is_read(kind: str) -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("tools/list"), content_type=kind)
        await answer.ended()
        assert answer.status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/jsonp", "", None])
async def test_any_other_kind_of_body_is_refused(kind: str | None) -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("tools/list"), content_type=kind)
        await answer.ended()
        assert answer.error == (
            415,
            f"Unsupported Media Type: Content-Type must be application/json, got {kind or ''!r}",
        )


@pytest.mark.parametrize("headers", [{"content_type": "text/plain"}, {"content_length": "1" * 19}])
async def test_nothing_is_kept_of_requests_that_are_refused_alike(headers: dict[str, str]) -> None:
    async with serving(calculator()) as web:
        message = web.request("tools/list")
        for _ in range(20):
            answer = web.post(message, **headers)
            await answer.ended()
            assert answer.status in (413, 415)
        gc.collect()
        assert not [each for each in gc.get_objects() if isinstance(each, HttpRequest)]


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        BOTH,
        "application/json",
        "text/event-stream",
        "application/*",
        "text/html, */*;q=0.1",
        "Application/JSON ; q=0.9",
    ],
)
async def test_who_accepts_json_or_events_is_answered(accept: str | None) -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("tools/list"), accept=accept)
        await answer.ended()
        assert answer.status == 200


@pytest.mark.parametrize(
    "accept", ["text/html", "", "*/*;q=0", "application/json;q=0, text/event-stream; q=0.0"]
)
async def test_who_accepts_neither_is_not_answered(accept: str) -> None:
    async with serving(calculator()) as web:
        answer = web.post(web.request("tools/list"), accept=accept)
        await answer.ended()
        assert answer.status == 406


TOO_LARGE = "Content Too Large: the message is longer than 1000 bytes, this server's limit"


@pytest.mark.parametrize("length", ["1001", "99999999999999999999999", None, "0", "x"])
async def test_a_body_over_the_limit_is_refused_whatever_its_length_says(
    length: str | None,
) -> None:
    async with serving(calculator(limits=Limits(max_message_bytes=1000))) as web:
        answer = web.open("POST", body=b" " * 1001, content_length=length)
        await answer.ended()
        assert answer.error == (413, TOO_LARGE)
        assert answer.headers["connection"] == "close"


async def test_a_body_over_the_limit_is_not_read_to_its_end() -> None:
    async with serving(calculator(limits=Limits(max_message_bytes=1000))) as web:
        chunks = [b" " * 400] * 100
        answer = web.open("POST", body=chunks, content_length=None)
        await answer.ended()
        assert answer.error == (413, TOO_LARGE)


async def test_a_body_in_pieces_is_read() -> None:
    async with serving(calculator(), versions.LATEST_LEGACY) as web:
        whole = b'{"jsonrpc": "2.0", "id": "pieces", "method": "ping"}'
        web.reader.sent(whole)
        answer = web.open("POST", body=[whole[:10], b"", whole[10:], b""])
        await answer.ended()
        assert answer.json["result"] == {}


async def test_a_client_that_leaves_before_its_body_is_read_is_let_go() -> None:
    async with serving(calculator()) as web:
        answer = web.open("POST", body=[])
        answer.disconnect()
        await answer.ended()
        assert answer.status is None


async def test_too_many_headers_are_refused() -> None:
    async with serving(calculator(), max_headers=20, max_header_bytes=500) as web:
        many = web.open("GET", duplicates=[("x", "y")] * 20)
        await many.ended()
        assert many.error == (431, "Request Header Fields Too Large: more than 20 headers")
        large = web.open("GET", duplicates=[("x", "y" * 500)])
        await large.ended()
        assert large.error == (431, "Request Header Fields Too Large: more than 500 bytes")


async def test_a_foreign_page_is_refused_before_anything_else() -> None:
    async with serving(calculator()) as web:
        for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/elsewhere")):
            answer = await web.send(method, path, origin="http://evil.com")
            assert answer.status == 403
            answer = await web.send(method, path, host="evil.com")
            assert answer.status == 403


ORIGIN = "https://app.example.com"


async def test_an_origin_for_which_cors_is_on_may_ask_and_read() -> None:
    async with serving(calculator(), cors_origins=[ORIGIN]) as web:
        asked = await web.send(
            "OPTIONS",
            origin=ORIGIN,
            access_control_request_method="POST",
            access_control_request_headers="mcp-protocol-version,mcp-param-region,content-type",
        )
        assert asked.status == 200
        assert asked.headers["access-control-allow-origin"] == ORIGIN
        for header in ("mcp-protocol-version", "mcp-param-region", "content-type"):
            assert header in asked.headers["access-control-allow-headers"].lower()
        answer = web.post(web.request("tools/list"), origin=ORIGIN)
        await answer.ended()
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        assert "Mcp-Session-Id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origin", ["https://evil.com", "http://app.example.com"])
async def test_another_origin_gets_no_cors_and_no_answer(origin: str) -> None:
    async with serving(calculator(), cors_origins=[ORIGIN]) as web:
        answer = web.post(web.request("tools/list"), origin=origin)
        await answer.ended()
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers


async def test_cors_may_be_on_for_all_subdomains() -> None:
    async with serving(calculator(), cors_origins=["https://*.example.com"]) as web:
        for origin, status in ((ORIGIN, 200), ("https://example.com.evil.com", 403)):
            answer = web.post(web.request("tools/list"), origin=origin)
            await answer.ended()
            assert answer.status == status
            assert ("access-control-allow-origin" in answer.headers) == (status == 200)


async def test_own_routes_are_served_beside() -> None:
    async def health(_request: Any) -> PlainTextResponse:
        return PlainTextResponse("well")

    app = http_app(calculator(), routes=[("/health", ["GET"], health)])
    async with app.lifespan(), anyio.create_task_group() as tasks:
        web = Web(app, tasks)
        answer = await web.send("GET", "/health")
        assert (answer.status, answer.body) == (200, b"well")
        assert (await web.send("POST", "/health")).status == 405
        assert (await web.send("GET", "/elsewhere")).status == 404
        assert "tools" in await web.ask("tools/list")


@pytest.mark.parametrize("revision", versions.LEGACY)
async def test_a_legacy_client_can_do_without_a_session(revision: str) -> None:
    async with serving(calculator(), revision, stateless=True) as web:
        assert "mcp-session-id" not in web.headers
        assert "tools" in await web.ask("tools/list")
        del web.headers["mcp-protocol-version"]
        assert "tools" in await web.ask("tools/list")
        web.headers["mcp-session-id"] = "ignored"
        assert (await web.ask("ping")) == {}


async def test_a_modern_client_of_a_server_without_sessions_is_served_as_ever() -> None:
    async with serving(calculator(), stateless=True) as web:
        assert "tools" in await web.ask("tools/list")


async def test_a_batch_needs_no_session_either() -> None:
    async with serving(calculator(), versions.BATCHING, stateless=True) as web:
        answer = web.post([web.request("ping"), web.request("tools/list")])
        await answer.ended()
        assert [sorted(each["result"]) for each in answer.json] == [[], ["tools"]]


async def test_a_revision_that_is_not_served_is_refused_without_sessions_too() -> None:
    async with serving(calculator(), stateless=True) as web:
        web.revision = versions.LATEST_LEGACY
        message = web.request("initialize", initialize_params())
        answer = web.post(message, mcp_protocol_version="1999-01-01")
        await answer.ended()
        assert answer.status == 400


async def test_a_web_socket_is_turned_away() -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(event: Any) -> None:
        sent.append(event)

    await http_app(calculator())({"type": "websocket"}, receive, send)
    assert sent == [{"type": "websocket.close"}]
