"""How a process that serves stdio starts and ends, and what becomes of its file descriptors."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.server.transports.process import PING, PONG, Served, answer, call, everything, failure

SIGNALS = [signal.SIGINT, signal.SIGTERM]
ENTERED, LEFT = "lifespan: entering", "lifespan: left"
CUT = "cut off 0.1 s after no more could come, still running: "


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize(
    ("tool", "told"),
    [
        pytest.param("say", [ENTERED, LEFT], id="idle"),
        pytest.param(
            "wait", [ENTERED, "wait: running", "wait: ended", LEFT], id="an async handler"
        ),
        pytest.param("stuck", [ENTERED, "stuck: running", LEFT], id="a thread that never ends"),
        pytest.param("loop", [ENTERED, "loop: running"], id="a loop that never ends"),
    ],
)
def test_one_signal_ends_the_server_whatever_runs(
    backend: str, tool: str, told: list[str], number: signal.Signals
) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, tool, text="x"))
        if tool == "say":
            assert served.line() == answer(1, "x")
        else:
            served.told(f"{tool}: running")
        served.signal(number)
        assert served.ends() == told
        assert served.lines() == []


def test_a_signal_before_the_event_loop_runs_ends_the_server(backend: str) -> None:
    with Served(everything(backend, signal_in="import")) as served:
        told = served.ends()
        assert told in (["signal: sent"], ["signal: sent", ENTERED, LEFT])


def test_a_signal_ends_a_server_that_waits_in_its_lifespan(backend: str) -> None:
    with Served(everything(backend, signal_in="lifespan")) as served:
        assert served.ends() == [ENTERED, "lifespan: cancelled"]


def test_a_second_signal_changes_nothing(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "loop"))
        served.told("loop: running")
        served.signal(signal.SIGINT)
        served.signal(signal.SIGINT)
        served.signal(signal.SIGTERM)
        assert served.ends() == [ENTERED, "loop: running"]


def test_a_signal_to_a_forked_child_ends_the_child_alone(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "forks"))
        assert served.line() == answer(1, "the child's exit code is -15")
        served.send(PING)
        assert served.line() == PONG


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        pytest.param(
            "wait", [ENTERED, "wait: running", CUT + 'tool "wait"', "wait: ended", LEFT], id="async"
        ),
        pytest.param(
            "stuck", [ENTERED, "stuck: running", CUT + 'tool "stuck"', LEFT], id="in a thread"
        ),
    ],
)
def test_a_handler_that_never_ends_is_cut_after_the_end_of_input(
    backend: str, tool: str, told: list[str]
) -> None:
    with Served(everything(backend, limits={"drain_seconds": 0.1})) as served:
        served.send(call(1, tool))
        served.told(f"{tool}: running")
        served.close_input()
        assert served.ends() == told
        why = f'Tool "{tool}" was cut off: the server ended before it was done.'
        assert served.lines() == [failure(1, why, "cut_off", retryable=True)]


def test_a_handler_that_cancels_its_own_task_ends_nothing_else(backend: str) -> None:
    with Served(everything(backend)) as served:
        served.send(call(1, "second"))
        for request_id in (2, 3):
            served.send(call(request_id, "cancels_itself"))
            assert served.line() == answer(request_id, "done")
        assert served.line() == answer(1, "a second later")
        served.close_input()
        assert served.ends() == [ENTERED, LEFT]


@pytest.mark.parametrize(
    ("closed", "sent", "received"),
    [
        pytest.param(0, b"", [], id="stdin"),
        pytest.param(1, PING, [], id="stdout"),
        pytest.param(2, PING + call(1, "prints"), [PONG, answer(1, "printed")], id="stderr"),
    ],
)
def test_a_server_started_without_one_of_its_streams_does_what_it_can(
    backend: str, closed: int, sent: bytes, received: list[bytes]
) -> None:
    command = ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *everything(backend)]
    with Served(command) as served:
        served.expect(sent)
        assert served.process.stdin is not None
        if closed == 2:
            served.process.stdin.write(sent)
        served.close_input()
        assert served.lines() == received
        served.ends()


def test_a_client_that_reads_no_stderr_is_served(backend: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with Served(everything(backend), stderr=writing) as served:
        os.close(writing)
        served.send(call(1, "prints_unheard"))
        assert served.line() == answer(1, "printed")
        served.close_input()
        assert served.lines() == []
        served.ends()


def test_output_that_is_also_stderr_stays_whole(backend: str) -> None:
    with Served(["sh", "-c", 'exec "$@" 2>&1', "sh", *everything(backend)]) as served:
        served.expect(PING)
        served.send(call(1, "large", size=1 << 20))
        output = b""
        while not output.endswith(answer(1, "x" * (1 << 20))):
            output += served.read()
        served.signal(signal.SIGTERM)
        assert served.status() == 0
    assert output == f"{ENTERED}\n".encode() + answer(1, "x" * (1 << 20))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_output_that_cannot_be_written_ends_the_server_and_says_why(backend: str) -> None:
    with Path("/dev/full").open("wb") as full, Served(everything(backend), stdout=full) as served:
        served.send(PING)
        why = "standard output cannot be written: [Errno 28] No space left on device"
        assert served.ends() == [ENTERED, why, LEFT]


OWN_LOOP = """
import os, sys, anyio
from tests.server.transports.everything import server, settings, tell

