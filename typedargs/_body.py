"""What a class body declares: its fields and rules, and the mistakes that can be made there.

Reads a class with its bases in the order of the MRO; makes nothing of it, which `args` does.
"""

import inspect
import keyword
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Union, get_args, get_origin

from ._field import Field
from ._spec import FieldEntry, entry_of
from .errors import SchemaError, shown
from .fields import Boolean, Double, Enum, Integer, String
from .rules import FieldRef, Rule

_FIELD_FOR: Final[Mapping[str, type[Field[Any, Any]]]] = {
    "float": Double,
    "int": Integer,
    "str": String,
    "bool": Boolean,
}

_FITTING: Final[Mapping[type[Field[Any, Any]], frozenset[str]]] = {
    Double: frozenset({"float"}),
    Integer: frozenset({"int", "float"}),
    String: frozenset({"str"}),
    Boolean: frozenset({"bool", "int", "float"}),
}
"""The plain annotations that do not contradict a field; others than plain ones are not judged."""

_OPTIONAL_TEXT: Final = r"(?:typing\.|t\.)?Optional\[(\w+)\]|(\w+)\s*\|\s*None"
_CLASS_VAR_TEXT: Final = r"\s*(?:typing\.|t\.)?ClassVar\b"


def fields_of(cls: type, inherited: Iterable[FieldEntry]) -> tuple[FieldEntry, ...]:
    """Return the fields of `cls`, its bases' first; an overridden one stands in its old place.

    `inherited` are entries that its bases have made already. Raises SchemaError for what looks
    like a field and is none, and for a field that is not sound.
    """
    known = {(id(entry.field), entry.attribute): entry for entry in inherited}
    found: dict[str, FieldEntry] = {}
    for base in reversed(cls.__mro__):
        for attribute, value in vars(base).items():
            if isinstance(value, Field):
                entry = known.get((id(value), attribute))
                if entry is None:
                    _check_attribute(base, attribute)
                    entry = entry_of(cls, attribute, value)
                found[attribute] = entry
            elif attribute in found:
                if value is not None:
                    raise SchemaError(
                        f"{cls.__name__}.{attribute} hides a field of a base class; "
                        "give it another name, or set it to None to remove the field"
                    )
                del found[attribute]
            else:
                _check_no_field(base, attribute, value)
    for base in cls.__mro__:
        if base is cls or (not isinstance(base, type(cls)) and _has_field(base)):
            _check_annotations(base, found)
    return tuple(found.values())


def rules_of(cls: type) -> list[Rule]:
    """Return the rules of `cls`, its bases' first; a base's rule goes where its name is reused."""
    found: dict[str, Rule] = {}
    for base in reversed(cls.__mro__):
        for attribute, value in vars(base).items():
            found.pop(attribute, None)
            if isinstance(value, Rule):
                found[attribute] = value
    return list(found.values())


def finder(
    entries: tuple[FieldEntry, ...],
) -> Callable[[FieldRef], tuple[str, Field[Any, Any]] | None]:
    """Return the function from a rule's reference to the key and the field that it means.

    A field of a base class means the one that overrides it.
    """

    by_field = {id(entry.field): entry for entry in entries}
    by_name = {entry.attribute: entry for entry in entries}

    def find(reference: FieldRef) -> tuple[str, Field[Any, Any]] | None:
        name = reference if isinstance(reference, str) else reference.attribute
        entry = by_field.get(id(reference)) or by_name.get(name)
        return None if entry is None else (entry.key, entry.field)

    return find


def docstring_of(cls: type) -> str | None:
    """Return the docstring of `cls` itself, which its schema publishes."""
    doc = vars(cls).get("__doc__")
    return inspect.cleandoc(doc) if isinstance(doc, str) and doc.strip() else None


def _has_field(cls: type) -> bool:
    return any(isinstance(value, Field) for value in vars(cls).values())


