"""Where things may stand: the layout of the project, as far as no other tool holds it."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parent.parent
PACKAGES = (ROOT / "typedargs", ROOT / "server" / "typedargs_server")
REVISIONS = PACKAGES[1] / "eras" / "versions.py"
EXAMPLES = PACKAGES[0] / "_formats.py"
"""Names a day, as an example of one, and no revision."""

MODULES = [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]

LINK = re.compile(r"https://modelcontextprotocol\.io/\S+")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

HEAVY = {"cyclopts", "jsonschema", "jsonschema_rs", "mcp", "pydantic", "rich", "starlette"}
"""Packages that importing ours must not load."""


def test_the_revisions_stand_in_one_file() -> None:
    assert DATE.search(REVISIONS.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path not in (REVISIONS, EXAMPLES)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_no_other_module_names_a_revision_but_in_a_link(path: Path) -> None:
    assert DATE.findall(LINK.sub("", path.read_text(encoding="utf-8"))) == []


def test_the_folder_of_the_server_is_no_package() -> None:
    assert [path.name for path in (ROOT / "server").glob("*.py")] == []


def test_the_wheel_holds_the_two_packages_and_nothing_else(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        "typedargs",
        "typedargs_server",
    }
    assert len(top) == 3
    assert {"typedargs/py.typed", "typedargs_server/py.typed"} <= set(names)
    modules = {name for name in names if name.endswith(".py")}
    assert modules == {
        (Path(package.name) / path.relative_to(package)).as_posix()
        for package in PACKAGES
        for path in package.rglob("*.py")
    }


def test_importing_the_packages_loads_nothing_heavy() -> None:
    program = (
        "import sys, typedargs, typedargs_server; print(*{n.split('.')[0] for n in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    loaded = set(done.stdout.split())
    assert {"typedargs", "typedargs_server"} <= loaded
    assert loaded & HEAVY == set()
