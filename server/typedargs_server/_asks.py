"""Which forms a handler asks for, as far as its source says so: checked when it is registered."""

import ast
import dis
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, Final

from typedargs import SchemaError

_ASKING: Final = ("elicit", "Elicit")
_WAYS: Final = (*_ASKING, "elicit_url", "elicit_all", "sample", "list_roots")


def unfit_form(function: Callable[..., Any]) -> str | None:
    """Return why a class that `function` asks its client to fill in is no form, or None.

    Seen are classes given by name in calls of `elicit` and `Elicit`, where there is source.
    """
    inner = _plain(function)
    if inner is None or not _mentions(inner.__code__, _ASKING):
        return None
    from .forms import form_of  # only for handlers that ask

    for name in _asked(inner):
        args = _meaning(inner, name)
        if not isinstance(args, type):
            continue
        try:
            form_of(args)
        except SchemaError as error:
            return f"it asks for {name}, which is no form: {error}"
    return None


def may_ask(function: Callable[..., Any]) -> bool:
    """Tell whether `function` may ask its client, as far as its code says.

    It may not where it only takes attributes of its context, and none that asks.
    """
    inner = _plain(function)
    if inner is None:
        return True
    code = inner.__code__
    parameters = code.co_varnames[: code.co_argcount]
    return not parameters or _hands_on(code, parameters[-1])


def _hands_on(code: CodeType, context: str) -> bool:
    """Tell whether the code, or that of a function in it, asks by `context` or gives it away."""
    steps = list(dis.get_instructions(code))
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if not step.opname.startswith("LOAD_") or step.opname == "LOAD_CLOSURE":
            continue
        if step.argval == context:
            if following is None or following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                return True
            if following.argval in _WAYS:
                return True
        elif isinstance(step.argval, tuple) and context in step.argval:
            return True
    return any(_hands_on(c, context) for c in code.co_consts if isinstance(c, CodeType))


def _plain(function: Callable[..., Any]) -> FunctionType | None:
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    return inner if isinstance(inner, FunctionType) else None


def _mentions(code: CodeType, names: Sequence[str]) -> bool:
    """Tell whether the code, or that of a function in it, has one of the names."""
    return any(name in code.co_names for name in names) or any(
        _mentions(constant, names) for constant in code.co_consts if isinstance(constant, CodeType)
    )


def _asked(function: FunctionType) -> Iterator[str]:
    """Yield the names that stand as the schema in calls that ask."""
    import textwrap  # only for handlers that ask

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _ASKING:
            given = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "schema")]
            yield from (each.id for each in given if isinstance(each, ast.Name))


def _meaning(function: FunctionType, name: str) -> object:
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in free:
        try:
            return free[name].cell_contents
        except ValueError:  # not bound yet
            return None
    return function.__globals__.get(name)
