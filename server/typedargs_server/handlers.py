"""A handler in any of its forms, made into one when the tool is registered.

Functions, bound methods, partials and callable objects, `async` or not, taking `(args)` or
`(args, ctx)`: what the rest of the server sees is a `Handler`.
"""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from typedargs import is_args_class

from .context import RequestContext
from .errors import RegistrationError
from .model import ToolResult


class Handler(msgspec.Struct, frozen=True):
    """A handler and how to call it: with how many parameters, and on the loop or in a thread."""

    function: Callable[..., Any]
    parameters: int
    is_async: bool

    def call(self, arguments: Any, context: RequestContext) -> Any:
        """Call the handler; what it returns may be awaitable."""
        if self.parameters == 2:
            return self.function(arguments, context)
        if self.parameters == 1:
            return self.function(arguments)
        return self.function()


def handler_of(function: Callable[..., Any], tool: str) -> Handler:
    """Return `function` as the handler of `tool`; raises RegistrationError where it is none."""
    if not callable(function):
        raise RegistrationError(f'tool "{tool}": the handler {function!r} is not callable')
    underlying = _underlying(function)
    if inspect.isasyncgenfunction(underlying) or inspect.isgeneratorfunction(underlying):
        raise RegistrationError(
            f'tool "{tool}": the handler is a generator; return one result instead of yielding'
        )
    return Handler(
        function, _parameter_count(function, tool), inspect.iscoroutinefunction(underlying)
    )


def name_of(function: Callable[..., Any]) -> str | None:
    """Return the name that `function` was defined with."""
    name = getattr(_innermost(function), "__name__", None)
    return name if isinstance(name, str) else None


def docstring_of(function: Callable[..., Any]) -> str | None:
    """Return the docstring of `function`, never the one of a class like `partial`.

    Of a class it is the class's own, not inherited.
    """
    inner = _innermost(function)
    if isinstance(inner, type):
        return inspect.cleandoc(inner.__doc__) if inner.__doc__ else None
    return inspect.getdoc(inner if inspect.isroutine(inner) else type(inner))


def annotated_schemas(
    function: Callable[..., Any], local_names: Mapping[str, Any]
) -> tuple[type[Any] | None, type[Any] | None]:
    """Return the args classes that annotate the first parameter and the return value.

    `local_names` are the names where the handler is defined, for annotations that are strings.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None, None
    first = next(iter(signature.parameters.values()), None)
    given = None if first is None else _resolved(first.annotation, function, local_names)
    returned = _resolved(signature.return_annotation, function, local_names)
    return _args_class(given), _args_class(_without_tool_result(returned))


def _resolved(
    annotation: object, function: Callable[..., Any], local_names: Mapping[str, Any]
) -> object:
    """Return what `annotation` means, or None where it names what is not there at run time."""
    if not isinstance(annotation, str):
        return annotation
    global_names = getattr(inspect.unwrap(_underlying(function)), "__globals__", {})
    try:
        return eval(annotation, dict(global_names), local_names)
    except Exception:  # an annotation is any expression
        return None


def _args_class(annotation: object) -> type[Any] | None:
    """Return the annotation where it is an args class; our own results are not meant as such."""
    own = getattr(annotation, "__module__", "").startswith(__package__ or " ")
    if isinstance(annotation, type) and not own and is_args_class(annotation):
        return annotation
    return None


def _without_tool_result(annotation: object) -> object:
    """Return X of `X | ToolResult`, the annotation of a handler that may return a failure."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        rest = [member for member in typing.get_args(annotation) if member is not ToolResult]
        if len(rest) == 1:
            return rest[0]
    return annotation


def _innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _underlying(function: Callable[..., Any]) -> Callable[..., Any]:
    inner = _innermost(function)
    return inner if inspect.isroutine(inner) else type(inner).__call__


def _parameter_count(function: Callable[..., Any], tool: str) -> int:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise RegistrationError(f'tool "{tool}": the handler has no signature: {error}') from None
    parameters = signature.parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    must = [p for p in positional if p.default is p.empty]
    keyword_only = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if len(must) > 2 or keyword_only:
        names = ", ".join(p.name for p in (*must, *keyword_only))
        raise RegistrationError(
            f'tool "{tool}": the handler must take (args) or (args, ctx), '
            f"but it needs ({names}); bind the others with functools.partial"
        )
    # Two at the most are filled: the arguments and the context. More, with defaults, stay as is.
    return 2 if has_rest else min(len(positional), 2)
