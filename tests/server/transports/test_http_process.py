"""A server over HTTP as a process of its own, before real sockets."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.server.support import PATIENCE_SECONDS, initialize_params, notification, request
from tests.server.transports.web import BOTH, JSON, NAMED, events_in
from typedargs_server.eras import versions

ROOT = Path(__file__).parents[3]


def headers_of(message: dict[str, Any]) -> dict[str, str]:
    """The headers of a modern request."""
    headers = {
        "accept": BOTH,
        "content-type": JSON,
        "mcp-protocol-version": versions.MODERN,
        "mcp-method": message["method"],
    }
    if message["method"] in NAMED:
        headers["mcp-name"] = message["params"]["name"]
    return headers


class Process:
    """A module as a process, and what it tells on stderr; the module is a server."""

    def __init__(
        self,
        *arguments: str,
        module: str = "tests.server.transports.http_server",
        **environment: str,
    ) -> None:
        paths = (ROOT, ROOT / "server")
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.told: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def kill(self) -> None:
        """End it, if it has not ended."""
        self.process.kill()
        self.process.wait()
        self._listener.join()

    def tells(self, pattern: str) -> re.Match[str]:
        """Wait until a line of stderr is this."""
        while True:
            line = self._lines.get(timeout=PATIENCE_SECONDS)
            assert line is not None, f"no {pattern!r}, but {self.told}"
            self.told.append(line)
            if found := re.fullmatch(pattern, line):
                return found

    def ends(self) -> int:
        """The exit status; all of stderr is seen then."""
        status = self.process.wait(PATIENCE_SECONDS)
        while (line := self._lines.get(timeout=PATIENCE_SECONDS)) is not None:
            self.told.append(line)
        return status


class Served(Process):
    """The server, and a client of it."""

    def __init__(self) -> None:
        super().__init__("0")
        self.url = self.tells("web serves MCP at (http://127.0.0.1:[0-9]+/mcp)")[1]
        self.port = int(self.url.split(":")[2].removesuffix("/mcp"))
        self.client = httpx2.Client(timeout=PATIENCE_SECONDS)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool call of a modern client that wants to know of its progress."""
        params = {"name": tool, "arguments": arguments}
        return request(1, "tools/call", params, progressToken="p")

    def post(self, message: dict[str, Any]) -> httpx2.Response:
        return self.client.post(self.url, json=message, headers=headers_of(message))

    def stream(self, message: dict[str, Any]) -> Any:
        return self.client.stream("POST", self.url, json=message, headers=headers_of(message))

    def raw(self, message: dict[str, Any]) -> socket.socket:
        """A connection on which a request was sent, and nothing read."""
        body = json.dumps(message).encode()
        headers = {
            **headers_of(message),
            "host": f"127.0.0.1:{self.port}",
            "content-length": str(len(body)),
        }
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body)
        return connection


def read_until(connection: socket.socket, end: bytes) -> bytes:
    """What a connection gives up to `end`, and maybe more."""
    received = b""
    while end not in received:
        chunk = connection.recv(1 << 16)
        assert chunk, received
        received += chunk
    return received


def serving() -> Iterator[Served]:
    server = Served()
    yield server
    server.client.close()
    server.kill()


served = pytest.fixture(serving)
"""A server of the test's own."""

shared = pytest.fixture(serving, scope="module")
"""One that tests share which leave it as it was."""


def test_it_serves_both_eras(shared: Served) -> None:
    answer = shared.post(shared.call("add", a=1, b=2))
    assert answer.json()["result"]["content"] == [{"type": "text", "text": "3"}]
    opened = shared.client.post(
        shared.url,
        json=request(1, "initialize", initialize_params(), revision=versions.LATEST_LEGACY),
        headers={"accept": BOTH},
    )
    headers = {"accept": BOTH, "mcp-session-id": opened.headers["mcp-session-id"]}
    assert opened.json()["result"]["protocolVersion"] == versions.LATEST_LEGACY
    told = shared.client.post(
        shared.url, json=notification("notifications/initialized"), headers=headers
    )
    assert told.status_code == 202
    listed = shared.client.post(
        shared.url,
        json=request(2, "tools/list", revision=versions.LATEST_LEGACY),
        headers=headers,
    )
    assert len(listed.json()["result"]["tools"]) == 4


def test_a_page_that_is_not_its_own_is_refused(shared: Served) -> None:
    message = request(1, "tools/list")
    headers = {**headers_of(message), "host": "evil.example.com"}
    answer = shared.client.post(shared.url, json=message, headers=headers)
    assert answer.status_code == 403


def test_a_connection_that_is_closed_cancels_its_call(shared: Served) -> None:
    connection = shared.raw(shared.call("wait"))
    shared.tells("waiting")
    connection.close()
    shared.tells("left")


def test_a_stream_that_is_closed_cancels_its_call(shared: Served) -> None:
    connection = shared.raw(shared.call("wait"))
    read_until(connection, b"notifications/progress")
    connection.close()
    shared.tells("left")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_orderly(served: Served, number: signal.Signals) -> None:
    message = request(1, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    with served.stream(message) as stream:
        chunks = stream.iter_bytes()
        received = next(chunks)
        sleeping = served.raw({**served.call("sleep"), "id": 2})
        served.tells("sleeping")
        served.process.send_signal(number)
        received += b"".join(chunks)
    acknowledged, ended = events_in(received)
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert ended["result"]["resultType"] == "complete"
    assert b"slept" in read_until(sleeping, b"slept")
    sleeping.close()
    assert served.ends() == 0
    assert served.told[-1] == "sleeping"


def test_a_call_that_does_not_end_is_cut_off(served: Served) -> None:
    with served.stream(served.call("wait")) as stream:
        served.tells("waiting")
        served.process.send_signal(signal.SIGTERM)
        *_, answer = events_in(b"".join(stream.iter_bytes()))
    assert answer["result"]["isError"] is True
    assert served.ends() == 0


def test_a_second_signal_ends_it_at_once(served: Served) -> None:
    connection = served.raw(served.call("wait"))
    served.tells("waiting")
    served.process.send_signal(signal.SIGTERM)
    served.process.send_signal(signal.SIGINT)
    assert served.ends() == 0
    assert not any("cut off" in line for line in served.told)
    connection.close()


def test_a_thread_that_never_ends_does_not_keep_it(served: Served) -> None:
    connection = served.raw(served.call("block"))
    served.tells("blocking")
    served.process.send_signal(signal.SIGTERM)
    assert served.ends() == 0
    connection.close()


def test_uvicorn_by_itself_does_not_wait_for_streams_that_are_open_until_the_end() -> None:
    server = Process("uvicorn")
    url = server.tells(".*running on (http://127.0.0.1:[0-9]+) .*")[1]
    message = request(1, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    with (
        httpx2.Client(timeout=PATIENCE_SECONDS) as client,
        client.stream("POST", f"{url}/mcp", json=message, headers=headers_of(message)) as stream,
    ):
        chunks = stream.iter_bytes()
        received = next(chunks)
        server.process.send_signal(signal.SIGTERM)
        *_, ended = events_in(received + b"".join(chunks))
    assert ended["result"]["resultType"] == "complete"
    server.ends()
    server.kill()


def test_a_port_that_is_taken_is_told(shared: Served) -> None:
    other = Process(str(shared.port))
    assert other.ends() != 0
    other.kill()
    assert "address already in use" in "".join(other.told)
    assert not any("serves MCP" in line for line in other.told)
