"""The protocol core of one connection, sans IO: a message in, effects out.

Nothing here reads, writes, waits or runs a handler. `receive` takes a message and returns what is
to be done: send bytes, run a call, cancel one. The result of a call comes back through `finish`.
Which of the two eras a request belongs to is decided here.
"""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import attrs
import msgspec

from typedargs import ValidationError

from . import faults, jsonrpc
from .definition import ServerDefinition
from .effects import (
    Answered,
    Asked,
    Batch,
    Call,
    Came,
    Cancel,
    Effect,
    Encoded,
    Framed,
    Run,
    Send,
    Wanted,
    whole,
)
from .eras import headers as http_headers
from .eras import meta, versions
from .eras.base import Era
from .eras.handshake import Handshake
from .eras.stateless import Stateless
from .errors import InternalError, InvalidRequest, WireError
from .jsonrpc import Malformed, Message, Notification, Request, RequestId, Response
from .model import Caller, ToolResult
from .rounds import InputRequired
from .subscriptions import Change, ListChanged, Listening, Subscription
from .tools import ToolRegistry

if TYPE_CHECKING:
    from .questions import Question

logger = logging.getLogger("typedargs")

Outcome: TypeAlias = Any
"""What came of a call: a result in its kind's own form, InputRequired, a WireError, or Framed."""

_NO_HEADERS: Final[Mapping[str, str]] = {}


def read(data: bytes, definition: ServerDefinition) -> Message | list[Message]:
    """Return the message or the batch in `data`; raises WireError where there is none."""
    message = jsonrpc.parse(data)
    tools = definition.tools
    if tools.reads_literals:  # the call of such a tool is read once more
        members = message if isinstance(message, list) else [message]
        if any(_wants_literals(member, tools) for member in members):
            return jsonrpc.parse(data, literally=True)
    return message


def _wants_literals(message: Message, tools: ToolRegistry) -> bool:
    """Tell whether a message is the call of a tool that needs numbers as they are written."""
    if not isinstance(message, Request) or message.method != "tools/call":
        return False
    name = message.params.get("name")
    tool = tools.find(name) if isinstance(name, str) else None
    return tool is not None and tool.input.reads_literals


def is_modern(message: Message | list[Message], headers: Mapping[str, str] = _NO_HEADERS) -> bool:
    """Tell whether a message that comes by itself, with its headers, is of the modern era.

    Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
    """
    if isinstance(message, Request) and _names_revision(message):
        return True
    version = headers.get(http_headers.PROTOCOL_VERSION)
    return version is not None and version not in versions.LEGACY


def _names_revision(request: Request) -> bool:
    request_meta = request.params.get("_meta")
    return isinstance(request_meta, dict) and meta.PROTOCOL_VERSION in request_meta


