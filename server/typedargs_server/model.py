"""The era-neutral things of the protocol, as frozen values: content, tools' results, identity.

A value here knows its own JSON (`wire`), and nothing of methods, eras or transports.
"""

import abc
import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import attrs
import msgspec

from typedargs import MISSING, MCPArgs
from typedargs import Missing as MissingType

from ._typed import HINT, Value, typed

Meta: TypeAlias = Mapping[str, Any]
Wire: TypeAlias = dict[str, Any]
LoggingLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]

LEVELS: Mapping[str, int] = {
    "debug": 0,
    "info": 1,
    "notice": 2,
    "warning": 3,
    "error": 4,
    "critical": 5,
    "alert": 6,
    "emergency": 7,
}
"""The levels of RFC 5424 by ascending severity."""


def present(**members: Any) -> Wire:
    """Return the members that are not None."""
    return {name: value for name, value in members.items() if value is not None}


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Icon(Value):
    """An image for a client to show; `src` is an https: or data: URI."""

    src: str
    mime_type: str | None = None
    sizes: Sequence[str] | None = None
    theme: Literal["light", "dark"] | None = None

    def wire(self) -> Wire:
        return present(src=self.src, mimeType=self.mime_type, sizes=self.sizes, theme=self.theme)


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Implementation(Value):
    """The name and version of a server or a client, as it reports them itself."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: Sequence[Icon] = ()

    def wire(self) -> Wire:
        return present(
            name=self.name,
            title=self.title,
            version=self.version,
            description=self.description,
            websiteUrl=self.website_url,
            icons=[icon.wire() for icon in self.icons] or None,
        )


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class ToolAnnotations(Value):
    """Hints on what a tool does, which a client may show but must not rely on."""

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def wire(self) -> Wire:
        return present(
            title=self.title,
            readOnlyHint=self.read_only,
            destructiveHint=self.destructive,
            idempotentHint=self.idempotent,
            openWorldHint=self.open_world,
        )


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class Annotations(Value):
    """For whom content is meant, how important it is (0 to 1), and its date (ISO 8601)."""

    audience: Sequence[Literal["user", "assistant"]] | None = None
    priority: float | None = None
    last_modified: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.priority is not None and not 0 <= self.priority <= 1:
            raise ValueError(f"Annotations: priority must be from 0 to 1, got {self.priority!r}")

    def wire(self) -> Wire:
        return present(
            audience=self.audience, priority=self.priority, lastModified=self.last_modified
        )


def _annotated(members: Wire, annotations: Annotations | None, meta: Meta | None) -> Wire:
    if annotations is not None:
        members["annotations"] = annotations.wire()
    if meta is not None:
        members["_meta"] = dict(meta)
    return members


def base64_of(data: bytes) -> str:
    """Return bytes as JSON has them."""
    return base64.b64encode(data).decode("ascii")


FILE_BYTES: Mapping[str, str] = {HINT: "give the file's bytes, not base64"}
"""The metadata of a field that holds bytes."""


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class TextContent(Value):
    """Text."""

    text: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        return _annotated({"type": "text", "text": self.text}, self.annotations, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ImageContent(Value):
    """An image; `data` is the file's bytes, sent as base64."""

    data: bytes = attrs.field(metadata=FILE_BYTES)
    mime_type: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        members = {"type": "image", "data": base64_of(self.data), "mimeType": self.mime_type}
        return _annotated(members, self.annotations, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class AudioContent(Value):
    """A sound; `data` is the file's bytes, sent as base64."""

    data: bytes = attrs.field(metadata=FILE_BYTES)
    mime_type: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        members = {"type": "audio", "data": base64_of(self.data), "mimeType": self.mime_type}
        return _annotated(members, self.annotations, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ResourceLink(Value):
    """A link to a resource that the client may read."""

    uri: str
    name: str
    title: str | None = attrs.field(default=None, kw_only=True)
    description: str | None = attrs.field(default=None, kw_only=True)
    mime_type: str | None = attrs.field(default=None, kw_only=True)
    size: int | None = attrs.field(default=None, kw_only=True)
    icons: Sequence[Icon] = attrs.field(default=(), kw_only=True)
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        members = present(
            type="resource_link",
            uri=self.uri,
            name=self.name,
            title=self.title,
            description=self.description,
            mimeType=self.mime_type,
            size=self.size,
            icons=[icon.wire() for icon in self.icons] or None,
        )
        return _annotated(members, self.annotations, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class EmbeddedResource(Value):
    """A resource with its contents: text, or bytes, which are sent as base64."""

    uri: str
    contents: str | bytes
    mime_type: str | None = attrs.field(default=None, kw_only=True)
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        resource = present(uri=self.uri, mimeType=self.mime_type)
        if isinstance(self.contents, str):
            resource["text"] = self.contents
        else:
            resource["blob"] = base64_of(self.contents)
        return _annotated({"type": "resource", "resource": resource}, self.annotations, self.meta)


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ToolResult(Value):
    """What a tool call gives: content for the model, structured data, or a failure to mend."""

    content: Sequence[ContentBlock] = ()
    structured: Any | MissingType = attrs.field(default=MISSING, kw_only=True)
    is_error: bool = attrs.field(default=False, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)


def text_result(text: str, *, meta: Meta | None = None) -> ToolResult:
    """Return a result of one text block."""
    return ToolResult([TextContent(text)], meta=meta)


def structured_result(
    text: str, structured: MCPArgs | Mapping[str, Any] | Sequence[Any], *, meta: Meta | None = None
) -> ToolResult:
    """Return a result of `structured`, with `text` for models that read only text."""
    return ToolResult([TextContent(text)], structured=structured, meta=meta)


def error_result(text: str, *, meta: Meta | None = None) -> ToolResult:
    """Return a failure that the model can read and mend."""
    return ToolResult([TextContent(text)], is_error=True, meta=meta)


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class CacheHints(Value):
    """How long, in milliseconds, and for whom clients may keep a list, a resource, the discovery.

    Source: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
    """

    ttl_ms: int = 0
    scope: Literal["public", "private"] = "public"

    def __attrs_post_init__(self) -> None:
        if self.ttl_ms < 0:
            raise ValueError(f"ttl_ms must be at least 0, got {self.ttl_ms!r}")


ContentWire: TypeAlias = Callable[[ContentBlock], Wire]
"""What gives the JSON of a block."""


class Result(Value, abc.ABC):
    """What answers a request that is no tool call; the kinds of it stand in `results`."""

    __slots__ = ()

    is_cacheable: ClassVar[bool] = False
    """Whether clients may keep it, for as long as `cache` says, or that of its definition."""
    cache: CacheHints | None = None

    @abc.abstractmethod
    def answer(self, params: Mapping[str, Any], content: ContentWire) -> Wire:
        """Return the JSON of the answer to `params`, in which `content` gives that of a block."""


_new = object.__new__
_put = object.__setattr__


def plain_result(text: Any, structured: Any) -> ToolResult:
    """Return what `structured_result` does, of what needs no test: the server has made it."""
    content = _new(TextContent)
    _put(content, "text", text)
    _put(content, "annotations", None)
    _put(content, "meta", None)
    result = _new(ToolResult)
    _put(result, "content", (content,))
    _put(result, "structured", structured)
    _put(result, "is_error", False)
    _put(result, "meta", None)
    return result


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who sends a request and how it wants to be answered, whichever era says it."""

    protocol_version: str
    client_info: Implementation | None
    client_capabilities: Mapping[str, Any]
    log_level: str | None
    """The least severe level the client wants; None for no log messages."""
    progress_token: str | int | None
    meta: Meta
