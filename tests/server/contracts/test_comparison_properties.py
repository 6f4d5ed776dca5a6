"""No verdict is kinder than the truth: what an independent validator says of values, for any
two schemas.

Objects in these schemas always say what becomes of other keys: that open objects may declare
one more key, without a break, is a decision and no theorem.
"""

from typing import Any

import jsonschema_rs
from hypothesis import event, given
from hypothesis import strategies as st

from typedargs_server.contracts import Verdict, compare_schemas

SCALARS = [None, True, False, 0, 1, 2, 3, 2.5, -1, 1.0, "", "a", "b", "ab", "abc"]
KEYS = st.sampled_from(["a", "b", "ab"])


def mapping(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional)


TYPES = st.sampled_from(
    ["null", "boolean", "integer", "number", "string", "array", "object", ["string", "null"]]
)
COUNTS = st.integers(0, 3)
NUMBERS = st.sampled_from([0, 1, 2, 2.5, 3])

PLAIN = mapping(
    type=TYPES,
    enum=st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4),
    const=st.sampled_from(SCALARS),
    minimum=NUMBERS,
    exclusiveMinimum=NUMBERS,
    maximum=NUMBERS,
    multipleOf=st.sampled_from([1, 2, 0.5]),
    minLength=COUNTS,
    maxLength=COUNTS,
    pattern=st.sampled_from(["^a", "b"]),
    minItems=COUNTS,
    maxItems=COUNTS,
    uniqueItems=st.booleans(),
    minProperties=COUNTS,
    required=st.lists(KEYS, unique=True, max_size=2),
)


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    of_objects = st.builds(
        lambda schema, rest: {"type": "object", **schema, "additionalProperties": rest},
        mapping(
            properties=st.dictionaries(KEYS, inner, max_size=2),
            required=st.lists(KEYS, unique=True, max_size=2),
            patternProperties=st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=1),
            propertyNames=mapping(maxLength=COUNTS, pattern=st.just("^a")),
            dependentRequired=st.dictionaries(KEYS, st.lists(KEYS, unique=True, max_size=2)),
        ),
        inner.map(lambda schema: False if schema in (True, {}) else schema),
    )
    of_arrays = mapping(
        items=inner,
        prefixItems=several,
        contains=inner,
        minContains=COUNTS,
        maxContains=COUNTS,
        maxItems=COUNTS,
    )
    combined = mapping(
        anyOf=several, oneOf=several, allOf=several, type=TYPES, minimum=NUMBERS
    ) | st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner, "not": inner})
    return of_objects | of_arrays | combined | st.builds(lambda each: {"not": each}, inner)


SCHEMAS = st.recursive(st.booleans() | PLAIN, composed, max_leaves=8)
VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two schemas, of which the second is the first with something changed in it, or another."""
    old = draw(SCHEMAS)
    return old, edited(draw, old) if draw(st.booleans()) else draw(SCHEMAS)


def edited(draw: st.DrawFn, schema: Any) -> Any:
    """The schema with a part of it left out, replaced or added."""
    if not isinstance(schema, dict) or not schema:
        return draw(SCHEMAS)
    key = draw(st.sampled_from(sorted(schema)))
    match draw(st.sampled_from(["without", "more", "within", "within"])):
        case "without" if key != "additionalProperties":
            return {name: each for name, each in schema.items() if name != key}
        case "more":
            return {**schema, **draw(PLAIN)}
    return {**schema, key: within(draw, key, schema[key])}


def within(draw: st.DrawFn, key: str, operand: Any) -> Any:
    if key in ("items", "contains", "not", "if", "then", "else"):
        return edited(draw, operand)
    if key == "additionalProperties":
        new = edited(draw, operand)
        return False if new in (True, {}) else new
    if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        at = draw(st.integers(0, len(operand) - 1))
        return [*operand[:at], edited(draw, operand[at]), *operand[at + 1 :]]
    if key in ("properties", "patternProperties") and operand:
        name = draw(st.sampled_from(sorted(operand)))
        return {**operand, name: edited(draw, operand[name])}
    return operand


@given(changed(), st.lists(VALUES, min_size=1, max_size=20))
def test_what_is_said_to_be_fine_is_fine_for_every_value(
    pair: tuple[Any, Any], values: list[Any]
) -> None:
    old, new = pair
    shifts = compare_schemas(old, new)
    before, after = (
        jsonschema_rs.Draft202012Validator(each, validate_formats=False) for each in (old, new)
    )
    if all(each.callers is Verdict.FINE for each in shifts):
        event("fine for callers")
        assert [v for v in values if before.is_valid(v) and not after.is_valid(v)] == []
    if all(each.readers is Verdict.FINE for each in shifts):
        event("fine for readers")
        assert [v for v in values if after.is_valid(v) and not before.is_valid(v)] == []


@given(SCHEMAS)
def test_a_schema_has_no_changes_against_itself(schema: Any) -> None:
    assert compare_schemas(schema, schema) == []
