"""The protocol core: a message in, effects out, in both eras and on one connection."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.support import (
    BOTH_ERAS,
    MODERN_META,
    Core,
    initialize_params,
    notification,
    request,
    texts,
)
from typedargs import Double, Integer, MCPArgs, String
from typedargs_server import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    Implementation,
    InvalidParams,
    Limits,
    MCPServer,
    MissingRequiredClientCapability,
    ParseError,
    ResourceLink,
    TextContent,
    ToolError,
    ToolResult,
    WireError,
    faults,
    text_result,
)
from typedargs_server.eras import meta, versions
from typedargs_server.protocol import Call

OLDEST: Final = versions.LEGACY[-1]
UNKNOWN_REVISION: Final = "1999-01-01"


class AddArgs(MCPArgs):
    a = Double()
    b = Double(aliases=("second",))


class Sum(MCPArgs):
    sum = Double()


def calculator(**options: Any) -> MCPServer:
    server = MCPServer("calculator", version="1.0", instructions="Add.", **options)
    server.register_tool("add", "Add", AddArgs, lambda args: args, output=Sum)
    server.register_tool("echo", "Echo", {"type": "object"}, lambda args: args)
    return server


@pytest.fixture(params=BOTH_ERAS)
def core(request: pytest.FixtureRequest) -> Core:
    """A client of each era, before a calculator."""
    return Core(calculator(), request.param)


@pytest.fixture
def modern() -> Core:
    """A client of the modern era."""
    return Core(calculator())


@pytest.fixture
def legacy() -> Core:
    """A client of the latest legacy revision."""
    return Core(calculator(), versions.LATEST_LEGACY)


@pytest.fixture
def batching() -> Core:
    """A client of the one revision with batches."""
    return Core(calculator(), versions.BATCHING)


def done(core: Core, call: Call, outcome: ToolResult | WireError | str = "done") -> Any:
    """The one message that the end of `call` sends."""
    outcome = text_result(outcome) if isinstance(outcome, str) else outcome
    (answer,) = core.finish(call, outcome).sent
    return answer


# Discovery and handshake


def test_a_modern_client_discovers_the_server(modern: Core) -> None:
    assert modern.ask("server/discover") == {
        "resultType": "complete",
        "supportedVersions": list(versions.SUPPORTED),
        "capabilities": {"tools": {}, "logging": {}},
        "instructions": "Add.",
        "ttlMs": 0,
        "cacheScope": "public",
        "_meta": {meta.SERVER_INFO: {"name": "calculator", "version": "1.0"}},
    }


@pytest.mark.parametrize("revision", versions.LEGACY)
def test_a_legacy_client_gets_the_revision_that_it_asks_for(revision: str) -> None:
    core = Core(calculator(), revision, handshake=False)
    assert core.ask("initialize", initialize_params(revision)) == {
        "protocolVersion": revision,
        "capabilities": {"tools": {"listChanged": True}, "logging": {}},
        "serverInfo": {"name": "calculator", "version": "1.0"},
        "instructions": "Add.",
    }


@pytest.mark.parametrize("asked", [UNKNOWN_REVISION, versions.MODERN, "", "latest"])
def test_a_legacy_client_of_another_revision_is_offered_the_latest(asked: str) -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    answer = core.ask("initialize", initialize_params(asked))
    assert answer["protocolVersion"] == versions.LATEST_LEGACY


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "protocolVersion must be a string"),
        ({"protocolVersion": 1}, "protocolVersion must be a string"),
        ({"protocolVersion": "x"}, "capabilities must be an object"),
        ({"protocolVersion": "x", "capabilities": []}, "capabilities must be an object"),
        (
            {"protocolVersion": "x", "capabilities": {}},
            "clientInfo must have a name and a version, both strings",
        ),
        (
            {"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "x"}},
            "clientInfo must have a name and a version, both strings",
        ),
    ],
)
def test_a_malformed_handshake_is_refused_and_opens_nothing(
    params: dict[str, Any], message: str
) -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    assert core.error("initialize", params) == {"code": -32602, "message": message}
    assert core.error("tools/list")["code"] == -32602


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "logging/setLevel", "unknown"])
def test_before_the_handshake_a_request_without_meta_is_told_what_is_missing(method: str) -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    assert core.error(method, {"name": "echo"}) == {
        "code": -32602,
        "message": f'_meta must have "{meta.PROTOCOL_VERSION}", a string; '
        "a client of an earlier revision must send initialize first",
    }


def test_ping_is_answered_before_the_handshake() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    assert core.ask("ping") == {}


def test_a_client_that_forgets_to_say_it_is_initialized_is_served() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    core.ask("initialize", initialize_params())
    assert len(core.ask("tools/list")["tools"]) == 2


def test_a_second_handshake_starts_anew(legacy: Core) -> None:
    legacy.ask("logging/setLevel", {"level": "error"})
    answer = legacy.ask("initialize", initialize_params(OLDEST))
    assert answer["protocolVersion"] == OLDEST
    assert legacy.start("echo").caller.log_level == "info"


# The methods of each era


@pytest.mark.parametrize(
    ("revision", "method"),
    [
        (versions.MODERN, "initialize"),
        (versions.MODERN, "ping"),
        (versions.MODERN, "logging/setLevel"),
        (versions.MODERN, "resources/list"),
        (versions.MODERN, ""),
        (versions.MODERN, "notifications/cancelled"),
        (versions.LATEST_LEGACY, "server/discover"),
        (versions.LATEST_LEGACY, "resources/list"),
        (versions.LATEST_LEGACY, "tools/List"),
        (versions.LATEST_LEGACY, "notifications/initialized"),
    ],
)
def test_an_unknown_method_is_refused(revision: str, method: str) -> None:
    core = Core(calculator(), revision)
    error = core.error(method, initialize_params())
    assert error == {"code": -32601, "message": f"Method not found: {method}"}


def test_the_method_in_an_answer_is_cut(modern: Core) -> None:
    assert len(modern.error("x" * 10_000)["message"]) < 200


def test_a_legacy_client_pings(legacy: Core) -> None:
    assert legacy.ask("ping") == {}
    assert legacy.ask("ping", {"_meta": {}, "more": 1}) == {}


@pytest.mark.parametrize(
    "level", ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
)
def test_a_legacy_client_sets_the_level_of_the_log(legacy: Core, level: str) -> None:
    assert legacy.start("echo").caller.log_level == "info"
    assert legacy.ask("logging/setLevel", {"level": level}) == {}
    assert legacy.start("echo").caller.log_level == level


@pytest.mark.parametrize("params", [{}, {"level": "loud"}, {"level": 3}, {"level": ["info"]}])
def test_a_level_that_is_none_is_refused(legacy: Core, params: dict[str, Any]) -> None:
    assert legacy.error("logging/setLevel", params) == {
        "code": -32602,
        "message": "level must be one of debug, info, notice, warning, error, critical, "
        "alert, emergency",
    }


def test_the_tools_are_listed(core: Core) -> None:
    listed = core.ask("tools/list")["tools"]
    assert [tool["name"] for tool in listed] == ["add", "echo"]


@pytest.mark.parametrize("revision", BOTH_ERAS)
def test_the_tools_are_listed_page_by_page(revision: str) -> None:
    core = Core(calculator(limits=Limits(page_size=1)), revision)
    first = core.ask("tools/list")
    second = core.ask("tools/list", {"cursor": first["nextCursor"]})
    assert [tool["name"] for page in (first, second) for tool in page["tools"]] == ["add", "echo"]
    assert "nextCursor" not in second


@pytest.mark.parametrize(
    ("cursor", "message"),
    [
        ("nonsense", "Invalid cursor; list again from the start"),
        (3, "cursor must be a string"),
        ({}, "cursor must be a string"),
    ],
)
def test_a_cursor_that_is_none_is_refused(core: Core, cursor: Any, message: str) -> None:
    assert core.error("tools/list", {"cursor": cursor}) == {"code": -32602, "message": message}


def test_a_null_cursor_is_the_start(core: Core) -> None:
    assert len(core.ask("tools/list", {"cursor": None})["tools"]) == 2


# The `_meta` of modern requests


MISSING_VERSION: Final = (
    f'_meta must have "{meta.PROTOCOL_VERSION}", a string; '
    "a client of an earlier revision must send initialize first"
)
MISSING_CAPABILITIES: Final = f'_meta must have "{meta.CLIENT_CAPABILITIES}", an object'
BAD_CLIENT: Final = f'"{meta.CLIENT_INFO}" must have a name and a version, both strings'
BAD_LEVEL: Final = (
    f'"{meta.LOG_LEVEL}" must be one of debug, info, notice, warning, error, critical, '
    "alert, emergency"
)
BAD_TOKEN: Final = "progressToken must be a string or an integer"


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in MODERN_META.items() if name != key}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, MISSING_VERSION),
        ({}, MISSING_VERSION),
        ([], "_meta must be an object"),
        ("x", "_meta must be an object"),
        (without(meta.PROTOCOL_VERSION), MISSING_VERSION),
        ({**MODERN_META, meta.PROTOCOL_VERSION: 1}, MISSING_VERSION),
        ({**MODERN_META, meta.PROTOCOL_VERSION: None}, MISSING_VERSION),
        (without(meta.CLIENT_CAPABILITIES), MISSING_CAPABILITIES),
        ({**MODERN_META, meta.CLIENT_CAPABILITIES: None}, MISSING_CAPABILITIES),
        ({**MODERN_META, meta.CLIENT_CAPABILITIES: []}, MISSING_CAPABILITIES),
        ({**MODERN_META, meta.CLIENT_INFO: "me"}, BAD_CLIENT),
        ({**MODERN_META, meta.CLIENT_INFO: {}}, BAD_CLIENT),
        ({**MODERN_META, meta.CLIENT_INFO: {"name": "me"}}, BAD_CLIENT),
        ({**MODERN_META, meta.CLIENT_INFO: {"name": "me", "version": 1}}, BAD_CLIENT),
        ({**MODERN_META, meta.LOG_LEVEL: "loud"}, BAD_LEVEL),
        ({**MODERN_META, meta.LOG_LEVEL: 3}, BAD_LEVEL),
        ({**MODERN_META, meta.LOG_LEVEL: ["info"]}, BAD_LEVEL),
        ({**MODERN_META, meta.PROGRESS_TOKEN: 1.5}, BAD_TOKEN),
        ({**MODERN_META, meta.PROGRESS_TOKEN: True}, BAD_TOKEN),
        ({**MODERN_META, meta.PROGRESS_TOKEN: {}}, BAD_TOKEN),
    ],
)
@pytest.mark.parametrize("method", ["server/discover", "tools/list", "tools/call"])
def test_meta_that_is_missing_or_malformed_is_refused(
    modern: Core, method: str, given: Any, message: str
) -> None:
    params = {"name": "echo"} if given is None else {"name": "echo", "_meta": given}
    answer = modern.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert answer["error"] == {"code": -32602, "message": message}


def test_a_request_without_params_is_told_of_its_meta(modern: Core) -> None:
    answer = modern.answer({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer["error"] == {"code": -32602, "message": MISSING_VERSION}


@pytest.mark.parametrize("asked", [UNKNOWN_REVISION, "", *versions.LEGACY])
def test_an_unsupported_revision_is_refused_with_those_that_are_served(
    modern: Core, asked: str
) -> None:
    answer = modern.answer(
        request(1, "tools/list", {"_meta": {**MODERN_META, meta.PROTOCOL_VERSION: asked}})
    )
    assert answer == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": {"supported": list(versions.SUPPORTED), "requested": asked},
        },
    }


def test_an_unsupported_revision_matters_before_the_capabilities(modern: Core) -> None:
    given = {meta.PROTOCOL_VERSION: UNKNOWN_REVISION}
    answer = modern.answer(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": given}}
    )
    assert answer["error"]["code"] == -32022


def test_the_caller_of_a_modern_request_is_who_its_meta_says() -> None:
    core = Core(calculator())
    given = {
        **MODERN_META,
        meta.CLIENT_INFO: {"name": "me", "version": "2", "title": "Me", "more": 1},
        meta.CLIENT_CAPABILITIES: {"elicitation": {}},
        meta.LOG_LEVEL: "error",
        meta.PROGRESS_TOKEN: 7.0,
        "example.org/x": [1],
    }
    (call,) = core.receive(request(1, "tools/call", {"name": "echo", "_meta": given})).calls
    caller = call.caller
    assert caller.protocol_version == versions.MODERN
    assert caller.client_info == Implementation(name="me", version="2", title="Me")
    assert caller.client_capabilities == {"elicitation": {}}
    assert caller.log_level == "error"
    assert (caller.progress_token, type(caller.progress_token)) == (7, int)
    assert caller.meta == given


def test_a_modern_client_need_not_say_who_it_is(modern: Core) -> None:
    message = request(1, "tools/call", {"name": "echo"})
    del message["params"]["_meta"][meta.CLIENT_INFO]
    (call,) = modern.receive(message).calls
    assert (call.caller.client_info, call.caller.log_level) == (None, None)
    assert call.caller.progress_token is None


def test_the_caller_of_a_legacy_request_is_who_shook_hands() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    core.ask("initialize", {**initialize_params(OLDEST), "capabilities": {"roots": {}}})
    call = core.start("echo")
    assert call.caller.protocol_version == OLDEST
    assert call.caller.client_info == Implementation(name="tester", version="1")
    assert call.caller.client_capabilities == {"roots": {}}
    assert call.caller.log_level == "info"
    assert call.caller.meta == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [([], "_meta must be an object"), ({"progressToken": None, "x": 1}, None), ({}, None)],
)
def test_the_meta_of_a_legacy_request_is_an_object(
    legacy: Core, given: Any, message: str | None
) -> None:
    effects = legacy.receive(
        request(1, "tools/call", {"name": "echo", "_meta": given}, revision=versions.LATEST_LEGACY)
    )
    if message is None:
        assert effects.calls[0].caller.meta == given
    else:
        assert effects.sent[0]["error"] == {"code": -32602, "message": message}


# Calls


def test_a_call_is_run_and_its_result_sent(core: Core) -> None:
    call = core.start("add", {"a": 1, "b": 2})
    assert call.arguments == AddArgs(a=1, b=2)
    answer = done(core, call, call.tool.result(Sum(sum=3)))
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
        ToolResult(["text"]),  # type: ignore[list-item]
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


# Cancellation


@pytest.mark.parametrize("reason", [None, "changed my mind", 3])
def test_a_cancelled_call_is_ended_and_not_answered(core: Core, reason: Any) -> None:
    call, other = core.start("echo"), core.start("echo")
    params = {"requestId": call.id} if reason is None else {"requestId": call.id, "reason": reason}
    effects = core.receive(notification("notifications/cancelled", params))
    assert [(cancel.call, cancel.reason) for cancel in effects.cancelled] == [
        (call, reason if isinstance(reason, str) else None)
    ]
    assert effects.sent == []
    assert not core.connection.is_running(call)
    assert core.finish(call, text_result("late")).sent == []
    assert done(core, other)["id"] == other.id


def test_an_id_with_a_zero_fraction_cancels_the_integer(core: Core) -> None:
    call = core.start("echo")
    data = b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": %d.0}}'
    assert [c.call for c in core.receive(data % call.id).cancelled] == [call]


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"requestId": None},
        {"requestId": True},
        {"requestId": 0.5},
        {"requestId": []},
        {"requestId": {}},
        {"requestId": "unknown"},
        {"requestId": 999_999},
        {"requestId": "1001"},
    ],
)
def test_a_cancellation_of_nothing_is_ignored(core: Core, params: dict[str, Any] | None) -> None:
    call = core.start("echo")
    effects = core.receive(notification("notifications/cancelled", params))
    assert (effects.sent, effects.cancelled) == ([], [])
    assert done(core, call)["id"] == call.id


def test_a_cancellation_of_what_is_over_is_ignored(core: Core) -> None:
    call = core.start("echo")
    done(core, call)
    effects = core.receive(notification("notifications/cancelled", {"requestId": call.id}))
    assert (effects.sent, effects.cancelled) == ([], [])


def test_a_call_is_answered_once(core: Core) -> None:
    call = core.start("echo")
    done(core, call)
    assert core.finish(call, text_result("again")).sent == []


def test_the_end_of_a_cancelled_call_does_not_end_a_new_one_of_its_id(core: Core) -> None:
    first = core.start("echo")
    core.receive(notification("notifications/cancelled", {"requestId": first.id}))
    (second,) = core.receive({**core.request("tools/call", {"name": "echo"}), "id": first.id}).calls
    assert core.finish(first, text_result("first")).sent == []
    assert core.connection.is_running(second)
    assert done(core, second, "second")["result"]["content"][0]["text"] == "second"


# Both eras on one connection


def test_both_eras_are_served_on_one_connection() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)

    def modern(method: str, **params: Any) -> Any:
        return core.receive({**request(f"m-{method}", method, params)})

    assert "resultType" in modern("server/discover").sent[0]["result"]
    core.ask("initialize", initialize_params())
    assert "resultType" not in core.ask("tools/list")
    assert "resultType" in modern("tools/list").sent[0]["result"]

    (new,) = modern("tools/call", name="echo").calls
    old = core.start("echo")
    assert (new.caller.protocol_version, new.caller.log_level) == (versions.MODERN, None)
    assert old.caller.protocol_version == versions.LATEST_LEGACY
    assert "resultType" not in done(core, old)["result"]
    assert "resultType" in done(core, new)["result"]
    assert modern("ping").sent[0]["error"]["code"] == -32601
    assert core.ask("ping") == {}


def test_discovery_does_not_stand_in_for_a_handshake() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    assert core.receive(request(1, "server/discover")).sent[0]["result"]
    assert core.error("tools/list")["message"] == MISSING_VERSION


def test_a_legacy_client_alone_is_told_that_the_tools_changed() -> None:
    server = calculator()
    before = Core(server, versions.LATEST_LEGACY, handshake=False)
    between = Core(server, versions.LATEST_LEGACY, handshake=False)
    between.ask("initialize", initialize_params())
    modern, legacy = Core(server), Core(server, OLDEST)
    told = [
        core.effects(core.connection.tools_changed()).sent for core in (before, between, modern)
    ]
    assert told == [[], [], []]
    assert legacy.effects(legacy.connection.tools_changed()).sent == [
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    ]


def test_initialized_without_a_handshake_opens_nothing() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    core.receive(notification("notifications/initialized"))
    assert core.connection.tools_changed() == []
    assert core.error("tools/list")["code"] == -32602


# Batches


def legacy_request(request_id: Any, method: str, **params: Any) -> dict[str, Any]:
    return request(request_id, method, params, revision=versions.BATCHING)


@pytest.mark.parametrize(
    "revision", [revision for revision in versions.SUPPORTED if revision != versions.BATCHING]
)
def test_a_batch_is_refused_by_a_revision_without_batches(revision: str) -> None:
    core = Core(calculator(), revision)
    answer = core.answer([core.request("tools/list")])
    assert answer == {
        "jsonrpc": "2.0",
        "error": {
            "code": -32600,
            "message": "Invalid Request: this protocol revision has no batches",
        },
    }


def test_a_batch_before_the_handshake_is_refused() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    answer = core.answer([request(1, "initialize", initialize_params(versions.BATCHING))])
    assert answer["error"]["code"] == -32600


def test_the_answers_to_a_batch_are_one_batch(batching: Core) -> None:
    (answers,) = batching.receive(
        [
            legacy_request(1, "ping"),
            notification("notifications/unknown"),
            legacy_request("1", "tools/list"),
            legacy_request(2, "unknown"),
            legacy_request(3, "tools/call", name="unknown"),
            {"jsonrpc": "2.0", "id": 4},
            5,
            {"jsonrpc": "2.0", "id": 6, "result": {}},
        ]
    ).sent
    assert [(a.get("id"), a.get("error", {}).get("code")) for a in answers] == [
        (1, None),
        ("1", None),
        (2, -32601),
        (3, -32602),
        (4, -32600),
        (None, -32600),
    ]


def test_a_batch_is_answered_when_its_last_call_ends(batching: Core) -> None:
    effects = batching.receive(
        [
            legacy_request(1, "tools/call", name="echo"),
            legacy_request(2, "ping"),
            legacy_request(3, "tools/call", name="add", arguments={}),
            legacy_request(4, "tools/call", name="echo"),
        ]
    )
    assert effects.sent == []
    first, last = effects.calls
    assert batching.ask("ping") == {}  # on its own meanwhile
    assert batching.finish(last, text_result("last")).sent == []
    (answers,) = batching.finish(first, text_result("first")).sent
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4]
    assert all("result" in answer for answer in answers)


@pytest.mark.parametrize(
    "members",
    [
        [notification("notifications/unknown")],
        [notification("notifications/initialized"), {"jsonrpc": "2.0", "id": 1, "result": {}}],
    ],
)
def test_a_batch_without_requests_is_not_answered(batching: Core, members: list[Any]) -> None:
    effects = batching.receive(members)
    assert (effects.sent, effects.calls) == ([], [])


def test_a_cancelled_member_is_left_out_of_the_answers(batching: Core) -> None:
    effects = batching.receive(
        [legacy_request(1, "tools/call", name="echo"), legacy_request(2, "tools/call", name="echo")]
    )
    first, second = effects.calls
    cancelled = batching.receive(notification("notifications/cancelled", {"requestId": 1}))
    assert [cancel.call for cancel in cancelled.cancelled] == [first]
    assert cancelled.sent == []
    (answers,) = batching.finish(second, text_result("done")).sent
    assert [answer["id"] for answer in answers] == [2]


def test_a_batch_is_answered_when_its_last_open_member_is_cancelled(batching: Core) -> None:
    batching.receive([legacy_request(1, "tools/call", name="echo"), legacy_request(2, "ping")])
    cancelled = batching.receive(notification("notifications/cancelled", {"requestId": 1}))
    assert len(cancelled.cancelled) == 1
    assert [answer["id"] for answer in cancelled.sent[0]] == [2]


def test_a_batch_whose_members_are_all_cancelled_is_not_answered(batching: Core) -> None:
    (call,) = batching.receive([legacy_request(1, "tools/call", name="echo")]).calls
    cancelled = batching.receive(notification("notifications/cancelled", {"requestId": 1}))
    assert cancelled.sent == []
    assert batching.finish(call, text_result("late")).sent == []


def test_a_batch_may_cancel_its_own_member(batching: Core) -> None:
    effects = batching.receive(
        [
            legacy_request(1, "tools/call", name="echo"),
            notification("notifications/cancelled", {"requestId": 1}),
            legacy_request(2, "ping"),
        ]
    )
    assert [cancel.call for cancel in effects.cancelled] == effects.calls
    assert [answer["id"] for answer in effects.sent[0]] == [2]


def test_an_id_twice_in_a_batch_is_refused_the_second_time(batching: Core) -> None:
    effects = batching.receive(
        [legacy_request(1, "tools/call", name="echo"), legacy_request(1, "tools/call", name="echo")]
    )
    (call,) = effects.calls
    (answers,) = batching.finish(call, text_result("done")).sent
    assert sorted("error" in answer for answer in answers) == [False, True]


def test_a_handshake_in_a_batch_is_refused(batching: Core) -> None:
    ((answer,),) = batching.receive([legacy_request(1, "initialize", **initialize_params())]).sent
    assert answer == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {
            "code": -32600,
            "message": "Invalid Request: initialize must not be in a batch",
        },
    }
    assert batching.ask("ping") == {}


def test_an_empty_batch_is_an_invalid_request(core: Core) -> None:
    answer = core.answer([])
    assert answer["error"] == {"code": -32600, "message": "Invalid Request: an empty batch"}


# What older revisions do not know


AUDIO = AudioContent(b"", "audio/wav")
LINK = ResourceLink("file:///a", "a", mime_type="text/plain")
ALWAYS = [TextContent("x"), ImageContent(b"", "image/png"), EmbeddedResource("file:///a", "x")]


@pytest.mark.parametrize(
    ("revision", "kinds"),
    [
        (versions.MODERN, ["audio", "resource_link"]),
        (versions.LATEST_LEGACY, ["audio", "resource_link"]),
        (versions.CONTENT_SINCE["resource_link"], ["audio", "resource_link"]),
        (versions.CONTENT_SINCE["audio"], ["audio", "[resource_link: file:///a]"]),
        (OLDEST, ["[audio: audio/wav]", "[resource_link: file:///a]"]),
    ],
)
def test_content_that_a_revision_does_not_know_becomes_text(
    revision: str, kinds: list[str]
) -> None:
    core = Core(calculator(), revision)
    result = done(core, core.start("echo"), ToolResult([*ALWAYS, AUDIO, LINK]))["result"]
    shown = [block.get("text") or block["type"] for block in result["content"]]
    assert shown == ["x", "image", "resource", *kinds]


class Listing(MCPArgs):
    names = String()
    count = Integer(required=False)


@pytest.mark.parametrize("revision", versions.SUPPORTED)
@pytest.mark.parametrize(
    ("output", "value", "text"),
    [
        ({"type": "array"}, [1], "[1]"),
        ({"type": "string"}, "a", '"a"'),
        ({"type": ["object", "null"]}, {"a": 1}, '{"a":1}'),
        ({}, 3, "3"),
    ],
)
def test_an_output_that_is_no_object_is_hidden_from_legacy_clients(
    revision: str, output: dict[str, Any], value: Any, text: str
) -> None:
    server = MCPServer("s")
    server.register_tool("t", None, {"type": "object"}, lambda args: args, output=output)
    core = Core(server, revision)
    (tool,) = core.ask("tools/list")["tools"]
    call = core.start("t")
    result = done(core, call, call.tool.result(value))["result"]
    assert texts(result) == [text]
    if revision == versions.MODERN:
        assert tool["outputSchema"] == output
        assert result["structuredContent"] == value
    else:
        assert "outputSchema" not in tool
        assert result.get("structuredContent") == (value if isinstance(value, dict) else None)


@pytest.mark.parametrize("revision", versions.SUPPORTED)
def test_an_output_of_objects_is_shown_to_all(revision: str) -> None:
    server = MCPServer("s")
    server.register_tool("t", None, {"type": "object"}, lambda args: args, output=Listing)
    core = Core(server, revision)
    (tool,) = core.ask("tools/list")["tools"]
    assert tool["outputSchema"]["properties"].keys() == {"names", "count"}
    call = core.start("t")
    result = done(core, call, call.tool.result(Listing(names="a")))["result"]
    assert result["structuredContent"] == {"names": "a"}


@pytest.mark.parametrize("revision", versions.SUPPORTED)
@pytest.mark.parametrize("schema", [True, False])
def test_a_property_of_any_or_no_value_is_listed_in_every_era(revision: str, schema: bool) -> None:
    server = MCPServer("s")
    given = {"type": "object", "properties": {"a": schema}}
    server.register_tool("t", None, given, lambda args: args, output=given)
    (tool,) = Core(server, revision).ask("tools/list")["tools"]
    assert list(tool["inputSchema"]["properties"]) == ["a"]


# Anything at all


KEYS: Final = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "_meta",
        "name",
        "arguments",
        "a",
        "cursor",
        "level",
        "requestId",
        "protocolVersion",
        "capabilities",
        "clientInfo",
        "progressToken",
    ]
) | st.sampled_from([meta.PROTOCOL_VERSION, meta.CLIENT_CAPABILITIES])
SCALARS: Final = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["2.0", "tools/list", "tools/call", "echo", "add", "ping", "initialize"])
    | st.sampled_from(["server/discover", "notifications/cancelled", *versions.SUPPORTED])
)
JSON: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=10,
)
METHODS: Final = st.sampled_from(
    [
        "tools/list",
        "tools/call",
        "ping",
        "initialize",
        "server/discover",
        "logging/setLevel",
        "notifications/cancelled",
        "notifications/initialized",
    ]
)
REQUESTS: Final = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS},
    optional={
        "id": st.integers(0, 3) | SCALARS,
        "params": st.dictionaries(KEYS, JSON, max_size=4)
        | st.fixed_dictionaries(
            {"name": st.sampled_from(["echo", "add"]), "arguments": st.dictionaries(KEYS, JSON)},
            optional={"_meta": st.just(dict(MODERN_META)) | JSON},
        ),
    },
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    messages=st.lists(REQUESTS | JSON | st.lists(REQUESTS, max_size=3), max_size=6),
    revision=st.sampled_from(versions.SUPPORTED),
)
def test_whatever_comes_the_answers_are_valid_and_the_server_lives(
    messages: list[Any], revision: str
) -> None:
    core = Core(calculator(), revision)
    running: list[Call] = []
    for message in messages:
        effects = core.receive(message)
        running += effects.calls
        running = [call for call in running if core.connection.is_running(call)]
    for call in running:
        core.finish(call, text_result("done"))
    assert isinstance(core.receive(request("last", "tools/list")).sent[0]["result"]["tools"], list)


@given(st.binary(max_size=40))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_whatever_bytes_come_they_are_answered(data: bytes) -> None:
    core = Core(calculator())
    (answer,) = core.receive(data).sent
    assert answer["error"]["code"] in (-32700, -32600)


# A server that fails


def test_a_failure_of_the_server_itself_gives_nothing_away(
    modern: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("typedargs_server.tools.ToolRegistry.page", fail)
    assert modern.error("tools/list") == {"code": -32603, "message": "Internal error"}
