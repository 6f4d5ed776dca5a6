"""In memory: a client in the same event loop, message by message, as bytes.

Nothing of the protocol is left out: what a client here sends and gets is what goes over a wire.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from ..direct import Direct
from ..effects import Send, whole
from ..peer import Peer
from ..protocol import Connection
from ..runner import Runner
from ._lines import is_utf8


class MemoryTransport:
    """One peer of a running server; `receive` is called with each message for the client."""

    def __init__(
        self, runner: Runner, connection: Connection, receive: Callable[[bytes], None]
    ) -> None:
        self._runner = runner
        self._peer = Peer(connection, self._deliver)
        self._direct = Direct(runner, connection)
        self._receive = receive

    def __enter__(self) -> Self:
        self._runner.add(self._peer)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._runner.remove(self._peer)
        self._runner.perform(self._peer, self._peer.connection.close())

    def send(self, data: bytes, principal: str | None = None) -> None:
        """Send a message of the client, which is `principal`, to the server."""
        answer = self._direct.answer(data) if is_utf8(data) else None
        if answer is not None:
            self._receive(whole(answer[0]))
            return
        effects = self._peer.connection.receive(data, principal=principal)
        self._runner.perform(self._peer, effects)

    def _deliver(self, message: Send) -> None:
        self._receive(whole(message.data))
