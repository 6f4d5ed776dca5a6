"""The transport of the oldest clients: a stream of events, and a path that takes messages.

Source: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
"""

import secrets
from urllib.parse import parse_qs, quote

import msgspec

from ..effects import Send
from ..peer import Peer
from ..protocol import Connection, read
from . import _sse
from ._live import Live
from ._refusals import Refused
from ._replies import Reply, send_empty
from ._requests import HttpRequest


async def get(live: Live, request: HttpRequest) -> None:
    """Open a stream; its first event names the path for messages."""
    if not request.accepted.events:
        raise Refused(406, "Not Acceptable: this path gives text/event-stream")
    limit = live.settings.max_sessions
    if live.is_ending or len(live.pairs) >= limit:
        raise Refused(
            503, f"Service Unavailable: at most {limit} streams", [(b"retry-after", b"60")]
        )
    outbox, connection = live.outbox(), Connection(live.definition)

    def send(message: Send) -> None:
        outbox.put(msgspec.structs.replace(message, is_last=False) if message.is_last else message)

    peer = Peer(connection, send)
    stream_id = secrets.token_urlsafe(24)
    mounted = request.scope.get("root_path", "").rstrip("/")
    path = quote(f"{mounted}{live.settings.messages_path}")
    endpoint = _sse.event(f"{path}?session_id={stream_id}".encode(), name="endpoint")
    key = (stream_id, request.principal)
    live.pairs[key] = peer
    live.opened(outbox)
    live.listen(peer)
    try:
        reply = Reply(
            request,
            outbox,
            live.settings.keep_alive_seconds,
            begin=lambda: endpoint,
            event_name="message",
        )
        await reply.run(as_events=True)
    finally:
        del live.pairs[key]
        live.closed(outbox)
        live.forget(peer)
        live.runner.perform(peer, connection.close())


async def post(live: Live, request: HttpRequest) -> None:
    """Take a message; what comes of it goes to the stream."""
    query = parse_qs(request.scope.get("query_string", b"").decode("latin-1"))
    stream_id = query.get("session_id", [""])[0]
    if not stream_id:
        raise Refused(400, "Bad Request: the parameter session_id is missing")
    body = await request.json_body(live.max_message_bytes)
    peer = live.pairs.get((stream_id, request.principal))
    if peer is None:
        raise Refused(404, "Session not found: its stream is closed; open a new one")
    message = read(body, live.definition)
    live.refuse_new_work(message)
    effects = peer.connection.receive(message, principal=request.principal)
    await send_empty(request.send, 202)
    live.runner.perform(peer, effects)
