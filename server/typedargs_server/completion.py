"""Completion: the values that an argument of a prompt, or a variable of a URI, may have.

They come from a function, or from what the schema of the argument lists.

Source: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
"""

import inspect
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from ._typed import Value, a_kind, typed
from .context import RequestContext
from .errors import InvalidParams, RegistrationError
from .prompts import Prompt, PromptRegistry
from .registry import check_bounds, unknown
from .resources import Resource, ResourceRegistry, ResourceTemplate
from .results import CompletionResult
from .strings import candidates
from .work import Handler, UnfitResult

MAX_VALUES: Final = 100
"""The most values of one answer: `CompleteResult`, "Must not exceed 100 items"."""

Completable: TypeAlias = Prompt | ResourceTemplate
"""What has arguments to complete."""


@attrs.frozen
class Typed:
    """What somebody is typing: the `value` up to now, and the arguments `chosen` already."""

    value: str
    chosen: Mapping[str, str]


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Completer(Value):
    """What completes one argument; its settings are those of a prompt."""

    of: Completable
    argument: str
    handler: Handler
    """It takes what is `Typed`, and may take the context."""
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False

    def __attrs_post_init__(self) -> None:
        check_bounds(self.label, self.timeout, self.max_concurrency)

    @property
    def label(self) -> str:
        """What it is called in logs and messages."""
        return f'completion of {self.of.label}, argument "{self.argument}"'

    def arguments(self, value: str, chosen: Mapping[str, Any] | None = None) -> Typed:
        """Return what the handler gets for the arguments of a request.

        Raises InvalidParams where one is no string.
        """
        chosen = chosen or {}
        for name, given in [(self.argument, value), *chosen.items()]:
            if not isinstance(given, str):
                raise InvalidParams(
                    f'the argument "{name[:80]}" of a completion must be a string, '
                    f"got {given!r:.80}"
                )
        return Typed(value, chosen)

    def result(self, returned: Any) -> CompletionResult:
        """Return what a handler returned as an answer of no more values than the protocol wants.

        Raises UnfitResult where it is none.
        """
        given = returned
        if not isinstance(given, CompletionResult):
            if isinstance(given, str) or not isinstance(given, Sequence):
                raise UnfitResult(
                    f"it returned {a_kind(returned)}; return a list of str or a CompletionResult"
                )
            for value in given:
                if not isinstance(value, str):
                    raise UnfitResult(f"it returned {a_kind(value)} among the values; return str")
            given = CompletionResult(given)
        shown = given.values[:MAX_VALUES]
        is_cut = len(shown) < len(given.values)
        total = given.total
        if total is None and not given.has_more:
            total = len(given.values)
        has_more = given.has_more
        if has_more is None or is_cut:
            has_more = is_cut or (total is not None and total > len(shown))
        return CompletionResult(shown, total, has_more)


class CompletionRegistry:
    """The functions that complete arguments, and the completers that schemas give by themselves."""

    def __init__(self, prompts: PromptRegistry, resources: ResourceRegistry) -> None:
        self._prompts = prompts
        self._resources = resources
        self._added: dict[tuple[str, str], Completer] = {}
        self._lock = threading.Lock()

    @property
    def is_used(self) -> bool:
        """Whether there is anything to complete: by a function, or listed in a schema."""
        if self._added:
            return True
        of: list[Completable] = [*self._prompts.all(), *self._resources.templates.all()]
        return any(_listed(each, name) for each in of for name in _names(each))

    def add(
        self,
        of: Completable,
        argument: str,
        function: Callable[..., Any],
        *,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> Completer:
        """Let `function` complete an argument of a registered prompt or resource template.

        It takes `(value)`, `(value, chosen)` or `(value, chosen, ctx)`, of which `chosen` is a dict
        of the arguments given already, and returns a list of str, the best first, or a
        CompletionResult; it is not filtered. Raises RegistrationError where there is no such
        argument, or a function that completes it already.
        """
        if argument not in _names(of):
            raise RegistrationError(
                f'{of.label} has no argument "{argument}"; it has {", ".join(_names(of)) or "none"}'
            )
        label = f'completion of {of.label}, argument "{argument}"'
        completer = Completer(
            of=of,
            argument=argument,
            handler=_handler(function, label),
            timeout=timeout,
            max_concurrency=max_concurrency,
            inline=inline,
        )
        with self._lock:
            taken = self._added.get((of.label, argument))
            if taken is not None and taken.of is of:
                raise RegistrationError(
                    f"{label}: a function is registered already; remove the {of.label} first"
                )
            self._added[of.label, argument] = completer
        return completer

    def of_prompt(self, name: str, argument: str) -> Completer:
        """Return what completes an argument of the prompt; InvalidParams where there is none."""
        return self._completer(self._prompts.get(name), argument)

    def of_resource(self, uri: str, argument: str) -> Completer:
        """Return what completes a variable of the template `uri`, or the one that gives `uri`.

        Raises InvalidParams where there is no such template or variable.
        """
        template = self._resources.templates.find(uri)
        if template is not None:
            return self._completer(template, argument)
        found, _ = self._resources.find(uri)
        if isinstance(found, Resource):
            raise InvalidParams(f"{found.label} has no arguments to complete")
        return self._completer(found, argument)

    def _completer(self, of: Completable, argument: str) -> Completer:
        names = _names(of)
        if argument not in names:
            raise unknown(f"argument of {of.label}", argument, list(names))
        added = self._added.get((of.label, argument))
        if added is not None and added.of is of:
            return added
        values = _listed(of, argument)
        handler = Handler(lambda typing: _ranked(values, typing.value), 1, False)
        return Completer(of=of, argument=argument, handler=handler, inline=True)


def _names(of: Completable) -> Collection[str]:
    """Return the names of the arguments that can be completed."""
    if isinstance(of, ResourceTemplate):
        return of.variables
    return list(of.schema.get("properties", {}))


def _listed(of: Completable, argument: str) -> list[str]:
    return candidates(of.schema.get("properties", {}).get(argument, {}))


def _ranked(values: Sequence[str], typing: str) -> list[str]:
    """Return the `values` that begin with what is typed, then those that have it within."""
    wanted = typing.casefold()
    folded = [(value, value.casefold()) for value in values]
    begin = [value for value, text in folded if text.startswith(wanted)]
    return begin + [v for v, text in folded if wanted in text and not text.startswith(wanted)]


def _handler(function: Callable[..., Any], label: str) -> Handler:
    """Return the handler that gives `function` as many arguments as it takes."""
    if not callable(function):
        raise RegistrationError(f"{label}: {function!r} is not callable")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise RegistrationError(f"{label}: the function has no signature: {error}") from None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    must = [p for p in positional if p.default is p.empty]
    must += [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    count = 3 if any(p.kind is p.VAR_POSITIONAL for p in parameters) else min(len(positional), 3)
    if not count or len(must) > count:
        raise RegistrationError(
            f"{label}: the function must take (value), (value, chosen) or (value, chosen, ctx)"
        )

    def call(typing: Typed, context: RequestContext) -> Any:
        return function(*(typing.value, typing.chosen, context)[:count])

    is_async = any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))
    return Handler(call, 2, is_async)
