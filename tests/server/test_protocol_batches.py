"""The protocol core: batches, in the one revision that has them."""

from typing import Any

import pytest

from tests.server.calculator import calculator
from tests.server.support import Core, initialize_params, notification, request
from typedargs_server import RequestContext, text_result
from typedargs_server.eras import versions


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


def test_a_subscription_in_a_batch_leaves_it_to_the_others() -> None:
    server = calculator()

    async def around(_: RequestContext, proceed: Any) -> Any:
        return await proceed()

    server.middleware(around)
    core = Core(server, versions.BATCHING, handshake=False)
    (opening,) = core.receive(
        legacy_request(0, "initialize", **initialize_params(versions.BATCHING))
    ).calls
    core.finish(opening, opening.arguments)
    listen = request(2, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    first, second = core.receive([legacy_request(1, "ping"), listen]).calls
    assert core.finish(first, first.arguments).sent == []
    told, answers = core.connection.finish(second, second.arguments)
    assert b"notifications/subscriptions/acknowledged" in told.data
    assert answers.data == b'[{"jsonrpc":"2.0","id":1,"result":{}}]'
