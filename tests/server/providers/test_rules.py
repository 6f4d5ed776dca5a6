"""What each rule finds, and what it passes over."""

from typing import Any

import pytest

from typedargs_server.plain import plain_schema
from typedargs_server.providers import (
    MODES,
    PROVIDERS,
    RULES,
    Consequence,
    PlainNotes,
    check,
    data_of,
    is_refused,
    text_of,
)

EVERYONE = [*PROVIDERS, *MODES]

S: dict[str, Any] = {"type": "string"}
GOOD = {
    "type": "object",
    "properties": {"a": S, "b": {"type": "array", "items": {"type": "number"}}},
    "required": ["a", "b"],
    "additionalProperties": False,
}


def tool(schema: Any = None, **members: Any) -> dict[str, Any]:
    given = {"type": "object", "properties": {}} if schema is None else schema
    return {"name": "t", "description": "d", "inputSchema": given, **members}


def takes(argument: Any, **keywords: Any) -> dict[str, Any]:
    return tool({"type": "object", "properties": {"a": argument}, **keywords})


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = S
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


LONG = "n" * 65
RECURSIVE = {"$ref": "#/$defs/n"}
TREE = {"n": {"type": "object", "properties": {"more": dict(RECURSIVE)}}}

CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("openai/name", tool(name="a.b"), ['name "a.b"']),
    ("openai/name-length", tool(name=LONG), ["name of 65 characters"]),
    ("openai/root-type", tool({}), ["type null at the root"]),
    (
        "openai/root-combinator",
        tool({**GOOD, "oneOf": [], "not": {}}),
        ["oneOf at the root", "not at the root"],
    ),
    ("openai/root-properties", tool({"type": "object"}), ["no properties at the root"]),
    ("openai/array-items", takes({"type": "array"}), ["/properties/a"]),
    (
        "openai/untyped-keys",
        takes({"type": "object", "additionalProperties": {}}),
        ["/properties/a/additionalProperties"],
    ),
    ("openai-strict/optional", takes(S), ["/properties/a"]),
    ("openai-strict/open-object", takes(S), ["/"]),
    (
        "openai-strict/keyword",
        takes({"allOf": [{"if": True}]}),
        ["/properties/a/allOf", "/properties/a/allOf/0/if"],
    ),
    ("openai-strict/one-of", takes({"oneOf": [S]}), ["/properties/a/oneOf"]),
    ("openai-strict/default", takes({"default": 1}), ["/properties/a/default"]),
    ("openai-strict/format", takes({**S, "format": "uri"}), ['/properties/a/format "uri"']),
    ("openai-strict/depth", tool(nested(11)), ["12 levels"]),
    (
        "openai-strict/keys",
        tool({"type": "object", "properties": {f"k{at}": S for at in range(5001)}}),
        ["5001 keys"],
    ),
    ("openai-strict/values", takes({"enum": list(range(1001))}), ["1001 values"]),
    ("openai-strict/size", takes({"const": "x" * 120_000}), ["120001 characters"]),
    ("anthropic/name", tool(name="a.b"), ['name "a.b"']),
    ("anthropic/name-length", tool(name=LONG), ["name of 65 characters"]),
    ("anthropic/root-combinator", tool({**GOOD, "allOf": []}), ["allOf at the root"]),
    (
        "anthropic/argument",
        tool({"type": "object", "properties": {"a b": S, "a.b": S}}),
        ['argument "a b"'],
    ),
    (
        "anthropic/old-form",
        takes({"type": "array", "items": [S], "exclusiveMinimum": True}),
        ["/properties/a/items is a list", "/properties/a/exclusiveMinimum is a boolean"],
    ),
    ("anthropic-strict/open-object", takes(S), ["/"]),
    ("anthropic-strict/bound", takes({**S, "minLength": 1}), ["/properties/a/minLength"]),
    (
        "anthropic-strict/min-items",
        takes({"type": "array", "minItems": 2}),
        ["/properties/a/minItems"],
    ),
    ("anthropic-strict/format", takes({**S, "format": "regex"}), ['/properties/a/format "regex"']),
    ("gemini/name", tool(name="1st"), ['name "1st"']),
    (
        "gemini/argument",
        tool({"type": "object", "properties": {"a-b": S, "_a": S}}),
        ['argument "a-b"'],
    ),
    (
        "gemini/keyword",
        takes({"const": "x"}, additionalProperties=False),
        ["/additionalProperties", "/properties/a/const"],
    ),
    (
        "gemini/ref",
        takes({"$ref": "#/$defs/d"}, **{"$defs": {"d": S}}),
        ["/$defs", "/properties/a/$ref"],
    ),
    (
        "gemini/recursive",
        takes(RECURSIVE, **{"$defs": TREE}),
        ["/properties/a/$ref/properties/more/$ref"],
    ),
    (
        "gemini/type-list",
        takes({"type": ["string", "null"]}),
        ['/properties/a/type ["string", "null"]'],
    ),
    (
        "gemini/no-type",
        tool({"type": "object", "properties": {"a": {"description": "d"}, "b": True}}),
        ["/properties/b", "/properties/a"],
    ),
    (
        "gemini/enum",
        tool({"type": "object", "properties": {"a": {"enum": [1]}, "b": {"enum": ["x"]}}}),
        ["/properties/a/enum", "/properties/b/enum without type string"],
    ),
    ("gemini/format", takes({**S, "format": "uuid"}), ['/properties/a/format "uuid"']),
    (
        "gemini/any-of",
        takes({"anyOf": [S], "description": "d"}),
        ["/properties/a/anyOf beside description"],
    ),
    ("gemini/object-keys", takes({"type": "object"}), ["/properties/a"]),
    ("gemini/no-object", takes({**S, "required": []}), ["/properties/a/required"]),
    ("gemini/default", takes({**S, "default": "x"}), ["/properties/a/default"]),
    ("vscode/name", tool(name="a.b"), ['name "a.b"']),
    ("vscode/name-length", tool(name=LONG), ["name of 65 characters"]),
    ("vscode/description", tool(description=""), ["no description"]),
    ("vscode/array-items", takes({"type": "array"}), ["/properties/a"]),
    ("vscode/root-combinator", tool({**GOOD, "if": {}}), ["if at the root"]),
    ("vscode/required", takes(S, required=["a", "z"]), ['/required "z"']),
    ("vscode/gpt-4-keyword", takes({**S, "pattern": "a"}), ["/properties/a/pattern"]),
    (
        "vscode/gpt-4-description",
        takes({**S, "description": "d" * 1025}),
        ["/properties/a/description of 1025 characters"],
    ),
]

