"""The enforced dialect of JSON Schema 2020-12, as a table.

Each row of `KEYWORDS` is one keyword: what its operand must look like, which values it speaks of,
which schemas it holds, the test that a value fails, and the words for what was expected.
`check_schema` holds a schema against the table; `validation` compiles the tests. What has no row is
refused, not passed over.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ._bounds import bounds
from ._ecma import PatternError, searcher
from ._formats import FORMATS
from .errors import SchemaError, described, did_you_mean, nearest, shown

JSONSchema: TypeAlias = dict[str, Any]

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

DRAFT_7: Final = "http://json-schema.org/draft-07/schema"
"""Outside the dialect; `validation="full"` enforces it."""

MAX_SHOWN_MEMBERS: Final = 20
"""Members of an `enum` that a message lists."""

MAX_INTEGER_BITS: Final = 14_000
"""Size of an integer in a schema; beyond it lies Python's own limit on writing integers."""

FULL_ONLY: Final = frozenset(
    {
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "dependentSchemas",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords outside the dialect that `validation="full"` enforces."""

_BY_HAND: Final = "with application_validated=True and validate in the handler"
_WITH_FULL: Final = f'leave it out, register the tool with validation="full", or {_BY_HAND}'
_WITHOUT_FULL: Final = f"leave it out, or register the tool {_BY_HAND}"
"""What to do about something that is outside, which each refusal of it says."""

Group: TypeAlias = Literal["annotation", "any", "number", "string", "array", "object"]
Holds: TypeAlias = Literal["nothing", "a schema", "schemas", "named schemas"]


class Keyword(msgspec.Struct, frozen=True):
    """One row: a keyword, its operand, and the test it makes.

    `complaint` returns what is wrong with an operand, or None. `group` is the kind of value the
    test speaks of; annotations make none. `failure` is a Python expression over `{v}`, the value,
    and `{k}`, the operand as `prepare` returns it: true when the value does not satisfy it.
    Keywords that hold schemas have no `failure`: the compiler knows how to apply them.
    """

    name: str
    group: Group
    complaint: Callable[[Any], str | None]
    failure: str = ""
    expected: Callable[[Any], str] = lambda operand: shown(operand)
    prepare: Callable[[Any], Any] = lambda operand: operand
    holds: Holds = "nothing"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _unless(good: Callable[[Any], bool], what: str) -> Callable[[Any], str | None]:
    def complaint(operand: Any) -> str | None:
        return None if good(operand) else f"must be {what}, got {shown(operand)}"

    return complaint


def _strings(operand: object) -> bool:
    return (
        isinstance(operand, list)
        and all(isinstance(item, str) for item in operand)
        and len(set(operand)) == len(operand)
    )


def _any_of(*complaints: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    return lambda operand: next(filter(None, (c(operand) for c in complaints)), None)


_anything: Final[Callable[[Any], str | None]] = lambda _operand: None  # noqa: E731
_a_string: Final = _unless(lambda o: isinstance(o, str), "a string")
_a_number: Final = _unless(_is_number, "a number")
_a_boolean: Final = _unless(lambda o: isinstance(o, bool), "true or false")
_a_count: Final = _unless(
    lambda o: _is_number(o) and o >= 0 and o == int(o), "an integer of at least 0"
)
_a_list: Final = _unless(lambda o: isinstance(o, list), "a list")
_members: Final = _unless(lambda o: isinstance(o, list) and bool(o), "a list with a member")
_string_list: Final = _unless(_strings, "a list of different strings")
_an_object: Final = _unless(lambda o: isinstance(o, dict), "an object")
_a_schema: Final = _unless(lambda o: isinstance(o, dict | bool), "a schema")
_a_token: Final = _unless(
    lambda o: isinstance(o, str) and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", o) is not None,
    "a header name (RFC 9110 token)",
)
_an_anchor: Final = _unless(
    lambda o: isinstance(o, str) and re.fullmatch(r"[A-Za-z_][-A-Za-z0-9._]*", o) is not None,
    "a name",
)


def _draft_complaint(operand: Any) -> str | None:
    if operand in (DRAFT, f"{DRAFT}#"):
        return None
    complaint = f'must be "{DRAFT}", got {shown(operand)}'
    if not isinstance(operand, str):
        return complaint
    is_full = operand in (DRAFT_7, f"{DRAFT_7}#")
    return f"{complaint}; {_WITH_FULL if is_full else _WITHOUT_FULL}"


def _type_complaint(operand: Any) -> str | None:
    names = operand if isinstance(operand, list) else [operand]
    if names and _strings(names) and all(name in TYPES for name in names):
        return None
    return f"must be one of {', '.join(TYPES)}, or a list of them, got {shown(operand)}"


def _pattern_complaint(operand: Any) -> str | None:
    what = "must be a regular expression of ECMA-262"
    if not isinstance(operand, str):
        return f"{what}, got {shown(operand)}"
    try:
        searcher(operand)
    except PatternError as error:
        return f"{what}, got {shown(operand)}: {error}"
    return None


def _patterns_complaint(operand: Any) -> str | None:
    return _an_object(operand) or next(filter(None, map(_pattern_complaint, operand)), None)


def _dependencies_complaint(operand: Any) -> str | None:
    return _an_object(operand) or next(filter(None, map(_string_list, operand.values())), None)


def _format_complaint(operand: Any) -> str | None:
    known = FORMATS.get(operand) if isinstance(operand, str) else None
    if known is not None:
        if known.is_available:
            return None
        return f'is {shown(operand)}, which needs "pip install typedargs-mcp[formats]"'
    complaint = f"must be a format that is enforced ({', '.join(FORMATS)}), got {shown(operand)}"
    if not isinstance(operand, str):
        return complaint
    register = 'register the tool with validation="full", which checks no format'
    return f"{complaint}; leave it out, {register}, or {_BY_HAND}"


def _reference_complaint(operand: Any) -> str | None:
    if isinstance(operand, str) and (operand == "" or operand.startswith("#")):
        return None
    complaint = f"must point into the schema itself, as #/$defs/name does, got {shown(operand)}"
    if not isinstance(operand, str):
        return complaint
    # validation="full" is no way out: it fetches nothing from a network either.
    there = "put the definition into the schema's own $defs"
    return f"{complaint}; {there}, or register the tool {_BY_HAND}"


def counted(count: float, what: str, bound: str) -> str:
    """Return a number of things in words, as in `at least 2 characters`."""
    return f"{bound} {int(count)} {what}{'' if count == 1 else 's'}"


def one_of(values: list[Any]) -> str:
    """Return the members of an `enum` in words."""
    if len(values) == 1:
        return shown(values[0])
    text = f"one of {', '.join(map(shown, values[:MAX_SHOWN_MEMBERS]))}"
    more = len(values) - MAX_SHOWN_MEMBERS
    return text if more <= 0 else f"{text} and {more} more"


def _length(name: str, group: Group, what: str) -> Keyword:
    least = name.startswith("min")
    failure, bound = ("len({v}) < {k}", "at least") if least else ("len({v}) > {k}", "at most")
    return Keyword(name, group, _a_count, failure, lambda o: counted(o, what, bound))


_ROWS: Final = (
    Keyword("$schema", "annotation", _draft_complaint),
    Keyword("$comment", "annotation", _a_string),
    Keyword("$anchor", "annotation", _an_anchor),
    Keyword("$defs", "annotation", _an_object, holds="named schemas"),
    Keyword("$ref", "any", _reference_complaint),
    Keyword("type", "any", _type_complaint),
    Keyword("title", "annotation", _a_string),
    Keyword("description", "annotation", _a_string),
    Keyword("enum", "any", _members, "not json_member({v}, {k})", one_of),
    Keyword("const", "any", _anything, "not json_equal({v}, {k})"),
    Keyword("minimum", "number", _a_number, "{v} < {k}", lambda o: f"at least {shown(o)}"),
    Keyword("maximum", "number", _a_number, "{v} > {k}", lambda o: f"at most {shown(o)}"),
    Keyword(
        "exclusiveMinimum", "number", _a_number, "{v} <= {k}", lambda o: f"more than {shown(o)}"
    ),
    Keyword(
        "exclusiveMaximum", "number", _a_number, "{v} >= {k}", lambda o: f"less than {shown(o)}"
    ),
    Keyword(
        "multipleOf",
        "number",
        _unless(lambda o: _is_number(o) and o > 0, "a number above 0"),
        "not is_multiple({v}, {k})",
        lambda o: f"a multiple of {shown(o)}",
    ),
    _length("minLength", "string", "character"),
    _length("maxLength", "string", "character"),
    Keyword(
        "pattern",
        "string",
        _pattern_complaint,
        "not {k}({v})",
        lambda o: f"a match of the pattern {o}",
        searcher,
    ),
    Keyword(
        "format",
        "string",
        _format_complaint,
        "not {k}({v})",
        lambda o: FORMATS[o].expected,
        lambda o: FORMATS[o].matches,
    ),
    Keyword("contentEncoding", "annotation", _a_string),
    Keyword("prefixItems", "array", _members, holds="schemas"),
    Keyword("items", "array", _a_schema, holds="a schema"),
    Keyword("contains", "array", _a_schema, holds="a schema"),
    Keyword("minContains", "array", _a_count),
    Keyword("maxContains", "array", _a_count),
    _length("minItems", "array", "item"),
    _length("maxItems", "array", "item"),
    Keyword(
        "uniqueItems",
        "array",
        _a_boolean,
        "{k} and not all_different({v})",
        lambda _: "items that all differ",
    ),
    Keyword("properties", "object", _an_object, holds="named schemas"),
    Keyword("patternProperties", "object", _patterns_complaint, holds="named schemas"),
    Keyword("additionalProperties", "object", _a_schema, holds="a schema"),
    Keyword("propertyNames", "object", _a_schema, holds="a schema"),
    Keyword("required", "object", _string_list),
    Keyword("dependentRequired", "object", _dependencies_complaint),
    _length("minProperties", "object", "key"),
    _length("maxProperties", "object", "key"),
    Keyword("allOf", "any", _members, holds="schemas"),
    Keyword("anyOf", "any", _members, holds="schemas"),
    Keyword("oneOf", "any", _members, holds="schemas"),
    Keyword("not", "any", _a_schema, holds="a schema"),
    Keyword("if", "any", _a_schema, holds="a schema"),
    Keyword("then", "any", _a_schema, holds="a schema"),
    Keyword("else", "any", _a_schema, holds="a schema"),
    Keyword("default", "annotation", _anything),
    Keyword("examples", "annotation", _a_list),
    Keyword("deprecated", "annotation", _a_boolean),
    Keyword("readOnly", "annotation", _a_boolean),
    Keyword("writeOnly", "annotation", _a_boolean),
    Keyword("x-mcp-header", "annotation", _a_token),
)

KEYWORDS: Final[Mapping[str, Keyword]] = {row.name: row for row in _ROWS}

IN_PLACE: Final = ("$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else")
"""The keywords whose schemas speak of the same value as the schema that they stand in."""


class Document(msgspec.Struct, frozen=True):
    """A checked schema, and where the schemas in it are found."""

    root: JSONSchema | bool
    schemas: Mapping[str, JSONSchema | bool]
    """Each schema by its JSON Pointer."""
    anchors: Mapping[str, JSONSchema | bool]

    def resolve(self, reference: str, pointer: str = "") -> JSONSchema | bool:
        """Return the schema that `reference` names; raises SchemaError where there is none."""
        fragment = _percent_decoded(reference.removeprefix("#"))
        found = self.schemas if fragment == "" or fragment.startswith("/") else self.anchors
        if fragment not in found:
            raise SchemaError(
                f'"$ref" at {pointer}/$ref names no schema: {shown(reference)}',
                keyword="$ref",
                pointer=f"{pointer}/$ref",
            )
        return found[fragment]


def parse_schema(schema: str | Mapping[str, Any]) -> JSONSchema:
    """Return a raw schema, a JSON text or a mapping, as a dict of its own.

    Raises SchemaError where the text is not JSON, or the value no JSON object.
    """
    parsed: object = schema
    if isinstance(schema, str):
        try:
            parsed = msgspec.json.decode(schema)
        except (msgspec.MsgspecError, ValueError) as error:
            raise SchemaError(f"the schema is not valid JSON: {error}") from None
        except RecursionError:
            raise _too_deep() from None
    parsed = plain(parsed)
    if not isinstance(parsed, dict):
        raise SchemaError(f"a schema must be a JSON object, got {shown(parsed)}")
    return parsed


def plain(value: object, pointer: str = "") -> Any:
    """Return a deep copy of `value` in JSON's own types, exactly.

    Raises SchemaError, with the JSON Pointer, where there is something that JSON cannot carry.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and value.bit_length() <= MAX_INTEGER_BITS:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, str):
        return _plain_text(value, pointer)
    if pointer.count("/") > 2 * bounds.schema_depth:
        raise _too_deep()
    if isinstance(value, list | tuple):
        return [plain(item, f"{pointer}/{index}") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        copied: JSONSchema = {}
        for name, item in value.items():
            if not isinstance(name, str):
                raise _no_json(f"the key {name!r}", pointer)
            text = _plain_text(name, pointer)
            copied[text] = plain(item, f"{pointer}/{escaped(text)}")
        return copied
    raise _no_json(described(value), pointer)


def check_schema(schema: str | Mapping[str, Any]) -> None:
    """Raise SchemaError unless every keyword of `schema`, at every depth, will be enforced.

    The error names the keyword and the JSON Pointer where it stands.
    """
    check_parsed(parse_schema(schema))


def check_parsed(root: Any) -> Document:
    """Return a parsed schema with its places known; raises SchemaError as `check_schema` does."""
    schemas: dict[str, JSONSchema | bool] = {}
    anchors: dict[str, JSONSchema | bool] = {}
    pending: list[tuple[str, int, Any]] = [("", 0, root)]
    while pending:
        pointer, depth, schema = pending.pop()
        if depth > bounds.schema_depth:
            raise _too_deep(pointer)
        if len(schemas) >= bounds.subschemas:
            raise SchemaError(f"the schema holds more than {bounds.subschemas} schemas")
        schemas[pointer] = schema
        if isinstance(schema, bool):
            continue
        _check_keywords(schema, pointer)
        if "$anchor" in schema:
            if schema["$anchor"] in anchors:
                _fail("$anchor", pointer, f"is taken already: {shown(schema['$anchor'])}")
            anchors[schema["$anchor"]] = schema
        children = [(f"{pointer}{step}", depth + 1, child) for step, child in subschemas(schema)]
        pending += reversed(children)
    document = Document(root, schemas, anchors)
    _check_references(document)
    return document


def subschemas(schema: JSONSchema) -> Iterator[tuple[str, Any]]:
    """Give each schema that `schema` holds, with the JSON Pointer from one to the other."""
    for name, operand in schema.items():
        holds = KEYWORDS[name].holds
        if holds == "a schema":
            yield f"/{escaped(name)}", operand
        elif holds == "schemas":
            for index, child in enumerate(operand):
                yield f"/{escaped(name)}/{index}", child
        elif holds == "named schemas":
            for key, child in operand.items():
                yield f"/{escaped(name)}/{escaped(key)}", child


def types_of(schema: JSONSchema) -> frozenset[str]:
    """Return the types that the `type` of `schema` names; none where it has none."""
    types = schema.get("type", ())
    return frozenset([types] if isinstance(types, str) else types)


def _check_keywords(schema: Any, pointer: str) -> None:
    if not isinstance(schema, dict):
        at = pointer or "the root"
        raise SchemaError(
            f"a schema must be an object, true or false; at {at} it is {shown(schema)}",
            pointer=pointer,
        )
    for name, operand in schema.items():
        row = KEYWORDS.get(name)
        if row is None:
            here = f"{pointer}/{escaped(name)}"
            raise SchemaError(_outside(name, here), keyword=name, pointer=here)
        complaint = row.complaint(operand)
        if complaint is not None:
            _fail(name, pointer, complaint)


def _check_references(document: Document) -> None:
    """Raise SchemaError for a reference to nothing, or to itself without a value in between."""
    done: set[int] = set()

    def visit(schema: JSONSchema | bool, pointer: str, above: frozenset[int]) -> None:
        if isinstance(schema, bool) or id(schema) in done:
            return
        if id(schema) in above:
            raise SchemaError(
                f"the schema at {pointer or 'the root'} refers to itself without end",
                keyword="$ref",
                pointer=pointer,
            )
        within = above | {id(schema)}
        if "$ref" in schema:
            visit(document.resolve(schema["$ref"], pointer), pointer, within)
        for step, child in subschemas(schema):
            if step.split("/")[1] in IN_PLACE:
                visit(child, f"{pointer}{step}", within)
        done.add(id(schema))

    for pointer, schema in document.schemas.items():
        visit(schema, pointer, frozenset())


def _fail(name: str, pointer: str, complaint: str) -> None:
    here = f"{pointer}/{escaped(name)}"
    raise SchemaError(f'"{name}" at {here} {complaint}', keyword=name, pointer=here)


def _too_deep(pointer: str = "") -> SchemaError:
    return SchemaError(
        f"the schema is nested too deeply: more than {bounds.schema_depth} schemas in each other",
        pointer=pointer,
    )


def _plain_text(text: str, pointer: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise _no_json(f"the text {text!r}", pointer)
    return str.__str__(text)


def _no_json(what: str, pointer: str) -> SchemaError:
    return SchemaError(
        f"the schema cannot be written as JSON: {what} at {pointer or 'the root'}", pointer=pointer
    )


def _outside(name: str, pointer: str) -> str:
    is_full = name in FULL_ONLY
    hint = "" if is_full else did_you_mean(nearest(name, KEYWORDS))
    return (
        f'"{name}" at {pointer} is outside the enforced dialect of JSON Schema{hint}; '
        f"{_WITH_FULL if is_full else _WITHOUT_FULL}"
    )


def escaped(name: str) -> str:
    """Return `name` as a step of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _percent_decoded(text: str) -> str:
    from urllib.parse import unquote

    return unquote(text)
