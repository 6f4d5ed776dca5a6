"""Calls per second over HTTP, side by side: typedargs, `mcp`, and a bare ASGI application.

    python -m benchmarks.http [--quick] [--require]

From a checkout, with what the development extra installs, and with wrk, which sends the load. Every
server is a process of uvicorn on uvloop and httptools, has the same tool, and gets the same message
of revision 2026-07-28, over 1 connection and over 8. Each round takes the servers in turn; a ratio
is taken within a round, and its median is told. With `--require` the exit status is 1 where
typedargs makes less of the calls of the bare application, or of those of `mcp`, than it should. A
wrong or missing answer ends the run with exit status 2. Without wrk so does a full run; a quick one
is skipped.
"""

import http.client
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Final

import attrs

from .command import ended, parser
from .measures import environment
from .process import ServerFailed
from .wire import Era, WrongAnswer, calls, check

_ROOT: Final = Path(__file__).parents[1]
_PATH: Final = "/mcp"
_RUNNING: Final = re.compile(r"Uvicorn running on http://127\.0\.0\.1:([0-9]+)")
_PATIENCE: Final = 60.0
"""How long a server may take for its start, in seconds, or for one answer."""
_DISTRIBUTIONS: Final = ("typedargs-mcp", "mcp", "msgspec", "uvicorn", "uvloop", "httptools")
_NO_WRK: Final = (
    "wrk is not installed, which sends the load: apt-get install wrk, or brew install wrk; "
    "or see https://github.com/wg/wrk"
)

(CALL,) = calls(Era.MODERN, [1])
HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": Era.MODERN.value,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "add",
}
SERVERS: Final = {"bare": "http_bare", "typedargs": "http_typedargs", "mcp": "http_mcp"}
"""By its name, the module of each server's application."""
CONNECTIONS: Final = (1, 8)
REQUIRED: Final = {("bare", 1): 0.85, ("mcp", 1): 5.0, ("bare", 8): 0.85, ("mcp", 8): 5.0}
"""What the ratio of our calls per second to another server's must be at least, by connections."""


@attrs.frozen
class Load:
    """How long: so many rounds, in each of every server so many seconds for each measure."""

    rounds: int
    seconds: int


FULL = Load(rounds=7, seconds=3)
QUICK = Load(rounds=3, seconds=1)

Rates = dict[tuple[str, int], list[float]]
"""By server and connections, the calls per second of each round."""


def run(load: Load, wrk: str) -> Rates:
    """Return what was measured; raises ServerFailed."""
    rates: Rates = {(name, count): [] for name in SERVERS for count in CONNECTIONS}
    with _script() as script:
        for number in range(load.rounds):
            for name in SERVERS:
                print(f"round {number + 1} of {load.rounds}, {name}", file=sys.stderr, flush=True)
                with _served(name) as port:
                    _answers(port)
                    _rate(wrk, script, port, connections=8, seconds=1)  # warms up
                    for count in CONNECTIONS:
                        rates[name, count].append(_rate(wrk, script, port, count, load.seconds))
                    _answers(port)
    return rates


def ratio(rates: Rates, to: str, connections: int) -> float:
    """Return the median over the rounds of our calls per second to another server's."""
    pairs = zip(rates["typedargs", connections], rates[to, connections], strict=True)
    return statistics.median(ours / theirs for ours, theirs in pairs)


def markdown(rates: Rates, load: Load) -> str:
    """Return a table, and what it was measured with."""
    lines = [
        "| connections | server | calls/s, median | typedargs to it |",
        "| ---: | --- | ---: | ---: |",
    ]
    for count in CONNECTIONS:
        for name in SERVERS:
            median = statistics.median(rates[name, count])
            lines.append(
                f"| {count} | {name} | {median:,.0f} | {ratio(rates, name, count):.2f} x |"
            )
    used = ", ".join(f"{name} {version(name)}" for name in _DISTRIBUTIONS)
    lines += [
        "",
        f"With Python {platform.python_version()}, {used}, on {platform.system()}.",
        f"Medians over {load.rounds} round(s), the servers taken in turn in each: a new process, "
        f"and {load.seconds} s of load for each number of connections. Ratios are taken within a "
        "round, and their median is given.",
    ]
    return "\n".join(lines)


