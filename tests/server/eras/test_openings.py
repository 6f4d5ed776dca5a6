"""How clients of each era open: discovery, the handshake, and the `_meta` of requests."""

from typing import Any, Final

import pytest

from tests.server.calculator import calculator
from tests.server.support import MODERN_META, Core, initialize_params, request
from typedargs_server import Implementation
from typedargs_server.eras import meta, versions

OLDEST: Final = versions.LEGACY[-1]
UNKNOWN_REVISION: Final = "1999-01-01"


# Discovery and handshake


def test_a_modern_client_discovers_the_server(modern: Core) -> None:
    assert modern.ask("server/discover") == {
        "resultType": "complete",
        "supportedVersions": list(versions.SUPPORTED),
        "capabilities": {"tools": {"listChanged": True}, "logging": {}},
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
