"""The values of `format` that are enforced, each with its test.

Source: https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3
"""

import datetime
import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

_DATE: Final = r"\d{4}-\d{2}-\d{2}"
_TIME: Final = r"(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))"
_date: Final = re.compile(_DATE, re.ASCII)
_time: Final = re.compile(_TIME, re.ASCII)
_date_time: Final = re.compile(rf"({_DATE})[tT]({_TIME})", re.ASCII)
_uuid: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


@attrs.frozen
class Format:
    """A format: the test of a string, and the words for what was expected."""

    matches: Callable[[str], bool]
    expected: str


def _parses(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    return _date.fullmatch(text) is not None and _parses(datetime.date.fromisoformat, text)


def _is_time(text: str) -> bool:
    """RFC 3339 `full-time`; a leap second only where it is 23:59:60 in UTC."""
    match = _time.fullmatch(text)
    if match is None:
        return False
    hour, minute, second = (int(match[group]) for group in (1, 2, 3))
    off_hour, off_minute = int(match[6] or 0), int(match[7] or 0)
    if hour > 23 or minute > 59 or off_hour > 23 or off_minute > 59:
        return False
    offset = (off_hour * 60 + off_minute) * (-1 if match[5] == "-" else 1)
    in_utc = (hour * 60 + minute - offset) % (24 * 60)
    return second < 60 or (second == 60 and in_utc == 24 * 60 - 1)


def _is_date_time(text: str) -> bool:
    match = _date_time.fullmatch(text)
    return match is not None and _is_date(match[1]) and _is_time(match[2])


def _is_ipv4(text: str) -> bool:
    return text.isascii() and _parses(ipaddress.IPv4Address, text)


def _is_ipv6(text: str) -> bool:
    return text.isascii() and "%" not in text and _parses(ipaddress.IPv6Address, text)


FORMATS: Final[Mapping[str, Format]] = {
    "date": Format(_is_date, "a date such as 2026-07-28"),
    "time": Format(_is_time, "a time with offset such as 09:30:00Z"),
    "date-time": Format(_is_date_time, "a date and time such as 2026-07-28T09:30:00Z"),
    "uuid": Format(lambda text: _uuid.fullmatch(text) is not None, "a UUID"),
    "ipv4": Format(_is_ipv4, "an IPv4 address"),
    "ipv6": Format(_is_ipv6, "an IPv6 address"),
}
