"""URIs, as RFC 3986 has them: what is one, and when two are the same.

A URI is read in units: one character, or one percent-encoded byte.
"""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from urllib.parse import unquote_to_bytes

from .errors import RegistrationError

MAX_URI_LENGTH: Final = 8192
"""The longest URI that is read, in characters; RFC 9110 wants at least 8000."""

UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED: Final = frozenset(":/?#[]@!$&'()*+,;=")
ENCODED: Final = frozenset(f"%{byte:02X}" for byte in range(256))
"""The units that are percent-encoded."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNIT: Final = re.compile(r"%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|[^\x00-\x7f]")


def scheme_of(text: str) -> str | None:
    """Return the scheme that `text` begins with, with its colon; None where there is none."""
    match = _SCHEME.match(text)
    return None if match is None else match[0]


def check_uri(uri: str, label: str) -> None:
    """Raise RegistrationError where `uri` is no absolute URI."""
    if scheme_of(uri) is None:
        raise RegistrationError(
            f'{label}: a URI begins with a scheme, as in "config://app"; {uri!r:.80} does not'
        )
    if len(uri) > MAX_URI_LENGTH:
        raise RegistrationError(f"{label}: a URI has at most {MAX_URI_LENGTH} characters")
    check_characters(uri, label)
    if uri.count("#") > 1:
        raise RegistrationError(f'{label}: a URI has one "#" at the most; write others as %23')


def check_characters(text: str, label: str) -> None:
    """Raise RegistrationError where `text`, a URI or part of one, has what no URI may have."""
    rest = _UNIT.sub(lambda unit: unit[0] if not unit[0].isascii() else "", text)
    if rest:
        raise RegistrationError(
            f"{label}: a URI cannot have {rest[0]!r}; percent-encode it, as urllib.parse.quote does"
        )


def units_of(uri: str, plain: AbstractSet[str] = UNRESERVED) -> tuple[str, ...] | None:
    """Return the units of `uri`, in one form for all that is the same; None where it is no URI.

    Characters in `plain` are the same when they are percent-encoded. A character beyond ASCII
    stands for the bytes of its UTF-8.
    """
    units: list[str] = []
    length = 0
    for found in _UNIT.findall(uri):
        length += len(found)
        if len(found) == 3:
            character = chr(int(found[1:], 16))
            units.append(character if character in plain else found.upper())
        elif found.isascii():
            units.append(found)
        else:
            try:
                units += (f"%{byte:02X}" for byte in found.encode())
            except UnicodeEncodeError:  # a lone surrogate
                return None
    return tuple(units) if length == len(uri) else None


def decoded(units: Iterable[str]) -> str | None:
    """Return the text that `units` stand for, or None where it is not UTF-8."""
    try:
        return unquote_to_bytes("".join(units)).decode()
    except UnicodeDecodeError:
        return None


def split(units: Sequence[str], separator: str) -> list[tuple[str, ...]]:
    """Return the stretches of `units` between the units `separator`."""
    stretches: list[tuple[str, ...]] = []
    start = 0
    for position, unit in enumerate(units):
        if unit == separator:
            stretches.append(tuple(units[start:position]))
            start = position + 1
    return [*stretches, tuple(units[start:])]
