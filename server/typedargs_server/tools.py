"""Tools: the definition of one, the registry of all, and the forms of what a handler returns."""

import logging
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from typedargs import MISSING, MCPArgs, ValidationError, is_args_class, unstructure

from . import jsonrpc
from ._typed import Value, a_kind, typed
from .model import (
    ContentBlock,
    Icon,
    Meta,
    TextContent,
    ToolAnnotations,
    ToolResult,
    plain_result,
    present,
)
from .registry import Registry, check_bounds, check_listable, check_name, check_taken
from .schemas import ToolSchema
from .values import plain
from .work import Handler, UnfitResult

logger = logging.getLogger("typedargs")

_Step: TypeAlias = Callable[[Any], Any]

ALIASES_USED: Final = "typedargs/aliases"
"""The key of a result's `_meta` that maps each older key a call used to the current one."""


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Tool(Value):
    """A tool as it was registered: what is published, and what runs.

    `timeout` is in seconds. `max_concurrency` bounds the calls of this tool at once. `inline`
    runs a `def` handler on the event loop, which it must not block.
    """

    name: str
    description: str | None
    input: ToolSchema
    output: ToolSchema | None
    handler: Handler
    title: str | None = None
    annotations: ToolAnnotations | None = None
    icons: Sequence[Icon] = ()
    meta: Meta | None = None
    timeout: float | None = None
    max_concurrency: int | None = None
    inline: bool = False
    plain_input: Mapping[str, Any] | None = None
    """What is shown in place of the input schema."""
    steps: tuple[_Step, _Step] | None = attrs.field(init=False, eq=False, repr=False)
    """What a call is, one after the other: the making of its arguments, and the handler's function.

    None where a call needs more than its arguments: a context, or time.
    """
    gives: type[Any] | None = attrs.field(init=False, eq=False, repr=False)
    """The MCPArgs class of its output, where it has one."""

    def __attrs_post_init__(self) -> None:
        check_name("tool", self.name)
        check_bounds(self.label, self.timeout, self.max_concurrency)
        check_taken(self.label, self.handler.parameters, self.input.published)
        check_listable(self.label, self, self.meta)
        self._note_what_is_simple()

    def _note_what_is_simple(self) -> None:
        # As fields: attrs' cached properties would give the class a `__getattr__`, which slows all.
        handler, output = self.handler, self.output
        direct = handler.never_waits and handler.parameters == 1 and not handler.takes_context
        bounds = self.timeout, self.max_concurrency
        is_direct = direct and bounds == (None, None) and not self.input.aliases
        steps = (self.input.structure, handler.function) if is_direct else None
        gives = None if output is None else output.args_class
        if gives is not None and not issubclass(gives, MCPArgs):
            gives = None
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "gives", gives)

    def note_that_it_waits(self) -> None:
        """Take note that the handler is another than it was, and that a call may need time."""
        object.__setattr__(self, "steps", None)

    @property
    def key(self) -> str:
        """Its name, by which it is called."""
        return self.name

    @property
    def label(self) -> str:
        """What it is called in logs and messages."""
        return f'tool "{self.name}"'

    def wire(self, *, objects_only: bool) -> dict[str, Any]:
        """Return the tool as `tools/list` gives it.

        With `objects_only`, an output schema that is not of objects is left out, and a property
        whose schema is true or false gets an object that says the same.
        """
        output = self.output.published if self.output is not None else None
        if objects_only and not self.has_object_output:
            output = None
        shown = _with_objects if objects_only else lambda schema: schema
        return present(
            name=self.name,
            title=self.title,
            description=self.description,
            inputSchema=shown(
                self.input.published if self.plain_input is None else self.plain_input
            ),
            outputSchema=None if output is None else shown(output),
            annotations=self.annotations.wire() if self.annotations is not None else None,
            icons=[icon.wire() for icon in self.icons] or None,
            _meta=dict(self.meta) if self.meta is not None else None,
        )

    def in_plain_form(self) -> "Tool":
        """Return the tool with its input schema shown in the plain form; logs what that loses."""
        from .plain import plain_schema  # only for servers that want it

        shown, losses = plain_schema(self.input.published)
        if losses:
            lost = "; ".join(map(str, losses))
            logger.warning("%s, shown in the plain form: %s", self.label, lost)
        return attrs.evolve(self, plain_input=shown)

    @property
    def has_object_output(self) -> bool:
        """Whether the output schema takes objects only."""
        return self.output is not None and self.output.published.get("type") == "object"

    def result(self, returned: Any) -> ToolResult:
        """Return what a handler returned as a result that keeps to the output schema.

        The structured content of the result is JSON. Raises UnfitResult where there is none.
        """
        if isinstance(returned, MCPArgs):
            structured = self.structured_of(returned)
            return plain_result(jsonrpc.encode(structured).decode(), structured)
        result = self._as_result(returned)
        if result.is_error:
            return attrs.evolve(result, structured=_json(result.structured))
        if result.structured is MISSING:
            if self.output is not None:
                raise UnfitResult(
                    "it declares an output schema but returned no structured content; "
                    "return the output class, a dict or structured_result(...)"
                )
            return result
        structured = self.structured_of(result.structured)
        content = result.content or [_as_text(structured)]
        return attrs.evolve(result, content=content, structured=structured)

    def structured_of(self, value: Any) -> Any:
        """Return the JSON of a structured result, which the output schema takes.

        Raises UnfitResult where it has none.
        """
        output = self.output
        if output is None:
            return _json(value)
        of = output.args_class
        if type(value) is self.gives:
            try:
                return output.unstructure(value)
            except ValidationError as error:
                raise _unfit(error) from error
            except (TypeError, ValueError, RecursionError) as error:
                raise _not_json(error) from error
        if type(value) is not of and typing.is_typeddict(of) and isinstance(value, Mapping):
            structured = _json(value, of)
        else:
            structured = _json(value)
        try:
            output.structure(structured)
        except ValidationError as error:
            raise _unfit(error) from error
        return structured

    def _as_result(self, returned: Any) -> ToolResult:
        match returned:
            case ToolResult():
                return returned
            case None:
                return ToolResult()
            case str() if self.output is None:
                return ToolResult([TextContent(returned)])
            case _ if isinstance(returned, ContentBlock):
                return ToolResult([returned])
            case _ if is_args_class(type(returned)):
                return ToolResult(structured=returned)
            case list() | tuple() if returned and all(
                isinstance(block, ContentBlock) for block in returned
            ):
                return ToolResult(returned)
            case list() | tuple() if not returned and self.output is None:
                return ToolResult()
            case _ if self.output is not None:
                return ToolResult(structured=returned)
        raise UnfitResult(
            f"it returned {a_kind(returned)}, and it declares no output schema; return "
            "an MCPArgs instance, a str, content blocks, None or a ToolResult, or declare an output"
        )

    def aliases_used(self, arguments: Mapping[str, Any]) -> Meta | None:
        """Return the `_meta` that tells which older keys `arguments` has, or None."""
        aliases = self.input.aliases
        if not aliases:
            return None
        used = {key: aliases[key] for key in arguments if key in aliases}
        return {ALIASES_USED: used} if used else None


