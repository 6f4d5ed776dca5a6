"""The HTTP headers of a modern request, which must say what its body says; pure.

Intermediaries route by the headers, and the server acts on the body: a request in which they
differ is refused. Headers come as one mapping of lower-case names to values.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from ..errors import HeaderMismatch
from ..jsonrpc import Request
from ..schemas import HeaderParameter
from ..tools import Tool
from . import meta, versions

PROTOCOL_VERSION: Final = "mcp-protocol-version"
METHOD: Final = "mcp-method"
NAME: Final = "mcp-name"

_AS_WRITTEN: Final = {
    PROTOCOL_VERSION: "MCP-Protocol-Version",
    METHOD: "Mcp-Method",
    NAME: "Mcp-Name",
}

NAMED_BY: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
}
"""The methods that want `Mcp-Name`, and the parameter that it repeats."""

_PREFIX: Final = "=?base64?"
_SUFFIX: Final = "?="
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_INTEGER: Final = re.compile(r"(-?[0-9]{1,4300})(?:\.0*)?")
_NUMBER: Final = re.compile(r"-?[0-9]{1,4300}(?:\.[0-9]{1,4300})?(?:[eE][+-]?[0-9]{1,9})?")

_MAX_SHOWN: Final = 80


def check_headers(
    headers: Mapping[str, str], request: Request, find_tool: Callable[[str], Tool | None]
) -> None:
    """Raise HeaderMismatch where a header of `request` contradicts its body, or is missing.

    What the body itself lacks is left to those who read it: without a revision in its `_meta`
    nothing is checked, and without the name of a tool no `Mcp-Name`.
    """
    params = request.params
    request_meta = params.get("_meta")
    revision = request_meta.get(meta.PROTOCOL_VERSION) if isinstance(request_meta, dict) else None
    if not isinstance(revision, str):
        return
    if headers.get(PROTOCOL_VERSION) != revision or headers.get(METHOD) != request.method:
        _check_plain(headers, PROTOCOL_VERSION, revision)
        _check_plain(headers, METHOD, request.method)
    key = NAMED_BY.get(request.method)
    if key is None:
        return
    name = params.get(key)
    if not isinstance(name, str):
        return
    if headers.get(NAME) != name or not _is_literal(name):
        _check_encoded(headers, NAME, name)
    if request.method == "tools/call":
        tool = find_tool(name)
        if tool is not None and tool.input.headers:
            _check_parameters(headers, tool.input.headers, params.get("arguments"))


def called_tool(headers: Mapping[str, str]) -> str | None:
    """Return the tool that a modern request calls, where its headers say so in the plainest form.

    They may say it in another form.
    """
    if headers.get(METHOD) != "tools/call" or headers.get(PROTOCOL_VERSION) != versions.MODERN:
        return None
    return headers.get(NAME)


def _is_literal(value: str) -> bool:
    """Tell whether a header with this value means just that; of others it may be so too."""
    return value.isascii() and value.isprintable() and not value.startswith(_PREFIX)


def decoded(value: str) -> str | None:
    """Return what a header's value means, decoded where it is Base64; None where it is malformed.

    Only what begins with `=?base64?` and ends with `?=` is encoded; all else is meant literally.
    """
    value = value.strip(" \t")
    if _VALUE.fullmatch(value) is None:
        return None
    if not (
        value.startswith(_PREFIX)
        and value.endswith(_SUFFIX)
        and len(value) >= len(_PREFIX) + len(_SUFFIX)
    ):
        return value
    encoded = value[len(_PREFIX) : -len(_SUFFIX)]
    try:
        data = base64.b64decode(encoded, validate=True)
        return data.decode("utf-8") if base64.b64encode(data).decode() == encoded else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _check_plain(headers: Mapping[str, str], header: str, wanted: str) -> None:
    given = headers.get(header)
    if given != wanted and (given is None or given.strip(" \t") != wanted):
        raise _mismatch(header, given, wanted)


def _check_encoded(headers: Mapping[str, str], header: str, wanted: str) -> None:
    given = headers.get(header)
    if given == wanted and not wanted.startswith(_PREFIX) and _VALUE.fullmatch(wanted):
        return
    if given is None or decoded(given) != wanted:
        raise _mismatch(header, given, wanted)


def _check_parameters(
    headers: Mapping[str, str], parameters: tuple[HeaderParameter, ...], arguments: object
) -> None:
    for parameter in parameters:
        given = headers.get(parameter.header.lower())
        value = _value_at(arguments, parameter.path)
        if given is None and (value is None or not isinstance(value, _SENDABLE)):
            continue  # nothing to send, or a fault that the tool's own schema tells better
        meant = None if given is None else decoded(given)
        if meant is None or not _says(meant, value):
            raise _mismatch(parameter.header, given, value)


_SENDABLE: Final = (str, bool, int, float, Decimal)


def _value_at(value: object, path: tuple[str, ...]) -> Any:
    """Return the value at `path`; None, as for a null, where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _says(text: str, value: object) -> bool:
    """Tell whether `text` is what a client writes for `value`."""
    match value:
        case str():
            return text == value
        case bool():
            return text == ("true" if value else "false")
        case int():
            number = _INTEGER.fullmatch(text)
            return number is not None and int(number[1]) == value
        case float():
            return _NUMBER.fullmatch(text) is not None and float(text) == value
        case Decimal():
            return _NUMBER.fullmatch(text) is not None and Decimal(text) == value
    return False


def _mismatch(header: str, given: str | None, value: object) -> HeaderMismatch:
    header = _AS_WRITTEN.get(header, header)
    body = "the body has no value" if value is None else f"body value {_shown(value)}"
    if given is None:
        return HeaderMismatch(f"Header mismatch: {header} header is missing, {body}")
    if value is None:
        return HeaderMismatch(f"Header mismatch: {header} header value {_shown(given)}, but {body}")
    if decoded(given) is None:
        return HeaderMismatch(
            f"Header mismatch: {header} header value {_shown(given)} is malformed, {body}"
        )
    return HeaderMismatch(
        f"Header mismatch: {header} header value {_shown(given)} does not match {body}"
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(str(value)) if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
