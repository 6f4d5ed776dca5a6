"""The public names are complete, and importing them loads nothing heavy."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import typedargs
import typedargs_server

ROOT = Path(__file__).parents[1]
HEAVY = ("cattrs", "difflib", "jsonschema_rs", "rich", "starlette", "uvicorn")
SOME = ("json", "mimetypes", "pathlib", "uritemplate")
"""What only some servers need."""
SOME_OWN = ("completion", "files", "methods", "prompts", "questions", "resources", "uri_templates")
PACKAGES = (typedargs, typedargs_server)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_list_of_public_names_is_sorted_and_complete(package: ModuleType) -> None:
    assert sorted(set(package.__all__), key=_as_ruff_sorts) == list(package.__all__)
    public = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    on_demand = {name for name in package.__all__ if name not in vars(package)}
    assert on_demand <= set(getattr(package, "_ON_DEMAND", ()))
    assert public | on_demand == set(package.__all__)


def _as_ruff_sorts(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_is_documented(package: ModuleType) -> None:
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert (value.__doc__ or "").strip(), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_module_says_what_belongs_in_it(package: ModuleType) -> None:
    folder = Path(package.__path__[0])
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] == "__main__":
            continue
        name = ".".join((package.__name__, *(part for part in parts if part != "__init__")))
        assert (importlib.import_module(name).__doc__ or "").strip(), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_is_listed_by_dir(package: ModuleType) -> None:
    assert set(package.__all__) <= set(dir(package))


def loaded_by(code: str) -> set[str]:
    """Return the modules that a new interpreter has loaded after `code`."""
    program = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'server')!r}]\n{code}\n"
        "print(*sorted(sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_the_fields_load_nothing_of_the_server() -> None:
    loaded = loaded_by("import typedargs")
    assert "typedargs.fields" in loaded
    assert loaded.isdisjoint({"anyio", "asyncio", "typedargs_server", *HEAVY})


def test_the_server_loads_nothing_heavy() -> None:
    loaded = loaded_by("import typedargs, typedargs_server")
    assert "typedargs_server.app" in loaded
    assert loaded.isdisjoint(HEAVY)


SERVER = """
import typedargs as t, typedargs_server as s
class Args(t.MCPArgs):
    a = t.Integer(default=3)
server = s.MCPServer("calculator")
@server.tool
async def add(args: Args) -> Args:
    return args
"""


def test_a_server_of_tools_loads_nothing_of_the_other_kinds() -> None:
    loaded = loaded_by(SERVER)
    assert loaded.isdisjoint({*HEAVY, *SOME, *(f"typedargs_server.{each}" for each in SOME_OWN)})


@pytest.mark.parametrize(
    ("statement", "module"),
    [
        ("server.prompts", "prompts"),
        ("server.resources", "resources"),
        ("s.Prompt", "prompts"),
        ("s.ResourceTemplate", "resources"),
        ("s.CustomMethod", "methods"),
        ("server.add_directory('d://', '.')", "files"),
    ],
)
def test_what_only_some_servers_have_is_loaded_when_it_is_asked_for(
    statement: str, module: str
) -> None:
    assert f"typedargs_server.{module}" in loaded_by(f"{SERVER}\n{statement}")


USE = """
import typedargs as t
class Args(t.MCPArgs):
    a = t.Integer(default=3)
t.unstructure(t.structure({}, Args))
t.schema_of(Args)
"""


def test_a_class_at_work_loads_nothing_heavy() -> None:
    assert loaded_by(USE).isdisjoint(HEAVY)


def test_cattrs_is_loaded_to_write_what_is_not_json() -> None:
    dated = USE.replace("t.Integer(default=3)", "t.Date(required=False)")
    assert "cattrs" in loaded_by(dated)
    assert loaded_by(dated.replace("t.unstructure", "")).isdisjoint(HEAVY)


def test_names_are_compared_only_on_the_way_to_an_error() -> None:
    fault = "try: t.structure({'a': 'x', 'A': 1}, Args)\nexcept t.ValidationError: pass"
    assert "difflib" in loaded_by(f"{USE}\n{fault}")
