"""What both eras share: the methods of what a server offers, and the shape of an era."""

import abc
import codecs
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, TypeAlias

import msgspec

from typedargs import MISSING

from .. import jsonrpc
from ..definition import ServerDefinition
from ..effects import Call, Data, Wanted
from ..errors import InvalidParams, MalformedMeta, MethodNotFound, WireError
from ..jsonrpc import RequestId, encode
from ..model import (
    Caller,
    ContentBlock,
    Implementation,
    Result,
    TextContent,
    ToolResult,
    Wire,
    plain_result,
)
from ..registry import Registry
from ..rounds import InputRequired
from ..subscriptions import KINDS, Listening
from ..tools import Tool
from . import meta

Params: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Wire | Wanted | Listening
Frame: TypeAlias = list[bytes]
"""The bytes of an answer, where they are always the same: before, between and after the rest."""
Method: TypeAlias = Callable[[Any, Params], Answer]
"""An era's method: takes the era and the params, returns the result, or what is to make it."""

ASKING: Final = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The requests for which a handler may ask the client."""

LARGE_BYTES: Final = 1 << 16
"""The result from which on its answer stays in parts, so that it is never there twice."""

_NEEDS: Final = {
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "resources/list": "resources",
    "resources/read": "resources",
    "resources/templates/list": "resources",
    "resources/subscribe": "resources",
    "resources/unsubscribe": "resources",
    "completion/complete": "completions",
}
"""What a server must have for each method that not all have."""


class Era(abc.ABC):
    """How requests of one era are read, and how their results are dressed."""

    methods: ClassVar[Mapping[str, Method]]

    objects_only: ClassVar[bool]
    """Whether structured content, its schema and the schemas of properties must be objects."""

    asks_live: ClassVar[bool]
    """Whether questions are requests to the client while a call runs, and not its answer."""

    def __init__(self, definition: ServerDefinition) -> None:
        self.definition = definition
        # Made with the first answer that needs them.
        self._around_call: Frame | None = None
        self._around_text: Frame | None = None

    @abc.abstractmethod
    def caller(self, params: Params) -> Caller:
        """Return who sends a request with `params`; raises WireError where they do not say."""

    @abc.abstractmethod
    def dress(self, method: str, result: Wire) -> Wire:
        """Return `result` with what the era wants in a result of `method`."""

    @abc.abstractmethod
    def may_ask(self, method: str) -> bool:
        """Tell whether the client can be asked something while `method` is answered."""

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
            need = _NEEDS.get(method)
            if need is None or self.definition.offers(need):
                answer: Answer = own(self, params)
                return answer
        custom = self.definition.methods.get(method)
        if custom is None:
            raise MethodNotFound(f"Method not found: {method[:128]}")
        given = {name: value for name, value in params.items() if name != "_meta"}
        return Wanted(custom, custom.input.structure, given)

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
        return self._page(self.definition.tools, params)

    def call_tool(self, params: Params) -> Wanted:
        """`tools/call`: the tool to run."""
        name = params.get("name")
        if not isinstance(name, str):
            raise InvalidParams("name must be a string: the tool to call")
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise InvalidParams("arguments must be an object")
        tool = self.definition.tools.get(name)
        told = tool.aliases_used(arguments) if tool.input.aliases else None
        return Wanted(tool, tool.input.structure, arguments, told)

    def list_prompts(self, params: Params) -> Wire:
        """`prompts/list`: one page of the prompts."""
        return self._page(self.definition.prompts, params)

    def get_prompt(self, params: Params) -> Wanted:
        """`prompts/get`: the prompt whose messages are to be made."""
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            raise InvalidParams("name must be a string: the prompt to get")
        if not isinstance(given, dict):
            raise InvalidParams("arguments must be an object")
        prompt = self.definition.prompts.get(name)
        return Wanted(prompt, prompt.arguments, given)

    def list_resources(self, params: Params) -> Wire:
        """`resources/list`: one page of the resources."""
        return self._page(self.definition.resources.resources, params)

    def list_templates(self, params: Params) -> Wire:
        """`resources/templates/list`: one page of the resource templates."""
        return self._page(self.definition.resources.templates, params)

    def read_resource(self, params: Params) -> Wanted:
        """`resources/read`: the resource to read, or the template that has it."""
        found, variables = self.definition.resources.find(self.resource_uri(params))
        return Wanted(found, found.arguments, variables)

    def complete(self, params: Params) -> Wanted:
        """`completion/complete`: what completes an argument of a prompt or of a template.

        Source: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
        """
        completions = self.definition.completions
        match params.get("argument"):
            case {"name": str(name), "value": str(value)}:
                pass
            case _:
                raise InvalidParams("argument must have a name and a value, both strings")
        context = params.get("context", {})
        chosen = context.get("arguments", {}) if isinstance(context, dict) else None
        if not isinstance(chosen, dict) or not all(isinstance(v, str) for v in chosen.values()):
            raise InvalidParams("context.arguments must be an object of strings")
        match params.get("ref"):
            case {"type": "ref/prompt", "name": str(prompt)}:
                completer = completions.of_prompt(prompt, name)
            case {"type": "ref/resource", "uri": str(uri)}:
                completer = completions.of_resource(uri, name)
            case _:
                raise InvalidParams(
                    "ref must be a ref/prompt with a name, or a ref/resource with a uri"
                )
        return Wanted(completer, lambda typed: completer.arguments(*typed), (value, chosen))

    def _page(self, registry: Registry[Any], params: Params) -> Wire:
        cursor = params.get("cursor")
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidParams("cursor must be a string")
        return registry.page(cursor, objects_only=self.objects_only)

    shared: ClassVar[Mapping[str, Method]] = {
        "tools/list": list_tools,
        "tools/call": call_tool,
        "prompts/list": list_prompts,
        "prompts/get": get_prompt,
        "resources/list": list_resources,
        "resources/templates/list": list_templates,
        "resources/read": read_resource,
        "completion/complete": complete,
    }
    """The methods that both eras have."""

    def content(self, block: ContentBlock) -> Wire:
        """Return the JSON of `block`."""
        return block.wire()

    def render(self, call: Call, outcome: Any) -> Wire:
        """Return what came of a request, but a tool call, as the era gives it, undressed."""
        if isinstance(outcome, Result):
            return outcome.answer(call.params, self.content)
        if isinstance(outcome, Mapping):
            return dict(outcome)
        raise TypeError(f"{outcome!r:.80} is no answer to {call.method}")

    def framed(self, request_id: RequestId, tool: Tool, returned: Any) -> Data | None:
        """Return the answer to a call, if its result is of the commonest kinds and fits.

        The bytes are those that `tool_result` and `dress` lead to, by a shorter way.
        """
        output = tool.output
        try:
            if output is None:
                if type(returned) is not str:
                    return None
                if self._around_text is None:
                    self._around_text = self._frame(MISSING)
                before, to_text, after = self._around_text
                text = encode(returned)
                parts = before, encode(request_id), to_text, text, after
                return b"".join(parts) if len(text) < LARGE_BYTES else parts
            if type(returned) is not tool.gives:
                return None
            structured = encode(output.unstructure(returned))
            if self._around_call is None:
                self._around_call = self._frame({})
            before, to_text, to_structured, after = self._around_call
            its_id = encode(request_id)
            if len(structured) < LARGE_BYTES:
                text = encode(structured.decode())
                return b"".join((before, its_id, to_text, text, to_structured, structured, after))
            texts = _text_in_parts(structured)
            return before, its_id, to_text, *texts, to_structured, structured, after
        except Exception:  # `Tool.result` says what is wrong
            return None

    def _frame(self, structured: Any) -> Frame:
        """Return what stands in the answer to a call around its id, text and structured content.

        All of it but what one call differs in from others, as `tool_result` and `dress` have it.
        """
        hole = msgspec.Raw(b"\0")  # which no JSON has
        body = self.tool_result(plain_result(hole, structured))
        if "structuredContent" in body:
            body["structuredContent"] = hole
        encoded = jsonrpc.result_response(hole, self.dress("tools/call", body))
        return encoded.split(b"\0")

    def tool_result(self, result: ToolResult) -> Wire:
        """Return `result`, whose structured content is JSON, as `tools/call` gives it."""
        body: Wire = {
            "content": [
                {"type": "text", "text": block.text}
                if type(block) is TextContent and block.annotations is None and block.meta is None
                else self.content(block)
                for block in result.content
            ]
        }
        structured = result.structured
        if structured is not MISSING and (isinstance(structured, dict) or not self.objects_only):
            body["structuredContent"] = structured
        if result.is_error:
            body["isError"] = True
        if result.meta is not None:
            body["_meta"] = dict(result.meta)
        return body


def _text_in_parts(structured: bytes) -> Iterator[bytes]:
    """Give the JSON string of a text piece by piece, so that the text as such is never there."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    yield b'"'
    for at in range(0, len(structured), LARGE_BYTES):
        yield encode(decode(structured[at : at + LARGE_BYTES]))[1:-1]
    yield b'"'


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
