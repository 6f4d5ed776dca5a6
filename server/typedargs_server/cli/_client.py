"""A small client of any MCP server on stdio, of either era: tools are listed and called.

Requests are sent one at a time. What a server sends in between is dealt with here too: its log
messages are shown on stderr, its requests answered, all else passed over.
"""

import contextlib
import itertools
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Raw

from ..eras import meta, versions
from ._errors import CommandError, UsageError
from ._opening import UNSUPPORTED_VERSION, Era, era_of
from ._process import ServerProcess
from ._text import cut, installed_version, warn
from ._wire import (
    MALFORMED,
    CallResult,
    Fault,
    Handshake,
    LogMessage,
    Message,
    ToolPage,
    messages,
)

PROBE_TIMEOUT: Final = 5.0
"""Seconds after which a server that does not answer `server/discover` is taken for a legacy one.

One that is merely slow loses nothing: an answer that comes later is used if `initialize` fails.
"""

MAX_ROUNDS: Final = 20
"""How often a call is repeated for a server that asks for no more than its own state back."""

_NOTED: Final = 200
_METHOD_NOT_FOUND: Final = -32601

_T = TypeVar("_T")


class ServerEndedError(CommandError):
    """The server closed its stdout while an answer was awaited."""

    def __init__(self, awaited: str, exit_status: int | None):
        self.awaited = awaited
        self.exit_status = exit_status
        super().__init__(
            f"the server {_ending(exit_status)} before it answered {awaited}; "
            "what it reported, if anything, stands above"
        )


class ServerRefusedError(CommandError):
    """The server answered with a JSON-RPC error."""

    def __init__(self, method: str, fault: Fault):
        detail = ""
        if fault.data is not UNSET and bytes(fault.data) != b"null":
            detail = f"\n{cut(bytes(fault.data).decode(errors='replace'), 2000)}"
        super().__init__(f"{method} failed: {fault.message} (error {fault.code}){detail}")


