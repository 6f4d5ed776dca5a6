"""Fields whose values are dates, times and durations.

Each publishes a string of JSON with its format, which is enforced, and gives the Python value.
"""

from __future__ import annotations

import datetime
from typing import Any, Literal, Never, Unpack, overload

from ._field import A, Field, Options
from ._missing import MISSING
from .dialect import JSONSchema


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


def _with_z(text: str) -> str:
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text
