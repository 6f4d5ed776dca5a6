"""Measure servers on stdio side by side: typedargs, `mcp`, `fastmcp`, and two floors below them.

From a checkout, with what the development extra installs (`pip install -e ".[dev]"`), on POSIX:

    python -m benchmarks                   # some minutes; tables in Markdown on stdout
    python -m benchmarks --quick           # fewer rounds and calls, for CI
    python -m benchmarks --json FILE       # every sample too, as JSON
    python -m benchmarks --require         # exit status 1 where typedargs falls short of its aims

Every server has the same tool and is asked the same by the same client, in both eras of the
protocol. Each round takes the servers in turn, so that whatever slows the machine slows them
alike. A wrong or missing answer ends the run with exit status 2.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import attrs

from . import measures, report
from .command import ended, parser
from .process import ServerFailed


def main() -> int:
    """Run the command and return its exit status."""
    made = parser("benchmarks", __doc__)
    made.add_argument("--rounds", type=int, metavar="N", help="so many rounds")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all samples to FILE")
    options = made.parse_args()
    load = measures.QUICK if options.quick else measures.FULL
    if options.rounds is not None:
        if options.rounds < 1:
            made.error("--rounds must be at least 1")
        load = attrs.evolve(load, rounds=options.rounds)
    try:
        report.versions()
        every = measures.run(load, measures.SERVERS, _progress)
    except PackageNotFoundError as error:
        print(f'{error.name} is not installed: pip install -e ".[dev]"', file=sys.stderr)
        return 2
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 2
    print(report.markdown(every, load))
    if options.json is not None:
        options.json.write_text(json.dumps(report.data(every, load), indent=2) + "\n")
    missed = report.shortfalls(every) if options.require else ()
    return ended(missed, require=options.require)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
