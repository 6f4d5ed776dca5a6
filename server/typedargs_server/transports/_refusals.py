"""Requests that HTTP itself refuses, before any message of theirs is acted on."""

from collections.abc import Sequence

from .. import jsonrpc
from ..errors import InternalError, InvalidRequest


class Refused(Exception):
    """A request that is answered with this HTTP status and a JSON-RPC error without an id."""

    def __init__(self, status: int, message: str, headers: Sequence[tuple[bytes, bytes]] = ()):
        super().__init__(message)
        self.status = status
        self.headers = headers

    @property
    def body(self) -> bytes:
        """The JSON-RPC error."""
        kind = InvalidRequest if self.status < 500 else InternalError
        return jsonrpc.error_response(None, kind(str(self)))


class Gone(Exception):
    """The client has left before it had sent its request."""