def streams():
    files = [os.fstat(fd) for fd in (0, 1, 2)]
    blocking = [os.get_blocking(fd) for fd in (0, 1, 2)]
    inodes = [(file.st_dev, file.st_ino) for file in files]
    return inodes, blocking, os.listdir("/dev/fd"), sys.stdout.line_buffering

async def main():
    before = streams()
    with anyio.CancelScope() as stopping:
        server.tool("stop", input={"type": "object"}, inline=True)(lambda _: stopping.cancel())
        await server.serve_stdio()
    tell(f"cancelled: {stopping.cancelled_caught}, restored: {streams() == before}")
    print("printed between", flush=True)
    await server.serve_stdio()
    print("printed after", flush=True)

anyio.run(main, backend=settings["backend"])
"""


def test_a_loop_of_the_users_own_has_its_streams_back_when_it_serves_no_more(
    backend: str,
) -> None:
    with Served(program(OWN_LOOP, backend)) as served:
        served.send(PING)
        assert served.line() == PONG
        served.send(call(1, "stop"))
        served.told("cancelled: True, restored: True")
        assert b'"id":1,"result":' in served.line()  # written before the cancellation takes hold
        assert served.text() == "printed between"
        served.send(PING)
        assert served.line() == PONG
        served.close_input()
        assert served.text() == "printed after"
        served.ends()


TWICE = """
from tests.server.transports.everything import server, settings
print("printed before")
server.run(backend=settings["backend"])
print("printed between", flush=True)
server.run(backend=settings["backend"])
print("printed after")
"""


def test_a_server_can_run_again(backend: str) -> None:
    with Served(program(TWICE, backend)) as served:
        served.told("printed before")
        served.told(ENTERED)
        served.send(PING)
        assert served.line() == PONG
        served.signal(signal.SIGINT)
        assert served.text() == "printed between"
        served.send(PING)
        assert served.line() == PONG
        served.signal(signal.SIGTERM)
        assert served.text() == "printed after"
        assert served.ends() == ["printed before", ENTERED, LEFT, ENTERED, LEFT]


AFTER = """
import threading
from tests.server.transports.everything import server, settings, tell

def last():
    threading.main_thread().join()
    tell("the program's own thread has ended")

server.run(backend=settings["backend"])
threading.Thread(target=last).start()
print("printed after")
"""


def test_a_program_goes_on_after_a_run_that_left_a_handler_stuck(backend: str) -> None:
    with Served(program(AFTER, backend)) as served:
        served.send(call(1, "stuck"))
        served.told("stuck: running")
        served.signal(signal.SIGTERM)
        assert served.text() == "printed after"
        ended = "the program's own thread has ended"
        assert served.ends() == [ENTERED, "stuck: running", LEFT, ended]


THREAD = """
import threading
from tests.server.transports.everything import server, settings
thread = threading.Thread(target=server.run, kwargs={"backend": settings["backend"]})
thread.start()
thread.join()
print("printed after")
"""


def test_a_server_runs_in_any_thread(backend: str) -> None:
    with Served(program(THREAD, backend)) as served:
        served.send(call(1, "say_in_thread", text="x"))
        assert served.line() == answer(1, "x")
        served.close_input()
        assert served.text() == "printed after"
        assert served.ends() == [ENTERED, LEFT]


def program(text: str, backend: str) -> list[str]:
    """The command line of a program that has the server of everything.py to itself."""
    return [sys.executable, "-c", text, *everything(backend)[2:]]
