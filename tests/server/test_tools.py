"""Tools: the registry and its pages, and what becomes of what a handler returns."""

import copy
import dataclasses
import datetime
import enum
import json
import math
import threading
import types
from collections.abc import Callable
from typing import Any

import attrs
import msgspec
import pytest

from typedargs import Array, Double, Integer, Map, MCPArgs, Nested, ObjectSchema, String
from typedargs_server import (
    InvalidParams,
    RegistrationError,
    TextContent,
    Tool,
    ToolResult,
    error_result,
    jsonrpc,
    structured_result,
    text_result,
)
from typedargs_server.handlers import handler_of
from typedargs_server.registry import MAX_NAME_LENGTH
from typedargs_server.schemas import SchemaSource, tool_schema
from typedargs_server.tools import ToolRegistry
from typedargs_server.work import UnfitResult


def tool(name: str = "t", output: SchemaSource | None = None, **options: Any) -> Tool:
    return Tool(
        name=name,
        description=None,
        input=tool_schema({"type": "object"}),
        output=None if output is None else tool_schema(output),
        handler=handler_of(lambda: None, name),
        **options,
    )


def registry(*names: str, page_size: int = 1000) -> ToolRegistry:
    made = ToolRegistry(page_size)
    for name in names:
        made.add(tool(name))
    return made


def names(page: dict[str, Any]) -> list[str]:
    return [listed["name"] for listed in json.loads(bytes(page["tools"]))]


def walk(tools: ToolRegistry) -> list[list[str]]:
    """The names on each page, from the first to the last."""
    page = tools.page(None, objects_only=False)
    pages = [names(page)]
    while "nextCursor" in page:
        page = tools.page(page["nextCursor"], objects_only=False)
        pages.append(names(page))
    return pages


# The registry


def test_tools_are_listed_in_the_order_of_registration() -> None:
    assert walk(registry("b", "c", "a")) == [["b", "c", "a"]]


def test_a_server_without_tools_has_one_empty_page() -> None:
    assert walk(registry()) == [[]]


@pytest.mark.parametrize(
    ("page_size", "pages"),
    [
        (1, [["a"], ["b"], ["c"], ["d"]]),
        (2, [["a", "b"], ["c", "d"]]),
        (3, [["a", "b", "c"], ["d"]]),
        (4, [["a", "b", "c", "d"]]),
        (5, [["a", "b", "c", "d"]]),
    ],
)
def test_every_tool_is_on_one_page(page_size: int, pages: list[list[str]]) -> None:
    assert walk(registry("a", "b", "c", "d", page_size=page_size)) == pages


def test_a_cursor_stays_good_when_tools_come_and_go() -> None:
    tools = registry("a", "b", "c", "d", page_size=2)
    cursor = tools.page(None, objects_only=False)["nextCursor"]
    tools.remove("b")  # the last one seen
    tools.remove("c")
    tools.add(tool("e"))
    assert names(tools.page(cursor, objects_only=False)) == ["d", "e"]


def test_a_cursor_behind_which_all_tools_are_gone_gives_an_empty_last_page() -> None:
    tools = registry("a", "b", "c", page_size=2)
    cursor = tools.page(None, objects_only=False)["nextCursor"]
    tools.remove("c")
    assert tools.page(cursor, objects_only=False) == {"tools": msgspec.Raw(b"[]")}


def test_a_tool_that_is_registered_again_comes_last() -> None:
    tools = registry("a", "b")
    tools.remove("a")
    tools.add(tool("a"))
    assert walk(tools) == [["b", "a"]]


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "1",
        "after-",
        "after--1",
        "after-1x",
        "after-1\n",
        "after-" + "9" * 19,
        "after-\u0661",
    ],
)
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidParams, match=r"^Invalid cursor; list again from the start$"):
        registry("a").page(cursor, objects_only=False)


def test_a_page_is_encoded_once_and_again_when_the_tools_change() -> None:
    tools = registry("a", "b")
    first = tools.page(None, objects_only=False)["tools"]
    assert tools.page(None, objects_only=False)["tools"] is first
    tools.add(tool("c"))
    assert names(tools.page(None, objects_only=False)) == ["a", "b", "c"]
    tools.remove("a")
    assert names(tools.page(None, objects_only=False)) == ["b", "c"]


def test_the_list_is_the_same_bytes_each_time() -> None:
    output = ObjectSchema().add_string("b").add_string("a")
    pages = []
    for _ in range(2):
        tools = ToolRegistry(1000)
        tools.add(tool("t", output, title="T"))
        pages.append(jsonrpc.encode(tools.page(None, objects_only=False)))
    assert pages[0] == pages[1]


