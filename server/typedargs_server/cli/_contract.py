"""`typedargs schema` and `typedargs diff`: a server's tools as a file, and what changed in them."""

import json
from collections.abc import Sequence
from pathlib import Path

from msgspec import Raw

from ..contracts import (
    Lock,
    LockError,
    compare,
    data_of,
    is_break,
    lock_of,
    lock_of_server,
    read_lock,
    text_of,
)
from ._errors import CommandError, UsageError
from ._text import printable, show, use_any_encoding


def print_schema(file: str | None, command: Sequence[str] | None, timeout: float) -> int:
    """Print the lock of a server's tools, the same bytes everywhere, and return the exit status."""
    show(lock_from(file, command, timeout).text.encode())
    return 0


def print_diff(
    old: str,
    new: str | None,
    command: Sequence[str] | None,
    timeout: float,
    *,
    as_json: bool,
    lenient: bool,
) -> int:
    """Print what changed from `old` to `new`, or to the tools of `command`; 1 if it breaks."""
    use_any_encoding()
    before = lock_from(old, None, timeout)
    changes = compare(before, lock_from(new, command, timeout))
    if as_json:
        show(json.dumps(data_of(changes, lenient=lenient), indent=2))
    else:
        show(printable(text_of(changes)))
    return int(is_break(changes, lenient=lenient))


def lock_from(source: str | None, command: Sequence[str] | None, timeout: float) -> Lock:
    """Return the lock that is in a `.json` file, or that a server's file or command comes to.

    Raises UsageError for a file that is no lock, CommandError for a server that fails.
    """
    if command is not None:
        from ._client import connect

        with connect(None, command, timeout) as client:
            sent = client.tools()
        return _lock_of(sent)
    assert source is not None
    if source.endswith(".json"):
        return _read(source)
    from ._load import load_server

    try:
        return lock_of_server(load_server(source))
    except LockError as error:
        raise CommandError(f"{source}: {error}") from None


def _lock_of(sent: Sequence[Raw]) -> Lock:
    try:
        return lock_of(sent)
    except LockError as error:
        raise CommandError(str(error)) from None


def _read(path: str) -> Lock:
    try:
        return read_lock(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (LockError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
