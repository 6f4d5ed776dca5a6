"""Classes that users already have, as args classes: the same lean schema, and their own instances.

attrs classes, dataclasses, TypedDicts, NamedTuples, pydantic models and msgspec Structs. Their
annotations become fields; the instance is made by the class itself, with its own defaults.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
import sys
import types
import typing
import uuid
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, Final, Literal, Union, get_args, get_origin
from weakref import WeakKeyDictionary

import attrs

from . import containers, fields, nesting, values
from ._field import Field
from ._missing import MISSING
from ._spec import ArgsSpec, FieldEntry, check_keys, entry_of
from .conversion import Form
from .dialect import JSONSchema
from .errors import SchemaError

_SCALARS: Final[Mapping[Any, type[Field[Any, Any]]]] = {
    str: fields.String,
    int: fields.Integer,
    float: fields.Double,
    bool: fields.Boolean,
    bytes: values.Bytes,
    datetime.date: values.Date,
    datetime.time: values.Time,
    datetime.datetime: values.DateTime,
    datetime.timedelta: values.Duration,
    decimal.Decimal: values.Decimal,
    uuid.UUID: values.UUID,
    pathlib.Path: values.Path,
    Any: values.Json,
    object: values.Json,
}
_OPTIONS: Final[Mapping[str, str]] = {
    "ge": "minimum",
    "gt": "exclusive_minimum",
    "le": "maximum",
    "lt": "exclusive_maximum",
    "multiple_of": "multiple_of",
    "min_length": "min_length",
    "max_length": "max_length",
    "pattern": "pattern",
    "description": "description",
    "title": "title",
    "examples": "examples",
}
"""What annotations carry, as annotated-types, pydantic and msgspec name it; our option for it."""


@attrs.frozen
class Declared:
    """One field of a foreign class: its attribute, its key on the wire, its annotation."""

    attribute: str
    key: str
    annotation: Any
    default: Any = MISSING
    required: bool = True
    notes: tuple[Any, ...] = ()


_FORMS: Final[MutableMapping[type[Any], Form]] = WeakKeyDictionary()


def is_foreign(cls: object) -> bool:
    """Tell whether `cls` is a class of a kind that is adapted."""
    return isinstance(cls, type) and _kind(cls) is not None


def adapted(cls: type[Any]) -> Form:
    """Return the form of a foreign class; raises SchemaError where its fields have no schema."""
    form = _FORMS.get(cls)
    if form is None:
        kind = _kind(cls)
        if kind is None:
            raise SchemaError(f"{cls!r} is no class whose fields are known")
        entries = tuple(_entry(cls, declared) for declared in kind(cls))
        check_keys(cls.__name__, entries)
        spec = ArgsSpec(cls.__name__, entries, description=_docstring(cls))
        form = _FORMS[cls] = Form(spec, cls, build=_builder(cls, entries))
    return form


def _entry(cls: type[Any], declared: Declared) -> FieldEntry:
    name = f"{cls.__name__}.{declared.attribute}"
    options: dict[str, Any] = {}
    if declared.key != declared.attribute:
        options["name"] = declared.key
    if declared.default is not MISSING:
        options["default"] = declared.default
    elif not declared.required:
        options["required"] = False
    field = field_for(declared.annotation, name, declared.notes, **options)
    return entry_of(cls, declared.attribute, field)


def field_for(
    annotation: Any, where: str, notes: Sequence[Any] = (), /, **options: Any
) -> Field[Any, Any]:
    """Return the field for an annotation; raises SchemaError, with `where`, if there is none."""
    while hasattr(annotation, "__value__"):
        annotation = annotation.__value__  # a `type` alias
    if get_origin(annotation) is typing.Annotated:
        annotation, *more = get_args(annotation)
        return field_for(annotation, where, (*notes, *more), **options)
    for note in notes:
        if isinstance(note, Field):
            return note
        for attribute, option in _OPTIONS.items():
            value = getattr(note, attribute, None)
            if value is not None and not callable(value):
                options.setdefault(option, value)
    members = get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return _union(members, where, options)
    if get_origin(annotation) is Literal:
        return LiteralField(members, **options)
    scalar = _SCALARS.get(annotation)
    if scalar is not None:
        return scalar(**options)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return fields.Enum(annotation, **options)
    container = _container(
        annotation, get_origin(annotation) or annotation, members, where, options
    )
    if container is not None:
        return container
    if is_foreign(annotation) or hasattr(annotation, "__args_form__"):
        # By a function: a class may hold itself, and has no form while its own is being made.
        return nesting.Nested(lambda: annotation, **options)
    raise SchemaError(
        f"{where}: there is no field for {annotation!r}; "
        "annotate it as Annotated[..., a field], or write an MCPArgs class"
    )


def _union(members: Sequence[Any], name: str, options: dict[str, Any]) -> Field[Any, Any]:
    """Return the field of a union; `X | None = None` is an optional X."""
    rest = [member for member in members if member is not type(None)]
    if len(rest) < len(members):
        if options.get("default", MISSING) is None:
            options = {k: v for k, v in options.items() if k != "default"} | {"required": False}
        elif options.get("required", True):
            options = options | {"nullable": True}
    if len(rest) == 1:
        return field_for(rest[0], name, **options)
    return nesting.OneOf(*(field_for(member, name) for member in rest), **options)


def _container(
    annotation: Any, origin: Any, members: Sequence[Any], name: str, options: dict[str, Any]
) -> Field[Any, Any] | None:
    if not isinstance(origin, type) or is_foreign(origin):
        return None
    sizes = {"min_length": "min_items", "max_length": "max_items"}
    options = {sizes.get(option, option): value for option, value in options.items()}
    if issubclass(origin, tuple) and members and members[-1] is not Ellipsis:
        return containers.Tuple(*(field_for(member, name) for member in members), **options)
    if issubclass(origin, set | frozenset | tuple):
        unique = not issubclass(origin, tuple)
        of = field_for(members[0] if members else Any, name)
        return Collected(origin, of, **options, **({"unique": True} if unique else {}))
    if issubclass(origin, Mapping):
        if members and members[0] is not str:
            raise SchemaError(
                f"{name}: the keys of {annotation!r} must be str, as those of JSON are"
            )
        return containers.Map(field_for(members[1] if members else Any, name), **options)
    if issubclass(origin, Sequence) or origin in (typing.Iterable,):
        return containers.Array(field_for(members[0] if members else Any, name), **options)
    return None


class LiteralField(Field[Any, Any]):
    """One of some values, as `typing.Literal` has them."""

    def __init__(self, members: Sequence[Any], **options: Any) -> None:
        super().__init__(**options)
        self.members = tuple(members)

    def schema(self) -> JSONSchema:
        kinds = {str: "string", bool: "boolean", int: "integer"}
        found = {kinds.get(type(member)) for member in self.members}
        kind = found.pop() if len(found) == 1 else None
        schema: JSONSchema = {} if kind is None else {"type": kind}
        return {**schema, "enum": list(self.members)}


class Collected(containers.Array[Any, Any]):
    """An array whose items are collected in another class, such as a set."""

    def __init__(self, collection: type[Any], of: Field[Any, Any], **options: Any) -> None:
        super().__init__(of, **options)
        self._collection = collection

    @property
    def from_json(self) -> Callable[[Any], Any]:
        return self._collection

    def unstructure(self, value: Any, /) -> list[Any]:
        if not isinstance(value, self._collection):
            raise ValueError(f"expected a {self._collection.__name__}")
        return [self.of.to_json(item) for item in value]


def _builder(cls: type[Any], entries: tuple[FieldEntry, ...]) -> Callable[[dict[str, Any]], Any]:
    if "pydantic" in sys.modules and issubclass(cls, sys.modules["pydantic"].BaseModel):
        return _pydantic_builder(cls)
    if not attrs.has(cls):
        return lambda values: cls(**values)
    aliases = {entry.attribute: _attrs_alias(cls, entry.attribute) for entry in entries}
    return lambda values: cls(**{aliases[name]: value for name, value in values.items()})


def _pydantic_builder(cls: Any) -> Callable[[dict[str, Any]], Any]:
    from pydantic import ValidationError as Refused

    def build(values: dict[str, Any]) -> Any:
        try:
            return cls.model_validate(values, by_alias=False, by_name=True)
        except Refused as error:
            faults = [(*map(str, fault["loc"]), fault["msg"]) for fault in error.errors()]
            raise ValueError("; ".join(": ".join(fault) for fault in faults)) from None

    return build


def _attrs_alias(cls: type[Any], attribute: str) -> str:
    alias: str = getattr(attrs.fields_dict(cls)[attribute], "alias", attribute)
    return alias


def _docstring(cls: type[Any]) -> str | None:
    import inspect

    doc = vars(cls).get("__doc__")
    if not isinstance(doc, str) or doc.startswith(f"{cls.__name__}("):  # made by dataclass
        return None
    return inspect.cleandoc(doc) or None


# The kinds of classes, each with the function that gives its fields.


def _hints(cls: type[Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise SchemaError(f"{cls.__name__}: an annotation cannot be resolved: {error}") from None


def _attrs_fields(cls: type[Any]) -> Iterator[Declared]:
    hints = _hints(cls)
    for attribute in attrs.fields(cls):
        if attribute.init:
            default = attribute.default
            if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
                default = MISSING if default.takes_self else default.factory()
                optional = True
            else:
                optional = default is not attrs.NOTHING
                default = default if optional else MISSING
            annotation = hints.get(attribute.name, Any)
            yield Declared(attribute.name, attribute.name, annotation, default, not optional)


def _dataclass_fields(cls: type[Any]) -> Iterator[Declared]:
    hints = _hints(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            given = default is not dataclasses.MISSING
            yield Declared(
                field.name, field.name, hints[field.name], default if given else MISSING, not given
            )


def _typeddict_fields(cls: Any) -> Iterator[Declared]:
    for key, hint in _hints(cls).items():
        annotation = hint
        while get_origin(annotation) in (typing.Required, typing.NotRequired):
            (annotation,) = get_args(annotation)
        yield Declared(key, key, annotation, required=key in cls.__required_keys__)


def _namedtuple_fields(cls: Any) -> Iterator[Declared]:
    hints = _hints(cls)
    for name in cls._fields:
        default = cls._field_defaults.get(name, MISSING)
        yield Declared(name, name, hints.get(name, Any), default)


def _pydantic_fields(cls: Any) -> Iterator[Declared]:
    for name, info in cls.model_fields.items():
        default = MISSING if info.is_required() else info.get_default(call_default_factory=True)
        alias = info.validation_alias if isinstance(info.validation_alias, str) else info.alias
        notes = (*info.metadata, info)
        yield Declared(name, alias or name, info.annotation, default, notes=notes)


def _struct_fields(cls: Any) -> Iterator[Declared]:
    import msgspec

    hints = _hints(cls)
    for field in msgspec.structs.fields(cls):
        default: Any = MISSING if field.default is msgspec.NODEFAULT else field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        yield Declared(field.name, field.encode_name, hints[field.name], default)


def _kind(cls: type[Any]) -> Callable[[Any], Iterator[Declared]] | None:
    if hasattr(cls, "__args_form__"):
        return None
    if typing.is_typeddict(cls):
        return _typeddict_fields
    if "__attrs_attrs__" in vars(cls):
        return _attrs_fields
    if hasattr(cls, "__struct_fields__"):
        return _struct_fields
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_fields"):
        return _pydantic_fields
    if dataclasses.is_dataclass(cls):
        return _dataclass_fields
    if issubclass(cls, tuple) and hasattr(cls, "_field_defaults"):
        return _namedtuple_fields
    return None
