"""Settings and content of another type than they say are refused where they are made."""

from collections.abc import Callable
from typing import Any

import pytest

from typedargs import Integer, MCPArgs
from typedargs_server import (
    Annotations,
    AudioContent,
    CacheHints,
    EmbeddedResource,
    Icon,
    ImageContent,
    InvalidParams,
    Limits,
    MCPServer,
    ResourceLink,
    TextContent,
    ToolAnnotations,
    ToolError,
    ToolResult,
    error_result,
    text_result,
)


class Args(MCPArgs):
    x = Integer()


def handler(args: Args) -> str:
    return str(args.x)


def server(**settings: Any) -> MCPServer:
    return MCPServer("s", **settings)


def tool(**options: Any) -> object:
    return server().register_tool("t", "A tool", Args, handler, **options)


ICONS = "a list of which each is an Icon"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: server(version=1), "Implementation: version must be a str, got 1"),
        (lambda: server(icons="a.png"), f"Implementation: icons must be {ICONS}, got 'a.png'"),
        (lambda: server(instructions=4), "MCPServer: instructions must be a str or None, got 4"),
        (lambda: server(lifespan=5), "MCPServer: lifespan must be a Callable or None, got 5"),
        (
            lambda: server(limits={"max_threads": 1}),
            "MCPServer: limits must be a Limits or None, got {'max_threads': 1}",
        ),
        (lambda: server(cache=60), "MCPServer: cache must be a CacheHints or None, got 60"),
        (lambda: server(plain=1), "MCPServer: plain must be True or False, got 1"),
        (lambda: server(debug="x"), "MCPServer: debug must be True or False, got 'x'"),
        (lambda: Limits(max_threads="4"), "Limits: max_threads must be an int, got '4'"),
        (lambda: Limits(max_threads=True), "Limits: max_threads must be an int, got True"),
        (lambda: Limits(page_size=1.5), "Limits: page_size must be an int, got 1.5"),
        (lambda: Limits(drain_seconds="x"), "Limits: drain_seconds must be a number, got 'x'"),
        (
            lambda: CacheHints(scope="both"),
            "CacheHints: scope must be 'public' or 'private', got 'both'",
        ),
        (lambda: CacheHints(ttl_ms=1.5), "CacheHints: ttl_ms must be an int, got 1.5"),
        (
            lambda: server().register_tool(3, "x", Args, handler),
            "Tool: name must be a str, got 3",
        ),
        (lambda: tool(timeout="5"), "Tool: timeout must be a number or None, got '5'"),
        (
            lambda: tool(max_concurrency=1.5),
            "Tool: max_concurrency must be an int or None, got 1.5",
        ),
        (lambda: tool(inline="y"), "Tool: inline must be True or False, got 'y'"),
        (lambda: tool(title=4), "Tool: title must be a str or None, got 4"),
        (lambda: tool(icons=[5]), f"Tool: icons must be {ICONS}, got [5]"),
        (
            lambda: tool(meta={1: 2}),
            "Tool: meta must be a dict with strings as keys or None, got {1: 2}",
        ),
        (
            lambda: tool(annotations={"readOnlyHint": True}),
            "Tool: annotations must be a ToolAnnotations or None, got {'readOnlyHint': True}",
        ),
        (lambda: tool(validation="ful"), "validation must be 'dialect' or 'full', got 'ful'"),
        (lambda: server().tool(5), "tool: name must be a str or None, got 5"),
        (lambda: TextContent(5), "TextContent: text must be a str, got 5"),
        (lambda: text_result(None), "TextContent: text must be a str, got None"),
        (
            lambda: ImageContent("zz", "image/png"),
            "ImageContent: data must be bytes, got 'zz'; give the file's bytes, not base64",
        ),
        (
            lambda: AudioContent("zz", "audio/wav"),
            "AudioContent: data must be bytes, got 'zz'; give the file's bytes, not base64",
        ),
        (lambda: ImageContent(b"zz", None), "ImageContent: mime_type must be a str, got None"),
        (lambda: error_result(None), "TextContent: text must be a str, got None"),
        (
            lambda: EmbeddedResource("file:///a", 5),
            "EmbeddedResource: contents must be a str or bytes, got 5",
        ),
        (
            lambda: Annotations(audience="user"),
            "Annotations: audience must be a list of which each is 'user' or 'assistant' or None, "
            "got 'user'",
        ),
        (
            lambda: Annotations(priority="high"),
            "Annotations: priority must be a number or None, got 'high'",
        ),
        (
            lambda: Icon(src="data:,", sizes="48x48"),
            "Icon: sizes must be a list of which each is a str or None, got '48x48'",
        ),
        (
            lambda: TextContent("a", meta={1: 2}),
            "TextContent: meta must be a dict with strings as keys or None, got {1: 2}",
        ),
        (
            lambda: server().run(backend="curio"),
            "run: backend must be 'asyncio' or 'trio', got 'curio'",
        ),
        (
            lambda: tool(application_validated=1),
            "application_validated must be True or False, got 1",
        ),
        (lambda: ResourceLink(5, "x"), "ResourceLink: uri must be a str, got 5"),
        (
            lambda: ToolAnnotations(read_only="yes"),
            "ToolAnnotations: read_only must be True or False or None, got 'yes'",
        ),
        (
            lambda: Icon(src="data:,", theme="blue"),
            "Icon: theme must be 'light' or 'dark' or None, got 'blue'",
        ),
        (
            lambda: ToolResult(["text"]),
            "ToolResult: content must be a list of which each is a TextContent or an ImageContent "
            "or an AudioContent or a ResourceLink or an EmbeddedResource, got ['text']",
        ),
        (lambda: ToolError("x", code=5), "ToolError: code must be a str or None, got 5"),
        (lambda: InvalidParams(5), "InvalidParams: message must be a str, got 5"),
    ],
)
def test_of_another_type(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Limits(max_threads=0), "max_threads must be above 0, got 0"),
        (lambda: Limits(drain_seconds=-1), "drain_seconds must be at least 0, got -1"),
        (lambda: Limits(drain_seconds=float("nan")), "drain_seconds must be at least 0, got nan"),
        (lambda: Limits(drain_seconds=float("inf")), "drain_seconds must be finite, got inf"),
        (
            lambda: Annotations(priority=float("nan")),
            "Annotations: priority must be from 0 to 1, got nan",
        ),
        (lambda: Annotations(priority=5), "Annotations: priority must be from 0 to 1, got 5"),
        (lambda: CacheHints(ttl_ms=-1), "ttl_ms must be at least 0, got -1"),
        (lambda: tool(timeout=0), 'tool "t": timeout must be above 0 seconds'),
        (lambda: tool(timeout=float("nan")), 'tool "t": timeout must be above 0 seconds'),
        (lambda: tool(max_concurrency=0), 'tool "t": max_concurrency must be at least 1'),
    ],
)
def test_out_of_range(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        make()
    assert str(caught.value) == message


def test_what_fits() -> None:
    limits = Limits(drain_seconds=0, max_threads=1)
    assert server(limits=limits, icons=(Icon(src="data:,"),), lifespan=None).tools == []
    assert tool(timeout=5, icons=[Icon(src="data:,")], meta={"a": [1]}) is not None
