"""Static types hold under the strict modes of two checkers, without a plugin."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ASSERTIONS = Path(__file__).with_name("assertions.py")


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_mypy_strict_agrees_with_every_assertion(tmp_path: Path) -> None:
    config = tmp_path / "mypy.ini"
    config.write_text(
        "[mypy]\nstrict = true\nwarn_unused_ignores = true\n"
        "enable_error_code = ignore-without-code\n"
    )
    result = run(
        "mypy",
        "--config-file",
        str(config),
        "--cache-dir",
        str(tmp_path),
        str(ASSERTIONS),
        cwd=ROOT,
    )
    assert result.stdout == "Success: no issues found in 1 source file\n", result.stderr


def test_pyright_strict_agrees_with_every_assertion(tmp_path: Path) -> None:
    shutil.copy(ASSERTIONS, tmp_path)  # a project of pyright's is the folder of its settings
    config = tmp_path / "pyrightconfig.json"
    config.write_text(
        json.dumps(
            {
                "include": [ASSERTIONS.name],
                "extraPaths": [str(ROOT), str(ROOT / "server")],
                "typeCheckingMode": "strict",
                "enableTypeIgnoreComments": True,
                "reportUnnecessaryTypeIgnoreComment": True,
            }
        )
    )
    result = run(
        "pyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        "--project",
        str(config),
        cwd=tmp_path,
    )
    report = json.loads(result.stdout)
    faults = [
        f"{fault['range']['start']['line'] + 1}: {fault['message']}"
        for fault in report["generalDiagnostics"]
    ]
    assert faults == []
    assert report["summary"]["filesAnalyzed"] == 1


REQUIRED = {
    "array": "Array(Integer())",
    "boolean": "Boolean()",
    "bytes_": "Bytes()",
    "date": "Date()",
    "date_time": "DateTime()",
    "decimal": "Decimal()",
    "double": "Double()",
    "duration": "Duration()",
    "email": "Email()",
    "enum": 'Enum("x")',
    "integer": "Integer()",
    "json": "Json()",
    "map_": "Map(Integer())",
    "nested": "Nested(Other)",
    "one_of": "OneOf(Integer(), String())",
    "path": "Path()",
    "string": "String()",
    "time": "Time()",
    "tuple_": "Tuple(Integer())",
    "uri": "Uri()",
    "uuid": "UUID()",
}


def test_a_constructor_needs_required_fields_of_each_kind(tmp_path: Path) -> None:
    file = tmp_path / "each_kind.py"
    fields = "".join(f"    {name}: Any = {field}\n" for name, field in REQUIRED.items())
    file.write_text(
        "from typing import Any\n\nfrom typedargs import *\n\n\n"
        "class Other(MCPArgs):\n    x = Integer()\n\n\n"
        f"class Args(TypedArgs):\n{fields}    absent: Any = Path(default=None)\n\n\nArgs()\n"
    )
    mypy = run("mypy", "--cache-dir", str(tmp_path), str(file), cwd=ROOT).stdout
    assert set(re.findall(r'Missing named argument "(\w+)"', mypy)) == set(REQUIRED)
    pyright = run("pyright", "--pythonpath", sys.executable, str(file), cwd=ROOT).stdout
    (told,) = re.findall(r"Arguments missing for parameters (.*)", pyright)
    assert set(re.findall(r'"(\w+)"', told)) == set(REQUIRED)
