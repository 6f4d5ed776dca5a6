"""MCPServer: the forms of registration, what they take from a handler, what clients are shown."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.server.support import BOTH_ERAS, Core
from typedargs import Double, MCPArgs, ObjectSchema, SchemaError, schema_of
from typedargs_server import (
    CacheHints,
    Icon,
    Limits,
    MCPServer,
    RegistrationError,
    RequestContext,
    ToolAnnotations,
    ToolResult,
)
from typedargs_server.eras import meta


class AddArgs(MCPArgs):
    """Add two numbers,
    or more.
    """

    a = Double()


class Sum(MCPArgs):
    sum = Double()


def listed(server: MCPServer) -> list[dict[str, Any]]:
    """The tools as a modern client sees them."""
    tools: list[dict[str, Any]] = Core(server).ask("tools/list")["tools"]
    return tools


# What is taken from the handler


def test_a_bare_decorator_takes_everything_from_the_function() -> None:
    server = MCPServer("s")

    @server.tool
    def add(args: AddArgs) -> Sum:
        """Add
        two numbers.
        """
        return Sum(sum=args.a)

    assert listed(server) == [
        {
            "name": "add",
            "description": "Add\ntwo numbers.",
            "inputSchema": schema_of(AddArgs),
            "outputSchema": schema_of(Sum),
        }
    ]
    assert add(AddArgs(a=1)) == Sum(sum=1)


def test_what_is_given_wins_over_the_function() -> None:
    server = MCPServer("s")

    @server.tool(
        "plus", "Given", input={"type": "object"}, output=ObjectSchema().add_number("total")
    )
    def add(args: AddArgs) -> Sum:
        """Add two numbers."""
        return Sum(sum=args.a)

    assert listed(server) == [
        {
            "name": "plus",
            "description": "Given",
            "inputSchema": {"type": "object"},
            "outputSchema": {
                "type": "object",
                "properties": {"total": {"type": "number"}},
                "required": ["total"],
            },
        }
    ]
    assert add.__name__ == "add"


@pytest.mark.parametrize(
    ("decorate", "name", "description"),
    [
        (lambda server: server.tool, "add", "From the docstring."),
        (lambda server: server.tool(), "add", "From the docstring."),
        (lambda server: server.tool("plus"), "plus", "From the docstring."),
        (lambda server: server.tool(name="plus"), "plus", "From the docstring."),
        (lambda server: server.tool(description="Given"), "add", "Given"),
        (lambda server: server.tool("plus", "Given"), "plus", "Given"),
    ],
)
def test_the_decorator_has_these_forms(
    decorate: Callable[[MCPServer], Any], name: str, description: str
) -> None:
    server = MCPServer("s")

    def add(args: AddArgs) -> str:
        """From the docstring."""
        return str(args.a)

    assert decorate(server)(add) is add
    (tool,) = listed(server)
    assert (tool["name"], tool["description"]) == (name, description)


def test_a_handler_without_docstring_has_the_description_of_its_arguments() -> None:
    server = MCPServer("s")

    @server.tool
    def add(args: AddArgs) -> str:
        return str(args.a)

    @server.tool
    def bare(args: Sum) -> str:
        return str(args.sum)

    first, second = listed(server)
    assert first["description"] == "Add two numbers,\nor more."
    assert "description" not in second


def test_a_handler_without_parameters_takes_no_arguments() -> None:
    server = MCPServer("s")

    @server.tool
    def now() -> str:
        """Tell the time."""
        return "noon"

    (tool,) = listed(server)
    assert tool["inputSchema"] == {"type": "object"}
    core = Core(server)
    assert core.start("now").arguments == {}
    assert core.start("now", {"unknown": 1}).arguments == {"unknown": 1}


def test_the_classes_may_be_defined_inside_a_function() -> None:
    server = MCPServer("s")

    class LocalArgs(MCPArgs):
        b = Double()

    @server.tool
    async def bare(args: LocalArgs, ctx: RequestContext) -> LocalArgs | ToolResult:  # noqa: ARG001
        return args

    @server.tool("named")
    def named(args: LocalArgs) -> LocalArgs:
        return args

    for tool in listed(server):
        assert tool["inputSchema"] == tool["outputSchema"] == schema_of(LocalArgs)


def test_methods_partials_and_callable_objects_can_be_decorated() -> None:
    server = MCPServer("s")

    class Service:
        """Serve."""

        def method(self, args: AddArgs) -> Sum:
            """Do."""
            return Sum(sum=args.a)

        def __call__(self, args: AddArgs) -> Sum:
            return Sum(sum=args.a)

    def three(first: str, args: AddArgs) -> Sum:
        """Take three."""
        return Sum(sum=len(first) + args.a)

    server.tool(Service().method)
    server.tool("object")(Service())
    server.tool(functools.partial(three, "x"))
    tools = listed(server)
    assert [tool["name"] for tool in tools] == ["method", "object", "three"]
    assert [tool["description"] for tool in tools] == ["Do.", "Serve.", "Take three."]
    assert tools[0]["outputSchema"] == tools[1]["outputSchema"] == schema_of(Sum)


def test_a_handler_whose_arguments_are_unknown_is_refused() -> None:
    server = MCPServer("s")

    def add(args: dict[str, Any]) -> str:
        return str(args)

    with pytest.raises(RegistrationError) as caught:
        server.tool(add)
    assert str(caught.value) == (
        'tool "add": give input=..., or annotate the first parameter of the handler '
        "with an MCPArgs subclass that can be resolved where the decorator stands"
    )
    assert listed(server) == []


def test_an_object_without_a_name_needs_one_given() -> None:
    class Service:
        def __call__(self, args: AddArgs) -> Sum:
            return Sum(sum=args.a)

    with pytest.raises(RegistrationError, match=r"^give the tool a name: <.*> has none$"):
        MCPServer("s").tool(Service())


def test_a_lambda_needs_a_name_given() -> None:
    with pytest.raises(RegistrationError, match=r"'<lambda>' is not$"):
        MCPServer("s").tool(lambda: "x")


# Mistakes


@pytest.mark.parametrize("name", ["", "add numbers", "x" * 129])
def test_a_name_that_clients_refuse_is_refused(name: str) -> None:
    server = MCPServer("s")
    with pytest.raises(RegistrationError) as caught:
        server.register_tool(name, "Add", AddArgs, lambda args: args)
    assert str(caught.value) == (
        f"a tool name is 1 to 128 of the characters A-Z a-z 0-9 _ - and . ; {name!r} is not"
    )
    with pytest.raises(RegistrationError):
        server.tool(name)(lambda: None)
    assert listed(server) == []


def test_a_second_tool_of_a_name_is_refused() -> None:
    server = MCPServer("s")
    server.register_tool("add", "The first", AddArgs, lambda args: args)
    for register in (
        lambda: server.register_tool("add", "Again", AddArgs, lambda args: args),
        lambda: server.tool("add")(lambda: None),
    ):
        with pytest.raises(RegistrationError) as caught:
            register()
        assert str(caught.value) == (
            'a tool named "add" is registered already; '
            "choose another name, or call remove_tool first"
        )
    assert [tool["description"] for tool in listed(server)] == ["The first"]


def test_a_handler_with_three_parameters_is_refused() -> None:
    def add(a: float, b: float, digits: int) -> float:
        return round(a + b, digits)

    with pytest.raises(RegistrationError) as caught:
        MCPServer("s").register_tool("add", "Add", AddArgs, add)
    assert str(caught.value) == (
        'tool "add": the handler must take (args) or (args, ctx), '
        "but it needs (a, b, digits); bind the others with functools.partial"
    )


def test_a_misspelt_option_of_the_decorator_is_refused() -> None:
    with pytest.raises(TypeError, match="timeuot"):
        MCPServer("s").tool("t", timeuot=3)(lambda: None)  # type: ignore[call-overload]


def test_a_bad_output_schema_registers_nothing() -> None:
    server = MCPServer("s")
    with pytest.raises(SchemaError):
        server.register_tool("add", "Add", AddArgs, lambda args: args, output="{")
    assert listed(server) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Limits(max_threads=0), "max_threads must be above 0, got 0"),
        (lambda: Limits(page_size=-1), "page_size must be above 0, got -1"),
        (lambda: CacheHints(ttl_ms=-1), "ttl_ms must be at least 0, got -1"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        make()
    assert str(caught.value) == message


# What clients are shown


ICONS = [Icon(src="data:image/png;base64,AA==", mime_type="image/png", sizes=["any"])]
ICONS_WIRE = [{"src": "data:image/png;base64,AA==", "mimeType": "image/png", "sizes": ["any"]}]


@pytest.mark.parametrize("revision", BOTH_ERAS)
def test_title_annotations_icons_and_meta_of_a_tool_are_listed(revision: str) -> None:
    server = MCPServer("s")
    options: dict[str, Any] = {
        "title": "Add it up",
        "annotations": ToolAnnotations(title="Add", read_only=True, open_world=False),
        "icons": ICONS,
        "meta": {"example.org/cost": 3},
    }
    server.register_tool("registered", "Add", {"type": "object"}, lambda args: args, **options)
    server.tool("decorated", "Add", input={"type": "object"}, **options)(lambda args: args)
    for tool in Core(server, revision).ask("tools/list")["tools"]:
        del tool["name"]
        assert tool == {
            "title": "Add it up",
            "description": "Add",
            "inputSchema": {"type": "object"},
            "annotations": {"title": "Add", "readOnlyHint": True, "openWorldHint": False},
            "icons": ICONS_WIRE,
            "_meta": {"example.org/cost": 3},
        }


def test_the_server_presents_itself() -> None:
    server = MCPServer(
        "s",
        version="1.2",
        title="The S",
        description="It serves.",
        website_url="https://example.org",
        icons=ICONS,
        instructions="Ask politely.",
        cache=CacheHints(ttl_ms=5000, scope="private"),
    )
    discovery = Core(server).ask("server/discover")
    assert server.name == "s"
    assert discovery["_meta"][meta.SERVER_INFO] == {
        "name": "s",
        "version": "1.2",
        "title": "The S",
        "description": "It serves.",
        "websiteUrl": "https://example.org",
        "icons": ICONS_WIRE,
    }
    assert discovery["instructions"] == "Ask politely."
    assert (discovery["ttlMs"], discovery["cacheScope"]) == (5000, "private")


def test_a_server_of_little_words_presents_its_name_alone() -> None:
    discovery = Core(MCPServer("s")).ask("server/discover")
    assert discovery["_meta"][meta.SERVER_INFO] == {"name": "s", "version": "0.0.0"}
    assert "instructions" not in discovery
    assert (discovery["ttlMs"], discovery["cacheScope"]) == (0, "public")


def test_a_removed_tool_is_unknown_and_its_name_free() -> None:
    server = MCPServer("s")
    server.register_tool("add", "The first", AddArgs, lambda args: args)
    core = Core(server)
    running = core.start("add", {"a": 1})
    server.remove_tool("add")
    assert core.ask("tools/list")["tools"] == []
    assert core.error("tools/call", {"name": "add"})["code"] == -32602
    (answer,) = core.finish(running, running.work.result("done")).sent
    assert answer["result"]["content"] == [{"type": "text", "text": "done"}]
    server.register_tool("add", "The second", AddArgs, lambda args: args)
    assert [tool["description"] for tool in listed(server)] == ["The second"]


def test_a_tool_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError, match='no tool is named "add"'):
        MCPServer("s").remove_tool("add")


def test_two_servers_share_nothing() -> None:
    one, two = MCPServer("one"), MCPServer("two")
    one.register_tool("add", "Add", AddArgs, lambda args: args)
    assert [json.dumps(tool["name"]) for tool in listed(one)] == ['"add"']
    assert listed(two) == []
