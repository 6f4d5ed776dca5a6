"""The protocol core: cancellation, and both eras on one connection."""

from typing import Any, Final

import pytest

from tests.server.calculator import calculator, done
from tests.server.support import Core, initialize_params, notification, request
from typedargs_server import text_result
from typedargs_server.eras import meta, versions
from typedargs_server.subscriptions import ListChanged, ResourceUpdated

OLDEST: Final = versions.LEGACY[-1]


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
    assert core.error("tools/list")["code"] == -32602


def test_a_legacy_client_alone_is_told_that_the_tools_changed() -> None:
    server = calculator()
    before = Core(server, versions.LATEST_LEGACY, handshake=False)
    between = Core(server, versions.LATEST_LEGACY, handshake=False)
    between.ask("initialize", initialize_params())
    modern, legacy = Core(server), Core(server, OLDEST)
    told = [
        core.effects(core.connection.changed(ListChanged("tools"))).sent
        for core in (before, between, modern)
    ]
    assert told == [[], [], []]
    assert legacy.effects(legacy.connection.changed(ListChanged("tools"))).sent == [
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    ]


def test_initialized_without_a_handshake_opens_nothing() -> None:
    core = Core(calculator(), versions.LATEST_LEGACY, handshake=False)
    core.receive(notification("notifications/initialized"))
    assert core.connection.changed(ListChanged("tools")) == []
    assert core.error("tools/list")["code"] == -32602


def test_a_new_handshake_begins_anew() -> None:
    server = calculator()
    server.resource("mem://a", name="a")(lambda: "text")
    core = Core(server, versions.LATEST_LEGACY)
    core.ask("resources/subscribe", {"uri": "mem://a"})
    assert len(core.connection.changed(ResourceUpdated("mem://a"))) == 1
    core.ask("initialize", initialize_params(OLDEST))
    core.receive(notification("notifications/initialized"))
    assert core.connection.revision == OLDEST
    assert core.connection.changed(ResourceUpdated("mem://a")) == []


def test_a_context_has_the_meta_of_its_own_request() -> None:
    core = Core(calculator())
    for each in (1, True, 1.0, 1):
        given = request(1, "tools/call", {"name": "echo"}, v=each)
        given["params"]["_meta"][meta.CLIENT_CAPABILITIES] = {"experimental": {"v": each}}
        (call,) = core.receive(given).calls
        declared: Any = call.caller.client_capabilities
        assert type(call.caller.meta["v"]) is type(each)
        assert type(declared["experimental"]["v"]) is type(each)
        core.finish(call, text_result("done"))
