"""Classes that users already have, as args classes: the same lean schema, and their own instances.

attrs classes, dataclasses, TypedDicts, NamedTuples, pydantic models and msgspec Structs. Their
annotations become fields; the instance is made by the class itself, with its own defaults.
"""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import enum
import pathlib
import types
import typing
import uuid
from collections import abc
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin
from weakref import WeakKeyDictionary

import attrs
import msgspec

from . import containers, fields, nesting, times, values
from ._field import Field
from ._foreign import Declared, docstring, is_qualifier, kind_of, struct_tag
from ._missing import MISSING
from ._spec import ArgsSpec, FieldEntry, check_keys, entry_of
from .conversion import Form
from .dialect import JSONSchema
from .errors import SchemaError
from .fields import STRING_CONSTRAINTS

F = TypeVar("F", bound=Field[Any, Any])

_SCALARS: Final[Mapping[Any, type[Field[Any, Any]]]] = {
    str: fields.String,
    int: fields.Integer,
    float: fields.Double,
    bool: fields.Boolean,
    bytes: values.Bytes,
    datetime.date: times.Date,
    datetime.time: times.Time,
    datetime.datetime: times.DateTime,
    datetime.timedelta: times.Duration,
    decimal.Decimal: values.Decimal,
    uuid.UUID: values.UUID,
    pathlib.Path: values.Path,
    Any: values.Json,
    object: values.Json,
}
_LISTS: Final = (list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection)
_MAPS: Final = (dict, abc.Mapping, abc.MutableMapping)
_COLLECTED: Final[Mapping[Any, Any]] = {
    tuple: tuple,
    set: set,
    abc.Set: set,
    abc.MutableSet: set,
    frozenset: frozenset,
    collections.deque: collections.deque,
}
_CONSTRAINTS: Final[Mapping[str, str]] = {
    "ge": "minimum",
    "gt": "exclusive_minimum",
    "le": "maximum",
    "lt": "exclusive_maximum",
    "multiple_of": "multiple_of",
    "min_length": "min_length",
    "max_length": "max_length",
    "pattern": "pattern",
}
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    "description": "description",
    "documentation": "description",
    "title": "title",
    "examples": "examples",
    "deprecated": "deprecated",
}
_NOTES: Final = {**_CONSTRAINTS, **_DESCRIPTIONS}
"""What annotations carry, as annotated-types, pydantic and msgspec name it; our option for it."""

_SIZES: Final = {"min_length": "min_items", "max_length": "max_items"}


@attrs.frozen
class Place:
    """Where an annotation stands, for messages, and whether its class checks what it says."""

    name: str
    checks_itself: bool = False

    def make(self, kind: type[F], /, *arguments: Any, **options: Any) -> F:
        """Return a field; raises SchemaError, naming the place, where an option is not for it.

        What the class checks itself need not be for it.
        """
        if self.checks_itself:
            foreign = {*_CONSTRAINTS.values(), *_SIZES.values()} - kind.constraints.keys()
            options = {name: value for name, value in options.items() if name not in foreign}
        try:
            return kind(*arguments, **options)
        except (TypeError, SchemaError) as error:
            raise SchemaError(f"{self.name}: {error}") from None


_FORMS: Final[MutableMapping[type[Any], Form]] = WeakKeyDictionary()


def is_foreign(cls: object) -> bool:
    """Tell whether `cls` is a class of a kind that is adapted."""
    return isinstance(cls, type) and kind_of(cls) is not None


def adapted(cls: type[Any]) -> Form:
    """Return the form of a foreign class; raises SchemaError where its fields have no schema."""
    form = _FORMS.get(cls)
    if form is None:
        kind = kind_of(cls)
        if kind is None:
            raise SchemaError(f"{cls!r} is no class whose fields are known")
        entries = tuple(_entry(cls, declared, kind.checks_itself) for declared in kind.fields(cls))
        check_keys(cls.__name__, entries)
        extra: Literal["forbid", "ignore"] = "forbid" if kind.forbids(cls) else "ignore"
        spec = ArgsSpec(cls.__name__, entries, extra, description=docstring(cls))
        form = _FORMS[cls] = Form(spec, cls, build=kind.builder(cls))
    return form


