"""A connection's other end, as the runner knows it, and a call's way to it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import msgspec

from ._threads import Threads
from .effects import Asked, Call, Effect, Send
from .errors import ToolError
from .protocol import Connection

if TYPE_CHECKING:
    from .questions import Question


class Peer(msgspec.Struct, eq=False):
    """A connection, and the way to its other end.

    `send` must not block; the runner calls it on the loop. `close_stream` ends the HTTP response
    of a channel before its answer, where the transport can.
    """

    connection: Connection
    send: Callable[[Send], None]
    close_stream: Callable[[Any], None] | None = None
    room: Callable[[], Awaitable[None]] | None = None
    """Waits while too much is sent to it that it has not read, where the transport can."""
    runs_in_its_task: bool = False
    """Whether calls run in the task that they came in by, which is not the runner's: who cancels
    that task cancels them, also by asyncio's own means."""
    pending: dict[Asked, "Reply"] = msgspec.field(default_factory=dict)
    """Our requests whose answers are waited for."""


class Reply:
    """The client's answer to a request of ours, once it is there."""

    def __init__(self) -> None:
        self.event = anyio.Event()
        self.result: Any = None
        self.error: Any = None


class Link(msgspec.Struct, frozen=True):
    """The way from a context to its client; `perform` does what the protocol core wants done."""

    peer: Peer
    call: Call
    threads: Threads
    perform: Callable[[Peer, list[Effect]], None]

    def tell(self, data: bytes) -> None:
        """Send a notification about the call, unless it is over."""

        def tell() -> None:
            if self.peer.connection.is_running(self.call):
                self.peer.send(Send(data, self.call.came.channel))

        self.threads.on_loop(tell, self.peer.room)

    async def turn(self) -> None:
        """Let others have their turn, and the client read."""
        await anyio.lowlevel.checkpoint()
        if self.peer.room is not None:
            await self.peer.room()

    def close_stream(self) -> None:
        """End the HTTP response of the call before its answer, where the transport can."""
        close, channel = self.peer.close_stream, self.call.came.channel
        if close is not None and channel is not None:
            self.threads.on_loop(lambda: close(channel))

    async def ask(self, questions: "Mapping[str, Question[Any]]") -> Sequence[Any]:
        """Return the client's results, in the order of the questions.

        In an era that asks live, raises ToolError where it answers with an error; in the other one
        InputRequired, where it has not been asked yet.
        """
        if self.call.era.asks_live:
            return await self._ask_live(questions)
        return self.call.gathered().answers(questions)

    async def _ask_live(self, questions: "Mapping[str, Question[Any]]") -> Sequence[Any]:
        peer = self.peer
        if peer.connection.is_deaf:
            raise ToolError("the client sends nothing any more", code="client_refused")
        asked: list[Asked] = []
        try:
            for question in questions.values():
                asked.append(self._send(question))  # noqa: PERF401  # what is sent is given up below
            for request in asked:
                await peer.pending[request].event.wait()
            replies = [peer.pending[request] for request in asked]
        finally:
            for request in asked:
                del peer.pending[request]
                self.perform(peer, peer.connection.give_up(request))
        for question, reply in zip(questions.values(), replies, strict=True):
            if not isinstance(reply.result, dict):
                raise _refused(question, reply)
        return [reply.result for reply in replies]

    def _send(self, question: "Question[Any]") -> Asked:
        asked, effects = self.peer.connection.ask(self.call, question)
        self.peer.pending[asked] = Reply()
        self.perform(self.peer, effects)
        return asked


def _refused(question: "Question[Any]", reply: Reply) -> ToolError:
    told = reply.error.get("message") if isinstance(reply.error, dict) else None
    why = told if isinstance(told, str) else "its result is no object"
    return ToolError(f"the client did not answer {question.method}: {why}", code="client_refused")