def test_a_client_that_makes_up_cursors_fills_no_memory() -> None:
    tools = registry(*(f"t{number}" for number in range(100)), page_size=10)
    for position in range(200):
        tools.page(f"after-{position}", objects_only=False)
    assert tools._pages == {}
    walk(tools)
    for position in range(200):
        tools.page(f"after-{position}", objects_only=False)
    assert len(tools._pages) == 10


def test_a_second_tool_of_a_name_is_refused_and_the_first_stays() -> None:
    tools = registry("a")
    first = tools.get("a")
    with pytest.raises(
        RegistrationError,
        match=r'^a tool named "a" is registered already; '
        r"choose another name, or call remove_tool first$",
    ):
        tools.add(tool("a"))
    assert tools.get("a") is first
    assert walk(tools) == [["a"]]


def test_a_tool_that_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(KeyError, match='no tool is named "b"'):
        registry("a").remove("b")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("search_file", 'Unknown tool: search_file; did you mean "search_files"?'),
        ("Search_Files", 'Unknown tool: Search_Files; did you mean "search_files"?'),
        ("x", "Unknown tool: x"),
        ("", "Unknown tool: "),
        ("y" * 1000, f"Unknown tool: {'y' * MAX_NAME_LENGTH}"),
    ],
)
def test_an_unknown_tool_is_refused_with_the_nearest_name(name: str, message: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        registry("search_files", "add").get(name)
    assert str(caught.value) == message


def test_listeners_hear_of_each_change_until_they_leave() -> None:
    tools = registry("a")
    heard: list[list[str]] = []
    leave = tools.listen(lambda: heard.append(walk(tools)[0]))
    tools.add(tool("b"))
    tools.remove("a")
    with pytest.raises(RegistrationError):
        tools.add(tool("b"))
    leave()
    tools.remove("b")
    assert heard == [["a", "b"], ["b"]]


def test_tools_may_come_and_go_in_threads_while_they_are_listed() -> None:
    tools = registry(*(f"stays{number}" for number in range(50)), page_size=7)
    failures: list[BaseException] = []
    done = threading.Event()

    def change(name: str) -> None:
        try:
            for _ in range(200):
                tools.add(tool(name))
                tools.remove(name)
        except BaseException as error:
            failures.append(error)

    def read() -> None:
        try:
            while not done.is_set():
                listed = [name for page in walk(tools) for name in page]
                assert [n for n in listed if n.startswith("stays")] == [
                    f"stays{number}" for number in range(50)
                ]
        except BaseException as error:
            failures.append(error)

    changing = [threading.Thread(target=change, args=(f"t{number}",)) for number in range(3)]
    reading = threading.Thread(target=read)
    for thread in (*changing, reading):
        thread.start()
    for thread in changing:
        thread.join()
    done.set()
    reading.join()
    assert failures == []
    assert len([name for page in walk(tools) for name in page]) == 50


# The definition


@pytest.mark.parametrize("name", ["a", "A-z_0.9", "x" * 128])
def test_a_tool_may_have_any_name_that_the_protocol_allows(name: str) -> None:
    assert tool(name).name == name


@pytest.mark.parametrize("name", ["", "two words", "x" * 129, "ä", "a/b", "a\n", "<lambda>"])
def test_a_name_that_clients_refuse_is_refused(name: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        tool(name)
    assert str(caught.value) == (
        f"a tool name is 1 to 128 of the characters A-Z a-z 0-9 _ - and . ; {name!r} is not"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, 'tool "t": timeout must be above 0 seconds'),
        ({"timeout": -1.5}, 'tool "t": timeout must be above 0 seconds'),
        ({"timeout": float("nan")}, 'tool "t": timeout must be above 0 seconds'),
        ({"max_concurrency": 0}, 'tool "t": max_concurrency must be at least 1'),
        ({"meta": {"a": float("nan")}}, 'tool "t": meta is not JSON: JSON has no nan'),
        ({"meta": {"a": object()}}, 'tool "t": meta is not JSON: an object has no JSON form'),
        (
            {"title": "\ud800"},
            "tool \"t\" cannot be listed: 'utf-8' codec can't encode character '\\ud800' in "
            "position 0: surrogates not allowed",
        ),
    ],
)
def test_a_setting_that_cannot_be_kept_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        tool(**options)
    assert str(caught.value) == message


# What a handler returns


class Sum(MCPArgs):
    sum = Double()


class Noted(MCPArgs):
    note = String(required=False)


class Renamed(MCPArgs):
    from_ = String(name="from")
    note = String(required=False)


@dataclasses.dataclass
class Route:
    legs: list[Renamed]


@attrs.frozen
class Point:
    x: int
    y: int


class Color(enum.Enum):
    RED = "red"


class Half(float):
    pass


