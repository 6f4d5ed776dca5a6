"""`python -m typedargs_server.cli`: the `typedargs` command where no script is on the path."""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
