"""Every example, run as a server: what its tools are and what its calls give in every client.

The expectations are written out value by value; an application gets exactly these.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.interop.drive import CLIENTS, Client, as_text, drive

FOLDER = Path(__file__).parents[2] / "examples"
JSON = dict[str, Any]


@attrs.frozen
class Example:
    """A file of the examples: its server, its tools, and calls `(tool, arguments, result)`."""

    file: str
    server: JSON
    tools: list[JSON]
    calls: list[tuple[str, JSON, JSON]]

    def __str__(self) -> str:
        return self.file


def text(shown: str) -> JSON:
    return {"content": [{"type": "text", "text": shown}], "isError": False}


def structured(value: JSON, shown: str) -> JSON:
    return {**text(shown), "structuredContent": value}


def failed(shown: str, *, meta: JSON) -> JSON:
    return {**text(shown), "isError": True, "_meta": meta}


def refused(code: int, message: str) -> JSON:
    return {"error": {"code": code, "message": message}}


EXAMPLES: list[Example] = []


@pytest.mark.parametrize("client", CLIENTS, ids=str)
@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_client_sees_the_tools_of_an_example_and_gets_its_results(
    example: Example, client: Client
) -> None:
    calls = [{"name": name, "arguments": arguments} for name, arguments, _ in example.calls]
    seen = drive(client, [sys.executable, str(FOLDER / example.file)], calls)
    expected = {
        "protocolVersion": client.revision,
        "serverInfo": example.server,
        "tools": example.tools,
        "results": [result for _, _, result in example.calls],
    }
    assert as_text(seen) == as_text(expected)


def test_every_example_has_its_expectations_here() -> None:
    assert {example.file for example in EXAMPLES} == {file.name for file in FOLDER.glob("*.py")}
