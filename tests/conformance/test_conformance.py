"""The everything-server passes the conformance suite: all that is required, and what is to be."""

from collections.abc import Mapping

import pytest

from tests.conformance.scenarios import PENDING, REQUIRED
from tests.conformance.suite import Outcome, required, run
from tests.interop.everything import serving

SCENARIOS = [
    (revision, name)
    for revision, names in REQUIRED.items()
    for name in (*names, *PENDING[revision])
]


class Run:
    """The outcomes by revision, and what the server wrote to stderr meanwhile."""

    def __init__(self, outcomes: Mapping[str, Mapping[str, Outcome]], log: str) -> None:
        self.outcomes = outcomes
        self.log = log


@pytest.fixture(scope="module")
def suite() -> Run:
    said: list[str] = []
    with serving(said) as url:
        outcomes = {revision: run(url, revision) for revision in REQUIRED}
    return Run(outcomes, "".join(said))


@pytest.mark.parametrize(("revision", "name"), SCENARIOS)
def test_a_scenario_has_no_failed_check(suite: Run, revision: str, name: str) -> None:
    assert name in suite.outcomes[revision]
    assert suite.outcomes[revision][name].failures == []


def test_the_suite_warns_of_nothing(suite: Run) -> None:
    warnings = [
        (revision, name, suite.outcomes[revision][name].warnings) for revision, name in SCENARIOS
    ]
    assert [each for each in warnings if each[2]] == []


def test_the_server_logs_no_failure_meanwhile(suite: Run) -> None:
    (line,) = suite.log.splitlines()
    assert "serves MCP at" in line


@pytest.mark.parametrize(("revision", "count"), [("2025-11-25", 30), ("2026-07-28", 37)])
def test_all_scenarios_that_the_suite_requires_are_run(revision: str, count: int) -> None:
    assert set(REQUIRED[revision]) == required(revision)
    assert len(REQUIRED[revision]) == count
