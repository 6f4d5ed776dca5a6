"""What a handler asks of the client, as values: a form, a page to visit, a sampled message, roots.

A question knows its request and how to read the answer; not when it is sent, nor in which era.

Source: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation,
.../client/sampling, .../client/roots
"""

import abc
import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, overload

import attrs

from typedargs import ObjectSchema, ValidationError, nearest

from . import jsonrpc
from ._typed import Value, require, typed
from .forms import Form, form_of
from .model import AudioContent, ContentBlock, ImageContent, Meta, TextContent, Wire, present
from .schemas import SchemaSource

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class UnfitAnswer(Exception):
    """The client's answer does not fit the question; the message says why."""


@attrs.frozen
class Accepted(Generic[T_co]):
    """The user agreed; `content` is what they filled in, None for a page they visit."""

    content: T_co
    action: ClassVar[Literal["accept"]] = "accept"


@attrs.frozen
class Declined:
    """The user said no."""

    action: ClassVar[Literal["decline"]] = "decline"


@attrs.frozen
class Cancelled:
    """The user closed the question without a choice."""

    action: ClassVar[Literal["cancel"]] = "cancel"


Elicited: TypeAlias = Accepted[T] | Declined | Cancelled
"""The outcome of an elicitation."""


class Question(abc.ABC, Generic[T_co]):
    """A request to the client; `T_co` is what its answer is read as."""

    method: ClassVar[str]
    key: str | None
    """The name of the question in its call; where None, the order of the questions gives one."""

    @property
    @abc.abstractmethod
    def needs(self) -> Wire:
        """The capabilities that the client must have declared, as it declares them."""

    @abc.abstractmethod
    def params(self) -> Wire:
        """Return the parameters of the request."""

    @abc.abstractmethod
    def read(self, answer: Mapping[str, Any]) -> T_co:
        """Return what the client's result means; raises UnfitAnswer."""

    def lacks(self, declared: Mapping[str, Any]) -> Wire:
        """Return those of the needed capabilities that are not `declared`."""
        return _lacking(self.needs, declared)

    def digest(self) -> str:
        """Return what tells this question from another under the same key."""
        asked = jsonrpc.encode([self.method, self.params()])
        return hashlib.sha256(asked).hexdigest()[:16]


def _lacking(needed: Mapping[str, Any], declared: Mapping[str, Any]) -> Wire:
    lacking: Wire = {}
    for name, deeper in needed.items():
        given = declared.get(name)
        if not isinstance(given, Mapping):
            lacking[name] = deeper
        elif rest := _lacking(deeper, given):
            lacking[name] = rest
    return lacking


class Elicit(Question[Elicited[T]]):
    """A form for the user to fill in; accepted, its content is an instance of the class given.

    `schema` is a flat class, an ObjectSchema or a raw schema: strings, numbers, booleans, choices
    and lists of choices. Raises SchemaError where it is not flat.
    """

    method: ClassVar = "elicitation/create"

    @overload
    def __init__(self, message: str, schema: type[T], *, key: str | None = None) -> None: ...
    @overload
    def __init__(
        self: "Elicit[dict[str, Any]]",
        message: str,
        schema: ObjectSchema | str | Mapping[str, Any],
        *,
        key: str | None = None,
    ) -> None: ...
    def __init__(self, message: str, schema: SchemaSource, *, key: str | None = None) -> None:
        require(message, str, "elicit: message")
        require(key, str | None, "elicit: key")
        self.message = message
        self.key = key
        self._form: Form = form_of(schema)

    @property
    def needs(self) -> Wire:
        return {"elicitation": {}}

    def lacks(self, declared: Mapping[str, Any]) -> Wire:
        """An empty declaration means forms; one that names only pages does not."""
        given = declared.get("elicitation")
        if isinstance(given, Mapping) and given and "form" not in given:
            return {"elicitation": {"form": {}}} if "url" in given else {}
        return super().lacks(declared)

    def params(self) -> Wire:
        return {"message": self.message, "requestedSchema": dict(self._form.published)}

    def read(self, answer: Mapping[str, Any]) -> Elicited[T]:
        content = answer.get("content", {})
        return _elicited(answer, lambda: self._content(content))

    def _content(self, content: object) -> T:
        try:
            filled: T = self._form.structure(content)
        except ValidationError as error:
            raise UnfitAnswer(f"the content does not fit the form: {error}") from error
        return filled


