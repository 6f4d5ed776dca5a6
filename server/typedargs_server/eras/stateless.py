"""The modern era: every request says its revision, its client and what the client can do.

Source: https://modelcontextprotocol.io/specification/2026-07-28
"""

from typing import Any, ClassVar, Final

from ..errors import InvalidParams, MalformedMeta, UnsupportedProtocolVersion
from ..model import LEVELS, Caller, Wire, present
from . import meta, versions
from .base import Era, Params, implementation, progress_token, request_meta

CACHEABLE: Final = frozenset({"server/discover", "tools/list"})
"""The methods whose results carry hints for caches."""


class Stateless(Era):
    """The era of per-request `_meta`; it keeps nothing between requests."""

    objects_only: ClassVar = False

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
        info = given.get(meta.CLIENT_INFO)
        if info is not None and implementation(info) is None:
            raise MalformedMeta(
                f'"{meta.CLIENT_INFO}" must have a name and a version, both strings'
            )
        level = given.get(meta.LOG_LEVEL)
        if level is not None and (not isinstance(level, str) or level not in LEVELS):
            raise InvalidParams(f'"{meta.LOG_LEVEL}" must be one of {", ".join(LEVELS)}')
        return Caller(
            protocol_version=version,
            client_info=implementation(info),
            client_capabilities=capabilities,
            log_level=level,
            progress_token=progress_token(given),
            meta=given,
        )

    def dress(self, method: str, result: Wire) -> Wire:
        """Add the type of result, the server's identity, and the hints for caches."""
        cache = self.definition.cache
        dressed: Wire = {"resultType": "complete", **result}
        if method in CACHEABLE:
            dressed["ttlMs"] = cache.ttl_ms
            dressed["cacheScope"] = cache.scope
        identity: dict[str, Any] = {meta.SERVER_INFO: self.definition.implementation.wire()}
        dressed["_meta"] = {**result.get("_meta", {}), **identity}
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
