"""What each era has: its methods, and what older revisions do not know."""

from typing import Any, Final

import pytest

from tests.server.calculator import calculator, done
from tests.server.support import BOTH_ERAS, Core, initialize_params, texts
from typedargs import Integer, MCPArgs, String
from typedargs_server import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    Limits,
    MCPServer,
    ResourceLink,
    TextContent,
    ToolResult,
)
from typedargs_server.eras import versions

OLDEST: Final = versions.LEGACY[-1]


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
    result = done(core, call, call.work.result(value))["result"]
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
    result = done(core, call, call.work.result(Listing(names="a")))["result"]
    assert result["structuredContent"] == {"names": "a"}


@pytest.mark.parametrize("revision", versions.SUPPORTED)
@pytest.mark.parametrize("schema", [True, False])
def test_a_property_of_any_or_no_value_is_listed_in_every_era(revision: str, schema: bool) -> None:
    server = MCPServer("s")
    given = {"type": "object", "properties": {"a": schema}}
    server.register_tool("t", None, given, lambda args: args, output=given)
    (tool,) = Core(server, revision).ask("tools/list")["tools"]
    assert list(tool["inputSchema"]["properties"]) == ["a"]
