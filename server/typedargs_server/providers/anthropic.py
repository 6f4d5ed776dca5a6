"""What Anthropic makes of tools, and what its strict mode does."""

from typing import Final

from . import finders
from .rule import GITHUB, REFUSED, Rule

_ANTHROPIC_SDK: Final = (
    f"{GITHUB}/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/_parse/_transform.py"
)

RULES: Final = (
    Rule(
        "anthropic/name",
        "a tool name that is not 1 to 128 of a-z A-Z 0-9 _ -",
        REFUSED,
        "400: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        f"{GITHUB}/modelcontextprotocol/modelcontextprotocol/issues/1345",
        finders.name_unlike(r"[a-zA-Z0-9_-]{1,128}"),
    ),
    Rule(
        "anthropic/name-length",
        "a tool name of more than 64 characters",
        REFUSED,
        "Claude Desktop: FrontendRemoteMcpToolDefinition.name should match '^[a-zA-Z0-9_-]{1,64}$'",
        f"{GITHUB}/malloydata/publisher/pull/543",
        finders.name_longer(64),
        reported=True,
    ),
    Rule(
        "anthropic/root-combinator",
        "oneOf, allOf or anyOf at the root",
        REFUSED,
        "400: input_schema does not support oneOf, allOf, or anyOf at the top level",
        f"{GITHUB}/anthropics/claude-code/issues/5319",
        finders.root_with("oneOf", "allOf", "anyOf"),
    ),
    Rule(
        "anthropic/argument",
        "an argument's name that is not 1 to 64 of a-z A-Z 0-9 _ . -",
        REFUSED,
        "400: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
        f"{GITHUB}/anthropics/claude-code/issues/79418",
        finders.argument_unlike(r"[a-zA-Z0-9_.-]{1,64}"),
    ),
    Rule(
        "anthropic/old-form",
        "a form of older drafts, such as a list for items",
        REFUSED,
        "400: JSON schema is invalid. It must match JSON Schema draft 2020-12",
        f"{GITHUB}/kintone/mcp-server/issues/553",
        finders.old_forms,
    ),
)


STRICT_RULES: Final = (
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
        f"{GITHUB}/ghostlobster/memorize-everything/issues/93",
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