def _entry(cls: type[Any], declared: Declared, checks_itself: bool) -> FieldEntry:
    place = Place(f"{cls.__name__}.{declared.attribute}", checks_itself)
    options: dict[str, Any] = {"aliases": declared.aliases} if declared.aliases else {}
    if declared.key != declared.attribute:
        options["name"] = declared.key
    if declared.default is not MISSING:
        options["default"] = declared.default
    elif not declared.required:
        options["required"] = False
    field = field_for(declared.annotation, place, declared.notes, **options)
    return entry_of(cls, declared.attribute, field)


def field_for(
    annotation: Any, place: Place, notes: Sequence[Any] = (), /, **options: Any
) -> Field[Any, Any]:
    """Return the field for an annotation; raises SchemaError, with the place, if there is none."""
    annotation, notes = _bare(annotation, notes)
    for note in notes:
        if isinstance(note, Field):
            return _adopted(note, options)
    for note in _each(notes):
        for option, value in _said(note):
            options.setdefault(option, value)
    members, origin = get_args(annotation), get_origin(annotation) or annotation
    if origin in (Union, types.UnionType):
        return _union(members, place, options)
    if origin is Literal:
        return place.make(LiteralField, members, **options)
    scalar = _SCALARS.get(annotation) if isinstance(annotation, abc.Hashable) else None
    if scalar is not None:
        return place.make(scalar, **options)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return place.make(fields.Enum, annotation, **options)
    if isinstance(origin, abc.Hashable):
        sized = {_SIZES.get(option, option): value for option, value in options.items()}
        container = _container(annotation, origin, members, place, sized)
        if container is not None:
            return container
    if is_foreign(annotation) or hasattr(annotation, "__args_form__"):
        # By a function: a class may hold itself, and has no form while its own is being made.
        return place.make(nesting.Nested, lambda: annotation, **options)
    if place.checks_itself:
        return place.make(PydanticField, annotation, **options)
    raise SchemaError(
        f"{place.name}: there is no field for {annotation!r}; "
        "annotate it as Annotated[..., a field], or write an MCPArgs class"
    )


