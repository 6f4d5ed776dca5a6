"""Fields whose values have a format: dates and times, identifiers, numbers as text, and the like.

Each publishes a string of JSON with its format, which is enforced, and gives the Python value.
"""

from __future__ import annotations

import base64
import binascii
import datetime
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


class Date(Field[datetime.date, A]):
    """A `datetime.date`, written as YYYY-MM-DD."""

    @overload
    def __init__(
        self: Date[Never],
        *,
        default: datetime.date = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Date[None],
        *,
        default: datetime.date | None = ...,
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
        return {"type": "string", "format": "date"}

    def structure(self, value: Any, /) -> datetime.date:
        return datetime.date.fromisoformat(value)

    def unstructure(self, value: datetime.date, /) -> str:
        if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
            raise ValueError("expected a datetime.date")
        return value.isoformat()


class Time(Field[datetime.time, A]):
    """A `datetime.time` with an offset, written as 09:30:00Z."""

    @overload
    def __init__(
        self: Time[Never],
        *,
        default: datetime.time = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Time[None],
        *,
        default: datetime.time | None = ...,
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
        return {"type": "string", "format": "time"}

    def structure(self, value: Any, /) -> datetime.time:
        return datetime.time.fromisoformat(_without_leap_second(value.upper()))

    def unstructure(self, value: datetime.time, /) -> str:
        if not isinstance(value, datetime.time) or value.utcoffset() is None:
            raise ValueError("expected a datetime.time with a tzinfo of a fixed offset")
        return _with_z(value.isoformat())


class DateTime(Field[datetime.datetime, A]):
    """An aware `datetime.datetime`, written as in RFC 3339, with an offset."""

    @overload
    def __init__(
        self: DateTime[Never],
        *,
        default: datetime.datetime = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: DateTime[None],
        *,
        default: datetime.datetime | None = ...,
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
        return {"type": "string", "format": "date-time"}

    def structure(self, value: Any, /) -> datetime.datetime:
        return datetime.datetime.fromisoformat(_without_leap_second(value.upper()))

    def unstructure(self, value: datetime.datetime, /) -> str:
        if not isinstance(value, datetime.datetime) or value.utcoffset() is None:
            raise ValueError("expected a datetime.datetime with a tzinfo")
        return _with_z(value.isoformat())


class Duration(Field[datetime.timedelta, A]):
    """A `datetime.timedelta` of whole seconds, written as PT1H30M or P2D (ISO 8601).

    Years and months, which have no fixed length, are refused.
    """

    words = "a duration in days or shorter units such as P1DT2H30M"

    @overload
    def __init__(
        self: Duration[Never],
        *,
        default: datetime.timedelta = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Duration[None],
        *,
        default: datetime.timedelta | None = ...,
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
        return {"type": "string", "format": "duration", "pattern": "^P[^YM]*(T.*)?$"}

    def structure(self, value: Any, /) -> datetime.timedelta:
        try:
            return datetime.timedelta(seconds=_seconds(value))
        except (OverflowError, ValueError):  # too long, or more digits than Python reads
            days = datetime.timedelta.max.days
            raise ValueError(f"expected a duration of at most {days} days") from None

    def unstructure(self, value: datetime.timedelta, /) -> str:
        if not isinstance(value, datetime.timedelta) or value.microseconds or value.days < 0:
            raise ValueError("expected a datetime.timedelta of whole seconds, not negative")
        days = f"{value.days}D" if value.days else ""
        minutes, seconds = divmod(value.seconds, 60)
        hours, minutes = divmod(minutes, 60)
        parts = ((hours, "H"), (minutes if hours or minutes else 0, "M"), (seconds, "S"))
        last = max((index for index, (count, _) in enumerate(parts) if count), default=-1)
        first = min((index for index, (count, _) in enumerate(parts) if count), default=0)
        time = "".join(f"{count}{unit}" for count, unit in parts[first : last + 1])
        return f"P{days}T{time}" if time else f"P{days or '0D'}"


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
        return decimal.Decimal(value.text if isinstance(value, JSONLiteral) else str(value))

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


_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_DECIMAL = "^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)$"
_SECONDS = {
    ("W", False): 7 * 24 * 3600,
    ("D", False): 24 * 3600,
    ("H", True): 3600,
    ("M", True): 60,
    ("S", True): 1,
}


def _seconds(text: str) -> int:
    """Return the seconds in a duration without years and months."""
    seconds, number, in_time = 0, "", False
    for character in text[1:]:
        if character.isdigit():
            number += character
        elif character == "T":
            in_time = True
        else:
            seconds += int(number) * _SECONDS[character, in_time]
            number = ""
    return seconds


def _without_leap_second(text: str) -> str:
    """Return `text` with a second 60, which Python has not, as 59."""
    return text.replace(":60", ":59") if ":60" in text else text


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


def _with_z(text: str) -> str:
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text
