"""The values of `format` that are enforced, each with its test.

Source: https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3
"""

import datetime
import functools
import importlib.util
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from ._ecma import PatternError, translate

_DATE: Final = r"\d{4}-\d{2}-\d{2}"
_TIME: Final = r"(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:[zZ]|([+-])(\d{2}):(\d{2}))"
_DATE_TIME: Final = rf"({_DATE})[tT]({_TIME})"
_DURATION: Final = (
    r"P(?:\d+W|(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)"
    r"(?:T(?:\d+S|\d+M(?:\d+S)?|\d+H(?:\d+M(?:\d+S)?)?))?"
    r"|T(?:\d+S|\d+M(?:\d+S)?|\d+H(?:\d+M(?:\d+S)?)?))"
)
_UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)  # on first use: most servers start without any


class Format(msgspec.Struct, frozen=True):
    """A format: the test of a string, the words for what was expected, the module it needs."""

    matches: Callable[[str], bool]
    expected: str
    needs: str | None = None

    @property
    def is_available(self) -> bool:
        """Whether what the test needs is installed."""
        return self.needs is None or importlib.util.find_spec(self.needs) is not None


def _parses(parse: Callable[[str], Any], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    return _pattern(_DATE).fullmatch(text) is not None and _parses(
        datetime.date.fromisoformat, text
    )


def _is_time(text: str) -> bool:
    """RFC 3339 `full-time`; a leap second only where it is 23:59:60 in UTC."""
    match = _pattern(_TIME).fullmatch(text)
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
    match = _pattern(_DATE_TIME).fullmatch(text)
    return match is not None and _is_date(match[1]) and _is_time(match[2])


def _is_ipv4(text: str) -> bool:
    from ipaddress import IPv4Address

    return text.isascii() and _parses(IPv4Address, text)


def _is_ipv6(text: str) -> bool:
    from ipaddress import IPv6Address

    return text.isascii() and "%" not in text and _parses(IPv6Address, text)


def _is_duration(text: str) -> bool:
    return _pattern(_DURATION).fullmatch(text) is not None


def _is_uri(text: str) -> bool:
    from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped]

    if validate_rfc3986(text, rule="URI") is None:
        return False
    address = re.search(r"//(?:[^/?#@]*@)?\[([0-9A-Fa-f:.]+)\]", text)
    return address is None or _is_ipv6(address[1])


def _is_email(text: str) -> bool:
    import email_validator

    try:
        email_validator.validate_email(
            text,
            check_deliverability=False,
            allow_quoted_local=True,
            allow_domain_literal=True,
            allow_smtputf8=False,
            test_environment=True,
        )
    except email_validator.EmailNotValidError:
        return False
    return True


def _is_regex(text: str) -> bool:
    try:
        translate(text)
    except PatternError:
        return False
    return True


FORMATS: Final[Mapping[str, Format]] = {
    "date": Format(_is_date, "a date such as 2026-07-28"),
    "time": Format(_is_time, "a time with offset such as 09:30:00Z"),
    "date-time": Format(_is_date_time, "a date and time with offset such as 2026-07-28T09:30:00Z"),
    "duration": Format(_is_duration, "a duration such as PT1H30M"),
    "uuid": Format(
        lambda text: _pattern(_UUID).fullmatch(text) is not None,
        "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    ),
    "ipv4": Format(_is_ipv4, "an IPv4 address such as 192.0.2.1"),
    "ipv6": Format(_is_ipv6, "an IPv6 address such as 2001:db8::1"),
    "uri": Format(_is_uri, "an absolute URI such as https://example.com/a", "rfc3986_validator"),
    "email": Format(_is_email, "an e-mail address such as ada@example.com", "email_validator"),
    "regex": Format(_is_regex, "a regular expression of ECMA-262"),
}
