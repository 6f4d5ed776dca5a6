"""What OpenAI makes of tools, and what its strict mode does."""

from typing import Final

from . import finders
from .rule import GITHUB, REFUSED, Rule

_STRUCTURED: Final = "https://developers.openai.com/api/docs/guides/structured-outputs"

RULES: Final = (
    Rule(
        "openai/name",
        "a tool name with other characters than a-z A-Z 0-9 _ -",
        REFUSED,
        "400: string does not match pattern '^[a-zA-Z0-9_-]+$'",
        f"{GITHUB}/openai/codex/issues/8174",
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
        f"{GITHUB}/zed-industries/zed/issues/42393",
        find_all=finders.more_tools(128),
    ),
    Rule(
        "openai/root-type",
        "a root that is not of type object",
        REFUSED,
        "400: schema must be a JSON Schema of 'type: \"object\"'",
        f"{GITHUB}/chatanywhere/GPT_API_free/issues/403",
        finders.root_not_object,
    ),
    Rule(
        "openai/root-combinator",
        "oneOf, anyOf, allOf, enum or not at the root",
        REFUSED,
        "400: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' "
        "at the top level",
        f"{GITHUB}/langchain-ai/langchainjs/issues/9804",
        finders.root_with("oneOf", "anyOf", "allOf", "enum", "not"),
    ),
    Rule(
        "openai/root-properties",
        "a root without properties",
        REFUSED,
        "400: In context=(), object schema missing properties",
        f"{GITHUB}/github/copilot-cli/issues/2223",
        finders.root_without_properties,
        reported=True,
    ),
    Rule(
        "openai/array-items",
        "an array without items",
        REFUSED,
        "400: In context=('properties', 'configs'), array schema missing items",
        f"{GITHUB}/streamnative/streamnative-mcp-server/issues/26",
        finders.array_without_items,
    ),
    Rule(
        "openai/untyped-keys",
        "additionalProperties whose schema has no type",
        REFUSED,
        "400: In context=('properties', 'queryBody', 'additionalProperties'), schema must have a "
        "'type' key",
        f"{GITHUB}/chattermate/chattermate.chat/issues/303",
        finders.untyped_keys,
        reported=True,
    ),
)


STRICT_RULES: Final = (
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
        "the supported types are String, Number, Boolean, Integer, Object, Array, Enum and anyOf",
        _STRUCTURED,
        finders.keyword_of("oneOf"),
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
