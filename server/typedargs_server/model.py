"""The era-neutral things of the protocol, as frozen values: content, results, identity.

A value here knows its own JSON (`wire`), and nothing of methods, eras or transports.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

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


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


_FILE_BYTES: Mapping[str, str] = {HINT: "give the file's bytes, not base64"}


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

    data: bytes = attrs.field(metadata=_FILE_BYTES)
    mime_type: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        members = {"type": "image", "data": _base64(self.data), "mimeType": self.mime_type}
        return _annotated(members, self.annotations, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class AudioContent(Value):
    """A sound; `data` is the file's bytes, sent as base64."""

    data: bytes = attrs.field(metadata=_FILE_BYTES)
    mime_type: str
    annotations: Annotations | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        members = {"type": "audio", "data": _base64(self.data), "mimeType": self.mime_type}
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
            resource["blob"] = _base64(self.contents)
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


Role: TypeAlias = Literal["user", "assistant"]


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class PromptMessage(Value):
    """One message of a prompt, of the user unless `role` says otherwise; a str is its text."""

    content: ContentBlock | str
    role: Role = "user"

    @property
    def block(self) -> ContentBlock:
        """The content as a block."""
        return TextContent(self.content) if isinstance(self.content, str) else self.content

    def wire(self) -> Wire:
        return {"role": self.role, "content": self.block.wire()}


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class PromptResult(Value):
    """What a prompt gives: messages to begin a conversation with."""

    messages: Sequence[PromptMessage]
    description: str | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self) -> Wire:
        return present(
            description=self.description,
            messages=[message.wire() for message in self.messages],
            _meta=None if self.meta is None else dict(self.meta),
        )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class TextResourceContents(Value):
    """Contents of a resource that are text; without a `uri` they are what was asked for."""

    text: str
    uri: str | None = attrs.field(default=None, kw_only=True)
    mime_type: str | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self, uri: str) -> Wire:
        """Return the contents as those at `uri`, where they do not name their own."""
        return _contents(self.uri or uri, self.mime_type, {"text": self.text}, self.meta)


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class BlobResourceContents(Value):
    """Contents of a resource that are bytes, sent as base64."""

    blob: bytes = attrs.field(metadata=_FILE_BYTES)
    uri: str | None = attrs.field(default=None, kw_only=True)
    mime_type: str | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self, uri: str) -> Wire:
        """Return the contents as those at `uri`, where they do not name their own."""
        return _contents(self.uri or uri, self.mime_type, {"blob": _base64(self.blob)}, self.meta)


ResourceContents: TypeAlias = TextResourceContents | BlobResourceContents


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


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ResourceResult(Value):
    """What reading a resource gives; a directory may give the contents of several files.

    `cache` takes the place of the resource's own hints, for this reading.
    """

    contents: Sequence[ResourceContents]
    meta: Meta | None = attrs.field(default=None, kw_only=True)
    cache: CacheHints | None = attrs.field(default=None, kw_only=True)

    def wire(self, uri: str) -> Wire:
        """Return the result of reading `uri`, but for what only one era has."""
        return present(
            contents=[contents.wire(uri) for contents in self.contents],
            _meta=None if self.meta is None else dict(self.meta),
        )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class CompletionResult(Value):
    """Values that an argument may have, the best first, and how many there are in all."""

    values: Sequence[str]
    total: int | None = None
    has_more: bool | None = None

    def wire(self) -> Wire:
        completion = present(values=list(self.values), total=self.total, hasMore=self.has_more)
        return {"completion": completion}


def _contents(uri: str, mime_type: str | None, body: Wire, meta: Meta | None) -> Wire:
    return _annotated(present(uri=uri, mimeType=mime_type) | body, None, meta)


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
