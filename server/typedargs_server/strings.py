"""Arguments that are strings on the wire, a prompt's and a URI's, made into what the schema wants.

"3" for an integer is 3. What is no literal of the wanted type stays the string that it is, so that
the check of the schema names it; nothing else is coerced.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from typedargs import read_literal

from .errors import RegistrationError
from .jsonrpc import MAX_INTEGER_DIGITS, encode

Strings: TypeAlias = Mapping[str, str | Sequence[str]]
"""Values by name, as they stand on the wire; a list is of what is given several times."""

_INTEGER: Final = re.compile(rf"-?(?:0|[1-9][0-9]{{0,{MAX_INTEGER_DIGITS - 1}}})")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CONSTANTS: Final[Mapping[str, tuple[str, object]]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    "null": ("null", None),
}
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_MISSING: Final = object()


def from_strings(
    given: Strings, schema: Mapping[str, Any], aliases: Mapping[str, str]
) -> dict[str, Any]:
    """Return `given` as JSON values of the properties of `schema`; `aliases` are their older keys.

    What is no property stays as it is.
    """
    properties = schema.get("properties", {})
    return {
        key: _value(value, properties.get(aliases.get(key, key), {}))
        for key, value in given.items()
    }


def check_flat(
    label: str, schema: Mapping[str, Any], *, lists: Collection[str] = frozenset()
) -> None:
    """Raise RegistrationError where a property cannot be given as a string.

    Those in `lists` are given as several strings, and must be arrays of such values.
    """
    for name, given in schema.get("properties", {}).items():
        if name in lists:
            if not (
                isinstance(given, Mapping)
                and given.get("type") == "array"
                and _is_scalar(given.get("items"))
            ):
                raise RegistrationError(
                    f"{label}: {name} is given as a list of strings; "
                    "make it an Array of strings, numbers, booleans or enums"
                )
        elif not _is_scalar(given):
            raise RegistrationError(
                f"{label}: {name} is given as a string, which {_kind(given)} cannot be; "
                "make it a string, a number, a boolean or an enum"
            )


def candidates(schema: Mapping[str, Any]) -> list[str]:
    """Return the strings that a property may be given as, where its schema lists them."""
    if schema.get("type") == "array":
        schema = schema["items"]
    listed = _listed(schema)
    if listed is None:
        types = _types(schema)
        listed = [True, False] if types - {"null"} == {"boolean"} else []
    texts = (value if isinstance(value, str) else encode(value).decode() for value in listed)
    return [text for text, value in zip(texts, listed, strict=True) if value is not None]


def _value(given: str | Sequence[str], schema: Any) -> Any:
    if not isinstance(schema, Mapping):
        return given
    if not isinstance(given, str):
        items = schema.get("items", {})
        return [_value(item, items) for item in given]
    listed = _listed(schema)
    if listed is None:
        return _literal(given, _types(schema))
    if given in listed:
        return given
    value = _literal(given, _SCALARS - {"string"})
    fits = any(
        each == value and isinstance(each, bool) == isinstance(value, bool) for each in listed
    )
    return value if fits else given


def _literal(text: str, types: Collection[str]) -> Any:
    """Return the value of one of `types` that `text` writes, or `text` itself."""
    if "string" in types:
        return text
    kind, constant = _CONSTANTS.get(text, ("", _MISSING))
    if kind in types:
        return constant
    if "integer" in types or "number" in types:
        if _INTEGER.fullmatch(text):
            return int(text)
        if _NUMBER.fullmatch(text):
            return _number(text)
    return text


def _number(text: str) -> Any:
    number = read_literal(text)
    if isinstance(number, float):
        return float(number)
    return number if number.is_finite() else text


def _is_scalar(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    listed = _listed(schema)
    if listed is not None:
        return all(value is None or isinstance(value, str | int | float) for value in listed)
    return bool(_types(schema)) and _types(schema) <= _SCALARS


def _listed(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the only values that fit, where the schema lists them."""
    if "const" in schema:
        return [schema["const"]]
    listed: Sequence[Any] | None = schema.get("enum")
    return listed


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    given = schema.get("type", ())
    return frozenset([given] if isinstance(given, str) else given)


def _kind(schema: Any) -> str:
    types = _types(schema) - {"null"} if isinstance(schema, Mapping) else frozenset()
    unfit = sorted(types - _SCALARS)
    return f"an {unfit[0]}" if unfit else f"a value of {msgspec.json.encode(schema).decode():.80}"
