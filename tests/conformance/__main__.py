"""`python -m tests.conformance [URL]`: hold a server to the conformance suite, and report.

Without a URL it is examples/everything.py, on a free port. The exit status is 1 where a check
fails, or a scenario does not complete.
"""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence

from tests.conformance.scenarios import PENDING, REQUIRED
from tests.conformance.suite import Outcome, run
from tests.interop.everything import serving

NOTHING = Outcome(())


@contextlib.contextmanager
def server(url: str | None) -> Iterator[str]:
    """Give the URL of the server to test, which runs meanwhile."""
    if url is not None:
        yield url
        return
    with serving([]) as own:
        yield own


def report(names: Sequence[str], outcomes: Mapping[str, Outcome]) -> int:
    """Print a line for each scenario, and its bad checks below; return how many pass."""
    passed = 0
    for name in names:
        outcome = outcomes.get(name, NOTHING)
        failures = outcome.failures
        passed += not failures
        succeeded = len(outcome.having("SUCCESS"))
        print(f"  {'FAIL' if failures else 'ok':5}{name}: {succeeded} checks passed")
        for line in (*failures, *outcome.warnings):
            print(f"         {' '.join(line.split()):.300}")
    return passed


def main(arguments: Sequence[str]) -> int:
    """Run both sets of requirements; return the exit status."""
    totals, is_good = [], True
    with server(arguments[0] if arguments else None) as url:
        for revision, names in REQUIRED.items():
            outcomes = run(url, revision)
            print(f"{revision}, required")
            passed = report(names, outcomes)
            print(f"{revision}, not required yet")
            pending = report(PENDING[revision], outcomes)
            is_good = is_good and passed == len(names) and pending == len(PENDING[revision])
            totals.append(
                f"{revision}: {passed}/{len(names)} required scenarios, "
                f"{pending}/{len(PENDING[revision])} of the others"
            )
            others = sorted(set(outcomes) - {*names, *PENDING[revision]})
            if others:
                print(f"{revision}, of extensions that are not offered: {', '.join(others)}")
    print("\n".join(totals))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
