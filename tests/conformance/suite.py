"""The conformance suite, run by Node against a server at a URL, and what its checks said.

The suite is the npm package @modelcontextprotocol/conformance, at the version of
tests/interop/package-lock.json. It writes a folder with a checks.json for each scenario.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from tests.interop import node

PACKAGE = "@modelcontextprotocol/conformance"
SUITE_SECONDS = 300.0

_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@attrs.frozen
class Check:
    """One thing that the suite has looked at."""

    id: str
    status: str
    """SUCCESS, FAILURE, WARNING, INFO or SKIPPED; only a FAILURE fails its scenario."""
    message: str

    @property
    def is_of_schema(self) -> bool:
        """Whether it held the messages against the protocol's schema, as in every scenario."""
        return self.id.startswith("wire-schema")

    def __str__(self) -> str:
        return f"{self.status} {self.id}: {self.message}"


@attrs.frozen
class Outcome:
    """What came of one scenario; without checks it did not complete."""

    checks: Sequence[Check]

    def having(self, *statuses: str) -> Sequence[Check]:
        """Return the checks that ended in one of `statuses`."""
        return [check for check in self.checks if check.status in statuses]

    @property
    def failures(self) -> Sequence[str]:
        """Why the scenario fails; empty where it passes."""
        if not any(not check.is_of_schema for check in self.having("SUCCESS", "FAILURE")):
            return ["the scenario did not complete, or was skipped"]
        return [str(check) for check in self.having("FAILURE")]

    @property
    def warnings(self) -> Sequence[str]:
        """What the suite would like better."""
        return [str(check) for check in self.having("WARNING")]


def run(url: str, revision: str) -> Mapping[str, Outcome]:
    """Run what the suite has for a revision; return the outcomes of its scenarios by name.

    Raises AssertionError where the suite itself fails, NodeError where there is none.
    """
    script = node.install_packages() / PACKAGE / "dist" / "index.js"
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        options = ["--url", url, "--requirements", revision, "--output-dir", folder]
        done = subprocess.run(
            [node.executable(), str(script), "server", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SUITE_SECONDS,
            check=False,
        )
        outcomes = dict(_outcomes(Path(folder)))
    if not outcomes:
        raise AssertionError(f"the conformance suite did not run:\n{done.stdout}")
    return outcomes


def required(revision: str) -> set[str]:
    """Return the server scenarios that the suite's own list for a revision has."""
    path = node.install_packages() / PACKAGE / "requirements" / f"{revision}.yaml"
    _, _, rest = path.read_text().partition("\nserver:\n")
    own = re.match(r"(?:  - \S+\n|\s*#.*\n|\n)*", rest)
    assert own is not None
    return set(re.findall(r"^  - (\S+)$", own[0], re.MULTILINE))


def _outcomes(folder: Path) -> Iterator[tuple[str, Outcome]]:
    for path in sorted(folder.glob("*/checks.json")):
        name = _FOLDER.fullmatch(path.parent.name)
        if name is not None:
            checks = [
                Check(
                    id=check["id"],
                    status=check["status"],
                    message=check.get("errorMessage") or check["description"],
                )
                for check in json.loads(path.read_text())
            ]
            yield name[1], Outcome(checks)
