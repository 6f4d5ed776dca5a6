"""`typedargs schema`, `diff` and `check` as a user meets them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Typedargs = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def lock(typedargs: Typedargs, calculator: Path, tmp_path: Path) -> Path:
    """The lock of the calculator."""
    path = tmp_path / "tools.lock.json"
    path.write_text(typedargs("schema", calculator).stdout)
    return path


def test_the_tools_of_a_file_are_printed_as_a_lock(
    typedargs: Typedargs, calculator: Path, lock: Path
) -> None:
    document = json.loads(lock.read_text())
    assert document["lockVersion"] == 1
    assert [tool["name"] for tool in document["tools"]] == ["add"]
    assert typedargs("schema", calculator).stdout == lock.read_text()


def test_a_lock_is_the_same_from_the_file_and_from_the_server_that_runs(
    typedargs: Typedargs, calculator: Path, lock: Path
) -> None:
    command = [sys.executable, "-P", "-m", "typedargs_server.cli", "run", str(calculator)]
    assert typedargs("schema", "--", *command).stdout == lock.read_text()


def test_the_tools_of_another_library_are_locked_and_compared(
    typedargs: Typedargs, official_sdk: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "other.json"
    other.write_text(typedargs("schema", "--", *official_sdk).stdout)
    same = typedargs("diff", other, "--", *official_sdk)
    assert (same.returncode, same.stdout) == (0, "No changes.\n")


def test_no_lifespan_is_entered_for_a_lock(typedargs: Typedargs, tmp_path: Path) -> None:
    file = tmp_path / "costly.py"
    file.write_text(
        "from typedargs_server import MCPServer\n"
        "def lifespan(server): raise OSError('no database')\n"
        "server = MCPServer('s', lifespan=lifespan)\n"
    )
    done = typedargs("schema", file)
    assert (done.returncode, json.loads(done.stdout)["tools"]) == (0, [])


def test_a_lock_is_utf_8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    file = tmp_path / "sizes.py"
    file.write_text(
        "from typedargs_server import MCPServer\n"
        "server = MCPServer('s')\n"
        "server.register_tool('t', 'Größe', {'type': 'object'}, lambda args: '')\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "typedargs_server.cli", "schema", str(file)],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert "Größe" in done.stdout.decode()


def test_what_breaks_is_told_with_exit_status_1(
    typedargs: Typedargs, calculator: Path, lock: Path
) -> None:
    source = calculator.read_text()
    calculator.write_text(
        source.replace("class SumResult", "    digits = Double()\n\nclass SumResult")
    )
    done = typedargs("diff", lock, calculator)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "add\n  breaks callers  input.digits  added, and required\n\n1 breaking\n"
    )
    data = json.loads(typedargs("diff", "--json", lock, calculator).stdout)
    assert data["breaks"] is True
    assert [change["at"] for change in data["changes"]] == ["input.digits"]


def test_what_is_compatible_is_told_with_exit_status_0(
    typedargs: Typedargs, calculator: Path, lock: Path
) -> None:
    calculator.write_text(calculator.read_text().replace("Add two numbers", "Add numbers"))
    done = typedargs("diff", lock, calculator)
    assert (done.returncode, done.stdout) == (
        0,
        "add\n  compatible  description  changed\n\n1 compatible\n",
    )


def test_what_may_break_is_a_break_unless_one_is_lenient(
    typedargs: Typedargs, lock: Path, tmp_path: Path
) -> None:
    document = json.loads(lock.read_text())
    document["tools"][0]["inputSchema"]["properties"]["a"]["default"] = 1
    older = tmp_path / "older.json"
    older.write_text(json.dumps(document))
    strict, lenient = typedargs("diff", older, lock), typedargs("diff", "--lenient", older, lock)
    assert (strict.returncode, lenient.returncode) == (1, 0)
    assert strict.stdout == lenient.stdout
    assert strict.stdout == (
        "add\n  may break callers  input.a  default 1 removed\n\n1 may break\n"
    )


def test_a_file_that_all_take_passes_the_check(typedargs: Typedargs, calculator: Path) -> None:
    done = typedargs("check", calculator)
    assert (done.returncode, done.stdout) == (
        0,
        "Nothing is known to be refused, dropped or ignored in 1 tool.\n",
    )


def test_what_is_refused_is_told_with_exit_status_1(
    typedargs: Typedargs, official_sdk: list[str]
) -> None:
    done = typedargs("check", "--for", "gemini", "--", *official_sdk)
    assert done.returncode == 1
    assert done.stdout == (
        "add\n"
        "  refused  gemini/any-of   /properties/note/anyOf beside default, title\n"
        "  ignored  gemini/default  /properties/rounding/default, /properties/note/default\n"
        "\n"
        "plain=True would not show:\n"
        "  add  /properties/note/anyOf/1 type: null is taken, and not shown\n"
        "\n"
        "gemini/any-of: anyOf with keywords beside it\n"
        "  reported: 400 of Vertex: When using any_of, it must be the only field set\n"
        "  https://github.com/patlux/pi-commandcode-provider/pull/103\n"
        "gemini/default: default\n"
        "  known: included here and ignored so that developers who send schemas with a default "
        "field don't get unknown-field errors\n"
        "  https://hexdocs.pm/geminix/Geminix.V1beta.Schema.html\n"
    )


def test_a_check_for_machines_is_json(typedargs: Typedargs, calculator: Path) -> None:
    done = typedargs("check", calculator, "--for", "openai-strict,vscode", "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["refused"]) == (1, True)
    assert [finding["rule"] for finding in data["findings"]] == ["openai-strict/open-object"]


PLAIN = """
from typedargs import MCPArgs, String
from typedargs_server import MCPServer

