"""The check of every message lets nothing pass that a client would stumble over."""

import json
from typing import Any

import pytest

from tests.server import wire
from tests.server.support import BOTH_ERAS
from typedargs_server.eras import versions

MODERN_LIST = {"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "public"}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


def result(value: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}).encode()


def error(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "error": members}).encode()


@pytest.mark.parametrize(
    ("message", "revision", "method"),
    [
        (result(MODERN_LIST), versions.MODERN, "tools/list"),
        (result({"tools": [TOOL]}), versions.LATEST_LEGACY, "tools/list"),
        (result({}), versions.BATCHING, "ping"),
        (b"[%s, %s]" % (result({}), error(code=1, message="")), versions.BATCHING, None),
        (error(code=-32602, message="no"), versions.MODERN, "tools/list"),
        (error(code=-32602, message="no"), versions.LATEST_LEGACY, None),
        (b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}', versions.MODERN, None),
    ],
)
def test_a_valid_message_passes(message: bytes, revision: str, method: str | None) -> None:
    wire.check(message, revision, method)


@pytest.mark.parametrize("revision", BOTH_ERAS)
@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"1",
        b"[]",
        b"{}",
        b'{"jsonrpc":"2.0",\n"method":"notifications/tools/list_changed"}',
        b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","x":1}',
        b'{"jsonrpc":"2.0","method":"notifications/unknown"}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}',
        b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x","data":1}}',
        b'{"method":"notifications/tools/list_changed"}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\xff"}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","more":1}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}',
        b'{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":""}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"message":""}}',
        result({"tools": [{"name": "t"}]}),
        result({"tools": [TOOL | {"inputSchema": {"type": "array"}}]}),
        result({**MODERN_LIST, "tools": [TOOL | {"outputSchema": {"type": 3}}]}),
        result(
            {**MODERN_LIST, "tools": [TOOL | {"inputSchema": {"type": "object", "required": 1}}]}
        ),
    ],
)
def test_an_invalid_message_fails(message: bytes, revision: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011  # whatever shows it
        wire.check(message, revision, "tools/list")


@pytest.mark.parametrize(
    ("message", "revision", "method"),
    [
        (result({"tools": []}), versions.MODERN, "tools/list"),
        (result(MODERN_LIST | {"resultType": "unknown"}), versions.MODERN, "tools/list"),
        (result({"resultType": "complete"}), versions.MODERN, "server/discover"),
        (result({"content": [], "structuredContent": 3}), versions.LATEST_LEGACY, "tools/call"),
        (result({"content": [{"type": "x"}]}), versions.LATEST_LEGACY, "tools/call"),
        (result({"more": 1}), versions.LATEST_LEGACY, "ping"),
        (result({}), versions.LATEST_LEGACY, None),
        (result({}), versions.LATEST_LEGACY, "unknown"),
        (error(code=-32022, message="no"), versions.MODERN, None),
        (error(code=-32021, message="no", data={}), versions.MODERN, None),
        (b"[%s]" % result({}), versions.LATEST_LEGACY, "ping"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', versions.MODERN, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', versions.LATEST_LEGACY, None),
    ],
)
def test_a_message_that_its_era_does_not_have_fails(
    message: bytes, revision: str, method: str | None
) -> None:
    with pytest.raises((AssertionError, KeyError)):
        wire.check(message, revision, method)
