"""Files and directories as resources: what is read, and that nothing else is."""

import os
import sys
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from tests.server import wire
from typedargs_server import InternalError, RegistrationError
from typedargs_server.eras import versions
from typedargs_server.errors import ResourceNotFound
from typedargs_server.files import DirectoryResources, file_resource, static
from typedargs_server.handlers import Handler
from typedargs_server.resources import Resource, ResourceRegistry, ResourceTemplate

PREFIX = "docs:///"
LINKS = sys.platform != "win32"


def read(item: Resource) -> dict[str, Any]:
    result = item.result(item.handler.function()).answer({"uri": item.uri}, methodcaller("wire"))
    (contents,) = result["contents"]
    return dict(contents)


def served(directory: DirectoryResources, uri: str) -> dict[str, Any]:
    """What reading `uri` gives."""
    resources = ResourceRegistry(1000)
    resources.templates.add(directory.template())
    template, variables = resources.find(uri)
    assert isinstance(template, ResourceTemplate)
    assert variables is not None
    returned = template.handler.function(template.arguments(variables))
    (contents,) = template.result(returned).answer({"uri": uri}, methodcaller("wire"))["contents"]
    return dict(contents)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "secret.txt": "secret",
        "docs/a.md": "# A",
        "docs/b c.txt": "b c",
        "docs/sub/d.json": "{}",
        "docs/sub/.hidden": "hidden",
        "docs/.git/config": "hidden",
        "docs/100%.txt": "all",
        "docs-other/e.txt": "other",
    }
    for name, body in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8", newline="")
    return tmp_path


@pytest.mark.parametrize(
    ("value", "body"),
    [
        ("a", {"mimeType": "text/plain", "text": "a"}),
        (b"a", {"mimeType": "application/octet-stream", "blob": "YQ=="}),
    ],
)
def test_a_value_is_a_resource(value: str | bytes, body: dict[str, str]) -> None:
    item = Resource(uri="a:b", name="a", description=None, handler=static(value))
    assert read(item) == {"uri": "a:b", **body}


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="static: value must be a str or bytes, got 3"):
        static(3)  # type: ignore[arg-type]


# One file


