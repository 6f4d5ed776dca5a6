"""The kinds of classes that users already have: what fields each says it has, how one is made.

What an annotation comes to is the business of `adapt`.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias, get_args, get_origin

import attrs

from ._missing import MISSING
from .errors import Issue, SchemaError, ValidationError, described, path_text
from .nesting import Const

Build: TypeAlias = Callable[[dict[str, Any]], Any]


@attrs.frozen
class Declared:
    """One field of a foreign class: its attribute, its keys on the wire, its annotation."""

    attribute: str
    key: str
    annotation: Any
    default: Any = MISSING
    required: bool = True
    notes: tuple[Any, ...] = ()
    aliases: tuple[str, ...] = ()


@attrs.frozen
class Kind:
    """What is known of all classes of one kind.

    `builder` returns the function that makes an instance from values by attribute.
    """

    fields: Callable[[Any], Iterable[Declared]]
    builder: Callable[[Any], Build]
    forbids: Callable[[Any], bool] = lambda _: False
    """Whether a class refuses unknown keys."""
    checks_itself: bool = False
    """Whether the class enforces all that its annotations say."""


def kind_of(cls: type[Any]) -> Kind | None:
    """Return the kind of `cls`; None where it is an args class, or of no kind that is known."""
    if hasattr(cls, "__args_form__"):
        return None
    return next((kind for is_one, kind in _KINDS if is_one(cls)), None)


def docstring(cls: type[Any]) -> str | None:
    """Return the docstring of the class itself, where its author wrote one."""
    doc = vars(cls).get("__doc__")
    if not isinstance(doc, str) or doc.startswith(f"{cls.__name__}("):  # made by dataclass
        return None
    return inspect.cleandoc(doc) or None


def _hints(cls: type[Any]) -> dict[str, Any]:
    """Return the annotations of `cls`, resolved; the class may name itself wherever it is."""
    try:
        return typing.get_type_hints(cls, localns={cls.__name__: cls}, include_extras=True)
    except (NameError, TypeError) as error:
        raise SchemaError(
            f"{cls.__name__}: an annotation cannot be resolved: {error}; "
            "define what it names in the module of the class"
        ) from None


def _product(factory: Callable[[], Any]) -> Any:
    """Return what `factory` makes, where it is the same each time; else MISSING."""
    first, second = factory(), factory()
    return first if type(first) is type(second) and first == second else MISSING


def _from_keywords(cls: type[Any]) -> Build:
    return lambda values: cls(**values)


# attrs classes.


def _attrs_fields(cls: type[Any]) -> Iterator[Declared]:
    hints = _hints(cls)
    for attribute in attrs.fields(cls):
        if not attribute.init:
            continue
        default: Any = attribute.default
        required = default is attrs.NOTHING
        if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
            default = MISSING if default.takes_self else _product(default.factory)
        elif required:
            default = MISSING
        annotation = hints.get(attribute.name, attribute.type or Any)
        yield Declared(attribute.name, attribute.name, annotation, default, required)


def _attrs_builder(cls: type[Any]) -> Build:
    parameters = {a.name: a.alias or a.name for a in attrs.fields(cls)}
    return lambda values: cls(**{parameters[name]: value for name, value in values.items()})


# Dataclasses.


def _dataclass_fields(cls: type[Any]) -> Iterator[Declared]:
    hints = _hints(cls)
    for name, field in vars(cls).get("__dataclass_fields__", {}).items():
        is_init_only = field._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
        if is_init_only and field.default is dataclasses.MISSING:
            raise SchemaError(f"{cls.__name__}.{name}: an InitVar is no field; give it a default")
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        default: Any = field.default
        required = default is dataclasses.MISSING
        if field.default_factory is not dataclasses.MISSING:
            default, required = _product(field.default_factory), False
        elif required:
            default = MISSING
        yield Declared(field.name, field.name, hints[field.name], default, required)


# TypedDicts.


def is_typed_dict(cls: object) -> bool:
    """Tell whether `cls` is a TypedDict, of `typing` or of `typing_extensions`."""
    return isinstance(cls, type) and issubclass(cls, dict) and hasattr(cls, "__total__")


def _typeddict_fields(cls: Any) -> Iterator[Declared]:
    for key, hint in _hints(cls).items():
        # Where annotations are strings, the class itself does not know its qualifiers.
        said = set(_qualifiers(hint))
        required = key in cls.__required_keys__
        if said & {"Required", "NotRequired"}:
            required = "Required" in said
        yield Declared(key, key, hint, required=required)


def _qualifiers(annotation: Any) -> Iterator[str]:
    origin = get_origin(annotation)
    while origin is typing.Annotated or is_qualifier(origin):
        yield getattr(origin, "_name", "")
        annotation = get_args(annotation)[0]
        origin = get_origin(annotation)


def is_qualifier(origin: Any) -> bool:
    """Tell whether `origin` says something of the field, and nothing of its values."""
    return getattr(origin, "_name", None) in ("Required", "NotRequired", "ReadOnly", "Final")


# NamedTuples.


def _namedtuple_fields(cls: Any) -> Iterator[Declared]:
    hints = _hints(cls)
    for name in cls._fields:
        default = cls._field_defaults.get(name, MISSING)
        yield Declared(name, name, hints.get(name, Any), default, default is MISSING)


# msgspec Structs.


def _struct_fields(cls: Any) -> Iterator[Declared]:
    import msgspec

    tag = struct_tag(cls)
    if tag is not None:
        yield Declared(tag[0], tag[0], str, notes=(Const(tag[1]),))
    hints = _hints(cls)
    for field in msgspec.structs.fields(cls):
        default: Any = field.default
        required = field.required
        if field.default_factory is not msgspec.NODEFAULT:
            default = _product(field.default_factory)
        elif default is msgspec.NODEFAULT or default is msgspec.UNSET:
            default = MISSING
        yield Declared(field.name, field.encode_name, hints[field.name], default, required)


def struct_tag(cls: Any) -> tuple[str, Any] | None:
    """Return the key and the value by which a Struct is told from others, if it has them."""
    config = getattr(cls, "__struct_config__", None)
    if config is None or config.tag is None:
        return None
    return config.tag_field, config.tag


def _struct_builder(cls: Any) -> Build:
    known = frozenset(cls.__struct_fields__)
    return lambda values: cls(**{name: value for name, value in values.items() if name in known})


# pydantic models and dataclasses.


def _pydantic_fields(cls: Any) -> Iterator[Declared]:
    for name, info in cls.__pydantic_fields__.items():
        required = info.is_required()
        default: Any = MISSING
        if info.default_factory is not None:
            if not info.default_factory_takes_validated_data:
                default = _product(info.default_factory)
        elif not required:
            default = info.default
        alias: Any = info.validation_alias or info.alias
        choices: list[Any] = getattr(alias, "choices", [alias])
        keys = [choice for choice in choices if isinstance(choice, str)] or [name]
        notes = (*info.metadata, info)
        yield Declared(name, keys[0], info.annotation, default, required, notes, tuple(keys[1:]))


def _pydantic_builder(cls: Any) -> Build:
    from pydantic import TypeAdapter
    from pydantic import ValidationError as Refused

    validate = TypeAdapter(cls).validate_python
    keys = {declared.attribute: declared.key for declared in _pydantic_fields(cls)}

    def build(values: dict[str, Any]) -> Any:
        try:
            return validate(values, by_alias=False, by_name=True)
        except Refused as error:
            raise ValidationError(map(issue, error.errors())) from None

    def issue(fault: Mapping[str, Any]) -> Issue:
        path: list[str | int] = list(fault["loc"])
        path[:1] = [keys.get(str(step), step) for step in path[:1]]
        message = str(fault.get("ctx", {}).get("error", fault["msg"]))
        if path:
            message += f", got {described(fault['input'])}"
        return Issue(path_text(path), message, "class", "")

    return build


def _is_pydantic(cls: Any) -> bool:
    root_model = getattr(sys.modules.get("pydantic"), "RootModel", ())
    return hasattr(cls, "__pydantic_fields__") and not issubclass(cls, root_model)


_KINDS: Final[tuple[tuple[Callable[[Any], bool], Kind], ...]] = (
    (is_typed_dict, Kind(_typeddict_fields, _from_keywords)),
    (attrs.has, Kind(_attrs_fields, _attrs_builder)),
    (
        lambda cls: hasattr(cls, "__struct_fields__"),
        Kind(_struct_fields, _struct_builder, lambda c: c.__struct_config__.forbid_unknown_fields),
    ),
    (
        _is_pydantic,
        Kind(
            _pydantic_fields,
            _pydantic_builder,
            lambda c: getattr(c, "model_config", {}).get("extra") == "forbid",
            checks_itself=True,
        ),
    ),
    (dataclasses.is_dataclass, Kind(_dataclass_fields, _from_keywords)),
    (
        lambda cls: issubclass(cls, tuple) and hasattr(cls, "_field_defaults"),
        Kind(_namedtuple_fields, _from_keywords),
    ),
)
