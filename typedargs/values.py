"""Fields whose values have a format: identifiers, addresses, numbers as text, and the like.

Each publishes a string of JSON with its format, which is enforced, and gives the Python value.
"""

from __future__ import annotations

import base64
import binascii
import decimal
import math
import pathlib
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Never, Unpack, overload

from ._field import A, Field, Options
from ._literal import Literal as JSONLiteral
from ._missing import MISSING
from .dialect import JSONSchema
from .fields import STRING_CONSTRAINTS, StringOptions


class UUID(Field[uuid.UUID, A]):
    """A `uuid.UUID`."""

    @overload
    def __init__(
        self: UUID[Never],
        *,
        default: uuid.UUID = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: UUID[None],
        *,
        default: uuid.UUID | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "string", "format": "uuid"}

    def structure(self, value: Any, /) -> uuid.UUID:
        return uuid.UUID(value)

    def unstructure(self, value: uuid.UUID, /) -> str:
        if not isinstance(value, uuid.UUID):
            raise ValueError("expected a uuid.UUID")
        return str(value)


class Uri(Field[str, A]):
    """A `str` that is an absolute URI (RFC 3986); needs the extra `formats`."""

    constraints: ClassVar = STRING_CONSTRAINTS

    @overload
    def __init__(
        self: Uri[Never],
        *,
        default: str = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[StringOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Uri[None],
        *,
        default: str | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[StringOptions],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[StringOptions],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "string", "format": "uri"}


class Email(Field[str, A]):
    """A `str` that is an e-mail address (RFC 5321); needs the extra `formats`."""

    constraints: ClassVar = STRING_CONSTRAINTS

    @overload
    def __init__(
        self: Email[Never],
        *,
        default: str = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[StringOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Email[None],
        *,
        default: str | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[StringOptions],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[StringOptions],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "string", "format": "email"}


class Bytes(Field[bytes, A]):
    """`bytes`, written as base64 (RFC 4648, section 4)."""

    words = "base64"

    @overload
    def __init__(
        self: Bytes[Never],
        *,
        default: bytes = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Bytes[None],
        *,
        default: bytes | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "string", "contentEncoding": "base64", "pattern": _BASE64}

    def structure(self, value: Any, /) -> bytes:
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error:
            raise ValueError("expected base64") from None

    def unstructure(self, value: bytes, /) -> str:
        if not isinstance(value, bytes):
            raise ValueError("expected bytes")
        return base64.b64encode(value).decode("ascii")


class Decimal(Field[decimal.Decimal, A]):
    """A `decimal.Decimal`, exact: written as a string, and taken from a string or a number.

    A number counts as it is written where the message is read by typedargs_server; elsewhere as
    the shortest text of its double.
    """

    words = "a decimal number such as 1.50"
    reads_literals = True

    @overload
    def __init__(
        self: Decimal[Never],
        *,
        default: decimal.Decimal = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Decimal[None],
        *,
        default: decimal.Decimal | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": ["string", "number"], "pattern": _DECIMAL}

    def structure(self, value: Any, /) -> decimal.Decimal:
        if not isinstance(value, JSONLiteral):
            return decimal.Decimal(str(value))
        try:
            number = decimal.Decimal(value.text)
        except decimal.InvalidOperation:
            number = None
        if number is None or abs(number.adjusted()) > _MAX_EXPONENT + len(value.text):
            raise ValueError(f"expected {self.words}, its exponent within ±{_MAX_EXPONENT}")
        return number

    def unstructure(self, value: decimal.Decimal, /) -> str:
        if not isinstance(value, decimal.Decimal) or not value.is_finite():
            raise ValueError("expected a finite decimal.Decimal")
        return f"{value:f}"


class Path(Field[pathlib.Path, A]):
    """A `pathlib.Path`; that it exists, or lies where it may, is the handler's business."""

    words = "a file path"

    @overload
    def __init__(
        self: Path[Never],
        *,
        default: pathlib.Path = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Path[None],
        *,
        default: pathlib.Path | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "string", "minLength": 1, "pattern": "^[^\\x00]*$"}

    def structure(self, value: Any, /) -> pathlib.Path:
        return pathlib.Path(value)

    def unstructure(self, value: pathlib.Path, /) -> str:
        if not isinstance(value, pathlib.Path):
            raise ValueError("expected a pathlib.Path")
        return str(value)


class Json(Field[Any, A]):
    """Any JSON value, as it is."""

    @overload
    def __init__(
        self: Json[Never],
        *,
        default: Any = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Json[None],
        *,
        default: Any | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {}

    def unstructure(self, value: Any, /) -> Any:
        return _json(value)


_MAX_EXPONENT = 400
"""Beyond it a number is refused that is written with an exponent: its digits could fill memory."""

_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_DECIMAL = "^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)$"


def _json(value: Any) -> Any:
    """Return `value` in JSON's own types; raises ValueError where it is none of them."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
    elif isinstance(value, list | tuple):
        return [_json(item) for item in value]
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _json(item) for key, item in value.items()}
    raise ValueError(f"expected a JSON value, with {value!r:.80} in it")
