"""Instructions per operation, held to stored figures: a check that a busy machine does not disturb.

    python -m benchmarks.instructions [--check | --store]

From a checkout, with what the development extra installs, and with valgrind, which counts. Each
workload does its operation a few times and many times, in two forks of one process, so that what
the difference of the two counts tells is the operation alone. Counts of different builds of Python
are no measure for each other, so that `instructions.json` has figures for each build by itself.

With `--check` the exit status is 1 where an operation has grown by more than a tenth over its
stored figure. Whoever accepts a growth stores the new figures, by `--store`, in the same commit. A
workload that fails ends the run with exit status 2. Without valgrind so does any run but a check,
which is skipped, as it is for a build without stored figures.
"""

import argparse
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

_ROOT: Final = Path(__file__).parents[1]
_STORED: Final = Path(__file__).with_name("instructions.json")
_STORE: Final = "python -m benchmarks.instructions --store"
_NO_VALGRIND: Final = (
    "valgrind is not installed, which counts instructions: apt-get install valgrind; "
    "or see https://valgrind.org"
)

WORKLOADS: Final = {
    "direct call, 2026-07-28": "calls:modern",
    "direct call, 2025-11-25": "calls:legacy",
    "call with a context": "calls:with_context",
    "HTTP POST of a call": "http_post:post",
    "nested arguments to instances": "nested_arguments:validate",
    "list of 100 tools": "tools_list:unchanged",
}
"""By its title, the function of each workload, in `benchmarks.workloads`."""
TOLERANCE: Final = 0.1
"""By what part of its stored figure a count may differ before something is said of it."""

_FEW: Final = 300
_MANY: Final = 1300
_AT_ONCE: Final = 2
_PATIENCE: Final = 600.0
"""How long a workload may take, in seconds, before it counts as hanging."""

_COUNTER: Final = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
_ENVIRONMENT: Final = {
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": f"{_ROOT}:{_ROOT / 'server'}",
}
_COUNT: Final = re.compile(r"^==[0-9]+== I +refs: +([0-9,]+)$", re.MULTILINE)

Figures: TypeAlias = Mapping[str, int]
"""Instructions per operation, by the title of the workload."""


class NotMeasured(Exception):
    """A workload failed, or what is stored cannot be read."""


def measure(valgrind: str) -> Figures:
    """Return what was counted; raises NotMeasured."""
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        counts = threads.map(partial(_counted, valgrind), WORKLOADS)
        return dict(zip(WORKLOADS, counts, strict=True))


def build(version: str = sys.version, machine: str = platform.machine()) -> str:
    """Return what identifies a build of Python."""
    return f"{' '.join(version.split())}, {machine}"


def per_operation(told: str) -> int:
    """Return the instructions per operation, from what valgrind tells of the processes.

    These are both forks, and their parent last. Raises NotMeasured where it tells something else.
    """
    counts = [int(count.replace(",", "")) for count in _COUNT.findall(told)]
    if len(counts) != 3:
        raise NotMeasured(f"not the counts of two forks and their parent:\n{told}")
    few, many, _ = counts
    return round((many - few) / (_MANY - _FEW))


def markdown(found: Figures, stored: Figures) -> str:
    """Return a table of what was found, beside what is stored."""
    lines = [
        "| workload | instructions per operation | stored | ratio |",
        "| --- | ---: | ---: | ---: |",
    ]
    for title, count in found.items():
        known = stored.get(title)
        beside = "| | |" if known is None else f"| {known:,} | {count / known:.3f} |"
        lines.append(f"| {title} | {count:,} {beside}")
    return "\n".join(lines)


def growths(found: Figures, stored: Figures) -> list[str]:
    """Return a sentence for each workload that has grown beyond the tolerance."""
    return [
        f"{title}: {count:,} instructions per operation, {count / stored[title] - 1:.1%} more "
        f"than the {stored[title]:,} stored; make it cheaper, or accept it in the same commit: "
        f"{_STORE}"
        for title, count in found.items()
        if title in stored and count / stored[title] > 1 + TOLERANCE
    ]


def hints(found: Figures, stored: Figures) -> list[str]:
    """Return a sentence for each workload whose figure is to be stored, though none has grown."""
    shrunk = [
        f"{title}: {count:,} instructions per operation, {1 - count / stored[title]:.1%} fewer "
        f"than the {stored[title]:,} stored; to hold it there: {_STORE}"
        for title, count in found.items()
        if title in stored and count / stored[title] < 1 - TOLERANCE
    ]
    new = [
        f"{title}: no figure is stored; to store it: {_STORE}" for title in found.keys() - stored
    ]
    return shrunk + sorted(new)


def all_stored() -> dict[str, Figures]:
    """Return the stored figures by build; raises NotMeasured where they cannot be read."""
    try:
        return msgspec.json.decode(_STORED.read_bytes(), type=dict[str, Figures])
    except FileNotFoundError:
        return {}
    except msgspec.MsgspecError as error:
        raise NotMeasured(f"{_STORED} cannot be read: {error}; once mended, {_STORE}") from error


def store(found: Figures) -> None:
    """Store the figures of this build, beside those of others."""
    data = msgspec.json.encode({**all_stored(), build(): found})
    _STORED.write_bytes(msgspec.json.format(data, indent=2) + b"\n")


def _counted(valgrind: str, title: str) -> int:
    print(title, file=sys.stderr, flush=True)
    command = (valgrind, *_COUNTER, sys.executable, "-m", "benchmarks.workloads", WORKLOADS[title])
    try:
        done = subprocess.run(
            [*command, str(_FEW), str(_MANY)],
            cwd=_ROOT,
            env=_ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotMeasured(f"{title}: no end after {_PATIENCE:g} s") from error
    if done.returncode:
        raise NotMeasured(f"{title}: exit status {done.returncode}\n{done.stderr}")
    return per_operation(done.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--check", action="store_true", help="fail where an operation has grown by over a tenth"
    )
    modes.add_argument("--store", action="store_true", help="store the figures for this build")
    options = parser.parse_args(arguments)
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print(f"{'skipped: ' if options.check else ''}{_NO_VALGRIND}", file=sys.stderr)
        return 0 if options.check else 2
    try:
        stored = all_stored().get(build(), {})
        if options.check and not stored:
            print(
                f"skipped: none are stored for {build()}; to store them: {_STORE}", file=sys.stderr
            )
            return 0
        found = measure(valgrind)
        if options.store:
            store(found)
    except NotMeasured as error:
        print(error, file=sys.stderr)
        return 2
    print(markdown(found, stored))
    grown = growths(found, stored) if options.check else []
    for growth in grown:
        print(f"has grown: {growth}", file=sys.stderr)
    for hint in hints(found, stored) if options.check else []:
        print(f"hint: {hint}", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
