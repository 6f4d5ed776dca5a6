"""Every example, run as a server: each client lists its tools and gets its results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.interop.drive import CLIENTS, Client, as_text, drive
from tests.interop.expectations import EXAMPLES, Example

FOLDER = Path(__file__).parents[2] / "examples"


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
    elsewhere = {"everything.py"}  # tests/examples, tests/conformance
    files = {file.name for file in FOLDER.glob("*.py")}
    assert {example.file for example in EXAMPLES} == files - elsewhere
