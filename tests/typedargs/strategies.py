"""Random fields, classes, schemas and JSON, for the property tests.

What stays out, since the two validators that are compared differ in it on purpose: `multipleOf`
with fractions, and of numbers that are not `is_exact` (decimal arithmetic here, floating point
there), patterns with `$`, `\\d` or `\\w` (ECMA-262 here, Python there), formats, and for `Double`
integers that no double comes near (`fits_a_double`), which have no Python value.
"""

import enum
import sys
from typing import Any

from hypothesis import strategies as st

from tests.typedargs.helpers import class_of
from typedargs import Boolean, Double, Enum, Integer, String

MAX_DOUBLE = int(sys.float_info.max)
KEYS = [
    "a",
    "b",
    "self",
    "cls",
    "é",
    "it's",
    '"',
    "{x}",
    "a.b",
    "",
    "\\",
    "\n",
    "__class__",
    "$ref",
]
PATTERNS = ["a", "^a", "b|^$", "[a-c]{2}", "'\"", "[{]x", "\\\\", "(?:ab)+", "."]


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


class Color(enum.Enum):
    RED = "red"
    GREEN = "it's"


texts = (
    st.text(max_size=4)
    | st.text("ab'\"{}\\", max_size=4)
    | st.sampled_from(["SMALL", "LARGE", "red", "it's", "null", "[1,2]", "x", "y"])
)
integers = st.integers(-6, 6) | st.integers() | st.sampled_from([2**53 + 1, 10**40, -(2**63)])
floats = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.5, -0.0, 3.0, 1e300])
numbers = integers | floats
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def _number_options(bounds: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "minimum": bounds,
            "maximum": bounds,
            "exclusive_minimum": bounds,
            "exclusive_maximum": bounds,
            "multiple_of": st.integers(1, 4),
        },
    )


double_options: st.SearchStrategy[Any] = _number_options(st.integers(-5, 5) | st.floats(-9, 9))
integer_options: st.SearchStrategy[Any] = _number_options(st.integers(-5, 5))
string_options: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "min_length": st.integers(0, 3),
        "max_length": st.integers(0, 4),
        "pattern": st.sampled_from(PATTERNS),
    },
)
presence = st.fixed_dictionaries(
    {},
    optional={
        "required": st.booleans(),
        "nullable": st.booleans(),
        "description": texts,
        "title": texts,
        "deprecated": st.booleans(),
    },
)


@st.composite
def fields(draw: st.DrawFn) -> Any:
    """A field without a default."""
    options: Any = draw(presence)
    kind = draw(
        st.sampled_from(["string", "double", "integer", "boolean", "enum", "size", "color"])
    )
    if kind == "string":
        return String(**options, **draw(string_options))
    if kind == "double":
        return Double(**options, **draw(double_options))
    if kind == "integer":
        return Integer(**options, **draw(integer_options))
    if kind == "boolean":
        return Boolean(**options)
    if kind == "enum":
        return Enum(*draw(st.lists(texts, min_size=1, max_size=4, unique=True)), **options)
    if kind == "size":
        return Enum(Size, by=draw(st.sampled_from([None, "name", "value"])), **options)
    return Enum(Color, by=draw(st.sampled_from([None, "name", "value"])), **options)


@st.composite
def classes(draw: st.DrawFn) -> Any:
    """A class with up to five fields, under any keys."""
    names = draw(st.lists(st.sampled_from(KEYS), max_size=5, unique=True))
    body: dict[str, Any] = {}
    for index, name in enumerate(names):
        field = draw(fields())
        field.name = name
        body[f"field_{index}"] = field
    return class_of(body, extra=draw(st.sampled_from(["ignore", "forbid"])))


@st.composite
def near(draw: st.DrawFn, schema: Any) -> Any:
    """A value: many fit `schema`, and many nearly do."""
    chance = draw(chances)
    if isinstance(schema, bool) or chance == 0:
        return draw(values)
    if chance < 4 and "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if chance < 4 and "const" in schema:
        return schema["const"]
    types = schema.get("type", "object" if "properties" in schema else "any")
    kind = types if isinstance(types, str) else draw(st.sampled_from(types))
    if kind != "object":
        return draw(BY_TYPE[kind])
    value = draw(BY_TYPE["object"]) if chance == 1 else {}
    for key, inner in schema.get("properties", {}).items():
        if draw(chances) < (1 if key in schema.get("required", ()) else 5):
            continue
        value[key] = draw(near(inner))
    return value


chances = st.integers(0, 9)
BY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "any": values,
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": integers | st.integers(-6, 6).map(float),
    "number": numbers,
    "string": texts,
    "array": st.lists(scalars, max_size=3),
    "object": st.dictionaries(st.sampled_from(KEYS) | texts, scalars, max_size=2),
}


kinds = st.sampled_from(
    ["null", "boolean", "integer", "number", "string", "array", "object", "object"]
)
keywords: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
        "title": texts,
        "description": texts,
        "minimum": st.integers(-5, 5),
        "maximum": st.floats(-5, 5),
        "exclusiveMinimum": st.floats(-5, 5),
        "exclusiveMaximum": st.integers(-5, 5),
        "multipleOf": st.integers(1, 4),
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(PATTERNS),
        "additionalProperties": st.booleans(),
        "required": st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
        "deprecated": st.booleans(),
    },
)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2) -> Any:
    """A raw schema of the dialect, or one of its properties."""
    if depth < 2 and draw(chances) == 0:
        return draw(st.booleans())
    schema = draw(keywords)
    if draw(chances) < 2:
        schema["const"] = draw(values)
    if draw(chances) < 2:
        schema["enum"] = draw(st.lists(values, min_size=1, max_size=3))
    if depth and draw(st.booleans()):
        keys = draw(st.lists(st.sampled_from(KEYS), max_size=3, unique=True))
        schema["properties"] = {key: draw(schemas(depth - 1)) for key in keys}
    return schema


def is_exact(value: Any) -> bool:
    """Tell whether each number within is the same as a double and in decimal."""
    if isinstance(value, dict):
        return all(map(is_exact, value.values()))
    if isinstance(value, list):
        return all(map(is_exact, value))
    return not isinstance(value, int | float) or abs(value) <= 2**53


def fits_a_double(value: Any) -> bool:
    """Tell whether each integer directly within has a Python float."""
    if isinstance(value, dict):
        return all(map(fits_a_double, value.values()))
    return not isinstance(value, int) or abs(value) <= MAX_DOUBLE
