"""The list of many tools, which has not changed since it was last asked for."""

import asyncio
from typing import Any, Final

import msgspec

from typedargs_server import MCPServer

from ..servers.typedargs_server_ import add
from ..wire import Era, calls
from .in_process import answering
from .repeating import repeat

_NAMES: Final = [f"add_{number}" for number in range(100)]

_server = MCPServer("calculator", version="1.0.0")
for _name in _NAMES:
    _server.tool(_name, "Add two numbers")(add)


def unchanged(count: int) -> None:
    """List the tools in the modern era."""
    asyncio.run(_list(count))


async def _list(count: int) -> None:
    message = _message()
    async with answering(_server) as answer:
        listed = msgspec.json.decode(answer(message))["result"]
        assert [tool["name"] for tool in listed["tools"]] == _NAMES
        assert set(listed["tools"][99]["inputSchema"]["properties"]) == {"a", "b"}
        assert "nextCursor" not in listed
        repeat(answer, [message], count)


def _message() -> bytes:
    (call,) = calls(Era.MODERN, [1])
    message: dict[str, Any] = msgspec.json.decode(call.line)
    message["method"] = "tools/list"
    message["params"] = {"_meta": message["params"]["_meta"]}
    return msgspec.json.encode(message)
