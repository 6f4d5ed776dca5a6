"""A handler whose parameters or annotations contradict how it is called is refused."""

import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

import pytest

from typedargs import Double, MCPArgs
from typedargs_server import (
    ImageContent,
    MCPServer,
    RegistrationError,
    RequestContext,
    TextContent,
    ToolResult,
)
from typedargs_server.testing import connect


class AddArgs(MCPArgs):
    a = Double()
    b = Double()


class NarrowArgs(AddArgs):
    c = Double()


class OtherArgs(MCPArgs):
    c = Double()


class NoArgs(MCPArgs):
    pass


class Row(TypedDict):
    a: int


class Color(enum.Enum):
    RED = "red"


class Service:
    def method(self, args: AddArgs) -> str: ...

    def without_arguments(self) -> str: ...

    @classmethod
    def of_class(cls, args: AddArgs) -> str: ...


def other(args: OtherArgs) -> str: ...


def base(args: AddArgs) -> str: ...


def postponed(args: "OtherArgs") -> str: ...


def context_only(ctx: RequestContext) -> str: ...


def values(a: int, b: int) -> str: ...


def many_values(a: str, b: float = 1.0, *, c: bool = False, ctx: RequestContext) -> str: ...


def optional_value(a: str | None) -> str: ...


def literal(a: Literal["x"], ctx: RequestContext) -> str: ...


def annotated(a: Annotated[list[int], "some"]) -> str: ...


def color(a: Color) -> str: ...


def value_for_context(args: AddArgs, retries: int = 3) -> str: ...


def no_parameters() -> str: ...


def arguments_as_one(*fields: str) -> str:
    return (
        f"arguments come as one object; declare an MCPArgs class with the "
        f"field{'s' if len(fields) > 1 else ''} {' and '.join(fields)} and "
        "take (args) or (args, ctx)"
    )


CONTEXT_FIRST = (
    "the first parameter is the arguments; take (args, ctx), "
    "or (ctx) alone in a tool without arguments"
)
NO_INSTANCE = (
    "it is a method without its instance; "
    "register the bound method of an instance, as in server.tool()(Service().method)"
)
CLASS_METHOD = (
    "a class method has no class yet in the class body; "
    "register the bound one after it, as in server.tool()(Service.method)"
)


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (other, "input is AddArgs, but the handler takes OtherArgs; make them the same class"),
        (postponed, "input is AddArgs, but the handler takes OtherArgs; make them the same class"),
        (context_only, CONTEXT_FIRST),
        (values, arguments_as_one("a", "b")),
        (optional_value, arguments_as_one("a")),
        (literal, arguments_as_one("a")),
        (annotated, arguments_as_one("a")),
        (color, arguments_as_one("a")),
        (
            many_values,
            "arguments come as one object; declare an MCPArgs class with the fields a, b and c "
            "and take (args) or (args, ctx)",
        ),
        (
            value_for_context,
            "the second parameter, retries, is where the context goes; "
            "take (args) or (args, ctx), and let others be keyword-only",
        ),
        (Service.method, NO_INSTANCE),
        (Service.without_arguments, NO_INSTANCE),
        (Service.__dict__["of_class"], CLASS_METHOD),
        (
            no_parameters,
            "the handler takes no parameters, so that its arguments (a, b) would be lost; "
            "take (args) or (args, ctx)",
        ),
        (
            lambda **k: str(k),
            "the handler takes keywords only, and arguments come as one object; "
            "take (args) or (args, ctx)",
        ),
    ],
)
@pytest.mark.parametrize("form", ["register_tool", "tool"])
def test_a_handler_that_would_get_something_else_is_refused(
    handler: Callable[..., Any], message: str, form: str
) -> None:
    server = MCPServer("s")
    register: Mapping[str, Callable[..., Any]] = {
        "tool": server.tool("t", input=AddArgs),
        "register_tool": functools.partial(server.register_tool, "t", "A tool", AddArgs),
    }
    with pytest.raises(RegistrationError) as caught:
        register[form](handler)
    assert str(caught.value) == f'tool "t": {message}'
    assert server.tools == []


