"""JSON-RPC messages: bytes in, typed messages out, and the exact answer to what is none."""

import json
from decimal import Decimal
from typing import Any

import pytest

from typedargs._literal import Literal
from typedargs_server import InvalidParams, InvalidRequest, ParseError, jsonrpc
from typedargs_server.jsonrpc import Malformed, Notification, Request, Response

BIG = 10**30


def encoded(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (encoded(id=1, method="m"), Request(1, "m", {})),
        (encoded(id="1", method="m", params={"a": 1}), Request("1", "m", {"a": 1})),
        (encoded(id="", method="m"), Request("", "m", {})),
        (encoded(id=-3, method="m"), Request(-3, "m", {})),
        (encoded(id=1.0, method="m"), Request(1, "m", {})),
        (encoded(id=BIG, method="m"), Request(BIG, "m", {})),
        (encoded(id=1, method="m", more=[1, 2]), Request(1, "m", {})),
        (encoded(method="m"), Notification("m", {})),
        (encoded(method="m", params={}), Notification("m", {})),
        (encoded(id=1, result={}), Response(1, result={})),
        (encoded(id=1, result=None), Response(1, result=None)),
        (encoded(id=1, error={"code": 1}), Response(1, error={"code": 1})),
        (b' \t{"jsonrpc": "2.0", "method": "m"}\r', Notification("m", {})),
    ],
)
def test_a_message_is_read(data: bytes, message: object) -> None:
    assert jsonrpc.parse(data) == message


def test_an_id_keeps_its_type() -> None:
    one, text = (jsonrpc.parse(encoded(id=given, method="m")) for given in (1.0, "1"))
    assert isinstance(one, Request)
    assert isinstance(text, Request)
    assert (type(one.id), type(text.id)) == (int, str)


@pytest.mark.parametrize(
    ("data", "message", "request_id"),
    [
        (b"1", "a message must be a JSON object", None),
        (b"null", "a message must be a JSON object", None),
        (b'"text"', "a message must be a JSON object", None),
        (b'{"id": 1, "method": "m"}', '"jsonrpc" must be "2.0"', 1),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "m"}', '"jsonrpc" must be "2.0"', 1),
        (b'{"jsonrpc": 2.0, "id": 1, "method": "m"}', '"jsonrpc" must be "2.0"', 1),
        (encoded(id=None, method="m"), "the id must be a string or an integer", None),
        (encoded(id=1.5, method="m"), "the id must be a string or an integer", None),
        (encoded(id=True, method="m"), "the id must be a string or an integer", None),
        (encoded(id=[1], method="m"), "the id must be a string or an integer", None),
        (encoded(id={}, method="m"), "the id must be a string or an integer", None),
        (
            b'{"jsonrpc": "2.0", "id": 1e400, "method": "m"}',
            "the id must be a string or an integer",
            None,
        ),
        (encoded(id=1, method=2), "the method must be a string", 1),
        (encoded(id=1, method=None), "the method must be a string", 1),
        (encoded(id=1, method="m", params=None), "params must be an object", 1),
        (encoded(id=1, method="m", params=[1]), "params must be an object", 1),
        (encoded(method="m", params="x"), "params must be an object", None),
        (b"{}", '"jsonrpc" must be "2.0"', None),
        (encoded(), "a message needs a method, or an id and a result or an error", None),
        (encoded(id=1), "a message needs a method, or an id and a result or an error", 1),
        (
            encoded(id=1, result={}, error={}),
            "a message needs a method, or an id and a result or an error",
            1,
        ),
        (encoded(result={}), "a message needs a method, or an id and a result or an error", None),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request(
    data: bytes, message: str, request_id: object
) -> None:
    malformed = jsonrpc.parse(data)
    assert isinstance(malformed, Malformed)
    assert type(malformed.error) is InvalidRequest
    assert str(malformed.error) == f"Invalid Request: {message}"
    assert malformed.id == request_id


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"hello",
        b"{'jsonrpc': '2.0'}",
        b'{"jsonrpc": "2.0", "method": "m"} {}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": NaN}}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": Infinity}}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": 1e400, "b": NaN}}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": 01}}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": 1,}}',
        b'{"jsonrpc": "2.0", "method": "m", "params": {"a": "\x01"}}',
    ],
)
def test_what_is_not_json_is_a_parse_error(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"^Parse error: "):
        jsonrpc.parse(data)


@pytest.mark.parametrize("before", [b"", b"1e400, "])
@pytest.mark.parametrize(
    "text",
    [
        b'"\xff"',
        b'"\xed\xa0\x80"',
        '"a"'.encode("utf-16"),
        b"\xef\xbb\xbf1",
    ],
)
def test_text_that_is_not_utf8_is_a_parse_error(before: bytes, text: bytes) -> None:
    with pytest.raises(ParseError, match=r"^Parse error: "):
        jsonrpc.parse(b'{"jsonrpc": "2.0", "id": 1, "params": {"a": [' + before + text + b"]}}")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("NaN", "NaN is not JSON"),
        ("-Infinity", "-Infinity is not JSON"),
        (r'"\ud800"', "a lone surrogate is no character"),
        (r'"\udc00\ud800"', "a lone surrogate is no character"),
        (r'1e400, "\ud800"', "a lone surrogate is no character"),
    ],
)
def test_what_python_writes_and_json_has_not_is_answered_under_its_id(value: str, why: str) -> None:
    data = f'{{"jsonrpc": "2.0", "id": 7, "method": "m", "params": {{"a": [{value}]}}}}'
    message = jsonrpc.parse(data.encode())
    assert isinstance(message, Malformed)
    assert (message.id, message.error.code) == (7, -32700)
    assert str(message.error) == f"Parse error: {why}"


