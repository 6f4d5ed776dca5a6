"""`typedargs run`: finding the server in a user's file, and loading it without disturbing it."""

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from typedargs_server.cli._load import split_target
from typedargs_server.eras import meta, versions

Typedargs = Callable[..., subprocess.CompletedProcess[str]]

IMPORT = "from typedargs_server import MCPServer\n"
ONE = f'{IMPORT}server = MCPServer("one", version="1")\n'
DISCOVER = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "server/discover",
            "params": {
                "_meta": {
                    meta.PROTOCOL_VERSION: versions.MODERN,
                    meta.CLIENT_CAPABILITIES: {},
                }
            },
        }
    )
    + "\n"
)


def name_of(stdout: str) -> str:
    """The name of the server that answered DISCOVER, and nothing else, on `stdout`."""
    (line,) = stdout.splitlines()
    return json.loads(line)["result"]["_meta"][meta.SERVER_INFO]["name"]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (ONE, "tools.py"),
        (ONE, "tools"),
        (ONE, "./tools.py"),
        (ONE + "same = server\n", "tools.py"),
        (ONE + 'other = MCPServer("two", version="1")\n', "tools.py:server"),
        (ONE + 'other = MCPServer("two", version="1")\n', "tools:server"),
        (f'{IMPORT}class app:\n    server = MCPServer("one", version="1")\n', "tools:app.server"),
        (ONE + 'if __name__ == "__main__":\n    raise SystemExit("main")\n', "tools.py"),
        ("import pickle\n" + ONE + "class A: pass\npickle.dumps(A())\n", "tools.py"),
    ],
)
def test_the_server_of_a_file_or_module_is_served(
    typedargs: Typedargs, tmp_path: Path, source: str, target: str
) -> None:
    (tmp_path / "tools.py").write_text(source)
    done = typedargs("run", target, stdin=DISCOVER)
    assert (done.returncode, done.stderr) == (0, "")
    assert name_of(done.stdout) == "one"


@pytest.mark.parametrize("name", ["my-tools.py", "types.py", "typedargs_server.py", "server"])
def test_a_file_is_served_whatever_its_name(
    typedargs: Typedargs, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(ONE)
    assert name_of(typedargs("run", name, stdin=DISCOVER).stdout) == "one"


def test_a_file_may_import_its_neighbours(typedargs: Typedargs, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "neighbour.py").write_text(ONE)
    (tmp_path / "folder" / "tools.py").write_text("from neighbour import server\n")
    assert name_of(typedargs("run", "folder/tools.py", stdin=DISCOVER).stdout) == "one"


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (ONE, "absent.py", "there is no file absent.py"),
        (ONE, "./absent", "there is no file ./absent"),
        (ONE, "absent.py:server", "there is no file absent.py"),
        (ONE, "absent", "there is no file and no module named absent"),
        (ONE, "absent.part", "there is no file and no module named absent.part"),
        (ONE, "tools.part", "there is no file and no module named tools.part"),
        (
            "app = 1\n",
            "tools.py",
            "tools.py has no MCPServer among its globals; FILE:OBJECT names one that is "
            "elsewhere, such as tools.py:app.server",
        ),
        (
            ONE + 'other = MCPServer("two", version="1")\n',
            "tools.py",
            "tools.py has 2 servers; name one as FILE:OBJECT: tools.py:server, tools.py:other",
        ),
        (
            ONE,
            "tools:app",
            "tools has no app; name one as FILE:OBJECT: tools:server",
        ),
        (
            ONE,
            "tools.py:MCPServer",
            "tools.py:MCPServer is of type type, not MCPServer; "
            "name one as FILE:OBJECT: tools.py:server",
        ),
    ],
)
def test_a_file_without_the_server_meant_exits_with_2_and_says_how_to_name_it(
    typedargs: Typedargs, tmp_path: Path, source: str, target: str, message: str
) -> None:
    (tmp_path / "tools.py").write_text(source)
    done = typedargs("run", target, stdin=DISCOVER)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"typedargs run: {message}\n"


def test_a_file_that_fails_shows_its_own_traceback_only(
    typedargs: Typedargs, tmp_path: Path
) -> None:
    path = tmp_path / "tools.py"
    path.write_text("import absent_module\n")
    done = typedargs("run", "tools.py", stdin=DISCOVER)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{path.resolve()}", line 1, in <module>',
        "    import absent_module",
        "ModuleNotFoundError: No module named 'absent_module'",
        "typedargs run: tools.py could not be loaded",
    ]


