"""Which hosts and origins a server answers to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from typedargs_server.transports._guard import Guard
from typedargs_server.transports._refusals import Refused
from typedargs_server.transports.http import HttpSettings


def complaint(
    host: str | None, origin: str | None, hosts: Sequence[str], origins: Sequence[str]
) -> str | None:
    given = {"host": host, "origin": origin}
    headers = {name: value for name, value in given.items() if value is not None}
    try:
        Guard(hosts, origins).check(headers)
    except Refused as refused:
        return f"{refused.status} {refused}"
    return None


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", ()),
        ("localhost:8000", ()),
        ("LOCALHOST:8000", ()),
        ("127.0.0.1", ()),
        ("127.0.0.1:8000", ()),
        ("192.168.1.7:8000", ()),
        ("[::1]", ()),
        ("[::1]:8000", ()),
        ("[2001:db8::1]:80", ()),
        ("example.com", ["example.com"]),
        ("example.com:8000", ["Example.com"]),
        ("example.com:8000", ["example.com:8000"]),
        ("a.example.com", ["*.example.com"]),
        ("a.b.example.com:1", ["*.example.com"]),
        ("anything", ["*"]),
        (None, ["*"]),
    ],
)
def test_a_host_that_no_page_can_have_rebound_is_served(
    host: str | None, allowed: Sequence[str]
) -> None:
    assert complaint(host, None, allowed, ()) is None


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("evil.example.com", ()),
        ("localhost.evil.com", ()),
        ("127.0.0.1.evil.com", ()),
        ("evil.com:127.0.0.1", ()),
        ("evil.com", ["example.com"]),
        ("example.com:9000", ["example.com:8000"]),
        ("example.com", ["*.example.com"]),
        (".example.com", ["*.example.com"]),
        ("evilexample.com", ["*.example.com"]),
        ("[::1", ["example.com"]),
        ("user@localhost", ()),
        ("localhost\n", ()),
        ("", ()),
        ("localhost,\nevil.com", ()),
    ],
)
def test_any_other_host_is_told_the_setting_that_allows_it(
    host: str, allowed: Sequence[str]
) -> None:
    told = complaint(host, None, allowed, ())
    assert told == f"403 Forbidden: the Host {host!r} is not allowed; add it to allowed_hosts"


def test_a_request_without_a_host_is_refused() -> None:
    assert complaint(None, None, (), ()) == "403 Forbidden: the request has no Host header"


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("localhost:8000", "http://localhost:8000", ()),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", ()),
        ("[::1]:8000", "http://[::1]:8000", ()),
        ("localhost", "http://localhost", ()),
        ("localhost:443", "https://localhost", ()),
        ("localhost", "https://localhost:443", ()),
        ("localhost", "http://LOCALHOST", ()),
        ("localhost", "https://example.com", ["https://example.com"]),
        ("localhost", "https://example.com", ["https://Example.com/"]),
        ("localhost", "https://a.example.com", ["https://*.example.com"]),
        ("localhost", "https://a.example.com:99", ["https://*.example.com"]),
        ("localhost", "https://anything.net", ["*"]),
        ("localhost", "null", ["null"]),
        ("localhost", "null", ["*"]),
    ],
)
def test_a_page_of_the_server_or_of_an_allowed_origin_may_call(
    host: str, origin: str, allowed: Sequence[str]
) -> None:
    assert complaint(host, origin, (), allowed) is None


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("localhost:8000", "http://localhost:3000", ()),
        ("localhost:8000", "http://evil.com", ()),
        ("localhost:8000", "https://localhost", ()),
        ("localhost:8000", "null", ()),
        ("localhost:8000", "", ()),
        ("localhost:8000", "localhost:8000", ()),
        ("localhost", "http://example.com", ["https://example.com"]),
        ("localhost", "https://example.com", ["https://*.example.com"]),
        ("localhost", "https://example.com.evil.com", ["https://example.com"]),
        ("localhost", "https://evil.com/.example.com", ["https://*.example.com"]),
        ("localhost", "http://localhost,\nhttp://evil.com", ()),
    ],
)
def test_any_other_page_is_told_the_setting_that_allows_it(
    host: str, origin: str, allowed: Sequence[str]
) -> None:
    told = complaint(host, origin, (), allowed)
    assert told == f"403 Forbidden: the Origin {origin!r} is not allowed; add it to allowed_origins"


def test_a_name_rebound_to_the_server_is_refused_though_it_is_its_own_origin() -> None:
    told = complaint("evil.com:8000", "http://evil.com:8000", (), ())
    assert told is not None
    assert "allowed_hosts" in told


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"path": "mcp"}, ValueError, "path must be a path that begins with \"/\", got 'mcp'"),
        ({"path": 3}, TypeError, "HttpSettings: path must be a str, got 3"),
        ({"allowed_hosts": "x"}, TypeError, "a list of which each is a str, got 'x'"),
        ({"allowed_hosts": ["http://x"]}, ValueError, "allowed_hosts must hold names"),
        ({"allowed_origins": ["x.com"]}, ValueError, "allowed_origins must hold origins"),
        ({"cors_origins": ["https://x.com/a"]}, ValueError, "cors_origins must hold origins"),
        ({"keep_alive_seconds": 0}, ValueError, "keep_alive_seconds must be above 0 and finite"),
        ({"session_idle_seconds": float("inf")}, ValueError, "must be above 0 and finite"),
        ({"max_sessions": 0}, ValueError, "max_sessions must be above 0, got 0"),
        ({"max_sessions": True}, TypeError, "max_sessions must be an int, got True"),
        ({"stateless": 1}, TypeError, "stateless must be True or False, got 1"),
        ({"sse": True, "path": "/sse"}, ValueError, "must differ"),
    ],
)
def test_settings_that_mean_nothing_are_refused(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        HttpSettings(**settings)
    assert message in str(caught.value)
