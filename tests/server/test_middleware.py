"""Middleware around every request, and methods of the server's own."""

from typing import Any

import pytest

from tests.server.support import BOTH_ERAS, Core, connected
from typedargs import Array, Integer, Map, MCPArgs, String
from typedargs_server import (
    InvalidParams,
    MCPServer,
    Proceed,
    RequestContext,
    ToolError,
    ToolResult,
    text_result,
)
from typedargs_server.testing import RequestFailed, connect

pytestmark = pytest.mark.anyio

ERAS = ("modern", "legacy")


class Args(MCPArgs):
    count = Integer(minimum=1)


class Nothing(MCPArgs):
    pass


class Names(MCPArgs):
    names = Array(String())
    by_name = Map(Integer())


def made() -> MCPServer:
    server = MCPServer("s", version="1")

    @server.tool("count", "Count")
    def count(args: Args) -> str:
        return str(args.count)

    @server.tool("fail", "Fail", input={"type": "object"})
    def fail(_: dict[str, Any]) -> str:
        raise ToolError("broken")

    @server.method("acme/double", input=Args)
    async def double(args: Args, ctx: RequestContext) -> dict[str, Any]:
        return {"doubled": args.count * 2, "method": ctx.method}

    return server


@pytest.mark.parametrize("era", ERAS)
async def test_middleware_sees_every_request_and_its_answer(era: Any) -> None:
    server = made()
    seen: list[tuple[str, str]] = []

    @server.middleware
    async def record(ctx: RequestContext, proceed: Proceed) -> Any:
        try:
            answer = await proceed()
        except Exception as error:
            seen.append((ctx.method, f"{type(error).__name__}: {error}"))
            raise
        seen.append((ctx.method, type(answer).__name__))
        return answer

    async with connect(server, era) as client:
        assert (await client.call_tool("count", {"count": 3})).text == "3"
        assert (await client.call_tool("count", {"count": 0})).is_error
        assert (await client.call_tool("fail")).text == "broken"
        assert len(await client.list_tools()) == 2
        with pytest.raises(RequestFailed, match="Unknown tool: x"):
            await client.call_tool("x")
        with pytest.raises(RequestFailed, match="Method not found: no/such"):
            await client.request("no/such")
        await client.request("acme/double", {"count": 2})
    first = [("initialize", "dict")] if era == "legacy" else []
    assert seen == [
        *first,
        ("tools/call", "ToolResult"),
        ("tools/call", "ToolResult"),
        ("tools/call", "ToolError: broken"),
        ("tools/list", "dict"),
        ("tools/call", "InvalidParams: Unknown tool: x"),
        ("no/such", "MethodNotFound: Method not found: no/such"),
        ("acme/double", "dict"),
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_middleware_replaces_an_answer_and_refuses_a_request(era: Any) -> None:
    server = made()

    @server.middleware
    async def outer(ctx: RequestContext, proceed: Proceed) -> Any:
        if ctx.params.get("name") == "fail":
            raise InvalidParams("not allowed")
        return await proceed()

    @server.middleware
    async def inner(_: RequestContext, proceed: Proceed) -> Any:
        answer = await proceed()
        if isinstance(answer, ToolResult):
            return text_result("replaced")
        return answer

    async with connect(server, era) as client:
        assert (await client.call_tool("count", {"count": 3})).text == "replaced"
        with pytest.raises(RequestFailed, match="not allowed"):
            await client.call_tool("fail")


@pytest.mark.parametrize("era", ERAS)
async def test_what_middleware_changes_in_a_result_is_not_what_the_handler_keeps(era: Any) -> None:
    server = made()
    kept = Names(names=["a"], by_name={"a": 1})

    @server.tool("names", "Names")
    def names(_: Nothing) -> Names:
        return kept

    @server.middleware
    async def more(ctx: RequestContext, proceed: Proceed) -> Any:
        answer = await proceed()
        if ctx.method == "tools/call":
            answer.structured["names"].append("b")
            answer.structured["by_name"]["b"] = 2
        return answer

    async with connect(server, era) as client:
        result = await client.call_tool("names")
        assert result.structured == {"names": ["a", "b"], "by_name": {"a": 1, "b": 2}}
    assert kept == Names(names=["a"], by_name={"a": 1})


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_answers_through_middleware_are_valid_and_batches_whole(revision: str) -> None:
    server = made()

    @server.middleware
    async def through(_: RequestContext, proceed: Proceed) -> Any:
        return await proceed()

    async with connected(server, revision) as client:
        await client.ask("tools/list")
        await client.call("count", {"count": 1})


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_a_method_of_the_servers_own(revision: str) -> None:
    async with connected(made(), revision) as client:
        result = await client.ask("acme/double", {"count": 2})
    assert result["doubled"] == 4
    assert result["method"] == "acme/double"
    assert ("resultType" in result) == (revision == BOTH_ERAS[0])


@pytest.mark.parametrize("revision", BOTH_ERAS)
def test_params_of_an_own_method_that_do_not_fit_are_an_error(revision: str) -> None:
    error = Core(made(), revision).error("acme/double", {"count": 0})
    assert error["code"] == -32602
    assert error["message"] == (
        'Invalid arguments for method "acme/double":\ncount: expected at least 1, got number 0'
    )
