"""ObjectSchema: a flat object schema without a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Self, Unpack

from ._field import Field, PropertyOptions, V
from ._missing import MISSING
from ._spec import ArgsSpec, Extra, FieldEntry, check_extra, check_keys, entry_of
from .conversion import Form
from .errors import SchemaError
from .fields import Boolean, Double, Enum, Integer, NumberConstraints, String, StringConstraints


class NumberProperty(PropertyOptions, NumberConstraints[V], Generic[V], total=False):
    """What a property of numbers takes, beside what every `add_*` does."""


class StringProperty(PropertyOptions, StringConstraints, total=False):
    """What a property of strings takes, beside what every `add_*` does."""


class ObjectSchema:
    """Builds an object schema property by property; each `add_*` returns the builder.

    A handler gets a dict of the declared values, defaults filled in. The options are those of the
    field of the same kind. Raises SchemaError where a property cannot be declared.
    """

    def __init__(self, description: str | None = None, *, extra: Extra = "ignore") -> None:
        self._description = description
        self._extra: Extra = check_extra("ObjectSchema", extra)
        self._entries: tuple[FieldEntry, ...] = ()
        self._form: Form | None = None

    def add_string(
        self,
        name: str,
        description: str | None = None,
        required: bool = True,
        *,
        default: Any = MISSING,
        nullable: bool = False,
        **options: Unpack[StringProperty],
    ) -> Self:
        """Add a string."""
        return self._add(
            name,
            String(
                description=description,
                default=default,
                required=required,
                nullable=nullable,
                **options,
            ),
        )

    def add_number(
        self,
        name: str,
        description: str | None = None,
        required: bool = True,
        *,
        default: Any = MISSING,
        nullable: bool = False,
        **options: Unpack[NumberProperty[float]],
    ) -> Self:
        """Add a number, which the handler gets as a float."""
        return self._add(
            name,
            Double(
                description=description,
                default=default,
                required=required,
                nullable=nullable,
                **options,
            ),
        )

    def add_integer(
        self,
        name: str,
        description: str | None = None,
        required: bool = True,
        *,
        default: Any = MISSING,
        nullable: bool = False,
        **options: Unpack[NumberProperty[int]],
    ) -> Self:
        """Add an integer."""
        return self._add(
            name,
            Integer(
                description=description,
                default=default,
                required=required,
                nullable=nullable,
                **options,
            ),
        )

    def add_boolean(
        self,
        name: str,
        description: str | None = None,
        required: bool = True,
        *,
        default: Any = MISSING,
        nullable: bool = False,
        **options: Unpack[PropertyOptions],
    ) -> Self:
        """Add a boolean."""
        return self._add(
            name,
            Boolean(
                description=description,
                default=default,
                required=required,
                nullable=nullable,
                **options,
            ),
        )

    def add_enum(
        self,
        name: str,
        members: Sequence[str],
        description: str | None = None,
        required: bool = True,
        *,
        default: Any = MISSING,
        nullable: bool = False,
        **options: Unpack[PropertyOptions],
    ) -> Self:
        """Add one of some strings."""
        if isinstance(members, str | type):
            raise SchemaError(
                f"ObjectSchema.{name}: add_enum takes a list of strings, got {members!r}"
            )
        return self._add(
            name,
            Enum(
                *members,
                description=description,
                default=default,
                required=required,
                nullable=nullable,
                **options,
            ),
        )

    @property
    def __args_form__(self) -> Form:
        """The form of what is declared so far."""
        if self._form is None:
            spec = ArgsSpec(
                name="ObjectSchema",
                fields=self._entries,
                extra=self._extra,
                description=self._description,
            )
            self._form = Form(spec, ObjectSchema, is_dict=True)
        return self._form

    def _add(self, name: str, field: Field[Any, Any]) -> Self:
        entries = (*self._entries, entry_of(ObjectSchema, name, field))
        check_keys("ObjectSchema", entries)
        self._entries = entries
        self._form = None
        return self

    def __repr__(self) -> str:
        return f"<ObjectSchema of {', '.join(entry.key for entry in self._entries) or 'nothing'}>"
