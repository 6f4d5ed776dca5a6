"""Run a workload in forks of this process, one after another, a fork for each number of operations.

    python -m benchmarks.workloads calls:modern 300 1300

The forks differ in nothing but that number. The exit status is that of the first that fails.
"""

import os
import pkgutil
import sys
import traceback
from collections.abc import Callable


def forked(workload: Callable[[int], None], count: int) -> int:
    """Do so many operations in a fork, and return its exit status."""
    child = os.fork()
    if child:
        _, ended = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(ended)
    status = 1
    try:
        workload(count)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)  # what the parent has begun is the parent's to end


def main() -> int:
    """Run the command and return its exit status."""
    name, *counts = sys.argv[1:]
    workload = pkgutil.resolve_name(f"{__package__}.{name}")
    return next((status for count in counts if (status := forked(workload, int(count)))), 0)


if __name__ == "__main__":
    sys.exit(main())
