"""Two schemas that both have to hold, written as one."""

from collections.abc import Callable, Mapping
from typing import Final

from ..anyschema import Json, Schema, member, same_as, strings


def merged(one: Schema, other: Schema) -> tuple[Schema, list[str]]:
    """Return a schema that says what both say, and the keywords of which only one could be kept.

    What one says of a value, as title or description, counts more than what the other says.
    """
    made: dict[str, Json] = dict(one)
    clashes: list[str] = []
    for keyword, operand in other.items():
        if keyword not in made or same_as(made[keyword]) == same_as(operand):
            made[keyword] = operand
        elif keyword in ("properties", "patternProperties", "$defs"):
            made[keyword], inner = _keys(member(made, keyword), member(other, keyword))
            clashes += inner
        elif (join := _JOINS.get(keyword)) is not None:
            made[keyword] = join(made[keyword], operand)
        elif keyword not in _NOTES:
            clashes.append(keyword)
    return made, clashes


_NOTES: Final = frozenset({"title", "description", "default", "examples", "$comment", "$schema"})


def _keys(one: dict[str, Json], other: dict[str, Json]) -> tuple[dict[str, Json], list[str]]:
    made, clashes = dict(one), list[str]()
    for key, each in other.items():
        mine = made.get(key, {})
        if isinstance(mine, dict) and isinstance(each, dict):
            whole, inner = merged(mine, each)
            made[key] = dict(whole)
            clashes += inner
        else:
            made[key] = each if mine is True else mine
    return made, clashes


def _all_strings(one: Json, other: Json) -> Json:
    return [*dict.fromkeys([*strings(one), *strings(other)])]


def _common_types(one: Json, other: Json) -> Json:
    names, others = strings(one), strings(other)
    found = [name for name in names if name in others]
    # Of a number and an integer, the integer is what both take.
    either = {*names, *others}
    if {"integer", "number"} <= either and "integer" not in found:
        found.append("integer")
    return found[0] if len(found) == 1 else [*found] or one


def _common_values(one: Json, other: Json) -> Json:
    if not isinstance(one, list) or not isinstance(other, list):
        return one
    kept = {same_as(each) for each in other}
    return [each for each in one if same_as(each) in kept]


def _the(choose: Callable[..., Json]) -> Callable[[Json, Json], Json]:
    def join(one: Json, other: Json) -> Json:
        try:
            return choose(one, other)
        except TypeError:
            return one

    return join


_GREATEST: Final = _the(max)
_LEAST: Final = _the(min)

_JOINS: Final[Mapping[str, Callable[[Json, Json], Json]]] = {
    "required": _all_strings,
    "type": _common_types,
    "enum": _common_values,
    "additionalProperties": lambda one, other: False if False in (one, other) else one,
    "uniqueItems": lambda one, other: one is True or other is True,
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _GREATEST
    ),
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _LEAST
    ),
}
"""How two operands of a keyword become one that asks for both."""
