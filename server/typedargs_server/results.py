"""What prompts, resources and completions give, as frozen values that know their JSON.

A server of tools alone starts without it; what all servers need is in `model`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import attrs

from ._typed import Value, typed
from .model import (
    FILE_BYTES,
    CacheHints,
    ContentBlock,
    ContentWire,
    Meta,
    Result,
    TextContent,
    Wire,
    base64_of,
    present,
)

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

    def wire(self, content: ContentWire) -> Wire:
        return {"role": self.role, "content": content(self.block)}


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class PromptResult(Result):
    """What a prompt gives: messages to begin a conversation with."""

    messages: Sequence[PromptMessage]
    description: str | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def answer(self, params: Mapping[str, Any], content: ContentWire) -> Wire:  # noqa: ARG002
        return present(
            description=self.description,
            messages=[message.wire(content) for message in self.messages],
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

    blob: bytes = attrs.field(metadata=FILE_BYTES)
    uri: str | None = attrs.field(default=None, kw_only=True)
    mime_type: str | None = attrs.field(default=None, kw_only=True)
    meta: Meta | None = attrs.field(default=None, kw_only=True)

    def wire(self, uri: str) -> Wire:
        """Return the contents as those at `uri`, where they do not name their own."""
        return _contents(self.uri or uri, self.mime_type, {"blob": base64_of(self.blob)}, self.meta)


ResourceContents: TypeAlias = TextResourceContents | BlobResourceContents


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class ResourceResult(Result):
    """What reading a resource gives; a directory may give the contents of several files.

    `cache` takes the place of the resource's own hints, for this reading.
    """

    contents: Sequence[ResourceContents]
    meta: Meta | None = attrs.field(default=None, kw_only=True)
    cache: CacheHints | None = attrs.field(default=None, kw_only=True)

    is_cacheable: ClassVar[bool] = True

    def answer(self, params: Mapping[str, Any], content: ContentWire) -> Wire:  # noqa: ARG002
        return present(
            contents=[contents.wire(params["uri"]) for contents in self.contents],
            _meta=None if self.meta is None else dict(self.meta),
        )


@attrs.frozen(field_transformer=typed, eq=False, repr=False)
class CompletionResult(Result):
    """Values that an argument may have, the best first, and how many there are in all."""

    values: Sequence[str]
    total: int | None = None
    has_more: bool | None = None

    def answer(self, params: Mapping[str, Any], content: ContentWire) -> Wire:  # noqa: ARG002
        completion = present(values=list(self.values), total=self.total, hasMore=self.has_more)
        return {"completion": completion}


def _contents(uri: str, mime_type: str | None, body: Wire, meta: Meta | None) -> Wire:
    its_meta = None if meta is None else dict(meta)
    return present(uri=uri, mimeType=mime_type, **body, _meta=its_meta)