def test_a_file_with_a_syntax_error_shows_where(typedargs: Typedargs, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("def (\n")
    done = typedargs("run", "tools.py", stdin=DISCOVER)
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 1" in done.stderr.splitlines()[0]
    assert done.stderr.splitlines()[-1] == "typedargs run: tools.py could not be loaded"


def test_a_file_that_leaves_while_it_is_loaded_is_told_about_main(
    typedargs: Typedargs, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text("import sys\nsys.exit(0)\n")
    done = typedargs("run", "tools.py", stdin=DISCOVER)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "typedargs run: tools.py left by sys.exit(0) while it was loaded; what is to happen only "
        'when it is started as a script belongs under `if __name__ == "__main__":`\n'
    )


PRINTING = """
import os, subprocess, sys
print("printed")
os.write(1, b"written\\n")
subprocess.run([sys.executable, "-c", "print('from a child')"])
"""


def test_what_a_file_prints_while_it_is_loaded_goes_to_stderr(
    typedargs: Typedargs, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text(PRINTING + ONE)
    done = typedargs("run", "tools.py", stdin=DISCOVER)
    assert name_of(done.stdout) == "one"
    assert sorted(done.stderr.splitlines()) == ["from a child", "printed", "written"]


def test_a_file_that_reads_stdin_while_it_is_loaded_takes_no_message_away(
    typedargs: Typedargs, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text("import sys\nassert sys.stdin.read() == ''\n" + ONE)
    done = typedargs("run", "tools.py", stdin=DISCOVER)
    assert name_of(done.stdout) == "one"


def test_a_file_that_forgets_to_guard_run_is_served_all_the_same(
    typedargs: Typedargs, tmp_path: Path
) -> None:
    (tmp_path / "tools.py").write_text(ONE + "server.run()\n")
    assert name_of(typedargs("run", "tools.py", stdin=DISCOVER).stdout) == "one"


def test_serving_does_not_load_the_client(typedargs: Typedargs, tmp_path: Path) -> None:
    source = "import sys\nprint(*(name for name in sys.modules if '.cli' in name))\n"
    (tmp_path / "tools.py").write_text(source + ONE)
    loaded = typedargs("run", "tools.py", stdin=DISCOVER).stderr.split()
    assert sorted(loaded) == [
        "typedargs_server.cli",
        "typedargs_server.cli._errors",
        "typedargs_server.cli._load",
    ]


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("tools.py", ("tools.py", "")),
        ("tools.py:server", ("tools.py", "server")),
        ("package.tools:app.server", ("package.tools", "app.server")),
        ("/a/b:c/tools.py", ("/a/b:c/tools.py", "")),
        ("/a/b:c/tools.py:server", ("/a/b:c/tools.py", "server")),
        (r"C:\tools.py", (r"C:\tools.py", "")),
        (r"C:\tools.py:server", (r"C:\tools.py", "server")),
        ("tools.py:", ("tools.py:", "")),
        (":server", (":server", "")),
    ],
)
def test_a_target_is_split_at_its_last_colon_before_a_name(
    target: str, parts: tuple[str, str]
) -> None:
    assert split_target(target) == parts


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "99999", "--http"], "expected a port, from 0 to 65535, got '99999'"),
        (["--port", "8000"], "--host, --port and --allow-host are for --http"),
        (["--host", ""], "--host, --port and --allow-host are for --http"),
        (["--allow-host", "a"], "--host, --port and --allow-host are for --http"),
    ],
)
def test_what_is_for_http_is_refused_where_it_is_not_meant(
    typedargs: Typedargs, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "tools.py").write_text(ONE)
    done = typedargs("run", *words, "tools.py")
    assert done.returncode == 2
    assert said in done.stderr


def test_a_file_is_served_by_http_under_the_names_allowed(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(ONE)
    command = [sys.executable, "-m", "typedargs_server.cli", "run", "--http", "--port", "0"]
    with subprocess.Popen(
        [*command, "--allow-host", "tools.example", "tools.py"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(r"one serves MCP at http://127\.0\.0\.1:([0-9]+)/mcp\n", line)
        assert found is not None, line
        answers = {}
        for host in ("tools.example", "other.example"):
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
            headers = {
                "Host": host,
                "Content-Type": "application/json",
                "MCP-Protocol-Version": versions.MODERN,
                "Mcp-Method": "server/discover",
            }
            connection.request("POST", "/mcp", DISCOVER, headers)
            response = connection.getresponse()
            answers[host] = response.status
            if response.status == 200:
                assert name_of(response.read().decode()) == "one"
            connection.close()
        process.send_signal(signal.SIGTERM)
    assert answers == {"tools.example": 200, "other.example": 403}
    assert process.returncode == 0
