"""The HTTP headers that repeat what a modern request's body says.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..jsonrpc import Request

PROTOCOL_VERSION: Final = "mcp-protocol-version"


def check_headers(headers: Mapping[str, str], request: Request, tool: Callable[[str], Any]) -> None:
    """Raise HeaderMismatch where the headers say something else than the body."""
