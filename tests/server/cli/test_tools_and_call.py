"""`typedargs tools` and `typedargs call` as a user meets them, on this and on another library."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from typedargs_server.anyschema import Json
from typedargs_server.cli._call import result_text
from typedargs_server.cli._tools import table
from typedargs_server.cli._wire import CallResult, Tool

Typedargs = Callable[..., subprocess.CompletedProcess[str]]

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_tools_of_a_file_are_listed(typedargs: Typedargs, calculator: Path) -> None:
    done = typedargs("tools", calculator)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "add\n"
        "  Add two numbers\n"
        "    a  number  required  Left operand\n"
        "    b  number  required  Right operand\n"
    )


def test_a_tool_of_a_file_is_called_and_its_structured_result_printed(
    typedargs: Typedargs, calculator: Path
) -> None:
    done = typedargs("call", calculator, "add", "a=1", "b=2")
    assert (done.returncode, done.stdout, done.stderr) == (0, '{\n  "sum": 3.0\n}\n', "")


@pytest.mark.parametrize("words", [["--json", '{"a": 1, "b": 2}'], ["--json", "-"]])
def test_the_arguments_may_be_one_object(
    typedargs: Typedargs, calculator: Path, words: list[str]
) -> None:
    done = typedargs("call", calculator, "add", *words, stdin='{"a": 1,\n"b": 2}')
    assert (done.returncode, json.loads(done.stdout)) == (0, {"sum": 3.0})


def test_options_may_stand_between_the_arguments(typedargs: Typedargs, calculator: Path) -> None:
    done = typedargs("call", calculator, "add", "a=1", "--timeout", "30", "b=2")
    assert json.loads(done.stdout) == {"sum": 3.0}


def test_an_error_result_goes_to_stderr_with_exit_status_1(
    typedargs: Typedargs, calculator: Path
) -> None:
    done = typedargs("call", calculator, "add", "a=one", "b=2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'Invalid arguments for tool "add":\na: expected number, got string "one"\n'
    )


def test_a_tool_that_does_not_exist_is_reported_with_those_that_do(
    typedargs: Typedargs, calculator: Path
) -> None:
    done = typedargs("call", calculator, "ad", "a=1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "typedargs call: the server has no tool 'ad'; it has: add\n"


@pytest.mark.parametrize("words", [["tools", "absent.py"], ["call", "absent.py", "add"]])
def test_a_file_that_cannot_be_served_is_a_usage_error_told_once(
    typedargs: Typedargs, words: list[str]
) -> None:
    done = typedargs(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"typedargs {words[0]}: there is no file absent.py\n"


@pytest.mark.parametrize(
    "words", [["tools"], ["tools", "--json"], ["call", "add", "a=1", "b=2"], ["schema"], ["check"]]
)
@pytest.mark.parametrize(
    ("redirection", "message"),
    [
        (">/dev/full", "the output cannot be written: No space left on device"),
        (">&-", "the output has nowhere to go: stdout is closed"),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_a_failure(
    calculator: Path, words: list[str], redirection: str, message: str
) -> None:
    command = [sys.executable, "-m", "typedargs_server.cli", words[0], str(calculator), *words[1:]]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (1, f"typedargs {words[0]}: {message}\n")


@pytest.mark.parametrize("command", ["tools", "call"])
def test_the_usage_of_what_waits_for_a_server_says_how_long(
    typedargs: Typedargs, command: str
) -> None:
    usage, _, _ = typedargs(command, "--help").stdout.partition("\n\n")
    assert all("[--timeout SECONDS]" in line for line in usage.splitlines())


def test_a_module_of_the_current_directory_is_served_too(
    typedargs: Typedargs, calculator: Path
) -> None:
    assert calculator.exists()
    assert json.loads(typedargs("call", "calculator:server", "add", "a=1", "b=2").stdout) == {
        "sum": 3.0
    }


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["add_text.py", "add", "a=1", "b=2"], "3\n"),
        (["add_result.py", "add", "a=1", "b=2"], '{\n  "sum": 3.0\n}\n'),
        (["repeat.py", "repeat", "text=3", "times=3"], '{\n  "text": "333"\n}\n'),
        (["search.py", "search", "query=null"], "nothing found\n"),
    ],
)
def test_an_example_is_called_by_its_file(
    typedargs: Typedargs, words: list[str], output: str
) -> None:
    file, *rest = words
    done = typedargs("call", EXAMPLES / file, *rest)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_the_tools_of_another_library_are_listed(
    typedargs: Typedargs, official_sdk: list[str]
) -> None:
    done = typedargs("tools", "--", *official_sdk)
    assert done.returncode == 0
    assert done.stdout == (
        "add\n"
        "  Add two numbers.\n"
        "    a         number         required      Left operand\n"
        "    b         number         required\n"
        '    rounding  "up" | "down"  default "up"\n'
        "    note      string | null  default null\n"
        "\n"
        "echo\n"
        "    text  string  required\n"
    )


def test_the_raw_list_is_what_the_server_sent(
    typedargs: Typedargs, official_sdk: list[str]
) -> None:
    tools = json.loads(typedargs("tools", "--json", "--", *official_sdk).stdout)
    assert [tool["name"] for tool in tools] == ["add", "echo"]
    assert tools[0]["outputSchema"]["properties"]["sum"]["type"] == "number"
    assert tools[0]["inputSchema"]["properties"]["note"]["default"] is None


@pytest.mark.parametrize(
    ("words", "status", "output"),
    [
        (["add", "a=1", "b=2.5", "rounding=down"], 0, '{\n  "sum": 3.5\n}\n'),
        (["echo", "text=3"], 0, "got '3'\n"),
        (["echo", "text=null"], 0, "got 'null'\n"),
        (["add", "a=one", "b=2"], 1, ""),
    ],
)
def test_a_tool_of_another_library_is_called(
    typedargs: Typedargs, official_sdk: list[str], words: list[str], status: int, output: str
) -> None:
    done = typedargs("call", *words, "--", *official_sdk)
    assert (done.returncode, done.stdout) == (status, output)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "typedargs: error: expected a command: run, tools, call, schema, diff or check"),
        (["run"], "typedargs run: error: expected FILE"),
        (["run", "a.py", "b.py"], "typedargs run: error: did not expect 'b.py'"),
        (["run", "--", "npx"], "typedargs run: error: there is nothing to run after --: run "
                               "serves a FILE"),
        (["tools"], "typedargs tools: error: expected FILE"),
        (["tools", "--"], "typedargs tools: error: expected a server's command line after --"),
        (["tools", "a.py", "--", "npx"], "typedargs tools: error: did not expect 'a.py'"),
        (["call"], "typedargs call: error: expected FILE and TOOL"),
        (["call", "a.py"], "typedargs call: error: expected TOOL"),
        (["call", "--", "npx"], "typedargs call: error: expected TOOL"),
        (["call", "a.py", "add", "x"], "typedargs call: expected key=value or key:=json, got 'x'"),
        (["call", "a.py", "add", "a=1", "a=2"], "typedargs call: a is given twice; an array is "
                                                "given as a='[...]'"),
        (["call", "a.py", "add", "a=1", "--json", "{}"], "typedargs call: arguments are given as "
                                                         "--json or as key=value, not as both"),
        (["call", "a.py", "add", "--json", "[]"], "typedargs call: --json has to be an object, "
                                                  "such as '{\"a\": 2}'"),
        (["tools", "a.py", "--timeout", "nan"], "typedargs tools: error: argument --timeout: "
                                                "expected a positive number of seconds, got 'nan'"),
        (["tools", "a.py", "--js"], "typedargs tools: error: unrecognized arguments: --js"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_exits_with_2_and_says_what_is_wrong(
    typedargs: Typedargs, words: list[str], message: str
) -> None:
    done = typedargs(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == message


def test_the_installed_command_is_the_same() -> None:
    script = Path(sys.executable).with_name("typedargs")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("typedargs 0.")


def tool(name: str, properties: Json, description: str | None = None) -> Tool:
    return Tool(name, {"type": "object", "properties": properties}, description=description)


def test_a_table_is_wrapped_at_the_width_of_the_terminal() -> None:
    about = "Searches all of the documents that are known to it, the newest ones first of all."
    properties: Json = {"query": {"type": "string", "description": about}}
    assert table([tool("search", properties, about)], width=60).splitlines() == [
        "search",
        "  Searches all of the documents that are known to it, the",
        "  newest ones first of all.",
        "    query  string  optional  Searches all of the documents",
        "                             that are known to it, the",
        "                             newest ones first of all.",
    ]


def test_a_table_in_a_narrow_terminal_has_descriptions_below() -> None:
    properties: Json = {"query": {"type": "string", "description": "What to look for"}}
    assert table([tool("search", properties)], width=40).splitlines() == [
        "search",
        "    query  string  optional",
        "        What to look for",
    ]


def test_a_table_spells_control_characters_out() -> None:
    properties: Json = {"a\x1b[2J": {"type": "string", "description": "x\x07y\n\tz"}}
    shown = table([tool("t\x1b]0;", properties, "d\x9b1m")], width=None)
    assert shown.splitlines() == [
        "t\\x1b]0;",
        "  d\\x9b1m",
        "    a\\x1b[2J  string  optional  x\\x07y",
        "                                \tz",
    ]


def test_a_server_without_tools_is_said_to_have_none() -> None:
    assert table([], width=None) == "The server has no tools."


@pytest.mark.parametrize(
    ("result", "output"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"content": [], "structuredContent": {"n": 1}}, '{\n  "n": 1\n}'),
        ({"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1]}, "[\n  1\n]"),
        ({"content": [{"type": "text", "text": "a"}], "structuredContent": None}, "a"),
        ({"content": []}, ""),
        (
            {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]},
            "[image, image/png, 3 bytes]",
        ),
        ({"content": [{"type": "resource_link", "uri": "file:///a", "name": "a"}]}, "file:///a"),
        (
            {"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "A"}}]},
            "A",
        ),
        (
            {"content": [{"type": "resource", "resource": {"uri": "file:///a", "blob": "AA=="}}]},
            "[resource file:///a]",
        ),
        (
            {
                "isError": True,
                "content": [{"type": "text", "text": "no"}],
                "structuredContent": {"n": 1},
            },
            "no",
        ),
        ({"isError": True, "content": [], "structuredContent": {"n": 1}}, '{\n  "n": 1\n}'),
    ],
)
def test_a_result_is_shown_as_its_structured_content_or_else_its_text(
    result: Json, output: str
) -> None:
    decoded = msgspec.json.decode(msgspec.json.encode(result), type=CallResult)
    assert result_text(decoded) == output


def test_numbers_are_shown_with_the_digits_that_were_sent() -> None:
    sent = b'{"content":[],"structuredContent":{"n":1.10,"m":12345678901234567890123456}}'
    decoded = msgspec.json.decode(sent, type=CallResult)
    assert result_text(decoded) == '{\n  "n": 1.10,\n  "m": 12345678901234567890123456\n}'


def test_output_that_nobody_reads_ends_the_command_quietly(official_sdk: list[str]) -> None:
    unread, output = os.pipe()
    os.close(unread)
    command = [sys.executable, "-P", "-m", "typedargs_server.cli", "tools", "--", *official_sdk]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, check=False)
    os.close(output)
    assert (done.returncode, done.stderr) == (1, b"")
