"""The protocol core of one connection, sans IO: a message in, effects out.

Nothing here reads, writes, waits or runs a handler. `receive` takes the bytes of a message and
returns what is to be done: send bytes, run a call, cancel one. The result of a call comes back
through `finish`. Which of the two eras a request belongs to is decided here, and only here.
"""

import logging
from collections.abc import Mapping
from typing import Any, TypeAlias

import attrs
import msgspec

from typedargs import ValidationError

from . import faults, jsonrpc
from .definition import ServerDefinition
from .eras import meta
from .eras.base import Era, ToolCall
from .eras.handshake import Handshake
from .eras.stateless import Stateless
from .errors import InternalError, InvalidRequest, WireError
from .jsonrpc import Malformed, Message, Notification, Request, RequestId
from .model import Caller, Meta, ToolResult
from .tools import Tool

logger = logging.getLogger("typedargs")


class _Batch(msgspec.Struct):
    """The answers to one batch, which go out together when the last is there."""

    pending: int = 0
    answers: list[bytes] = msgspec.field(default_factory=list)


class Call(msgspec.Struct, eq=False):
    """A tool call that is to run: the tool, its arguments as the handler gets them, the caller."""

    id: RequestId
    tool: Tool
    arguments: Any
    caller: Caller
    era: Era
    meta: Meta | None
    """What the protocol core has to tell in the result's `_meta`."""
    batch: _Batch | None = None


class Send(msgspec.Struct, frozen=True):
    """Send these bytes, one message, to the peer."""

    data: bytes


class Run(msgspec.Struct, frozen=True):
    """Run this call, and give what comes of it to `Connection.finish`."""

    call: Call


class Cancel(msgspec.Struct, frozen=True):
    """Cancel this call, which is running; it gets no answer."""

    call: Call
    reason: str | None


Effect: TypeAlias = Send | Run | Cancel


