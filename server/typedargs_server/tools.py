"""Tools: the definition of one, the registry of all, and the forms of what a handler returns."""

import logging
import math
import re
import threading
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import msgspec

from typedargs import (
    MISSING,
    MCPArgs,
    ValidationError,
    is_args_class,
    nearest,
    unstructure,
)

from . import jsonrpc
from ._typed import a_kind, typed
from .errors import InvalidParams, RegistrationError
from .model import ContentBlock, Icon, Meta, TextContent, ToolAnnotations, ToolResult, present
from .schemas import ToolSchema
from .work import Handler, UnfitResult

logger = logging.getLogger("typedargs")

MAX_NAME_LENGTH: Final = 128
_NAME: Final = re.compile(rf"[A-Za-z0-9_.-]{{1,{MAX_NAME_LENGTH}}}")

ALIASES_USED: Final = "typedargs/aliases"
"""The key of a result's `_meta` that maps each older key a call used to the current one."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Tool:
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

    def __attrs_post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise RegistrationError(
                f"a tool name is 1 to {MAX_NAME_LENGTH} of the characters "
                f"A-Z a-z 0-9 _ - and . ; {self.name!r} is not"
            )
        if self.timeout is not None and not self.timeout > 0:
            raise RegistrationError(f'tool "{self.name}": timeout must be above 0 seconds')
        if self.max_concurrency is not None and self.max_concurrency < 1:
            raise RegistrationError(f'tool "{self.name}": max_concurrency must be at least 1')
        if not self.handler.parameters and self.input.published.get("properties"):
            raise RegistrationError(
                f'tool "{self.name}": the handler takes no parameters, so that its arguments '
                f"({', '.join(self.input.published['properties'])}) would be lost; "
                "take (args) or (args, ctx)"
            )
        try:
            _plain(self.meta)
        except (TypeError, ValueError, RecursionError) as error:
            raise RegistrationError(f'tool "{self.name}": meta is not JSON: {error}') from error
        try:
            jsonrpc.encode(self.wire(objects_only=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise RegistrationError(f'tool "{self.name}" cannot be listed: {error}') from error

    @property
    def label(self) -> str:
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
            logger.warning('tool "%s", shown in the plain form: %s', self.name, lost)
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
            structured = self._structured(returned)
            return ToolResult([_as_text(structured)], structured=structured)
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
        structured = self._structured(result.structured)
        content = result.content or [_as_text(structured)]
        return attrs.evolve(result, content=content, structured=structured)

    def _structured(self, value: Any) -> Any:
        """Return the JSON of a structured result, which the output schema has passed."""
        of = self.output.args_class if self.output is not None else None
        if of is not None and typing.is_typeddict(of) and isinstance(value, Mapping):
            structured = _json(value, of)
        else:
            structured = _json(value)
        if self.output is not None:
            try:
                self.output.structure(structured)
            except ValidationError as error:
                raise UnfitResult(f"its result does not fit its output schema: {error}") from error
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
        return _plain(value if of is None else unstructure(value, of))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnfitResult(f"its result is not JSON: {error}") from error


def _plain(value: Any) -> Any:
    """Return the JSON of `value`; raises TypeError or ValueError where it has none."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, MCPArgs):
        return unstructure(value)
    if is_args_class(type(value)):
        return _plain(unstructure(value))
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    return msgspec.to_builtins(value, enc_hook=jsonrpc.builtin)


def _key(key: Any) -> str:
    if type(key) is str:
        return key
    (text,) = msgspec.to_builtins({key: None}, str_keys=True, enc_hook=jsonrpc.builtin)
    return str(text)


_START: Final = -1
"""The position before the first tool."""


class ToolRegistry:
    """The tools by name, in the order of registration, and their listing in pages.

    Tools may come and go from any thread, while the event loop lists them.
    """

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self._tools: dict[str, Tool] = {}
        self._positions: dict[str, int] = {}
        self._next_position = 0
        self._listeners: list[Callable[[], None]] = []
        self._pages: dict[tuple[int, bool], dict[str, Any]] = {}
        self._given = {_START}
        self._lock = threading.Lock()
        self.reads_literals = False
        """Whether some tool needs numbers as they are written."""

    def add(self, tool: Tool) -> None:
        """Add `tool`; raises RegistrationError where its name is taken."""
        with self._lock:
            if tool.name in self._tools:
                raise RegistrationError(
                    f'a tool named "{tool.name}" is registered already; '
                    "choose another name, or call remove_tool first"
                )
            self._tools[tool.name] = tool
            self._positions[tool.name] = self._next_position
            self._next_position += 1
            self.reads_literals |= tool.input.reads_literals
            self._forget_pages()
        self._tell()

    def remove(self, name: str) -> None:
        """Remove the tool; calls that run go on. Raises KeyError where there is none."""
        with self._lock:
            if name not in self._tools:
                raise KeyError(f'no tool is named "{name}"')
            del self._tools[name], self._positions[name]
            self._forget_pages()
        self._tell()

    def all(self) -> list[Tool]:
        """Return all tools, in the order of their registration."""
        with self._lock:
            return list(self._tools.values())

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def get(self, name: str) -> Tool:
        """Return the tool; raises InvalidParams, the protocol's answer to an unknown one."""
        tool = self._tools.get(name)
        if tool is None:
            close = nearest(name, list(self._tools))
            hint = f'; did you mean "{close}"?' if close else ""
            raise InvalidParams(f"Unknown tool: {name[:MAX_NAME_LENGTH]}{hint}")
        return tool

    def page(self, cursor: str | None, *, objects_only: bool) -> dict[str, Any]:
        """Return a `tools/list` result: the tools after `cursor`, encoded, and the next cursor.

        A cursor stays good when tools come and go. Raises InvalidParams for one that is none.
        """
        after = _START if cursor is None else _position(cursor)
        key = (after, objects_only)
        with self._lock:
            page = self._pages.get(key)
            if page is None:
                page = self._page(after, objects_only)
                if after in self._given:  # a client that makes up cursors fills no memory
                    self._pages[key] = page
        return page

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at every change; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _page(self, after: int, objects_only: bool) -> dict[str, Any]:
        names = [name for name, position in self._positions.items() if position > after]
        shown = names[: self._page_size]
        tools = [self._tools[name].wire(objects_only=objects_only) for name in shown]
        page: dict[str, Any] = {"tools": msgspec.Raw(jsonrpc.encode(tools))}
        if len(names) > len(shown):
            last = self._positions[shown[-1]]
            page["nextCursor"] = _cursor(last)
            if after in self._given:
                self._given.add(last)
        return page

    def _forget_pages(self) -> None:
        self._pages.clear()
        self._given = {_START}

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()


def _cursor(position: int) -> str:
    return f"after-{position}"


def _position(cursor: str) -> int:
    match = re.fullmatch(r"after-([0-9]{1,18})", cursor)
    if match is None:
        raise InvalidParams("Invalid cursor; list again from the start")
    return int(match[1])
