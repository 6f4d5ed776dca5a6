"""The direct way of a call: from the bytes of the request to those of the answer, in one step.

Most calls need nothing of what the other way has room for: their tool takes no context and awaits
nothing, so that there is no task, no cancelling, nothing to keep. Whatever is unusual about a
request is left to the other way, before anything was done for it; the answers are the same bytes.
"""

import types
from collections.abc import Generator
from contextvars import copy_context
from typing import Any, Final, Literal

import msgspec

from typedargs import ValidationError, read_literal

from . import faults
from .effects import Call, Came, Encoded
from .eras.base import Era
from .jsonrpc import RequestId
from .model import Caller
from .protocol import Connection, wire_error
from .runner import Runner, is_cancellation
from .tools import Tool

MAX_BYTES: Final = 1 << 16
"""The longest message that goes the direct way: the parsing of a longer one is what takes time."""


class _Params(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, Any] = {}
    meta: msgspec.Raw | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="_meta")


class _ToolCall(msgspec.Struct, gc=False):
    """A `tools/call` that is as it should be: anything else does not decode."""

    jsonrpc: Literal["2.0"]
    id: RequestId
    method: Literal["tools/call"]
    params: _Params


_decode: Final = msgspec.json.Decoder(_ToolCall).decode
_decode_literally: Final = msgspec.json.Decoder(_ToolCall, float_hook=read_literal).decode

_CAME: Final = Came()
_NOBODY: Final = Caller(
    protocol_version="",
    client_info=None,
    client_capabilities={},
    log_level=None,
    progress_token=None,
    meta={},
)
"""Who has called, where nothing comes of it."""


class Direct:
    """The direct way to the tools of a running server, for what comes over one connection.

    With `in_session` it is for that alone which belongs to the session that the connection is.
    """

    def __init__(self, runner: Runner, connection: Connection, *, in_session: bool = False) -> None:
        self._runner = runner
        self._in_session = in_session
        self._connection = connection
        self._tools = runner.definition.tools
        self._find = runner.definition.tools.find
        self._running = runner.running
        self._middleware = runner.definition.middleware
        """Which is to see each call, so that none goes this way where there is some."""
        self._max_calls = runner.max_calls
        self._start_anew()

    def _start_anew(self) -> None:
        self._ended: list[Any] = []
        self._runs: Any = _ending(self._ended)
        next(self._runs)
        self._run = self._runs.send

    def answer(self, data: bytes, called: str | None = None) -> Encoded | None:
        """Return the answer to a message, or None, where it goes the other way.

        `called` is the tool that the headers of an HTTP request name.
        """
        tools = self._tools
        if not tools.has_direct or len(data) > MAX_BYTES:
            return None
        if self._middleware or len(self._running) >= self._max_calls:
            return None
        try:
            call = _decode(data)
        except (msgspec.MsgspecError, RecursionError):
            return None
        params = call.params
        tool = self._find(params.name)
        if tool is None or tool.steps is None:
            return None
        if tool.input.reads_literals:
            params = _decode_literally(data).params
        era = self._connection.era_of_call(call.id, params.meta)
        if era is None or (self._in_session and not era.asks_live):
            return None
        if called is not None and (called != tool.name or tool.input.headers):
            return None
        structure, function = tool.steps
        try:
            arguments = structure(params.arguments)
        except ValidationError as error:
            refused: Any = faults.invalid_arguments(tool.label, error)
            return self._encoded(call.id, era, tool, refused)
        except BaseException as error:  # of whoever has written the class
            return self._encoded(call.id, era, tool, wire_error("tools/call", error))
        context = copy_context()
        coroutine = None
        try:
            coroutine = function(arguments)
            if context.run(self._run, (coroutine, call.id, era, tool)) is not self._ended:
                tool.note_that_it_waits()
                raise RuntimeError(
                    "the handler waits, which its code did not say; from now on it may"
                )
        except BaseException as error:
            if self._runs.gi_running:  # a handler has sent this call, and waits for its answer
                if coroutine is not None:
                    coroutine.close()
                return None
            self._start_anew()
            return context.run(self._failed, call.id, era, tool, error)
        outcome = self._ended.pop()
        if type(outcome) is tuple:
            framed: Encoded = outcome
            return framed
        return context.run(self._encoded, call.id, era, tool, outcome)

    def _failed(self, request_id: RequestId, era: Era, tool: Tool, error: BaseException) -> Encoded:
        if is_cancellation(error):
            raise error
        return self._encoded(request_id, era, tool, self._runner.failure(tool.label, error))

    def _encoded(self, request_id: RequestId, era: Era, tool: Tool, outcome: Any) -> Encoded:
        call = Call(request_id, "tools/call", {}, _NOBODY, era, _CAME, tool)
        return self._connection.encoded(call, outcome)


@types.coroutine
def _ending(ended: list[Any]) -> Generator[Any, Any, None]:
    """Run the calls that are sent, until one raises; what becomes of each is put into `ended`.

    That list is given where a call has ended, anything else where it waits. Its answer, or a result
    that is still to be encoded, is made here, among the context variables that its handler sets;
    and no `StopIteration` is made, as it is by a coroutine that is run alone.
    """
    while True:
        coroutine, request_id, era, tool = yield ended
        returned = yield from coroutine
        framed = era.framed(request_id, tool, returned)
        ended.append(tool.result(returned) if framed is None else (framed, 200))
        del coroutine, returned, framed
