"""Every Python block of the documentation runs, and gives what the comments beside it say.

The blocks of a page run in order, in one namespace, after the first example of the README. A
comment beside or below a statement may be its value, or say what it `raises`; other comments are
for readers alone. Tests on a page are run by pytest, as a reader would.
"""

import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import attrs
import pytest

import typedargs
import typedargs_server
from tests.server.transports.web import Web
from typedargs_server.transports.http import HttpSettings

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


def blocks(page: str) -> Iterator[str]:
    """Give the Python blocks of a page, each at the lines where it stands."""
    text = (ROOT / page).read_text()
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield "\n" * text[: match.start(1)].count("\n") + match[1]


def statements(source: str) -> Iterator[tuple[ast.stmt, str]]:
    """Give each statement of a block, and the comment beside or right below it."""
    comments = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    lines = source.splitlines()
    for statement in ast.parse(source).body:
        line = statement.end_lineno or 0
        said = [comments.get(line, "")]
        while line < len(lines) and lines[line].startswith("#"):
            line += 1
            said.append(comments[line])
        yield statement, " ".join(said).strip()


def run(statement: ast.stmt, page: str, namespace: dict[str, Any]) -> Any:
    """Run a statement; return its value, or that of the name that it sets."""
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), page, "eval"), namespace)
    exec(compile(ast.Module([statement], []), page, "exec"), namespace)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return namespace[statement.targets[0].id]
    return None


def check(statement: ast.stmt, comment: str, page: str, namespace: dict[str, Any]) -> None:
    raised = re.match(r"raises (\w+)", comment)
    if raised:
        with pytest.raises(getattr(typedargs, raised[1])):
            run(statement, page, namespace)
        return
    value = run(statement, page, namespace)
    try:
        said = ast.literal_eval(comment)
    except (ValueError, SyntaxError):
        if comment.startswith((f"{type(value).__name__}(", "[", "{")):
            assert comment == repr(value)
    else:
        assert said == value


def run_page(page: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the blocks of a page, each statement held to its comment; return their namespace."""
    # The page is a module, in which annotations are looked up; it may import the README's server.
    readme, module = ModuleType("server"), ModuleType("docs")
    (first, *_) = blocks("README.md")
    exec(first, vars(readme))
    vars(module).update(vars(readme), __name__="docs", server=typedargs_server.MCPServer("docs"))
    monkeypatch.setitem(sys.modules, "server", readme)
    monkeypatch.setitem(sys.modules, "docs", module)
    for source in blocks(page):
        for statement, comment in statements(source):
            check(statement, comment, page, vars(module))
    return vars(module)


@pytest.mark.parametrize("page", PAGES)
def test_what_the_documentation_shows_is_so(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, monkeypatch)


def has_tests(page: str) -> bool:
    return any("async def test_" in source for source in blocks(page))


@pytest.mark.parametrize("page", [page for page in PAGES if has_tests(page)])
def test_the_tests_that_the_documentation_shows_pass(page: str, tmp_path: Path) -> None:
    (first, *_) = blocks("README.md")
    (tmp_path / "server.py").write_text(first)
    begin = "from server import *\n\nserver = MCPServer('docs')\n"
    tests = tmp_path / "test_page.py"
    tests.write_text(begin + "\n".join(blocks(page)))
    path = os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "server")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", f"--rootdir={tmp_path}", tests],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"(\d+) passed in", done.stdout)
    assert counts is not None, done.stdout
    shown = sum(source.count("async def test_") for source in blocks(page))
    assert int(counts[1]) >= 2 * shown  # each on asyncio and on trio


@pytest.mark.parametrize(
    ("name", "path", "host"),
    [
        ("app", "/mcp", "localhost:8000"),
        ("site", "/tools/mcp", "localhost"),
        ("site_of_its_own", "/mcp", "localhost"),
        ("public", "/mcp", "tools.example.com"),
    ],
)
def test_the_apps_that_the_documentation_shows_serve(
    name: str, path: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = run_page("docs/http.md", monkeypatch)[name]

    async def use() -> None:
        lifespan = getattr(app, "lifespan", None) or app.router.lifespan_context
        async with lifespan(app), anyio.create_task_group() as tasks:
            web = Web(app, tasks, path=path)
            web.headers["host"] = host
            assert "tools" in await web.ask("tools/list")

    anyio.run(use)


def test_the_route_that_the_documentation_shows_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    app = run_page("docs/http.md", monkeypatch)["watched"]

    async def use() -> None:
        async with app.lifespan(), anyio.create_task_group() as tasks:
            answer = await Web(app, tasks).send("GET", "/health")
            assert (answer.status, answer.body) == (200, b"well")

    anyio.run(use)


def test_the_settings_of_http_are_all_documented_with_their_defaults() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| `(.+?)` \|", section("docs/http.md", "Settings"), re.MULTILINE
    )
    documented = [(name, ast.literal_eval(default)) for name, default in rows]
    assert documented == [(field.name, field.default) for field in attrs.fields(HttpSettings)]


def test_the_limits_are_all_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", section("docs/tools.md", "Settings"), re.MULTILINE)
    assert set(rows) == {field.name for field in attrs.fields(typedargs_server.Limits)}


LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    for target, anchor in LINK.findall((ROOT / page).read_text()):
        found = (ROOT / page).parent / target if target else ROOT / page
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found), f"{target}#{anchor}"


@pytest.mark.parametrize("folder", ["typedargs", "server/typedargs_server", "transports"])
def test_the_architecture_names_every_module(folder: str) -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    path = ROOT / "server/typedargs_server/transports" if folder == "transports" else ROOT / folder
    modules = {each.name for each in path.glob("*.py")} - {"__init__.py"}
    folders = {f"{each.parent.name}/" for each in path.glob("*/__init__.py")}
    assert {name for name in modules | folders if f"`{name}`" not in text} == set()


def section(page: str, title: str) -> str:
    """Give a section of a page, up to the next one of its level."""
    text = (ROOT / page).read_text()
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
