"""RequestContext: what a handler sees of the request it answers.

It sends and asks through a link that the runner gives it, and knows no transport.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, overload

import anyio
import msgspec

from typedargs import ObjectSchema

from . import jsonrpc
from ._typed import require
from .effects import Call
from .errors import InvalidParams, MissingRequiredClientCapability, ToolError
from .model import LEVELS, Implementation, LoggingLevel

if TYPE_CHECKING:
    from .questions import Elicited, Question, Root, Sampled, SamplingMessage

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

_NUMBERS: Final = (int, float)

_ONCE: Final[ContextVar[frozenset[tuple[int, str]]]] = ContextVar("_ONCE", default=frozenset())
"""What `once` is doing here, or in a task around: for which context, under which key."""


class _Turn(Awaitable[None]):
    """The others' turn, which need not be waited for."""

    __slots__ = ("_link",)

    def __init__(self, link: Link) -> None:
        self._link = link

    def __await__(self) -> Generator[Any, Any, None]:
        return self._link.turn().__await__()


class Link(Protocol):
    """What a context needs of the rest of the server: the way to the client of its call."""

    @property
    def call(self) -> Call: ...

    def tell(self, data: bytes) -> None:
        """Send a notification about the call, from any thread."""

    def close_stream(self) -> None:
        """End the HTTP response of the call, whose client is to come back for the answer."""

    async def turn(self) -> None:
        """Let other calls have their turn, and the client read; a cancelled call ends here."""

    async def ask(self, questions: Mapping[str, Question[Any]]) -> Sequence[Any]:
        """Return the client's results, in the order of the questions."""
        ...


