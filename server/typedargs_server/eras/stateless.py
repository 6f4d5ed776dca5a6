"""The modern era: every request says its revision, its client and what the client can do.

Source: https://modelcontextprotocol.io/specification/2026-07-28
"""

from typing import ClassVar, Final

import msgspec

from .. import jsonrpc
from ..definition import ServerDefinition
from ..errors import InvalidParams, MalformedMeta, UnsupportedProtocolVersion
from ..model import LEVELS, Caller, Implementation, Wire, present
from . import meta, versions
from .base import Era, Params, implementation, progress_token, request_meta

CACHEABLE: Final = frozenset({"server/discover", "tools/list"})
"""The methods whose results carry hints for caches."""


class Stateless(Era):
    """The era of per-request `_meta`; it keeps nothing between requests."""

    objects_only: ClassVar = False

    def __init__(self, definition: ServerDefinition) -> None:
        super().__init__(definition)
        identity = jsonrpc.encode(definition.implementation.wire())
        self._identity: Wire = {meta.SERVER_INFO: msgspec.Raw(identity)}
        self._last_info: tuple[object, Implementation | None] = (None, None)

    def caller(self, params: Params) -> Caller:
        """Source: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta"""
        given = request_meta(params)
        version = given.get(meta.PROTOCOL_VERSION)
        if not isinstance(version, str):
            raise MalformedMeta(
                f'_meta must have "{meta.PROTOCOL_VERSION}", a string; '
                "a client of an earlier revision must send initialize first"
            )
        if version != versions.MODERN:
            raise UnsupportedProtocolVersion(
                "Unsupported protocol version",
                {"supported": list(versions.SUPPORTED), "requested": version},
            )
        capabilities = given.get(meta.CLIENT_CAPABILITIES)
        if not isinstance(capabilities, dict):
            raise MalformedMeta(f'_meta must have "{meta.CLIENT_CAPABILITIES}", an object')
        level = given.get(meta.LOG_LEVEL)
        if level is not None and (not isinstance(level, str) or level not in LEVELS):
            raise InvalidParams(f'"{meta.LOG_LEVEL}" must be one of {", ".join(LEVELS)}')
        return Caller(
            protocol_version=version,
            client_info=self._client_info(given.get(meta.CLIENT_INFO)),
            client_capabilities=capabilities,
            log_level=level,
            progress_token=progress_token(given),
            meta=given,
        )

    def _client_info(self, given: object) -> Implementation | None:
        """Return a client's identity; one client repeats its own in each request."""
        if given is None:
            return None
        if given != self._last_info[0]:
            info = implementation(given)
            if info is None:
                raise MalformedMeta(
                    f'"{meta.CLIENT_INFO}" must have a name and a version, both strings'
                )
            self._last_info = (given, info)
        return self._last_info[1]

    def dress(self, method: str, result: Wire) -> Wire:
        """Add the type of result, the server's identity, and the hints for caches."""
        cache = self.definition.cache
        dressed: Wire = {"resultType": "complete", **result}
        if method in CACHEABLE:
            dressed["ttlMs"] = cache.ttl_ms
            dressed["cacheScope"] = cache.scope
        own = result.get("_meta")
        dressed["_meta"] = {**own, **self._identity} if own else self._identity
        return dressed

    def discover(self, _params: Params) -> Wire:
        """`server/discover`: the revisions and capabilities of this server."""
        return present(
            supportedVersions=list(versions.SUPPORTED),
            capabilities={"tools": {}, "logging": {}},
            instructions=self.definition.instructions,
        )

    methods: ClassVar = {
        "server/discover": discover,
        "tools/list": Era.list_tools,
        "tools/call": Era.call_tool,
    }
