"""What a client on stdio gets for what it sends, from servers that run as processes.

The answers are compared byte for byte where their text is this project's own.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.server.support import encoded, initialize_params, notification, request
from tests.server.transports.process import (
    PING,
    PONG,
    Served,
    answer,
    call,
    everything,
    failure,
)
from typedargs_server import Limits
from typedargs_server.eras import versions

NOT_JSON = b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: '
TOO_LONG = (
    b'{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: the message is longer '
    b"than %d bytes, this server's limit\"}}\n"
)
TOO_DEEP = NOT_JSON + b'the JSON is nested too deeply"}}\n'
NOT_UTF8 = NOT_JSON + b'the line is not UTF-8"}}\n'
MIB = 1 << 20


def deep(levels: int) -> bytes:
    """A call whose argument is nested arrays."""
    nested = b"[" * levels + b"]" * levels
    return call(1, "say", text="@").replace(b'"@"', nested)


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        pytest.param(PING.replace(b"\n", b"\r\n") * 2, [PONG] * 2, id="CRLF"),
        pytest.param(b"\n\r\n  \n" + PING + b"\n", [PONG], id="blank lines"),
        pytest.param(PING + PING.rstrip(), [PONG] * 2, id="a last line without its end"),
        pytest.param(b"\xef\xbb\xbf" + PING, [PONG], id="a BOM"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n", [], id="one blank line"),
        pytest.param(deep(100_000) + PING, [TOO_DEEP, PONG], id="100,000 nested arrays"),
        pytest.param(
            call(1, "say", text="@").replace(b"@", b"\xff") + PING,
            [NOT_UTF8, PONG],
            id="invalid UTF-8",
        ),
        pytest.param(
            PING.replace(b"}", b',"unread":"\xff"}') + PING,
            [NOT_UTF8, PONG],
            id="invalid UTF-8 where nobody reads it",
        ),
        pytest.param(b"[" * 100_000 + b"\n" + PING, [TOO_DEEP, PONG], id="100,000 open arrays"),
        pytest.param(
            call(1, "say", text="\u2028\u2029\x85\ud83d\ude00\0"),
            [answer(1, "@").replace(b"@", "\u2028\u2029\x85\U0001f600\\u0000".encode())],
            id="characters that are line ends elsewhere",
        ),
        pytest.param(
            call(1, "nothing"),
            [
                b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,'
                b'"message":"Unknown tool: nothing"}}\n'
            ],
            id="an unknown tool",
        ),
    ],
)
def test_what_comes_in_is_answered(backend: str, sent: bytes, received: list[bytes]) -> None:
    with Served(everything(backend)) as served:
        served.send(sent)
        served.close_input()
        assert served.lines() == received
        assert served.ends() == ["lifespan: entering", "lifespan: left"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"hello", id="no JSON"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"ping"', id="half a message"),
        pytest.param(PING.strip() + b" " + PING.strip(), id="two messages in a line"),
        pytest.param(PING.decode().strip().encode("utf-16-le"), id="UTF-16"),
        pytest.param(b"\x00", id="a zero byte"),
    ],
)
def test_a_line_that_is_no_json_is_refused_and_the_next_one_is_served(
    backend: str, line: bytes
) -> None:
    with Served(everything(backend)) as served:
        served.send(line + b"\n" + PING)
        refusal = served.line()
        assert refusal.startswith(NOT_JSON)
        assert refusal.endswith(b'"}}\n')
        assert served.line() == PONG


@pytest.mark.parametrize(
    ("value", "name"), [(float("nan"), "NaN"), (float("-inf"), "-Infinity")], ids=str
)
def test_a_constant_that_is_no_json_is_refused_under_the_id_of_its_call(
    backend: str, value: float, name: str
) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "number", value=value), PING)
        assert served.line() == (
            b'{"jsonrpc":"2.0","id":1,"error":{"code":-32700,'
            b'"message":"Parse error: %b is not JSON"}}\n' % name.encode()
        )
        assert served.line() == PONG


@pytest.mark.parametrize("number", ["1e400", "-1e1000000", "1e1000000000000000000"])
def test_a_number_beyond_all_range_is_a_fault_of_its_argument(backend: str, number: str) -> None:
    line = call(1, "number", value=0).replace(b'"value": 0', b'"value": %b' % number.encode())
    with Served(everything(backend)) as served:
        served.send(line, PING)
        result = json.loads(served.line())["result"]
        assert result["isError"]
        assert [fault["path"] for fault in result["_meta"]["typedargs/faults"]] == ["value"]
        assert served.line() == PONG


@pytest.mark.parametrize(
    "line",
    [
        b"[1e1000000000000000000]\n",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e1000000000000000000}}\n',
    ],
)
def test_a_number_beyond_all_range_ends_no_server(backend: str, line: bytes) -> None:
    with Served(everything(backend)) as served:
        served.send(line, PING)
        assert served.line() != PONG
        assert served.line() == PONG


@pytest.mark.parametrize("limit", [MIB, Limits().max_message_bytes])
def test_a_line_of_50_mb_is_refused_and_not_kept_in_memory(backend: str, limit: int) -> None:
    with Served(everything(backend, limits={"max_message_bytes": limit})) as served:
        served.send(PING)
        assert served.line() == PONG
        before = served.peak_memory()
        for _ in range(50):
            served.send(b"x" * MIB)
        served.send(b"\n", PING)
        assert served.line() == TOO_LONG % limit
        assert served.line() == PONG
        assert served.peak_memory() - before < limit * 1.25 + 4 * MIB


def test_what_handlers_and_their_children_print_goes_to_stderr(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "prints"))
        assert served.line() == answer(1, "printed")
        served.told("printed by the handler")
        served.told("printed by its child")


def test_handlers_and_their_children_read_the_end_of_file(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "reads"), PING)
        answers = {served.line(), served.line()}
        assert answers == {answer(1, "end of file; the child read 0 characters"), PONG}


@pytest.mark.parametrize("tool", ["fail_in_thread", "fail_inline", "fail_async"])
def test_no_exception_of_a_handler_ends_the_server(backend: str, tool: str) -> None:
    text = f'Tool "{tool}" failed. The server\'s log says why.'
    with Served(everything(backend)) as served:
        for how in ("exit", "interrupt", "pipe", "blocking", "descriptors", "end", "stop"):
            served.send(call(how, tool, how=how))
            assert served.line() == failure(how, text, "internal_error", retryable=False)
        served.send(PING)
        assert served.line() == PONG
        served.close_input()
        served.ends()


def test_every_call_of_a_file_is_answered(backend: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    lines = [call(n, "say", text=str(n)) for n in range(100)] + [call("last", "second")]
    calls.write_bytes(b"".join(lines))
    with calls.open("rb") as file, Served(everything(backend), stdin=file) as served:
        served.expect(calls.read_bytes())
        *quick, slow = served.lines()
        assert sorted(quick) == sorted(answer(n, str(n)) for n in range(100))
        assert slow == answer("last", "a second later")
        assert served.ends() == ["lifespan: entering", "lifespan: left"]


def test_the_calls_of_a_file_wait_for_each_other(backend: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_bytes(b"".join(call(n, "say_in_thread", text=str(n)) for n in range(100)))
    settings = {"limits": {"max_concurrent_calls": 3}}
    with calls.open("rb") as file, Served(everything(backend, **settings), stdin=file) as served:
        served.expect(calls.read_bytes())
        assert sorted(served.lines()) == sorted(answer(n, str(n)) for n in range(100))
        served.ends()


def test_answers_can_go_into_a_file(backend: str, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    with output.open("wb") as file, Served(everything(backend), stdout=file) as served:
        served.send(call(1, "say", text="x"), call(2, "large", size=MIB), call(3, "prints"))
        served.close_input()
        served.ends()
    answers = sorted(output.read_bytes().splitlines(keepends=True))
    assert answers == [answer(1, "x"), answer(2, "x" * MIB), answer(3, "printed")]


def test_an_empty_input_is_served_to_its_end(backend: str) -> None:
    with Served(everything(backend), stdin=subprocess.DEVNULL) as served:
        assert served.lines() == []
        assert served.ends() == ["lifespan: entering", "lifespan: left"]


def test_one_socket_can_be_both_input_and_output(backend: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Served(everything(backend), stdin=theirs, stdout=theirs) as served:
        theirs.close()
        ours.settimeout(20)
        ours.sendall(call(1, "say", text="x") + PING)
        ours.shutdown(socket.SHUT_WR)
        data = b"".join(iter(lambda: ours.recv(1 << 16), b""))
        assert {*data.splitlines(keepends=True)} == {answer(1, "x"), PONG}
        assert served.ends() == ["lifespan: entering", "lifespan: left"]


def test_a_client_that_drops_its_socket_ends_the_server_quietly(backend: str) -> None:
    ours, theirs = socket.socketpair()
    with theirs, Served(everything(backend), stdin=theirs, stdout=theirs) as served:
        theirs.close()
        ours.sendall(call(1, "wait"))
        served.told("wait: running")
        ours.sendall(PING)
        with ours.makefile("rb") as answers:
            assert answers.readline() == PONG
        ours.sendall(PING)
        ours.recv(1, socket.MSG_PEEK)  # what is unread makes closing a reset of the connection
        ours.close()
        served.told("wait: ended")
        served.ends()
        assert served.stderr == [
            "lifespan: entering",
            "wait: running",
            "wait: ended",
            "lifespan: left",
        ]


def test_a_client_that_reads_no_more_ends_the_server_quietly(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "wait"))
        served.told("wait: running")
        assert served.process.stdout is not None
        served.process.stdout.close()
        served.send(PING)
        assert served.ends() == [
            "lifespan: entering",
            "wait: running",
            "wait: ended",
            "lifespan: left",
        ]


@pytest.mark.parametrize("limit", [1 << 16, Limits().max_waiting_bytes])
def test_a_client_may_send_100000_requests_before_it_reads(backend: str, limit: int) -> None:
    """Up to `max_waiting_bytes` of answers; beyond, the server reads on when the client does."""
    with Served(everything(backend, limits={"max_waiting_bytes": limit})) as served:
        assert served.process.stdin is not None
        stdin = served.process.stdin.fileno()

        def send() -> None:
            view = memoryview(PING * 100_000)
            while view:
                view = view[os.write(stdin, view) :]

        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        if limit > len(PONG) * 100_000:
            sending.join()
        received = 0
        while received < len(PONG) * 100_000:
            chunk = served.read()
            start = received % len(PONG)
            assert chunk == (PONG * (len(chunk) // len(PONG) + 2))[start : start + len(chunk)]
            received += len(chunk)
        sending.join()
        served.close_input()
        assert served.lines() == []
        served.ends()


@pytest.mark.parametrize("tool", ["large", "large_directly"])
def test_answers_that_nobody_reads_are_bounded(backend: str, tool: str) -> None:
    with Served(everything(backend, limits={"max_waiting_bytes": 1})) as served:
        served.send(PING)
        assert served.line() == PONG
        before = served.peak_memory()
        served.send(b"".join(call(n, tool, size=MIB) for n in range(100)))
        for n in range(100):
            assert served.line() == answer(n, "x" * MIB)
        assert served.peak_memory() - before < 20 * MIB


@pytest.mark.parametrize("tool", ["reports", "reports_in_thread"])
def test_progress_that_nobody_reads_is_waited_for(backend: str, tool: str) -> None:
    params = {"name": tool, "arguments": {"times": 100}}
    line = request(1, "tools/call", params, revision=versions.MODERN, progressToken="p")
    with Served(everything(backend, limits={"max_waiting_bytes": 1})) as served:
        served.send(PING)
        assert served.line() == PONG
        before = served.peak_memory()
        served.send(encoded(line) + b"\n")
        for done in range(100):
            assert json.loads(served.line())["params"]["progress"] == done
        assert b'"reported"' in served.line()
        assert served.peak_memory() - before < 20 * MIB


@pytest.mark.parametrize("limit", [1, MIB])
def test_calls_that_write_without_end_keep_no_other_from_being_read(
    backend: str, limit: int
) -> None:
    limits = {"max_waiting_bytes": limit, "drain_seconds": 0.1}
    with Served(everything(backend, limits=limits)) as served:
        for n in range(4):
            params = {"name": "floods", "arguments": {}}
            line = request(n, "tools/call", params, revision=versions.MODERN, progressToken=n)
            served.send(encoded(line) + b"\n")
        for _ in range(1000):
            served.line()
        served.send(call("say", "say", text="x"))
        while served.line() != answer("say", "x"):
            pass
        served.close_input()
        while served.line():
            pass
        served.ends()


def test_a_large_answer_to_a_slow_reader_stays_whole(backend: str) -> None:
    size = 10 * MIB
    with Served(everything(backend)) as served:
        served.send(call(1, "large", size=size))
        first = served.read()
        served.send(PING, call(2, "say", text="x"))
        served.close_input()
        rest = b"".join(iter(served.read, b""))
        assert first + rest == answer(1, "x" * size) + PONG + answer(2, "x")
        served.ends()


@pytest.mark.parametrize("tool", ["say", "say_directly", "say_in_thread"])
def test_1000_calls_at_once_are_answered_in_full(backend: str, tool: str) -> None:
    with Served(everything(backend)) as served:
        calls = b"".join(call(n, tool, text=f"text {n}") for n in range(1000))
        served.expect(calls)
        sending = threading.Thread(target=served.send, args=[calls])
        sending.start()
        answers = [served.line() for _ in range(1000)]
        sending.join()
        assert sorted(answers) == sorted(answer(n, f"text {n}") for n in range(1000))


@pytest.mark.parametrize("tool", ["say", "say_directly"])
def test_the_answers_to_calls_that_come_in_one_piece_go_out_in_one_piece(
    backend: str, tool: str
) -> None:
    with Served(everything(backend, held_seconds=60)) as served:
        for lot in range(20):
            ids = range(lot * 10, lot * 10 + 10)
            piece = b"".join(call(n, tool, text="x") for n in ids)
            assert len(piece) <= select.PIPE_BUF  # else a pipe may give it in several
            served.send(piece)
            assert served.read() == b"".join(answer(n, "x") for n in ids)


def test_a_call_that_runs_has_its_turn_among_those_of_one_piece(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call("first", "yields"), b"".join(call(n, "naps") for n in range(50)))
        answers = [served.line() for _ in range(51)]
        assert answers.index(answer("first", "yielded")) < 25


def test_answers_do_not_wait_for_long_for_those_of_the_same_piece(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "naps") + call(2, "naps") + call(3, "loop"))
        assert [served.line(), served.line()] == [answer(1, "awake"), answer(2, "awake")]


def test_calls_at_once_are_bounded_and_the_next_one_has_room_when_one_is_cancelled(
    backend: str,
) -> None:
    with Served(everything(backend, limits={"max_concurrent_calls": 2})) as served:
        served.send(call(1, "wait"), call(2, "wait"), call(3, "say", text="x"))
        busy = "The server is busy: 2 calls are running, its limit. Try again later."
        assert served.line() == failure(3, busy, "overloaded", retryable=True)
        served.send(encoded(notification("notifications/cancelled", {"requestId": 1})) + b"\n")
        served.told("wait: ended")
        served.send(call(4, "say", text="x"))
        assert served.line() == answer(4, "x")


def test_a_ping_is_answered_while_all_threads_are_stuck(backend: str) -> None:
    with Served(everything(backend, limits={"max_threads": 1})) as served:
        served.send(call(1, "stuck"), call(2, "stuck"))
        served.told("stuck: running")
        served.send(PING)
        assert served.line() == PONG


@pytest.mark.parametrize("tool", ["steps", "steps_in_thread"])
def test_progress_arrives_before_the_result(backend: str, tool: str) -> None:
    params = {"name": tool, "arguments": {}}
    with Served(everything(backend), revision=versions.MODERN) as served:
        served.send(encoded(request(1, "tools/call", params, progressToken="t")) + b"\n")
        progress = (
            b'{"jsonrpc":"2.0","method":"notifications/progress",'
            b'"params":{"progressToken":"t","progress":%d,"total":2}}\n'
        )
        assert [served.line() for _ in range(3)] == [progress % 1, progress % 2, answer(1, "done")]


def test_a_cancelled_call_ends_and_gets_no_answer(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "wait"))
        served.told("wait: running")
        served.send(encoded(notification("notifications/cancelled", {"requestId": 1})) + b"\n")
        served.told("wait: ended")
        served.send(call(1, "say", text="the id is free again"))
        assert served.line() == answer(1, "the id is free again")
        served.close_input()
        assert served.lines() == []
        served.ends()


def legacy(request_id: Any, method: str, params: Any = None) -> bytes:
    """A line of a client of the latest legacy revision."""
    line = encoded(request(request_id, method, params, revision=versions.LATEST_LEGACY))
    return line + b"\n"


def test_a_legacy_client_is_told_of_a_tool_that_was_removed(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(legacy(0, "initialize", initialize_params()))
        served.line()
        served.send(encoded(notification("notifications/initialized")) + b"\n")
        arguments = {"name": "say"}
        served.send(legacy(1, "tools/call", {"name": "remove", "arguments": arguments}))
        assert [served.line(), served.line()] == [
            b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n',
            b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"removed"}]}}\n',
        ]
        served.send(legacy(2, "tools/list"))
        names = [tool["name"] for tool in json.loads(served.line())["result"]["tools"]]
        assert names[0] == "say_in_thread"


def test_a_question_that_nobody_can_answer_any_more_ends_with_the_input(backend: str) -> None:
    with Served(everything(backend)) as served:
        opening = {**initialize_params(), "capabilities": {"roots": {}}}
        served.send(legacy(0, "initialize", opening))
        served.line()
        served.send(legacy(1, "tools/call", {"name": "asks", "arguments": {}}))
        assert json.loads(served.line())["method"] == "roots/list"
        served.close_input()
        answers = [json.loads(line) for line in served.lines()]
        (result,) = [message["result"] for message in answers if "result" in message]
        text = "the client did not answer roots/list: it sends nothing any more"
        assert result["content"] == [{"type": "text", "text": text}]
