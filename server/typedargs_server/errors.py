"""What the server raises: one class per wire error, with its code and HTTP status.

ServerError
├── RegistrationError   a tool cannot be registered as it stands: the developer mends it
├── ToolError           a tool's own failure, for the model to read: an in-band result
└── WireError           a JSON-RPC error response; one subclass for each code

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from ._typed import require


class ServerError(Exception):
    """The root of all errors raised by typedargs_server."""


class RegistrationError(ServerError, ValueError):
    """A tool that cannot be registered as it stands; the message says what to change."""


class ToolError(ServerError):
    """A failure that a handler reports to the model: answered as a result with `isError`.

    `code` names the kind of failure for programs, and `retryable` tells them whether the same
    call may succeed later. Both travel in the result's `_meta`; a subclass may set its own.
    """

    code: str = "tool_error"
    retryable: bool = False

    def __init__(self, message: str, *, code: str | None = None, retryable: bool | None = None):
        require(code, str | None, "ToolError: code")
        require(retryable, bool | None, "ToolError: retryable")
        super().__init__(message)
        if code is not None:
            self.code = code
        if retryable is not None:
            self.retryable = retryable


class WireError(ServerError):
    """A JSON-RPC error response; raised by a handler too, it is answered as one."""

    code: ClassVar[int]
    http_status: ClassVar[int] = 200

    def __init__(self, message: str, data: Mapping[str, Any] | None = None):
        require(message, str, f"{type(self).__name__}: message")
        super().__init__(message)
        self.message = message
        self.data = data


class ParseError(WireError):
    """The message is not JSON, or not UTF-8."""

    code = -32700
    http_status = 400


class InvalidRequest(WireError):
    """The JSON is not a JSON-RPC message that may be sent here."""

    code = -32600
    http_status = 400


class MethodNotFound(WireError):
    """The method is none that this server has in the request's era."""

    code = -32601
    http_status = 404


class InvalidParams(WireError):
    """The parameters do not fit the method."""

    code = -32602


class ResourceNotFound(InvalidParams):
    """There is no resource at the URI asked for; raised by a handler too.

    Source: https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
    """

    def __init__(self, uri: str, message: str = "Resource not found"):
        require(uri, str, "ResourceNotFound: uri")
        super().__init__(message, {"uri": uri})


class MalformedMeta(InvalidParams):
    """A required field of a request's `_meta` is missing or malformed."""

    http_status = 400


class InternalError(WireError):
    """The server failed; its log says why."""

    code = -32603
    http_status = 500


class HeaderMismatch(WireError):
    """An HTTP header contradicts the body."""

    code = -32020
    http_status = 400


class MissingRequiredClientCapability(WireError):
    """The request needs a capability that the client did not declare."""

    code = -32021
    http_status = 400


class UnsupportedProtocolVersion(WireError):
    """The request names a protocol revision that is not served."""

    code = -32022
    http_status = 400
