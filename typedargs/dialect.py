"""The enforced dialect of JSON Schema 2020-12, as a table.

Each row of `KEYWORDS` is one keyword: what its operand must look like, which values it speaks of,
the test that a value fails, and the words for what was expected. `check_schema` holds a schema
against the table; `_compiler` compiles the tests. What has no row is refused, not passed over.

Source: https://json-schema.org/draft/2020-12/json-schema-validation
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeAlias

import attrs
import msgspec

from ._formats import FORMATS
from ._patterns import compile_pattern
from .errors import SchemaError, described, nearest, shown

JSONSchema: TypeAlias = dict[str, Any]

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")

MAX_DEPTH: Final = 100
"""Schemas within schemas that are read; a schema that nests deeper is refused."""

MAX_SHOWN_MEMBERS: Final = 20
"""Members of an `enum` that a message lists."""

MAX_INTEGER_BITS: Final = 14_000
"""Size of an integer in a schema; beyond it lies Python's own limit on writing integers."""

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

Group: TypeAlias = Literal["annotation", "any", "number", "string", "object"]


@attrs.frozen
class Keyword:
    """One row: a keyword, its operand, and the test it makes.

    `complaint` returns what is wrong with an operand, or None. `group` is the kind of value the
    test speaks of; annotations make none. `failure` is a Python expression over `{v}`, the value,
    and `{k}`, the operand as `prepare` returns it: true when the value does not satisfy it.
    """

    name: str
    group: Group
    complaint: Callable[[Any], str | None]
    failure: str = ""
    expected: Callable[[Any], str] = lambda operand: shown(operand)
    prepare: Callable[[Any], Any] = lambda operand: operand


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


_anything: Final[Callable[[Any], str | None]] = lambda _operand: None  # noqa: E731
_a_string: Final = _unless(lambda o: isinstance(o, str), "a string")
_a_number: Final = _unless(_is_number, "a number")
_a_boolean: Final = _unless(lambda o: isinstance(o, bool), "true or false")
_a_length: Final = _unless(
    lambda o: _is_number(o) and o >= 0 and o == int(o), "an integer of at least 0"
)
_a_list: Final = _unless(lambda o: isinstance(o, list) and bool(o), "a list with a member")
_string_list: Final = _unless(_strings, "a list of different strings")
_a_token: Final = _unless(
    lambda o: isinstance(o, str) and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", o) is not None,
    "a header name (RFC 9110 token)",
)


def _type_complaint(operand: Any) -> str | None:
    names = operand if isinstance(operand, list) else [operand]
    if names and _strings(names) and all(name in TYPES for name in names):
        return None
    return f"must be one of {', '.join(TYPES)}, or a list of them, got {shown(operand)}"


def _pattern_complaint(operand: Any) -> str | None:
    if not isinstance(operand, str):
        return f"must be a regular expression, got {shown(operand)}"
    try:
        compile_pattern(operand)
    except ValueError as error:
        return f"must be a regular expression, got {shown(operand)}: {error}"
    return None


def _format_complaint(operand: Any) -> str | None:
    if isinstance(operand, str) and operand in FORMATS:
        return None
    return f"must be a format that is enforced ({', '.join(FORMATS)}), got {shown(operand)}"


def characters(count: int, bound: str) -> str:
    """Return `count` characters in words, with `bound` before them."""
    return f"{bound} {count} character{'' if count == 1 else 's'}"


def one_of(values: list[Any]) -> str:
    """Return the members of an `enum` in words."""
    if len(values) == 1:
        return shown(values[0])
    text = f"one of {', '.join(map(shown, values[:MAX_SHOWN_MEMBERS]))}"
    more = len(values) - MAX_SHOWN_MEMBERS
    return text if more <= 0 else f"{text} and {more} more"


_ROWS: Final = (
    Keyword("$schema", "annotation", _unless(lambda o: o in (DRAFT, f"{DRAFT}#"), f'"{DRAFT}"')),
    Keyword("$comment", "annotation", _a_string),
    Keyword("type", "any", _type_complaint),
    Keyword("title", "annotation", _a_string),
    Keyword("description", "annotation", _a_string),
    Keyword("enum", "any", _a_list, "not json_member({v}, {k})", one_of),
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
    Keyword(
        "minLength",
        "string",
        _a_length,
        "len({v}) < {k}",
        lambda o: characters(int(o), "at least"),
    ),
    Keyword(
        "maxLength",
        "string",
        _a_length,
        "len({v}) > {k}",
        lambda o: characters(int(o), "at most"),
    ),
    Keyword(
        "pattern",
        "string",
        _pattern_complaint,
        "{k}({v}) is None",
        lambda o: f"a match of the pattern {o}",
        lambda o: compile_pattern(o).search,
    ),
    Keyword(
        "format",
        "string",
        _format_complaint,
        "not {k}({v})",
        lambda o: FORMATS[o].expected,
        lambda o: FORMATS[o].matches,
    ),
    Keyword("properties", "object", _unless(lambda o: isinstance(o, dict), "an object")),
    Keyword("required", "object", _string_list),
    Keyword("additionalProperties", "object", _a_boolean),
    Keyword("default", "annotation", _anything),
    Keyword("examples", "annotation", _unless(lambda o: isinstance(o, list), "a list")),
    Keyword("deprecated", "annotation", _a_boolean),
    Keyword("x-mcp-header", "annotation", _a_token),
)

KEYWORDS: Final[Mapping[str, Keyword]] = {row.name: row for row in _ROWS}


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
            raise SchemaError(_TOO_DEEP) from None
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
    if pointer.count("/") > 2 * MAX_DEPTH:
        raise SchemaError(_TOO_DEEP)
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
    check_parsed(parse_schema(schema), "")


def check_parsed(schema: object, pointer: str, depth: int = 0) -> None:
    """Do the work of `check_schema` on a parsed schema that stands at `pointer`."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        at = pointer or "the root"
        raise SchemaError(
            f"a schema must be an object, true or false; at {at} it is {shown(schema)}",
            pointer=pointer,
        )
    if depth > MAX_DEPTH:
        raise SchemaError(_TOO_DEEP)
    for name, operand in schema.items():
        here = f"{pointer}/{escaped(name)}"
        row = KEYWORDS.get(name)
        if row is None:
            raise SchemaError(_outside(name, here), keyword=name, pointer=here)
        complaint = row.complaint(operand)
        if complaint is not None:
            raise SchemaError(f'"{name}" at {here} {complaint}', keyword=name, pointer=here)
    for name, subschema in schema.get("properties", {}).items():
        check_parsed(subschema, f"{pointer}/properties/{escaped(name)}", depth + 1)


_TOO_DEEP: Final = f"the schema is nested too deeply: more than {MAX_DEPTH} schemas in each other"


def _plain_text(text: str, pointer: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise _no_json(f"the text {text!r}", pointer)
    return str.__str__(text)


def _no_json(what: str, pointer: str) -> SchemaError:
    return SchemaError(
        f"the schema cannot be written as JSON: {what} at {pointer or 'the root'}", pointer=pointer
    )


def _outside(name: str, pointer: str) -> str:
    close = nearest(name, KEYWORDS)
    hint = f' (did you mean "{close}"?)' if close else ""
    return (
        f'"{name}" at {pointer} is outside the enforced dialect of JSON Schema{hint}; '
        "leave it out, or register the tool with application_validated=True "
        "and validate in the handler"
    )


def escaped(name: str) -> str:
    """Return `name` as a step of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")
