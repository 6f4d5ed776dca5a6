"""Numbers of JSON that know how they were written."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Self


class Literal(float):
    """A double that knows the text it was read from, which may say more than a double holds."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_literal(text: str) -> Literal | Decimal:
    """Return the number that `text` is: beyond a double a Decimal, which number fields refuse.

    For decoders of JSON, to be called for each number that is no integer.
    """
    number = Literal(text)
    if abs(number) != float("inf"):
        return number
    try:
        return Decimal(text)
    except InvalidOperation:  # beyond what a Decimal holds, too
        return Decimal(number)
