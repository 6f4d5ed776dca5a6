"""Bytes to JSON-RPC messages and back; nothing here knows a method's name or a revision.

Source: https://www.jsonrpc.org/specification, narrowed by
https://modelcontextprotocol.io/specification/2026-07-28/basic#messages
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

import msgspec

from typedargs import read_literal

from ._typed import a_kind
from .errors import InvalidRequest, ParseError, WireError

RequestId: TypeAlias = str | int

MAX_INTEGER_DIGITS: Final = 4300
"""Digits up to which an integer is read exactly; Python's own limit on such a conversion."""


def builtin(value: object) -> str | int | float:
    """Return a value of a class derived from str, int or float as what it is derived from.

    Raises TypeError for anything else: it has no JSON form.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    raise TypeError(f"{a_kind(value)} has no JSON form")


encode: Final = msgspec.json.Encoder(enc_hook=builtin).encode
encode_sorted: Final = msgspec.json.Encoder(enc_hook=builtin, order="sorted").encode
"""Encodes equal values as equal bytes, whatever the order of their keys."""


class Request(msgspec.Struct, frozen=True):
    """A message that wants an answer under its `id`."""

    id: RequestId
    method: str
    params: dict[str, Any]


class Notification(msgspec.Struct, frozen=True):
    """A message that wants none."""

    method: str
    params: dict[str, Any]


class Response(msgspec.Struct, frozen=True):
    """The peer's answer to a request of ours: a `result`, or an `error`."""

    id: RequestId
    result: Any = None
    error: Any = None


class Malformed(msgspec.Struct, frozen=True):
    """JSON that is no message; `error` is to be answered, under `id` where one could be read."""

    error: WireError
    id: RequestId | None


Message: TypeAlias = Request | Notification | Response | Malformed


class _Envelope(msgspec.Struct):
    """The members of any message, unchecked; what else the object holds is skipped unread."""

    jsonrpc: Any = msgspec.UNSET
    id: Any = msgspec.UNSET
    method: Any = msgspec.UNSET
    params: Any = msgspec.UNSET
    result: Any = msgspec.UNSET
    error: Any = msgspec.UNSET


_decode_envelope: Final = msgspec.json.Decoder(_Envelope).decode
_decode_literally: Final = msgspec.json.Decoder(_Envelope, float_hook=read_literal).decode
_decode: Final = msgspec.json.Decoder().decode
_decode_any_literally: Final = msgspec.json.Decoder(float_hook=read_literal).decode


def parse(data: bytes, *, literally: bool = False) -> Message | list[Message]:
    """Return the message in `data`, or the messages of a batch.

    With `literally`, numbers that are no integers know how they were written.
    Raises ParseError where `data` is not JSON, InvalidRequest where it is JSON of another kind.
    """
    try:
        return _message((_decode_literally if literally else _decode_envelope)(data))
    except msgspec.MsgspecError:
        pass  # no JSON, no object, or a number that needs the slow reading below
    except RecursionError:
        raise ParseError("Parse error: the JSON is nested too deeply") from None
    try:
        value = _read(data, literally=literally)
    except ParseError as error:
        return _salvaged(data, error)
    if isinstance(value, list):
        if not value:
            raise InvalidRequest("Invalid Request: an empty batch")
        return [_member(item) for item in value]
    return _member(value)


def result_response(request_id: RequestId | msgspec.Raw, result: Any) -> bytes:
    """Return the response that carries `result`, which may hold pre-encoded `msgspec.Raw`."""
    return encode({"jsonrpc": "2.0", "id": request_id, "result": result})