SUM_SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "number"}},
    "required": ["sum"],
}
LINES = [TextContent("a"), TextContent("b")]


@pytest.mark.parametrize(
    ("output", "returned", "content", "structured"),
    [
        (None, "text", ["text"], None),
        (None, "", [""], None),
        (None, None, [], None),
        (None, [], [], None),
        (None, (), [], None),
        (None, TextContent("a"), ["a"], None),
        (None, LINES, ["a", "b"], None),
        (None, tuple(LINES), ["a", "b"], None),
        (None, text_result("a"), ["a"], None),
        (None, ToolResult(), [], None),
        (None, ToolResult(LINES), ["a", "b"], None),
        (None, Sum(sum=2), ['{"sum":2.0}'], {"sum": 2.0}),
        (None, structured_result("two", Sum(sum=2)), ["two"], {"sum": 2.0}),
        (None, structured_result("two", {"sum": 2}), ["two"], {"sum": 2}),
        (None, ToolResult(structured={"sum": 2}), ['{"sum":2}'], {"sum": 2}),
        (None, ToolResult(LINES, structured=Sum(sum=2)), ["a", "b"], {"sum": 2.0}),
        (Sum, Sum(sum=2), ['{"sum":2.0}'], {"sum": 2.0}),
        (Sum, {"sum": 2}, ['{"sum":2}'], {"sum": 2}),
        (Sum, {"sum": 2, "more": [1]}, ['{"sum":2,"more":[1]}'], {"sum": 2, "more": [1]}),
        (Sum, structured_result("two", Sum(sum=2)), ["two"], {"sum": 2.0}),
        (Sum, structured_result("two", {"sum": 2}), ["two"], {"sum": 2}),
        (SUM_SCHEMA, {"sum": 2}, ['{"sum":2}'], {"sum": 2}),
        (SUM_SCHEMA, Sum(sum=2), ['{"sum":2.0}'], {"sum": 2.0}),
        (json.dumps(SUM_SCHEMA), {"sum": 2}, ['{"sum":2}'], {"sum": 2}),
        (ObjectSchema().add_number("sum"), {"sum": 2}, ['{"sum":2}'], {"sum": 2}),
        (Noted, Noted(), ["{}"], {}),
        (Noted, {}, ["{}"], {}),
        ({"type": "array"}, [1, 2], ["[1,2]"], [1, 2]),
        ({"type": "array"}, (1, (2,)), ["[1,[2]]"], [1, [2]]),
        ({"type": "array"}, [], ["[]"], []),
        ({"type": "string"}, "a", ['"a"'], "a"),
        ({"type": "integer"}, 10**30, [str(10**30)], 10**30),
        ({"type": "boolean"}, False, ["false"], False),
        ({"type": "object"}, {"s": Sum(sum=1)}, ['{"s":{"sum":1.0}}'], {"s": {"sum": 1.0}}),
        ({"type": "object"}, {1: {"a": (Half(0.5),)}}, ['{"1":{"a":[0.5]}}'], {"1": {"a": [0.5]}}),
        (
            {"type": "object"},
            {"r": [Renamed(from_="a")]},
            ['{"r":[{"from":"a"}]}'],
            {"r": [{"from": "a"}]},
        ),
        (
            {"type": "object"},
            Route([Renamed(from_="a")]),
            ['{"legs":[{"from":"a"}]}'],
            {"legs": [{"from": "a"}]},
        ),
        ({"type": "array"}, [{3}, Half(2)], ["[[3],2.0]"], [[3], 2.0]),
        ({"type": "object"}, types.MappingProxyType({Color.RED: 1}), ['{"red":1}'], {"red": 1}),
        ({"type": "object"}, Point(1, 2), ['{"x":1,"y":2}'], {"x": 1, "y": 2}),
        ({"type": "object"}, {"c": Color.RED}, ['{"c":"red"}'], {"c": "red"}),
        (
            {"type": "object"},
            {"d": datetime.date(2020, 1, 2)},
            ['{"d":"2020-01-02"}'],
            {"d": "2020-01-02"},
        ),
    ],
)
def test_every_form_of_result_becomes_content_and_data(
    output: SchemaSource | None, returned: Any, content: list[str], structured: Any
) -> None:
    result = tool(output=output).result(returned)
    assert [block.wire()["text"] for block in result.content] == content
    assert result.is_error is False
    if structured is None:
        assert not result.structured
    else:
        assert result.structured == structured


@pytest.mark.parametrize("output", [None, Sum])
def test_a_failure_needs_no_structured_content(output: SchemaSource | None) -> None:
    result = tool(output=output).result(error_result("no", meta={"a": 1}))
    assert result == error_result("no", meta={"a": 1})


