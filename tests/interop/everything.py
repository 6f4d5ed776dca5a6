"""The everything-server as a process that serves HTTP, for clients that are given its URL."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SERVER: Final = Path(__file__).parents[2] / "examples" / "everything.py"
END_SECONDS: Final = 30


@contextmanager
def serving(said: list[str]) -> Iterator[str]:
    """Run the server on a free port and give its URL; the lines of its stderr go to `said`.

    Raises AssertionError where it does not serve, TimeoutExpired where it does not end.
    """
    command = [sys.executable, "-m", "typedargs_server.cli", "run", "--http", "--port", "0"]
    env = {**os.environ, "EVERYTHING_STATE_KEYS": secrets.token_urlsafe(32)}
    server = subprocess.Popen(
        [*command, str(SERVER)], env=env, stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert server.stderr is not None
    # Reads on after the URL, so that a server that logs much is not held up.
    reader = threading.Thread(target=said.extend, args=(server.stderr,))
    try:
        url = _url(server.stderr, said)
        reader.start()
        yield url
    except AssertionError as failure:
        failure.add_note(f"the server wrote to stderr:\n{''.join(said)}")
        raise
    finally:
        server.terminate()
        try:
            server.wait(timeout=END_SECONDS)
        finally:
            server.kill()
            if reader.ident is not None:
                reader.join()
            server.stderr.close()


def _url(lines: Iterable[str], said: list[str]) -> str:
    """The URL that a server says it serves at, as soon as it does."""
    for line in lines:
        said.append(line)
        found = re.search(r"serves MCP at (\S+)", line)
        if found is not None:
            return found[1]
    raise AssertionError(f"the server did not say where it serves:\n{''.join(said)}")
