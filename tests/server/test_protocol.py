"""The protocol core: calls, ids, and what is no request; a message in, effects out."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.server.calculator import AddArgs, Sum, done
from tests.server.support import Core, notification, texts
from typedargs_server import (
    InvalidParams,
    MissingRequiredClientCapability,
    ParseError,
    TextContent,
    ToolError,
    ToolResult,
    WireError,
    faults,
    text_result,
)
from typedargs_server.eras import meta

# Calls


def test_a_call_is_run_and_its_result_sent(core: Core) -> None:
    call = core.start("add", {"a": 1, "b": 2})
    assert call.arguments == AddArgs(a=1, b=2)
    answer = done(core, call, call.work.result(Sum(sum=3)))
    assert answer["id"] == call.id
    result = answer["result"]
    assert result["structuredContent"] == {"sum": 3.0}
    assert texts(result) == ['{"sum":3.0}']
    assert "isError" not in result


def test_a_modern_result_says_its_type_and_its_server(modern: Core) -> None:
    result = done(modern, modern.start("echo"), text_result("x", meta={"a": 1}))["result"]
    assert result == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "x"}],
        "_meta": {"a": 1, meta.SERVER_INFO: {"name": "calculator", "version": "1.0"}},
    }


def test_a_legacy_result_has_nothing_more_than_was_said(legacy: Core) -> None:
    result = done(legacy, legacy.start("echo"), "x")["result"]
    assert result == {"content": [{"type": "text", "text": "x"}]}


def test_arguments_may_be_left_out(core: Core) -> None:
    (call,) = core.receive(core.request("tools/call", {"name": "echo"})).calls
    assert call.arguments == {}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "name must be a string: the tool to call"),
        ({"name": 3}, "name must be a string: the tool to call"),
        ({"name": None, "arguments": {}}, "name must be a string: the tool to call"),
        ({"name": "echo", "arguments": []}, "arguments must be an object"),
        ({"name": "echo", "arguments": None}, "arguments must be an object"),
        ({"name": "echo", "arguments": "{}"}, "arguments must be an object"),
        ({"name": "unknown"}, "Unknown tool: unknown"),
        ({"name": "ech", "arguments": {}}, 'Unknown tool: ech; did you mean "echo"?'),
    ],
)
def test_a_call_that_names_no_tool_is_a_protocol_error(
    core: Core, params: dict[str, Any], message: str
) -> None:
    assert core.error("tools/call", params) == {"code": -32602, "message": message}


def test_arguments_that_do_not_fit_are_a_result_for_the_model(core: Core) -> None:
    result = core.ask("tools/call", {"name": "add", "arguments": {"a": "1", "c": 2}})
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert texts(result) == [
        'Invalid arguments for tool "add":\n'
        'a: expected number, got string "1"\n'
        "b: missing; expected number\n"
        'ignored unknown key: "c"'
    ]
    assert result["_meta"][faults.FAULTS] == [
        {
            "code": "invalid_arguments",
            "path": "a",
            "expected": "number",
            "message": 'expected number, got string "1"',
            "keyword": "type",
            "retryable": False,
        },
        {
            "code": "invalid_arguments",
            "path": "b",
            "expected": "number",
            "message": "missing; expected number",
            "keyword": "required",
            "retryable": False,
        },
    ]


@pytest.mark.parametrize("literal", ["1e400", "-1e400", "1" * 5000])
def test_a_number_that_no_float_holds_is_a_fault_of_its_field(core: Core, literal: str) -> None:
    message = json.dumps(
        core.request("tools/call", {"name": "add", "arguments": {"a": 9.5, "b": 1}})
    )
    result = core.answer(message.replace("9.5", literal).encode())["result"]
    assert result["isError"] is True
    (text,) = texts(result)
    assert text.startswith('Invalid arguments for tool "add":\na: expected number')
    assert len(text) < 300


def test_an_older_key_is_accepted_and_the_current_one_told(core: Core) -> None:
    call = core.start("add", {"a": 1, "second": 2})
    assert call.arguments == AddArgs(a=1, b=2)
    result = done(core, call, text_result("x", meta={"m": 1}))["result"]
    assert result["_meta"]["typedargs/aliases"] == {"second": "b"}
    assert result["_meta"]["m"] == 1


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (InvalidParams("no"), {"code": -32602, "message": "no"}),
        (
            MissingRequiredClientCapability("no", {"requiredCapabilities": {"sampling": {}}}),
            {
                "code": -32021,
                "message": "no",
                "data": {"requiredCapabilities": {"sampling": {}}},
            },
        ),
    ],
)
def test_a_wire_error_of_a_handler_is_the_answer(
    core: Core, error: WireError, body: Mapping[str, Any]
) -> None:
    call = core.start("echo")
    assert done(core, call, error) == {"jsonrpc": "2.0", "id": call.id, "error": body}


@pytest.mark.parametrize(
    "outcome",
    [
        text_result("\ud800"),
        ToolResult([TextContent("x", meta={"a": object()})]),
        InvalidParams("\ud800"),
        InvalidParams("x", {"a": object()}),
        WireError("a class without a code"),
        faults.tool_error(ToolError("\udfff")),
    ],
)
def test_an_outcome_that_cannot_be_written_is_answered_all_the_same(
    core: Core, outcome: ToolResult | WireError
) -> None:
    result = done(core, core.start("echo"), outcome)["result"]
    assert result["isError"] is True
    assert texts(result) == ['Tool "echo" failed. The server\'s log says why.']
    assert done(core, core.start("echo"), "fine")["result"]["content"][0]["text"] == "fine"


# Ids


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "unknown"])
def test_a_request_without_an_id_is_a_notification_and_not_answered(
    core: Core, method: str
) -> None:
    message = core.request(method, {"name": "echo"})
    del message["id"]
    effects = core.receive(message)
    assert (effects.sent, effects.calls) == ([], [])


@pytest.mark.parametrize("request_id", [None, 1.5, True, False, [], {}])
def test_an_id_that_is_none_is_refused_without_one(core: Core, request_id: Any) -> None:
    message = {**core.request("tools/call", {"name": "echo"}), "id": request_id}
    assert core.answer(message) == {
        "jsonrpc": "2.0",
        "error": {
            "code": -32600,
            "message": "Invalid Request: the id must be a string or an integer",
        },
    }


@pytest.mark.parametrize("request_id", [0, -1, 2**53 + 1, 10**30, "", "1", "ä\n", "x" * 1000])
def test_an_id_comes_back_as_it_was(core: Core, request_id: Any) -> None:
    (call,) = core.receive({**core.request("tools/call", {"name": "echo"}), "id": request_id}).calls
    answer = done(core, call)
    assert (answer["id"], type(answer["id"])) == (request_id, type(request_id))


def test_an_id_with_a_zero_fraction_is_the_integer(core: Core) -> None:
    (call,) = core.receive({**core.request("tools/call", {"name": "echo"}), "id": 7.0}).calls
    answer = done(core, call)
    assert (answer["id"], type(answer["id"])) == (7, int)


def test_an_id_in_flight_is_refused_and_the_first_call_goes_on(core: Core) -> None:
    first = core.start("echo", {"n": 1})
    again = {**core.request("tools/call", {"name": "echo"}), "id": first.id}
    assert core.answer(again) == {
        "jsonrpc": "2.0",
        "id": first.id,
        "error": {
            "code": -32600,
            "message": f"Invalid Request: id {first.id} is in flight already",
        },
    }
    assert done(core, first, "first")["result"]["content"][0]["text"] == "first"
    (second,) = core.receive(again).calls
    assert done(core, second, "second")["result"]["content"][0]["text"] == "second"


def test_the_ids_one_and_text_one_are_two(core: Core) -> None:
    message = core.request("tools/call", {"name": "echo"})
    calls = [core.receive({**message, "id": request_id}).calls[0] for request_id in (1, "1")]
    core.receive(notification("notifications/cancelled", {"requestId": "1"}))
    assert core.finish(calls[1], text_result("text")).sent == []
    answer = done(core, calls[0], "integer")
    assert (answer["id"], type(answer["id"])) == (1, int)


# What is no request


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", -32700),
        (b"hello", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b'{"a": NaN}', -32700),
        (rb'{"jsonrpc": "2.0", "id": "\ud800", "method": "m", "params": {"a": 1e400}}', -32700),
        (rb'{"jsonrpc": "2.0", "id": "\ud800", "method": "m"}', -32700),
        (b"1", -32600),
        (b"{}", -32600),
        (b"[]", -32600),
        (b"[1]", -32600),
        (b'{"jsonrpc": "2.0", "id": 1e308, "method": "m"}', -32602),
    ],
)
def test_what_is_no_message_is_answered_and_the_next_one_served(
    core: Core, data: bytes, code: int
) -> None:
    (answer,) = core.receive(data).sent
    if code != -32602:
        assert "id" not in answer
        assert answer["error"]["code"] == code
    assert len(core.ask("tools/list")["tools"]) == 2


def test_what_the_transport_refuses_is_answered(core: Core) -> None:
    (answer,) = core.effects(core.connection.refuse(ParseError("too long"))).sent
    assert answer == {"jsonrpc": "2.0", "error": {"code": -32700, "message": "too long"}}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}},
        {"jsonrpc": "2.0", "id": 1, "error": None},
    ],
)
def test_a_response_to_nothing_is_ignored(core: Core, message: object) -> None:
    effects = core.receive(message)
    assert (effects.sent, effects.calls, effects.cancelled) == ([], [], [])


@pytest.mark.parametrize(
    "message",
    [
        notification("notifications/unknown", {"a": 1}),
        notification("notifications/initialized"),
        notification("notifications/roots/list_changed"),
        notification("tools/call", {"name": "echo"}),
    ],
)
def test_a_notification_is_never_answered(core: Core, message: object) -> None:
    effects = core.receive(message)
    assert (effects.sent, effects.calls, effects.cancelled) == ([], [], [])


# A server that fails


def test_a_failure_of_the_server_itself_gives_nothing_away(
    modern: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("typedargs_server.tools.ToolRegistry.page", fail)
    assert modern.error("tools/list") == {"code": -32603, "message": "Internal error"}
