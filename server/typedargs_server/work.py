"""What runs a user's function for a request: a tool, a prompt, a resource and the like."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec


class UnfitResult(Exception):
    """A handler returned what cannot be answered; the message says why, for the log."""


class Handler(msgspec.Struct, frozen=True):
    """A user's function and how to call it: with how much, and on the loop or in a thread."""

    function: Callable[..., Any]
    parameters: int
    is_async: bool
    never_waits: bool = False
    """Whether it is a coroutine function without an await in its code."""
    takes_context_only: bool = False
    """Whether its one parameter is the context: there are no arguments."""

    @property
    def takes_context(self) -> bool:
        """Whether it is given the context."""
        return self.parameters > (0 if self.takes_context_only else 1)

    def call(self, arguments: Any, context: Any) -> Any:
        """Call the function; what it returns may be awaitable."""
        if self.parameters == 2:
            return self.function(arguments, context)
        if self.parameters == 1:
            return self.function(context if self.takes_context_only else arguments)
        return self.function()


class Work(Protocol):
    """A definition whose handler answers requests."""

    @property
    def label(self) -> str:
        """What it is called in logs and messages, as in 'tool "add"'."""
        ...

    @property
    def handler(self) -> Handler: ...

    @property
    def timeout(self) -> float | None:
        """How long one run may take, in seconds."""

    @property
    def max_concurrency(self) -> int | None:
        """How many runs there may be at once."""

    @property
    def inline(self) -> bool:
        """Whether a `def` handler runs on the event loop, which it must not block."""
        ...

    def result(self, returned: Any) -> Any:
        """Return what a handler returned as an outcome; raises UnfitResult where it is none."""
        ...
