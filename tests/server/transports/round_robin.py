"""A plain proxy before the processes of a server, which knows nothing of what it carries."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence

import anyio
import anyio.abc


@contextlib.asynccontextmanager
async def round_robin(ports: Sequence[int]) -> AsyncIterator[int]:
    """Carry each connection to the next of some ports on this machine; gives the proxy's own."""
    turns = itertools.cycle(ports)

    async def carry(client: anyio.abc.SocketStream) -> None:
        worker = await anyio.connect_tcp("127.0.0.1", next(turns))
        async with client, worker, anyio.create_task_group() as tasks:
            tasks.start_soon(_copy, client, worker)
            tasks.start_soon(_copy, worker, client)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, carry)
        yield listener.extra(anyio.abc.SocketAttribute.local_port)
        tasks.cancel_scope.cancel()


async def _copy(source: anyio.abc.SocketStream, to: anyio.abc.SocketStream) -> None:
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for chunk in source:
            await to.send(chunk)
        await to.send_eof()
