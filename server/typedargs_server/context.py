"""RequestContext: what a handler sees of the request it answers.

It sends through a function that the runner gives it, and knows neither transport nor era.
"""

import math
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, Final

import anyio.lowlevel

from . import jsonrpc
from ._typed import require
from .model import LEVELS, Caller, Implementation, LoggingLevel

_NUMBERS: Final = (int, float)


class _Checkpoint(Awaitable[None]):
    """Nothing to wait for but the event loop's turn, in which a cancelled call ends."""

    def __await__(self) -> Generator[Any, Any, None]:
        return anyio.lowlevel.checkpoint().__await__()


_CHECKPOINT = _Checkpoint()


class RequestContext:
    """The request that a handler answers: who asks, and the way to tell them how it goes.

    `progress` and `log` send at once. They can be awaited, which gives other calls their turn and
    ends the handler where its call was cancelled; a handler in a worker thread just calls them.
    """

    __slots__ = ("_caller", "_progress", "_request_id", "_send", "_state", "logger_name")

    def __init__(
        self,
        request_id: str | int,
        caller: Caller,
        state: Any,
        send: Callable[[bytes], None],
        logger_name: str | None = None,
    ) -> None:
        self._request_id = request_id
        self._caller = caller
        self._state = state
        self._send = send
        self._progress = float("-inf")
        self.logger_name = logger_name

    @property
    def request_id(self) -> str | int:
        """The JSON-RPC id of the request."""
        return self._request_id

    @property
    def client_info(self) -> Implementation | None:
        """The client's name and version as it reports them itself; None where it does not."""
        return self._caller.client_info

    @property
    def client_capabilities(self) -> Mapping[str, Any]:
        """What the client declared that it can do."""
        return self._caller.client_capabilities

    @property
    def protocol_version(self) -> str:
        """The protocol revision of this request."""
        return self._caller.protocol_version

    @property
    def meta(self) -> Mapping[str, Any]:
        """The request's `_meta`."""
        return self._caller.meta

    @property
    def state(self) -> Any:
        """What the server's lifespan yielded; None without one."""
        return self._state

    def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Tell the client how far the call is, where it asked to know.

        `done` and `total` are in any one unit. A `done` that does not grow is not sent: the
        protocol wants each progress to be above the last. Neither is an infinite one. Raises
        TypeError for what is no number, or no text.
        """
        if type(done) not in _NUMBERS:
            require(done, float, "progress: done")
        if total is not None and type(total) not in _NUMBERS:
            require(total, float, "progress: total")
        if message is not None:
            require(message, str, "progress: message")
        token = self._caller.progress_token
        if token is not None and done > self._progress and math.isfinite(done):
            self._progress = done
            params: dict[str, Any] = {"progressToken": token, "progress": done}
            if total is not None and math.isfinite(total):
                params["total"] = total
            if message is not None:
                params["message"] = message
            self._send(jsonrpc.notification("notifications/progress", params))
        return _CHECKPOINT

    def log(self, level: LoggingLevel, data: Any, *, logger: str | None = None) -> Awaitable[None]:
        """Send the client a log message, where it wants messages of this `level`.

        `data` is any JSON value. Raises ValueError for a level that is none, TypeError for a
        logger that is no text.
        """
        if logger is not None:
            require(logger, str, "log: logger")
        if not isinstance(level, str) or level not in LEVELS:
            raise ValueError(f"the level must be one of {', '.join(LEVELS)}, got {level!r}")
        least = self._caller.log_level
        if least is not None and LEVELS[level] >= LEVELS[least]:
            params: dict[str, Any] = {"level": level, "data": data}
            name = logger or self.logger_name
            if name is not None:
                params["logger"] = name
            self._send(jsonrpc.notification("notifications/message", params))
        return _CHECKPOINT
