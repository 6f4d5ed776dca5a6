"""A server that answers in process, from bytes to bytes, the way that a line on stdio goes."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio

from typedargs_server import MCPServer
from typedargs_server.direct import Direct
from typedargs_server.effects import Run, Send, whole
from typedargs_server.peer import Peer
from typedargs_server.protocol import Connection


@asynccontextmanager
async def answering(server: MCPServer) -> AsyncIterator[Callable[[bytes], bytes]]:
    """Run a server for one connection; gives what answers a message, with b"" where nothing does.

    No handler may wait.
    """
    async with server._runner() as runner:
        connection = Connection(runner.definition)
        direct = Direct(runner, connection)
        sent: list[Send] = []
        peer = Peer(connection, sent.append)
        scope = anyio.CancelScope()

        def answer(message: bytes) -> bytes:
            answered = direct.answer(message)
            if answered is not None:
                return whole(answered[0])
            for effect in connection.receive(message):
                if isinstance(effect, Run):
                    waiting = runner.begin(peer, effect.call, scope)
                    assert waiting is None
                else:
                    runner.perform(peer, [effect])
            return whole(sent.pop().data) if sent else b""

        yield answer
