"""MISSING: no value was given, where None is a value."""

import enum
from typing import Final, Literal, TypeAlias


class _Missing(enum.Enum):
    MISSING = enum.auto()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


MISSING: Final = _Missing.MISSING
Missing: TypeAlias = Literal[_Missing.MISSING]
