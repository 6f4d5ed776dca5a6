"""Methods of the server's own, beside those of the protocol."""

import re
from collections.abc import Mapping
from typing import Any, Final

import attrs

from ._typed import Value, a_kind, typed
from .errors import RegistrationError
from .schemas import ToolSchema
from .values import plain
from .work import Handler, UnfitResult

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+")
_RESERVED: Final = frozenset(
    {
        "completion",
        "elicitation",
        "logging",
        "notifications",
        "prompts",
        "resources",
        "roots",
        "sampling",
        "server",
        "subscriptions",
        "tasks",
        "tools",
    }
)


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class CustomMethod(Value):
    """A method of the server's own: its params are an object, and so is its result."""

    name: str
    input: ToolSchema
    handler: Handler
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False

    def __attrs_post_init__(self) -> None:
        if self.name.split("/")[0] in _RESERVED:
            raise RegistrationError(
                f'method "{self.name}": its prefix is one of the protocol; take one of your own'
            )
        if _NAME.fullmatch(self.name) is None:
            raise RegistrationError(
                f'a method is named as in "acme/reindex", with a prefix of its own; '
                f"{self.name!r} is not"
            )

    @property
    def label(self) -> str:
        return f'method "{self.name}"'

    def result(self, returned: Any) -> Mapping[str, Any]:
        """Return the result as JSON; None is an empty one."""
        if returned is None:
            return {}
        try:
            value = plain(returned)
        except (TypeError, ValueError, RecursionError) as error:
            raise UnfitResult(f"its result is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise UnfitResult(
                f"it returned {a_kind(returned)}; return a dict, an args instance or None"
            )
        return value
