"""What a change of a tool breaks, and the texts that say so."""

import json
from typing import Any

import pytest

from typedargs_server.contracts import (
    Lock,
    compare,
    data_of,
    is_break,
    lock_of,
    summary,
    text_of,
)

S: dict[str, Any] = {"type": "string"}


def lock(*tools: dict[str, Any]) -> Lock:
    return lock_of(json.dumps(tool).encode() for tool in tools)


def tool(name: str = "t", /, **members: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def takes(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def found(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [
        f"{each.verdict.value} {each.affects} | {each.at} | {each.message}"
        for each in compare(lock(old), lock(new))
    ]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        (tool(), tool(), []),
        (tool("a"), tool("b"), ["breaks callers | tool | removed", "compatible  | tool | added"]),
        (
            tool(inputSchema=takes(a=S)),
            tool(inputSchema=takes(a={"type": "integer"})),
            ["breaks callers | input.a | type string -> integer"],
        ),
        (
            tool(outputSchema=takes(a=S)),
            tool(outputSchema=takes(a={"type": ["string", "null"]})),
            ["breaks readers | output.a | type string -> string | null"],
        ),
        (
            tool(outputSchema=takes(a=S)),
            tool(outputSchema=takes()),
            ["breaks readers | output.a | removed; what is sent is ignored"],
        ),
        (
            tool(outputSchema=takes(a=S)),
            tool(outputSchema=takes(a=S, b=S)),
            ["compatible  | output.b | added"],
        ),
        (
            tool(outputSchema=takes(a={**S, "enum": ["x"]})),
            tool(outputSchema=takes(a={**S, "enum": ["x", "y"]})),
            ['breaks readers | output.a | value added: "y"'],
        ),
        (
            tool(outputSchema=takes(a=S)),
            tool(),
            ["breaks readers | output | no longer declared"],
        ),
        (tool(), tool(outputSchema=takes(a=S)), ["compatible  | output | declared now"]),
        (
            tool(title="a", description="b"),
            tool(description="c", icons=[], _meta={"x": 1}),
            [
                "compatible  | title | removed",
                "compatible  | description | changed",
                "compatible  | icons | added",
                "compatible  | _meta | added",
            ],
        ),
        (
            tool(annotations={"readOnlyHint": True, "title": "a"}),
            tool(annotations={"idempotentHint": True, "title": "b"}),
            [
                "may break callers | annotations | readOnlyHint true -> false",
                "compatible  | annotations | idempotentHint false -> true",
                'compatible  | annotations | title "a" -> "b"',
            ],
        ),
        (
            tool(annotations={"destructiveHint": False, "openWorldHint": False}),
            tool(),
            [
                "may break callers | annotations | destructiveHint false -> true",
                "may break callers | annotations | openWorldHint false -> true",
            ],
        ),
        (
            tool(),
            tool(execution={"taskSupport": "required"}),
            ['may break callers | execution | execution {"taskSupport": "required"} added'],
        ),
    ],
)
def test_a_change_of_a_tool_is_told_with_what_it_breaks(
    old: dict[str, Any], new: dict[str, Any], changes: list[str]
) -> None:
    assert found(old, new) == changes


OLD = lock(
    tool(
        "search",
        description="Search",
        inputSchema={
            **takes(query=S, limit={"type": "integer", "maximum": 9}),
            "required": ["query"],
        },
        outputSchema=takes(
            items={
                "type": "array",
                "items": {**takes(price={"type": "number"}), "required": ["price"]},
            }
        ),
    ),
    tool("gone"),
)
NEW = lock(
    tool(
        "search",
        description="Search the catalog",
        inputSchema={
            **takes(
                query={**S, "pattern": "."},
                limit={"type": "integer", "maximum": 5, "default": 5},
                mode={**S, "enum": ["a", "b"]},
            ),
            "required": ["query", "mode"],
        },
        outputSchema=takes(items={"type": "array", "items": takes(price={"type": "number"})}),
    ),
    tool("new"),
)

TEXT = """\
search
  breaks callers  input.query           pattern "." added
  breaks callers  input.limit           maximum 9 -> 5
  breaks callers  input.mode            added, and required
  breaks readers  output.items[].price  no longer required
  compatible      input.limit           default 5 added
  compatible      description           changed

gone
  breaks callers  tool  removed

new
  compatible  tool  added

5 breaking, 3 compatible"""


def test_changes_are_shown_by_tool_the_worst_first() -> None:
    assert text_of(compare(OLD, NEW)) == TEXT


def test_no_changes_are_said_to_be_none() -> None:
    assert text_of(compare(OLD, OLD)) == "No changes."


def test_changes_for_machines_say_the_same() -> None:
    changes = compare(lock(tool("a"), tool("b")), lock(tool("b", title="B")))
    assert data_of(changes, lenient=False) == {
        "breaks": True,
        "changes": [
            {
                "tool": "a",
                "at": "tool",
                "verdict": "breaks",
                "affects": "callers",
                "message": "removed",
            },
            {
                "tool": "b",
                "at": "title",
                "verdict": "compatible",
                "affects": None,
                "message": "added",
            },
        ],
    }


def test_what_may_break_is_a_break_unless_one_is_lenient() -> None:
    old = tool(inputSchema=takes(a={**S, "pattern": "a"}))
    new = tool(inputSchema=takes(a={**S, "pattern": "b"}))
    changes = compare(lock(old), lock(new))
    assert (is_break(changes), is_break(changes, lenient=True)) == (True, False)
    assert summary(changes) == "1 may break"


def test_another_order_of_the_tools_is_no_change() -> None:
    assert compare(lock(tool("a"), tool("b")), lock(tool("b"), tool("a"))) == []
