"""What the protocol core wants done, as values; the runner and the transports do it."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from .jsonrpc import RequestId
from .model import Caller, Meta
from .rounds import Journal, Rounds
from .work import Work


class Wanted(msgspec.Struct, frozen=True):
    """What a request wants to be run: whose handler, and how its arguments are made."""

    work: Work
    prepare: Callable[[Any], Any]
    """Returns the arguments as the handler gets them; raises ValidationError or WireError."""
    given: Any = None
    """The arguments as they came."""
    told: Meta | None = None
    """What the protocol core has to tell in the result's `_meta`."""


class Batch(msgspec.Struct):
    """The answers to one batch, which go out together when the last is there."""

    channel: Any
    pending: int = 0
    answers: list[bytes] = msgspec.field(default_factory=list)


class Came(msgspec.Struct, frozen=True):
    """How a message came: by which channel, with which HTTP headers, from whom, in which batch."""

    channel: Any = None
    headers: Mapping[str, str] | None = None
    principal: str | None = None
    batch: Batch | None = None


class Call(msgspec.Struct, eq=False):
    """A request that is being answered: whose it is, and what is to be run for it."""

    id: RequestId
    method: str
    params: Mapping[str, Any]
    caller: Caller
    era: Any
    came: Came
    work: Work | None = None
    """None where the answer is there already, and goes through the middleware only."""
    arguments: Any = None
    """The arguments as the handler gets them; the answer, where there is no work."""
    told: Meta | None = None
    rounds: Rounds | None = None
    """What earlier rounds have gathered; None where there is nothing yet."""
    state: Any = None
    """The state that the client brought, opened."""

    def gathered(self) -> Rounds:
        """Return what the rounds of the call have gathered, in an era that has rounds."""
        if self.rounds is None:
            self.rounds = Rounds(Journal(), {})
        return self.rounds


class Asked(msgspec.Struct, eq=False):
    """A request of ours that waits for the client's answer."""

    id: RequestId
    call: Call


Data: TypeAlias = bytes | tuple[bytes, ...]
"""One encoded message, in parts where it is large: so it is never there twice."""


def whole(data: Data) -> bytes:
    """Return a message in one part."""
    return data if isinstance(data, bytes) else b"".join(data)


def size(data: Data) -> int:
    """Return how many bytes a message has."""
    return len(data) if isinstance(data, bytes) else sum(map(len, data))


Encoded: TypeAlias = tuple[Data, int]
"""An answer, and its HTTP status."""


class Framed(msgspec.Struct, frozen=True):
    """What came of a call, as the answer to it that is encoded already."""

    data: Data


class Send(msgspec.Struct, frozen=True):
    """Send these bytes, one message, to the peer.

    `channel` is where it belongs: what came with the request that it is about, or None for the
    peer's own stream. `is_last` tells the answer, after which nothing follows there. `status` is
    the HTTP status, were it all that is sent.
    """

    data: Data
    channel: Any = None
    is_last: bool = False
    status: int = 200


class Run(msgspec.Struct, frozen=True):
    """Run this call, and give what comes of it to `Connection.finish`."""

    call: Call


class Cancel(msgspec.Struct, frozen=True):
    """Cancel this call, which is running; it gets no answer."""

    call: Call
    reason: str | None


class Answered(msgspec.Struct, frozen=True):
    """The client has answered this request of ours: a result, or an error."""

    asked: Asked
    result: Any
    error: Any


Effect: TypeAlias = Send | Run | Cancel | Answered
