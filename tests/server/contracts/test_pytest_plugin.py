"""The fixture `tool_contract` in the tests of a user, run as pytest runs them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SERVER = """
from typedargs import MCPArgs, Integer, String
from typedargs_server import MCPServer

class Query(MCPArgs):
    text = String()
    {more}

server = MCPServer("catalog")

@server.tool("search", "{about}")
def search(args: Query) -> str:
    return args.text
"""

TESTS = """
from server import server

def test_contract(tool_contract):
    tool_contract(server, "tools.lock.json")
"""

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the user's tests against a server, and gives what pytest printed."""
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["typedargs_server.pytest_plugin"]\n')
    (tmp_path / "test_tools.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")

    def run(*options: str, more: str = "", about: str = "Find things") -> str:
        (tmp_path / "server.py").write_text(SERVER.format(more=more, about=about))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        return done.stdout

    return run


def test_a_contract_is_written_held_and_told_of(run: Run, tmp_path: Path) -> None:
    lock = tmp_path / "tools.lock.json"

    missing = run()
    assert f"there is no {lock}; `pytest --update-tool-contract` writes it" in missing
    assert "1 failed" in missing

    written = run("--update-tool-contract")
    assert f"tool contract: {lock} written" in written
    assert "1 passed" in written

    assert "tool contract" not in run()

    compatible = run(about="Find all things")
    assert "1 passed" in compatible
    assert (
        f"tool contract: {lock} is out of date (1 compatible); "
        "`pytest --update-tool-contract` updates it"
    ) in compatible

    broken = run(more="limit = Integer()")
    assert (
        "search\n"
        "  breaks callers  input.limit  added, and required\n"
        "\n"
        "1 breaking\n"
        "\n"
        f"If this is meant, `pytest --update-tool-contract` updates {lock}.\n"
    ) in broken
    assert "1 failed" in broken

    lock.write_text("{}")
    assert "it has no lockVersion; `typedargs schema` makes such a file" in run()


def test_a_lenient_contract_lets_pass_what_may_break(run: Run, tmp_path: Path) -> None:
    tests = TESTS.replace('json")', 'json", lenient=True)')
    (tmp_path / "test_tools.py").write_text(tests)
    run("--update-tool-contract", more='mode = String(default="a")')
    lenient = run(more='mode = String(default="b")')
    assert "1 passed" in lenient
    assert "is out of date (1 may break)" in lenient


def test_the_server_does_not_import_pytest() -> None:
    program = "import sys, typedargs_server.contracts; print('pytest' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout == "False\n"
