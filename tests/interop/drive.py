"""Real MCP clients, each a process of its own, and what each saw of a server in one form.

A driver in `clients/` prints what its client hands to an application. `drive` takes out of that
what the client or the era adds, so that a server that behaves the same gives the same document.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs

from tests.interop import node

DRIVERS = Path(__file__).parent / "clients"
RESERVED = "io.modelcontextprotocol/"


@attrs.frozen
class Client:
    """A client in one mode: its driver with its first arguments, the revision it settles on."""

    name: str
    driver: str
    mode: tuple[str, ...]
    revision: str

    def __str__(self) -> str:
        return self.name


CLIENTS = (
    Client("mcp-modern", "mcp_client.py", ("modern",), "2026-07-28"),
    Client("mcp-legacy", "mcp_client.py", ("legacy",), "2025-11-25"),
    Client("fastmcp", "fastmcp_client.py", (), "2026-07-28"),
    Client("typescript-modern", "typescript_client.mjs", ("modern",), "2026-07-28"),
    Client("typescript-legacy", "typescript_client.mjs", ("legacy",), "2025-11-25"),
    Client("typescript-v1", "typescript_client.mjs", ("v1",), "2025-11-25"),
)


def drive(client: Client, server: list[str], calls: list[dict[str, Any]]) -> dict[str, Any]:
    """What the client saw of the server that a command line starts: lists its tools, makes calls.

    A call is `{"name": ..., "arguments": {...}}`. Out comes `protocolVersion`, `serverInfo`,
    `tools`, and for each call a result (`content`, `isError`, perhaps `structuredContent` and
    `_meta`) or an `error`. Raises AssertionError, with what the processes wrote to stderr, when
    the driver fails, and NodeError when a JavaScript client has no Node to run on.
    """
    done = subprocess.run(
        [*_interpreter(client), str(DRIVERS / client.driver), *client.mode, *server],
        input=json.dumps(calls),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{client} failed with status {done.returncode}:\n{done.stderr}"
    seen: dict[str, Any] = json.loads(done.stdout)
    seen["results"] = [_result(result) for result in seen["results"]]
    return seen


def as_text(document: object) -> str:
    """JSON text that two documents share exactly when an application sees the same in both.

    JavaScript has one kind of number and its SDK reorders keys, so `3.0` is `3` here and keys are
    sorted; unlike `==` between dicts, `true` is not `1`.
    """
    return json.dumps(_numbers(document), indent=1, sort_keys=True, ensure_ascii=False)


def _interpreter(client: Client) -> list[str]:
    if client.driver.endswith(".mjs"):
        node.install_packages()
        return [node.executable()]
    return [sys.executable]


def _result(seen: dict[str, Any]) -> dict[str, Any]:
    if "error" in seen:
        return {"error": {key: part for key, part in seen["error"].items() if part is not None}}
    result = {"isError": False, **seen}
    result.pop("resultType", None)
    meta = {key: part for key, part in result.pop("_meta", {}).items() if not _reserved(key)}
    return {**result, "_meta": meta} if meta else result


def _reserved(key: str) -> bool:
    return key.startswith(RESERVED)


def _numbers(value: Any) -> Any:
    match value:
        case dict():
            return {key: _numbers(part) for key, part in value.items()}
        case list():
            return [_numbers(part) for part in value]
        case float() if value.is_integer():
            return int(value)
    return value
