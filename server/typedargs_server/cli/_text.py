"""Text of a server made fit for a terminal. What the user asked for itself is printed as it is."""

import os
import re
import sys
import textwrap
from typing import Final

from ._errors import CommandError

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Return `text` with its control characters, but not its line ends and tabs, spelt out."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\r\n", "\n"))


def show(output: str | bytes) -> None:
    """Print `output` on stdout, bytes as they are. Raises CommandError where that fails."""
    if sys.stdout is None:
        raise CommandError("the output has nowhere to go: stdout is closed")
    try:
        if isinstance(output, bytes):
            sys.stdout.buffer.write(output)
        else:
            print(output)
        sys.stdout.flush()
    except OSError as error:
        discard_stdout()
        if isinstance(error, BrokenPipeError):
            raise
        raise CommandError(f"the output cannot be written: {error.strerror}") from None


def discard_stdout() -> None:
    """Send what stdout still holds nowhere: the flush at exit must not fail too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text: str) -> None:
    """Show `text`, part of it a server's, on stderr."""
    print(printable(text), file=sys.stderr)


def cut(text: str, limit: int) -> str:
    """Return `text`, or its beginning where it has more than `limit` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def paragraph(text: str, indent: str, width: int | None) -> list[str]:
    """Return the lines of `text`, each indented, and wrapped if there is a width."""
    lines: list[str] = []
    for line in printable(text).strip().splitlines():
        fits = width is None or len(indent) + len(line) <= width
        if fits or width is None:
            lines.append(f"{indent}{line}".rstrip())
        else:
            lines += textwrap.wrap(
                line, max(width, len(indent) + 20), initial_indent=indent, subsequent_indent=indent
            )
    return lines


def installed_version() -> str:
    """Return the version of the installed distribution."""
    from importlib.metadata import PackageNotFoundError, version  # slow, and rarely needed

    try:
        return version("typedargs-mcp")
    except PackageNotFoundError:  # a source tree on the path
        return "unknown"


def use_any_encoding() -> None:
    """Let stdout and stderr spell out what their encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