def shortfalls(rates: Rates) -> list[str]:
    """Return a sentence for each ratio that is below what is required."""
    found = {key: ratio(rates, *key) for key in REQUIRED}
    return [
        f"{connections} connection(s): {found[to, connections]:.2f} x {to}, "
        f"required at least {required:g} x"
        for (to, connections), required in REQUIRED.items()
        if found[to, connections] < required
    ]


@contextmanager
def _script() -> Iterator[Path]:
    """Give a script for wrk that sends the call."""
    lines = ['wrk.method = "POST"', f"wrk.body = [==[{CALL.line.decode().strip()}]==]"]
    lines += [f'wrk.headers["{name}"] = "{value}"' for name, value in HEADERS.items()]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "call.lua"
        script.write_text("\n".join(lines))
        yield script


@contextmanager
def _served(name: str) -> Iterator[int]:
    """Serve while in the block; gives the port."""
    options = ("--port", "0", "--loop", "uvloop", "--http", "httptools", "--no-access-log")
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", f"benchmarks.servers.{SERVERS[name]}:app", *options],
        cwd=_ROOT,
        env=_environment(),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stderr is not None
    watch = threading.Timer(_PATIENCE, process.kill)
    watch.start()
    told: list[str] = []
    try:
        port = _port(process.stderr, told)
        watch.cancel()
        rest = threading.Thread(target=told.extend, args=(process.stderr,), daemon=True)
        rest.start()
        yield port
    except (WrongAnswer, OSError, http.client.HTTPException) as error:
        process.kill()
        raise ServerFailed(f"{name}: {error}\nits stderr ends: {''.join(told[-20:])}") from error
    finally:
        watch.cancel()
        process.kill()
        process.wait()


def _environment() -> Mapping[str, str]:
    paths = (str(_ROOT), str(_ROOT / "server"))
    return {**environment(), "PYTHONPATH": ":".join(paths)}


def _port(stderr: IO[str], told: list[str]) -> int:
    for line in stderr:
        told.append(line)
        if found := _RUNNING.search(line):
            return int(found[1])
    raise WrongAnswer("it did not start")


def _answers(port: int) -> None:
    """Raise WrongAnswer where the call is not answered with its sum."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("POST", _PATH, CALL.line.strip(), HEADERS)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise WrongAnswer(f"status {answer.status}: {body!r}")
    check([CALL], [body])


def _rate(wrk: str, script: Path, port: int, connections: int, seconds: int) -> float:
    """Return the calls per second that are answered with the status 200."""
    options = ("-t", "1", "-c", str(connections), "-d", f"{seconds}s", "-s", str(script))
    done = subprocess.run(
        [wrk, *options, f"http://127.0.0.1:{port}{_PATH}"],
        capture_output=True,
        encoding="utf-8",
        timeout=seconds + _PATIENCE,
        check=False,
    )
    found = re.search(r"^Requests/sec: +([0-9.]+)$", done.stdout, re.MULTILINE)
    if found is None or "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise WrongAnswer(f"not all calls were answered: {done.stdout}{done.stderr}")
    return float(found[1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser("benchmarks.http", __doc__).parse_args(arguments)
    load = QUICK if options.quick else FULL
    wrk = shutil.which("wrk")
    if wrk is None:
        print(f"{'skipped: ' if options.quick else ''}{_NO_WRK}", file=sys.stderr)
        return 0 if options.quick else 2
    try:
        for name in _DISTRIBUTIONS:
            version(name)
        rates = run(load, wrk)
    except PackageNotFoundError as error:
        print(f'{error.name} is not installed: pip install -e ".[dev]"', file=sys.stderr)
        return 2
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 2
    print(markdown(rates, load))
    return ended(shortfalls(rates) if options.require else (), require=options.require)


if __name__ == "__main__":
    sys.exit(main())
