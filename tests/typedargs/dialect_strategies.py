"""Random schemas of the whole dialect, and values that fit them, or nearly.

What stays out, since jsonschema-rs differs in it on purpose, stands in `test_agreement`.
"""

from typing import Any

from hypothesis import strategies as st

from tests.typedargs.strategies import PATTERNS

KEYS = ["a", "b", "ab", "", "é", "c.d"]
DEFINITIONS = ("plain", "deep")
"""The definitions of each schema: one that refers to nothing, and one that may refer to all."""

chances = st.integers(0, 9)
keys = st.sampled_from(KEYS)
texts = st.text("abé\U0001f600", max_size=4)
integers = st.integers(-4, 4) | st.sampled_from([2**53, -(2**31), 10**6])
numbers = integers | st.sampled_from([0.5, -1.5, 2.0, -0.0, 0.1, 0.3, 1e300, 1e-7])
scalars = st.none() | st.booleans() | numbers | texts | keys
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=4,
)
types = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
counts = st.integers(0, 3)
key_lists = st.lists(keys, max_size=2, unique=True)

SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
    "enum": st.lists(values, min_size=1, max_size=4),
    "const": values,
    "minimum": numbers,
    "maximum": numbers,
    "exclusiveMinimum": numbers,
    "exclusiveMaximum": numbers,
    "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
    "minLength": counts,
    "maxLength": counts,
    "pattern": st.sampled_from(PATTERNS),
    "minItems": counts,
    "maxItems": counts,
    "uniqueItems": st.booleans(),
    "minProperties": counts,
    "maxProperties": counts,
    "required": key_lists,
    "dependentRequired": st.dictionaries(keys, key_lists, max_size=2),
    "title": texts,
    "examples": st.lists(values, max_size=2),
    "deprecated": st.booleans(),
    "$comment": texts,
}
"""Keywords whose operands hold no schemas."""

NESTING = (
    "items",
    "prefixItems",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
)
IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "$ref")


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A schema with its definitions."""
    schema = draw(schemas(2, refers=("plain", "deep"), nests=("plain", "deep", "#")))
    if isinstance(schema, dict):
        schema["$defs"] = {
            "plain": draw(schemas(1, refers=(), nests=())),
            "deep": draw(schemas(1, refers=("plain",), nests=("plain", "deep", "#"))),
        }
    return schema


@st.composite
def schemas(draw: st.DrawFn, depth: int, refers: Any, nests: Any) -> Any:
    """A schema; `refers` may be referred to for the same value, `nests` for values within."""
    if draw(chances) == 0:
        return draw(st.booleans())
    names = draw(st.lists(st.sampled_from(sorted(SIMPLE)), max_size=3, unique=True))
    schema: dict[str, Any] = {name: draw(SIMPLE[name]) for name in names}
    if draw(chances) < 2:
        schema["default"] = draw(values)
    if depth == 0:
        return schema
    inner = schemas(depth - 1, refers=nests, nests=nests)
    same = schemas(depth - 1, refers=refers, nests=nests)
    for name in draw(st.lists(st.sampled_from(NESTING), max_size=2, unique=True)):
        if name == "prefixItems":
            schema[name] = draw(st.lists(inner, min_size=1, max_size=2))
        elif name == "properties":
            schema[name] = draw(st.dictionaries(keys, inner, max_size=3))
        elif name == "patternProperties":
            schema[name] = draw(st.dictionaries(st.sampled_from(PATTERNS), inner, max_size=2))
        else:
            schema[name] = draw(inner)
    if "contains" in schema and draw(st.booleans()):
        schema["minContains"], schema["maxContains"] = draw(counts), draw(counts)
    for name in draw(st.lists(st.sampled_from(IN_PLACE), max_size=2, unique=True)):
        if name == "$ref":
            if refers:
                target = draw(st.sampled_from(refers))
                schema[name] = target if target == "#" else f"#/$defs/{target}"
        elif name == "not":
            schema[name] = draw(same)
        elif name == "if":
            schema |= {"if": draw(same), "then": draw(same), "else": draw(same)}
        else:
            schema[name] = draw(st.lists(same, min_size=1, max_size=3))
    return schema


@st.composite
def near(draw: st.DrawFn, schema: Any, root: Any, depth: int = 3) -> Any:
    """A value: many fit `schema`, and many nearly do."""
    chance = draw(chances)
    if isinstance(schema, bool) or chance == 0 or depth == 0:
        return draw(values)
    if "const" in schema and chance < 8:
        return schema["const"]
    if "enum" in schema and chance < 8:
        return draw(st.sampled_from(schema["enum"]))
    if chance < 4:
        for name in ("allOf", "anyOf", "oneOf"):
            if name in schema:
                return draw(near(draw(st.sampled_from(schema[name])), root, depth - 1))
        if "if" in schema:
            return draw(
                near(schema[draw(st.sampled_from(["if", "then", "else"]))], root, depth - 1)
            )
        if "$ref" in schema:
            return draw(near(_target(schema["$ref"], root), root, depth - 1))
    kinds = schema.get("type") or _kinds(schema)
    kind = kinds if isinstance(kinds, str) else draw(st.sampled_from(kinds))
    if kind == "array":
        return draw(_array(schema, root, depth - 1))
    if kind == "object":
        return draw(_object(schema, root, depth - 1))
    return draw(_SCALARS[kind])


_SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "integer": integers | st.integers(-4, 4).map(float),
    "number": numbers,
    "string": texts | keys,
    "any": values,
}


def _kinds(schema: Any) -> list[str]:
    speaks = {
        "array": ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"),
        "object": ("properties", "patternProperties", "required", "additionalProperties",
                   "propertyNames", "dependentRequired", "minProperties", "maxProperties"),
        "string": ("minLength", "maxLength", "pattern"),
        "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }  # fmt: skip
    return [kind for kind, names in speaks.items() if schema.keys() & set(names)] or ["any"]


def _target(reference: str, root: Any) -> Any:
    return root if reference == "#" else root["$defs"][reference.split("/")[-1]]


@st.composite
def _array(draw: st.DrawFn, schema: Any, root: Any, depth: int) -> Any:
    items = [
        draw(near(first, root, depth)) for first in schema.get("prefixItems", []) if draw(chances)
    ]
    rest = schema.get("contains" if draw(st.booleans()) else "items", True)
    length = draw(st.integers(0, 3))
    items += [draw(near(rest, root, depth)) for _ in range(length)]
    return items


@st.composite
def _object(draw: st.DrawFn, schema: Any, root: Any, depth: int) -> Any:
    found: dict[str, Any] = {}
    properties = schema.get("properties", {})
    rest = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties", True)]
    wanted = [*schema.get("required", ()), *properties, *draw(st.lists(keys, max_size=2))]
    for key in dict.fromkeys(wanted):
        if draw(chances) < 2:
            continue
        inner = properties.get(key, draw(st.sampled_from(rest)))
        found[key] = draw(near(inner, root, depth))
    return found
