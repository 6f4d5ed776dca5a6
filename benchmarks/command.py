"""What the benchmarks' commands have in common: their options, and how they end."""

import argparse
import sys
from collections.abc import Iterable


def parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of `python -m name`, with the options that all have."""
    made = argparse.ArgumentParser(
        prog=f"python -m {name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--quick", action="store_true", help="fewer and shorter rounds, for CI")
    made.add_argument(
        "--require", action="store_true", help="fail where typedargs falls short of its aims"
    )
    return made


def ended(missed: Iterable[str], *, require: bool) -> int:
    """Tell which aims are missed, and return the exit status."""
    shortfalls = list(missed)
    for shortfall in shortfalls:
        print(f"falls short: {shortfall}", file=sys.stderr)
    return int(require and bool(shortfalls))
