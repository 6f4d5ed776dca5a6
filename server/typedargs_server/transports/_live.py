"""What serves while a server runs, on one event loop: its runner, and all that is open."""

from typing import Final

import anyio

from ..definition import ServerDefinition
from ..direct import Direct
from ..jsonrpc import Message, Request
from ..peer import Peer
from ..protocol import Connection
from ..runner import Runner
from ._refusals import Refused
from ._replies import Outbox
from ._sessions import Sessions
from ._settings import HttpSettings

_CLOSING: Final = [(b"retry-after", b"1"), (b"connection", b"close")]


class Live:
    """A server that runs: requests come in until `end`."""

    def __init__(
        self, definition: ServerDefinition, settings: HttpSettings, runner: Runner
    ) -> None:
        self.definition = definition
        self.settings = settings
        self.runner = runner
        self.sessions = Sessions(runner, settings)
        self.pairs: dict[tuple[str, str | None], Peer] = {}
        """The open streams of the oldest clients, by the id that their messages name, and by who
        has opened them."""
        self.max_message_bytes = definition.limits.max_message_bytes
        self.is_ending = False
        self._ended = anyio.Event()
        self._modern = Connection(definition, only="modern")
        self.direct = Direct(runner, self._modern)
        """The direct way for modern requests, none of which is in flight with another."""
        self._listening: set[Peer] = set()
        self._outboxes: set[Outbox] = set()

    def modern_connection(self) -> Connection:
        """Return a connection for one modern request."""
        return self._modern.beside()

    def outbox(self, *, only_last: bool = False) -> Outbox:
        """Return an outbox for one response."""
        return Outbox(self.definition.limits.max_waiting_bytes, only_last=only_last)

    def listen(self, peer: Peer) -> None:
        """Tell `peer` from now on of changes."""
        if peer not in self._listening:
            self._listening.add(peer)
            self.runner.add(peer)

    def forget(self, peer: Peer) -> None:
        """Tell `peer` nothing more."""
        if peer in self._listening:
            self._listening.remove(peer)
            self.runner.remove(peer)

    def refuse_new_work(self, message: Message | list[Message]) -> None:
        """Raise Refused for a request, when the server is ending; answers to ours may come."""
        if self.is_ending and isinstance(message, Request | list):
            raise Refused(503, "Service Unavailable: the server is ending", _CLOSING)

    async def end(self) -> None:
        """End: subscriptions get their answer, calls may finish within the limits."""
        if self.is_ending:
            await self._ended.wait()
            return
        self.is_ending = True
        try:
            for peer in list(self._listening):
                self.runner.perform(peer, peer.connection.end())
            await self.runner.drain()
        finally:
            self.close()

    def close(self) -> None:
        """End at once what is still open."""
        self.is_ending = True
        self._ended.set()
        self.sessions.close_all()
        for outbox in list(self._outboxes):
            outbox.end(refusal=Refused(503, "Service Unavailable: the server has ended"))

    def opened(self, outbox: Outbox) -> None:
        """Take note of a response that is of no session."""
        self._outboxes.add(outbox)

    def closed(self, outbox: Outbox) -> None:
        """Take note that it is over."""
        self._outboxes.discard(outbox)