OF_ALL_TOOLS = ["openai/tools", "gemini/tools", "vscode/tools"]


@pytest.mark.parametrize(("rule", "given", "places"), CASES, ids=[case[0] for case in CASES])
def test_a_rule_finds_what_it_looks_for(
    rule: str, given: dict[str, Any], places: list[str]
) -> None:
    found = {finding.rule.id: list(finding.places) for finding in check([given], EVERYONE)}
    assert found[rule] == places


def test_nothing_is_found_in_a_tool_that_all_take() -> None:
    found = check([tool(GOOD)], EVERYONE)
    assert [finding.rule.id for finding in found] == ["gemini/keyword"]
    plain = {key: each for key, each in GOOD.items() if key != "additionalProperties"}
    assert check([tool(plain)], PROVIDERS) == []


@pytest.mark.parametrize("rule", OF_ALL_TOOLS)
def test_too_many_tools_are_found(rule: str) -> None:
    tools = [tool(name=f"t{at}") for at in range(129)]
    provider = rule.partition("/")[0]
    (finding,) = check(tools, [provider])
    assert (finding.tool, finding.rule.id, finding.places) == (None, rule, ["129 tools"])
    assert check(tools[1:], [provider]) == []


def test_every_rule_has_a_case() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == list(dict.fromkeys(ids))
    assert {rule for rule, _, _ in CASES} | set(OF_ALL_TOOLS) == set(ids)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_has_a_provider_and_a_source(rule: Any) -> None:
    assert rule.provider in EVERYONE
    assert rule.source.startswith("https://")
    assert rule.says


def test_a_mode_has_the_rules_of_its_provider_too() -> None:
    found = {finding.rule.provider for finding in check([tool({}, name="a.b")], ["openai-strict"])}
    assert found == {"openai"}


TEXT = """\
order
  refused  anthropic/root-combinator  oneOf at the root
  dropped  vscode/root-combinator     oneOf at the root

plain=True would not show:
  order  / oneOf: said in the description; the keys of all are optional

anthropic/root-combinator: oneOf, allOf or anyOf at the root
  known: 400: input_schema does not support oneOf, allOf, or anyOf at the top level
  https://github.com/anthropics/claude-code/issues/5319
vscode/root-combinator: oneOf, anyOf, allOf, not, if, then or else at the root
  known: deleted, for it fails both for claude and 4o
  https://github.com/microsoft/vscode-copilot-chat/blob/main/\
src/extension/tools/common/toolSchemaNormalizer.ts"""


def test_findings_are_shown_by_tool_with_the_source_of_each_rule() -> None:
    schema = {**GOOD, "additionalProperties": True, "oneOf": [{"required": ["a"]}]}
    findings = check([tool(schema, name="order")], ["anthropic", "vscode"])
    plain = PlainNotes({"order": plain_schema(schema)[1]}, in_use=False)
    assert text_of(findings, plain, ["order"]) == TEXT
    assert is_refused(findings)


def test_many_places_are_counted() -> None:
    schema = {"type": "object", "properties": {f"k{at}": {"type": ["null"]} for at in range(9)}}
    text = text_of(check([tool(schema)], ["gemini"]), PlainNotes({}, in_use=False), ["t"])
    assert '/properties/k3/type ["null"] and 5 more' in text


def test_nothing_found_is_said() -> None:
    text = text_of([], PlainNotes({}, in_use=True), ["a", "b"])
    assert text == "Nothing is known to be refused, dropped or ignored in 2 tools."


def test_findings_for_machines_name_rules_and_sources() -> None:
    data = data_of(check([tool(name="a.b")], ["vscode"]), PlainNotes({}, in_use=False))
    assert data == {
        "refused": False,
        "findings": [
            {
                "tool": "a.b",
                "rule": "vscode/name",
                "consequence": Consequence.IGNORED.value,
                "places": ['name "a.b"'],
            }
        ],
        "rules": {
            "vscode/name": {
                "looksFor": "a tool name with other characters than a-z A-Z 0-9 _ -",
                "consequence": "ignored",
                "says": "a warning: Tools names may only contain [a-z0-9_-]; the tools still work",
                "reported": False,
                "source": "https://github.com/microsoft/vscode/issues/308463",
            }
        },
        "plain": {"inUse": False, "losses": {}},
    }
