"""Sealing and opening `requestState`: what a call has gathered, kept by the client between rounds.

AES-256-GCM, from the package cryptography. A state is bound to its principal, to the method and
parameters of its request, and to a time after which it is refused.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

import base64
import binascii
import os
import time
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, Protocol

import attrs
import msgspec

from . import jsonrpc
from ._typed import Value, typed
from .errors import InvalidParams
from .rounds import Journal

MIN_KEY_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_KEY_NAME_BYTES: Final = 4
_REPEATED: Final = frozenset({"_meta", "inputResponses", "requestState"})
"""The parameters in which a retry differs from the request that it repeats."""


class UsedStates(Protocol):
    """Which states were used already, on a store that all workers share."""

    def claim(self, state_id: str, expires_at: float) -> Awaitable[bool]:
        """Mark the state as used, in one step; false where it was.

        `expires_at`, in seconds since the epoch, is when the mark may be forgotten.
        """
        ...


@attrs.frozen(kw_only=True, field_transformer=typed, eq=False, repr=False)
class RequestStates(Value):
    """How the state of a call that waits for the client's answers is sealed.

    The first of `keys` seals, all of them open: to rotate, put a new one in front and keep the old
    one for `ttl_seconds`. All workers need the same keys; without any, this process makes its own.
    With `used`, each state is accepted once, so that a client cannot repeat an earlier round.
    """

    keys: Sequence[str | bytes] = attrs.field(default=(), repr=False)
    ttl_seconds: float = 3600.0
    """How long a user may take for the answers of one round, in seconds."""
    used: Any = None
    """A `UsedStates`."""

    def __attrs_post_init__(self) -> None:
        for key in self.keys:
            if len(_bytes(key)) < MIN_KEY_BYTES:
                raise ValueError(
                    f"RequestStates: a key must have at least {MIN_KEY_BYTES} bytes; "
                    "take secrets.token_urlsafe(32)"
                )
        if not 0 < self.ttl_seconds < float("inf"):
            raise ValueError(
                f"RequestStates: ttl_seconds must be above 0 and finite, got {self.ttl_seconds!r}"
            )


class _Sealed(msgspec.Struct, array_like=True):
    """What is inside a state."""

    id: str
    expires_at: float
    journal: Journal


class Opened(msgspec.Struct, frozen=True):
    """A state that a client brought back, found good."""

    id: str
    expires_at: float
    journal: Journal


class Sealer:
    """Seals and opens the states of one server."""

    def __init__(self, settings: RequestStates) -> None:
        self._settings = settings
        self.is_shared = bool(settings.keys)
        """Whether other workers can open what this one seals."""
        self._keys = [_derived(_bytes(key)) for key in settings.keys] or [os.urandom(32)]

    def seal(
        self, journal: Journal, method: str, params: Mapping[str, Any], principal: str | None
    ) -> str:
        """Return the state for `journal`, for the retry of this request by this principal."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # only where one asks

        key, nonce = self._keys[0], os.urandom(_NONCE_BYTES)
        expires_at = time.time() + self._settings.ttl_seconds
        sealed = _Sealed(nonce.hex(), expires_at, journal)
        data = AESGCM(key).encrypt(nonce, jsonrpc.encode(sealed), _bound(method, params, principal))
        return _encoded(_name(key) + nonce + data)

    def open(
        self, state: str, method: str, params: Mapping[str, Any], principal: str | None
    ) -> Opened:
        """Return what is in `state`; raises InvalidParams where it is not for this request now."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        data = _decoded(state)
        name, rest = data[:_KEY_NAME_BYTES], data[_KEY_NAME_BYTES:]
        bound = _bound(method, params, principal)
        for key in self._keys:
            if _name(key) != name:
                continue
            try:
                plain = AESGCM(key).decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], bound)
            except (InvalidTag, ValueError):
                break
            sealed = msgspec.json.decode(plain, type=_Sealed)
            if sealed.expires_at < time.time():
                raise InvalidParams(
                    "requestState has expired; send the request again without requestState"
                )
            return Opened(sealed.id, sealed.expires_at, sealed.journal)
        raise _refused()


def _refused() -> InvalidParams:
    return InvalidParams(
        "requestState is not one that this server gave for this request; "
        "send the request again without requestState"
    )


def _bytes(key: str | bytes) -> bytes:
    return key.encode() if isinstance(key, str) else key


def _derived(secret: bytes) -> bytes:
    import hashlib  # with OpenSSL, which takes its time

    return hashlib.sha256(b"typedargs request state\0" + secret).digest()


def _name(key: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(b"name\0" + key).digest()[:_KEY_NAME_BYTES]


def _bound(method: str, params: Mapping[str, Any], principal: str | None) -> bytes:
    """Return what a state is bound to: its principal and the request that asks again."""
    repeated = {name: value for name, value in params.items() if name not in _REPEATED}
    return jsonrpc.encode_sorted([principal, method, repeated])


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(state: str) -> bytes:
    """Return the bytes of a state; each has one text, so that no other is taken for it."""
    try:
        data = base64.b64decode(state + "=" * (-len(state) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise _refused() from None
    if _encoded(data) != state:
        raise _refused()
    return data
