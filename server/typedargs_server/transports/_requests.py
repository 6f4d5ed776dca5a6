"""An HTTP request: its path, its headers, what it accepts, its body; each within bounds."""

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

import msgspec

from ..eras.headers import called_tool
from ..errors import ParseError
from ._asgi import Event, Receive, Scope, Sending
from ._lines import is_utf8
from ._refusals import Gone, Refused

FindPrincipal: TypeAlias = Callable[[Mapping[str, Any]], str | None]
"""Tells from an ASGI scope who sends a request; None where nobody was asked."""

_BETWEEN_DUPLICATES: Final = ",\n"
"""Between the values of a header that comes more than once; no single value holds it."""

_RANGES_OF_JSON: Final = ("application/json", "application/*", "*/*")
_RANGES_OF_EVENTS: Final = ("text/event-stream", "text/*", "*/*")


class Accepted(msgspec.Struct, frozen=True):
    """The kinds of answers that a client takes."""

    json: bool
    events: bool


class Head(msgspec.Struct, frozen=True):
    """What the headers of a request say; the same headers say the same."""

    headers: Mapping[str, str]
    """By lower-case name; of one that comes more than once, all values that differ."""
    accepted: Accepted
    """What the client accepts; all where it does not say."""
    refusal: Callable[[], Refused] | None
    """Makes what refuses to read a message from the body, anew for each that is refused."""
    called: str | None
    """The tool that it calls by a modern request, and takes the result of as JSON."""

    @classmethod
    def of(cls, headers: Mapping[str, str], max_bytes: int) -> "Head":
        """Return what `headers` say, where a body may have so many bytes."""
        kind, length = headers.get("content-type", ""), headers.get("content-length", "")
        refusal = None
        if kind.partition(";")[0].strip().lower() != "application/json":
            refusal = functools.partial(_unsupported, kind)
        elif length.isdecimal() and (len(length) > 18 or int(length) > max_bytes):
            refusal = functools.partial(_too_large, max_bytes)
        accepts = accepted(headers.get("accept", "*/*"))
        called = called_tool(headers) if accepts.json and refusal is None else None
        return cls(headers, accepts, refusal, called)


class HttpRequest(msgspec.Struct, frozen=True):
    """A request to one of the server's endpoints, and the way to answer it."""

    scope: Scope
    head: Head
    receive: Receive
    send: Sending
    principal: str | None = None
    """Who sends it, as was found out before it came here."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Those of its head."""
        return self.head.headers

    @property
    def accepted(self) -> Accepted:
        """What the client accepts, by its head."""
        return self.head.accepted

    async def json_body(self, max_bytes: int) -> bytes:
        """Return the body; raises Refused, or ParseError, where it cannot be read."""
        if self.head.refusal is not None:
            raise self.head.refusal()
        event = await self.receive()
        body = body_of(event, max_bytes)
        return await self.rest(event, max_bytes) if body is None else body

    async def rest(self, event: Event, max_bytes: int) -> bytes:
        """Return the body of which `event` is the first part; raises as `json_body` does."""
        parts, size = [], 0
        while True:
            if event["type"] != "http.request":
                raise Gone
            parts.append(event.get("body", b""))
            size += len(parts[-1])
            if size > max_bytes:
                raise _too_large(max_bytes)
            if not event.get("more_body"):
                return _checked(b"".join(parts), max_bytes)
            event = await self.receive()


def path_of(scope: Scope) -> str:
    """Return the path of a request below where the app is mounted; no "/" at its end but alone.

    Servers and frameworks differ in whether `path` has `root_path` before it.
    """
    path: str = scope["path"]
    if root_path := scope.get("root_path"):
        mounted = root_path.rstrip("/")
        if mounted and path.startswith(mounted) and path[len(mounted) :][:1] in ("", "/"):
            path = path[len(mounted) :]
    return plain_path(path)


def plain_path(path: str) -> str:
    """Return a path without "/" at its end, but for "/" alone."""
    return path.rstrip("/") or "/"


def read_headers(
    raw: Sequence[tuple[bytes, bytes]], max_headers: int, max_bytes: int
) -> dict[str, str]:
    """Return the headers of a request; raises Refused where they are too many or too large."""
    if len(raw) > max_headers:
        raise Refused(431, f"Request Header Fields Too Large: more than {max_headers} headers")
    if sum(map(len, chain.from_iterable(raw))) > max_bytes:
        raise Refused(431, f"Request Header Fields Too Large: more than {max_bytes} bytes")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw}
    return headers if len(headers) == len(raw) else _with_duplicates(raw)


def _with_duplicates(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in raw:
        name, value = name_bytes.decode("latin-1"), value_bytes.decode("latin-1")
        if headers.setdefault(name, value) != value:
            headers[name] += _BETWEEN_DUPLICATES + value
    return headers


def accepted(value: str) -> Accepted:
    """Source: https://www.rfc-editor.org/rfc/rfc9110#name-accept"""
    ranges: dict[str, bool] = {}
    for part in value.split(","):
        kind, *parameters = (each.strip().lower() for each in part.split(";"))
        ranges[kind] = not any(_is_refusal(parameter) for parameter in parameters)

    def allows(names: Sequence[str]) -> bool:
        return next((ranges[name] for name in names if name in ranges), False)

    return Accepted(allows(_RANGES_OF_JSON), allows(_RANGES_OF_EVENTS))


def _is_refusal(parameter: str) -> bool:
    """Tell whether a parameter is the quality 0, which means "not acceptable"."""
    name, _, value = parameter.partition("=")
    return name == "q" and value.startswith("0") and not value.strip("0.")


def body_of(event: Event, max_bytes: int) -> bytes | None:
    """Return the body in the first event of a request, or None, where more of it is to come.

    Raises Refused, or ParseError, where it cannot be read.
    """
    if event["type"] != "http.request" or event.get("more_body"):
        return None
    return _checked(event.get("body", b""), max_bytes)


def _checked(body: bytes, max_bytes: int) -> bytes:
    if len(body) > max_bytes:
        raise _too_large(max_bytes)
    if not (body.isascii() or is_utf8(body)):
        raise ParseError("Parse error: the body is not UTF-8")
    return body


def _unsupported(kind: str) -> Refused:
    return Refused(
        415, f"Unsupported Media Type: Content-Type must be application/json, got {kind!r:.80}"
    )


def _too_large(max_bytes: int) -> Refused:
    return Refused(
        413,
        f"Content Too Large: the message is longer than {max_bytes} bytes, this server's limit",
        [(b"connection", b"close")],
    )