NO_STRUCTURE = (
    "it declares an output schema but returned no structured content; "
    "return the output class, a dict or structured_result(...)"
)


def unfit(kind: str) -> str:
    return (
        f"it returned {kind}, and it declares no output schema; return an MCPArgs instance, "
        "a str, content blocks, None or a ToolResult, or declare an output"
    )


@pytest.mark.parametrize(
    ("output", "returned", "message"),
    [
        (None, {"sum": 2}, unfit("a dict")),
        (None, 3, unfit("an int")),
        (None, ["a"], unfit("a list")),
        (None, [TextContent("a"), "b"], unfit("a list")),
        (None, b"a", unfit("a bytes")),
        (Sum, None, NO_STRUCTURE),
        (Sum, text_result("a"), NO_STRUCTURE),
        (Sum, LINES, NO_STRUCTURE),
        (
            Sum,
            {},
            "its result does not fit its output schema: sum: missing; expected number",
        ),
        (
            Sum,
            "2",
            'its result does not fit its output schema: expected object, got string "2"',
        ),
        (
            Sum,
            {"sum": "2"},
            'its result does not fit its output schema: sum: expected number, got string "2"',
        ),
        (
            Sum,
            Noted(note="a"),
            "its result does not fit its output schema: sum: missing; expected number\n"
            'ignored unknown key: "note"',
        ),
        (Sum, {"sum": float("nan")}, "its result is not JSON: JSON has no nan"),
        (
            {"type": "object"},
            {"a": [{"b": float("-inf")}]},
            "its result is not JSON: JSON has no -inf",
        ),
        (
            None,
            structured_result("a", {"a": float("inf")}),
            "its result is not JSON: JSON has no inf",
        ),
        ({"type": "object"}, {"a": object()}, "its result is not JSON: an object has no JSON form"),
        (
            {"type": "object"},
            {"a": Point(1, math.nan)},  # type: ignore[arg-type]
            "its result is not JSON: JSON has no nan",
        ),
        (
            {"type": "object"},
            {None: 1},
            "its result is not JSON: Only dicts with str-like or number-like keys are supported",
        ),
        ({"type": "object"}, {"a": 1j}, "its result is not JSON: a complex has no JSON form"),
    ],
)
def test_a_result_that_cannot_be_sent_is_refused_with_the_reason(
    output: SchemaSource | None, returned: Any, message: str
) -> None:
    with pytest.raises(UnfitResult) as caught:
        tool(output=output).result(returned)
    assert str(caught.value) == message


def test_a_result_that_contains_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    with pytest.raises(UnfitResult, match=r"^its result is not JSON: "):
        tool(output={"type": "object"}).result(loop)


@dataclasses.dataclass
class Bounds:
    lo: int
    hi: int

    def __post_init__(self) -> None:
        if self.lo > self.hi:
            raise ValueError("lo must be at most hi")


class Span(MCPArgs):
    lo = Integer()
    hi = Integer()

    def __attrs_post_init__(self) -> None:
        Bounds(self.lo, self.hi)


class Held(MCPArgs):
    bounds = Nested(Bounds)
    span = Nested(Span)


class Numbers(MCPArgs):
    first = Double(default=1.0)
    rest = Array(Double(), default=[])
    named = Map(Double(), default={})


def lower_bound(held: Held) -> None:
    held.bounds.lo = 5


def lower_bound_of_span(held: Held) -> None:
    held.span.lo = 5


@pytest.mark.parametrize(
    ("made", "change", "message"),
    [
        (Span(lo=1, hi=2), lambda span: setattr(span, "lo", 5), "lo must be at most hi"),
        (
            Held(bounds=Bounds(1, 2), span=Span(lo=1, hi=2)),
            lower_bound,
            "bounds: lo must be at most hi",
        ),
        (
            Held(bounds=Bounds(1, 2), span=Span(lo=1, hi=2)),
            lower_bound_of_span,
            "span: lo must be at most hi",
        ),
        (Numbers(), lambda numbers: numbers.rest.append(10**400), "rest[0]: expected number"),
        (Numbers(), lambda numbers: numbers.rest.append("1"), "rest[0]: expected number"),
        (Numbers(), lambda numbers: numbers.named.update(x=10**400), "named.x: expected number"),
        (Numbers(), lambda numbers: vars(numbers).update(first=None), "first: expected number"),
    ],
)
def test_a_result_that_was_changed_is_checked_again(
    made: Any, change: Callable[[Any], None], message: str
) -> None:
    held = tool(output=type(made))
    changed = copy.deepcopy(made)
    assert not held.result(changed).is_error
    change(changed)
    with pytest.raises(UnfitResult) as caught:
        held.result(changed)
    assert str(caught.value).startswith(f"its result does not fit its output schema: {message}")
