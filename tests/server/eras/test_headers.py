"""The headers of a modern HTTP request say what its body says, or it is refused."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from tests.server.support import request
from typedargs import Array, Boolean, Integer, MCPArgs, Nested, SchemaError, String
from typedargs_server import HeaderMismatch, MCPServer
from typedargs_server.eras import versions
from typedargs_server.eras.headers import check_headers, decoded
from typedargs_server.jsonrpc import Request
from typedargs_server.schemas import HeaderParameter, input_schema
from typedargs_server.tools import Tool


class Place(MCPArgs):
    region = String(header="Region")


class SearchArgs(MCPArgs):
    query = String()
    tenant = String(header="Tenant", required=False)
    limit = Integer(header="Limit", required=False)
    exact = Boolean(header="Exact", required=False)
    place = Nested(Place, required=False)


server = MCPServer("s")


@server.tool("search", input=SearchArgs)
def search(args: SearchArgs) -> str:
    return args.query


def find_tool(name: str) -> Tool | None:
    return next((tool for tool in server.tools if tool.name == name), None)


def check(method: str, params: Mapping[str, Any] | None, headers: Mapping[str, str]) -> None:
    sent = request(1, method, params)
    check_headers(headers, Request(1, method, sent["params"]), find_tool)


def headers(method: str, **more: str) -> dict[str, str]:
    """The headers that every request has, and more."""
    found = {"mcp-protocol-version": versions.MODERN, "mcp-method": method}
    return found | {name.replace("_", "-"): value for name, value in more.items()}


def refusal(method: str, params: Mapping[str, Any] | None, given: Mapping[str, str]) -> str:
    with pytest.raises(HeaderMismatch) as caught:
        check(method, params, given)
    assert (caught.value.code, caught.value.http_status) == (-32020, 400)
    return caught.value.message


def call(arguments: Mapping[str, Any], **given: str) -> None:
    check(
        "tools/call",
        {"name": "search", "arguments": dict(arguments)},
        headers("tools/call", mcp_name="search", **given),
    )


def refused_call(arguments: Mapping[str, Any], **given: str) -> str:
    return refusal(
        "tools/call",
        {"name": "search", "arguments": dict(arguments)},
        headers("tools/call", mcp_name="search", **given),
    )


def base64_of(value: str) -> str:
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def test_a_request_whose_headers_fit_is_accepted() -> None:
    check("tools/list", None, headers("tools/list"))
    check("prompts/get", {"name": "p"}, headers("prompts/get", mcp_name="p"))
    check("resources/read", {"uri": "a://b"}, headers("resources/read", mcp_name="a://b"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "MCP-Protocol-Version header is missing, body value '{modern}'"),
        (
            {"mcp-protocol-version": "1"},
            "MCP-Protocol-Version header value '1' does not match body value '{modern}'",
        ),
        (
            {"mcp-protocol-version": versions.MODERN},
            "Mcp-Method header is missing, body value 'tools/list'",
        ),
        (
            {"mcp-protocol-version": versions.MODERN, "mcp-method": "prompts/list"},
            "Mcp-Method header value 'prompts/list' does not match body value 'tools/list'",
        ),
        (
            {"mcp-protocol-version": versions.MODERN, "mcp-method": "TOOLS/LIST"},
            "Mcp-Method header value 'TOOLS/LIST' does not match body value 'tools/list'",
        ),
    ],
)
def test_a_header_of_every_request_that_lies_is_refused(
    given: Mapping[str, str], message: str
) -> None:
    expected = "Header mismatch: " + message.format(modern=versions.MODERN)
    assert refusal("tools/list", None, given) == expected


def test_a_request_without_a_revision_in_its_body_is_left_to_the_era() -> None:
    check_headers({}, Request(1, "tools/list", {}), find_tool)
    check_headers({}, Request(1, "tools/list", {"_meta": {}}), find_tool)
    check_headers({}, Request(1, "tools/list", {"_meta": 3}), find_tool)


@pytest.mark.parametrize(
    ("method", "key"), [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")]
)
def test_the_name_must_be_that_of_the_body(method: str, key: str) -> None:
    params = {key: "bar"}
    check(method, params, headers(method, mcp_name="bar"))
    check(method, params, headers(method, mcp_name="  bar\t"))
    check(method, params, headers(method, mcp_name=base64_of("bar")))
    assert refusal(method, params, headers(method, mcp_name="foo")) == (
        "Header mismatch: Mcp-Name header value 'foo' does not match body value 'bar'"
    )
    assert refusal(method, params, headers(method)) == (
        "Header mismatch: Mcp-Name header is missing, body value 'bar'"
    )


def test_a_name_that_the_body_lacks_is_left_to_the_method() -> None:
    check("tools/call", {}, headers("tools/call"))
    check("tools/call", {"name": 3}, headers("tools/call"))


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("us-west1", "us-west1"),
        ("  padded\t", "padded"),
        ("", ""),
        ("=?base64?SGVsbG8=?=", "Hello"),
        ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
        ("=?base64?IHBhZGRlZCA=?=", " padded "),
        ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
        ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
        ("=?base64??=", ""),
        ("SGVsbG8=", "SGVsbG8="),
        ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        ("=?base64?=", "=?base64?="),
        ("SGVsbG8=?=", "SGVsbG8=?="),
    ],
)
def test_a_value_is_decoded_where_it_is_encoded(value: str, meant: str) -> None:
    assert decoded(value) == meant


@pytest.mark.parametrize(
    "value",
    [
        "=?base64?SGVsbG8?=",
        "=?base64?SGVs!!!bG8=?=",
        "=?base64?SGVsbG9=?=",
        "=?base64?SGVs bG8=?=",
        "=?base64?_-__?=",
        "=?base64?/w==?=",
        "caf\xe9",
        "a\x7fb",
        "a\nb",
        "a\x00b",
    ],
)
def test_a_malformed_value_means_nothing(value: str) -> None:
    assert decoded(value) is None


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ({}, {}),
        ({"tenant": None, "limit": None}, {}),
        ({"tenant": "acme"}, {"mcp_param_tenant": "acme"}),
        ({"tenant": "Hello"}, {"mcp_param_tenant": "=?base64?SGVsbG8=?="}),
        ({"tenant": "SGVsbG8="}, {"mcp_param_tenant": "SGVsbG8="}),
        ({"tenant": "=?base64?SGVsbG8="}, {"mcp_param_tenant": "=?base64?SGVsbG8="}),
        ({"tenant": ""}, {"mcp_param_tenant": ""}),
        ({"limit": 42}, {"mcp_param_limit": "42"}),
        ({"limit": 42}, {"mcp_param_limit": "42.0"}),
        ({"limit": 42.0}, {"mcp_param_limit": "42"}),
        ({"limit": -7}, {"mcp_param_limit": "-7"}),
        ({"limit": 2**60 + 1}, {"mcp_param_limit": str(2**60 + 1)}),
        ({"exact": True}, {"mcp_param_exact": "true"}),
        ({"exact": False}, {"mcp_param_exact": "false"}),
        ({"place": {"region": "eu"}}, {"mcp_param_region": "eu"}),
        ({"place": {}}, {}),
        ({"place": None}, {}),
        ({"place": "eu"}, {}),
        ({"tenant": 3}, {"mcp_param_tenant": "3"}),
        ({"limit": "ten"}, {"mcp_param_limit": "ten"}),
        ({"limit": 1.5}, {"mcp_param_limit": "1.5"}),
        ({"tenant": ["acme"]}, {}),
        ({}, {"mcp_param_other": "unknown to the tool"}),
    ],
)
def test_a_parameter_in_a_header_is_that_of_the_body(
    arguments: Mapping[str, Any], given: Mapping[str, str]
) -> None:
    call(arguments, **given)


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        (
            {"tenant": "acme"},
            {},
            "Mcp-Param-Tenant header is missing, body value 'acme'",
        ),
        (
            {"tenant": "acme"},
            {"mcp_param_tenant": "other"},
            "Mcp-Param-Tenant header value 'other' does not match body value 'acme'",
        ),
        (
            {"tenant": "Hello"},
            {"mcp_param_tenant": "=?base64?SGVsbG8?="},
            "Mcp-Param-Tenant header value '=?base64?SGVsbG8?=' is malformed, body value 'Hello'",
        ),
        (
            {},
            {"mcp_param_tenant": "acme"},
            "Mcp-Param-Tenant header value 'acme', but the body has no value",
        ),
        (
            {"tenant": None},
            {"mcp_param_tenant": "null"},
            "Mcp-Param-Tenant header value 'null', but the body has no value",
        ),
        (
            {"exact": True},
            {"mcp_param_exact": "True"},
            "Mcp-Param-Exact header value 'True' does not match body value true",
        ),
        (
            {"limit": 42},
            {"mcp_param_limit": "4_2"},
            "Mcp-Param-Limit header value '4_2' does not match body value 42",
        ),
        (
            {"limit": 2**60 + 1},
            {"mcp_param_limit": str(2**60)},
            f"Mcp-Param-Limit header value '{2**60}' does not match body value {2**60 + 1}",
        ),
        (
            {"place": {"region": "eu"}},
            {},
            "Mcp-Param-Region header is missing, body value 'eu'",
        ),
        (
            {"tenant": ["acme"]},
            {"mcp_param_tenant": "acme"},
            "Mcp-Param-Tenant header value 'acme' does not match body value ['acme']",
        ),
        (
            {"tenant": "x" * 200},
            {"mcp_param_tenant": "y" * 200},
            f"Mcp-Param-Tenant header value '{'y' * 78}… does not match body value '{'x' * 78}…",
        ),
    ],
)
def test_a_parameter_that_header_and_body_tell_differently_is_refused(
    arguments: Mapping[str, Any], given: Mapping[str, str], message: str
) -> None:
    assert refused_call(arguments, **given) == f"Header mismatch: {message}"


def test_the_headers_of_a_tool_are_known_when_it_is_registered() -> None:
    assert input_schema(SearchArgs).headers == (
        HeaderParameter("Mcp-Param-Tenant", ("tenant",)),
        HeaderParameter("Mcp-Param-Limit", ("limit",)),
        HeaderParameter("Mcp-Param-Exact", ("exact",)),
        HeaderParameter("Mcp-Param-Region", ("place", "region")),
    )


S = {"type": "string"}
A = {**S, "x-mcp-header": "A"}


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_keys_that_a_pointer_escapes_lead_to_a_parameter_too() -> None:
    (found,) = input_schema(object_of(**{"a/b~c": object_of(**{"": A})})).headers
    assert found.path == ("a/b~c", "")


@pytest.mark.parametrize("application_validated", [False, True])
@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            {**object_of(), "x-mcp-header": "A"},
            '"x-mcp-header" at the root is for properties',
        ),
        (
            object_of(a={"type": "array", "items": A}),
            '"x-mcp-header" at /properties/a/items is for properties',
        ),
        (
            object_of(a={"anyOf": [A, {"type": "null"}]}),
            '"x-mcp-header" at /properties/a/anyOf/0 is for properties',
        ),
        (
            {**object_of(a={"$ref": "#/$defs/A"}), "$defs": {"A": A}},
            '"x-mcp-header" at /$defs/A is for properties',
        ),
        (
            {**object_of(), "allOf": [object_of(a=A)]},
            '"x-mcp-header" at /allOf/0/properties/a is for properties',
        ),
        (
            object_of(a={"type": "number", "x-mcp-header": "A"}),
            '"x-mcp-header" at /properties/a is for one of the types string, integer and boolean',
        ),
        (
            object_of(a={"type": ["string", "null"], "x-mcp-header": "A"}),
            '"x-mcp-header" at /properties/a is for one of the types string, integer and boolean',
        ),
        (
            object_of(a=A, b=object_of(c={**S, "x-mcp-header": "a"})),
            '"x-mcp-header" at /properties/b/properties/c is taken already: a',
        ),
        (
            object_of(a={**S, "x-mcp-header": "a b"}),
            "must be a header name (RFC 9110 token), got 'a b'",
        ),
    ],
)
def test_a_header_that_makes_clients_drop_the_tool_is_refused(
    schema: dict[str, Any], message: str, application_validated: bool
) -> None:
    with pytest.raises(SchemaError) as caught:
        input_schema(schema, application_validated=application_validated)
    assert message.split(", got")[0] in str(caught.value)


def test_a_header_within_the_items_of_an_array_is_refused() -> None:
    class Args(MCPArgs):
        places = Array(Nested(Place))

    with pytest.raises(SchemaError, match="properties"):
        input_schema(Args)
