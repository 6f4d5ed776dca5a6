"""Where the JSON Schema Test Suite is found, https://github.com/json-schema-org/JSON-Schema-Test-Suite.

In the folder named by JSON_SCHEMA_TEST_SUITE; else in the source distribution of the package
`jsonschema`, which pip brings once per clone (`python -m tests.json_schema_suite`).
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = "jsonschema==4.26.0"
HERE = Path(__file__).parent / ".json-schema-test-suite"


@cache
def suite() -> Path:
    """Return the folder of the tests of draft 2020-12."""
    given = os.environ.get("JSON_SCHEMA_TEST_SUITE")
    root = Path(given) if given else HERE
    if not given and not root.exists():
        _bring(root)
    return root / "tests" / "draft2020-12"


def groups(name: str) -> list[dict[str, Any]]:
    """Return the schemas of a file of the suite, each with its cases."""
    found: list[dict[str, Any]] = json.loads((suite() / name).read_bytes())
    return found


def files(folder: str = "") -> Iterator[str]:
    """Give the names of the suite's files in a folder of it."""
    for path in sorted((suite() / folder).glob("*.json")):
        yield f"{folder}/{path.name}" if folder else path.name


def _bring(root: Path) -> None:
    with tempfile.TemporaryDirectory(dir=root.parent) as scratch:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
        ]
        subprocess.run([*pip, "--dest", scratch, SOURCE], check=True)
        (archive,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        (unpacked,) = Path(scratch).glob("*/json/tests")
        (Path(scratch) / "suite").mkdir()
        unpacked.rename(Path(scratch) / "suite" / "tests")
        (Path(scratch) / "suite").rename(root)


if __name__ == "__main__":
    print(suite())
