"""What providers and clients are known to refuse, drop or ignore in a tool: one row each.

A row says what it looks for, what becomes of it, and where that is known from. `reported` rows
stand on what users met, and may have been mended since; the others on the provider's own words:
its documentation, its code, or its error message. Add a row with its source, or leave it.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final

import attrs

from . import finders
from .finders import ToolFinder, ToolView


class Consequence(Enum):
    """What becomes of what a rule looks for."""

    REFUSED = "refused"
    """An error; as a rule the whole request fails, with all its tools."""
    DROPPED = "dropped"
    """Left out, so that the model does not see it."""
    IGNORED = "ignored"
    """Passed over, or only warned of."""


@attrs.frozen
class Rule:
    """One row. `find` looks at one tool, `find_all` at all of them together."""

    id: str
    looks_for: str
    consequence: Consequence
    says: str
    source: str
    find: ToolFinder | None = None
    find_all: Callable[[Sequence[ToolView]], Iterator[str]] | None = None
    reported: bool = False

    @property
    def provider(self) -> str:
        """Whose rule it is: the part of the id before the slash."""
        return self.id.partition("/")[0]


REFUSED, DROPPED, IGNORED = Consequence.REFUSED, Consequence.DROPPED, Consequence.IGNORED

_GITHUB: Final = "https://github.com"
_STRUCTURED: Final = "https://developers.openai.com/api/docs/guides/structured-outputs"
_VERTEX: Final = (
    "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration"
)
_COPILOT: Final = (
    f"{_GITHUB}/microsoft/vscode-copilot-chat/blob/main/"
    "src/extension/tools/common/toolSchemaNormalizer.ts"
)
_ANTHROPIC_SDK: Final = (
    f"{_GITHUB}/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py"
)

_OPENAI: Final = (
    Rule(
        "openai/name",
        "a tool name with other characters than a-z A-Z 0-9 _ -",
        REFUSED,
        "400: string does not match pattern '^[a-zA-Z0-9_-]+$'",
        f"{_GITHUB}/openai/codex/issues/8174",
        finders.name_unlike(r"[a-zA-Z0-9_-]+"),
    ),
    Rule(
        "openai/name-length",
        "a tool name of more than 64 characters",
        REFUSED,
        "the API reference: a-z, A-Z, 0-9, underscores and dashes, with a maximum length of 64",
        "https://docs.rs/crate/openai-client-base/0.12.0/source/docs/ChatCompletionFunctions.md",
        finders.name_longer(64),
    ),
    Rule(
        "openai/tools",
        "more than 128 tools",
        REFUSED,
        "400: Invalid 'tools': array too long. Expected an array with maximum length 128",
        f"{_GITHUB}/zed-industries/zed/issues/42393",
        find_all=finders.more_tools(128),
    ),
    Rule(
        "openai/root-type",
        "a root that is not of type object",
        REFUSED,
        "400: schema must be a JSON Schema of 'type: \"object\"'",
        f"{_GITHUB}/chatanywhere/GPT_API_free/issues/403",
        finders.root_not_object,
    ),
    Rule(
        "openai/root-combinator",
        "oneOf, anyOf, allOf, enum or not at the root",
        REFUSED,
        "400: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' "
        "at the top level",
        f"{_GITHUB}/langchain-ai/langchainjs/issues/9804",
        finders.root_with("oneOf", "anyOf", "allOf", "enum", "not"),
    ),
    Rule(
        "openai/root-properties",
        "a root without properties",
        REFUSED,
        "400: In context=(), object schema missing properties",
        f"{_GITHUB}/github/copilot-cli/issues/2223",
        finders.root_without_properties,
        reported=True,
    ),
    Rule(
        "openai/array-items",
        "an array without items",
        REFUSED,
        "400: In context=('properties', 'configs'), array schema missing items",
        f"{_GITHUB}/streamnative/streamnative-mcp-server/issues/26",
        finders.array_without_items,
    ),
    Rule(
        "openai/untyped-keys",
        "additionalProperties whose schema has no type",
        REFUSED,
        "400: In context=('properties', 'queryBody', 'additionalProperties'), schema must have a "
        "'type' key",
        f"{_GITHUB}/chattermate/chattermate.chat/issues/303",
        finders.untyped_keys,
        reported=True,
    ),
)

_OPENAI_STRICT: Final = (
    Rule(
        "openai-strict/optional",
        "a declared key that is not required",
        REFUSED,
        "all fields or function parameters must be specified as required",
        _STRUCTURED,
        finders.optional_keys,
    ),
    Rule(
        "openai-strict/open-object",
        "an object without additionalProperties: false",
        REFUSED,
        "additionalProperties: false must always be set in objects",
        _STRUCTURED,
        finders.open_objects,
    ),
    Rule(
        "openai-strict/keyword",
        "allOf, not, dependentRequired, dependentSchemas, if, then or else",
        REFUSED,
        "listed there as not supported",
        _STRUCTURED,
        finders.keyword_of(
            "allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"
        ),
    ),
    Rule(
        "openai-strict/one-of",
        "oneOf",
        REFUSED,
        "not among the supported types; 400: 'oneOf' is not permitted",
        f"{_GITHUB}/cecli-dev/cecli/issues/281",
        finders.keyword_of("oneOf"),
        reported=True,
    ),
    Rule(
        "openai-strict/default",
        "default",
        REFUSED,
        "400: In context=('properties', 'placeholder'), 'default' is not permitted",
        "https://zenn.dev/nicopin/scraps/a8d8f53f5faebb",
        finders.keyword_of("default"),
        reported=True,
    ),
    Rule(
        "openai-strict/format",
        "a format but date-time, time, date, duration, email, hostname, ipv4, ipv6, uuid",
        REFUSED,
        "the formats that are listed as supported",
        _STRUCTURED,
        finders.format_outside(
            {
                *("date-time", "time", "date", "duration", "email", "hostname"),
                *("ipv4", "ipv6", "uuid"),
            }
        ),
    ),
    Rule(
        "openai-strict/depth",
        "objects nested more than 10 levels deep",
        REFUSED,
        "up to 5000 object properties total, with up to 10 levels of nesting",
        _STRUCTURED,
        finders.deeper(10),
    ),
    Rule(
        "openai-strict/keys",
        "more than 5000 declared keys",
        REFUSED,
        "up to 5000 object properties total, with up to 10 levels of nesting",
        _STRUCTURED,
        finders.more_in("keys", 5000, finders.keys_in),
    ),
    Rule(
        "openai-strict/values",
        "more than 1000 enum values",
        REFUSED,
        "up to 1000 enum values across all enum properties",
        _STRUCTURED,
        finders.more_in("values", 1000, finders.values_in),
    ),
    Rule(
        "openai-strict/size",
        "more than 120000 characters of keys, definitions' names and values",
        REFUSED,
        "total string length of all property names, definition names, enum values, and const "
        "values cannot exceed 120,000 characters",
        _STRUCTURED,
        finders.more_in("characters", 120_000, finders.characters_in),
    ),
)

_ANTHROPIC: Final = (
    Rule(
        "anthropic/name",
        "a tool name that is not 1 to 128 of a-z A-Z 0-9 _ -",
        REFUSED,
        "400: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        f"{_GITHUB}/modelcontextprotocol/modelcontextprotocol/issues/1345",
        finders.name_unlike(r"[a-zA-Z0-9_-]{1,128}"),
    ),
    Rule(
        "anthropic/name-length",
        "a tool name of more than 64 characters",
        REFUSED,
        "Claude Desktop: FrontendRemoteMcpToolDefinition.name should match "
        "'^[a-zA-Z0-9_-]{1,64}$'; some clients count a prefix of theirs too",
        f"{_GITHUB}/malloydata/publisher/pull/543",
        finders.name_longer(64),
        reported=True,
    ),
    Rule(
        "anthropic/root-combinator",
        "oneOf, allOf or anyOf at the root",
        REFUSED,
        "400: input_schema does not support oneOf, allOf, or anyOf at the top level",
        f"{_GITHUB}/anthropics/claude-code/issues/5319",
        finders.root_with("oneOf", "allOf", "anyOf"),
    ),
    Rule(
        "anthropic/argument",
        "an argument's name that is not 1 to 64 of a-z A-Z 0-9 _ . -",
        REFUSED,
        "400: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        f"{_GITHUB}/anthropics/claude-code/issues/79418",
        finders.argument_unlike(r"[a-zA-Z0-9_.-]{1,64}"),
    ),
    Rule(
        "anthropic/old-form",
        "a form of older drafts, such as a list for items",
        REFUSED,
        "400: JSON schema is invalid. It must match JSON Schema draft 2020-12",
        f"{_GITHUB}/kintone/mcp-server/issues/553",
        finders.old_forms,
    ),
)

_ANTHROPIC_STRICT: Final = (
    Rule(
        "anthropic-strict/open-object",
        "an object without additionalProperties: false",
        REFUSED,
        "the SDK sets it to false in each object",
        _ANTHROPIC_SDK,
        finders.open_objects,
    ),
    Rule(
        "anthropic-strict/bound",
        "a bound on a number, on a length, or on a count",
        REFUSED,
        "not supported; the SDK moves them into the description",
        _ANTHROPIC_SDK,
        finders.keyword_of(
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
            *("minLength", "maxLength", "maxItems", "uniqueItems"),
            *("minProperties", "maxProperties"),
        ),
    ),
    Rule(
        "anthropic-strict/min-items",
        "minItems of 2 or more",
        REFUSED,
        "For 'array' type, 'minItems' values other than 0 or 1 are not supported",
        f"{_GITHUB}/ghostlobster/memorize-everything/issues/93",
        finders.many_least_items,
    ),
    Rule(
        "anthropic-strict/format",
        "a format but date-time, time, date, duration, email, hostname, uri, ipv4, ipv6, uuid",
        REFUSED,
        "the SDK's list of supported string formats",
        _ANTHROPIC_SDK,
        finders.format_outside(
            {
                *("date-time", "time", "date", "duration", "email", "hostname"),
                *("uri", "ipv4", "ipv6", "uuid"),
            }
        ),
    ),
)

_GEMINI_KEYWORDS: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "enum", "items", "anyOf"),
        *("properties", "required", "minItems", "maxItems", "minimum", "maximum"),
        *("minLength", "maxLength", "pattern", "minProperties", "maxProperties"),
        *("default", "example", "propertyOrdering"),
    }
)

_GEMINI: Final = (
    Rule(
        "gemini/name",
        "a tool name that does not start with a letter or _, or has others than a-z A-Z 0-9 _ . -, "
        "or more than 64 characters",
        REFUSED,
        "must start with a letter or an underscore; a-z, A-Z, 0-9, underscores, dots and dashes, "
        "with a maximum length of 64",
        _VERTEX,
        finders.name_unlike(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"),
    ),
    Rule(
        "gemini/argument",
        "an argument's name that does not start with a letter or _, or has others than "
        "a-z A-Z 0-9 _, or more than 64 characters",
        REFUSED,
        "parameter names must start with a letter or an underscore and must only contain chars "
        "a-z, A-Z, 0-9, or underscores with a maximum length of 64",
        _VERTEX,
        finders.argument_unlike(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}"),
    ),
    Rule(
        "gemini/tools",
        "more than 128 tools",
        REFUSED,
        "a maximum of 128 function declarations with each request",
        "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/function-calling",
        find_all=finders.more_tools(128),
    ),
    Rule(
        "gemini/keyword",
        "a keyword outside the subset of OpenAPI's schema",
        REFUSED,
        '400: Invalid JSON payload received. Unknown name "const": Cannot find field; from '
        "clients that send the schema as `parameters`, and not as `parametersJsonSchema`",
        f"{_GITHUB}/zed-industries/zed/issues/45552",
        finders.keyword_outside(_GEMINI_KEYWORDS | {"$ref", "$defs"}),
    ),
    Rule(
        "gemini/ref",
        "$ref or $defs",
        REFUSED,
        '400: Unknown name "$defs" ... Cannot find field; newer: if a schema node has $ref set, '
        "then only description and default can be set alongside it",
        f"{_GITHUB}/pydantic/pydantic-ai/issues/1598",
        finders.keyword_of("$ref", "$defs"),
    ),
    Rule(
        "gemini/recursive",
        "a schema that contains itself",
        REFUSED,
        "any tool that has a cyclic schema fails with 400",
        f"{_GITHUB}/google-gemini/gemini-cli/issues/14945",
        finders.recursive,
        reported=True,
    ),
    Rule(
        "gemini/type-list",
        "a list of types",
        REFUSED,
        '400: Unknown name "type": Proto field is not repeating, cannot start list',
        f"{_GITHUB}/zed-industries/zed/issues/44875",
        finders.list_of_types,
    ),
    Rule(
        "gemini/no-type",
        "a schema without a type",
        REFUSED,
        "400: schema didn't specify the schema type field",
        f"{_GITHUB}/google-gemini/gemini-cli/issues/4400",
        finders.without_type,
    ),
    Rule(
        "gemini/enum",
        "an enum of other values than strings",
        REFUSED,
        "400: enum: only allowed for STRING type; Invalid value (TYPE_STRING), 2",
        f"{_GITHUB}/microsoft/azure-devops-mcp/issues/145",
        finders.values_not_strings,
    ),
    Rule(
        "gemini/format",
        "a string's format but date-time and enum",
        REFUSED,
        "400: only 'enum' and 'date-time' are supported for STRING type",
        f"{_GITHUB}/google-gemini/gemini-cli/issues/3178",
        finders.format_outside({"enum", "date-time"}),
        reported=True,
    ),
    Rule(
        "gemini/any-of",
        "anyOf with keywords beside it",
        REFUSED,
        "400 of Vertex: When using any_of, it must be the only field set",
        f"{_GITHUB}/patlux/pi-commandcode-provider/pull/103",
        finders.choice_not_alone,
        reported=True,
    ),
    Rule(
        "gemini/object-keys",
        "an object below the root that declares no key",
        REFUSED,
        "400: properties: should be non-empty for OBJECT type",
        f"{_GITHUB}/MarkusPfundstein/mcp-obsidian/issues/21",
        finders.object_without_keys,
        reported=True,
    ),
    Rule(
        "gemini/no-object",
        "properties or required where the type is not object",
        REFUSED,
        "400: properties: only allowed for OBJECT type",
        f"{_GITHUB}/anomalyco/opencode/issues/11889",
        finders.keys_of_no_object,
    ),
    Rule(
        "gemini/default",
        "default",
        IGNORED,
        "included here and ignored so that developers who send schemas with a default field "
        "don't get unknown-field errors",
        "https://hexdocs.pm/geminix/Geminix.V1beta.Schema.html",
        finders.keyword_of("default"),
    ),
)

_VSCODE: Final = (
    Rule(
        "vscode/name",
        "a tool name with other characters than a-z A-Z 0-9 _ -",
        IGNORED,
        "a warning: Tools names may only contain [a-z0-9_-]; the tools still work",
        f"{_GITHUB}/microsoft/vscode/issues/308463",
        finders.name_unlike(r"[a-zA-Z0-9_-]+"),
    ),
    Rule(
        "vscode/name-length",
        "a tool name of more than 64 characters",
        REFUSED,
        "limits tool names to 64 chars; as we prefix them, we generate names that are too long, "
        "which can result in 400 errors",
        f"{_GITHUB}/microsoft/vscode/issues/243602",
        finders.name_longer(64),
        reported=True,
    ),
    Rule(
        "vscode/tools",
        "more than 128 tools",
        REFUSED,
        "a chat request can have a maximum of 128 tools enabled at a time",
        "https://code.visualstudio.com/docs/agents/agent-tools",
        find_all=finders.more_tools(128),
    ),
    Rule(
        "vscode/description",
        "a tool without a description",
        IGNORED,
        "shown as 'No description provided'; a warning: tools must be accurately described to be "
        "called",
        _COPILOT,
        finders.no_description,
    ),
    Rule(
        "vscode/array-items",
        "an array without items",
        REFUSED,
        "Failed to validate tool: tool parameters array type must have items",
        f"{_GITHUB}/microsoft/vscode/issues/246119",
        finders.array_without_items,
    ),
    Rule(
        "vscode/root-combinator",
        "oneOf, anyOf, allOf, not, if, then or else at the root",
        DROPPED,
        "deleted, for it fails both for claude and 4o",
        _COPILOT,
        finders.root_with("oneOf", "anyOf", "allOf", "not", "if", "then", "else"),
    ),
    Rule(
        "vscode/required",
        "a required key that is not declared",
        DROPPED,
        "taken out of required",
        _COPILOT,
        finders.undeclared_required,
    ),
    Rule(
        "vscode/gpt-4-keyword",
        "a bound, pattern, format or default",
        DROPPED,
        "deleted for models of the gpt-4 family",
        _COPILOT,
        finders.keyword_of(
            *("minLength", "maxLength", "pattern", "default", "format"),
            *("minimum", "maximum", "multipleOf", "patternProperties"),
            *("unevaluatedProperties", "propertyNames", "minProperties", "maxProperties"),
            *("unevaluatedItems", "contains", "minContains", "maxContains"),
            *("minItems", "maxItems", "uniqueItems"),
        ),
    ),
    Rule(
        "vscode/gpt-4-description",
        "a description in the schema of more than 1024 characters",
        DROPPED,
        "cut to 1024 characters for models of the gpt-4 family",
        _COPILOT,
        finders.description_longer(1024),
    ),
)

RULES: Final[Sequence[Rule]] = (
    *_OPENAI,
    *_OPENAI_STRICT,
    *_ANTHROPIC,
    *_ANTHROPIC_STRICT,
    *_GEMINI,
    *_VSCODE,
)

PROVIDERS: Final = ("openai", "anthropic", "gemini", "vscode")
"""Those that are checked where none is named."""

MODES: Final = {"openai-strict": "openai", "anthropic-strict": "anthropic"}
"""Modes that a caller of the provider may choose, each with the provider whose rules hold too."""
