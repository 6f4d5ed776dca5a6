"""Handlers whose annotations are values: a module without `annotations` from the future."""

from typing import Union

from typedargs import Double, MCPArgs
from typedargs_server import ToolResult


class EvaluatedArgs(MCPArgs):
    a = Double()


class EvaluatedResult(MCPArgs):
    b = Double()


def typed(args: EvaluatedArgs) -> EvaluatedResult: ...


def may_fail(args: EvaluatedArgs) -> Union[EvaluatedResult, ToolResult]: ...  # noqa: UP007


def partly_text(args: "EvaluatedArgs") -> "EvaluatedResult": ...
