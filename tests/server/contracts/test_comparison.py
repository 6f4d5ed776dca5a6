"""What a change of a schema does to those who send values to it, and to those who read them.

Each row: the old schema, the new one, and the changes found, as `callers/readers path: words`.
"""

from typing import Any

import pytest

from typedargs_server.contracts import Verdict, compare_schemas
from typedargs_server.contracts.comparison import MAX_STEPS

SHORT = {Verdict.BREAKS: "breaks", Verdict.MAY_BREAK: "may break", Verdict.FINE: "fine"}


def changes(old: Any, new: Any) -> list[str]:
    return [
        f"{SHORT[each.callers]}/{SHORT[each.readers]} {each.path}: {each.message}".replace(
            " :", ":"
        )
        for each in compare_schemas(old, new)
    ]


def obj(properties: dict[str, Any] | None = None, /, **keywords: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties or {}, **keywords}


S: dict[str, Any] = {"type": "string"}
I: dict[str, Any] = {"type": "integer"}  # noqa: E741
N: dict[str, Any] = {"type": "number"}
NULL: dict[str, Any] = {"type": "null"}
A = obj({"a": S})

OBJECTS = {
    "nothing changed": (A, obj({"a": S}), []),
    "an optional key added": (A, obj({"a": S, "b": I}), ["fine/fine .b: added"]),
    "a required key added": (
        A,
        obj({"a": S, "b": I}, required=["b"]),
        ["breaks/fine .b: added, and required"],
    ),
    "a key removed": (
        obj({"a": S, "b": I}),
        A,
        ["may break/breaks .b: removed; what is sent is ignored"],
    ),
    "a key removed, and refused": (
        obj({"a": S, "b": I}, additionalProperties=False),
        obj({"a": S}, additionalProperties=False),
        ["breaks/breaks .b: removed; the key is refused now"],
    ),
    "a key added where it was refused": (
        obj({"a": S}, additionalProperties=False),
        obj({"a": S, "b": I}, additionalProperties=False),
        ["fine/breaks .b: added; the key was refused before"],
    ),
    "a required key added where it was refused": (
        obj({"a": S}, additionalProperties=False),
        obj({"a": S, "b": I}, additionalProperties=False, required=["b"]),
        ["breaks/breaks .b: added, and required; the key was refused before"],
    ),
    "a key becomes required": (A, obj({"a": S}, required=["a"]), ["breaks/fine .a: now required"]),
    "a key becomes optional": (
        obj({"a": S}, required=["a"]),
        A,
        ["fine/breaks .a: no longer required"],
    ),
    "an undeclared key becomes required": (
        A,
        obj({"a": S}, required=["z"]),
        ["breaks/fine .z: now required"],
    ),
    "a declared key was required undeclared": (
        obj({"a": S}, required=["b"]),
        obj({"a": S, "b": I}, required=["b"]),
        ["fine/fine .b: added"],
    ),
    "the object is closed": (
        A,
        obj({"a": S}, additionalProperties=False),
        ["breaks/fine: undeclared keys are refused now"],
    ),
    "the object is opened": (
        obj({"a": S}, additionalProperties=False),
        A,
        ["fine/breaks: undeclared keys are accepted now"],
    ),
    "the values of a map change": (
        obj(additionalProperties=I),
        obj(additionalProperties=N),
        ["fine/breaks .*: type integer -> number"],
    ),
    "an open object becomes a map": (
        {"type": "object"},
        {"type": "object", "additionalProperties": S},
        ["breaks/fine .*: type any -> string"],
    ),
    "a key declared that a map had": (
        obj(additionalProperties=N),
        obj({"a": I}, additionalProperties=N),
        ["breaks/fine .a: type number -> integer"],
    ),
    "a key removed that a map still has": (
        obj({"a": I}, additionalProperties=N, required=["a"]),
        obj(additionalProperties=N),
        ["fine/breaks .a: type integer -> number", "fine/breaks .a: no longer required"],
    ),
    "an argument without declared keys gets some": (
        obj({"a": {"type": "object"}}),
        obj({"a": obj({"b": S})}),
        ["breaks/fine .a.b: type any -> string"],
    ),
    "a tool without arguments gets one": (
        {"type": "object"},
        obj({"a": S}),
        ["fine/fine .a: added"],
    ),
    "a pattern of keys added to an open object": (
        A,
        obj({"a": S}, patternProperties={"^x": I}),
        ["breaks/fine ./^x/: keys of this pattern added"],
    ),
    "a pattern of keys added to a closed object": (
        obj({"a": S}, additionalProperties=False),
        obj({"a": S}, additionalProperties=False, patternProperties={"^x": I}),
        ["fine/breaks ./^x/: keys of this pattern added"],
    ),
    "a pattern of keys removed from a closed object": (
        {"additionalProperties": False, "patternProperties": {"^x": I}},
        {"additionalProperties": False},
        ["breaks/fine ./^x/: keys of this pattern removed"],
    ),
    "a pattern of keys among others": (
        {"additionalProperties": I, "patternProperties": {"^x": I}},
        {"additionalProperties": I},
        ["may break/may break ./^x/: keys of this pattern removed"],
    ),
    "the values of a pattern of keys": (
        {"patternProperties": {"^x": I}},
        {"patternProperties": {"^x": N}},
        ["fine/breaks ./^x/: type integer -> number"],
    ),
    "a declared key that a pattern had": (
        {"patternProperties": {"^x": I}},
        {"patternProperties": {"^x": I}, "properties": {"xa": {"minimum": 1}}},
        ["breaks/fine .xa: a condition (allOf) added"],
    ),
    "names of keys": (
        {"propertyNames": {"maxLength": 3}},
        {"propertyNames": {"maxLength": 2}},
        ["breaks/fine .(keys): maxLength 3 -> 2"],
    ),
    "a key that depends on another": (
        A,
        obj({"a": S}, dependentRequired={"a": ["b"]}),
        ['breaks/fine: "a" now needs "b" beside it'],
    ),
    "a key that no longer depends on another": (
        obj({"a": S}, dependentRequired={"a": ["b", "c"]}),
        obj({"a": S}, dependentRequired={"a": ["c"]}),
        ['fine/breaks: "a" no longer needs "b" beside it'],
    ),
    "a key that is no identifier": (
        obj({"a b": S}),
        obj({"a b": I}),
        ['breaks/breaks ["a b"]: type string -> integer'],
    ),
    "deep within": (
        obj({"a": {"type": "array", "items": obj({"b": S})}}),
        obj({"a": {"type": "array", "items": obj({"b": {"type": ["string", "null"]}})}}),
        ["fine/breaks .a[].b: type string -> string | null"],
    ),
}