def _unfit(error: ValidationError) -> UnfitResult:
    return UnfitResult(f"its result does not fit its output schema: {error}")


def _not_json(error: Exception) -> UnfitResult:
    return UnfitResult(f"its result is not JSON: {error}")


def _with_objects(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not any(
        isinstance(p, bool) for p in properties.values()
    ):
        return schema
    by_value: Mapping[Any, dict[str, Any]] = {True: {}, False: {"not": {}}}
    return {
        **schema,
        "properties": {
            name: by_value[given] if isinstance(given, bool) else given
            for name, given in properties.items()
        },
    }


def _as_text(structured: Any) -> TextContent:
    return TextContent(jsonrpc.encode(structured).decode())


def _json(value: Any, of: type[Any] | None = None) -> Any:
    """Return `value`, of the args class `of` where it does not tell itself, as plain JSON values.

    Raises UnfitResult where it has none.
    """
    if value is MISSING:
        return value
    try:
        return plain(value if of is None else unstructure(value, of))
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_json(error) from error


class ToolRegistry(Registry[Tool]):
    """The tools by name, in the order of registration, and their listing in pages."""

    def __init__(self, page_size: int) -> None:
        super().__init__("tool", page_size, listed_as="tools")
        self.reads_literals = False
        """Whether some tool needs numbers as they are written."""
        self.has_direct = False
        """Whether the calls of some tool need nothing but their arguments."""

    def _note(self, item: Tool) -> None:
        self.reads_literals |= item.input.reads_literals
        self.has_direct |= item.steps is not None
