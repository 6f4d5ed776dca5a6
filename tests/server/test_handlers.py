"""Handlers in all their forms, and what is read from their annotations and docstrings."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.server import evaluated
from typedargs import Double, MCPArgs
from typedargs_server import RegistrationError, RequestContext, ToolResult
from typedargs_server.handlers import annotated_schemas, docstring_of, handler_of, name_of

if TYPE_CHECKING:
    from decimal import Decimal

CONTEXT = cast(RequestContext, object())


class AddArgs(MCPArgs):
    """Add two numbers."""

    a = Double()


class Sum(MCPArgs):
    sum = Double()


def one(args: AddArgs) -> Any:
    """Take one."""
    return (args,)


def two(args: AddArgs, ctx: RequestContext) -> Any:
    return (args, ctx)


async def one_async(args: AddArgs) -> Any:
    return (args,)


async def two_async(args: AddArgs, ctx: RequestContext) -> Any:
    return (args, ctx)


class Service:
    """A service."""

    def method(self, args: AddArgs, ctx: RequestContext) -> Any:
        """Serve."""
        return (args, ctx)

    async def method_async(self, args: AddArgs) -> Any:
        return (args,)

    @classmethod
    def of_class(cls, args: AddArgs) -> Any:
        return (args,)

    @staticmethod
    async def static(args: AddArgs, ctx: RequestContext) -> Any:
        return (args, ctx)


class Callable1:
    """Call it."""

    def __call__(self, args: AddArgs) -> Any:
        return (args,)


class Callable2:
    async def __call__(self, args: AddArgs, ctx: RequestContext) -> Any:
        return (args, ctx)


def three(first: str, args: AddArgs, ctx: RequestContext) -> Any:
    """Take three."""
    return (first, args, ctx)


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


@pytest.mark.parametrize(
    ("function", "given", "is_async"),
    [
        (one, ("args",), False),
        (two, ("args", CONTEXT), False),
        (one_async, ("args",), True),
        (two_async, ("args", CONTEXT), True),
        (Service().method, ("args", CONTEXT), False),
        (Service().method_async, ("args",), True),
        (Service.of_class, ("args",), False),
        (Service.static, ("args", CONTEXT), True),
        (staticmethod(one), ("args",), False),
        (Callable1(), ("args",), False),
        (Callable2(), ("args", CONTEXT), True),
        (functools.partial(three, "first"), ("first", "args", CONTEXT), False),
        (functools.partial(functools.partial(three), "x"), ("x", "args", CONTEXT), False),
        (functools.partial(two_async), ("args", CONTEXT), True),
        (functools.partial(Callable2()), ("args", CONTEXT), True),
        (functools.partial(Service.method, Service()), ("args", CONTEXT), False),
        (functools.partial(two, ctx=CONTEXT), ("args", CONTEXT), False),
        (traced(one), ("args",), False),
        (traced(two), ("args", CONTEXT), False),
        (lambda: (), (), False),
        (lambda args: (args,), ("args",), False),
        (lambda args, /: (args,), ("args",), False),
        (lambda args, ctx=None: (args, ctx), ("args", CONTEXT), False),
        (lambda *args: args, ("args", CONTEXT), False),
        (lambda args, *rest: (args, *rest), ("args", CONTEXT), False),
        (lambda args, *, more=1: (args, more), ("args", 1), False),
        (lambda args, **more: (args, more), ("args", {}), False),
        (lambda args, ctx, more=1: (args, ctx, more), ("args", CONTEXT, 1), False),
    ],
)
def test_a_handler_of_any_form_gets_what_it_takes(
    function: Callable[..., Any], given: tuple[Any, ...], is_async: bool
) -> None:
    handler = handler_of(function, "t")
    returned = handler.call("args", CONTEXT)
    if is_async:
        returned = asyncio.run(returned)
    assert returned == given
    assert handler.is_async is is_async


async def yields_async(args: AddArgs) -> Any:
    yield args


def yields(args: AddArgs) -> Any:
    yield args


class Yields:
    def __call__(self, args: AddArgs) -> Any:
        yield args


@pytest.mark.parametrize("function", [yields, yields_async, functools.partial(yields), Yields()])
def test_a_generator_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(RegistrationError) as caught:
        handler_of(function, "t")
    assert str(caught.value) == (
        'tool "t": the handler is a generator; return one result instead of yielding'
    )


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (three, "first, args, ctx"),
        (lambda args, *, mode: (args, mode), "args, mode"),
        (lambda *, mode: mode, "mode"),
        (functools.partial(lambda a, b, c, d: (a, b, c, d), 1), "b, c, d"),
        (Service.method, "self, args, ctx"),
    ],
)
def test_a_handler_that_needs_more_is_refused(function: Callable[..., Any], names: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        handler_of(function, "t")
    assert str(caught.value) == (
        'tool "t": the handler must take (args) or (args, ctx), '
        f"but it needs ({names}); bind the others with functools.partial"
    )


@pytest.mark.parametrize("function", [None, "f", 3])
def test_what_cannot_be_called_is_refused(function: Any) -> None:
    with pytest.raises(RegistrationError) as caught:
        handler_of(function, "t")
    assert str(caught.value) == f'tool "t": the handler {function!r} is not callable'


def test_a_function_that_does_not_say_what_it_takes_is_refused() -> None:
    with pytest.raises(RegistrationError, match=r'^tool "t": the handler has no signature: '):
        handler_of(max, "t")


@pytest.mark.parametrize(
    ("function", "name", "docstring"),
    [
        (one, "one", "Take one."),
        (two, "two", None),
        (traced(one), "one", "Take one."),
        (Service().method, "method", "Serve."),
        (Callable1(), None, "Call it."),
        (functools.partial(three, "first"), "three", "Take three."),
        (functools.partial(functools.partial(three), "first"), "three", "Take three."),
        (functools.partial(Callable1()), None, "Call it."),
        (lambda: None, "<lambda>", None),
        (AddArgs, "AddArgs", "Add two numbers."),
        (Sum, "Sum", None),
    ],
)
def test_a_handler_has_the_name_and_docstring_of_its_definition(
    function: Callable[..., Any], name: str | None, docstring: str | None
) -> None:
    assert (name_of(function), docstring_of(function)) == (name, docstring)


def typed(args: AddArgs) -> Sum:
    return Sum(sum=args.a)


def may_fail(args: AddArgs) -> Sum | ToolResult: ...


def may_fail_too(args: AddArgs) -> ToolResult | Sum: ...


def two_results(args: AddArgs) -> AddArgs | Sum: ...


def maybe(args: AddArgs) -> Sum | None: ...


def returns_text(args: AddArgs) -> str: ...


def takes_a_dict(args: dict[str, Any]) -> Sum: ...


def no_annotations(args):  # type: ignore[no-untyped-def]
    return args


def unresolvable_context(args: AddArgs, ctx: Decimal) -> Sum: ...


def unresolvable_first(args: Decimal) -> Sum: ...


def unresolvable_return(args: AddArgs) -> Decimal: ...


def nonsense(args: 1 / 0) -> [x for x in y]: ...  # type: ignore # noqa


class Resolvable:
    def method(self, args: AddArgs) -> Sum: ...

    def __call__(self, args: AddArgs) -> Sum: ...


@pytest.mark.parametrize(
    ("function", "given", "returned"),
    [
        (typed, AddArgs, Sum),
        (may_fail, AddArgs, Sum),
        (may_fail_too, AddArgs, Sum),
        (two_results, AddArgs, None),
        (maybe, AddArgs, None),
        (returns_text, AddArgs, None),
        (takes_a_dict, None, Sum),
        (no_annotations, None, None),
        (lambda: None, None, None),
        (unresolvable_context, AddArgs, Sum),
        (unresolvable_first, None, Sum),
        (unresolvable_return, AddArgs, None),
        (nonsense, None, None),
        (traced(typed), AddArgs, Sum),
        (functools.partial(typed), AddArgs, Sum),
        (Resolvable().method, AddArgs, Sum),
        (Resolvable(), AddArgs, Sum),
        (functools.partial(Resolvable.method, Resolvable()), AddArgs, Sum),
        (evaluated.typed, evaluated.EvaluatedArgs, evaluated.EvaluatedResult),
        (evaluated.may_fail, evaluated.EvaluatedArgs, evaluated.EvaluatedResult),
        (evaluated.partly_text, evaluated.EvaluatedArgs, evaluated.EvaluatedResult),
        (int, None, None),
        (print, None, None),
    ],
)
def test_the_schemas_are_read_from_the_annotations(
    function: Callable[..., Any], given: type | None, returned: type | None
) -> None:
    assert annotated_schemas(function, {}) == (given, returned)


def test_classes_that_are_defined_inside_a_function_are_found_there() -> None:
    class LocalArgs(MCPArgs):
        a = Double()

    class LocalResult(MCPArgs):
        b = Double()

    def handler(args: LocalArgs) -> LocalResult: ...

    assert annotated_schemas(handler, locals()) == (LocalArgs, LocalResult)
    assert annotated_schemas(handler, {}) == (None, None)