class Connection:
    """One peer: the requests in flight, and the session if it opens one.

    With `only`, all requests are of that era, however their clients open. `revision` is that of
    a session which is open from the start.
    """

    def __init__(
        self,
        definition: ServerDefinition,
        *,
        only: Literal["modern", "legacy"] | None = None,
        revision: str | None = None,
    ) -> None:
        self._definition = definition
        self._stateless = Stateless(definition)
        self._handshake = Handshake(definition, revision)
        self._only = only
        self._in_flight: dict[RequestId, Call | Subscription] = {}
        self._asked: dict[RequestId, Asked] = {}
        self._last_asked = 0
        self.is_deaf = False
        """Whether the peer sends nothing any more."""

    def beside(self) -> "Connection":
        """Return a new connection of the same kind to the same server, at little cost."""
        made = object.__new__(Connection)
        made.__dict__.update(self.__dict__)
        made._in_flight, made._asked = {}, {}
        return made

    @property
    def revision(self) -> str | None:
        """The revision of the session; None where none is open."""
        return self._handshake.revision

    @property
    def is_idle(self) -> bool:
        """Whether no subscription is open, and no call runs but such as wait for the client."""
        if len(self._in_flight) > len(self._asked):
            return False
        waiting = {asked.call for asked in self._asked.values()}
        return all(each in waiting for each in self._in_flight.values())

    def receive(
        self,
        message: bytes | Message | list[Message],
        channel: Any = None,
        headers: Mapping[str, str] | None = None,
        principal: str | None = None,
    ) -> list[Effect]:
        """Return the effects of a message; whatever it is, this raises nothing.

        `channel` comes back in each effect that belongs to the message. `headers` are those of an
        HTTP request, by lower-case name.
        """
        came = Came(channel, headers, principal)
        try:
            if isinstance(message, bytes):
                message = read(message, self._definition)
            if type(message) is Request:
                return self._receive_request(message, came)
            if isinstance(message, list):
                return self._receive_batch(message, came)
        except WireError as error:
            return self.refuse(error, channel)
        return self._receive_message(message, came)

    def era_of_call(
        self, request_id: RequestId, raw_meta: msgspec.Raw | msgspec.UnsetType
    ) -> Era | None:
        """Return the era of a `tools/call`, told by its `_meta` alone, if nothing is wrong with it.

        None may be returned of any call: `receive` decides.
        """
        if request_id in self._in_flight:
            return None
        if raw_meta is msgspec.UNSET:
            session = self._handshake
            return None if session.revision is None else session
        stateless = self._stateless
        if raw_meta != stateless.known and not stateless.knows(raw_meta):
            return None
        return None if self._only == "legacy" else stateless

    def finish(self, call: Call, outcome: Outcome) -> list[Send]:
        """Return the effects of the end of `call`; none where it was cancelled before."""
        if self._in_flight.get(call.id) is not call:
            return []
        del self._in_flight[call.id]
        if isinstance(outcome, Listening):
            return [*self._listen(call, outcome), *_one_less(call.came.batch)]
        return self._answer(call, outcome)

    def changed(self, change: Change) -> list[Effect]:
        """Return the effects of a change, for who wants to hear of it."""
        effects: list[Effect] = []
        uri = None if isinstance(change, ListChanged) else change.uri
        session = self._handshake
        if session.ready and (uri is None or uri in session.subscribed):
            params = None if uri is None else {"uri": uri}
            effects.append(Send(jsonrpc.notification(change.method, params)))
        for subscription in self._in_flight.values():
            if isinstance(subscription, Subscription) and subscription.filter.wants(change):
                told = {} if uri is None else {"uri": uri}
                effects.append(_tell(subscription, change.method, told))
        return effects

    def ask(self, call: Call, question: "Question[Any]") -> tuple[Asked, list[Effect]]:
        """Return a request of ours about `call`, and the effects that send it."""
        self._last_asked += 1
        asked = Asked(self._last_asked, call)
        data = jsonrpc.request(asked.id, question.method, self._handshake.params_of(question))
        self._asked[asked.id] = asked
        return asked, [Send(data, call.came.channel)]

    def give_up(self, asked: Asked) -> list[Effect]:
        """Return the effects of no longer waiting for the answer; none where it is there."""
        if self._asked.pop(asked.id, None) is None:
            return []
        params = {"requestId": asked.id}
        return [
            Send(jsonrpc.notification("notifications/cancelled", params), asked.call.came.channel)
        ]

    def no_more(self) -> list[Effect]:
        """Return the effects of the end of what the peer sends: it answers nothing any more."""
        self.is_deaf = True
        error = {"message": "it sends nothing any more"}
        waiting = list(self._asked.values())
        self._asked.clear()
        return [Answered(asked, None, error) for asked in waiting]

    def is_running(self, call: Call) -> bool:
        """Tell whether messages about `call` may still be sent."""
        return self._in_flight.get(call.id) is call

    def refuse(self, error: WireError, channel: Any = None) -> list[Effect]:
        """Return the effects of bytes that the transport could not make a message of."""
        data = jsonrpc.error_response(None, error)
        return [Send(data, channel, is_last=True, status=error.http_status)]

    def close(self) -> list[Effect]:
        """Return the effects of the peer's being gone: nothing goes on."""
        calls = [call for call in self._in_flight.values() if isinstance(call, Call)]
        self._in_flight.clear()
        self._asked.clear()
        return [Cancel(call, "the client is gone") for call in calls]

    def end(self) -> list[Effect]:
        """Return the effects of the server's end: each subscription gets its answer.

        Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
        """
        open_ones = [s for s in self._in_flight.values() if isinstance(s, Subscription)]
        effects: list[Effect] = []
        for subscription in open_ones:
            del self._in_flight[subscription.id]
            body = self._stateless.dress(
                "subscriptions/listen", {"_meta": {meta.SUBSCRIPTION_ID: subscription.id}}
            )
            data = jsonrpc.result_response(subscription.id, body)
            effects.append(Send(data, subscription.channel, is_last=True))
        return effects

    def _receive_batch(self, messages: list[Message], came: Came) -> list[Effect]:
        if not self._handshake.has_batches:
            raise InvalidRequest("Invalid Request: this protocol revision has no batches")
        batch = Batch(came.channel, pending=1)  # the reading of the batch itself
        came = msgspec.structs.replace(came, batch=batch)
        effects: list[Effect] = []
        for message in messages:
            if isinstance(message, Request) and message.method == "initialize":
                error = InvalidRequest("Invalid Request: initialize must not be in a batch")
                message = Malformed(error, message.id)
            effects += self._receive_message(message, came)
        return [*effects, *_one_less(batch)]

    def _receive_message(self, message: Message, came: Came) -> list[Effect]:
        match message:
            case Request():
                return self._receive_request(message, came)
            case Notification():
                return self._receive_notification(message)
            case Malformed(error, request_id):
                data = jsonrpc.error_response(request_id, error)
                return _answer_now(data, came, error.http_status)
            case Response():
                return self._receive_response(message)

    def _receive_response(self, response: Response) -> list[Effect]:
        asked = self._asked.pop(response.id, None)
        if asked is None:
            logger.debug("ignored a response to no request of ours: id %r", response.id)
            return []
        return [Answered(asked, response.result, response.error)]

    def _receive_request(self, request: Request, came: Came) -> list[Effect]:
        era: Era = self._stateless
        try:
            if request.id in self._in_flight:
                raise InvalidRequest(f"Invalid Request: id {request.id!r} is in flight already")
            era = self._era(request.method, names_revision=_names_revision(request))
            if came.headers is not None and era is self._stateless:
                http_headers.check_headers(came.headers, request, self._definition.tools.find)
            caller = era.caller(request.params)
            return self._open(request, came, era, caller)
        except BaseException as error:  # also what a class raises whose instance is made
            data, status = _error_response(request.id, era, wire_error(request.method, error))
        return _answer_now(data, came, status)

    def _open(self, request: Request, came: Came, era: Era, caller: Caller) -> list[Effect]:
        """Answer at once what needs no handler, and have the rest run; raises what it may."""
        method, params = request.method, request.params
        call = Call(request.id, method, params, caller, era, came)
        try:
            answer: Any = era.answer(method, params)
            if isinstance(answer, Wanted):
                call.work = answer.work
                call.arguments = answer.prepare(answer.given)
                call.told = answer.told
                era.gather(call)
                return self._run(call)
        except ValidationError as error:
            assert call.work is not None
            answer = _fitting(call, faults.invalid_arguments(call.work.label, error))
        except WireError as error:
            if not self._definition.middleware:
                raise
            answer = error
        call.work = None
        if self._definition.middleware:
            call.arguments = answer
            return self._run(call)
        if isinstance(answer, Listening):
            return [*self._listen(call, answer)]
        data, status = self._response(call, answer)
        return _answer_now(data, came, status)

    def _run(self, call: Call) -> list[Effect]:
        self._in_flight[call.id] = call
        if call.came.batch is not None:
            call.came.batch.pending += 1
        return [Run(call)]

    def _receive_notification(self, notification: Notification) -> list[Effect]:
        match notification.method:
            case "notifications/cancelled":
                return self._cancel(notification.params)
            case "notifications/initialized":
                self._handshake.ready = self._handshake.revision is not None
        return []

    def _era(self, method: str, *, names_revision: bool) -> Era:
        """Return the era of a request, from how its client opens.

        Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
        """
        if self._only is not None:
            return self._stateless if self._only == "modern" else self._handshake
        if names_revision:
            return self._stateless
        if self._handshake.revision is not None:
            return self._handshake
        if method in Handshake.before_handshake:
            return self._handshake
        return self._stateless

    def _listen(self, call: Call, listening: Listening) -> list[Send]:
        subscription = Subscription(call.id, call.came.channel, listening.filter)
        self._in_flight[call.id] = subscription
        acknowledged = {"notifications": listening.filter.wire()}
        return [_tell(subscription, "notifications/subscriptions/acknowledged", acknowledged)]

    def _cancel(self, params: Mapping[str, Any]) -> list[Effect]:
        """Cancel the request that a notification names; an unknown or malformed one is ignored."""
        request_id, reason = jsonrpc.id_of(params.get("requestId")), params.get("reason")
        call = None if request_id is None else self._in_flight.pop(request_id, None)
        if not isinstance(call, Call):
            return []
        cancel = Cancel(call, reason if isinstance(reason, str) else None)
        return [cancel, *_one_less(call.came.batch)]

    def _answer(self, call: Call, outcome: Outcome) -> list[Send]:
        """Answer a request that was in flight, and counted as pending in its batch."""
        data, status = self.encoded(call, outcome)
        if call.came.batch is None:
            return [Send(data, call.came.channel, is_last=True, status=status)]
        call.came.batch.answers.append(whole(data))
        return _one_less(call.came.batch)

    def encoded(self, call: Call, outcome: Outcome) -> Encoded:
        """Return the answer to a call."""
        if isinstance(outcome, Framed):
            return outcome.data, 200
        try:
            return self._response(call, _fitting(call, outcome))
        except Exception:  # such as text that has no UTF-8
            label = call.method if call.work is None else call.work.label
            logger.exception("the result of %s cannot be sent", label)
            return self._response(call, _fitting(call, faults.handler_failed(label)))

    def _response(self, call: Call, outcome: Outcome) -> tuple[bytes, int]:
        era = call.era
        if isinstance(outcome, ToolResult):
            if call.told is not None:
                outcome = attrs.evolve(outcome, meta={**(outcome.meta or {}), **call.told})
            body = era.tool_result(outcome)
        elif isinstance(outcome, WireError):
            return _error_response(call.id, era, outcome)
        elif isinstance(outcome, InputRequired):
            body = era.input_required(call, outcome)
        else:
            body = era.render(call, outcome)
        return jsonrpc.result_response(call.id, era.dress(call.method, body)), 200