VALUES = {
    "one of the types gone": (
        {"type": ["string", "null"]},
        S,
        ["breaks/fine: type string | null -> string"],
    ),
    "another type": (S, I, ["breaks/breaks: type string -> integer"]),
    "an integer becomes a number": (I, N, ["fine/breaks: type integer -> number"]),
    "a type where there was none": ({}, S, ["breaks/fine: type any -> string"]),
    "a type that the values had anyway": ({"enum": ["a"]}, {"enum": ["a"], "type": "string"}, []),
    "a value gone": (
        {"enum": ["a", "b"]},
        {"enum": ["b"]},
        ['breaks/fine: value removed: "a"'],
    ),
    "values added": (
        {"enum": ["a"]},
        {"enum": ["a", "b", "c"]},
        ['fine/breaks: values added: "b", "c"'],
    ),
    "a constant becomes one of several": (
        {"const": 1},
        {"enum": [1.0, 2]},
        ["fine/breaks: value added: 2"],
    ),
    "true is not 1": (
        {"enum": [1]},
        {"enum": [True]},
        [
            "breaks/fine: value removed: 1",
            "fine/breaks: value added: true",
        ],
    ),
    "only some values now": (
        S,
        {"type": "string", "enum": ["a"]},
        ['breaks/fine: only these values now: "a"'],
    ),
    "any value of the type": (
        {"type": "string", "const": "a"},
        S,
        ['fine/breaks: no longer only these values: "a"'],
    ),
    "a bound raised": ({"minimum": 0}, {"minimum": 1}, ["breaks/fine: minimum 0 -> 1"]),
    "a bound lowered": ({"minimum": 1}, {"minimum": 0.5}, ["fine/breaks: minimum 1 -> 0.5"]),
    "a bound made exclusive": (
        {"minimum": 1},
        {"exclusiveMinimum": 1},
        ["breaks/fine: minimum 1 removed, exclusiveMinimum 1 added"],
    ),
    "the tighter of two bounds counts": (
        {"maximum": 5, "exclusiveMaximum": 9},
        {"maximum": 5},
        ["fine/fine: exclusiveMaximum 9 removed"],
    ),
    "an upper bound lowered": ({"maximum": 9}, {"maximum": 8}, ["breaks/fine: maximum 9 -> 8"]),
    "a finer step": (
        {"multipleOf": 0.3},
        {"multipleOf": 0.1},
        ["fine/breaks: multipleOf 0.3 -> 0.1"],
    ),
    "a coarser step": (
        {"multipleOf": 2},
        {"multipleOf": 4},
        ["breaks/fine: multipleOf 2 -> 4"],
    ),
    "another step": (
        {"multipleOf": 2},
        {"multipleOf": 3},
        ["breaks/breaks: multipleOf 2 -> 3"],
    ),
    "a step": ({}, {"multipleOf": 2}, ["breaks/fine: multipleOf 2 added"]),
    "a length that starts at 0": ({}, {"minLength": 0}, ["fine/fine: minLength 0 added"]),
    "a least length": ({"minLength": 1}, {}, ["fine/breaks: minLength 1 removed"]),
    "a greatest length": ({}, {"maxLength": 5}, ["breaks/fine: maxLength 5 added"]),
    "a greater greatest length": (
        {"maxLength": 5},
        {"maxLength": 6},
        ["fine/breaks: maxLength 5 -> 6"],
    ),
    "a pattern": (S, {**S, "pattern": "^a"}, ['breaks/fine: pattern "^a" added']),
    "another pattern": (
        {"pattern": "^a"},
        {"pattern": "^b"},
        ['may break/may break: pattern "^a" -> "^b"'],
    ),
    "a format": (S, {**S, "format": "uuid"}, ['breaks/fine: format "uuid" added']),
    "no format": ({**S, "format": "uuid"}, S, ['fine/breaks: format "uuid" removed']),
    "an encoding": (
        {"contentEncoding": "base64"},
        {"contentEncoding": "base32"},
        ['may break/may break: contentEncoding "base64" -> "base32"'],
    ),
    "a keyword of a type that was not taken": (
        S,
        {"type": ["string", "integer"], "minimum": 0},
        ["fine/breaks: type string -> string | integer"],
    ),
    "a description": (S, {**S, "description": "d"}, ["fine/fine: description added"]),
    "several notes": (
        {"title": "a", "examples": [1]},
        {"title": "b", "deprecated": True},
        ["fine/fine: title changed", "fine/fine: examples removed", "fine/fine: deprecated added"],
    ),
    "a default": (S, {**S, "default": "x"}, ['fine/fine: default "x" added']),
    "another default": (
        {"default": 1},
        {"default": 2},
        ["may break/fine: default 1 -> 2"],
    ),
    "no default": ({"default": 1}, {}, ["may break/fine: default 1 removed"]),
    "a header": (
        S,
        {**S, "x-mcp-header": "X-A"},
        ['may break/may break: x-mcp-header "X-A" added'],
    ),
    "an unknown keyword": (
        {},
        {"unevaluatedProperties": False},
        ["may break/may break: unevaluatedProperties changed"],
    ),
    "an unknown keyword that stays": ({"x-own": [1]}, {"x-own": [1]}, []),
}