@pytest.mark.parametrize(
    ("name", "data", "body"),
    [
        ("a.md", b"# A", {"mimeType": "text/markdown", "text": "# A"}),
        ("a.json", b"{}", {"mimeType": "application/json", "text": "{}"}),
        ("a.svg", b"<svg/>", {"mimeType": "image/svg+xml", "text": "<svg/>"}),
        ("a.unknown-kind", b"a", {"mimeType": "text/plain", "text": "a"}),
        ("a", "ä".encode(), {"mimeType": "text/plain", "text": "ä"}),
        ("a", b"\xff", {"mimeType": "application/octet-stream", "blob": "/w=="}),
        ("a", b"\0", {"mimeType": "application/octet-stream", "blob": "AA=="}),
        ("a.txt", b"\xff", {"mimeType": "text/plain", "blob": "/w=="}),
        ("a.txt", b"a\r\nb", {"mimeType": "text/plain", "text": "a\r\nb"}),
        ("a.png", b"a", {"mimeType": "image/png", "blob": "YQ=="}),
        ("a.txt.gz", b"a", {"mimeType": "application/gzip", "blob": "YQ=="}),
        ("a.txt", b"", {"mimeType": "text/plain", "text": ""}),
    ],
)
def test_a_file_is_text_where_it_can_be(
    tmp_path: Path, name: str, data: bytes, body: dict[str, str]
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    item = file_resource(file, "a:b")
    assert read(item) == {"uri": "a:b", **body}
    assert item.name == name


def test_a_file_is_listed_with_its_size_its_kind_and_its_date(tmp_path: Path) -> None:
    file = tmp_path / "a b.md"
    file.write_bytes(b"# A")
    os.utime(file, (1736694058, 1736694058))
    listed = file_resource(file, description="About A").wire(objects_only=False)
    for era in (versions.MODERN, versions.LATEST_LEGACY):
        wire._valid(listed, era, "Resource")
    assert listed == {
        "uri": file.as_uri(),
        "name": "a b.md",
        "description": "About A",
        "mimeType": "text/markdown",
        "annotations": {"lastModified": "2025-01-12T15:00:58Z"},
        "size": 3,
    }


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    item = file_resource(file, mime_type="text/x-own", name="Own", timeout=3)
    assert (item.name, item.timeout) == ("Own", 3)
    file.write_text("new")
    assert read(item) == {"uri": file.as_uri(), "mimeType": "text/x-own", "text": "new"}
    file.unlink()
    with pytest.raises(ResourceNotFound) as caught:
        read(item)
    assert caught.value.data == {"uri": file.as_uri()}


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_where_there_is_no_file_it_cannot_be_registered(tmp_path: Path, name: str) -> None:
    with pytest.raises(RegistrationError, match="there is no file at "):
        file_resource(tmp_path / name)


@pytest.mark.parametrize(("size", "is_read"), [(0, True), (5, True), (6, False)])
def test_a_file_above_the_limit_is_not_read(tmp_path: Path, size: int, is_read: bool) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x" * size)
    item = file_resource(file, "a:b", max_bytes=5)
    if is_read:
        assert read(item)["text"] == "x" * size
        return
    with pytest.raises(InternalError) as caught:
        read(item)
    assert caught.value.message == "The file is larger than 5 bytes, the most that is read"
    assert caught.value.data == {"uri": "a:b"}


# A directory


@pytest.mark.parametrize(
    ("uri", "body"),
    [
        ("docs:///a.md", "# A"),
        ("docs:///b%20c.txt", "b c"),
        ("docs:///sub/d.json", "{}"),
        ("docs:///%61.md", "# A"),
        ("docs:///100%25.txt", "all"),
    ],
)
def test_the_files_of_a_directory_are_served(root: Path, uri: str, body: str) -> None:
    assert served(DirectoryResources(PREFIX, root / "docs"), uri)["text"] == body


ESCAPES = [
    "docs:///../secret.txt",
    "docs:///sub/../../secret.txt",
    "docs:///sub/../a.md",
    "docs:///%2e%2e/secret.txt",
    "docs:///%2E%2E/secret.txt",
    "docs:///.%2e/secret.txt",
    "docs:///..%2fsecret.txt",
    "docs:///..%2Fsecret.txt",
    "docs:///%2e%2e%2fsecret.txt",
    "docs:///%252e%252e%252fsecret.txt",
    "docs:///..%5csecret.txt",
    "docs:///sub%5c..%5c..%5csecret.txt",
    "docs:///..\\secret.txt",
    "docs:///..%00/secret.txt",
    "docs:///a.md%00",
    "docs:///a.md%00.png",
    "docs:////etc/passwd",
    "docs:///%2fetc%2fpasswd",
    "docs:////",
    "docs:///",
    "docs:///.",
    "docs:///..",
    "docs:///./a.md",
    "docs:///sub//d.json",
    "docs:///sub/",
    "docs:///sub",
    "docs:///a.md/",
    "docs:///a.md/x",
    "docs:///a.md?x",
    "docs:///a.md#x",
    "docs:///C:/Windows/win.ini",
    "docs:///C:%5cWindows%5cwin.ini",
    "docs:///c:a.md",
    "docs://///server/share/a",
    "docs:///%5c%5cserver%5cshare%5ca",
    "docs:///file:///etc/passwd",
    "docs:///~/a",
    "docs:///../docs-other/e.txt",
    "docs:///..;/secret.txt",
    "docs:///%c0%ae%c0%ae/secret.txt",
    "docs:///%uff0e%uff0e/secret.txt",
    "docs:///\uff0e\uff0e/secret.txt",
    "docs:///.git/config",
    "docs:///sub/.hidden",
    "docs:///missing.md",
    "docs:///" + "a" * 5000,
    "docs:///" + "a/" * 3000 + "a",
    "docs:///a%0A.md",
    "docs://other/a.md",
]


@pytest.mark.parametrize("uri", ESCAPES)
def test_nothing_but_the_files_of_the_directory_is_served(root: Path, uri: str) -> None:
    with pytest.raises(ResourceNotFound):
        served(DirectoryResources(PREFIX, root / "docs"), uri)


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "/etc/passwd", "..\\secret.txt", "a.md\0", "", ".", "C:/a", "\udcff"],
)
def test_a_path_that_comes_past_the_template_is_checked_all_the_same(root: Path, path: str) -> None:
    with pytest.raises(ResourceNotFound):
        DirectoryResources(PREFIX, root / "docs").read({"path": path})


@pytest.mark.skipif(not LINKS, reason="making links needs rights on Windows")
@pytest.mark.parametrize(
    ("link", "target", "uri", "body"),
    [
        ("docs/out.txt", "secret.txt", "docs:///out.txt", None),
        ("docs/out", "docs-other", "docs:///out/e.txt", None),
        ("docs/up", ".", "docs:///up/secret.txt", None),
        ("docs/shown.txt", "docs/sub/.hidden", "docs:///shown.txt", None),
        ("docs/self", "docs/self", "docs:///self", None),
        ("docs/dangling", "nowhere", "docs:///dangling", None),
        ("docs/null", "/dev/null", "docs:///null", None),
        ("docs/in.md", "docs/a.md", "docs:///in.md", "# A"),
        ("docs/inner", "docs/sub", "docs:///inner/d.json", "{}"),
    ],
)
def test_a_link_is_followed_only_within_the_directory(
    root: Path, link: str, target: str, uri: str, body: str | None
) -> None:
    (root / link).symlink_to(root / target)
    directory = DirectoryResources(PREFIX, root / "docs")
    if body is None:
        with pytest.raises(ResourceNotFound):
            served(directory, uri)
        assert uri not in [entry.uri for entry in directory.entries()]
    else:
        assert served(directory, uri)["text"] == body


