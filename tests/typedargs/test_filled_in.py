"""Defaults that a raw schema fills in, where several of its schemas speak of one value."""

import collections
from typing import Any

import pytest

from tests.typedargs.helpers import refusal
from typedargs import compile_schema

A: dict[str, Any] = {"properties": {"a": {"default": 1}}}
B: dict[str, Any] = {"properties": {"b": {"default": 2}}}

FILLED: list[tuple[dict[str, Any], Any, Any]] = [
    ({"allOf": [A, B], "properties": {"c": {"default": 3}}}, {}, {"a": 1, "b": 2, "c": 3}),
    ({**A, "$ref": "#/$defs/b", "$defs": {"b": B}}, {}, {"a": 1, "b": 2}),
    ({"anyOf": [A, B]}, {}, {"a": 1}),
    ({"oneOf": [{**A, "required": ["c"]}, B]}, {}, {"b": 2}),
    ({"if": {"required": ["c"]}, "then": A, "else": B}, {}, {"b": 2}),
    ({"if": {"required": ["c"]}, "then": A, "else": B}, {"c": 3}, {"c": 3, "a": 1}),
    ({"allOf": [{"items": A}, {"items": B}]}, [{}, {"a": 5}], [{"a": 1, "b": 2}, {"a": 5, "b": 2}]),
    (
        {"allOf": [{"properties": {"x": A}}, {"properties": {"x": B}}]},
        {"x": {}},
        {"x": {"a": 1, "b": 2}},
    ),
    ({"properties": {"x": A}, "patternProperties": {"x": B}}, {"x": {}}, {"x": {"a": 1, "b": 2}}),
    ({"allOf": [A, {"properties": {"a": {"default": 9}}}]}, {}, {"a": 1}),
    ({"allOf": [{"type": "number"}, {"type": "integer"}]}, 3.0, 3),
]


@pytest.mark.parametrize(("schema", "value", "filled"), FILLED)
def test_each_schema_fills_in_its_own(schema: dict[str, Any], value: Any, filled: Any) -> None:
    assert compile_schema(schema)(value) == filled


EMPTY = {"maxProperties": 0}

JUDGED: list[tuple[dict[str, Any], Any, Any]] = [
    ({**A, "maxProperties": 0}, {}, {"a": 1}),
    ({"allOf": [A, EMPTY]}, {}, {"a": 1}),
    ({**A, "allOf": [EMPTY]}, {}, {"a": 1}),
    ({**A, "anyOf": [EMPTY]}, {}, {"a": 1}),
    ({**A, "$ref": "#/$defs/e", "$defs": {"e": EMPTY}}, {}, {"a": 1}),
    ({**A, "not": {"required": ["a"]}}, {}, {"a": 1}),
    ({**A, "if": {"required": ["a"]}, "then": False}, {}, {"a": 1}),
    ({"allOf": [{"items": A}, {"uniqueItems": True}]}, [{}, {"a": 1}], [{"a": 1}, {"a": 1}]),
    ({"properties": {"x": A}, "patternProperties": {"x": EMPTY}}, {"x": {}}, {"x": {"a": 1}}),
    ({"properties": {"x": EMPTY}, "patternProperties": {"x": A}}, {"x": {}}, {"x": {"a": 1}}),
    ({"patternProperties": {"x": A, "^x": EMPTY}}, {"x": {}}, {"x": {"a": 1}}),
]


@pytest.mark.parametrize(("schema", "value", "filled"), JUDGED)
def test_a_schema_judges_what_was_sent_and_not_what_is_filled_in(
    schema: dict[str, Any], value: Any, filled: Any
) -> None:
    assert compile_schema(schema)(value) == filled


def test_a_fault_shows_what_was_sent() -> None:
    schema = {**A, "not": {"type": "object"}}
    assert (
        refusal(lambda: compile_schema(schema)({})) == "expected anything but object, got object {}"
    )


@pytest.mark.parametrize("required", [(), ("b",)])
def test_a_dict_of_another_kind_is_filled_in_a_copy(required: tuple[str, ...]) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": 5}, "b": {"type": "number"}},
        "required": list(required),
    }
    given = collections.OrderedDict(b=1.5)
    assert compile_schema(schema)(given) == {"a": 5, "b": 1.5}
    assert given == {"b": 1.5}
