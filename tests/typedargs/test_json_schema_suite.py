"""The JSON Schema Test Suite: every schema is refused by keyword, or every verdict agrees.

`python -m pytest tests/typedargs/test_json_schema_suite.py -rP` prints the counts of each file.
"""

from collections import Counter
from typing import Any

import pytest

from tests.json_schema_suite import files, groups
from typedargs import SchemaError, ValidationError, compile_schema

# fmt: off
CLAIMED = frozenset({
    "type", "description", "title", "properties", "required", "enum", "const", "default",
    "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "items",
    "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
    "maxContains", "additionalProperties", "patternProperties", "propertyNames",
    "minProperties", "maxProperties", "dependentRequired", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "format", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$defs",
    "$anchor", "x-mcp-header",
})
# fmt: on
"""The keywords that are enforced; a schema may be refused for any other."""

FORMATS = (
    "date",
    "date-time",
    "duration",
    "ecmascript-regex",
    "email",
    "ipv4",
    "ipv6",
    "regex",
    "time",
    "uri",
    "uuid",
)
OPTIONAL = ("anchor", "bignum", "ecmascript-regex", "float-overflow", "non-bmp-regex")

REMOTE = "localhost:1234"
"""Where the suite's remote references point to, which are never fetched."""


def verdict(validate: Any, value: Any) -> bool:
    try:
        validate(value)
    except ValidationError:
        return False
    return True


def compiled(schema: Any, **options: Any) -> Any:
    """Return the validator of `schema`, or the error with which it is refused."""
    try:
        return compile_schema(
            {"allOf": [schema]} if isinstance(schema, bool) else schema, **options
        )
    except SchemaError as error:
        return error


def is_outside(error: SchemaError, schema: Any) -> bool:
    """Tell whether a schema was refused for what the dialect leaves out."""
    match error.keyword:
        case "$ref":
            return "must point into the schema itself" in str(error)
        case "$schema":
            return bool(schema["$schema"] != "https://json-schema.org/draft/2020-12/schema")
        case "format":
            return "must be a format that is enforced" in str(error)
    return error.keyword is not None and error.keyword not in CLAIMED


def run(name: str) -> Counter[str]:
    """Return the counts of a file: verdicts that agreed, schemas refused; fails for a wrong one."""
    counts: Counter[str] = Counter(agreed=0, refused=0, wrong=0)
    wrong: list[str] = []
    for group in groups(name):
        validate = compiled(group["schema"])
        if isinstance(validate, SchemaError):
            assert is_outside(validate, group["schema"]), f"{group['description']}: {validate}"
            counts["refused"] += 1
            continue
        for case in group["tests"]:
            agrees = verdict(validate, case["data"]) == case["valid"]
            counts["agreed" if agrees else "wrong"] += 1
            if not agrees:
                wrong.append(f"{group['description']}: {case['description']}")
    print(f"{name}: {counts['agreed']} agreed, {counts['refused']} refused, {len(wrong)} wrong")
    assert not wrong
    return counts


@pytest.mark.parametrize("name", [name for name in files() if name != "format.json"])
def test_every_verdict_on_a_schema_of_the_dialect_agrees(name: str) -> None:
    run(name)


@pytest.mark.parametrize("name", OPTIONAL)
def test_optional_parts_of_the_standard_agree(name: str) -> None:
    assert run(f"optional/{name}.json")["agreed"] > 0


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_is_claimed_is_enforced(name: str) -> None:
    assert run(f"optional/format/{name}.json")["agreed"] > 0


def test_a_format_is_enforced_where_the_standard_lets_it_be_an_annotation() -> None:
    """The one file that takes formats for annotations: its cases against us are of that kind."""
    for group in groups("format.json"):
        validate = compiled(group["schema"])
        if isinstance(validate, SchemaError):
            assert validate.keyword == "format"
            continue
        for case in group["tests"]:
            as_annotation = "only an annotation" in case["description"]
            assert verdict(validate, case["data"]) is not as_annotation


@pytest.mark.parametrize("name", list(files()))
def test_full_validation_agrees_on_all_but_remote_references(name: str) -> None:
    wrong: list[str] = []
    for group in groups(name):
        validate = compiled(group["schema"], validation="full")
        if isinstance(validate, SchemaError):
            assert REMOTE in str(validate) or "$schema" in str(validate)
            continue
        wrong += [
            f"{group['description']}: {case['description']}"
            for case in group["tests"]
            if verdict(validate, case["data"]) != case["valid"]
        ]
    assert not wrong
