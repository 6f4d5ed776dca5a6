"""The scalar fields."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Literal, Never, TypedDict, TypeVar, Unpack, overload

from ._field import A, Field, Options, V
from ._missing import MISSING
from .dialect import JSONSchema
from .errors import SchemaError, shown

E = TypeVar("E", bound=enum.Enum)

_NUMBER_CONSTRAINTS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
STRING_CONSTRAINTS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "format": "format",
}


class NumberConstraints(TypedDict, Generic[V], total=False):
    """What numbers take: inclusive and exclusive bounds, and a divisor."""

    minimum: V | None
    maximum: V | None
    exclusive_minimum: V | None
    exclusive_maximum: V | None
    multiple_of: V | None


class NumberOptions(Options, NumberConstraints[V], Generic[V], total=False):
    """What a field of numbers takes."""


class StringConstraints(TypedDict, total=False):
    """What strings take: lengths in characters, a regular expression, a format of JSON Schema."""

    min_length: int | None
    max_length: int | None
    pattern: str | None
    format: str | None


class StringOptions(Options, StringConstraints, total=False):
    """What a field of strings takes."""


class Double(Field[float, A]):
    """A `float`: any JSON number that a double holds finitely; an integer becomes a float."""

    constraints: ClassVar = _NUMBER_CONSTRAINTS

    @overload
    def __init__(
        self: Double[Never],
        *,
        default: float = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[NumberOptions[float]],
    ) -> None: ...
    @overload
    def __init__(
        self: Double[None],
        *,
        default: float | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[NumberOptions[float]],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[NumberOptions[float]],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "number"}

    def structure(self, value: Any, /) -> float:
        return float(value)

    @property
    def from_json(self) -> Callable[[Any], Any] | None:
        """The built-in itself, which costs less, where a subclass has no `structure` of its own."""
        return float if type(self).structure is Double.structure else self.structure


class Integer(Field[int, A]):
    """An `int` of any size, exactly; 3.0 is the integer 3, as JSON Schema has it."""

    constraints: ClassVar = _NUMBER_CONSTRAINTS

    @overload
    def __init__(
        self: Integer[Never],
        *,
        default: int = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[NumberOptions[int]],
    ) -> None: ...
    @overload
    def __init__(
        self: Integer[None],
        *,
        default: int | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[NumberOptions[int]],
    ) -> None: ...
    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[NumberOptions[int]],
    ) -> None:
        self.declare(default, required, nullable, options)

    def schema(self) -> JSONSchema:
        return {"type": "integer"}


class String(Field[str, A]):
    """A `str`."""

    constraints: ClassVar = STRING_CONSTRAINTS

    @overload
    def __init__(
        self: String[Never],
        *,
        default: str = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[StringOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: String[None],
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
        return {"type": "string"}


class Boolean(Field[bool, A]):
    """A `bool`."""

    @overload
    def __init__(
        self: Boolean[Never],
        *,
        default: bool = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Boolean[None],
        *,
        default: bool | None = ...,
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
        return {"type": "boolean"}


class Enum(Field[V, A]):
    """One of some strings, or one member of an `enum.Enum` class.

    Members are named on the wire; where all their values are strings, their values stand there
    instead. `by="name"` and `by="value"` decide otherwise. Raises SchemaError where the members
    cannot be told apart on the wire.
    """

    @overload
    def __init__(
        self: Enum[E, Never],
        members: type[E],
        /,
        *,
        by: Literal["name", "value"] | None = None,
        default: E = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Enum[E, None],
        members: type[E],
        /,
        *,
        by: Literal["name", "value"] | None = None,
        default: E | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Enum[str, Never],
        *members: str,
        default: str = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Enum[str, None],
        *members: str,
        default: str | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *members: Any,
        by: Literal["name", "value"] | None = None,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)
        if len(members) == 1 and isinstance(members[0], type):
            self._by_wire = _members(members[0], by)
            self._wire = {member.name: wire for wire, member in self._by_wire.items()}
            self._class: type[enum.Enum] | None = members[0]
        else:
            _check_strings(members, by)
            self._by_wire = {member: member for member in members}
            self._wire = {}
            self._class = None

    def schema(self) -> JSONSchema:
        values = list(self._by_wire)
        kind = "string" if isinstance(values[0], str) else "integer"
        return {"type": kind, "enum": values}

    @property
    def from_json(self) -> Callable[[Any], Any] | None:
        return None if self._class is None else super().from_json

    @property
    def into_json(self) -> Callable[[Any], Any] | None:
        return None if self._class is None else super().into_json

    def structure(self, value: Any, /) -> V:
        return self._by_wire[value]  # type: ignore[no-any-return]

    def unstructure(self, value: V, /) -> Any:
        if self._class is None:
            return value
        if not isinstance(value, self._class):
            raise ValueError(f"expected a member of {self._class.__name__}")
        return self._wire[value.name]


def _members(members: type[Any], by: str | None) -> dict[Any, Any]:
    if not issubclass(members, enum.Enum):
        raise SchemaError(f"Enum takes strings or one enum.Enum class, got {members!r}")
    values = [member.value for member in members]
    if not values:
        raise SchemaError(f"{members.__name__} has no members")
    if by is None:
        by = "value" if all(isinstance(value, str) for value in values) else "name"
    if by not in ("name", "value"):
        raise SchemaError(f'by must be "name" or "value", got {shown(by)}')
    if by == "name":
        return {member.name: member for member in members}
    if all(isinstance(value, str) for value in values):
        return {str(member.value): member for member in members}
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return {int(member.value): member for member in members}
    raise SchemaError(
        f'by="value" takes an enum whose values are all strings or all integers; '
        f'{members.__name__} has others, use by="name"'
    )


def _check_strings(members: Sequence[Any], by: str | None) -> None:
    if not members:
        raise SchemaError("Enum takes at least one string, or an enum.Enum class")
    if by is not None:
        raise SchemaError("by= is for an enum.Enum class")
    for member in members:
        if not isinstance(member, str):
            raise SchemaError(f"Enum takes strings or one enum.Enum class, got {member!r}")
    if len(set(members)) != len(members):
        raise SchemaError("Enum has a string twice")
