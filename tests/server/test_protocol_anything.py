"""The protocol core: whatever comes, it answers validly and lives."""

from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.calculator import calculator
from tests.server.support import MODERN_META, Core, request
from typedargs_server import text_result
from typedargs_server.effects import Call
from typedargs_server.eras import meta, versions

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
