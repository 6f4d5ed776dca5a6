"""Many calls at once: some that all wait, and a client that pings while others sleep in threads."""

import functools
import time
from typing import Final

from ..wire import Era
from .curve import Aim, Curve, Point, percentile, seconds_text
from .load import Load
from .messages import check
from .process import Stdio, medians, traced

_SERVER: Final = "growth_load.py"
_SLEEP_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 0.002
"""Between an answer to a ping and the next."""
_PING_MS: Final = 10.0
"""How many milliseconds 99 of 100 pings may take at most."""


def calls(load: Load) -> list[Curve]:
    """Measure calls that all run at the same time, and are then released."""
    with Stdio(_SERVER) as server, Stdio(_SERVER, "--traced") as tracing:
        measures = {size: functools.partial(_round, server, size) for size in load.calls}
        times = medians(measures, load.rounds)
        points = [Point(size, times[size], _held(tracing, size)) for size in load.calls]
    return [Curve("Calls at once, which all wait", "call", points)]


def pings(load: Load) -> list[Curve]:
    """Measure the answers to `ping` while calls sleep in threads."""
    found = {size: _pings(size, load.sleep_rounds) for size in load.sleepers}
    points = [Point(size, percentile(times, 0.5)) for size, times in found.items()]
    slowest = [percentile(times, 0.99) for times in found.values()]
    columns = {
        "99th percentile": [seconds_text(seconds) for seconds in slowest],
        "pings": [f"{len(times):,}" for times in found.values()],
    }
    what = f"99th percentile beside {points[-1].size} sleeping calls"
    aim = Aim(what, slowest[-1] * 1e3, _PING_MS, " ms")
    title = "`ping` beside sleeping calls; the time is the median"
    return [Curve(title, "call", points, columns, [aim])]


def _round(server: Stdio, size: int) -> float:
    """Return the seconds from the first call sent to the last answered."""
    requests = server.requests
    asked = [requests.sum("add_at_the_gate") for _ in range(size)]
    release = requests.call("release", {}, structuredContent={"count": size})
    return server.timed([*asked, release])


def _held(server: Stdio, size: int) -> int:
    """Return the bytes that a traced server holds more while all calls wait."""
    _round(server, 1)  # warms up
    traced(server)
    before, _ = traced(server)
    asked = [server.requests.sum("add_at_the_gate") for _ in range(size)]
    server.send(b"".join(each.line for each in asked))
    held, _ = traced(server)
    release = server.requests.call("release", {}, structuredContent={"count": size})
    check([*asked, release], server.exchange(release.line, size + 1))
    return held - before


def _pings(size: int, rounds: int) -> list[float]:
    """Return the seconds of each ping that was sent while so many calls ran."""
    with Stdio(_SERVER, era=Era.LEGACY) as server:
        server.open()
        return [seconds for _ in range(rounds) for seconds in _pings_of_a_round(server, size)]


def _pings_of_a_round(server: Stdio, size: int) -> list[float]:
    arguments = {"seconds": _SLEEP_SECONDS}
    requests = server.requests
    asked = [requests.call("sleep", arguments, structuredContent=arguments) for _ in range(size)]
    server.send(b"".join(each.line for each in asked))
    answers: list[bytes] = []
    found = []
    while len(answers) < size:
        ping = requests.make("ping", {})
        mark = b'"id":%d,' % ping.id
        began = time.perf_counter()
        server.send(ping.line)
        pong: list[bytes] = []
        while not pong:
            lines = server.lines()
            pong = [line for line in lines if mark in line]
            answers += [line for line in lines if mark not in line]
        found.append(time.perf_counter() - began)
        check([ping], pong)
        time.sleep(_PAUSE_SECONDS)
    check(asked, answers)
    return found
