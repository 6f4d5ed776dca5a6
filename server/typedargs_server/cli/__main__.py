"""`python -m typedargs_server.cli`: the `typedargs` command where no script is on the path."""

import sys

from typedargs_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