class Client:
    """A conversation with one server process; made and ended by `connect`."""

    def __init__(self, process: ServerProcess, timeout: float):
        self._process = process
        self._timeout = timeout
        self._ids = itertools.count(1)
        self._unclaimed: dict[int | str, Message] = {}
        self._answers_requests = False
        self._meta: Mapping[str, Any] = {}
        self._info = {"name": "typedargs", "version": installed_version()}

    def open(self) -> None:
        """Agree on an era and a revision with the server."""
        self._meta = {
            meta.PROTOCOL_VERSION: versions.MODERN,
            meta.CLIENT_INFO: self._info,
            meta.CLIENT_CAPABILITIES: {},
        }
        probe = self._send("server/discover", {})
        try:
            answer = self._await(probe, "server/discover", min(self._timeout, PROBE_TIMEOUT))
        except TimeoutError:
            answer = None
        if era_of(answer) is Era.LEGACY:
            self.open_legacy(probe)

    def open_legacy(self, probe: int | None = None) -> None:
        """Open the session by a handshake, unless `probe` is answered after all and it is not."""
        modern, self._meta = self._meta, {}
        self._answers_requests = True
        params = {
            "protocolVersion": versions.LATEST_LEGACY,
            "capabilities": {},
            "clientInfo": self._info,
        }
        answer = self._ask("initialize", params)
        if answer.error is not UNSET:
            late = self._unclaimed.get(probe) if probe is not None else None
            told = answer if answer.error.code == UNSUPPORTED_VERSION else late
            if modern and told is not None and era_of(told) is Era.MODERN:
                self._meta, self._answers_requests = modern, False
                return
        agreed = self._result("initialize", answer, Handshake).protocol_version
        if agreed not in versions.LEGACY:
            raise CommandError(
                f"the server chose revision {agreed!r} of the protocol; "
                f"this command speaks {', '.join(versions.SUPPORTED)}"
            )
        self._notify("notifications/initialized", {})

    def tools(self) -> list[Raw]:
        """Return every tool of the server, of all pages, as the JSON that it sent."""
        found: list[Raw] = []
        seen: set[str] = set()
        cursor: str | None = None
        while True:
            page = self._request(
                "tools/list", {} if cursor is None else {"cursor": cursor}, ToolPage
            )
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return found
            if cursor in seen:
                raise CommandError(f"the server's list of tools never ends: page {cursor!r} again")
            seen.add(cursor)

    def call(self, tool: str, arguments: Raw) -> CallResult:
        """Call `tool` with a JSON object and return its final result, which may be an error."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        for _ in range(MAX_ROUNDS):
            result = self._request("tools/call", params, CallResult, log_level="info")
            if result.result_type == "complete":
                return result
            if result.result_type != "input_required":
                raise CommandError(f"the server sent a result of type {result.result_type!r}")
            if result.input_requests or result.request_state is None:
                wanted = ", ".join(result.input_requests or ()) or "nothing that it names"
                raise CommandError(
                    f"the tool asks for further input, which this command cannot give: {wanted}"
                )
            params["requestState"] = result.request_state
        raise CommandError(f"the tool was not done after {MAX_ROUNDS} rounds")

    def close(self) -> None:
        """End the server."""
        self._process.close()

    def _request(
        self, method: str, params: Mapping[str, Any], kind: type[_T], log_level: str | None = None
    ) -> _T:
        return self._result(method, self._ask(method, params, log_level), kind)

    def _ask(self, method: str, params: Mapping[str, Any], log_level: str | None = None) -> Message:
        sent = self._send(method, params, log_level)
        try:
            return self._await(sent, method, self._timeout)
        except TimeoutError:
            self._cancel(sent, method)
            raise CommandError(
                f"the server did not answer {method} within {self._timeout:g} seconds "
                "(--timeout allows more)"
            ) from None
        except KeyboardInterrupt:
            self._cancel(sent, method)
            raise

    def _cancel(self, request: int, method: str) -> None:
        if method != "initialize":  # the one request that must not be cancelled
            self._notify("notifications/cancelled", {"requestId": request})

    def _result(self, method: str, answer: Message, kind: type[_T]) -> _T:
        if answer.error is not UNSET:
            raise ServerRefusedError(method, answer.error)
        try:
            return msgspec.json.decode(answer.result or b"null", type=kind)
        except MALFORMED as error:
            raise CommandError(f"the server's result of {method} is malformed: {error}") from None

    def _send(self, method: str, params: Mapping[str, Any], log_level: str | None = None) -> int:
        identity = next(self._ids)
        if self._meta:
            extra = {} if log_level is None else {meta.LOG_LEVEL: log_level}
            params = {**params, "_meta": {**self._meta, **extra}}
        self._write({"id": identity, "method": method, "params": params})
        return identity

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._write({"method": method, "params": params})

    def _write(self, message: Mapping[str, Any]) -> None:
        self._process.send(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    def _await(self, request: int, method: str, timeout: float) -> Message:
        """Return the answer to `request`, dealing with all that arrives before it."""
        deadline = time.monotonic() + timeout
        while request not in self._unclaimed:
            line = self._process.receive(deadline)
            if not line:
                raise ServerEndedError(method, self._process.ended())
            for message in _read(line):
                self._sort(message, request)
        return self._unclaimed.pop(request)

    def _sort(self, message: Message, awaited: int) -> None:
        if message.method is UNSET:
            # An error without an id is about what the server could not read: our last request.
            identity = awaited if message.id is None else message.id
            self._unclaimed[identity] = message
        elif message.id is not None:
            self._answer(message.id, message.method)
        elif message.method == "notifications/message":
            _show_log(message)

    def _answer(self, request: int | str, method: str) -> None:
        if not self._answers_requests:
            warn(f"the server sent a request, {method}, which its revision does not allow")
        elif method == "ping":
            self._write({"id": request, "result": {}})
        else:
            fault = {"code": _METHOD_NOT_FOUND, "message": f"Method not found: {method}"}
            self._write({"id": request, "error": fault})


@contextlib.contextmanager
def connect(
    file: str | None, command: Sequence[str] | None, timeout: float, *, told_as: str = "run"
) -> Generator[Client]:
    """Serve `file` in a process of its own, or start `command`; give the client, then end it all.

    What is wrong with `file` is told as by the command `told_as`. Raises UsageError if `file` has
    no server to serve, CommandError if the server fails.
    """
    server = _serving(file, told_as) if command is None else command
    client = Client(ServerProcess(server), timeout)
    try:
        try:
            client.open()
        except ServerEndedError as ended:
            if command is None and ended.exit_status == UsageError.status:
                raise UsageError("") from None  # the process has said what is wrong
            if command is None or ended.awaited != "server/discover":
                raise
            # There are legacy servers which take any first message but `initialize` for the end.
            warn("the server ended at server/discover; starting it again with initialize")
            client.close()
            client = Client(ServerProcess(command), timeout)
            client.open_legacy()
        yield client
    finally:
        client.close()


def _serving(file: str | None, told_as: str) -> list[str]:
    # -P: the directory we are in is no place to look for the standard library.
    run = [sys.executable, "-P", "-m", "typedargs_server.cli", "run"]
    return [*run, "--told-as", told_as, file or ""]


def _read(line: bytes) -> Sequence[Message]:
    if not line.strip():
        return ()
    try:
        read = messages.decode(line)
    except MALFORMED:
        read = []
    found = read if isinstance(read, list) else [read]
    if not found or not all(message.is_sound() for message in found):
        shown = cut(line.decode(errors="replace").rstrip("\r\n"), _NOTED)
        warn(f"the server wrote a line to stdout that is no message: {shown}")
        return ()
    return found


def _show_log(message: Message) -> None:
    with contextlib.suppress(*MALFORMED):
        log = msgspec.json.decode(message.params or b"", type=LogMessage)
        data = msgspec.json.decode(log.data, type=Any) if bytes(log.data)[:1] == b'"' else None
        text = data if isinstance(data, str) else bytes(log.data).decode(errors="replace")
        warn(f"{log.level}: {f'{log.logger}: ' if log.logger else ''}{text}")


def _ending(exit_status: int | None) -> str:
    if exit_status is None:
        return "closed its output"
    if exit_status < 0:
        return f"was ended by signal {-exit_status}"
    return f"ended, exit status {exit_status},"
