"""A server's tools as a file to keep."""

import json

import pytest

from typedargs import Integer, MCPArgs, String
from typedargs_server import MCPServer, ToolAnnotations
from typedargs_server.contracts import LockError, lock_of, lock_of_server, read_lock


class Query(MCPArgs):
    text = String(description="Größe")
    limit = Integer(default=3, maximum=9)


def nothing(_: object) -> str:
    return ""


TEXT = """\
{
  "lockVersion": 1,
  "tools": [
    {
      "name": "search",
      "title": "Search",
      "description": "Find things",
      "inputSchema": {
        "type": "object",
        "properties": {
          "text": {
            "type": "string",
            "description": "Größe"
          },
          "limit": {
            "type": "integer",
            "maximum": 9,
            "default": 3
          }
        },
        "required": [
          "text"
        ]
      },
      "annotations": {
        "readOnlyHint": true
      }
    },
    {
      "name": "echo",
      "inputSchema": {
        "type": "object",
        "minProperties": 1.50
      }
    }
  ]
}
"""


def test_a_server_is_written_down_in_the_order_of_registration() -> None:
    server = MCPServer("catalog")
    server.register_tool(
        "search",
        "Find things",
        Query,
        nothing,
        title="Search",
        annotations=ToolAnnotations(read_only=True),
    )
    server.register_tool("echo", None, {"type": "object"}, nothing)
    expected = TEXT.replace(',\n        "minProperties": 1.50', "")
    assert lock_of_server(server).text == expected
    assert lock_of_server(server).names == ["search", "echo"]


def test_the_members_of_a_tool_have_one_order_and_the_rest_stays_as_it_was_sent() -> None:
    search = (
        b'{"inputSchema":{"type":"object","properties":{"text":{"type":"string",'
        b'"description":"Gr\xc3\xb6\xc3\x9fe"},"limit":{"type":"integer","maximum":9,'
        b'"default":3}},"required":["text"]},"annotations":{"readOnlyHint":true},'
        b'"description":"Find things","title":"Search","name":"search"}'
    )
    echo = b'{"inputSchema": {"type": "object", "minProperties": 1.50}, "name": "echo"}'
    assert lock_of([search, echo]).text == TEXT


def test_unknown_members_of_a_tool_come_last_and_sorted() -> None:
    text = lock_of([b'{"z": 1, "name": "a", "b": 2, "inputSchema": {}}']).text
    assert [*json.loads(text)["tools"][0]] == ["name", "inputSchema", "b", "z"]


def test_a_lock_that_was_read_is_the_lock_that_was_written() -> None:
    assert read_lock(TEXT).text == TEXT
    assert read_lock(TEXT).names == ["search", "echo"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1,", "it is not JSON: "),
        ("NaN", "it is not JSON: NaN is no JSON"),
        ("[" * 100_000, "it is nested too deep"),
        ("[]", "it has no lockVersion; `typedargs schema` makes such a file"),
        ('{"lockVersion": 2}', "its lockVersion is 2; this typedargs reads 1"),
        ('{"lockVersion": 1}', "its tools are not a list"),
        ('{"lockVersion": 1, "tools": [{}]}', "it lists what is no tool with a name"),
    ],
)
def test_what_is_no_lock_is_said_to_be_none(text: str, message: str) -> None:
    with pytest.raises(LockError) as raised:
        read_lock(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("tool", [b"1", b"{", b'{"name": 3}', b'{"name": "\xff"}'])
def test_what_is_no_tool_makes_no_lock(tool: bytes) -> None:
    with pytest.raises(LockError):
        lock_of([tool])
