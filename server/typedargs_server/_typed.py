"""The fields of a public attrs class hold what their annotations say, or making one fails.

`@attrs.frozen(field_transformer=typed)` gives each field a validator made from its annotation,
which may be a class, a Literal, a Sequence, a Mapping with names as keys, or a union of them.
"""

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import attrs

_Test = Callable[[Any], bool]

_NAMES: Final[Mapping[Any, str]] = {
    str: "a str",
    int: "an int",
    float: "a number",
    bool: "True or False",
    bytes: "bytes",
    type(None): "None",
}


def typed(_: type, fields: list["attrs.Attribute[Any]"]) -> list["attrs.Attribute[Any]"]:
    """Return the fields, each with a validator that raises TypeError for another type."""
    return [field.evolve(validator=_validator(field.type)) for field in fields]


def require(value: object, annotation: Any, name: str) -> None:
    """Raise TypeError, which names `name`, where `value` is not of the type `annotation`."""
    if not _test(annotation)(value):
        raise TypeError(f"{name} must be {_words(annotation)}, got {value!r:.80}")


def _validator(annotation: Any) -> Callable[[Any, "attrs.Attribute[Any]", Any], None]:
    fits = _test(annotation)

    def validate(instance: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not fits(value):
            require(value, annotation, f"{type(instance).__name__}: {field.name}")

    return validate


def _test(annotation: Any) -> _Test:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return lambda _: True
    if origin is Literal:
        return lambda value: value in arguments
    if origin in (types.UnionType, typing.Union):
        tests = [_test(argument) for argument in arguments]
        return lambda value: any(test(value) for test in tests)
    if origin is Sequence:
        item = _test(arguments[0])
        return lambda value: (
            isinstance(value, Sequence)
            and not isinstance(value, str | bytes)
            and all(item(each) for each in value)
        )
    if origin is Mapping:
        return lambda value: (
            isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
        )
    if annotation in (int, float):
        kinds = (int, float) if annotation is float else int
        return lambda value: isinstance(value, kinds) and not isinstance(value, bool)
    kind = origin or annotation
    return lambda value: isinstance(value, kind)


def _words(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if origin in (types.UnionType, typing.Union):
        return " or ".join(map(_words, arguments))
    if origin is Sequence:
        return f"a list of which each is {_words(arguments[0])}"
    if origin is Mapping:
        return "a dict with strings as keys"
    if annotation in _NAMES:
        return _NAMES[annotation]
    name = (origin or annotation).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
