"""The fields of a public attrs class hold what their annotations say, or making one fails.

An annotation may be a class, a Literal, a Sequence, a Mapping with names as keys, or a union of
them.
"""

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import attrs

HINT: Final = "hint"
"""The key of a field's metadata that holds what to give instead of a wrong value."""

_Test = Callable[[Any], bool]

_TEXTS: Final = (str, bytes)
_NAMES: Final[Mapping[Any, str]] = {
    str: "a str",
    int: "an int",
    float: "a number",
    bool: "True or False",
    bytes: "bytes",
    type(None): "None",
}


def typed(_: type, fields: list[Any]) -> list[Any]:
    """Have each of the fields refuse, by a TypeError, what its annotation does not say."""
    for field in fields:
        if not field.inherited and not _is_anything(field.type):
            # In place: a copy of each would cost more.
            object.__setattr__(field, "validator", _Fits(field.type))
    return fields


class Value:
    """The base of the classes that are `@attrs.frozen(field_transformer=typed, eq=False, ...)`.

    What attrs would write for each class stands here once for all: a server starts sooner so.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = _compared(type(self))
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        return hash((type(self), *[getattr(self, name) for name in _compared(type(self))]))

    def __repr__(self) -> str:
        shown = [f"{f.name}={getattr(self, f.name)!r}" for f in _fields(type(self)) if f.repr]
        return f"{type(self).__qualname__.rpartition('>.')[2]}({', '.join(shown)})"


def _fields(cls: Any) -> tuple["attrs.Attribute[Any]", ...]:
    fields: tuple[attrs.Attribute[Any], ...] = attrs.fields(cls)
    return fields


def _compared(cls: Any) -> list[str]:
    return [field.name for field in _fields(cls) if field.eq]


class _Fits:
    """The validator of a field, which makes its test when it is first asked."""

    __slots__ = ("_annotation", "_test")

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation
        self._test: _Test | None = None

    def __call__(self, instance: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if self._test is None:
            self._test = _test(self._annotation)
        if not self._test(value):
            owner = type(instance).__name__
            require(value, self._annotation, f"{owner}: {field.name}", _hint(field))


def require(value: object, annotation: Any, name: str, hint: str = "") -> None:
    """Raise TypeError, which names `name`, where `value` is not of the type `annotation`."""
    if not _test(annotation)(value):
        raise TypeError(f"{name} must be {_words(annotation)}, got {value!r:.80}{hint}")


def a_kind(value: object) -> str:
    """Return the name of the type of `value` with its article, as in "an int"."""
    return _with_article(type(value).__name__)


def _hint(field: "attrs.Attribute[Any]") -> str:
    hint = field.metadata.get(HINT)
    return "" if hint is None else f"; {hint}"


def _test(annotation: Any) -> _Test:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if _is_anything(annotation):
        return lambda _: True
    if origin is Literal:
        return lambda value: value in arguments
    if is_union(annotation):
        return _any(arguments)
    if origin is Sequence:
        item = _test(arguments[0])
        return lambda value: (
            (type(value) is list or (isinstance(value, Sequence) and not isinstance(value, _TEXTS)))
            and all(map(item, value))
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


def _is_anything(annotation: Any) -> bool:
    return annotation is Any or (is_union(annotation) and Any in typing.get_args(annotation))


def is_union(annotation: object) -> bool:
    """Tell whether an annotation is a union, written in either way."""
    return typing.get_origin(annotation) in (types.UnionType, typing.Union)


def _any(annotations: Sequence[Any]) -> _Test:
    """Return the test of a union; its classes are one tuple, and cost one look."""
    plain = [each for each in annotations if isinstance(each, type) and each not in (int, float)]
    kinds = tuple(plain)
    tests = [_test(each) for each in annotations if each not in plain]
    if not tests:
        return lambda value: isinstance(value, kinds)
    return lambda value: isinstance(value, kinds) or any(test(value) for test in tests)


def _words(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " or ".join(map(repr, arguments))
    if is_union(annotation):
        return " or ".join(map(_words, arguments))
    if origin is Sequence:
        return f"a list of which each is {_words(arguments[0])}"
    if origin is Mapping:
        return "a dict with strings as keys"
    if annotation in _NAMES:
        return _NAMES[annotation]
    return _with_article((origin or annotation).__name__)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