def _fitting(call: Call, outcome: Outcome) -> Outcome:
    """Return a failure in the form of the call's kind: only tools fail in band."""
    if isinstance(outcome, ToolResult) and call.method != "tools/call":
        return faults.as_wire_error(outcome)
    return outcome


def wire_error(method: str, error: BaseException) -> WireError:
    """Return what a request is answered with where answering it raised `error`."""
    if isinstance(error, WireError):
        return error
    logger.error("the answer to %s failed", method, exc_info=error)
    return InternalError("Internal error")


def _error_response(request_id: RequestId, era: Era, error: WireError) -> tuple[bytes, int]:
    code, status = era.error(error)
    return jsonrpc.error_response(request_id, error, code), status


def _tell(subscription: Subscription, method: str, params: Mapping[str, Any]) -> Send:
    told = {"_meta": {meta.SUBSCRIPTION_ID: subscription.id}, **params}
    return Send(jsonrpc.notification(method, told), subscription.channel)


def _answer_now(data: bytes, came: Came, status: int) -> list[Effect]:
    if came.batch is None:
        return [Send(data, came.channel, is_last=True, status=status)]
    came.batch.answers.append(data)
    return []


def _one_less(batch: Batch | None) -> list[Send]:
    """Take note that a request of a batch is dealt with; returns what sends the batch's answers."""
    if batch is None:
        return []
    batch.pending -= 1
    if batch.pending or not batch.answers:
        return []
    return [Send(jsonrpc.batch(batch.answers), batch.channel, is_last=True)]
