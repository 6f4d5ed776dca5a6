"""The official Python client, one process: `mcp_client.py {modern,legacy} COMMAND...`.

Reads a JSON list of calls from stdin, makes them on the MCP server that COMMAND starts, and prints
one JSON document with what the client saw.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from mcp import Client, MCPError, StdioServerParameters

if TYPE_CHECKING:
    from mcp_types import Tool

MODES = {"modern": "auto", "legacy": "legacy"}


async def main(era: str, command: list[str], calls: list[dict[str, Any]]) -> dict[str, Any]:
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(server, mode=MODES[era]) as client:
        info = client.server_info
        return {
            "protocolVersion": client.protocol_version,
            "serverInfo": info and info.model_dump(by_alias=True, exclude_unset=True),
            "tools": [
                tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
                for tool in await list_tools(client)
            ],
            "results": [await call(client, one) for one in calls],
        }


async def list_tools(client: Client) -> list[Tool]:
    page = await client.list_tools()
    tools = page.tools
    while page.next_cursor is not None:
        page = await client.list_tools(cursor=page.next_cursor)
        tools += page.tools
    return tools


async def call(client: Client, one: dict[str, Any]) -> dict[str, Any]:
    try:
        result = await client.call_tool(one["name"], one.get("arguments"))
    except MCPError as error:
        return {"error": error.error.model_dump(mode="json", exclude_unset=True)}
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:], json.load(sys.stdin)))))
