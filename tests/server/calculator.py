"""A calculator that the tests of the protocol core talk to."""

from typing import Any

from tests.server.support import Core
from typedargs import Double, MCPArgs
from typedargs_server import MCPServer, ToolResult, WireError, text_result
from typedargs_server.effects import Call


class AddArgs(MCPArgs):
    a = Double()
    b = Double(aliases=("second",))


class Sum(MCPArgs):
    sum = Double()


def calculator(**options: Any) -> MCPServer:
    """A server with the tools `add` and `echo`."""
    server = MCPServer("calculator", version="1.0", instructions="Add.", **options)
    server.register_tool("add", "Add", AddArgs, lambda args: args, output=Sum)
    server.register_tool("echo", "Echo", {"type": "object"}, lambda args: args)
    return server


def done(core: Core, call: Call, outcome: ToolResult | WireError | str = "done") -> Any:
    """The one message that the end of `call` sends."""
    outcome = text_result(outcome) if isinstance(outcome, str) else outcome
    (answer,) = core.finish(call, outcome).sent
    return answer