class ElicitUrl(Question[Elicited[None]]):
    """A page for the user to visit; accepted means that they agreed to, not that they are done."""

    method: ClassVar = "elicitation/create"

    def __init__(self, message: str, url: str, *, key: str | None = None) -> None:
        require(message, str, "elicit_url: message")
        require(url, str, "elicit_url: url")
        if not url.startswith(("https://", "http://")):
            raise ValueError(
                f"elicit_url: url must begin with https:// or http://, got {url!r:.80}"
            )
        require(key, str | None, "elicit_url: key")
        self.message = message
        self.url = url
        self.key = key

    @property
    def needs(self) -> Wire:
        return {"elicitation": {"url": {}}}

    def params(self) -> Wire:
        return {"mode": "url", "message": self.message, "url": self.url}

    def read(self, answer: Mapping[str, Any]) -> Elicited[None]:
        return _elicited(answer, lambda: None)


def _elicited(answer: Mapping[str, Any], content: Callable[[], T]) -> Elicited[T]:
    match answer.get("action"):
        case "accept":
            return Accepted(content())
        case "decline":
            return Declined()
        case "cancel":
            return Cancelled()
        case other:
            raise UnfitAnswer(f"action must be accept, decline or cancel, got {other!r:.40}")


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ToolUseContent(Value):
    """A call of a tool that the sampled model asks for; `id` names it in the answer."""

    id: str
    name: str
    input: Meta
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        return present(
            type="tool_use", id=self.id, name=self.name, input=dict(self.input), _meta=self.meta
        )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ToolResultContent(Value):
    """What a tool gave, for the sampled model to go on with."""

    tool_use_id: str
    content: Sequence[ContentBlock] = ()
    structured: Meta | None = attrs.field(default=None, kw_only=True)
    is_error: bool = attrs.field(default=False, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        return present(
            type="tool_result",
            toolUseId=self.tool_use_id,
            content=[block.wire() for block in self.content],
            structuredContent=self.structured,
            isError=self.is_error or None,
            _meta=self.meta,
        )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class SamplingMessage(Value):
    """A message of the conversation that the model goes on with."""

    content: Any
    """A str, a content block, or a list of blocks."""
    role: Literal["user", "assistant"] = "user"

    def wire(self) -> Wire:
        return {"role": self.role, "content": _content_wire(self.content)}


def _content_wire(content: Any) -> Any:
    if isinstance(content, str):
        return TextContent(content).wire()
    if isinstance(content, Sequence):
        return [block.wire() for block in content]
    return content.wire()


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class ModelPreferences(Value):
    """Which model to take: names it may start with, and what matters how much, from 0 to 1."""

    hints: Sequence[str] = ()
    cost: float | None = None
    speed: float | None = None
    intelligence: float | None = None

    def wire(self) -> Wire:
        return present(
            hints=[{"name": name} for name in self.hints] or None,
            costPriority=self.cost,
            speedPriority=self.speed,
            intelligencePriority=self.intelligence,
        )


@attrs.frozen(kw_only=True)
class Sampled:
    """A message that the client's model made; `content` is its blocks, `text` their text."""

    content: Sequence[Any]
    model: str
    role: str = "assistant"
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return "".join(block.text for block in self.content if isinstance(block, TextContent))

    @property
    def tool_uses(self) -> Sequence[ToolUseContent]:
        """The tool calls that the model asks for."""
        return [block for block in self.content if isinstance(block, ToolUseContent)]


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class SamplingTool(Value):
    """A tool that the sampled model may ask for."""

    name: str
    description: str | None = None
    input_schema: Meta = attrs.field(factory=lambda: {"type": "object"})

    def wire(self) -> Wire:
        return present(
            name=self.name, description=self.description, inputSchema=dict(self.input_schema)
        )


def _messages(given: Any) -> Sequence[SamplingMessage]:
    require(given, str | SamplingMessage | Sequence[str | SamplingMessage], "Sample: messages")
    each = [given] if isinstance(given, str | SamplingMessage) else list(given)
    return [SamplingMessage(one) if isinstance(one, str) else one for one in each]


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class Sample(Question[Sampled], Value):
    """A message for the client's model to make, which goes on from others; a str is a user's."""

    method: ClassVar = "sampling/createMessage"

    messages: str | SamplingMessage | Sequence[str | SamplingMessage] = attrs.field(
        converter=_messages
    )
    max_tokens: int = attrs.field(default=1000, kw_only=True)
    system_prompt: str | None = attrs.field(default=None, kw_only=True)
    model_preferences: ModelPreferences | None = attrs.field(default=None, kw_only=True)
    temperature: float | None = attrs.field(default=None, kw_only=True)
    stop_sequences: Sequence[str] = attrs.field(default=(), kw_only=True)
    tools: Sequence[SamplingTool] = attrs.field(default=(), kw_only=True)
    tool_choice: Literal["auto", "required", "none"] | None = attrs.field(
        default=None, kw_only=True
    )
    include_context: Literal["none", "thisServer", "allServers"] | None = attrs.field(
        default=None, kw_only=True
    )
    metadata: Meta | None = attrs.field(default=None, kw_only=True)
    key: str | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if not self.messages:
            raise ValueError("Sample: messages must have at least one")
        if self.max_tokens < 1:
            raise ValueError(f"Sample: max_tokens must be at least 1, got {self.max_tokens!r}")

    @property
    def needs(self) -> Wire:
        deeper: Wire = {}
        if self.tools or self.tool_choice is not None:
            deeper["tools"] = {}
        if self.include_context not in (None, "none"):
            deeper["context"] = {}
        return {"sampling": deeper}

    def params(self) -> Wire:
        preferences = self.model_preferences
        return present(
            messages=[message.wire() for message in _messages(self.messages)],
            maxTokens=self.max_tokens,
            systemPrompt=self.system_prompt,
            modelPreferences=preferences.wire() if preferences is not None else None,
            temperature=self.temperature,
            stopSequences=list(self.stop_sequences) or None,
            tools=[tool.wire() for tool in self.tools] or None,
            toolChoice={"mode": self.tool_choice} if self.tool_choice is not None else None,
            includeContext=self.include_context,
            metadata=self.metadata,
        )

    def read(self, answer: Mapping[str, Any]) -> Sampled:
        given = answer.get("content")
        blocks = given if isinstance(given, list) else [given]
        model, stop = answer.get("model"), answer.get("stopReason")
        if not isinstance(model, str):
            raise UnfitAnswer("model must be a string")
        return Sampled(
            content=[_block(block) for block in blocks],
            model=model,
            role=str(answer.get("role", "assistant")),
            stop_reason=stop if isinstance(stop, str) else None,
        )


def _block(block: object) -> Any:
    """Return a content block of a sampled message."""
    match block:
        case {"type": "text", "text": str(text)}:
            return TextContent(text)
        case {"type": "image" | "audio" as kind, "data": str(data), "mimeType": str(mime_type)}:
            made = ImageContent if kind == "image" else AudioContent
            try:
                return made(base64.b64decode(data, validate=True), mime_type)
            except ValueError as error:
                raise UnfitAnswer(f"the {kind}'s data is not base64") from error
        case {"type": "tool_use", "id": str(use), "name": str(name), "input": dict(given)}:
            return ToolUseContent(use, name, given)
        case {"type": str(kind)}:
            known = ("text", "image", "audio", "tool_use")
            close = nearest(kind, list(known))
            hint = f"; did the client mean {close}?" if close and close != kind else ""
            raise UnfitAnswer(f"content of type {kind!r:.40} is malformed or unknown{hint}")
    raise UnfitAnswer("content must be a content block, or a list of them")


@attrs.frozen
class Root:
    """A directory or file that the client lets the server work in."""

    uri: str
    name: str | None = None


@attrs.frozen(kw_only=True)
class ListRoots(Question[Sequence[Root]]):
    """The roots that the client offers."""

    method: ClassVar = "roots/list"
    key: str | None = None

    @property
    def needs(self) -> Wire:
        return {"roots": {}}

    def params(self) -> Wire:
        return {}

    def read(self, answer: Mapping[str, Any]) -> Sequence[Root]:
        roots = answer.get("roots")
        if not isinstance(roots, list):
            raise UnfitAnswer("roots must be a list")
        return [_root(root) for root in roots]


def _root(root: object) -> Root:
    match root:
        case {"uri": str(uri), "name": str(name)}:
            return Root(uri, name)
        case {"uri": str(uri)}:
            return Root(uri)
    raise UnfitAnswer("each root must have a uri, a string")
