"""The legacy era: `initialize` opens a session, which remembers the client.

To be deleted whole when the last client of these revisions is gone.

Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
"""

import uuid
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..definition import ServerDefinition
from ..effects import Call
from ..errors import InvalidParams, ResourceNotFound, WireError
from ..model import LEVELS, Caller, ContentBlock, Implementation, Wire, present
from ..subscriptions import MAX_RESOURCES
from . import versions
from .base import Era, Params, implementation, progress_token, request_meta

if TYPE_CHECKING:
    from ..questions import Question

NOT_FOUND: Final = -32002
"""The code of a resource that is not there."""

DEFAULT_LOG_LEVEL = "info"
"""The least severe level that a client gets which never sent `logging/setLevel`."""


class Handshake(Era):
    """One session of the era of handshakes."""

    objects_only: ClassVar = True
    asks_live: ClassVar = True

    def __init__(self, definition: ServerDefinition, revision: str | None = None) -> None:
        super().__init__(definition)
        self.revision = revision
        """The negotiated revision; None before `initialize`."""
        self.ready = False
        """Whether the client has sent `notifications/initialized`."""
        self._client_info: Implementation | None = None
        self._capabilities: dict[str, object] = {}
        self._log_level = DEFAULT_LOG_LEVEL
        self.subscribed: set[str] = set()
        """The resources whose changes the client wants to hear of."""

    @property
    def has_batches(self) -> bool:
        """Whether the negotiated revision has JSON-RPC batches."""
        return self.revision == versions.BATCHING

    def caller(self, params: Params) -> Caller:
        """Return the client of this session."""
        given = request_meta(params)
        return Caller(
            protocol_version=self.revision or versions.LATEST_LEGACY,
            client_info=self._client_info,
            client_capabilities=self._capabilities,
            log_level=self._log_level,
            progress_token=progress_token(given),
            meta=given,
        )

    def dress(self, method: str, result: Wire) -> Wire:  # noqa: ARG002
        """Return `result`: a result of this era has nothing that the method does not say."""
        return result

    def may_ask(self, method: str) -> bool:
        """Whenever the client has opened the session, it can be asked."""
        return method != "initialize"

    def gather(self, call: Call) -> None:
        """Nothing: this era has no rounds, its questions are asked live."""

    def params_of(self, question: "Question[Any]") -> Wire:
        """Return the parameters of a question, as this era wants them."""
        params = question.params()
        if params.get("mode") == "url":
            params["elicitationId"] = uuid.uuid4().hex
        return params

    def error(self, error: WireError) -> tuple[int, int]:
        """Return the code in this era; an answer is an HTTP success, whatever it says."""
        code = NOT_FOUND if isinstance(error, ResourceNotFound) else error.code
        return code, 200

    def content(self, block: ContentBlock) -> Wire:
        """Return the JSON of `block`, or its name in a text where the revision has no such kind."""
        wire = super().content(block)
        since = versions.CONTENT_SINCE.get(wire["type"])
        if since is None or self.revision is None or self.revision >= since:
            return wire
        about = wire.get("uri") or wire.get("mimeType")
        return {"type": "text", "text": f"[{wire['type']}: {about}]"}

    def initialize(self, params: Params) -> Wire:
        """`initialize`: tell what the session is to be; it begins when that is answered."""
        revision, _, _ = _agreed(params)
        return present(
            protocolVersion=revision,
            capabilities=self.capabilities(),
            serverInfo=self.definition.implementation.wire(),
            instructions=self.definition.instructions,
        )

    def render(self, call: Call, outcome: Any) -> Wire:
        """Begin the session anew where `initialize` is answered, and no middleware refuses it."""
        body = super().render(call, outcome)
        if call.method == "initialize":
            self.revision, self._client_info, self._capabilities = _agreed(call.params)
            self.ready = False
            self._log_level = DEFAULT_LOG_LEVEL
            self.subscribed.clear()
        return body

    def ping(self, _params: Params) -> Wire:
        """`ping`: an empty result."""
        return {}

    def set_level(self, params: Params) -> Wire:
        """`logging/setLevel`: the least severe level to send from now on."""
        level = params.get("level")
        if not isinstance(level, str) or level not in LEVELS:
            raise InvalidParams(f"level must be one of {', '.join(LEVELS)}")
        self._log_level = level
        return {}

    def subscribe(self, params: Params) -> Wire:
        """`resources/subscribe`: tell of each change of a resource from now on."""
        if len(self.subscribed) >= MAX_RESOURCES:
            raise InvalidParams(f"a session may subscribe to at most {MAX_RESOURCES} resources")
        self.subscribed.add(self.resource_uri(params))
        return {}

    def unsubscribe(self, params: Params) -> Wire:
        """`resources/unsubscribe`: tell of it no more."""
        self.subscribed.discard(self.resource_uri(params))
        return {}

    methods: ClassVar = {
        "initialize": initialize,
        "ping": ping,
        "logging/setLevel": set_level,
        "resources/subscribe": subscribe,
        "resources/unsubscribe": unsubscribe,
        **Era.shared,
    }

    before_handshake: ClassVar = frozenset({"initialize", "ping"})
    """The methods that a client may send before the session is open."""


def _agreed(params: Params) -> tuple[str, Implementation, dict[str, object]]:
    """Return the revision, the client's own where it is served, its identity and capabilities.

    Raises InvalidParams where `params` are not those of `initialize`.
    """
    requested = params.get("protocolVersion")
    if not isinstance(requested, str):
        raise InvalidParams("protocolVersion must be a string")
    capabilities = params.get("capabilities")
    if not isinstance(capabilities, dict):
        raise InvalidParams("capabilities must be an object")
    client_info = implementation(params.get("clientInfo"))
    if client_info is None:
        raise InvalidParams("clientInfo must have a name and a version, both strings")
    revision = requested if requested in versions.LEGACY else versions.LATEST_LEGACY
    return revision, client_info, capabilities
