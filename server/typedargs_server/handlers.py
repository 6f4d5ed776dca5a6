"""A handler in any of its forms, made into one when the tool is registered.

Functions, bound methods, partials and callable objects, `async` or not, taking `(args)` or
`(args, ctx)`: what the rest of the server sees is a `Handler`.
"""

import enum
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal

from typedargs import is_args_class

from ._asks import may_ask, unfit_form
from ._steps import never_waits
from ._typed import is_union
from .context import RequestContext
from .errors import RegistrationError
from .model import ToolResult
from .work import Handler

_TAKE: Final = "take (args) or (args, ctx)"
_VALUES: Final = (int, float, complex, str, bytes, list, tuple, AbstractSet, enum.Enum)
"""What is one value, and neither all arguments nor a context."""


def handler_of(
    function: Callable[..., Any], name: str, kind: str = "tool", *, has_arguments: bool = True
) -> Handler:
    """Return `function` as the handler of the `kind` of thing called `name`.

    Without arguments, its one parameter, if it has one, is the context. Raises RegistrationError
    where it is no handler.
    """
    label = f'{kind} "{name}"'
    if isinstance(function, classmethod):
        raise RegistrationError(
            f"{label}: a class method has no class yet in the class body; "
            f"register the bound one after it, as in server.{kind}()(Service.method)"
        )
    if not callable(function):
        raise RegistrationError(f"{label}: the handler {function!r} is not callable")
    underlying = _underlying(function)
    if inspect.isasyncgenfunction(underlying) or inspect.isgeneratorfunction(underlying):
        raise RegistrationError(
            f"{label}: the handler is a generator; return one result instead of yielding"
        )
    unfit = unfit_form(underlying)
    if unfit is not None:
        raise RegistrationError(f"{label}: {unfit}")
    return Handler(
        function,
        _parameter_count(function, label, (0, 1) if not has_arguments else (1, 2)),
        inspect.iscoroutinefunction(underlying),
        never_waits=never_waits(function),
        takes_context_only=not has_arguments,
    )


def handler_may_ask(handler: Handler) -> bool:
    """Tell whether a handler may ask its client, as far as its code says."""
    return handler.takes_context and may_ask(_underlying(handler.function))


def name_of(function: Callable[..., Any]) -> str | None:
    """Return the name that `function` was defined with."""
    name = getattr(_innermost(function), "__name__", None)
    return name if isinstance(name, str) else None


def named(name: object, function: Callable[..., Any], kind: str) -> str:
    """Return the name given, or that of `function`; raises RegistrationError where it has none."""
    found = name if isinstance(name, str) else name_of(function)
    if found is None:
        raise RegistrationError(f"give the {kind} a name: {function!r} has none")
    return found


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


def check_annotations(
    function: Callable[..., Any],
    tool: str,
    given: object,
    local_names: Mapping[str, Any] | None = None,
    *,
    kind: str = "tool",
    has_output: bool,
) -> None:
    """Raise RegistrationError where a handler's annotations contradict how it is called.

    `given` is the declared input. Without `local_names` an annotation that is a string says
    nothing in a function inside another one.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return

    def meaning(annotation: object) -> object:
        name = getattr(_innermost(function), "__qualname__", "")
        if local_names is None and isinstance(annotation, str) and "<locals>" in name:
            return None
        return _resolved(annotation, function, local_names or {})

    meanings = {p.name: meaning(p.annotation) for p in signature.parameters.values()}
    fault = _fault_of_first(function, signature, meanings, given)
    if fault is None and not has_output:
        returned = meaning(signature.return_annotation)
        if _needs_output(returned):
            fault = (
                f"the handler returns {inspect.formatannotation(returned)}, "
                "which is structured; declare its schema as output=..."
            )
    if fault is not None:
        raise RegistrationError(f'{kind} "{tool}": {fault}')


def takes_context_alone(function: Callable[..., Any]) -> bool:
    """Tell whether the one parameter of `function` is, by its annotation, the context."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    return (
        len(parameters) == 1 and _resolved(parameters[0].annotation, function, {}) is RequestContext
    )


def takes_two_and_awaits(function: object) -> bool:
    """Tell whether `function` is async and can be called with two arguments."""
    if not callable(function) or not inspect.iscoroutinefunction(_underlying(function)):
        return False
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True