class Connection:
    """One peer: the requests in flight, and the session if it opens one."""

    def __init__(self, definition: ServerDefinition) -> None:
        self._stateless = Stateless(definition)
        self._handshake = Handshake(definition)
        self._tools = definition.tools
        self._in_flight: dict[RequestId, Call] = {}

    def receive(self, data: bytes) -> list[Effect]:
        """Return the effects of the message in `data`; whatever it is, this raises nothing."""
        try:
            message = jsonrpc.parse(data, literally=self._tools.reads_literals)
            if isinstance(message, list):
                return self._receive_batch(message)
        except WireError as error:
            return [Send(jsonrpc.error_response(None, error))]
        return self._receive_message(message, None)

    def finish(self, call: Call, outcome: ToolResult | WireError) -> list[Effect]:
        """Return the effects of the end of `call`; none where it was cancelled before."""
        if self._in_flight.get(call.id) is not call:
            return []
        del self._in_flight[call.id]
        try:
            answer = self._outcome_response(call, outcome)
        except Exception:  # such as text that has no UTF-8
            logger.exception('the result of tool "%s" cannot be sent', call.tool.name)
            failed = faults.handler_failed(call.tool.name)
            answer = self._tool_response(call.id, call.era, failed)
        return self._answer(answer, call.batch)

    def tools_changed(self) -> list[Effect]:
        """Return the effects of a change of the tools."""
        if not self._handshake.ready:
            return []
        return [Send(jsonrpc.notification("notifications/tools/list_changed"))]

    def is_running(self, call: Call) -> bool:
        """Tell whether messages about `call` may still be sent."""
        return self._in_flight.get(call.id) is call

    def refuse(self, error: WireError) -> list[Effect]:
        """Return the effects of bytes that the transport could not make a message of."""
        return [Send(jsonrpc.error_response(None, error))]

    def _receive_batch(self, messages: list[Message]) -> list[Effect]:
        if not self._handshake.has_batches:
            raise InvalidRequest("Invalid Request: this protocol revision has no batches")
        batch = _Batch(pending=1)  # the reading of the batch itself
        effects: list[Effect] = []
        for message in messages:
            if isinstance(message, Request) and message.method == "initialize":
                error = InvalidRequest("Invalid Request: initialize must not be in a batch")
                message = Malformed(error, message.id)
            effects += self._receive_message(message, batch)
        batch.pending -= 1
        return effects + _completed(batch)

    def _receive_message(self, message: Message, batch: _Batch | None) -> list[Effect]:
        match message:
            case Request():
                return self._receive_request(message, batch)
            case Notification():
                return self._receive_notification(message)
            case Malformed(error, request_id):
                return self._answer_now(jsonrpc.error_response(request_id, error), batch)
            case _:
                logger.debug("ignored a response to no request of ours: id %r", message.id)
                return []

    def _receive_request(self, request: Request, batch: _Batch | None) -> list[Effect]:
        try:
            if request.id in self._in_flight:
                raise InvalidRequest(f"Invalid Request: id {request.id!r} is in flight already")
            era = self._era(request)
            caller = era.caller(request.params)
            answer = era.method(request.method)(era, request.params)
            if isinstance(answer, ToolCall):
                return self._start(request.id, era, caller, answer, batch)
            data = jsonrpc.result_response(request.id, era.dress(request.method, answer))
        except WireError as error:
            data = jsonrpc.error_response(request.id, error)
        except Exception:
            logger.exception("the answer to %s failed", request.method)
            data = jsonrpc.error_response(request.id, InternalError("Internal error"))
        return self._answer_now(data, batch)

    def _receive_notification(self, notification: Notification) -> list[Effect]:
        match notification.method:
            case "notifications/cancelled":
                return self._cancel(notification.params)
            case "notifications/initialized":
                self._handshake.ready = self._handshake.revision is not None
        return []

    def _era(self, request: Request) -> Era:
        """Return the era of a request, from how its client opens.

        Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
        """
        request_meta = request.params.get("_meta")
        if isinstance(request_meta, dict) and meta.PROTOCOL_VERSION in request_meta:
            return self._stateless
        if self._handshake.revision is not None:
            return self._handshake
        if request.method in Handshake.before_handshake:
            return self._handshake
        return self._stateless

    def _start(
        self, request_id: RequestId, era: Era, caller: Caller, call: ToolCall, batch: _Batch | None
    ) -> list[Effect]:
        tool = call.tool
        told = tool.aliases_used(call.arguments)
        try:
            arguments = tool.input.structure(call.arguments)
        except ValidationError as error:
            result = faults.invalid_arguments(tool.name, error)
            return self._answer_now(self._tool_response(request_id, era, result), batch)
        started = Call(request_id, tool, arguments, caller, era, told, batch)
        self._in_flight[request_id] = started
        if batch is not None:
            batch.pending += 1
        return [Run(started)]

    def _cancel(self, params: Mapping[str, Any]) -> list[Effect]:
        """Cancel the request that a notification names; an unknown or malformed one is ignored."""
        request_id, reason = jsonrpc.id_of(params.get("requestId")), params.get("reason")
        call = None if request_id is None else self._in_flight.pop(request_id, None)
        if call is None:
            return []
        effects: list[Effect] = [Cancel(call, reason if isinstance(reason, str) else None)]
        if call.batch is not None:
            call.batch.pending -= 1
            effects += _completed(call.batch)
        return effects

    def _outcome_response(self, call: Call, outcome: ToolResult | WireError) -> bytes:
        if isinstance(outcome, WireError):
            return jsonrpc.error_response(call.id, outcome)
        if call.meta is not None:
            outcome = attrs.evolve(outcome, meta={**(outcome.meta or {}), **call.meta})
        return self._tool_response(call.id, call.era, outcome)

    def _tool_response(self, request_id: RequestId, era: Era, result: ToolResult) -> bytes:
        body = era.dress("tools/call", era.call_result(result))
        return jsonrpc.result_response(request_id, body)

    def _answer(self, data: bytes, batch: _Batch | None) -> list[Effect]:
        """Answer a request that was counted as pending in its batch."""
        if batch is None:
            return [Send(data)]
        batch.answers.append(data)
        batch.pending -= 1
        return _completed(batch)

    def _answer_now(self, data: bytes, batch: _Batch | None) -> list[Effect]:
        if batch is None:
            return [Send(data)]
        batch.answers.append(data)
        return []


def _completed(batch: _Batch) -> list[Effect]:
    if batch.pending or not batch.answers:
        return []
    return [Send(jsonrpc.batch(batch.answers))]