def _check_attribute(cls: type, attribute: str) -> None:
    """Raise SchemaError where `attribute` cannot name a field in Python's classes."""
    good: object = attribute.isidentifier() and not keyword.iskeyword(attribute)
    if good and not attribute.startswith(("__", f"_{cls.__name__.lstrip('_')}__")):
        return
    why = "Python gives names with two underscores a meaning" if good else "it is no Python name"
    raise SchemaError(
        f"{cls.__name__}.{attribute} cannot be a field: {why}; "
        f"call it something else, with name={shown(attribute)}"
    )


def _check_no_field(cls: type, attribute: str, value: object) -> None:
    """Raise SchemaError for what was meant to be a field, and by a slip is none."""
    if isinstance(value, type) and issubclass(value, Field) and value.__name__ != attribute:
        raise SchemaError(
            f"{cls.__name__}.{attribute} is the class {value.__name__}; "
            f"write {attribute} = {value.__name__}()"
        )
    if isinstance(value, type) and value.__name__ in _FIELD_FOR and value.__module__ == "builtins":
        raise SchemaError(
            f"{cls.__name__}.{attribute} is the type {value.__name__}; "
            f"write {attribute} = {_FIELD_FOR[value.__name__].__name__}()"
        )
    foreign = ("attr.", "pydantic.fields", "dataclasses")
    if type(value).__module__.startswith(foreign) and not attribute.startswith("__"):
        raise SchemaError(
            f"{cls.__name__}.{attribute} is a field of another library; "
            f"write {attribute} = String() or the like"
        )
    if isinstance(value, tuple) and any(isinstance(item, Field) for item in value):
        raise SchemaError(
            f"{cls.__name__}.{attribute} is a tuple that holds a field; "
            "is there a comma after its closing parenthesis?"
        )


def _check_annotations(cls: type, found: Mapping[str, FieldEntry]) -> None:
    """Raise SchemaError for an annotation without a field, or one that contradicts its field."""
    for attribute, annotation in _annotations(cls).items():
        value = vars(cls).get(attribute)
        if isinstance(value, Field):
            _check_annotation(cls, attribute, annotation, found.get(attribute))
        elif not _is_class_var(annotation) and not _inherits_field(cls, attribute):
            kind = _FIELD_FOR.get(_plain_annotation(annotation)[0], String).__name__
            example = f"{kind}()" if value is None else f"{kind}(default={value!r})"
            raise SchemaError(
                f"{cls.__name__}.{attribute} is annotated but is no field; "
                f"write {attribute} = {example} or the like, or annotate it as a ClassVar"
            )


def _annotations(cls: type) -> Mapping[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def _check_annotation(
    cls: type, attribute: str, annotation: object, entry: FieldEntry | None
) -> None:
    name, has_none = _plain_annotation(annotation)
    if entry is None or name not in _FIELD_FOR:
        return
    field = entry.field
    if isinstance(field, Enum):
        fitting = frozenset({"str"}) if field.from_json is None else frozenset(_FIELD_FOR)
    else:
        fitting = _FITTING.get(type(field), frozenset(_FIELD_FOR))
    if name not in fitting:
        raise SchemaError(
            f"{cls.__name__}.{attribute} is annotated as {name}, which "
            f"{type(field).__name__} never is; change the one or the other"
        )
    if not has_none and (entry.absent is None or field.nullable):
        raise SchemaError(f"{cls.__name__}.{attribute} may be None; annotate it as {name} | None")


def _plain_annotation(annotation: object) -> tuple[str, bool]:
    """Return the name that an annotation is, or is beside None, and whether None is there.

    The name is empty where the annotation is anything else.
    """
    if isinstance(annotation, str):
        match = re.fullmatch(_OPTIONAL_TEXT, annotation.strip())
        return (match[1] or match[2], True) if match else (annotation.strip(), False)
    if isinstance(annotation, type):
        return annotation.__name__, False
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1 and isinstance(members[0], type):
            return members[0].__name__, True
    return "", False


def _is_class_var(annotation: object) -> bool:
    if isinstance(annotation, str):
        return re.match(_CLASS_VAR_TEXT, annotation) is not None
    return ClassVar in (annotation, typing.get_origin(annotation))


def _inherits_field(cls: type, attribute: str) -> bool:
    return any(isinstance(vars(base).get(attribute), Field) for base in cls.__mro__[1:])
