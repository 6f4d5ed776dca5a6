"""What VS Code makes of tools, and its Copilot for the models behind it."""

from typing import Final

from . import finders
from .rule import DROPPED, GITHUB, IGNORED, REFUSED, Rule

_COPILOT: Final = (
    f"{GITHUB}/microsoft/vscode-copilot-chat/blob/main/"
    "src/extension/tools/common/toolSchemaNormalizer.ts"
)

RULES: Final = (
    Rule(
        "vscode/name",
        "a tool name with other characters than a-z A-Z 0-9 _ -",
        IGNORED,
        "a warning: Tools names may only contain [a-z0-9_-]; the tools still work",
        f"{GITHUB}/microsoft/vscode/issues/308463",
        finders.name_unlike(r"[a-zA-Z0-9_-]+"),
    ),
    Rule(
        "vscode/name-length",
        "a tool name of more than 64 characters",
        REFUSED,
        "limits tool names to 64 chars; as we prefix them, we generate names that are too long, "
        "which can result in 400 errors",
        f"{GITHUB}/microsoft/vscode/issues/243602",
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
        "shown to the model as 'No description provided'",
        _COPILOT,
        finders.no_description,
    ),
    Rule(
        "vscode/array-items",
        "an array without items",
        REFUSED,
        "Failed to validate tool: tool parameters array type must have items",
        f"{GITHUB}/microsoft/vscode/issues/246119",
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
