"""Every message that the server writes, checked against the wire schema of its era.

All tests that read what a server writes read it through `check`, so that no message of the test
run goes unchecked. A legacy revision older than the latest is checked against the latest's schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator

from tests import wire_schemas
from typedargs_server.eras import versions

_SHARED: Final[Mapping[str, str]] = {
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "completion/complete": "CompleteResult",
}

RESULTS: Final[Mapping[str, Mapping[str, str]]] = {
    versions.MODERN: {
        **_SHARED,
        "server/discover": "DiscoverResult",
        "subscriptions/listen": "SubscriptionsListenResult",
    },
    versions.LATEST_LEGACY: {
        **_SHARED,
        "initialize": "InitializeResult",
        "logging/setLevel": "EmptyResult",
        "ping": "EmptyResult",
        "resources/subscribe": "EmptyResult",
        "resources/unsubscribe": "EmptyResult",
    },
}
"""The type of the result of each method of the protocol."""

OWN: Final = ("acme/", "everything/")
"""What the methods begin with that servers of these tests have of their own."""

INPUT_REQUIRED: Final = "InputRequiredResult"

ERRORS: Final[Mapping[int, str]] = {
    -32700: "ParseError",
    -32600: "InvalidRequestError",
    -32601: "MethodNotFoundError",
    -32602: "InvalidParamsError",
    -32603: "InternalError",
}
"""The types of error objects, by code; the modern schema alone has them."""

ERROR_RESPONSES: Final[Mapping[int, str]] = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}
"""The types of whole error responses, by code; the modern schema alone has them."""


def check(message: bytes, revision: str, method: str | None) -> None:
    """Fail where `message`, as a server wrote it to a client of `revision`, is not valid.

    `method` is the one whose request a result answers; for a batch and for anything that is no
    result it may be None. A batch is checked as one and each member without its method.
    """
    assert b"\n" not in message, f"a message holds a line break: {message[:200]!r}"
    value = json.loads(message.decode("utf-8"), parse_constant=_not_json)
    if isinstance(value, list):
        assert revision == versions.BATCHING, f"a batch in {revision}: {message[:200]!r}"
        assert value, "an empty batch"
        for member in value:
            check_value(member, revision, None)
    else:
        assert isinstance(value, dict), f"no message: {message[:200]!r}"
        assert method is not None or "result" not in value, f"whose result? {message[:200]!r}"
        check_value(value, revision, method)


def check_value(value: Mapping[str, Any], revision: str, method: str | None) -> None:
    """Fail where the message `value` is not valid; see `check`."""
    era = versions.MODERN if revision == versions.MODERN else versions.LATEST_LEGACY
    if "method" in value:
        assert set(value) <= {"jsonrpc", "id", "method", "params"}
        if "id" in value:
            assert era != versions.MODERN, "a modern server sends no requests"
            _valid(value, era, "JSONRPCRequest")
            _valid(value, era, "ServerRequest")
        else:
            _valid(value, era, "JSONRPCNotification")
            _valid(value, era, "ServerNotification")
    elif "error" in value:
        assert set(value) <= {"jsonrpc", "id", "error"}
        _valid(value, era, "JSONRPCErrorResponse")
        _check_error(value, era)
    else:
        assert set(value) == {"jsonrpc", "id", "result"}
        _valid(value, era, "JSONRPCResultResponse")
        if method is not None:
            _check_result(value["result"], era, method)


def _check_error(value: Mapping[str, Any], era: str) -> None:
    assert set(value["error"]) <= {"code", "message", "data"}
    code = value["error"]["code"]
    if era == versions.MODERN and code in ERRORS:
        _valid(value["error"], era, ERRORS[code])
    if era == versions.MODERN and code in ERROR_RESPONSES:
        _valid(value, era, ERROR_RESPONSES[code])


def _check_result(result: Mapping[str, Any], era: str, method: str) -> None:
    expected = "Result" if method.startswith(OWN) else RESULTS[era][method]
    if era == versions.MODERN:
        assert result["resultType"] in ("complete", "input_required")
        if result["resultType"] == "input_required":
            expected = INPUT_REQUIRED
    _valid(result, era, expected)
    if expected == "EmptyResult":
        assert set(result) <= {"_meta", "resultType"}
    if expected == "ListToolsResult":
        for tool in result["tools"]:
            for schema in (tool["inputSchema"], tool.get("outputSchema", {})):
                Draft202012Validator.check_schema(schema)


def _valid(value: Any, era: str, name: str) -> None:
    errors = [
        f"{error.json_path}: {error.message[:500]}"
        for error in _validator(era, name).iter_errors(value)
    ]
    assert not errors, f"no {name} of {era}: {errors}"


@cache
def _validator(era: str, name: str) -> Draft202012Validator:
    schema = wire_schemas.load(era)
    assert name in schema["$defs"], f"{era} has no type {name}"
    return Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})


def _not_json(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")
