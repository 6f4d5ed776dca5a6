"""What all tests of the server share."""

import pytest

from tests.server.calculator import calculator
from tests.server.support import BOTH_ERAS, Core
from typedargs_server.eras import versions


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """The event loops on which an asynchronous test runs."""
    backend: str = request.param
    return backend


@pytest.fixture(params=BOTH_ERAS)
def core(request: pytest.FixtureRequest) -> Core:
    """A client of each era, before a calculator."""
    return Core(calculator(), request.param)


@pytest.fixture
def modern() -> Core:
    """A client of the modern era, before a calculator."""
    return Core(calculator())


@pytest.fixture
def legacy() -> Core:
    """A client of the latest legacy revision, before a calculator."""
    return Core(calculator(), versions.LATEST_LEGACY)


@pytest.fixture
def batching() -> Core:
    """A client of the one revision with batches, before a calculator."""
    return Core(calculator(), versions.BATCHING)