def test_an_id_that_cannot_be_sent_is_not_answered_under() -> None:
    with pytest.raises(ParseError):
        jsonrpc.parse(rb'{"jsonrpc": "2.0", "id": "\ud800", "method": "m"}')


@pytest.mark.parametrize(
    "data", [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000, b"[1e400," + b"[" * 100_000]
)
def test_json_nested_too_deeply_is_a_parse_error(data: bytes) -> None:
    with pytest.raises(ParseError, match=r"^Parse error: "):
        jsonrpc.parse(data)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("1e400", Decimal("1e400")),
        ("-1e400", Decimal("-1e400")),
        ("1e1000000", Decimal("1e1000000")),
        ("1e1000000000000000000", Decimal("Infinity")),
        ("-1e1000000000000000000", Decimal("-Infinity")),
        ("1e-1000000000000000000", 0.0),
        ("1e308", 1e308),
        ("9" * 100, int("9" * 100)),
        ("9" * 5000, Decimal("9" * 5000)),
        ("0.1", 0.1),
        ("-0", 0),
    ],
)
def test_a_number_of_any_size_leaves_the_message_readable(literal: str, value: object) -> None:
    data = b'{"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"a": %s}}' % literal.encode()
    message = jsonrpc.parse(data)
    assert message == Request(1, "m", {"a": value})
    assert isinstance(message, Request)
    assert type(message.params["a"]) is type(value)


@pytest.mark.parametrize("data", [b"[1e400]", b"[1e1000000000000000000]"])
def test_a_lone_number_of_any_size_is_no_message(data: bytes) -> None:
    (message,) = jsonrpc.parse(data)  # type: ignore[misc]
    assert isinstance(message, Malformed)
    assert str(message.error) == "Invalid Request: a message must be a JSON object"


def test_numbers_are_plain_unless_they_are_wanted_as_written() -> None:
    member = b'{"jsonrpc": "2.0", "method": "m", "params": {"a": 1.50, "b": 1e400}}'
    for data in (member, b"[%s]" % member):
        plain, written = jsonrpc.parse(data), jsonrpc.parse(data, literally=True)
        for parsed, kind in ((plain, float), (written, Literal)):
            (message,) = parsed if isinstance(parsed, list) else [parsed]
            assert isinstance(message, Notification)
            assert message.params == {"a": 1.5, "b": Decimal("1e400")}
            assert type(message.params["a"]) is kind


def test_an_escaped_pair_of_surrogates_is_one_character_beside_a_huge_number() -> None:
    data = rb'{"jsonrpc": "2.0", "method": "m", "params": {"a": 1e400, "b": "\ud83d\ude00"}}'
    assert jsonrpc.parse(data) == Notification("m", {"a": Decimal("1e400"), "b": "\U0001f600"})


def test_a_batch_is_a_list_of_messages() -> None:
    data = b"[%s, 1, %s]" % (encoded(id=1, method="m"), encoded(method="n"))
    first, second, third = jsonrpc.parse(data)  # type: ignore[misc]
    assert first == Request(1, "m", {})
    assert isinstance(second, Malformed)
    assert third == Notification("n", {})


def test_an_empty_batch_is_an_invalid_request() -> None:
    with pytest.raises(InvalidRequest, match=r"^Invalid Request: an empty batch$"):
        jsonrpc.parse(b"[]")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            jsonrpc.result_response("a", {"x": BIG}),
            {"jsonrpc": "2.0", "id": "a", "result": {"x": BIG}},
        ),
        (
            jsonrpc.error_response(1, InvalidParams("no", {"why": 1})),
            {
                "jsonrpc": "2.0",
                "id": 1,
                "error": {"code": -32602, "message": "no", "data": {"why": 1}},
            },
        ),
        (
            jsonrpc.error_response(None, ParseError("no")),
            {"jsonrpc": "2.0", "error": {"code": -32700, "message": "no"}},
        ),
        (jsonrpc.notification("n"), {"jsonrpc": "2.0", "method": "n"}),
        (
            jsonrpc.notification("n", {"a": "ä\n"}),
            {"jsonrpc": "2.0", "method": "n", "params": {"a": "ä\n"}},
        ),
        (jsonrpc.batch([b"{}", b"{}"]), [{}, {}]),
    ],
)
def test_a_message_is_written_on_one_line(written: bytes, message: object) -> None:
    assert json.loads(written) == message
    assert b"\n" not in written


def test_values_of_derived_classes_are_written_as_what_they_are_derived_from() -> None:
    class Shout(str):
        def __str__(self) -> str:
            return self.upper()

    class Count(int):
        pass

    class Ratio(float):
        pass

    assert jsonrpc.encode([Shout("a"), Count(2), Ratio(0.5)]) == b'["a",2,0.5]'


def test_a_value_without_a_json_form_is_not_written() -> None:
    with pytest.raises(TypeError, match=r"^an object has no JSON form$"):
        jsonrpc.encode({"a": object()})
