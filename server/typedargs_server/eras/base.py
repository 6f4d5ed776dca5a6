"""What both eras share: the methods of what a server offers, and the shape of an era."""

import abc
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from typedargs import MISSING

from ..definition import ServerDefinition
from ..effects import Call, Wanted
from ..errors import InvalidParams, MalformedMeta, MethodNotFound, WireError
from ..model import Caller, ContentBlock, Implementation, ToolResult, Wire
from ..rounds import InputRequired
from ..subscriptions import KINDS, Listening
from . import meta

Params: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Wire | Wanted | Listening
Method: TypeAlias = Callable[[Any, Params], Answer]
"""An era's method: takes the era and the params, returns the result, or what is to make it."""

ASKING: Final = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The requests for which a handler may ask the client."""


class Era(abc.ABC):
    """How requests of one era are read, and how their results are dressed."""

    methods: ClassVar[Mapping[str, Method]]

    objects_only: ClassVar[bool]
    """Whether structured content, its schema and the schemas of properties must be objects."""

    def __init__(self, definition: ServerDefinition) -> None:
        self.definition = definition

    @abc.abstractmethod
    def caller(self, params: Params, headers: Mapping[str, str], principal: str | None) -> Caller:
        """Return who sends a request with `params`; raises WireError where they do not say."""

    @abc.abstractmethod
    def dress(self, method: str, result: Wire) -> Wire:
        """Return `result` with what the era wants in a result of `method`."""

    @abc.abstractmethod
    def gather(self, call: Call) -> None:
        """Set what `call` has gathered in earlier rounds, where its era has rounds.

        Raises InvalidParams where the client brings what is not for this request.
        """

    def input_required(self, call: Call, required: InputRequired) -> Wire:
        """Return the result that asks the client; for an era that has no such, it is a fault."""
        raise NotImplementedError from required

    def error(self, error: WireError) -> tuple[int, int]:
        """Return the code of an error in this era, and its HTTP status."""
        return error.code, error.http_status

    def answer(self, method: str, params: Params) -> Answer:
        """Return the answer to a request, or what is to make it; raises WireError.

        Raises MethodNotFound where this era has no such method, nor the server one of its own.
        """
        own = self.methods.get(method)
        if own is not None:
            answer: Answer = own(self, params)
            return answer
        custom = self.definition.methods.get(method)
        if custom is None:
            raise MethodNotFound(f"Method not found: {method[:128]}")
        given = {name: value for name, value in params.items() if name != "_meta"}
        return Wanted(custom, lambda: custom.input.structure(given))

    def capabilities(self) -> Wire:
        """Return the capabilities of the server, as they are now."""
        offered = self.definition.offered()
        declared: Wire = {kind: {"listChanged": True} for kind in KINDS if kind in offered}
        if "resources" in offered:
            declared["resources"]["subscribe"] = True
        if "completions" in offered:
            declared["completions"] = {}
        return {**declared, "logging": {}}

    def resource_uri(self, params: Params) -> str:
        """Return the URI in `params`; raises InvalidParams where there is none."""
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise InvalidParams("uri must be a string: the resource")
        return uri

    def list_tools(self, params: Params) -> Wire:
        """`tools/list`: one page of the tools."""
        cursor = params.get("cursor")
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidParams("cursor must be a string")
        tools = self.definition.tools
        return tools.page(cursor, objects_only=self.objects_only)

    def call_tool(self, params: Params) -> Wanted:
        """`tools/call`: the tool to run."""
        name = params.get("name")
        if not isinstance(name, str):
            raise InvalidParams("name must be a string: the tool to call")
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise InvalidParams("arguments must be an object")
        tool = self.definition.tools.get(name)
        return Wanted(tool, lambda: tool.input.structure(arguments), tool.aliases_used(arguments))

    shared: ClassVar[Mapping[str, Method]] = {
        "tools/list": list_tools,
        "tools/call": call_tool,
    }
    """The methods that both eras have."""

    def content(self, block: ContentBlock) -> Wire:
        """Return the JSON of `block`."""
        return block.wire()

    def render(self, outcome: Any) -> Wire:
        """Return what came of a request as the era gives it, undressed."""
        if isinstance(outcome, ToolResult):
            return self.tool_result(outcome)
        wire: Wire = outcome
        return wire

    def tool_result(self, result: ToolResult) -> Wire:
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