@pytest.mark.parametrize(
    ("handler", "message"),
    [
        (values, f'tool "values": {arguments_as_one("a", "b")}'),
        (Service.without_arguments, f'tool "without_arguments": {NO_INSTANCE}'),
        (Service.__dict__["of_class"], f'tool "of_class": {CLASS_METHOD}'),
    ],
)
def test_the_bare_decorator_tells_the_same(handler: Any, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        MCPServer("s").tool(handler)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("source", "handler"),
    [
        (AddArgs, base),
        (NarrowArgs, base),
        (AddArgs, Service().method),
        (AddArgs, functools.partial(Service.method, Service())),
        (AddArgs, Service.of_class),
        (AddArgs, lambda args, ctx=None: str((args, ctx))),
        (AddArgs, lambda *_: "x"),
        (NoArgs, no_parameters),
        ({"type": "object"}, no_parameters),
        ({"type": "object"}, Service().without_arguments),
    ],
)
def test_what_is_called_as_it_says_is_registered(source: Any, handler: Callable[..., Any]) -> None:
    server = MCPServer("s")
    server.register_tool("t", "A tool", source, handler)
    server.tool("u", input=source)(handler)
    assert [tool.name for tool in server.tools] == ["t", "u"]


def test_a_name_of_another_scope_is_not_taken_for_one_of_the_module() -> None:
    def made() -> Callable[..., str]:
        class OtherArgs(AddArgs):
            pass

        def handler(args: "OtherArgs") -> str: ...

        handler.given = OtherArgs  # type: ignore[attr-defined]
        return handler

    handler: Any = made()
    assert MCPServer("s").register_tool("t", None, handler.given, handler).name == "t"


def test_a_module_may_have_a_name_that_begins_like_the_package() -> None:
    class Args(MCPArgs):
        a = Double()

    Args.__module__ = "typedargs_server_of_mine"

    def handler(args: Args) -> Args: ...

    server = MCPServer("s")
    server.tool(handler)
    (tool,) = server.tools
    assert tool.input.args_class is Args
    assert tool.output is not None


def returning(annotation: Any) -> Callable[..., Any]:
    def handler(args: AddArgs) -> Any: ...

    handler.__annotations__["return"] = annotation
    return handler


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (int, "int"),
        (bool, "bool"),
        (bytes, "bytes"),
        (dict, "dict"),
        (dict[str, int], "dict[str, int]"),
        (Mapping[str, Any], "collections.abc.Mapping[str, typing.Any]"),
        (list[str], "list[str]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (set[int], "set[int]"),
        (int | None, "int | None"),
        (Annotated[int, "n"], "typing.Annotated[int, 'n']"),
    ],
)
def test_a_structured_return_wants_an_output(annotation: Any, shown: str) -> None:
    server = MCPServer("s")
    for register in (
        lambda handler: server.register_tool("t", None, AddArgs, handler),
        server.tool("t"),
    ):
        with pytest.raises(RegistrationError) as caught:
            register(returning(annotation))
        assert str(caught.value) == (
            f'tool "t": the handler returns {shown}, which is structured; '
            "declare its schema as output=..."
        )
    assert server.tool("t", output={"type": "object"})(returning(annotation))


def test_a_typed_dict_is_an_output_only_where_it_is_read_from_the_annotation() -> None:
    server = MCPServer("s")
    with pytest.raises(RegistrationError, match="declare its schema as output="):
        server.register_tool("t", None, AddArgs, returning(Row))
    server.tool("t")(returning(Row))
    (tool,) = server.tools
    assert tool.output is not None


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        None,
        Any,
        object,
        ToolResult,
        TextContent,
        list,
        list[TextContent],
        Sequence[TextContent | ImageContent],
        str | ToolResult,
        tuple[TextContent, ...],
        AddArgs,
        AddArgs | ToolResult,
        Literal["done"],
        "NotThere",
    ],
)
def test_any_other_return_needs_none(annotation: Any) -> None:
    server = MCPServer("s")
    assert server.register_tool("t", None, AddArgs, returning(annotation)).output is None
    server.tool("u")(returning(annotation))
    assert [tool.name for tool in server.tools] == ["t", "u"]


@pytest.mark.anyio
async def test_a_tool_without_arguments_takes_the_context_alone() -> None:
    server = MCPServer("s")

    @server.tool
    async def first(ctx: RequestContext) -> str:
        return ctx.method

    server.register_tool("second", None, {"type": "object"}, lambda args: repr(args))
    server.register_tool("third", None, {"type": "object"}, context_only)
    assert [tool.handler.takes_context for tool in server.tools] == [True, False, True]
    async with connect(server) as client:
        assert (await client.call_tool("first")).text == "tools/call"
