"""What clients hear of changes: subscriptions in the modern era, the session in the older one."""

from typing import Any

import pytest

from tests.server.support import Core, connected, notification
from typedargs_server import MCPServer
from typedargs_server.eras import meta, versions
from typedargs_server.subscriptions import ListChanged, ResourceUpdated

pytestmark = pytest.mark.anyio

EVERYTHING = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["a://b"],
}


URIS = "notifications.resourceSubscriptions must be a list of URIs"


def given(_: Any) -> str:
    return "x"


def made() -> MCPServer:
    server = MCPServer("s", version="1")
    server.register_prompt("p", None, None, lambda: "x")
    server.register_resource("a://b", "x")
    return server


def listen(core: Core, notifications: Any) -> tuple[int, list[Any]]:
    """The id of a subscription, and what is sent at once."""
    request = core.request("subscriptions/listen", {"notifications": notifications})
    effects = core.receive(request)
    assert (effects.calls, effects.cancelled) == ([], [])
    return request["id"], effects.sent


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        (EVERYTHING, EVERYTHING),
        ({}, {}),
        ({"toolsListChanged": False}, {}),
        ({"promptsListChanged": True, "unknown": 3}, {"promptsListChanged": True}),
        (
            {"resourceSubscriptions": ["z://", "a://b"]},
            {"resourceSubscriptions": ["a://b", "z://"]},
        ),
    ],
)
def test_a_subscription_is_acknowledged_with_what_the_server_agrees_to(
    asked: Any, agreed: Any
) -> None:
    core = Core(made())
    subscription, sent = listen(core, asked)
    assert sent == [
        {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": {meta.SUBSCRIPTION_ID: subscription}, "notifications": agreed},
        }
    ]


def test_what_a_server_does_not_have_is_not_agreed_to() -> None:
    _, (acknowledged,) = listen(Core(MCPServer("s", version="1")), EVERYTHING)
    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}


@pytest.mark.parametrize(
    ("notifications", "message"),
    [
        (None, "notifications must be an object: what to listen to"),
        ({"toolsListChanged": 1}, "notifications.toolsListChanged must be true or false"),
        (
            {"resourceSubscriptions": "a"},
            "notifications.resourceSubscriptions must be a list of URIs",
        ),
        (
            {"resourceSubscriptions": [1]},
            "notifications.resourceSubscriptions must be a list of URIs",
        ),
        (
            {"resourceSubscriptions": ["a"] * 10_001},
            "notifications.resourceSubscriptions must have at most 10000 URIs",
        ),
    ],
)
def test_a_filter_that_is_none_is_refused(notifications: Any, message: str) -> None:
    error = Core(made()).error("subscriptions/listen", {"notifications": notifications})
    assert error == {"code": -32602, "message": message}


def test_each_subscription_hears_what_it_asked_for_under_its_own_id() -> None:
    core = Core(made())
    tools, _ = listen(core, {"toolsListChanged": True})
    both, _ = listen(core, {"toolsListChanged": True, "resourceSubscriptions": ["a://b"]})

    def heard(change: Any) -> list[tuple[str, int, Any]]:
        return [
            (message["method"], params["_meta"][meta.SUBSCRIPTION_ID], params.get("uri"))
            for message in core.effects(core.connection.changed(change)).sent
            for params in [message["params"]]
        ]

    changed = "notifications/tools/list_changed"
    assert heard(ListChanged("tools")) == [(changed, tools, None), (changed, both, None)]
    assert heard(ListChanged("prompts")) == []
    assert heard(ResourceUpdated("a://b")) == [("notifications/resources/updated", both, "a://b")]
    assert heard(ResourceUpdated("a://c")) == []


def test_a_cancelled_subscription_hears_no_more() -> None:
    core = Core(made())
    subscription, _ = listen(core, EVERYTHING)
    core.receive(notification("notifications/cancelled", {"requestId": subscription}))
    assert core.connection.changed(ListChanged("tools")) == []
    assert core.connection.is_idle


def test_a_server_that_ends_answers_its_subscriptions() -> None:
    core = Core(made())
    subscription, _ = listen(core, EVERYTHING)
    (answer,) = core.effects(core.connection.end()).sent
    assert answer["id"] == subscription
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["_meta"][meta.SUBSCRIPTION_ID] == subscription
    assert core.connection.changed(ListChanged("tools")) == []
    assert core.connection.end() == []


async def test_every_change_of_a_registry_is_told() -> None:
    server = made()
    async with connected(server) as client:
        client._request("subscriptions/listen", {"notifications": EVERYTHING})
        await client.notified("notifications/subscriptions/acknowledged")
        server.register_tool("t", None, {"type": "object"}, given)
        server.remove_tool("t")
        server.register_prompt("q", None, None, lambda: "x")
        server.remove_prompt("q")
        server.register_resource("c://{d}", given)
        server.remove_resource("c://{d}")
        server.remove_resource("a://b")
        server.resource_updated("a://b")
        told = [m["method"].removeprefix("notifications/") for m in client.received[1:]]
    assert told == [
        *["tools/list_changed"] * 2,
        *["prompts/list_changed"] * 2,
        *["resources/list_changed"] * 3,
        "resources/updated",
    ]


async def test_a_legacy_session_subscribes_to_resources() -> None:
    server = made()
    async with connected(server, versions.LATEST_LEGACY) as client:
        assert await client.ask("resources/subscribe", {"uri": "a://b"}) == {}
        server.resource_updated("a://b")
        server.resource_updated("a://c")
        assert await client.ask("resources/unsubscribe", {"uri": "a://b"}) == {}
        server.resource_updated("a://b")
        server.remove_prompt("p")
        assert client.notifications("notifications/resources/updated") == [{"uri": "a://b"}]
        await client.notified("notifications/prompts/list_changed")
