"""What a server is, apart from any connection: its identity, its tools, its settings."""

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import attrs
import msgspec

from ._typed import Value, typed
from .context import RequestContext
from .handlers import handler_may_ask
from .model import CacheHints, Implementation
from .registry import Registry
from .state import Sealer, UsedStates
from .subscriptions import Changes, Kind, ListChanged
from .tools import ToolRegistry
from .work import Work

if TYPE_CHECKING:
    from .completion import CompletionRegistry
    from .methods import CustomMethod
    from .prompts import PromptRegistry
    from .resources import ResourceRegistry

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is read, in bytes, unless a resource says otherwise."""
MAX_ENTRIES: Final = 1000
"""The most files of a directory that are listed, unless it says otherwise."""

Proceed: TypeAlias = Callable[[], Awaitable[Any]]
Middleware: TypeAlias = Callable[[RequestContext, Proceed], Awaitable[Any]]
"""Takes the request and what answers it; returns the answer, or raises an error in its place."""


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Limits(Value):
    """The bounds of a server; each can be set where the server is made."""

    max_message_bytes: int = 32 * 1024 * 1024
    """The longest message read, in bytes; a longer one is refused unread."""
    max_concurrent_calls: int = 1000
    """Calls of handlers running at once, with middleware all requests; one more is answered as
    overloaded."""
    max_threads: int = 40
    """Worker threads for `def` handlers; calls beyond wait for one."""
    drain_seconds: float = 10.0
    """How long calls may go on after the end of input, in seconds; then they are cancelled."""
    max_waiting_bytes: int = 16 * 1024 * 1024
    """Messages that wait for a slow reader, in bytes; beyond, on stdio no more calls are run, and
    progress and log messages wait; over HTTP the response is cut off."""
    page_size: int = 1000
    """Entries in one page of a list."""

    def __attrs_post_init__(self) -> None:
        for name, value in attrs.asdict(self).items():
            if name == "drain_seconds":
                if not value >= 0:
                    raise ValueError(f"{name} must be at least 0, got {value!r}")
                if value == math.inf:
                    raise ValueError(f"{name} must be finite, got {value!r}")
            elif value < 1:
                raise ValueError(f"{name} must be above 0, got {value!r}")


R = TypeVar("R")
G = TypeVar("G", bound=Registry[Any])

_OFFERED: Final = ("tools", "prompts", "resources", "completions")


class ServerDefinition(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that the protocol core answers from.

    What not all servers have is loaded and made when it is first asked for.
    """

    implementation: Implementation
    instructions: str | None
    tools: ToolRegistry
    methods: "dict[str, CustomMethod]" = msgspec.field(default_factory=dict)
    middleware: list[Middleware] = msgspec.field(default_factory=list)
    """Around every request, the first outermost."""
    changes: Changes = msgspec.field(default_factory=Changes)
    sealer: Sealer
    used: UsedStates | None = None
    """Where a state that may be used once is marked as used."""
    limits: Limits
    cache: CacheHints

    def __post_init__(self) -> None:
        self._told("tools", self.tools)

    @property
    def prompts(self) -> "PromptRegistry":
        """The prompts."""

        def made() -> "PromptRegistry":
            from .prompts import PromptRegistry

            return self._told("prompts", PromptRegistry(self.limits.page_size))

        return self._kept("prompts", made)

    @property
    def resources(self) -> "ResourceRegistry":
        """The resources and the templates."""

        def made() -> "ResourceRegistry":
            from .resources import ResourceRegistry

            registries = ResourceRegistry(self.limits.page_size)
            self._told("resources", registries.resources)
            self._told("resources", registries.templates)
            return registries

        return self._kept("resources", made)

    @property
    def completions(self) -> "CompletionRegistry":
        """What completes the arguments of prompts and the variables of templates."""

        def made() -> "CompletionRegistry":
            from .completion import CompletionRegistry

            return CompletionRegistry(self.prompts, self.resources)

        return self._kept("completions", made)

    def _told(self, kind: Kind, registry: G) -> G:
        """Have the changes of a registry told as those of the list of `kind`."""
        registry.listen(lambda: self.changes.tell(ListChanged(kind)))
        return registry

    def _kept(self, kind: str, make: Callable[[], R]) -> R:
        """Return what there is of `kind`, the same to all threads."""
        kept: R | None = vars(self).get(kind)
        return vars(self).setdefault(kind, make()) if kept is None else kept

    def may_ask(self) -> bool:
        """Tell whether some handler has a way to ask the client, as far as its code says."""
        works: list[Work] = [*self.tools.all()]
        if self.offers("prompts"):
            works += self.prompts.all()
        if self.offers("resources"):
            works += self.resources.resources.all()
            works += self.resources.templates.all()
        return any(handler_may_ask(work.handler) for work in works)

    def offered(self) -> frozenset[str]:
        """Return what the server has, in the words of its capabilities."""
        return frozenset(kind for kind in _OFFERED if self.offers(kind))

    def offers(self, kind: str) -> bool:
        """Tell whether the server has `kind`: tools always, the others once there is one."""
        if kind == "completions":
            completed = self.offers("prompts") or self.offers("resources")
            return completed and self.completions.is_used
        return kind == "tools" or (kind in vars(self) and bool(getattr(self, kind).is_used))
