"""How a server is reached by HTTP: paths, who may call, bounds."""

import math
from collections.abc import Sequence
from typing import Final

import attrs

from .._typed import Value, typed
from ._guard import is_origin

_SECONDS: Final = ("keep_alive_seconds", "reconnect_seconds", "session_idle_seconds")
_COUNTS: Final = (
    "max_sessions",
    "max_kept_events",
    "max_kept_bytes",
    "max_headers",
    "max_header_bytes",
)


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class HttpSettings(Value):
    """How a server is reached by HTTP, and the bounds of that; see also `Limits`.

    With `stateless`, legacy clients get no session: each of their requests stands alone, and any
    worker process serves it. With `sse`, the transport of the oldest clients is served beside.
    """

    path: str = "/mcp"
    """The endpoint, below the path at which the app is mounted."""
    allowed_hosts: Sequence[str] = ()
    """Names by which the server may be called, beside localhost and IP addresses.

    A name may have a port; "*.example.com" is all its subdomains, and "*" is any name."""
    allowed_origins: Sequence[str] = ()
    """Origins of web pages that may call the server, beside its own.

    Such as "https://example.com", "https://*.example.com", or "*" for all."""
    cors_origins: Sequence[str] = ()
    """Origins whose pages may also read the answers: these get CORS headers; needs starlette."""
    stateless: bool = False
    sse: bool = False
    sse_path: str = "/sse"
    """Where the oldest clients open their stream."""
    messages_path: str = "/messages"
    """Where they send their messages."""
    keep_alive_seconds: float = 15.0
    """After how many seconds of silence a stream says that it is alive."""
    reconnect_seconds: float = 1.0
    """How many seconds a client waits to connect again after a stream was closed in mid-call."""
    max_sessions: int = 1000
    """Sessions of legacy clients at once; for one more, the longest idle one ends."""
    session_idle_seconds: float = 1800.0
    """After how many idle seconds a session may end."""
    max_kept_events: int = 256
    """Events in each session that are kept for clients that connect again."""
    max_kept_bytes: int = 1024 * 1024
    """Bytes of those events, in each session."""
    max_headers: int = 100
    """Headers of a request."""
    max_header_bytes: int = 32 * 1024
    """Bytes of all headers of a request."""

    def __attrs_post_init__(self) -> None:
        for name in ("path", "sse_path", "messages_path"):
            path = getattr(self, name)
            if not path.startswith("/") or "?" in path or "#" in path:
                raise ValueError(f'{name} must be a path that begins with "/", got {path!r}')
        if self.sse and len({self.path, self.sse_path, self.messages_path}) < 3:
            raise ValueError("path, sse_path and messages_path must differ")
        for name in _SECONDS:
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise ValueError(f"{name} must be above 0 and finite, got {value!r}")
        for name in _COUNTS:
            value = getattr(self, name)
            if value < 1:
                raise ValueError(f"{name} must be above 0, got {value!r}")
        for name in ("allowed_origins", "cors_origins"):
            for origin in getattr(self, name):
                if origin not in ("*", "null") and not is_origin(origin):
                    raise ValueError(
                        f'{name} must hold origins such as "https://example.com", got {origin!r}'
                    )
        for host in self.allowed_hosts:
            if "/" in host:
                raise ValueError(
                    f'allowed_hosts must hold names such as "example.com", got {host!r}'
                )