ARRAYS = {
    "items": (
        {"type": "array", "items": I},
        {"type": "array", "items": N},
        ["fine/breaks []: type integer -> number"],
    ),
    "an item of its own": (
        {"type": "array", "items": S},
        {"type": "array", "prefixItems": [I], "items": S},
        ["breaks/breaks [0]: type string -> integer"],
    ),
    "no further items": (
        {"type": "array", "prefixItems": [I]},
        {"type": "array", "prefixItems": [I], "items": False},
        ["breaks/fine []: nothing is taken here any more"],
    ),
    "an item more": (
        {"type": "array", "prefixItems": [I], "items": False},
        {"type": "array", "prefixItems": [I, S], "items": False},
        ["fine/breaks [1]: something is taken here now"],
    ),
    "a least number of items": ({}, {"minItems": 1}, ["breaks/fine: minItems 1 added"]),
    "no more items": ({"maxItems": 3}, {"maxItems": 2}, ["breaks/fine: maxItems 3 -> 2"]),
    "no repetition": ({}, {"uniqueItems": True}, ["breaks/fine: uniqueItems true added"]),
    "repetition": (
        {"uniqueItems": True},
        {"uniqueItems": False},
        ["fine/breaks: uniqueItems true -> false"],
    ),
    "a certain item": ({}, {"contains": I}, ["breaks/fine: contains added"]),
    "no certain item": ({"contains": I}, {}, ["fine/breaks: contains removed"]),
    "a wider certain item": (
        {"contains": I},
        {"contains": N},
        ["fine/breaks: contains: type integer -> number"],
    ),
    "a wider certain item that is counted": (
        {"contains": I, "maxContains": 2},
        {"contains": N, "maxContains": 2},
        ["may break/may break: contains: type integer -> number"],
    ),
    "more certain items": (
        {"contains": I},
        {"contains": I, "minContains": 2},
        ["breaks/fine: minContains 1 -> 2"],
    ),
    "fewer certain items": (
        {"contains": I, "maxContains": 3},
        {"contains": I, "maxContains": 2},
        ["breaks/fine: maxContains 3 -> 2"],
    ),
}