def request(request_id: RequestId, method: str, params: Mapping[str, Any]) -> bytes:
    """Return a request."""
    return encode({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


def error_response(
    request_id: RequestId | None, error: WireError, code: int | None = None
) -> bytes:
    """Return the error response for `error`, without an `id` where none could be read.

    `code` is that of the error where another one does not stand for it.
    """
    body: dict[str, Any] = {
        "code": error.code if code is None else code,
        "message": error.message,
    }
    if error.data is not None:
        body["data"] = error.data
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if request_id is not None:
        message["id"] = request_id
    return encode({**message, "error": body})


def notification(method: str, params: Mapping[str, Any] | None = None) -> bytes:
    """Return a notification."""
    if params is None:
        return encode({"jsonrpc": "2.0", "method": method})
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def batch(members: list[bytes]) -> bytes:
    """Return one batch of messages that are encoded already."""
    return b"[" + b",".join(members) + b"]"


def _member(value: object) -> Message:
    if not isinstance(value, dict):
        return Malformed(InvalidRequest("Invalid Request: a message must be a JSON object"), None)
    known = {name: value[name] for name in _Envelope.__struct_fields__ if name in value}
    return _message(_Envelope(**known))


def _message(envelope: _Envelope) -> Message:
    raw_id, method, params = envelope.id, envelope.method, envelope.params
    request_id = id_of(raw_id)
    if envelope.jsonrpc != "2.0":
        return _malformed('"jsonrpc" must be "2.0"', request_id)
    if raw_id is not msgspec.UNSET and request_id is None:
        return _malformed("the id must be a string or an integer", None)
    if method is msgspec.UNSET:
        return _response(envelope, request_id)
    if not isinstance(method, str):
        return _malformed("the method must be a string", request_id)
    if params is msgspec.UNSET:
        params = {}
    elif not isinstance(params, dict):
        return _malformed("params must be an object", request_id)
    if request_id is None:
        return Notification(method, params)
    return Request(request_id, method, params)


def _response(envelope: _Envelope, request_id: RequestId | None) -> Message:
    has_result = envelope.result is not msgspec.UNSET
    has_error = envelope.error is not msgspec.UNSET
    if request_id is None or has_result == has_error:
        return _malformed("a message needs a method, or an id and a result or an error", request_id)
    if has_result:
        return Response(request_id, result=envelope.result)
    return Response(request_id, error=envelope.error)


def _malformed(what: str, request_id: RequestId | None) -> Malformed:
    return Malformed(InvalidRequest(f"Invalid Request: {what}"), request_id)


def id_of(value: object) -> RequestId | None:
    """Return `value` as an id, or None; 1.0 is the integer 1, true is none."""
    if isinstance(value, str) or type(value) is int:
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def _read(data: bytes, *, literally: bool) -> Any:
    """Return the JSON value of `data`; a number beyond Python's range becomes a Decimal.

    So a message with such a number is still a message: it has an id to answer under, and its
    arguments can be refused field by field.
    """
    try:
        return (_decode_any_literally if literally else _decode)(data)
    except msgspec.ValidationError:
        pass  # a number out of range
    except RecursionError:
        raise ParseError("Parse error: the JSON is nested too deeply") from None
    except msgspec.DecodeError as error:
        raise ParseError(f"Parse error: {error}") from None
    import json  # which reads what msgspec does not; seldom needed

    try:
        value = json.loads(
            data.decode("utf-8"),
            parse_float=_number if literally else _plain_number,
            parse_int=_number,
            parse_constant=_no_constant,
        )
        json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")  # no lone surrogates
        return value
    except RecursionError:
        raise ParseError("Parse error: the JSON is nested too deeply") from None
    except ValueError as error:
        raise ParseError(f"Parse error: {error}") from None


def _salvaged(data: bytes, error: ParseError) -> Malformed:
    """Return the error under the id of a message that is JSON but for what Python writes too.

    That are NaN, Infinity and lone surrogates; a client waits for an answer under that id. Raises
    `error` where the message is no such one.
    """
    import json

    constants: list[str] = []
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=constants.append)
        request_id = id_of(value["id"])
        encode(request_id)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise error from None
    what = f"{constants[0]} is not JSON" if constants else "a lone surrogate is no character"
    return Malformed(ParseError(f"Parse error: {what}"), request_id)


def _number(literal: str) -> int | float | Decimal:
    if literal.lstrip("-").isdigit():
        return int(literal) if len(literal) <= MAX_INTEGER_DIGITS else Decimal(literal)
    return read_literal(literal)


def _plain_number(literal: str) -> int | float | Decimal:
    number = _number(literal)
    return float.__float__(number) if isinstance(number, float) else number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
