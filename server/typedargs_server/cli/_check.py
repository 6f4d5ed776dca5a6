"""`typedargs check`: what providers and clients are known to make of a server's tools."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..anyschema import as_schema
from ..contracts import Lock, LockError, lock_of_server
from ..plain import plain_schema
from ..providers import MODES, PROVIDERS, PlainNotes, check, data_of, is_refused, text_of
from ._contract import lock_from
from ._errors import CommandError, UsageError
from ._text import printable, show, use_any_encoding


def print_check(
    file: str | None,
    command: Sequence[str] | None,
    timeout: float,
    providers: str | None,
    *,
    as_json: bool,
) -> int:
    """Print what is refused, dropped or ignored; return 1 if something is refused."""
    use_any_encoding()
    wanted = _providers(providers)
    lock, plain = _tools_of(file, command, timeout)
    findings = check(lock.tools, wanted)
    if as_json:
        show(json.dumps(data_of(findings, plain), indent=2))
    else:
        show(printable(text_of(findings, plain, lock.names)))
    return int(is_refused(findings))


def _providers(given: str | None) -> Sequence[str]:
    if given is None:
        return PROVIDERS
    names = [name.strip() for name in given.split(",") if name.strip()]
    known = [*PROVIDERS, *MODES]
    for name in names:
        if name not in known:
            raise UsageError(f"nothing is known of {name!r}; known are: {', '.join(known)}")
    if not names:
        raise UsageError(f"--for expects some of: {', '.join(known)}")
    return names


def _tools_of(
    file: str | None, command: Sequence[str] | None, timeout: float
) -> tuple[Lock, PlainNotes]:
    if file is None or file.endswith(".json"):
        lock = lock_from(file, command, timeout)
        full = {name: tool.get("inputSchema") for name, tool in _named(lock)}
        return lock, _plain_notes(full, in_use=False)
    from ._load import load_server

    server = load_server(file)
    try:
        lock = lock_of_server(server)
    except LockError as error:
        raise CommandError(f"{file}: {error}") from None
    full = {tool.name: tool.input.published for tool in server.tools}
    return lock, _plain_notes(full, in_use=server.plain)


def _named(lock: Lock) -> list[tuple[str, Mapping[str, Any]]]:
    return list(zip(lock.names, lock.tools, strict=True))


def _plain_notes(full: Mapping[str, Any], *, in_use: bool) -> PlainNotes:
    losses = {name: plain_schema(as_schema(schema))[1] for name, schema in full.items()}
    return PlainNotes(losses, in_use)
