"""The messages that the client reads, as msgspec structs, and the one way it writes them."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

MALFORMED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding a server's JSON raises when it is not what it should be."""


class Fault(Struct, frozen=True):
    """The `error` of a JSON-RPC response."""

    code: int
    message: str
    data: Raw | UnsetType = UNSET


class Message(Struct, frozen=True):
    """A message of a server: which kind it is shows in the fields that are set."""

    id: int | str | None = None
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Fault | UnsetType = UNSET

    def is_sound(self) -> bool:
        """Return whether this is a request, a notification or a response, and no other object."""
        return (
            self.method is not UNSET
            or self.error is not UNSET
            or (self.result is not UNSET and self.id is not None)
        )


class Discovery(Struct, frozen=True, rename="camel"):
    supported_versions: list[str]


class UnsupportedVersion(Struct, frozen=True):
    """The `data` of an UnsupportedProtocolVersionError."""

    supported: list[str]


class Handshake(Struct, frozen=True, rename="camel"):
    """The result of `initialize`."""

    protocol_version: str


class LogMessage(Struct, frozen=True):
    """The parameters of `notifications/message`."""

    level: str
    data: Raw
    logger: str | None = None


class ToolPage(Struct, frozen=True, rename="camel"):
    tools: list[Raw]
    next_cursor: str | None = None


class Tool(Struct, frozen=True, rename="camel"):
    name: str
    # Any: a schema is read by _schema.py, which takes whatever a server sends.
    input_schema: Any = None
    title: str | None = None
    description: str | None = None


class EmbeddedResource(Struct, frozen=True, rename="camel"):
    uri: str
    text: str | None = None
    mime_type: str | None = None


class Content(Struct, frozen=True, rename="camel"):
    """A content block; `type` says which of the other fields it has."""

    type: str
    text: str | None = None
    mime_type: str | None = None
    data: str | None = None
    uri: str | None = None
    resource: EmbeddedResource | None = None


class CallResult(Struct, frozen=True, rename="camel"):
    content: list[Content] = []
    structured_content: Raw | UnsetType = UNSET
    is_error: bool = False
    result_type: str = "complete"
    input_requests: dict[str, Raw] | None = None
    request_state: str | None = None


messages = msgspec.json.Decoder(Message | list[Message])


def compact(text: str | bytes) -> Raw:
    """Return JSON text as it stands, without the spaces and line ends between its tokens.

    Numbers keep their digits, whatever a float would make of them. Raises ValueError if `text` is
    not JSON.
    """
    try:
        data = text.encode() if isinstance(text, str) else text.decode().encode()
        return Raw(msgspec.json.format(data, indent=-1))
    except UnicodeError:
        raise ValueError("it is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None


def indented(raw: Raw) -> str:
    """Return a server's JSON on lines of two spaces' indentation, its values as they were sent."""
    return msgspec.json.format(bytes(raw), indent=2).decode(errors="replace")
