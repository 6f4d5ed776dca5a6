"""Resources that are there already: values, files, and the files of a directory.

A directory gives what lies in it and nothing else, whatever the URI says.
"""

import mimetypes
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import attrs

from ._typed import Value, require, typed
from .definition import MAX_ENTRIES, MAX_FILE_BYTES
from .errors import InternalError, RegistrationError, ResourceNotFound
from .model import Annotations
from .resources import BYTES, TEXT, Resource, ResourceTemplate
from .results import BlobResourceContents, ResourceContents, TextResourceContents
from .uris import check_uri
from .work import Handler

_TEXTUAL: Final = re.compile(
    r"text/.*|.*\+(?:json|xml|yaml)"
    r"|application/(?:json|xml|javascript|ecmascript|yaml|toml|sql|x-sh|x-python|x-tex|x-yaml|rtf)"
    r"|application/(?:x-httpd-php|x-ndjson|x-csh|x-javascript|typescript|graphql)"
)
_COMPRESSED: Final[Mapping[str, str]] = {"gzip": "application/gzip", "bzip2": "application/x-bzip2"}
_UNFIT: Final = re.compile(
    r"[\\\0\ud800-\udfff]|^[A-Za-z]:" + ("|:" if os.name == "nt" else ""), re.DOTALL
)
"""What no served name has: another separator, a drive, bytes that are not UTF-8."""
_KEPT: Final = "/!$&'()*+,;=:@"
"""What a path in a URI may have unencoded, beside the unreserved characters."""


def _absolute(path: str | os.PathLike[str]) -> Path:
    return Path(path).absolute()


def static(value: str | bytes) -> Handler:
    """Return the handler of a resource that is always `value`."""
    require(value, str | bytes, "static: value")
    return Handler(lambda: value, 0, False)


def file_resource(
    path: str | os.PathLike[str],
    uri: str | None = None,
    name: str | None = None,
    description: str | None = None,
    *,
    max_bytes: int = MAX_FILE_BYTES,
    **options: Any,
) -> Resource:
    """Return the resource that is the file at `path`, read anew each time it is asked for.

    Without a `uri` it is the file's own, file://. The MIME type is guessed from the name, and the
    size is the one of now. `options` are those of a Resource. Raises RegistrationError where there
    is no file.
    """
    file = Path(path).absolute()
    if not file.is_file():
        raise RegistrationError(f"there is no file at {str(file)!r}; make it first")
    where = uri if uri is not None else file.as_uri()
    reader = _FileReader(file, where, options.get("mime_type"), max_bytes)
    return _of_file(
        file, Handler(reader, 0, False), where, name or file.name, description, **options
    )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class _FileReader(Value):
    """The handler of one file."""

    path: Path
    uri: str
    mime_type: str | None
    max_bytes: int

    def __call__(self) -> ResourceContents:
        try:
            return _read(self.path, self.uri, self.mime_type, self.max_bytes)
        except (FileNotFoundError, NotADirectoryError):
            raise ResourceNotFound(self.uri) from None


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class DirectoryResources(Value):
    """The files in a directory as resources, at `uri_prefix` and their path in it.

    `pattern` says which, by `*`, `?`, `[a-z]`, and `**` for any folders; files and folders whose
    names begin with a dot are among them only if `hidden`. Links that lead out of the directory are
    not followed. Register `template()`, to serve them, and, to list them too, each of `entries()`.
    """

    uri_prefix: str
    path: str | os.PathLike[str] = attrs.field(converter=_absolute)
    pattern: str = "**/*"
    name: str | None = attrs.field(default=None, kw_only=True)
    description: str | None = attrs.field(default=None, kw_only=True)
    hidden: bool = attrs.field(default=False, kw_only=True)
    max_bytes: int = attrs.field(default=MAX_FILE_BYTES, kw_only=True)
    max_entries: int = attrs.field(default=MAX_ENTRIES, kw_only=True)

    def __attrs_post_init__(self) -> None:
        check_uri(self.uri_prefix, self._label)
        if not self.uri_prefix.endswith("/"):
            raise RegistrationError(f"{self._label}: the URI must end with a slash")
        if self.pattern.split("/").count("**") > 1:
            raise RegistrationError(f'{self._label}: a pattern has one "**" at the most')
        if not Path(self.path).is_dir():
            raise RegistrationError(f"{self._label}: there is no directory at {str(self.path)!r}")

    def template(self, **options: Any) -> ResourceTemplate:
        """Return the template that serves the files; `options` are those of a ResourceTemplate."""
        return ResourceTemplate(
            uri_template=f"{self.uri_prefix}{{+path}}",
            name=self.name or self._root.name or "files",
            description=self.description,
            input=None,
            handler=Handler(self.read, 1, False),
            **options,
        )

    def read(self, variables: Mapping[str, Any]) -> ResourceContents:
        """Return the contents of the file at the variable `path`.

        Raises ResourceNotFound for all that is no file of the directory.
        """
        relative = str(variables["path"])
        uri = self._uri(relative)
        found = self._file(relative)
        if found is None:
            raise ResourceNotFound(uri)
        try:
            return _read(found, uri, _mime_type(relative), self.max_bytes)
        except (FileNotFoundError, NotADirectoryError):
            raise ResourceNotFound(uri) from None

    def entries(self) -> Iterator[Resource]:
        """Yield a resource for each file that is there now, by name, up to `max_entries`."""
        count = 0
        for relative in self._names():
            found = self._file(relative)
            if found is None:
                continue
            if count == self.max_entries:
                return
            count += 1
            handler = Handler(_Entry(self, relative), 0, False)
            mime_type = _mime_type(relative)
            yield _of_file(found, handler, self._uri(relative), relative, None, mime_type=mime_type)

    @property
    def _label(self) -> str:
        return f'directory "{self.uri_prefix}"'

    @property
    def _root(self) -> Path:
        return Path(os.path.realpath(self.path))

    def _uri(self, relative: str) -> str:
        return self.uri_prefix + quote(relative, safe=_KEPT, errors="replace")

    def _names(self) -> Iterator[str]:
        root = self._root
        for folder, folders, files in os.walk(root):
            folders[:] = sorted(each for each in folders if self.hidden or each[0] != ".")
            for name in sorted(files):
                yield Path(folder, name).relative_to(root).as_posix()

    def _file(self, relative: str) -> Path | None:
        """Return the path of a file that is to be served, or None for everything else."""
        parts = relative.split("/")
        if not all(map(self._is_name, parts)):
            return None
        root = self._root
        try:
            found = Path(os.path.realpath(root.joinpath(*parts), strict=True))
            is_file = found.is_file()
        except (OSError, ValueError):  # none such, too long, a circle of links
            return None
        inside = found.relative_to(root).parts if found.is_relative_to(root) else ("..",)
        if not is_file or not all(map(self._is_name, inside)):
            return None
        return found if _fits(parts, self.pattern.split("/")) else None

    def _is_name(self, part: str) -> bool:
        """Whether `part` is the name of a file or folder that may be served, on any system."""
        if part in ("", ".", "..") or _UNFIT.search(part):
            return False
        return self.hidden or not part.startswith(".")


