"""The fastmcp client in its default mode, one process: `fastmcp_client.py COMMAND...`.

Reads a JSON list of calls from stdin, makes them on the MCP server that COMMAND starts, and prints
one JSON document with what the client saw.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp import MCPError


async def main(command: list[str], calls: list[dict[str, Any]]) -> dict[str, Any]:
    transport = StdioTransport(command[0], command[1:], keep_alive=False)
    async with Client(transport) as client:
        info = client.server_info
        return {
            "protocolVersion": client.session.protocol_version,
            "serverInfo": info and info.model_dump(by_alias=True, exclude_unset=True),
            "tools": [
                tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
                for tool in await client.list_tools()
            ],
            "results": [await call(client, one) for one in calls],
        }


async def call(client: Client[StdioTransport], one: dict[str, Any]) -> dict[str, Any]:
    try:
        result = await client.call_tool_mcp(one["name"], one.get("arguments") or {})
    except MCPError as error:
        return {"error": error.error.model_dump(mode="json", exclude_unset=True)}
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1:], json.load(sys.stdin)))))