def _bare(annotation: Any, notes: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Return the annotation without what stands around it, and the notes with those on it."""
    while True:
        origin = get_origin(annotation)
        if hasattr(annotation, "__value__"):  # a `type` alias
            annotation = annotation.__value__
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif origin is typing.Annotated:
            annotation, *more = get_args(annotation)
            notes = (*notes, *more)
        elif is_qualifier(origin):
            (annotation,) = get_args(annotation)
        else:
            return annotation, notes


def _each(notes: Sequence[Any]) -> Iterator[Any]:
    """Give the notes, and those that they hold, as the `Field` of pydantic does."""
    for note in notes:
        yield note
        yield from getattr(note, "metadata", ())


def _said(note: Any) -> Iterator[tuple[str, Any]]:
    """Give the options that a note comes to."""
    if isinstance(note, str):
        yield "description", note
        return
    for attribute, option in _NOTES.items():
        value = getattr(note, attribute, None)
        if value is not None and not callable(value):
            yield option, bool(value) if option == "deprecated" else value


def _adopted(field: Field[Any, Any], options: dict[str, Any]) -> Field[Any, Any]:
    """Return a copy of a field that an annotation carries, with what its class says of it."""
    field = copy.copy(field)
    if "default" in options:
        field.default, field.required = options["default"], False
    field.required = field.required and options.get("required", True)
    field.nullable = field.nullable or options.get("nullable", False)
    field.name = field.name or options.get("name")
    field.aliases = field.aliases or options.get("aliases", ())
    return field


def _union(members: Sequence[Any], place: Place, options: dict[str, Any]) -> Field[Any, Any]:
    """Return the field of a union; `X | None = None` is an optional X."""
    rest = [m for m in members if m is not type(None) and m is not msgspec.UnsetType]
    if type(None) in members:
        if options.get("default", MISSING) is None:
            options = {k: v for k, v in options.items() if k != "default"} | {"required": False}
        elif options.get("required", True):
            options = options | {"nullable": True}
    if len(rest) == 1:
        return field_for(rest[0], place, **options)
    if int in rest and float in rest:
        rest.sort(key=lambda member: member is float)  # which takes integers too, as floats
    tags = [struct_tag(member) for member in rest]
    keys = {tag and tag[0] for tag in tags}
    tag = keys.pop() if len(keys) == 1 else None
    return place.make(nesting.OneOf, *(field_for(m, place) for m in rest), tag=tag, **options)


def _container(
    annotation: Any, origin: Any, members: Sequence[Any], place: Place, options: dict[str, Any]
) -> Field[Any, Any] | None:
    if origin is tuple and members and members[-1] is not Ellipsis:
        of = [field_for(member, place) for member in members]
        return place.make(containers.Tuple, *of, **options)
    if origin in _MAPS:
        if members and members[0] not in (str, Any):
            raise SchemaError(
                f"{place.name}: the keys of {annotation!r} must be str, as those of JSON are"
            )
        return place.make(
            containers.Map, field_for(members[1] if members else Any, place), **options
        )
    if origin not in _LISTS and origin not in _COLLECTED:
        return None
    item = field_for(members[0] if members else Any, place)
    if origin in _LISTS:
        return place.make(containers.Array, item, **options)
    if issubclass(origin, abc.Set):
        options["unique"] = True
    return place.make(Collected, origin, item, **options)


class LiteralField(Field[Any, Any]):
    """One of some values, as `typing.Literal` has them."""

    def __init__(self, members: Sequence[Any], **options: Any) -> None:
        super().__init__(**options)
        self.members = tuple(members)
        if len(members) == 1:
            self.constant = members[0]

    def schema(self) -> JSONSchema:
        if len(self.members) == 1:
            return {"const": self.constant}
        kinds = {str: "string", bool: "boolean", int: "integer"}
        found = {kinds.get(type(member)) for member in self.members}
        kind = found.pop() if len(found) == 1 else None
        schema: JSONSchema = {} if kind is None else {"type": kind}
        return {**schema, "enum": list(self.members)}


class Collected(containers.Array[Any, Any]):
    """An array whose items are collected in another class, such as a set."""

    def __init__(self, origin: type[Any], of: Field[Any, Any], **options: Any) -> None:
        super().__init__(of, **options)
        self._origin = origin

    def structure(self, value: Any, /) -> Any:
        try:
            return _COLLECTED[self._origin](value)
        except TypeError:
            raise ValueError("expected items that Python can hash") from None

    def unstructure(self, value: Any, /) -> list[Any]:
        if not isinstance(value, self._origin):
            raise ValueError(f"expected a {self._origin.__name__}")
        return [self.of.to_json(item) for item in value]


class PydanticField(Field[Any, Any]):
    """A type of pydantic's own, such as `EmailStr`, in a model, which checks its values."""

    constraints = STRING_CONSTRAINTS

    def __init__(self, annotation: Any, **options: Any) -> None:
        from pydantic import PydanticSchemaGenerationError, TypeAdapter

        super().__init__(**options)
        try:
            self._adapter: Any = TypeAdapter(annotation)
        except PydanticSchemaGenerationError:
            raise SchemaError(f"there is no field for {annotation!r}") from None

    def schema(self) -> JSONSchema:
        from .dialect import KEYWORDS

        found: JSONSchema = self._adapter.json_schema()
        return {
            name: operand
            for name, operand in found.items()
            if name != "title" and name in KEYWORDS and KEYWORDS[name].complaint(operand) is None
        }

    def unstructure(self, value: Any, /) -> Any:
        return self._adapter.dump_python(value, mode="json")
