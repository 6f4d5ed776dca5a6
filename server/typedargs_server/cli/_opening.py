"""How a client that speaks both eras finds out which one a server speaks: rules, without IO.

The specification's: basic/transports/stdio, section "Backward Compatibility".
"""

import enum
from typing import Final

import msgspec
from msgspec import UNSET

from ..eras import versions
from ._errors import CommandError
from ._wire import MALFORMED, Discovery, Message, UnsupportedVersion

HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

_MODERN_ERRORS: Final = (HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION)


class Era(enum.Enum):
    MODERN = enum.auto()
    LEGACY = enum.auto()


def era_of(answer: Message | None) -> Era:
    """Return the era of a server that gave `answer`, or within a time none, to `server/discover`.

    Raises CommandError if it is modern and has no revision in common with us.
    """
    if answer is None:
        return Era.LEGACY
    if answer.error is UNSET:
        offered = _offered(answer)
    elif answer.error.code == UNSUPPORTED_VERSION:
        offered = _supported(answer)
    elif answer.error.code in _MODERN_ERRORS:
        return Era.MODERN
    else:
        return Era.LEGACY
    if offered is None:  # it looked like an answer and is none: no evidence of a modern server
        return Era.LEGACY
    if versions.MODERN in offered:
        return Era.MODERN
    if any(revision in versions.LEGACY for revision in offered):
        return Era.LEGACY
    raise CommandError(
        f"the server speaks {', '.join(offered) or 'no revision'} of the protocol; "
        f"this command speaks {', '.join(versions.SUPPORTED)}"
    )


def _offered(answer: Message) -> list[str] | None:
    try:
        return msgspec.json.decode(answer.result or b"", type=Discovery).supported_versions
    except MALFORMED:
        return None


def _supported(answer: Message) -> list[str] | None:
    assert answer.error is not UNSET
    try:
        return msgspec.json.decode(answer.error.data or b"", type=UnsupportedVersion).supported
    except MALFORMED:
        return None
