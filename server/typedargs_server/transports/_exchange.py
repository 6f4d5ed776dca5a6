"""A POST that stands alone: one message, one connection, one response; when it ends, all ends.

So are all requests of modern clients, for whom leaving is cancelling. Those of legacy clients are
so where the server keeps no sessions; nobody could ever be given the answer that such a client did
not wait for.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
"""

import anyio

from ..effects import Call, Effect, Run, Send
from ..jsonrpc import Message, Response
from ..peer import Peer
from ..protocol import Connection
from ._live import Live
from ._refusals import Refused
from ._replies import Outbox, Reply, is_json, send_empty, send_json
from ._requests import HttpRequest


async def modern(live: Live, request: HttpRequest, message: Message | list[Message]) -> None:
    """Answer a message of the modern era."""
    if isinstance(message, Response):
        raise Refused(400, "Invalid Request: this revision has no requests that you could answer")
    await exchange(live, request, message, live.modern_connection())


async def exchange(
    live: Live, request: HttpRequest, message: Message | list[Message], connection: Connection
) -> None:
    """Answer a message by a connection of its own."""
    live.refuse_new_work(message)
    outbox = live.outbox(only_last=not request.accepted.events)
    effects = connection.receive(message, outbox, request.headers, request.principal)
    if not effects:
        await send_empty(request.send, 202)
        return
    first = effects[0]
    if isinstance(first, Send) and is_json(first, request):
        await send_json(request.send, first.status, first.data)
        return
    exchanged = _Exchange(live, connection, outbox)
    if isinstance(first, Run) and len(effects) == 1:
        await _run(live, request, exchanged, first.call)
    else:
        await _perform(live, request, exchanged, effects)


async def _run(live: Live, request: HttpRequest, exchanged: "_Exchange", call: Call) -> None:
    """Run a call in this task; where it waits, another one sends what comes before its answer."""
    outbox, runner = exchanged.outbox, live.runner
    reply = None
    try:
        with anyio.CancelScope() as scope:
            waiting = runner.begin(exchanged.peer, call, scope)
            if waiting is not None:
                reply = runner.beside(_reply, live, request, exchanged)
                await runner.go_on(exchanged.peer, call, waiting)
        if reply is not None:
            await reply.wait()
            return
    except BaseException:  # the application is cancelled from outside, and may send no more
        exchanged.replying.cancel()
        raise
    await runner.shrug()
    if outbox.items and is_json(first := outbox.items[0][0], request):
        await send_json(request.send, first.status, first.data)
    else:
        await _reply(live, request, exchanged)


async def _perform(
    live: Live, request: HttpRequest, exchanged: "_Exchange", effects: list[Effect]
) -> None:
    outbox = exchanged.outbox
    live.runner.perform(exchanged.peer, effects)
    runs = outbox.is_over or any(isinstance(effect, Run) for effect in effects)
    if not (runs or request.accepted.events):
        exchanged.close()
        raise Refused(406, "Not Acceptable: the answer is a stream, of text/event-stream")
    await _reply(live, request, exchanged)


async def _reply(live: Live, request: HttpRequest, exchanged: "_Exchange") -> None:
    """Send the response; with its end, however it ends, what still runs for it does."""
    outbox = exchanged.outbox
    live.opened(outbox)
    try:
        with exchanged.replying:
            await Reply(request, outbox, live.settings.keep_alive_seconds).run()
    finally:
        live.closed(outbox)
        exchanged.close()


class _Exchange:
    """The peer at the other end of one POST."""

    def __init__(self, live: Live, connection: Connection, outbox: Outbox) -> None:
        self._live = live
        self.outbox = outbox
        self.peer = Peer(connection, self._send, runs_in_its_task=True)
        self.replying = anyio.CancelScope()
        """Around the sending of the response."""

    def close(self) -> None:
        """Forget the peer: what still runs for it ends."""
        self._live.forget(self.peer)
        self._live.runner.perform(self.peer, self.peer.connection.close())

    def _send(self, message: Send) -> None:
        if not message.is_last:  # it may be the beginning of a subscription
            self._live.listen(self.peer)
        self.outbox.put(message)