CIRCLE = obj({"kind": {"const": "circle"}, "r": I}, required=["kind"])
WIDE_CIRCLE = obj({"kind": {"const": "circle"}, "r": N}, required=["kind"])
SQUARE = obj({"kind": {"const": "square"}}, required=["kind"])

CHOICES = {
    "null is taken too": (S, {"anyOf": [S, NULL]}, ["fine/breaks: alternative added: null"]),
    "null is no longer taken": (
        {"anyOf": [S, NULL]},
        S,
        ["breaks/fine: alternative removed: null"],
    ),
    "another spelling": ({"type": ["string", "null"]}, {"anyOf": [NULL, S]}, []),
    "another spelling with a bound": (
        {"type": ["string", "null"], "minLength": 1},
        {"anyOf": [{**S, "minLength": 2}, NULL]},
        ["breaks/fine <string>: minLength 1 -> 2"],
    ),
    "a description stays with the whole": (
        {**S, "description": "d"},
        {"anyOf": [S, NULL], "description": "d"},
        ["fine/breaks: alternative added: null"],
    ),
    "another order": ({"anyOf": [S, I]}, {"anyOf": [I, S]}, []),
    "an alternative of its own that another covers": (
        {"anyOf": [I]},
        {"anyOf": [I, {"const": 3}]},
        [],
    ),
    "a tagged alternative changed": (
        {"oneOf": [CIRCLE, SQUARE]},
        {"oneOf": [SQUARE, WIDE_CIRCLE]},
        ['fine/breaks <kind="circle">.r: type integer -> number'],
    ),
    "a tagged alternative added": (
        {"oneOf": [CIRCLE]},
        {"oneOf": [CIRCLE, SQUARE]},
        ['fine/breaks: alternative added: kind="square"'],
    ),
    "a tagged alternative removed": (
        {"oneOf": [CIRCLE, SQUARE]},
        {"oneOf": [SQUARE]},
        ['breaks/fine: alternative removed: kind="circle"'],
    ),
    "alternatives that may overlap": (
        {"oneOf": [S, {"minLength": 2}]},
        {"oneOf": [S, {"minLength": 3}]},
        [
            "breaks/fine: alternative removed: any",
            "may break/may break: exactly one alternative has to hold (oneOf), "
            "and they may overlap",
        ],
    ),
    "alternatives apart, the one or the other way": (
        {"anyOf": [S, I]},
        {"oneOf": [S, I]},
        [],
    ),
    "a choice beside other keywords": (
        A,
        obj({"a": S}, anyOf=[{"required": ["a"]}]),
        ["breaks/fine: a choice (anyOf) added"],
    ),
    "no choice beside other keywords": (
        obj({"a": S}, oneOf=[{"required": ["a"]}]),
        A,
        ["fine/breaks: a choice (oneOf) removed"],
    ),
    "a changed choice beside other keywords": (
        obj({"a": S}, anyOf=[{"required": ["a"]}]),
        obj({"a": S}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
        ["fine/breaks: alternative added: with b"],
    ),
    "a condition more": (
        {"allOf": [{"minimum": 1}]},
        {"allOf": [{"minimum": 1}, {"maximum": 3}]},
        ["breaks/fine: a condition (allOf) added"],
    ),
    "a condition that held anyway": ({"minimum": 2}, {"minimum": 2, "allOf": [{"minimum": 1}]}, []),
    "a condition fewer": (
        {"allOf": [{"minimum": 1}]},
        {},
        ["fine/breaks: a condition (allOf) removed"],
    ),
    "a changed condition": (
        {"allOf": [{"minimum": 1}]},
        {"allOf": [{"minimum": 2}]},
        ["breaks/fine: minimum 1 -> 2"],
    ),
    "an exception": ({}, {"not": S}, ["breaks/fine: not added"]),
    "a smaller exception": (
        {"not": {"minimum": 3}},
        {"not": {"minimum": 4}},
        ["fine/breaks: not: minimum 3 -> 4"],
    ),
    "a rule for some": (
        {},
        {"if": S, "then": {"minLength": 1}},
        ["breaks/fine: if added"],
    ),
    "another rule for some": (
        {"if": {"const": 1}, "then": I},
        {"if": {"const": 1}, "then": N},
        ["fine/breaks: then: type integer -> number"],
    ),
    "a rule for others": (
        {"if": {"const": 1}, "else": S},
        {"if": {"const": 2}, "else": S},
        ["may break/may break: if changed"],
    ),
    "a rule that says nothing": ({"then": S}, {"else": S}, []),
    "nothing is taken": (
        obj({"a": S}),
        obj({"a": False}),
        ["breaks/fine .a: nothing is taken here any more"],
    ),
}


def refers(value: Any, **definitions: Any) -> dict[str, Any]:
    return {"$defs": definitions, **obj({"a": value})}


def tree(value: Any) -> dict[str, Any]:
    return obj({"value": value, "children": {"type": "array", "items": {"$ref": "#"}}})


REFERENCES = {
    "what a reference means": (
        refers({"$ref": "#/$defs/T"}, T=I),
        refers({"$ref": "#/$defs/U"}, U=N),
        ["fine/breaks .a: type integer -> number"],
    ),
    "a reference written out": (refers({"$ref": "#/$defs/T"}, T=I), obj({"a": I}), []),
    "a reference to a name": (
        refers({"$ref": "#t"}, T={"$anchor": "t", **S}),
        refers({"$ref": "#t"}, T={"$anchor": "t", **I}),
        ["breaks/breaks .a: type string -> integer"],
    ),
    "what stands beside a reference": (
        refers({"$ref": "#/$defs/T", "description": "d", "minimum": 1}, T=I),
        refers({"$ref": "#/$defs/T", "description": "e", "minimum": 2}, T=I),
        ["fine/fine .a: description changed", "breaks/fine .a: minimum 1 -> 2"],
    ),
    "a schema that contains itself": (tree(I), tree(I), []),
    "a change within itself is told once": (
        tree(I),
        tree(N),
        ["fine/breaks .value: type integer -> number"],
    ),
    "a reference that turns within a not": (
        {"not": {"properties": {"a": {"$ref": "#"}}, "type": "object", "minProperties": 1}},
        {"not": {"properties": {"a": {"$ref": "#"}}, "type": "object", "minProperties": 2}},
        [
            "fine/breaks: not: minProperties 1 -> 2",
            "breaks/fine .a: not: not: minProperties 1 -> 2",
        ],
    ),
    "a reference to elsewhere": (
        {"$ref": "https://example.com/a"},
        {"$ref": "https://example.com/b"},
        ["may break/may break: $ref to elsewhere changed"],
    ),
    "a reference to nothing": ({"$ref": "#/$defs/T"}, {"$ref": "#/$defs/T"}, []),
    "a reference to itself": ({"$ref": "#"}, {"$ref": "#"}, []),
}

ROWS = {**OBJECTS, **VALUES, **ARRAYS, **CHOICES, **REFERENCES}


@pytest.mark.parametrize(("old", "new", "found"), ROWS.values(), ids=ROWS.keys())
def test_a_change_is_told_with_what_it_breaks(old: Any, new: Any, found: list[str]) -> None:
    assert changes(old, new) == found


@pytest.mark.parametrize(("old", "new", "_"), ROWS.values(), ids=ROWS.keys())
def test_a_schema_compared_with_itself_has_no_changes(old: Any, new: Any, _: object) -> None:
    assert changes(old, old) == []
    assert changes(new, new) == []


def test_schemas_too_deep_to_compare_are_said_to_be_so() -> None:
    old: dict[str, Any] = {"minimum": 1}
    new: dict[str, Any] = {"minimum": 2}
    for _ in range(5_000):
        old, new = {"items": old}, {"items": new}
    assert changes(old, new) == ["may break/may break: nested too deep to be compared"]


def test_schemas_too_large_to_compare_are_said_to_be_so() -> None:
    doubling = {
        f"d{at}": {
            "items": {"$ref": f"#/$defs/d{at + 1}"},
            "contains": {"$ref": f"#/$defs/d{at + 1}"},
        }
        for at in range(MAX_STEPS.bit_length())
    }
    schema = {"$ref": "#/$defs/d0", "$defs": doubling}
    assert changes(schema, schema) == ["may break/may break: too large to be compared"]
