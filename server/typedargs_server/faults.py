"""A failed call as an in-band result: the text for the model, the data for programs.

Each result's `_meta` lists its faults: `code`, `path`, `expected`, `message`, and `retryable`,
whether the same call may succeed later.
"""

import traceback
from typing import Any, Final

from typedargs import ValidationError

from .errors import InternalError, InvalidParams, ToolError, WireError
from .model import TextContent, ToolResult, error_result

FAULTS: Final = "typedargs/faults"
"""The key of a failed result's `_meta` that holds its faults."""


def invalid_arguments(label: str, error: ValidationError) -> ToolResult:
    """Return the answer to arguments that do not fit; it names every fault."""
    faults = [
        {
            "code": "invalid_arguments",
            "path": issue.path,
            "expected": issue.expected,
            "message": issue.message,
            "keyword": issue.keyword,
            "retryable": False,
        }
        for issue in error.issues
    ]
    return error_result(f"Invalid arguments for {label}:\n{error}", meta={FAULTS: faults})


def tool_error(error: ToolError) -> ToolResult:
    """Return the answer to a ToolError that a handler raised."""
    return _failed(_text(error), error.code, error.retryable)


def handler_failed(label: str, error: BaseException | None = None) -> ToolResult:
    """Return the answer to any other exception; it gives nothing away unless `error` is given."""
    text = f"{_capital(label)} failed. The server's log says why."
    if error is not None:
        text = f"{_capital(label)} failed: {traceback.format_exception_only(error)[-1].strip()}"
    return _failed(text, "internal_error", retryable=False)


def overloaded(label: str, limit: int) -> ToolResult:
    """Return the answer to a call beyond the bound on calls at once."""
    running = "1 call is" if limit == 1 else f"{limit} calls are"
    text = f"{_capital(label)} is busy: {running} running, its limit. Try again later."
    return _failed(text, "overloaded", retryable=True)


def cut_off(label: str) -> ToolResult:
    """Return the answer to a call that still ran when the server's time to end was over."""
    text = f"{_capital(label)} was cut off: the server ended before it was done."
    return _failed(text, "cut_off", retryable=True)


def timed_out(label: str, seconds: float) -> ToolResult:
    """Return the answer to a call that took longer than its tool may."""
    text = f"{_capital(label)} took longer than its limit of {seconds:g} s and was cancelled."
    return _failed(text, "timeout", retryable=True)


def as_wire_error(result: ToolResult) -> WireError:
    """Return a failed result as the error of a request that has no results for failures."""
    faults = (result.meta or {}).get(FAULTS, [])
    (text,) = (block.text for block in result.content if isinstance(block, TextContent))
    invalid = any(fault["code"] == "invalid_arguments" for fault in faults)
    return (InvalidParams if invalid else InternalError)(text, {"faults": faults})


def _capital(label: str) -> str:
    return label[:1].upper() + label[1:]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "The tool failed, and its message cannot be read."


def _failed(text: str, code: str, retryable: bool) -> ToolResult:
    fault: dict[str, Any] = {
        "code": code,
        "path": "",
        "expected": "",
        "message": text,
        "retryable": retryable,
    }
    return error_result(text, meta={FAULTS: [fault]})
