"""The protocol revisions served; the only file with revision dates.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
"""

from typing import Final

MODERN: Final = "2026-07-28"
"""Stateless: version, identity and capabilities travel in each request's `_meta`."""

LATEST_LEGACY: Final = "2025-11-25"

BATCHING: Final = "2025-03-26"
"""The one revision with JSON-RPC batches."""

LEGACY: Final = (LATEST_LEGACY, "2025-06-18", BATCHING, "2024-11-05")
"""Opened by an `initialize` handshake; newest first."""

SUPPORTED: Final = (MODERN, *LEGACY)

CONTENT_SINCE: Final = {"audio": BATCHING, "resource_link": "2025-06-18"}
"""The first revision with each kind of content that the oldest lacks."""

PRIMED: Final = frozenset({LATEST_LEGACY})
"""The revisions whose streams of events begin with one without data, and can be polled."""

UNNAMED: Final = BATCHING
"""The revision of a legacy HTTP request that names none, in no session."""
