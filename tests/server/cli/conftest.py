"""What the tests of the command share: the command itself, and servers as files to start."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

Typedargs = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def typedargs(tmp_path: Path) -> Typedargs:
    """The command as a process in an empty directory: words in, a completed process out."""

    def run(*words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "typedargs_server.cli", *map(str, words)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            encoding="utf-8",
            timeout=120,
        )

    return run


CALCULATOR = """
from typedargs import Double, MCPArgs
from typedargs_server import MCPServer

class AddArgs(MCPArgs):
    a = Double(description="Left operand")
    b = Double(description="Right operand")

class SumResult(MCPArgs):
    sum = Double(description="The sum")

server = MCPServer("calculator", version="1.0.0")

@server.tool("add", "Add two numbers")
def add(args: AddArgs) -> SumResult:
    return SumResult(sum=args.a + args.b)
"""


@pytest.fixture
def calculator(tmp_path: Path) -> Path:
    """A file with one server of ours, which has one tool: `add`."""
    path = tmp_path / "calculator.py"
    path.write_text(CALCULATOR)
    return path


OFFICIAL_SDK = '''
from typing import Annotated, Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

server = MCPServer("other")

class Sum(BaseModel):
    sum: float

@server.tool()
def add(
    a: Annotated[float, Field(description="Left operand")],
    b: float,
    rounding: Literal["up", "down"] = "up",
    note: str | None = None,
) -> Sum:
    """Add two numbers."""
    return Sum(sum=a + b)

@server.tool(structured_output=False)
def echo(text: str) -> str:
    return f"got {text!r}"

server.run()
'''


@pytest.fixture
def official_sdk(tmp_path: Path) -> list[str]:
    """The command line of a server made with the official SDK."""
    path = tmp_path / "official.py"
    path.write_text(OFFICIAL_SDK)
    return [sys.executable, str(path)]


PLAYER = """
import json, signal, sys

plays = json.loads(open(sys.argv[1]).read())
received = open(sys.argv[2], "a", buffering=1)

def read():
    line = sys.stdin.readline()
    received.write(line)
    return json.loads(line) if line else sys.exit(0)

def write(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def answer(message, value):
    write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **value}) + "\\n")

while True:
    asked = read()
    left = plays.get(asked.get("method"), [])
    for action, value in (left.pop(0) if len(left) > 1 else [*left, []][0]):
        match action:
            case "answer": answer(asked, value)
            case "read": last = read()
            case "answer what was read": answer(last, value)
            case "write": write(value)
            case "report": print(value, file=sys.stderr, flush=True)
            case "exit": sys.exit(value)
            case "outlive everything":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                answer(asked, value)
                while True:
                    signal.pause()
"""

Play = Sequence[tuple[str, Any]]


class PlayedServer:
    """A server that does as it is told for each method, and keeps what it received."""

    def __init__(self, folder: Path, plays: Mapping[str, Sequence[Play]]):
        self._received = folder / "received.jsonl"
        player, script = folder / "player.py", folder / "plays.json"
        player.write_text(PLAYER)
        script.write_text(json.dumps(plays))
        self.command = [sys.executable, str(player), str(script), str(self._received)]

    def received(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._received.read_text().splitlines()]

    def methods(self) -> list[str]:
        return [message.get("method", "(response)") for message in self.received()]


@pytest.fixture
def played(tmp_path: Path) -> Callable[[Mapping[str, Sequence[Play]]], PlayedServer]:
    """Makes a server: for each method what it does the first time, the second, and so on."""
    return lambda plays: PlayedServer(tmp_path, plays)
