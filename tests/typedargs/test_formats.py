"""The formats that are enforced, by example."""

import pytest

from tests.typedargs.helpers import accepted, refusal
from typedargs import String

GOOD = {
    "date": ["2026-07-28", "2024-02-29", "0001-01-01"],
    "time": ["09:30:00Z", "09:30:00.123456789z", "23:59:60Z", "01:59:60+02:00", "00:00:00-23:59"],
    "date-time": ["2026-07-28T09:30:00Z", "2026-07-28t09:30:00.5+02:00", "1998-12-31T23:59:60Z"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"],
    "ipv4": ["127.0.0.1", "255.255.255.255"],
    "ipv6": ["::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"],
}
BAD = {
    "date": [
        "",
        "2026-7-28",
        "2026-02-30",
        "20260728",
        "2026-07-28T00:00:00Z",
        "2026-W31-2",
        "\uff12026-07-28",
        "2026-07-28\n",
    ],
    "time": [
        "09:30",
        "09:30:00",
        "24:00:00Z",
        "09:60:00Z",
        "09:30:60Z",
        "22:59:60Z",
        "09:30:00+24:00",
        "09:30:00.Z",
    ],
    "date-time": [
        "2026-07-28 09:30:00Z",
        "2026-07-28T09:30:00",
        "2026-13-01T00:00:00Z",
        "2026-07-28",
    ],
    "uuid": [
        "123e4567e89b12d3a456426614174000",
        "{123e4567-e89b-12d3-a456-426614174000}",
        "123e4567-e89b-12d3-a456-42661417400g",
    ],
    "ipv4": ["127.0.0", "127.0.0.01", "256.0.0.1", "127.0.0.1/8", "١٢٧.0.0.1", " 127.0.0.1"],
    "ipv6": [":::", "fe80::1%eth0", "::1/128", "127.0.0.1", "12345::"],
}
EXPECTED = {
    "date": "a date such as 2026-07-28",
    "time": "a time with offset such as 09:30:00Z",
    "date-time": "a date and time with offset such as 2026-07-28T09:30:00Z",
    "uuid": "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "an IPv4 address such as 192.0.2.1",
    "ipv6": "an IPv6 address such as 2001:db8::1",
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in GOOD.items() for text in texts]
)
def test_a_text_in_the_format_is_taken(name: str, text: str) -> None:
    assert accepted(String(format=name), text) == text


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts]
)
def test_a_text_in_no_such_format_is_refused_in_words(name: str, text: str) -> None:
    message = refusal(lambda: accepted(String(format=name), text))
    assert message.startswith(f"x: expected {EXPECTED[name]}, got string ")