@pytest.mark.skipif(not LINKS, reason="making links needs rights on Windows")
def test_the_directory_itself_may_be_a_link(root: Path) -> None:
    (root / "link").symlink_to(root / "docs")
    directory = DirectoryResources(PREFIX, root / "link")
    assert served(directory, "docs:///a.md")["text"] == "# A"
    assert directory.template().name == "docs"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_pipe_is_not_served_and_does_not_block(root: Path) -> None:
    os.mkfifo(root / "docs" / "pipe")
    directory = DirectoryResources(PREFIX, root / "docs")
    with pytest.raises(ResourceNotFound):
        served(directory, "docs:///pipe")
    with pytest.raises(RegistrationError):
        file_resource(root / "docs" / "pipe")


def test_hidden_files_are_served_if_asked_for(root: Path) -> None:
    directory = DirectoryResources(PREFIX, root / "docs", hidden=True)
    assert served(directory, "docs:///sub/.hidden")["text"] == "hidden"
    assert served(directory, "docs:///.git/config")["text"] == "hidden"
    with pytest.raises(ResourceNotFound):
        served(directory, "docs:///../secret.txt")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("**/*", ["100%.txt", "a.md", "b c.txt", "sub/d.json"]),
        ("*", ["100%.txt", "a.md", "b c.txt"]),
        ("**/*.json", ["sub/d.json"]),
        ("sub/*", ["sub/d.json"]),
        ("sub/**/*", ["sub/d.json"]),
        ("**/sub/*", ["sub/d.json"]),
        ("*/*.md", []),
        ("[a-b]*", ["a.md", "b c.txt"]),
        ("?.md", ["a.md"]),
    ],
)
def test_a_pattern_says_which_files_are_served_and_listed(
    root: Path, pattern: str, names: list[str]
) -> None:
    directory = DirectoryResources(PREFIX, root / "docs", pattern)
    assert [entry.name for entry in directory.entries()] == names
    for name in ("100%.txt", "a.md", "b c.txt", "sub/d.json"):
        uri = PREFIX + name.replace("%", "%25").replace(" ", "%20")
        if name in names:
            assert served(directory, uri)["uri"] == uri
        else:
            with pytest.raises(ResourceNotFound):
                served(directory, uri)


def test_the_entries_are_resources_that_can_be_listed_and_read(root: Path) -> None:
    entries = list(DirectoryResources(PREFIX, root / "docs").entries())
    assert [entry.uri for entry in entries] == [
        "docs:///100%25.txt",
        "docs:///a.md",
        "docs:///b%20c.txt",
        "docs:///sub/d.json",
    ]
    assert [(entry.size, entry.mime_type) for entry in entries] == [
        (3, "text/plain"),
        (3, "text/markdown"),
        (3, "text/plain"),
        (2, "application/json"),
    ]
    assert [read(entry)["text"] for entry in entries] == ["all", "# A", "b c", "{}"]
    for entry in entries:
        wire._valid(entry.wire(objects_only=False), versions.MODERN, "Resource")


def test_no_more_entries_are_listed_than_the_limit(root: Path) -> None:
    directory = DirectoryResources(PREFIX, root / "docs", max_entries=2)
    assert len(list(directory.entries())) == 2


def test_a_file_of_a_directory_above_the_limit_is_not_read(root: Path) -> None:
    with pytest.raises(InternalError, match="The file is larger than 2 bytes"):
        served(DirectoryResources(PREFIX, root / "docs", max_bytes=2), "docs:///a.md")


def test_a_template_of_a_directory_takes_the_options_of_a_template(root: Path) -> None:
    directory = DirectoryResources(PREFIX, root / "docs", name="Docs", description="All of them")
    template = directory.template(timeout=3, title="T")
    assert isinstance(template.handler, Handler)
    assert template.wire(objects_only=False) == {
        "uriTemplate": "docs:///{+path}",
        "name": "Docs",
        "title": "T",
        "description": "All of them",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("docs", "."), "a URI begins with a scheme"),
        (("docs://a", "."), "the URI must end with a slash"),
        (("docs://a/", "**/a/**"), 'a pattern has one "**" at the most'),
    ],
)
def test_a_directory_that_cannot_be_served_is_refused(
    root: Path, arguments: tuple[str, str], message: str
) -> None:
    with pytest.raises(RegistrationError, match=message.replace("*", r"\*")):
        DirectoryResources(arguments[0], root, arguments[1])
    with pytest.raises(RegistrationError, match="there is no directory at"):
        DirectoryResources("docs://a/", root / "secret.txt")
