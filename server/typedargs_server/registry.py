"""Registries: named definitions in the order of registration, and their listing in pages.

What any definition must hold when it is registered is checked here too; what is particular to
tools, prompts or resources is in their own modules.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
"""

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from typedargs import nearest

from . import jsonrpc
from .errors import InvalidParams, RegistrationError
from .values import plain

MAX_NAME_LENGTH: Final = 128
_NAME: Final = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_NAME_LENGTH}}}")

_START: Final = -1
"""The position before the first definition."""


class Listed(Protocol):
    """A definition that clients see in a list."""

    @property
    def key(self) -> str:
        """What a request names it by."""
        ...

    def wire(self, *, objects_only: bool) -> dict[str, Any]:
        """Return it as its list gives it, with `objects_only` to clients of older revisions."""
        ...


T = TypeVar("T", bound=Listed)


class Registry(Generic[T]):
    """The definitions of one kind by their keys, in the order of registration.

    They may come and go from any thread, while the event loop lists them. `kind` is what one is
    called, as in "resource template", `key_word` what its key is, and `listed_as` the member of a
    list's result that holds them.
    """

    def __init__(
        self, kind: str, page_size: int, *, listed_as: str, key_word: str = "name"
    ) -> None:
        self.kind = kind
        self.is_used = False
        """Whether there was ever a definition."""
        self._key_word = key_word
        self._page_size = page_size
        self._listed_as = listed_as
        self._items: dict[str, T] = {}
        self.find: Callable[[str], T | None] = self._items.get
        """Returns the definition by its key, or None where there is none."""
        self._positions: dict[str, int] = {}
        self._next_position = 0
        self._listeners: list[Callable[[], None]] = []
        self._pages: dict[tuple[int, bool], dict[str, Any]] = {}
        self._given = {_START}
        self._lock = threading.Lock()

    def add(self, item: T) -> None:
        """Add `item`; raises RegistrationError where its key is taken."""
        self._add(item)
        self._tell()

    def _add(self, item: T) -> None:
        with self._lock:
            if item.key in self._items:
                raise RegistrationError(
                    f"a {self.kind} {self._with_key(item.key)} is registered already; choose "
                    f"another {self._key_word}, or call remove_{self.kind.replace(' ', '_')} first"
                )
            self._items[item.key] = item
            self._positions[item.key] = self._next_position
            self._next_position += 1
            self.is_used = True
            self._note(item)
            self._forget_pages()

    def add_all(self, items: Iterable[T]) -> None:
        """Add `items`, and tell of it once; raises RegistrationError where a key is taken."""
        added = False
        try:
            for item in items:
                self._add(item)
                added = True
        finally:
            if added:
                self._tell()

    def remove(self, key: str) -> None:
        """Remove a definition; its calls that run go on. Raises KeyError where there is none."""
        with self._lock:
            if key not in self._items:
                raise KeyError(f"no {self.kind} is {self._with_key(key)}")
            del self._items[key], self._positions[key]
            self._forget_pages()
        self._tell()

    def all(self) -> list[T]:
        """Return all definitions, in the order of their registration."""
        with self._lock:
            return list(self._items.values())

    def get(self, key: str) -> T:
        """Return the definition; raises InvalidParams, the protocol's answer to an unknown one."""
        item = self._items.get(key)
        if item is None:
            raise unknown(self.kind, key, [known.key for known in self.all()])
        return item

    def page(self, cursor: str | None, *, objects_only: bool) -> dict[str, Any]:
        """Return a list's result: the definitions after `cursor`, encoded, and the next cursor.

        A cursor stays good when definitions come and go. Raises InvalidParams for one that is none.
        """
        after = _START if cursor is None else _position(cursor)
        key = (after, objects_only)
        with self._lock:
            page = self._pages.get(key)
            if page is None:
                page = self._page(after, objects_only)
                if after in self._given:  # a client that makes up cursors fills no memory
                    self._pages[key] = page
        return page

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at every change; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _note(self, item: T) -> None:
        """Take note of an item that is being added, under the lock; for subclasses."""

    def _with_key(self, key: str) -> str:
        return f'named "{key}"' if self._key_word == "name" else f'at the {self._key_word} "{key}"'

    def _page(self, after: int, objects_only: bool) -> dict[str, Any]:
        keys = list(self._positions)[bisect_right(list(self._positions.values()), after) :]
        shown = keys[: self._page_size]
        items = [self._items[key].wire(objects_only=objects_only) for key in shown]
        page: dict[str, Any] = {self._listed_as: msgspec.Raw(jsonrpc.encode(items))}
        if len(keys) > len(shown):
            last = self._positions[shown[-1]]
            page["nextCursor"] = _cursor(last)
            if after in self._given:
                self._given.add(last)
        return page

    def _forget_pages(self) -> None:
        self._pages.clear()
        self._given = {_START}

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()


def unknown(kind: str, key: str, known: Sequence[str]) -> InvalidParams:
    """Return the protocol's answer to a key that names nothing, with the nearest that does."""
    close = nearest(key, known)
    hint = f'; did you mean "{close}"?' if close else ""
    return InvalidParams(f"Unknown {kind}: {key[:MAX_NAME_LENGTH]}{hint}")


def check_name(kind: str, name: str) -> None:
    """Raise RegistrationError for a name that clients refuse."""
    if _NAME.fullmatch(name) is None:
        raise RegistrationError(
            f"a {kind} name is 1 to {MAX_NAME_LENGTH} of the characters "
            f"A-Z a-z 0-9 _ - and . ; {name!r} is not"
        )


def check_bounds(label: str, timeout: float | None, max_concurrency: int | None) -> None:
    """Raise RegistrationError for bounds under which nothing could run."""
    if timeout is not None and not timeout > 0:
        raise RegistrationError(f"{label}: timeout must be above 0 seconds")
    if max_concurrency is not None and max_concurrency < 1:
        raise RegistrationError(f"{label}: max_concurrency must be at least 1")


def check_taken(label: str, parameters: int, schema: Mapping[str, Any]) -> None:
    """Raise RegistrationError where a handler of no parameters would lose its arguments."""
    if not parameters and schema.get("properties"):
        raise RegistrationError(
            f"{label}: the handler takes no parameters, so that its arguments "
            f"({', '.join(schema['properties'])}) would be lost; take (args) or (args, ctx)"
        )


def check_listable(label: str, item: Listed, meta: Mapping[str, Any] | None) -> None:
    """Raise RegistrationError for a definition that has no JSON."""
    try:
        plain(meta)
    except (TypeError, ValueError, RecursionError) as error:
        raise RegistrationError(f"{label}: meta is not JSON: {error}") from error
    try:
        jsonrpc.encode(item.wire(objects_only=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise RegistrationError(f"{label} cannot be listed: {error}") from error


def _cursor(position: int) -> str:
    return f"after-{position}"


def _position(cursor: str) -> int:
    match = re.fullmatch(r"after-([0-9]{1,18})", cursor)
    if match is None:
        raise InvalidParams("Invalid cursor; list again from the start")
    return int(match[1])