class Args(MCPArgs, extra="forbid"):
    text = String()

server = MCPServer("s"{options})

@server.tool("t", "T")
def t(args: Args) -> str:
    return args.text
"""


@pytest.mark.parametrize(
    ("options", "status", "heading"),
    [
        ("", 1, "plain=True would not show:"),
        (", plain=True", 0, "Shown in the plain form, without:"),
    ],
)
def test_the_check_says_what_the_plain_form_loses(
    typedargs: Typedargs, tmp_path: Path, options: str, status: int, heading: str
) -> None:
    file = tmp_path / "plain.py"
    file.write_text(PLAIN.format(options=options))
    done = typedargs("check", file)
    assert done.returncode == status
    assert f"{heading}\n  t  / additionalProperties: said in the description\n" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["schema"], "typedargs schema: error: expected FILE"),
        (["schema", "absent.py"], "typedargs schema: there is no file absent.py"),
        (["diff"], "typedargs diff: error: expected OLD and NEW"),
        (["diff", "a.json"], "typedargs diff: error: expected NEW"),
        (["diff", "--", "npx"], "typedargs diff: error: expected OLD"),
        (["diff", "a.json", "b.json", "c"], "typedargs diff: error: did not expect 'c'"),
        (
            ["diff", "a.json", "b.json"],
            "typedargs diff: a.json cannot be read: No such file or directory",
        ),
        (
            ["check", "--for", "openai,bard", "a.json"],
            "typedargs check: nothing is known of 'bard'; known are: openai, anthropic, gemini, "
            "vscode, openai-strict, anthropic-strict",
        ),
        (
            ["check", "--for", ",", "a.json"],
            "typedargs check: --for expects some of: openai, anthropic, gemini, vscode, "
            "openai-strict, anthropic-strict",
        ),
    ],
)
def test_a_wrong_command_line_exits_with_2_and_says_what_is_wrong(
    typedargs: Typedargs, words: list[str], message: str
) -> None:
    done = typedargs(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == message


def test_a_file_that_is_no_lock_is_said_to_be_none(typedargs: Typedargs, lock: Path) -> None:
    lock.write_text("{}")
    done = typedargs("diff", lock, lock)
    assert (done.returncode, done.stderr) == (
        2,
        f"typedargs diff: {lock}: it has no lockVersion; `typedargs schema` makes such a file\n",
    )
