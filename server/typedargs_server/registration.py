"""Registering what a server offers: the base form of each kind, and its decorator.

A decorator reads from the handler what it is not given: its name, its docstring, the args classes
that annotate its first parameter and its return. All forms end in the same call.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from ._typed import require
from .definition import Middleware, ServerDefinition
from .errors import RegistrationError
from .handlers import (
    annotated_schemas,
    check_annotations,
    docstring_of,
    handler_of,
    may_have_properties,
    named,
    takes_context_alone,
    takes_two_and_awaits,
)
from .model import Icon, Meta, ToolAnnotations
from .resource_registration import ResourceRegistration
from .schemas import SchemaSource, Validation, input_schema, tool_schema
from .tools import Tool

if TYPE_CHECKING:
    from .methods import CustomMethod
    from .prompts import Prompt

F = TypeVar("F", bound=Callable[..., Any])

NO_ARGUMENTS: Final[Mapping[str, Any]] = {"type": "object"}


class Registration(ResourceRegistration):
    """What a server offers; things may come and go while it runs, from any thread."""

    _definition: ServerDefinition
    _plain: bool
    _routes: list[Any]

    @property
    def tools(self) -> Sequence[Tool]:
        """The registered tools, in the order of their registration."""
        return self._definition.tools.all()

    @property
    def prompts(self) -> "Sequence[Prompt]":
        """The registered prompts, in the order of their registration."""
        return self._definition.prompts.all()

    def register_tool(
        self,
        name: str,
        description: str | None,
        input: SchemaSource,  # noqa: A002  # the protocol's own word
        handler: Callable[..., Any],
        *,
        output: SchemaSource | None = None,
        title: str | None = None,
        annotations: ToolAnnotations | None = None,
        icons: Sequence[Icon] = (),
        meta: Meta | None = None,
        application_validated: bool = False,
        validation: Validation = "dialect",
        timeout: float | None = None,  # a setting, not a wait
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> Tool:
        """Register a tool, now or while the server runs; returns its definition.

        `input` and `output` are each an args class (an MCPArgs subclass, or an attrs class, a
        dataclass, a TypedDict, a NamedTuple, a pydantic model, a msgspec Struct), an ObjectSchema,
        or a raw schema as a JSON string or a dict. The handler takes `(args)` or `(args, ctx)`: an
        instance of an input class, or a dict. With `application_validated` a raw input schema is
        published unchanged and the handler checks the arguments itself; with `validation="full"`
        raw schemas may be any of JSON Schema 2020-12 or draft-07. `timeout` is in seconds;
        `max_concurrency` bounds this tool's calls at once; `inline` runs a `def` handler on the
        event loop.

        Raises RegistrationError for a name that is taken or unfit, or a handler whose signature
        does not fit; SchemaError for a schema that cannot be enforced; TypeError for an option of
        another type.
        """
        check_annotations(handler, name, input, has_output=output is not None)
        alone = takes_context_alone(handler) and not may_have_properties(input)
        tool = Tool(
            name=name,
            description=description,
            input=input_schema(
                input, application_validated=application_validated, validation=validation
            ),
            output=None if output is None else tool_schema(output, validation=validation),
            handler=handler_of(handler, name, has_arguments=not alone),
            title=title,
            annotations=annotations,
            icons=icons,
            meta=meta,
            timeout=timeout,
            max_concurrency=max_concurrency,
            inline=inline,
        )
        if self._plain:
            tool = tool.in_plain_form()
        self._definition.tools.add(tool)
        return tool

    @overload
    def tool(self, name: F, /) -> F: ...
    @overload
    def tool(
        self,
        name: str | None = None,
        description: str | None = None,
        *,
        input: SchemaSource | None = None,
        output: SchemaSource | None = None,
        title: str | None = None,
        annotations: ToolAnnotations | None = None,
        icons: Sequence[Icon] = (),
        meta: Meta | None = None,
        application_validated: bool = False,
        validation: Validation = "dialect",
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> Callable[[F], F]: ...
    def tool(
        self,
        name: Callable[..., Any] | str | None = None,
        description: str | None = None,
        *,
        input: SchemaSource | None = None,  # noqa: A002
        output: SchemaSource | None = None,
        **options: Any,
    ) -> Any:
        """Register the decorated function as a tool, and return it as it is.

        What is not given comes from the function: its name, its docstring, the args classes
        that annotate its first parameter and its return. For the rest see `register_tool`.
        """
        if not isinstance(name, classmethod) and not callable(name):
            require(name, str | None, "tool: name")
        local_names = sys._getframe(1).f_locals

        def register(function: F) -> F:
            given, returned = annotated_schemas(function, local_names)
            tool_name = named(name, function, "tool")
            source, result = (
                given if input is None else input,
                returned if output is None else output,
            )
            check_annotations(
                function, tool_name, source, local_names, has_output=result is not None
            )
            self.register_tool(
                tool_name,
                description or docstring_of(function) or (docstring_of(given) if given else None),
                _input_of(function, tool_name, source),
                function,
                output=result,
                **options,
            )
            return function

        if name is None or isinstance(name, str):
            return register
        function: Any = name
        return register(function)

    def remove_tool(self, name: str) -> None:
        """Remove a tool, now or while the server runs; its running calls go on.

        Raises KeyError where no tool has the name.
        """
        self._definition.tools.remove(name)

    def register_prompt(
        self,
        name: str,
        description: str | None,
        input: SchemaSource | None,  # noqa: A002  # the protocol's own word
        handler: Callable[..., Any],
        *,
        title: str | None = None,
        icons: Sequence[Icon] = (),
        meta: Meta | None = None,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> "Prompt":
        """Register a prompt; returns its definition.

        `input` is flat, since prompt arguments are strings on the wire: its fields are strings,
        numbers, booleans and enums. The handler takes `(args)` or `(args, ctx)`, without an input
        `()` or `(ctx)`, and returns a str, a PromptMessage, a content block, a list of these, or a
        PromptResult. For the rest see `register_tool`.

        Raises RegistrationError, SchemaError and TypeError as `register_tool` does.
        """
        from .prompts import Prompt

        if input is not None:
            check_annotations(handler, name, input, kind="prompt", has_output=True)
        prompt = Prompt(
            name=name,
            description=description,
            input=None if input is None else input_schema(input),
            handler=handler_of(handler, name, "prompt", has_arguments=input is not None),
            title=title,
            icons=icons,
            meta=meta,
            timeout=timeout,
            max_concurrency=max_concurrency,
            inline=inline,
        )
        self._definition.prompts.add(prompt)
        return prompt

    @overload
    def prompt(self, name: F, /) -> F: ...
    @overload
    def prompt(
        self,
        name: str | None = None,
        description: str | None = None,
        *,
        input: SchemaSource | None = None,
        title: str | None = None,
        icons: Sequence[Icon] = (),
        meta: Meta | None = None,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> Callable[[F], F]: ...
    def prompt(
        self,
        name: Callable[..., Any] | str | None = None,
        description: str | None = None,
        *,
        input: SchemaSource | None = None,  # noqa: A002
        **options: Any,
    ) -> Any:
        """Register the decorated function as a prompt, and return it as it is.

        For what is not given see `tool`, for the rest `register_prompt`.
        """
        if not callable(name):
            require(name, str | None, "prompt: name")
        local_names = sys._getframe(1).f_locals

        def register(function: F) -> F:
            given, _ = annotated_schemas(function, local_names)
            self.register_prompt(
                named(name, function, "prompt"),
                description or docstring_of(function),
                given if input is None else input,
                function,
                **options,
            )
            return function

        return register(name) if callable(name) else register

    def remove_prompt(self, name: str) -> None:
        """Remove a prompt. Raises KeyError where no prompt has the name."""
        self._definition.prompts.remove(name)

    def register_method(
        self,
        name: str,
        input: SchemaSource,  # noqa: A002
        handler: Callable[..., Any],
        *,
        timeout: float | None = None,
        max_concurrency: int | None = None,
        inline: bool = False,
    ) -> "CustomMethod":
        """Register a method of the server's own, with a prefix, as in "acme/reindex".

        `input` is the schema of its params, `_meta` aside. The handler takes `(args)` or
        `(args, ctx)` and returns the result: a dict, an args instance, or None for an empty one.

        Raises RegistrationError for a name that is taken or unfit, SchemaError, TypeError.
        """
        from .methods import CustomMethod

        method = CustomMethod(
            name=name,
            input=input_schema(input),
            handler=handler_of(handler, name, "method"),
            timeout=timeout,
            max_concurrency=max_concurrency,
            inline=inline,
        )
        if name in self._definition.methods:
            raise RegistrationError(
                f'a method named "{name}" is registered already; choose another'
            )
        self._definition.methods[name] = method
        return method

    def method(
        self,
        name: str,
        *,
        input: SchemaSource | None = None,  # noqa: A002
        **options: Any,
    ) -> Callable[[F], F]:
        """Register the decorated function as a method of the server's own.

        For what is not given see `tool`, for the rest `register_method`.
        """
        local_names = sys._getframe(1).f_locals

        def register(function: F) -> F:
            given, _ = annotated_schemas(function, local_names)
            source = given if input is None else input
            self.register_method(
                name, NO_ARGUMENTS if source is None else source, function, **options
            )
            return function

        return register

    def route(self, path: str, *, methods: Sequence[str] = ("GET",)) -> Callable[[F], F]:
        """Serve the decorated function at `path` of the HTTP app, beside the protocol.

        It is what starlette takes: `async def health(request): return Response(...)`. As for all
        requests, its Host and Origin are checked. Needs the extra `http`.
        """
        require(path, str, "route: path")
        if not path.startswith("/"):
            raise RegistrationError(f'route: a path begins with "/", got {path!r:.80}')

        def register(function: F) -> F:
            self._routes.append((path, methods, function))
            return function

        return register

    def middleware(self, function: Middleware) -> Middleware:
        """Put the decorated function around every request, within those put there before.

        It is an async function of `(ctx, proceed)`: `await proceed()` gives the answer, a
        ToolResult, PromptResult, ResourceResult, CompletionResult or a dict, and what it returns is
        answered. It may raise an error in place of an answer: a ToolError or a WireError.
        """
        if not takes_two_and_awaits(function):
            raise RegistrationError(
                f"middleware must be an async function of (ctx, proceed), got {function!r:.80}"
            )
        self._definition.middleware.append(function)
        return function


def _input_of(function: Callable[..., Any], tool: str, given: SchemaSource | None) -> SchemaSource:
    if given is not None:
        return given
    if takes_context_alone(function) or handler_of(function, tool).parameters == 0:
        return NO_ARGUMENTS
    raise RegistrationError(
        f'tool "{tool}": give input=..., or annotate the first parameter of the handler '
        "with an MCPArgs subclass that can be resolved where the decorator stands"
    )
