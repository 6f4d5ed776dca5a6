"""The client against servers that do as they are told: what it sends, and what it makes of it."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from typedargs_server.cli import _client, _process
from typedargs_server.cli._client import connect
from typedargs_server.eras import meta, versions

Typedargs = Callable[..., subprocess.CompletedProcess[str]]
Played = Callable[[Mapping[str, Sequence[Sequence[tuple[str, Any]]]]], Any]

NOT_FOUND = ("answer", {"error": {"code": -32601, "message": "Method not found"}})
DISCOVERED = ("answer", {"result": {"supportedVersions": [versions.MODERN]}})
SHAKEN = ("answer", {"result": {"protocolVersion": versions.LATEST_LEGACY}})
DONE = ("answer", {"result": {"content": [{"type": "text", "text": "done"}]}})
MODERN = {"server/discover": [[DISCOVERED]]}
LEGACY = {"server/discover": [[NOT_FOUND]], "initialize": [[SHAKEN]]}


def notification(method: str, params: Any) -> tuple[str, str]:
    return "write", json.dumps({"jsonrpc": "2.0", "method": method, "params": params}) + "\n"


def request(method: str) -> tuple[str, str]:
    return "write", json.dumps({"jsonrpc": "2.0", "id": "s1", "method": method}) + "\n"


def test_a_modern_server_is_told_revision_and_client_in_every_request(
    typedargs: Typedargs, played: Played
) -> None:
    server = played({**MODERN, "tools/call": [[DONE]]})
    done = typedargs("call", "go", "--", *server.command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    discover, call = server.received()
    for message in (discover, call):
        told = message["params"]["_meta"]
        assert told[meta.PROTOCOL_VERSION] == versions.MODERN
        assert told[meta.CLIENT_INFO]["name"] == "typedargs"
        assert told[meta.CLIENT_CAPABILITIES] == {}
    assert (discover["method"], call["method"]) == ("server/discover", "tools/call")
    assert call["params"]["_meta"][meta.LOG_LEVEL] == "info"
    assert (call["params"]["name"], call["params"]["arguments"]) == ("go", {})


def test_a_legacy_server_is_opened_by_the_handshake_and_told_nothing_modern(
    typedargs: Typedargs, played: Played
) -> None:
    server = played({**LEGACY, "tools/call": [[DONE]]})
    done = typedargs("call", "go", "--", *server.command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    _, initialize, initialized, call = server.received()
    assert initialize["params"]["protocolVersion"] == versions.LATEST_LEGACY
    assert initialize["params"]["clientInfo"]["name"] == "typedargs"
    assert initialized == {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}
    assert call["params"] == {"name": "go", "arguments": {}}


def test_a_server_that_takes_the_probe_for_the_end_is_started_again(
    typedargs: Typedargs, played: Played
) -> None:
    server = played(
        {"server/discover": [[("exit", 1)]], "initialize": [[SHAKEN]], "tools/call": [[DONE]]}
    )
    done = typedargs("call", "go", "--", *server.command)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr == (
        "the server ended at server/discover; starting it again with initialize\n"
    )


def test_a_server_that_ignores_the_probe_is_taken_for_a_legacy_one(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_client, "PROBE_TIMEOUT", 0.1)
    server = played({"initialize": [[SHAKEN]]})
    with connect(None, server.command, timeout=60):
        pass
    assert server.methods() == ["server/discover", "initialize", "notifications/initialized"]


@pytest.mark.parametrize(
    "refusal",
    [
        {"code": -32022, "message": "no", "data": {"supported": [versions.MODERN]}},
        {"code": -32601, "message": "Method not found"},
    ],
)
def test_a_modern_server_that_is_slow_to_start_stays_modern(
    played: Played, monkeypatch: pytest.MonkeyPatch, refusal: dict[str, Any]
) -> None:
    monkeypatch.setattr(_client, "PROBE_TIMEOUT", 0.1)
    late = [("read", None), DISCOVERED, ("answer what was read", {"error": refusal})]
    page = ("answer", {"result": {"tools": []}})
    server = played({"server/discover": [late], "tools/list": [[page]]})
    with connect(None, server.command, timeout=60) as client:
        assert client.tools() == []
    assert server.methods() == ["server/discover", "initialize", "tools/list"]
    assert meta.PROTOCOL_VERSION in server.received()[-1]["params"]["_meta"]


def test_a_legacy_server_that_chooses_an_unknown_revision_is_refused(
    typedargs: Typedargs, played: Played
) -> None:
    chosen = ("answer", {"result": {"protocolVersion": "1900-01-01"}})
    server = played({"server/discover": [[NOT_FOUND]], "initialize": [[chosen]]})
    done = typedargs("tools", "--", *server.command)
    assert done.returncode == 1
    assert done.stderr == (
        "typedargs tools: the server chose revision '1900-01-01' of the protocol; "
        f"this command speaks {', '.join(versions.SUPPORTED)}\n"
    )


def test_a_legacy_server_has_its_ping_answered_and_other_requests_refused(
    typedargs: Typedargs, played: Played
) -> None:
    asking = [request("ping"), ("read", None), request("roots/list"), ("read", None), DONE]
    server = played({**LEGACY, "tools/call": [asking]})
    assert typedargs("call", "go", "--", *server.command).stdout == "done\n"
    pong, refusal = server.received()[-2:]
    assert pong == {"jsonrpc": "2.0", "id": "s1", "result": {}}
    assert refusal == {
        "jsonrpc": "2.0",
        "id": "s1",
        "error": {"code": -32601, "message": "Method not found: roots/list"},
    }


def test_a_modern_server_gets_no_responses(typedargs: Typedargs, played: Played) -> None:
    server = played({**MODERN, "tools/call": [[request("ping"), DONE]]})
    done = typedargs("call", "go", "--", *server.command)
    assert done.stdout == "done\n"
    assert done.stderr == ("the server sent a request, ping, which its revision does not allow\n")
    assert server.methods() == ["server/discover", "tools/call"]


def test_log_messages_are_shown_on_stderr_and_other_notifications_are_not(
    typedargs: Typedargs, played: Played
) -> None:
    log = "notifications/message"
    calling = [
        notification(log, {"level": "info", "data": "half \x1b[31mway"}),
        notification(log, {"level": "error", "logger": "db", "data": {"tries": 3}}),
        notification(log, {"level": 3}),
        notification("notifications/progress", {"progressToken": 1, "progress": 1}),
        notification("notifications/tools/list_changed", {}),
        DONE,
    ]
    server = played({**MODERN, "tools/call": [calling]})
    done = typedargs("call", "go", "--", *server.command)
    assert done.stdout == "done\n"
    assert done.stderr == 'info: half \\x1b[31mway\nerror: db: {"tries": 3}\n'


def test_lines_that_are_no_messages_are_shown_and_passed_over(
    typedargs: Typedargs, played: Played
) -> None:
    noise = ["Server ready!\n", "\n", '{"level": "info"}\n', "[]\n", "[" * 100_000 + "\n"]
    server = played({**MODERN, "tools/call": [[*(("write", line) for line in noise), DONE]]})
    done = typedargs("call", "go", "--", *server.command)
    assert (done.returncode, done.stdout) == (0, "done\n")
    said = "the server wrote a line to stdout that is no message: "
    shown = ["Server ready!", '{"level": "info"}', "[]", "[" * 199 + "…"]
    assert done.stderr.splitlines() == [said + line for line in shown]


def test_all_pages_of_tools_are_read_and_an_empty_cursor_is_one(
    typedargs: Typedargs, played: Played
) -> None:
    pages = [
        {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": ""},
        {"tools": [], "nextCursor": "2"},
        {"tools": [{"name": "b"}], "nextCursor": None},
    ]
    server = played({**MODERN, "tools/list": [[("answer", {"result": page})] for page in pages]})
    done = typedargs("tools", "--", *server.command)
    assert done.stdout == "a\n    (no declared arguments)\n\nb\n    (no declared arguments)\n"
    assert [each["params"].get("cursor") for each in server.received()[1:]] == [None, "", "2"]


def test_a_list_of_tools_that_goes_round_in_circles_is_an_error(
    typedargs: Typedargs, played: Played
) -> None:
    server = played(
        {**MODERN, "tools/list": [[("answer", {"result": {"tools": [], "nextCursor": "x"}})]]}
    )
    done = typedargs("tools", "--", *server.command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "typedargs tools: the server's list of tools never ends: page 'x' again\n"
    )


@pytest.mark.parametrize(
    ("play", "message"),
    [
        (
            [("answer", {"error": {"code": -32602, "message": "Unknown tool: go", "data": [1]}})],
            "tools/call failed: Unknown tool: go (error -32602)\n[1]",
        ),
        (
            [("write", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"What?"}}\n')],
            "tools/call failed: What? (error -32700)",
        ),
        (
            [("report", "Fatal: no disk"), ("exit", 3)],
            "the server ended, exit status 3, before it answered tools/call; "
            "what it reported, if anything, stands above",
        ),
        (
            [("answer", {"result": {"content": "no list"}})],
            "the server's result of tools/call is malformed: "
            "Expected `array`, got `str` - at `$.content`",
        ),
        (
            [("answer", {"result": {"resultType": "dream", "content": []}})],
            "the server sent a result of type 'dream'",
        ),
        (
            [
                (
                    "answer",
                    {
                        "result": {
                            "resultType": "input_required",
                            "inputRequests": {"name": {"method": "elicitation/create"}},
                            "requestState": "s",
                        }
                    },
                )
            ],
            "the tool asks for further input, which this command cannot give: name",
        ),
    ],
)
def test_a_call_that_the_server_fails_exits_with_1_and_says_how(
    typedargs: Typedargs, played: Played, play: list[tuple[str, Any]], message: str
) -> None:
    server = played({**MODERN, "tools/call": [play]})
    done = typedargs("call", "go", "--", *server.command)
    assert (done.returncode, done.stdout) == (1, "")
    reported = [value for action, value in play if action == "report"]
    assert done.stderr == "\n".join([*reported, f"typedargs call: {message}", ""])


def test_a_server_that_wants_its_state_back_gets_it(typedargs: Typedargs, played: Played) -> None:
    busy = ("answer", {"result": {"resultType": "input_required", "requestState": "s1"}})
    server = played({**MODERN, "tools/call": [[busy], [DONE]]})
    assert typedargs("call", "go", "--", *server.command).stdout == "done\n"
    _, first, second = server.received()
    assert "requestState" not in first["params"]
    assert second["params"]["requestState"] == "s1"
    assert first["id"] != second["id"]


def test_a_call_that_takes_too_long_is_cancelled(played: Played) -> None:
    server = played({**MODERN, "tools/call": [[]]})
    with connect(None, server.command, timeout=60) as client:
        client._timeout = 0.1
        with pytest.raises(_client.CommandError) as caught:
            client.call("go", _client.Raw(b"{}"))
    assert str(caught.value) == (
        "the server did not answer tools/call within 0.1 seconds (--timeout allows more)"
    )
    call, cancelled = server.received()[1:]
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"] == {"requestId": call["id"]}


def test_a_server_that_never_answers_is_given_up(typedargs: Typedargs, played: Played) -> None:
    done = typedargs("tools", "--timeout", "0.2", "--", *played({}).command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "typedargs tools: the server did not answer initialize within 0.2 seconds "
        "(--timeout allows more)\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_server_that_will_not_leave_is_killed(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_process, "GRACE", 0.2)
    outliving = ("outlive everything", DISCOVERED[1])
    server = played({"server/discover": [[outliving]]})
    with connect(None, server.command, timeout=60) as client:
        process = client._process._process
    assert process.returncode == -9


def test_a_command_that_cannot_be_started_is_named(typedargs: Typedargs) -> None:
    done = typedargs("tools", "--", "no-such-command", "--flag")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("typedargs tools: cannot start 'no-such-command': ")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupted_call_is_cancelled_and_exits_with_130(played: Played) -> None:
    server = played({**MODERN, "tools/call": [[("report", "called"), ("read", None)]]})
    command = [sys.executable, "-P", "-m", "typedargs_server.cli", "call", "go", "--"]
    with subprocess.Popen([*command, *server.command], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"called\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 130
    assert server.methods() == ["server/discover", "tools/call", "notifications/cancelled"]


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_what_a_command_starts_ends_with_it(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_process, "GRACE", 0.2)
    server = played({"server/discover": [[("outlive everything", DISCOVERED[1])]]})
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    # The read ends when no process of the tree holds the other end of the fifo any more.
    script = f"exec 9>{shlex.quote(str(fifo))}; {shlex.join(server.command)}; true"
    alive = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with connect(None, ["sh", "-c", script], timeout=60), pytest.raises(BlockingIOError):
        os.read(alive, 1)
    os.set_blocking(alive, True)
    assert os.read(alive, 1) == b""
    os.close(alive)
