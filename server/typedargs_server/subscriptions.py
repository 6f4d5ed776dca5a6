"""Changes that peers are told of, and what each wants to hear: pure, and the same for all eras."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from .errors import InvalidParams
from .jsonrpc import RequestId

Kind: TypeAlias = Literal["tools", "prompts", "resources"]

KINDS: Final[tuple[Kind, ...]] = ("tools", "prompts", "resources")

MAX_RESOURCES: Final = 10_000
"""Resources that one subscription may name."""


class ListChanged(msgspec.Struct, frozen=True):
    """A list is another than before."""

    kind: Kind

    @property
    def method(self) -> str:
        return f"notifications/{self.kind}/list_changed"


class ResourceUpdated(msgspec.Struct, frozen=True):
    """A resource has other contents than before."""

    uri: str

    @property
    def method(self) -> str:
        return "notifications/resources/updated"


Change: TypeAlias = ListChanged | ResourceUpdated

_FILTERS: Final[Mapping[str, Kind]] = {
    "toolsListChanged": "tools",
    "promptsListChanged": "prompts",
    "resourcesListChanged": "resources",
}


class Filter(msgspec.Struct, frozen=True):
    """What one subscription wants to hear of.

    Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
    """

    kinds: frozenset[str]
    uris: frozenset[str]

    def wants(self, change: Change) -> bool:
        """Tell whether the subscription is to hear of `change`."""
        if isinstance(change, ListChanged):
            return change.kind in self.kinds
        return change.uri in self.uris

    def wire(self) -> dict[str, Any]:
        """Return the filter as the acknowledgement gives it."""
        shown: dict[str, Any] = {
            name: True for name, kind in _FILTERS.items() if kind in self.kinds
        }
        if self.uris:
            shown["resourceSubscriptions"] = sorted(self.uris)
        return shown


def filter_of(params: Mapping[str, Any], offered: frozenset[str]) -> Filter:
    """Return the part of a `subscriptions/listen` filter that is `offered`.

    Raises InvalidParams where there is none.
    """
    given = params.get("notifications")
    if not isinstance(given, Mapping):
        raise InvalidParams("notifications must be an object: what to listen to")
    for name in _FILTERS:
        if not isinstance(given.get(name, False), bool):
            raise InvalidParams(f"notifications.{name} must be true or false")
    uris = given.get("resourceSubscriptions", [])
    if not isinstance(uris, list) or not all(isinstance(uri, str) for uri in uris):
        raise InvalidParams("notifications.resourceSubscriptions must be a list of URIs")
    if len(uris) > MAX_RESOURCES:
        raise InvalidParams(
            f"notifications.resourceSubscriptions must have at most {MAX_RESOURCES} URIs"
        )
    kinds = {kind for name, kind in _FILTERS.items() if given.get(name)}
    return Filter(frozenset(kinds & offered), frozenset(uris if "resources" in offered else ()))


class Listening(msgspec.Struct, frozen=True):
    """The answer to `subscriptions/listen`: a stream that stays open."""

    filter: Filter


class Subscription(msgspec.Struct, eq=False):
    """A stream that is open."""

    id: RequestId
    channel: Any
    filter: Filter


class Changes:
    """Where changes come in, from any thread, and who is called with each."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Change], None]] = []

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` with every change; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, change: Change) -> None:
        """Tell all listeners of `change`."""
        for listener in list(self._listeners):
            listener(change)
