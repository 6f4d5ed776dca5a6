"""The modern era: every request says its revision, its client and what the client can do.

Source: https://modelcontextprotocol.io/specification/2026-07-28
"""

from functools import lru_cache
from typing import Any, ClassVar, Final

import msgspec

from .. import jsonrpc
from ..definition import ServerDefinition
from ..effects import Call
from ..errors import InvalidParams, MalformedMeta, UnsupportedProtocolVersion, WireError
from ..model import LEVELS, CacheHints, Caller, Implementation, Meta, Result, Wire, present
from ..rounds import InputRequired, Journal, Rounds
from ..subscriptions import Listening, filter_of
from . import meta, versions
from .base import ASKING, Era, Params, implementation, progress_token, request_meta

CACHEABLE: Final = frozenset(
    {
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    }
)
"""The methods whose results carry hints for caches."""

_KNOWN: Final = 32
"""The `_meta` of so many requests are remembered: a client repeats its own."""


class Stateless(Era):
    """The era of per-request `_meta`; it keeps nothing between requests."""

    objects_only: ClassVar = False
    asks_live: ClassVar = False

    def __init__(self, definition: ServerDefinition) -> None:
        super().__init__(definition)
        identity = jsonrpc.encode(definition.implementation.wire())
        self._identity: Wire = {meta.SERVER_INFO: msgspec.Raw(identity)}
        self._last: Caller | None = None
        """The last caller, since one repeats itself in each request."""

        self.known = msgspec.Raw()
        """The last `_meta` that `knows` has found fit: a client repeats its own."""
        self._remembers = lru_cache(maxsize=_KNOWN)(self._is_fit)

    def knows(self, raw_meta: msgspec.Raw) -> bool:
        """Tell of a `_meta`, as it came, whether it is of this era and nothing is wrong in it."""
        fit = self._remembers(bytes(raw_meta))
        if fit:
            self.known = raw_meta.copy()
        return fit

    def _is_fit(self, raw_meta: bytes) -> bool:
        try:
            self._caller(request_meta({"_meta": msgspec.json.decode(raw_meta)}))
        except (WireError, msgspec.MsgspecError, RecursionError):
            return False
        return True

    def caller(self, params: Params) -> Caller:
        """Source: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta"""
        given = request_meta(params)
        last = self._last
        if last is not None and last.meta == given and meta.PROGRESS_TOKEN not in given:
            # Equal is not the same: 1 is True.
            declared = given[meta.CLIENT_CAPABILITIES]
            return msgspec.structs.replace(last, meta=given, client_capabilities=declared)
        self._last = caller = self._caller(given)
        return caller

    def _caller(self, given: Meta) -> Caller:
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
            client_info=_client_info(given.get(meta.CLIENT_INFO)),
            client_capabilities=capabilities,
            log_level=level,
            progress_token=progress_token(given),
            meta=given,
        )

    def dress(self, method: str, result: Wire) -> Wire:
        """Add the type of result, the server's identity, and the hints for caches."""
        dressed: Wire = {"resultType": "complete", **result}
        if method in CACHEABLE and dressed["resultType"] == "complete":
            cache = self.definition.cache
            dressed.setdefault("ttlMs", cache.ttl_ms)
            dressed.setdefault("cacheScope", cache.scope)
        own = result.get("_meta")
        dressed["_meta"] = {**own, **self._identity} if own else self._identity
        return dressed

    def may_ask(self, method: str) -> bool:
        """Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr"""
        return method in ASKING

    def gather(self, call: Call) -> None:
        """Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr"""
        params = call.params
        if not ("requestState" in params or "inputResponses" in params) or (
            not self.may_ask(call.method)
        ):
            return
        brought = params.get("inputResponses", {})
        if not isinstance(brought, dict) or not all(isinstance(v, dict) for v in brought.values()):
            raise InvalidParams("inputResponses must be an object, and each response in it too")
        state = params.get("requestState")
        journal = Journal()
        if state is not None:
            if not isinstance(state, str):
                raise InvalidParams("requestState must be a string")
            call.state = self.definition.sealer.open(
                state, call.method, params, call.came.principal
            )
            journal = call.state.journal
        call.rounds = Rounds(journal, brought)

    def input_required(self, call: Call, required: InputRequired) -> Wire:
        """Return the result that asks the client, and gives it the sealed state to keep."""
        journal = call.gathered().journal
        journal.asked = {key: question.digest() for key, question in required.questions.items()}
        return {
            "resultType": "input_required",
            "inputRequests": {
                key: {"method": question.method, "params": question.params()}
                for key, question in required.questions.items()
            },
            "requestState": self.definition.sealer.seal(
                journal, call.method, call.params, call.came.principal
            ),
        }

    def render(self, call: Call, outcome: Any) -> Wire:
        """Add how long a resource may be kept: not at all where it depends on answers."""
        body = super().render(call, outcome)
        if isinstance(outcome, Result) and outcome.is_cacheable:
            hints = outcome.cache or getattr(call.work, "cache", None)
            if "inputResponses" in call.params or "requestState" in call.params:
                hints = CacheHints(ttl_ms=0, scope="private")
            if hints is not None:
                body.update(ttlMs=hints.ttl_ms, cacheScope=hints.scope)
        return body

    def discover(self, _params: Params) -> Wire:
        """`server/discover`: the revisions and capabilities of this server."""
        return present(
            supportedVersions=list(versions.SUPPORTED),
            capabilities=self.capabilities(),
            instructions=self.definition.instructions,
        )

    def listen(self, params: Params) -> Listening:
        """`subscriptions/listen`: a stream of the changes that the client wants to hear of."""
        return Listening(filter_of(params, self.definition.offered()))

    methods: ClassVar = {
        "server/discover": discover,
        "subscriptions/listen": listen,
        **Era.shared,
    }


def _client_info(given: object) -> Implementation | None:
    """Return a client's identity; raises MalformedMeta where it is none."""
    if given is None:
        return None
    info = implementation(given)
    if info is None:
        raise MalformedMeta(f'"{meta.CLIENT_INFO}" must have a name and a version, both strings')
    return info