@attrs.frozen
class _Entry:
    """The handler of one file in a directory."""

    directory: DirectoryResources
    relative: str

    def __call__(self) -> ResourceContents:
        return self.directory.read({"path": self.relative})


def _of_file(
    file: Path,
    handler: Handler,
    uri: str,
    name: str,
    description: str | None,
    **options: Any,
) -> Resource:
    status = file.stat()
    modified = datetime.fromtimestamp(int(status.st_mtime), UTC)
    given: dict[str, Any] = {
        "mime_type": _mime_type(file.name),
        "size": status.st_size,
        "annotations": Annotations(last_modified=modified.isoformat().replace("+00:00", "Z")),
        **options,
    }
    return Resource(uri=uri, name=name, description=description, handler=handler, **given)


def _read(path: Path, uri: str, mime_type: str | None, max_bytes: int) -> ResourceContents:
    with path.open("rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ResourceNotFound(uri)
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise InternalError(
            f"The file is larger than {max_bytes} bytes, the most that is read", {"uri": uri}
        )
    kind = mime_type or _mime_type(path.name)
    if kind is None or _TEXTUAL.fullmatch(kind.partition(";")[0].strip().lower()):
        text = _text(data)
        if text is not None:
            return TextResourceContents(text, mime_type=kind or TEXT)
    return BlobResourceContents(data, mime_type=kind or BYTES)


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _mime_type(name: str) -> str | None:
    kind, encoding = mimetypes.guess_type(name)
    return kind if encoding is None else _COMPRESSED.get(encoding, BYTES)


def _fits(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path has the form of `pattern`, in which one `**` is any number of folders."""
    if "**" not in pattern:
        return len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))
    middle = pattern.index("**")
    before, after = pattern[:middle], pattern[middle + 1 :]
    return (
        len(parts) >= len(before) + len(after)
        and all(map(fnmatchcase, parts, before))
        and all(map(fnmatchcase, parts[len(parts) - len(after) :], after))
    )
