"""Memory over time: after very many calls, and after very many sessions, it is what it was."""

import http.client
import time
from collections.abc import Mapping
from typing import Final

from ..wire import INITIALIZED, Era, WrongAnswer
from .curve import Aim, Curve, Point, memory_text
from .load import Load, Sizes
from .messages import Asked, Requests, check
from .process import Http, Stdio

_SERVER: Final = "growth_load.py"
_PATIENCE: Final = 400.0
_LOT: Final = 100
_SHARE: Final = 0.02
_BYTES: Final = 1 << 20
"""The memory may grow by this or by that share of it, whichever is more."""
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
_OPENING: Final = {
    "protocolVersion": Era.LEGACY.value,
    "capabilities": {},
    "clientInfo": {"name": "benchmarks", "version": "1.0.0"},
}


def many_calls(load: Load) -> list[Curve]:
    """Measure the memory after so many calls on stdio, 100 at a time."""
    points = []
    done, seconds = 0, 0.0
    with Stdio(_SERVER, patience=_PATIENCE) as server:
        for size in load.many_calls:
            while done < size:
                seconds += server.timed(_lot(server.requests))
                done += _LOT
            points.append(Point(size, seconds, server.resident()))
    return [_curve("Memory after many calls", "call", points)]


def many_sessions(load: Load) -> list[Curve]:
    """Measure the memory after so many sessions by HTTP, each opened, used and ended."""
    with Http(_SERVER, "--http", patience=_PATIENCE) as server:
        connection = server.connect()
        try:
            points = _session_points(server, connection, load.many_sessions)
        finally:
            connection.close()
    return [_curve("Memory after many sessions", "session", points)]


def _session_points(
    server: Http, connection: http.client.HTTPConnection, sizes: Sizes
) -> list[Point]:
    requests = Requests(Era.LEGACY)
    points = []
    done = 0
    began = time.perf_counter()
    for size in sizes:
        while done < size:
            _session(connection, requests)
            done += 1
        points.append(Point(size, time.perf_counter() - began, server.resident()))
    return points


def _curve(title: str, item: str, points: list[Point]) -> Curve:
    sizes = [float(point.memory or 0) for point in points]
    warm, last = sizes[1], sizes[-1]
    growth = [memory_text(size - warm) if size else "" for size in sizes]
    aim = Aim(
        f"growth from {points[1].size:,} {item}s to {points[-1].size:,}",
        (last - warm) / (1 << 20),
        max(_BYTES, _SHARE * warm) / (1 << 20),
        " MiB",
    )
    return Curve(title, item, points, {f"since {points[1].size:,}": growth}, [aim])


def _lot(requests: Requests) -> list[Asked]:
    """Return calls of which some are done at once, some wait, and some do not fit."""
    asked = [requests.sum("add_later" if number % 4 == 1 else "add") for number in range(_LOT - 1)]
    return [*asked, requests.call("add", {"a": "1"}, isError=True)]


def _session(connection: http.client.HTTPConnection, requests: Requests) -> None:
    """Open a session, make two calls, and end the session."""
    opening = requests.make("initialize", _OPENING, protocolVersion=Era.LEGACY.value)
    session_id, answer = _send(connection, "POST", {}, opening.line, 200)
    check([opening], [answer])
    session = {"Mcp-Session-Id": session_id}
    _send(connection, "POST", session, INITIALIZED, 202)
    for tool in ("add", "add_later"):
        asked = requests.sum(tool)
        _, answer = _send(connection, "POST", session, asked.line, 200)
        check([asked], [answer])
    _send(connection, "DELETE", session, b"", 204)


def _send(
    connection: http.client.HTTPConnection,
    method: str,
    session: Mapping[str, str],
    body: bytes,
    status: int,
) -> tuple[str, bytes]:
    """Send a request, and return the session's id and the body of its answer."""
    connection.request(method, "/mcp", body.strip(), {**_HEADERS, **session})
    response = connection.getresponse()
    answer = response.read()
    if response.status != status:
        raise WrongAnswer(f"status {response.status}, not {status}: {answer!r}")
    return response.headers.get("Mcp-Session-Id", ""), answer
