"""A coroutine that is begun at once, in the task that is there, and goes on in it where it waits.

Most handlers wait for nothing: they are done in one step, without a task of their own. One that
waits is awaited by the task in which it began, which from then on is the call's own.
"""

import contextvars
import dis
import functools
import inspect
import types
from collections.abc import Awaitable, Coroutine, Generator
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")


class Done(Generic[T]):
    """What a coroutine gave that never waited."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value


class Waiting(Awaitable[T]):
    """A coroutine that waits; whoever began it must await it before anything else."""

    __slots__ = ("_context", "_coroutine", "_first")

    def __init__(
        self, coroutine: Coroutine[Any, Any, T], context: contextvars.Context, first: Any
    ) -> None:
        self._coroutine = coroutine
        self._context = context
        self._first = first

    def __await__(self) -> Generator[Any, Any, T]:
        coroutine, run, awaited = self._coroutine, self._context.run, self._first
        try:
            while True:
                try:
                    given = yield awaited
                except GeneratorExit:
                    run(coroutine.close)
                    raise
                except BaseException as error:
                    awaited = run(coroutine.throw, error)
                else:
                    awaited = run(coroutine.send, given)
        except StopIteration as stop:
            value: T = stop.value
            return value


_WAITS: Final = frozenset(
    dis.opmap[name]
    for name in (
        "GET_AWAITABLE",
        "GET_AITER",
        "GET_ANEXT",
        "BEFORE_ASYNC_WITH",
        "SEND",
        "YIELD_VALUE",
    )
    if name in dis.opmap
)


def never_waits(function: object) -> bool:
    """Tell whether `function` is a coroutine function that awaits nothing, by its code.

    What only passes for a function, as a proxy does, may do anything when it is called.
    """
    found: Any = function
    while type(found) is functools.partial:
        found = found.func
    if type(found) is types.MethodType:
        found = found.__func__
    if type(found) is not types.FunctionType and callable(found):
        found = type(found).__call__
    if type(found) is not types.FunctionType:
        return False
    code = found.__code__
    return bool(code.co_flags & inspect.CO_COROUTINE) and _WAITS.isdisjoint(code.co_code[::2])


def begin(coroutine: Coroutine[Any, Any, T]) -> Done[T] | Waiting[T]:
    """Run `coroutine` up to where it waits, with context variables of its own."""
    context = contextvars.copy_context()
    try:
        awaited = context.run(coroutine.send, None)
    except StopIteration as stop:
        return Done(stop.value)
    return Waiting(coroutine, context, awaited)
