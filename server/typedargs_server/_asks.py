"""Which forms a handler asks for, as far as its source says so: checked when it is registered."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, Final

from typedargs import SchemaError

from .forms import form_of

_ASKING: Final = ("elicit", "Elicit")


def unfit_form(function: Callable[..., Any]) -> str | None:
    """Return why a class that `function` asks its client to fill in is no form, or None.

    Seen are classes given by name in calls of `elicit` and `Elicit`, where there is source.
    """
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    if not isinstance(inner, FunctionType) or not _mentions(inner.__code__):
        return None
    for name in _asked(inner):
        args = _meaning(inner, name)
        if not isinstance(args, type):
            continue
        try:
            form_of(args)
        except SchemaError as error:
            return f"it asks for {name}, which is no form: {error}"
    return None


def _mentions(code: CodeType) -> bool:
    """Tell whether the code, or that of a function in it, names what asks."""
    return any(name in code.co_names for name in _ASKING) or any(
        _mentions(constant) for constant in code.co_consts if isinstance(constant, CodeType)
    )


def _asked(function: FunctionType) -> Iterator[str]:
    """Yield the names that stand as the schema in calls that ask."""
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
