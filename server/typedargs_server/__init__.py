"""A server of the Model Context Protocol whose tools are typed by `typedargs` classes."""

import typing

from .app import (
    MCPServer,
)
from .context import (
    RequestContext,
)
from .definition import (
    Limits,
    Middleware,
    Proceed,
)
from .errors import (
    HeaderMismatch,
    InternalError,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    MissingRequiredClientCapability,
    ParseError,
    RegistrationError,
    ResourceNotFound,
    ServerError,
    ToolError,
    UnsupportedProtocolVersion,
    WireError,
)
from .model import (
    Annotations,
    AudioContent,
    CacheHints,
    ContentBlock,
    EmbeddedResource,
    Icon,
    ImageContent,
    Implementation,
    LoggingLevel,
    ResourceLink,
    TextContent,
    ToolAnnotations,
    ToolResult,
    error_result,
    structured_result,
    text_result,
)
from .state import (
    RequestStates,
    UsedStates,
)
from .tools import (
    Tool,
)

if typing.TYPE_CHECKING:
    from .methods import CustomMethod
    from .prompts import Prompt
    from .questions import (
        Accepted,
        Cancelled,
        Declined,
        Elicit,
        Elicited,
        ElicitUrl,
        ListRoots,
        ModelPreferences,
        Question,
        Root,
        Sample,
        Sampled,
        SamplingMessage,
        SamplingTool,
        ToolResultContent,
        ToolUseContent,
    )
    from .resources import Resource, ResourceTemplate
    from .results import (
        BlobResourceContents,
        CompletionResult,
        PromptMessage,
        PromptResult,
        ResourceContents,
        ResourceResult,
        TextResourceContents,
    )
    from .transports.http import HttpSettings

__all__ = [
    "Accepted",
    "Annotations",
    "AudioContent",
    "BlobResourceContents",
    "CacheHints",
    "Cancelled",
    "CompletionResult",
    "ContentBlock",
    "CustomMethod",
    "Declined",
    "Elicit",
    "ElicitUrl",
    "Elicited",
    "EmbeddedResource",
    "HeaderMismatch",
    "HttpSettings",
    "Icon",
    "ImageContent",
    "Implementation",
    "InternalError",
    "InvalidParams",
    "InvalidRequest",
    "Limits",
    "ListRoots",
    "LoggingLevel",
    "MCPServer",
    "MethodNotFound",
    "Middleware",
    "MissingRequiredClientCapability",
    "ModelPreferences",
    "ParseError",
    "Proceed",
    "Prompt",
    "PromptMessage",
    "PromptResult",
    "Question",
    "RegistrationError",
    "RequestContext",
    "RequestStates",
    "Resource",
    "ResourceContents",
    "ResourceLink",
    "ResourceNotFound",
    "ResourceResult",
    "ResourceTemplate",
    "Root",
    "Sample",
    "Sampled",
    "SamplingMessage",
    "SamplingTool",
    "ServerError",
    "TextContent",
    "TextResourceContents",
    "Tool",
    "ToolAnnotations",
    "ToolError",
    "ToolResult",
    "ToolResultContent",
    "ToolUseContent",
    "UnsupportedProtocolVersion",
    "UsedStates",
    "WireError",
    "error_result",
    "structured_result",
    "text_result",
]


_ON_DEMAND = {
    "CustomMethod": "methods",
    "HttpSettings": "transports.http",
    "Prompt": "prompts",
    "Resource": "resources",
    "ResourceTemplate": "resources",
    **dict.fromkeys(
        (
            "Accepted",
            "Cancelled",
            "Declined",
            "Elicit",
            "Elicited",
            "ElicitUrl",
            "ListRoots",
            "ModelPreferences",
            "Question",
            "Root",
            "Sample",
            "Sampled",
            "SamplingMessage",
            "SamplingTool",
            "ToolResultContent",
            "ToolUseContent",
        ),
        "questions",
    ),
    **dict.fromkeys(
        (
            "BlobResourceContents",
            "CompletionResult",
            "PromptMessage",
            "PromptResult",
            "ResourceContents",
            "ResourceResult",
            "TextResourceContents",
        ),
        "results",
    ),
}
"""The names that a server starts without, and the module of each."""


def __getattr__(name: str) -> typing.Any:
    if name in _ON_DEMAND:
        from importlib import import_module

        return getattr(import_module(f".{_ON_DEMAND[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})
