"""What all tests of the server share."""

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """The event loops on which an asynchronous test runs."""
    backend: str = request.param
    return backend