class RequestContext:
    """The request that a handler answers: who asks, and the way to tell and to ask them.

    `progress` and `log` send at once. They can be awaited, which gives other calls their turn, ends
    the handler where its call was cancelled, and on stdio waits while the client reads too slowly;
    a handler in a worker thread just calls them.
    """

    __slots__ = (
        "_asked",
        "_caller",
        "_doing",
        "_done",
        "_link",
        "_progress",
        "_state",
        "logger_name",
    )

    def __init__(self, link: Link, state: Any = None, logger_name: str | None = None) -> None:
        self._link = link
        self._caller = link.call.caller
        self._state = state
        self._progress = float("-inf")
        self._asked: set[str] = set()
        self._done: dict[str, Any] | None = None
        self._doing: dict[str, anyio.Lock] | None = None
        self.logger_name = logger_name

    @property
    def request_id(self) -> str | int:
        """The JSON-RPC id of the request."""
        return self._link.call.id

    @property
    def method(self) -> str:
        """The method of the request, as in "tools/call"."""
        return self._link.call.method

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the request, as they came."""
        return self._link.call.params

    @property
    def principal(self) -> str | None:
        """Who sends the request, as the transport has found; None where nobody was asked."""
        return self._link.call.came.principal

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of the request, by lower-case name; empty on other transports."""
        return MappingProxyType(self._link.call.came.headers or {})

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
            self._link.tell(jsonrpc.notification("notifications/progress", params))
        return _Turn(self._link)

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
            self._link.tell(jsonrpc.notification("notifications/message", params))
        return _Turn(self._link)

    @overload
    async def elicit(
        self, message: str, schema: type[T], *, key: str | None = None
    ) -> Elicited[T]: ...
    @overload
    async def elicit(
        self,
        message: str,
        schema: ObjectSchema | str | Mapping[str, Any],
        *,
        key: str | None = None,
    ) -> Elicited[dict[str, Any]]: ...
    async def elicit(self, message: str, schema: Any, *, key: str | None = None) -> Elicited[Any]:
        """Ask the user to fill in a form; returns Accepted, Declined or Cancelled.

        `schema` is a flat class, whose instance is then the `content`, or an ObjectSchema or a raw
        schema, for a dict. `key` names the question in its call. A modern client gets the question
        as the answer to its call and calls again: the handler then runs from its start, and the
        same line returns the answer. What must not happen twice belongs into `once`.

        Raises SchemaError where the schema is not flat; MissingRequiredClientCapability, in the
        older era ToolError, where the client cannot ask its user; and the same two where its
        answer does not fit.
        """
        from .questions import Elicit  # only where one asks

        (answer,) = await self._ask([Elicit(message, schema, key=key)])
        elicited: Elicited[Any] = answer
        return elicited

    async def elicit_url(self, message: str, url: str, *, key: str | None = None) -> Elicited[None]:
        """Ask the user to visit a page; Accepted means that they agreed to, not that they did.

        Raises what `elicit` does.
        """
        from .questions import ElicitUrl  # only where one asks

        (answer,) = await self._ask([ElicitUrl(message, url, key=key)])
        elicited: Elicited[None] = answer
        return elicited

    async def sample(
        self,
        messages: str | SamplingMessage | Sequence[str | SamplingMessage],
        *,
        max_tokens: int = 1000,
        **options: Any,
    ) -> Sampled:
        """Have the client's model go on from `messages`; a str is a user's text.

        `options` are the other fields of `Sample`: system_prompt, model_preferences, temperature,
        stop_sequences, tools, tool_choice, include_context, metadata, key. Raises what `elicit`
        does.
        """
        from .questions import Sample  # only where one asks

        (answer,) = await self._ask([Sample(messages, max_tokens=max_tokens, **options)])
        sampled: Sampled = answer
        return sampled

    async def list_roots(self, *, key: str | None = None) -> Sequence[Root]:
        """Return the directories and files that the client lets the server work in.

        Raises what `elicit` does.
        """
        from .questions import ListRoots  # only where one asks

        (answer,) = await self._ask([ListRoots(key=key)])
        roots: Sequence[Root] = answer
        return roots

    @overload
    async def elicit_all(self, first: Question[A], second: Question[B], /) -> tuple[A, B]: ...
    @overload
    async def elicit_all(
        self, first: Question[A], second: Question[B], third: Question[C], /
    ) -> tuple[A, B, C]: ...
    @overload
    async def elicit_all(
        self, first: Question[A], second: Question[B], third: Question[C], fourth: Question[D], /
    ) -> tuple[A, B, C, D]: ...
    @overload
    async def elicit_all(self, *questions: Question[Any]) -> tuple[Any, ...]: ...
    async def elicit_all(self, *questions: Question[Any]) -> tuple[Any, ...]:
        """Ask several questions at once, in one round; returns their answers in order.

        A question is an `Elicit`, `ElicitUrl`, `Sample` or `ListRoots`. Raises what `elicit` does.
        """
        return tuple(await self._ask(questions))

    async def once(self, key: str, function: Callable[[], T | Awaitable[T]]) -> T:
        """Return what `function` gives, which runs once in all the rounds of this call.

        What it gives must be JSON: it travels in the sealed state of the call, and is what later
        rounds return. So a client that repeats an older state can have it run again; a server
        that must not allow that keeps `RequestStates(used=...)`. Raises TypeError for no JSON,
        RuntimeError where `function` itself wants what it is to give.
        """
        require(key, str, "once: key")
        require(function, Callable[..., Any], "once: function")
        done = self._remembered()
        if self._doing is None:
            self._doing = {}
        me = (id(self), key)
        if me in _ONCE.get():
            raise RuntimeError(
                f'once "{key}" is wanted within its own function; give it another key'
            )
        async with self._doing.setdefault(key, anyio.Lock()):  # tasks of one handler may meet
            if key not in done:
                token = _ONCE.set(_ONCE.get() | {me})
                try:
                    done[key] = await self._kept(key, function)
                finally:
                    _ONCE.reset(token)
        value: T = done[key]
        return value

    @staticmethod
    async def _kept(key: str, function: Callable[[], Any]) -> Any:
        """Return what `function` gives, as it comes back from JSON; raises TypeError without."""
        given: Any = function()
        if inspect.isawaitable(given):
            given = await given
        kept = msgspec.json.decode(jsonrpc.encode(given))
        if kept != given:
            raise TypeError(
                f'once "{key}": {given!r:.80} does not come back from JSON as it is; '
                "give dicts, lists, strings, numbers, booleans and None"
            )
        return kept

    def close_stream(self) -> None:
        """End the HTTP response of this call; the client comes back for the answer.

        For long calls of clients of revisions that resume streams; elsewhere it does nothing.
        """
        self._link.close_stream()

    def _remembered(self) -> dict[str, Any]:
        if self._done is None:
            call = self._link.call
            self._done = {} if call.era.asks_live else call.gathered().journal.done
        return self._done

    async def _ask(self, questions: Sequence[Question[Any]]) -> Sequence[Any]:
        from .questions import Question

        method = self._link.call.method
        if not self._link.call.era.may_ask(method):
            raise RuntimeError(
                f"a client of this revision cannot be asked while it waits for {method}; "
                "only tools, prompts and resources may ask"
            )
        named: dict[str, Question[Any]] = {}
        for question in questions:
            if not isinstance(question, Question):
                raise TypeError(
                    f"a question is an Elicit, ElicitUrl, Sample or ListRoots, got {question!r:.80}"
                )
            key = question.key if question.key is not None else f"question-{len(self._asked) + 1}"
            if key in self._asked:
                raise ValueError(
                    f'two questions of one call have the key "{key}"; give each its own'
                )
            self._asked.add(key)
            named[key] = question
            self._require(question)
        answers = await self._link.ask(named)
        return [
            self._read(key, question, answer)
            for (key, question), answer in zip(named.items(), answers, strict=True)
        ]

    def _require(self, question: Question[Any]) -> None:
        """Raise where the client has not declared that it answers such questions."""
        lacking = question.lacks(self._caller.client_capabilities)
        if not lacking:
            return
        names = ", ".join(lacking)
        message = f"this needs a client with the capability {names}, which it has not declared"
        if self._link.call.era.asks_live:
            raise ToolError(message, code="missing_client_capability")
        raise MissingRequiredClientCapability(
            f"Missing required client capability: {names}", {"requiredCapabilities": lacking}
        )

    def _read(self, key: str, question: Question[Any], answer: Any) -> Any:
        from .questions import UnfitAnswer

        try:
            return question.read(answer)
        except UnfitAnswer as error:
            if self._link.call.era.asks_live:
                raise ToolError(
                    f"the client's answer to {question.method} is unfit: {error}",
                    code="unfit_answer",
                ) from error
            raise InvalidParams(f"inputResponses.{key}: {error}") from error
