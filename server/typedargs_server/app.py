"""MCPServer: what the user holds. It delegates, and stays small."""

import contextlib
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, TypeVar, overload

import anyio
import anyio.from_thread
import anyio.lowlevel

from ._typed import require
from .definition import CacheHints, Limits, ServerDefinition
from .errors import RegistrationError
from .handlers import annotated_schemas, check_annotations, docstring_of, handler_of, name_of
from .model import Icon, Implementation, Meta, ToolAnnotations
from .protocol import Connection
from .runner import Runner
from .schemas import SchemaSource, Validation, input_schema, tool_schema
from .state import RequestStates, Sealer
from .subscriptions import ListChanged
from .tools import Tool, ToolRegistry
from .transports import _signals

F = TypeVar("F", bound=Callable[..., Any])

NO_ARGUMENTS: Mapping[str, Any] = {"type": "object"}


class MCPServer:
    """A server of the Model Context Protocol, in both of its eras.

    `lifespan` takes the server and returns an async context manager around all serving; what it
    yields is each handler's `ctx.state`. `plain` shows input schemas in the form that all
    providers take, and enforces the full ones. `debug` puts the exceptions of handlers into
    answers.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str = "0.0.0",
        title: str | None = None,
        description: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Icon] = (),
        instructions: str | None = None,
        lifespan: Callable[["MCPServer"], AbstractAsyncContextManager[Any]] | None = None,
        limits: Limits | None = None,
        cache: CacheHints | None = None,
        plain: bool = False,
        debug: bool = False,
        states: RequestStates | None = None,
    ) -> None:
        require(states, RequestStates | None, "MCPServer: states")
        require(instructions, str | None, "MCPServer: instructions")
        require(lifespan, Callable[..., Any] | None, "MCPServer: lifespan")
        require(limits, Limits | None, "MCPServer: limits")
        require(cache, CacheHints | None, "MCPServer: cache")
        require(plain, bool, "MCPServer: plain")
        require(debug, bool, "MCPServer: debug")
        limits = limits or Limits()
        states = states or RequestStates()
        self._definition = ServerDefinition(
            implementation=Implementation(
                name=name,
                version=version,
                title=title,
                description=description,
                website_url=website_url,
                icons=icons,
            ),
            instructions=instructions,
            tools=ToolRegistry(limits.page_size),
            sealer=Sealer(states),
            used=states.used,
            limits=limits,
            cache=cache or CacheHints(),
        )
        self._definition.tools.listen(lambda: self._definition.changes.tell(ListChanged("tools")))
        self._lifespan = lifespan
        self._plain = plain
        self._debug = debug

    @property
    def name(self) -> str:
        """The server's name, as clients see it."""
        return self._definition.implementation.name

    @property
    def plain(self) -> bool:
        """Whether input schemas are shown in the plain form."""
        return self._plain

    @property
    def tools(self) -> Sequence[Tool]:
        """The registered tools, in the order of their registration."""
        return self._definition.tools.all()

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
        tool = Tool(
            name=name,
            description=description,
            input=input_schema(
                input, application_validated=application_validated, validation=validation
            ),
            output=None if output is None else tool_schema(output, validation=validation),
            handler=handler_of(handler, name),
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
            tool_name = name if isinstance(name, str) else name_of(function)
            if tool_name is None:
                raise RegistrationError(f"give the tool a name: {function!r} has none")
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
                self._input_of(function, tool_name, source),
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

    def run(self, *, backend: Literal["asyncio", "trio"] = "asyncio") -> None:
        """Serve on stdio until the end of input, SIGINT or SIGTERM; blocks meanwhile."""
        require(backend, Literal["asyncio", "trio"], "run: backend")
        serving = _Serving()
        with _signals.ended_by_signals(serving.stop, loop_wakes=backend == "trio"):
            anyio.run(self._serve_stdio, serving, backend=backend)
        _signals.end_despite(serving.stuck)

    async def serve_stdio(self) -> None:
        """Serve on stdio until the end of input, in an event loop that runs already."""
        await self._serve_stdio(_Serving())

    async def _serve_stdio(self, serving: "_Serving") -> None:
        from .transports import stdio

        definition = self._definition
        serving.start()
        if serving.stop_asked:
            return
        with stdio.standard_streams() as streams:
            if streams is None:
                return
            runner = self._runner()
            serving.stuck = runner.busy_threads
            with serving.starting:
                async with runner:
                    serving.started = True
                    connection = Connection(definition)
                    await stdio.serve(
                        runner, connection, definition.limits, *streams, serving.stopping
                    )

    def _runner(self) -> Runner:
        """Return what runs the calls of this server; its block is around all serving."""
        make = self._lifespan
        lifespan = None if make is None else lambda: make(self)
        return Runner(self._definition, lifespan, debug=self._debug)

    def _input_of(
        self, function: Callable[..., Any], tool: str, given: SchemaSource | None
    ) -> SchemaSource:
        if given is not None:
            return given
        if handler_of(function, tool).parameters == 0:
            return NO_ARGUMENTS
        raise RegistrationError(
            f'tool "{tool}": give input=..., or annotate the first parameter of the handler '
            "with an MCPArgs subclass that can be resolved where the decorator stands"
        )


class _Serving:
    """One run of a server, which another thread may ask to stop."""

    def __init__(self) -> None:
        self.stuck: AbstractSet[threading.Thread] = frozenset()
        """Worker threads that are still busy when the run is over; nothing can end them."""
        self._token: anyio.lowlevel.EventLoopToken | None = None
        self.stop_asked = False

    def start(self) -> None:
        """Take part in the event loop that runs."""
        self.starting = anyio.CancelScope()
        self.started = False
        self.stopping = anyio.Event()
        self._token = anyio.lowlevel.current_token()

    def stop(self) -> None:
        """End the run, from any thread but the event loop's."""
        self.stop_asked = True
        if self._token is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                anyio.from_thread.run_sync(self._stop, token=self._token)

    def _stop(self) -> None:
        if self.started:
            self.stopping.set()
        else:  # the lifespan is being entered
            self.starting.cancel()
