"""The endpoint of legacy clients that have sessions: POST, GET and DELETE.

Their leaving is no cancelling: what runs goes on, and by the id of an event that they have got
they can come back for the rest.

Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
"""

from collections.abc import Callable, Sequence
from typing import Final

from ..direct import Direct
from ..effects import Cancel, Effect, Encoded, Run, Send
from ..eras import versions
from ..eras.headers import PROTOCOL_VERSION
from ..jsonrpc import Message, Request
from ..protocol import Connection
from ._asgi import Headers
from ._events import UnknownEvent
from ._live import Live
from ._refusals import Refused
from ._replies import Reply, is_json, send_empty, send_json
from ._requests import HttpRequest
from ._sessions import Session, Stream

SESSION_ID: Final = "mcp-session-id"
LAST_EVENT_ID: Final = "last-event-id"


async def post(live: Live, request: HttpRequest, message: Message | list[Message]) -> None:
    """Answer a message within a session, or open one."""
    session_id = request.headers.get(SESSION_ID)
    session = None if session_id is None else live.sessions.find(session_id, request.principal)
    if session is None:
        await _open(live, request, message)
    else:
        await _receive(live, request, message, session)


def answer_directly(live: Live, request: HttpRequest, body: bytes) -> Encoded | None:
    """Return the answer to a call within a session, where it can be given directly."""
    session_id = request.headers.get(SESSION_ID)
    if session_id is None or not request.accepted.json:
        return None
    version = request.headers.get(PROTOCOL_VERSION)
    if version is not None and version not in versions.LEGACY:
        return None
    session = live.sessions.find(session_id, request.principal)
    if session is None:
        return None
    return Direct(live.runner, session.connection, in_session=True).answer(body)


async def get(live: Live, request: HttpRequest) -> None:
    """Open a session's general stream, or go on with one of its streams.

    A second general stream takes the place of the first, whose connection may be dead unnoticed.
    """
    session = _session(live, request)
    if not request.accepted.events:
        raise Refused(406, "Not Acceptable: a GET is for text/event-stream")
    outbox = live.outbox()
    last_event_id = request.headers.get(LAST_EVENT_ID)
    if last_event_id is None:
        stream: Stream | None = session.general
        beginning = session.general.attach_general(outbox)
    else:
        beginning = b""
        try:
            stream = session.resume(last_event_id, outbox)
        except UnknownEvent as error:
            raise Refused(400, f"Last-Event-ID: {error}; open a new stream without it") from None
    reply = Reply(request, outbox, live.settings.keep_alive_seconds, begin=lambda: beginning)
    try:
        await reply.run(as_events=True)
    finally:
        if stream is not None:
            stream.detach(outbox)
        live.sessions.touch(session)


async def delete(live: Live, request: HttpRequest) -> None:
    """End a session."""
    live.sessions.close(_session(live, request))
    await send_empty(request.send, 204)


def _session(live: Live, request: HttpRequest) -> Session:
    """Return the session that a request without a message names."""
    version = request.headers.get(PROTOCOL_VERSION)
    if version is not None and version not in versions.LEGACY:
        if version in versions.SUPPORTED:
            raise Refused(
                405, "Method Not Allowed: this revision has only POST", [(b"allow", b"POST")]
            )
        raise Refused(400, f"Unsupported MCP-Protocol-Version: {version!r:.60}")
    session_id = request.headers.get(SESSION_ID)
    if session_id is None:
        raise _missing()
    session = live.sessions.find(session_id, request.principal)
    if session is None:
        raise _not_found()
    return session


async def _open(live: Live, request: HttpRequest, message: Message | list[Message]) -> None:
    """Open a session by `message`; what opens none leaves nothing behind."""
    live.refuse_new_work(message)
    session = Session(Connection(live.definition), live.settings, request.principal)
    stream = Stream(session, is_json_only=not request.accepted.events)
    effects = session.connection.receive(message, stream, request.headers, request.principal)
    opens = session.connection.revision is not None or any(
        isinstance(each, Run) and each.call.method == "initialize" for each in effects
    )
    if opens:
        live.sessions.add(session)
    elif SESSION_ID in request.headers:
        raise _not_found()
    elif not effects:
        raise _missing()

    def was_refused() -> bool:
        return session.connection.revision is None and session.connection.is_idle

    def headers() -> Headers:
        return [(SESSION_ID.encode(), session.id.encode())] if opens and not was_refused() else []

    try:
        await _answer(live, request, session, stream, effects, headers)
    finally:
        if was_refused():
            live.sessions.close(session)


async def _receive(
    live: Live, request: HttpRequest, message: Message | list[Message], session: Session
) -> None:
    """Answer a message within its session."""
    live.refuse_new_work(message)
    stream = Stream(session, is_json_only=not request.accepted.events)
    effects = session.connection.receive(message, stream, request.headers, request.principal)
    if _wants_answer(message) or any(isinstance(effect, Send) for effect in effects):
        await _answer(live, request, session, stream, effects)
    else:
        live.runner.perform(session.peer, effects)
        _end_cancelled(effects)
        await send_empty(request.send, 202)


async def _answer(
    live: Live,
    request: HttpRequest,
    session: Session,
    stream: Stream,
    effects: list[Effect],
    headers: Callable[[], Headers] = list,
) -> None:
    first = effects[0] if effects else None
    if isinstance(first, Send) and len(effects) == 1 and is_json(first, request):
        await send_json(request.send, first.status, first.data, headers())
        return
    if not request.accepted.json:
        stream.begin()
    outbox = live.outbox()
    stream.attach(outbox)
    try:
        live.runner.perform(session.peer, effects)
        _end_cancelled(effects)
        keep_alive = live.settings.keep_alive_seconds
        await Reply(request, outbox, keep_alive, begin=stream.begin, headers=headers).run()
    finally:
        stream.detach(outbox)
        live.sessions.touch(session)


def _end_cancelled(effects: Sequence[Effect]) -> None:
    """End the responses that wait for an answer which will never come."""
    for effect in effects:
        if isinstance(effect, Cancel) and isinstance(effect.call.came.channel, Stream):
            batch = effect.call.came.batch
            if batch is None or not (batch.pending or batch.answers):
                effect.call.came.channel.abandon()


def _wants_answer(message: Message | list[Message]) -> bool:
    if isinstance(message, list):
        return any(isinstance(each, Request) for each in message)
    return isinstance(message, Request)


def _missing() -> Refused:
    return Refused(
        400, "Bad Request: the header Mcp-Session-Id is missing; initialize answers with it"
    )


def _not_found() -> Refused:
    return Refused(404, "Session not found: it has ended, or never was; initialize a new one")
