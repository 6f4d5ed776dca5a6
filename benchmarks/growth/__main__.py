"""Measure how the time and the memory of a server grow with what is asked of it.

    python -m benchmarks.growth                 # some minutes; tables in Markdown on stdout
    python -m benchmarks.growth --quick         # smaller sizes and fewer repetitions, for CI
    python -m benchmarks.growth --only calls    # one curve; may be given several times
    python -m benchmarks.growth --require       # exit status 1 where an aim is missed

From a checkout, with what the development extra installs, on POSIX. Each curve has at least four
sizes, and its verdict is the exponent between its two largest: up to 1.15 is linear or better.
Times are medians over repetitions. Only ratios and exponents are claims; the other numbers are of
one machine. Memory is the resident size of the process (tools, HTTP, and over time) or what
tracemalloc counts in it, above what it held before (the rest). A wrong or missing answer ends the
run with exit status 2.
"""

import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from ..command import ended, parser
from ..process import ServerFailed
from . import calls, lasting, lists, payloads, streams
from .curve import Curve, markdown
from .load import FULL, QUICK, Load

MEASURES: Final[Mapping[str, Callable[[Load], list[Curve]]]] = {
    "tools": lists.tools,
    "lists": lists.lists,
    "memory": lists.memory,
    "streams": streams.streams,
    "payloads": payloads.payloads,
    "calls": calls.calls,
    "pings": calls.pings,
    "many-calls": lasting.many_calls,
    "many-sessions": lasting.many_sessions,
}
"""By its name, what measures one or several curves."""
_DISTRIBUTIONS: Final = ("typedargs-mcp", "mcp", "msgspec", "anyio", "uvicorn")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    made = parser("benchmarks.growth", __doc__)
    made.add_argument(
        "--only", action="append", choices=MEASURES, metavar="NAME", help=", ".join(MEASURES)
    )
    options = made.parse_args(arguments)
    load = QUICK if options.quick else FULL
    missed: list[str] = []
    try:
        versions = ", ".join(f"{name} {version(name)}" for name in _DISTRIBUTIONS)
        for name in options.only or MEASURES:
            print(name, file=sys.stderr, flush=True)
            for curve in MEASURES[name](load):
                print(markdown(curve), flush=True)
                missed += curve.missed()
    except PackageNotFoundError as error:
        print(f'{error.name} is not installed: pip install -e ".[dev]"', file=sys.stderr)
        return 2
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 2
    print(f"With Python {platform.python_version()}, {versions}, on {platform.system()}.")
    return ended(missed, require=options.require)


if __name__ == "__main__":
    sys.exit(main())