def may_have_properties(given: object) -> bool:
    """Tell whether an input may have arguments; none, and an object without properties, has not."""
    return given is not None and not (isinstance(given, Mapping) and not given.get("properties"))


def _fault_of_first(
    function: Callable[..., Any],
    signature: inspect.Signature,
    meanings: Mapping[str, object],
    given: object,
) -> str | None:
    """Return why a handler of these parameters takes no arguments, or no context."""
    first, second = [*signature.parameters.values(), None, None][:2]
    if first is None:
        return None
    if first.name == "self" and first.annotation is first.empty and _is_in_class(function):
        return (
            "it is a method without its instance; "
            "register the bound method of an instance, as in server.tool()(Service().method)"
        )
    meaning = meanings[first.name]
    if meaning is RequestContext and (second is not None or may_have_properties(given)):
        return (
            "the first parameter is the arguments; take (args, ctx), "
            "or (ctx) alone in a tool without arguments"
        )
    if _is_value(meaning):
        names = [name for name, kind in meanings.items() if kind is not RequestContext]
        fields = f"the field{'s' if len(names) > 1 else ''} {_listed(names)}"
        return f"arguments come as one object; declare an MCPArgs class with {fields} and {_TAKE}"
    taken = _args_class(meaning)
    if taken is not None and is_args_class(given) and taken not in given.__mro__:
        return (
            f"input is {given.__name__}, but the handler takes {taken.__name__}; "
            "make them the same class"
        )
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if second is not None and second.kind in positional and _is_value(meanings[second.name]):
        return (
            f"the second parameter, {second.name}, is where the context goes; "
            f"{_TAKE}, and let others be keyword-only"
        )
    return None


def _is_in_class(function: Callable[..., Any]) -> bool:
    scope = getattr(function, "__qualname__", "").rpartition(".")[0]
    return inspect.isfunction(function) and bool(scope) and not scope.endswith("<locals>")


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _is_value(annotation: object) -> bool:
    """Whether an annotation means single values only."""
    origin, members = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _is_value(members[0])
    if is_union(annotation):
        return all(_is_value(member) for member in members if member is not type(None))
    kind = origin or annotation
    return kind is Literal or (
        isinstance(kind, type) and issubclass(kind, _VALUES) and _args_class(kind) is None
    )


def _needs_output(annotation: object) -> bool:
    """Whether an annotation means, among others, what only a tool with an output can return."""
    origin, members = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _needs_output(members[0])
    if is_union(annotation):
        return any(_needs_output(member) for member in members)
    kind = origin or annotation
    if not isinstance(kind, type) or issubclass(kind, str):
        return False
    if typing.is_typeddict(kind):
        return True
    if kind in (list, tuple, Sequence):
        return any(_needs_output(member) or member is str for member in members)
    return issubclass(kind, (*_VALUES, Mapping)) and _args_class(kind) is None


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
    own = f"{getattr(annotation, '__module__', '')}.".startswith(f"{__package__}.")
    if isinstance(annotation, type) and not own and is_args_class(annotation):
        return annotation
    return None


def _without_tool_result(annotation: object) -> object:
    """Return X of `X | ToolResult`, the annotation of a handler that may return a failure."""
    if is_union(annotation):
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


def _parameter_count(function: Callable[..., Any], label: str, wanted: tuple[int, int]) -> int:
    """Return how many parameters are filled: those without defaults, up to the most `wanted`."""
    take = _TAKE if wanted == (1, 2) else "take () or (ctx)"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise RegistrationError(f"{label}: the handler has no signature: {error}") from None
    parameters = signature.parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if not positional and not has_rest and any(p.kind is p.VAR_KEYWORD for p in parameters):
        raise RegistrationError(
            f"{label}: the handler takes keywords only, and arguments come as one object; {take}"
        )
    must = [p for p in positional if p.default is p.empty]
    keyword_only = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if len(must) > wanted[1] or keyword_only:
        names = ", ".join(p.name for p in (*must, *keyword_only))
        raise RegistrationError(
            f"{label}: the handler must {take}, "
            f"but it needs ({names}); bind the others with functools.partial"
        )
    # The arguments and the context are filled. More, with defaults, stay as they are.
    return wanted[1] if has_rest else min(len(positional), wanted[1])
