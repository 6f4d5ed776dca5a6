"""What runs a user's function for a request: a tool, a prompt, a resource, a completion."""

from typing import Any, Protocol

from .handlers import Handler


class UnfitResult(Exception):
    """A handler returned what cannot be answered; the message says why, for the log."""


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
