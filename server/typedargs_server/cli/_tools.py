"""`typedargs tools`: a server's tools as a table, or as the JSON that it sent."""

import shutil
import sys
from collections.abc import Sequence

import msgspec
from msgspec import Raw

from ._client import connect
from ._errors import CommandError
from ._schema import Argument, arguments_of
from ._text import paragraph, printable, show, use_any_encoding
from ._wire import MALFORMED, Tool, indented


def list_tools(
    file: str | None, command: Sequence[str] | None, timeout: float, *, as_json: bool
) -> int:
    """Print the tools of a server and return the exit status."""
    use_any_encoding()
    with connect(file, command, timeout, told_as="tools") as client:
        sent = client.tools()
        if as_json:
            output = indented(Raw(b"[" + b",".join(bytes(tool) for tool in sent) + b"]"))
        else:
            width = (
                shutil.get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else None
            )
            output = table(read_tools(sent), width)
        show(output)
    return 0


def read_tools(sent: Sequence[Raw]) -> list[Tool]:
    """Return the tools of a `tools/list` result. Raises CommandError for what is no tool."""
    try:
        return [msgspec.json.decode(each, type=Tool) for each in sent]
    except MALFORMED as error:
        raise CommandError(f"the server's list of tools is malformed: {error}") from None


def table(tools: Sequence[Tool], width: int | None) -> str:
    """Return the tools and their arguments as text, wrapped at `width` if there is one."""
    if not tools:
        return "The server has no tools."
    return "\n\n".join("\n".join(_tool_lines(tool, width)) for tool in tools)


def _tool_lines(tool: Tool, width: int | None) -> list[str]:
    about = tool.description or tool.title or ""
    rows = [_row(argument) for argument in arguments_of(tool.input_schema)]
    lines = [printable(tool.name), *paragraph(about, "  ", width)]
    if not rows:
        return [*lines, "    (no declared arguments)"]
    sizes = [max(len(row[column]) for row in rows) for column in range(3)]
    for *cells, description in rows:
        left = "  ".join(f"{cell:{size}}" for cell, size in zip(cells, sizes, strict=True))
        lines += _beside(f"    {left}", description, width)
    return lines


def _row(argument: Argument) -> tuple[str, str, str, str]:
    need = "required" if argument.required else "optional"
    if argument.default is not None:
        need = f"default {argument.default}"
    name, kind, need = (printable(text) for text in (argument.name, argument.type_text, need))
    return name, kind, need, argument.description


def _beside(left: str, text: str, width: int | None) -> list[str]:
    """Return `text` as a column to the right of `left`, or below it where there is no room."""
    indent = " " * (len(left) + 2)
    if width is not None and len(indent) + 24 > width:
        return [left.rstrip(), *paragraph(text, " " * 8, width)]
    first, *rest = paragraph(text, indent, width) or [""]
    return [f"{left}  {first.strip()}".rstrip(), *rest]
