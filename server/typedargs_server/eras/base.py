"""What both eras share: the methods of the tools, and the shape of an era."""

import abc
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

import msgspec

from typedargs import MISSING

from ..definition import ServerDefinition
from ..errors import InvalidParams, MalformedMeta, MethodNotFound
from ..model import Caller, ContentBlock, Implementation, ToolResult, Wire
from ..tools import Tool
from . import meta


class ToolCall(msgspec.Struct, frozen=True):
    """What a `tools/call` request wants: a tool, and the arguments as they came."""

    tool: Tool
    arguments: dict[str, Any]


Params: TypeAlias = Mapping[str, Any]
Method: TypeAlias = Callable[[Any, Params], Wire | ToolCall]
"""An era's method: takes the era and the params, returns the result, or the call that makes it."""


class Era(abc.ABC):
    """How requests of one era are read, and how their results are dressed."""

    methods: ClassVar[Mapping[str, Method]]

    objects_only: ClassVar[bool]
    """Whether structured content, its schema and the schemas of properties must be objects."""

    def __init__(self, definition: ServerDefinition) -> None:
        self.definition = definition

    @abc.abstractmethod
    def caller(self, params: Params) -> Caller:
        """Return who sends a request with `params`; raises WireError where they do not say."""

    @abc.abstractmethod
    def dress(self, method: str, result: Wire) -> Wire:
        """Return `result` with what the era wants in a result of `method`."""

    def method(self, name: str) -> Method:
        """Return the method; raises MethodNotFound where this era has none of that name."""
        method = self.methods.get(name)
        if method is None:
            raise MethodNotFound(f"Method not found: {name[:128]}")
        return method

    def list_tools(self, params: Params) -> Wire:
        """`tools/list`: one page of the tools."""
        cursor = params.get("cursor")
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidParams("cursor must be a string")
        tools = self.definition.tools
        return tools.page(cursor, objects_only=self.objects_only)

    def call_tool(self, params: Params) -> ToolCall:
        """`tools/call`: the tool to run."""
        name = params.get("name")
        if not isinstance(name, str):
            raise InvalidParams("name must be a string: the tool to call")
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise InvalidParams("arguments must be an object")
        return ToolCall(self.definition.tools.get(name), arguments)

    def content(self, block: ContentBlock) -> Wire:
        """Return the JSON of `block`."""
        return block.wire()

    def call_result(self, result: ToolResult) -> Wire:
        """Return `result`, whose structured content is JSON, as `tools/call` gives it."""
        body: Wire = {"content": [self.content(block) for block in result.content]}
        structured = result.structured
        if structured is not MISSING and (isinstance(structured, dict) or not self.objects_only):
            body["structuredContent"] = structured
        if result.is_error:
            body["isError"] = True
        if result.meta is not None:
            body["_meta"] = dict(result.meta)
        return body


def implementation(value: object) -> Implementation | None:
    """Return a client's `clientInfo`, or None where it is not one."""
    if not isinstance(value, dict):
        return None
    name, version, title = value.get("name"), value.get("version"), value.get("title")
    if not isinstance(name, str) or not isinstance(version, str):
        return None
    return Implementation(
        name=name, version=version, title=title if isinstance(title, str) else None
    )


def request_meta(params: Params) -> Mapping[str, Any]:
    """Return the `_meta` of a request; raises MalformedMeta where it is no object."""
    value = params.get("_meta", {})
    if not isinstance(value, dict):
        raise MalformedMeta("_meta must be an object")
    return value


def progress_token(request: Mapping[str, Any]) -> str | int | None:
    """Return the progress token in a request's `_meta`; raises InvalidParams for another type."""
    token = request.get(meta.PROGRESS_TOKEN)
    if isinstance(token, float) and token.is_integer():
        return int(token)
    if token is not None and not (isinstance(token, str) or type(token) is int):
        raise InvalidParams("progressToken must be a string or an integer")
    return token
