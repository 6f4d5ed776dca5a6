"""What Gemini makes of tools, from clients that send a schema as `parameters`."""

from typing import Final

from . import finders
from .rule import GITHUB, IGNORED, REFUSED, Rule

_VERTEX: Final = (
    "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration"
)

_GEMINI_KEYWORDS: Final = frozenset(
    {
        *("type", "format", "title", "description", "nullable", "enum", "items", "anyOf"),
        *("properties", "required", "minItems", "maxItems", "minimum", "maximum"),
        *("minLength", "maxLength", "pattern", "minProperties", "maxProperties"),
        *("default", "example", "propertyOrdering"),
    }
)

RULES: Final = (
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
        f"{GITHUB}/zed-industries/zed/issues/45552",
        finders.keyword_outside(_GEMINI_KEYWORDS | {"$ref", "$defs"}),
    ),
    Rule(
        "gemini/ref",
        "$ref or $defs",
        REFUSED,
        '400: Invalid JSON payload received. Unknown name "$defs": Cannot find field',
        f"{GITHUB}/pydantic/pydantic-ai/issues/1598",
        finders.keyword_of("$ref", "$defs"),
    ),
    Rule(
        "gemini/recursive",
        "a schema that contains itself",
        REFUSED,
        "any tool that has a cyclic schema fails with 400",
        f"{GITHUB}/google-gemini/gemini-cli/issues/14945",
        finders.recursive,
        reported=True,
    ),
    Rule(
        "gemini/type-list",
        "a list of types",
        REFUSED,
        '400: Unknown name "type": Proto field is not repeating, cannot start list',
        f"{GITHUB}/zed-industries/zed/issues/44875",
        finders.list_of_types,
    ),
    Rule(
        "gemini/no-type",
        "a schema without a type",
        REFUSED,
        "400: schema didn't specify the schema type field",
        f"{GITHUB}/google-gemini/gemini-cli/issues/4400",
        finders.without_type,
    ),
    Rule(
        "gemini/enum",
        "an enum of other values than strings",
        REFUSED,
        "400: function declaration enum only allowed for STRING type",
        f"{GITHUB}/decolua/9router/issues/359",
        finders.values_not_strings,
    ),
    Rule(
        "gemini/format",
        "a string's format but date-time and enum",
        REFUSED,
        "400: only 'enum' and 'date-time' are supported for STRING type",
        f"{GITHUB}/google-gemini/gemini-cli/issues/3178",
        finders.format_outside({"enum", "date-time"}),
        reported=True,
    ),
    Rule(
        "gemini/any-of",
        "anyOf with keywords beside it",
        REFUSED,
        "400 of Vertex: When using any_of, it must be the only field set",
        f"{GITHUB}/patlux/pi-commandcode-provider/pull/103",
        finders.choice_not_alone,
        reported=True,
    ),
    Rule(
        "gemini/object-keys",
        "an object below the root that declares no key",
        REFUSED,
        "400: properties: should be non-empty for OBJECT type",
        f"{GITHUB}/MarkusPfundstein/mcp-obsidian/issues/21",
        finders.object_without_keys,
        reported=True,
    ),
    Rule(
        "gemini/no-object",
        "properties or required where the type is not object",
        REFUSED,
        "400: properties: only allowed for OBJECT type",
        f"{GITHUB}/anomalyco/opencode/issues/11889",
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
