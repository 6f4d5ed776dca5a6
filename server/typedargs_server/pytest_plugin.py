"""The pytest fixture `tool_contract`, for the tests of those who write servers.

`pytest_plugins = ["typedargs_server.pytest_plugin"]` in the topmost conftest.py turns it on. Only
this module imports pytest.
"""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Final

import pytest

from .app import MCPServer
from .contracts import LockError, compare, is_break, lock_of_server, read_lock, summary, text_of

UPDATE: Final = "--update-tool-contract"

ToolContract = Callable[..., None]
"""`tool_contract(server, path, lenient=False)`."""

_NOTES: Final = pytest.StashKey[list[str]]()


@pytest.fixture
def tool_contract(request: pytest.FixtureRequest) -> ToolContract:
    """Hold a server to its lock: `tool_contract(server, "tools.lock.json")`.

    Fails with the changes where one of them breaks those who rely on the lock, or may do so
    unless `lenient`; and where there is no lock. With `--update-tool-contract` it writes the lock
    instead. A relative path counts from pytest's root directory.
    """
    config = request.config

    def hold(server: MCPServer, path: str | PathLike[str], *, lenient: bool = False) -> None:
        __tracebackhide__ = True
        problem = _held(server, config.rootpath / path, config, lenient)
        if problem is not None:
            pytest.fail(problem, pytrace=False)

    return hold


def _held(server: MCPServer, path: Path, config: pytest.Config, lenient: bool) -> str | None:
    """Return why a server does not keep to its lock, if it does not."""
    new = lock_of_server(server)
    if config.getoption(UPDATE):
        path.write_bytes(new.text.encode())
        _note(config, f"{path} written")
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return f"there is no {path}; `pytest {UPDATE}` writes it"
    try:
        old = read_lock(text)
    except LockError as error:
        return f"{path}: {error}; `pytest {UPDATE}` writes it anew"
    changes = compare(old, new)
    if is_break(changes, lenient=lenient):
        return f"{text_of(changes)}\n\nIf this is meant, `pytest {UPDATE}` updates {path}."
    if text != new.text:
        counts = summary(changes) or "the order of the tools"
        _note(config, f"{path} is out of date ({counts}); `pytest {UPDATE}` updates it")
    return None


def _note(config: pytest.Config, note: str) -> None:
    notes = config.stash.setdefault(_NOTES, [])
    if note not in notes:
        notes.append(note)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes locks."""
    group = parser.getgroup("typedargs")
    group.addoption(
        UPDATE,
        action="store_true",
        help="write the locks of tool_contract, instead of holding servers to them",
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Tell of locks that were written, or are out of date."""
    for note in config.stash.get(_NOTES, []):
        terminalreporter.write_line(f"tool contract: {note}")
