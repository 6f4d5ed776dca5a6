"""What the tests of the transports share."""

import sys

import pytest

collect_ignore = ["test_stdio.py", "test_stdio_process.py"] if sys.platform == "win32" else []
"""These wait for pipes with select and send POSIX signals."""


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> str:
    """The event loops that a server can run on."""
    backend: str = request.param
    return backend
