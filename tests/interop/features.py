"""What an MCP server can offer, feature by feature: a step on examples/everything.py, its outcome.

A step says what the driver of a client does, in the words of the protocol; an outcome is what the
client hands to its application, value by value, with what it was told and asked meanwhile. Where
the eras or the transports differ, an outcome is a function of the connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import attrs

JSON = dict[str, Any]
Era = Literal["2026-07-28", "2025-11-25"]
Transport = Literal["stdio", "HTTP"]

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"


@attrs.frozen
class Connection:
    """How a client is connected: what an outcome may depend on."""

    library: str
    era: Era
    transport: Transport


@attrs.frozen
class Feature:
    """A row of the matrix: its step, and the outcome with every client that can take it."""

    name: str
    title: str
    step: JSON
    outcome: JSON | Callable[[Connection], JSON]
    eras: tuple[Era, ...] = attrs.field(default=(MODERN, LEGACY), kw_only=True)
    """The revisions that have the feature."""
    transports: tuple[Transport, ...] = attrs.field(default=("stdio", "HTTP"), kw_only=True)
    """The transports that the feature is of."""

    def __str__(self) -> str:
        return self.name

    def expected(self, connection: Connection) -> JSON:
        """The outcome on a connection."""
        return self.outcome(connection) if callable(self.outcome) else self.outcome


PNG: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="
FAILURE: Final = "This tool intentionally returns an error for testing"
SAMPLED: Final = "This is a test response from the client"
IMAGE: Final = {"type": "image", "data": PNG, "mimeType": "image/png"}
WATCHED: Final = "test://watched-resource"


def text(shown: str) -> JSON:
    return {"type": "text", "text": shown}


def resource(uri: str, mime_type: str, shown: str) -> JSON:
    return {"type": "resource", "resource": contents(uri, mime_type, text=shown)}


def contents(uri: str, mime_type: str, **held: str) -> JSON:
    return {"uri": uri, "mimeType": mime_type, **held}


def call(name: str, arguments: JSON | None = None, **options: Any) -> JSON:
    return {"do": "call", "name": name, "arguments": arguments or {}, **options}


def gives(*blocks: JSON, **noted: Any) -> JSON:
    """The outcome of a call that succeeds, with what came meanwhile."""
    return {"result": {"content": list(blocks), "isError": False}, **noted}


def fails(shown: str, *faults: JSON) -> JSON:
    """The outcome of a call that fails, in words for the model and as data."""
    meta = {"typedargs/faults": list(faults)}
    return {"result": {"content": [text(shown)], "isError": True, "_meta": meta}}


def fault(code: str, path: str, message: str, **details: str) -> JSON:
    told = {"code": code, "path": path, "expected": "", "message": message, "retryable": False}
    return {**told, **details}


def lists(key: str, *names: str) -> JSON:
    """The outcome of a list, by what names its items."""
    return {"result": [{key: name} for name in names]}


def prompt(description: str, *blocks: JSON) -> JSON:
    """The outcome of getting a prompt whose messages are all the user's."""
    messages = [{"role": "user", "content": block} for block in blocks]
    return {"result": {"description": description, "messages": messages}}


def argument(name: str, description: str) -> JSON:
    return {"name": name, "description": description, "required": True}


def form(message: str, **properties: JSON) -> list[Any]:
    """A question for the user, all of whose fields are required."""
    return question(message, properties, list(properties))


def question(message: str, properties: JSON, required: list[str] | None = None) -> list[Any]:
    schema: JSON = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return ["elicitation/create", {"message": message, "requestedSchema": schema}]


def sampling(message: str, max_tokens: int) -> list[Any]:
    asked = [{"role": "user", "content": text(message)}]
    return ["sampling/createMessage", {"messages": asked, "maxTokens": max_tokens}]


def accept(**content: Any) -> JSON:
    return {"action": "accept", "content": content}


def titled(noun: str) -> list[JSON]:
    numbers = enumerate(("First", "Second", "Third"), 1)
    return [{"const": f"value{number}", "title": f"{nth} {noun}"} for number, nth in numbers]


NAME: Final = {"type": "string", "description": "Your name"}
COLOR: Final = {"type": "string", "description": "Your favorite color"}
ROOTS: Final = ["roots/list", {}]
ACCOUNT: Final = form(
    "Who are you?",
    username={"type": "string", "description": "Your name here"},
    email={"type": "string", "format": "email", "description": "Your address"},
)


STATUS: Final = ["active", "inactive", "pending"]
PROFILE: Final = question(
    "Please check your profile",
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": STATUS, "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
)
CHOSEN: Final = {
    "untitledSingle": "option1",
    "titledSingle": "value1",
    "legacyEnum": "opt1",
    "untitledMulti": ["option1", "option2"],
    "titledMulti": ["value1", "value2"],
}
OPTIONS: Final = ["option1", "option2", "option3"]
CHOICES: Final = question(
    "Please choose",
    {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    },
)
DESCRIPTION: Final = "Take what only a raw schema can say; it is enforced like a class."
CONTACT: Final[JSON] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def changed(of: str) -> JSON:
    return {"result": {"method": f"notifications/{of}/list_changed"}}


def not_found(connection: Connection) -> JSON:
    """The code is another since 2026-07-28; one client shows the new one in both eras."""
    uri = "test://nonexistent"
    renames = connection.library == "@modelcontextprotocol/client"
    return {
        "error": {
            "code": -32602 if connection.era == MODERN or renames else -32002,
            "message": "Resource not found",
            "data": {"uri": uri},
        }
    }


def connected(connection: Connection) -> JSON:
    changing = {"listChanged": True}
    capabilities: JSON = {
        "completions": {},
        "logging": {},
        "prompts": changing,
        "resources": {"listChanged": True, "subscribe": True},
        "tools": changing,
    }
    return {
        "result": {
            "protocolVersion": connection.era,
            "serverInfo": {"name": "everything", "version": "1.0.0"},
            "instructions": "One of each thing that a server can offer.",
            "capabilities": capabilities,
        }
    }


FEATURES: Final = (
    Feature("connect", "Handshake or discovery", {"do": "connect"}, connected),
    Feature("ping", "Ping", {"do": "ping"}, {"result": {}}, eras=(LEGACY,)),
    Feature(
        "tools-list",
        "Tools: list",
        {"do": "list", "of": "tools", "keep": ["name"]},
        lists(
            "name",
            "test_simple_text",
            "test_image_content",
            "test_audio_content",
            "test_embedded_resource",
            "test_multiple_content_types",
            "test_error_handling",
            "test_tool_with_progress",
            "test_tool_with_logging",
            "test_logging_tool",
            "test_reconnection",
            "test_cancellation",
            "test_cancelled",
            "test_sampling",
            "test_elicitation",
            "test_elicitation_sep1034_defaults",
            "test_elicitation_sep1330_enums",
            "test_streaming_elicitation",
            "test_missing_capability",
            "test_input_required_result_elicitation",
            "test_input_required_result_sampling",
            "test_input_required_result_list_roots",
            "test_input_required_result_request_state",
            "test_input_required_result_multiple_inputs",
            "test_input_required_result_multi_round",
            "test_input_required_result_tampered_state",
            "test_input_required_result_capabilities",
            "test_structured_content",
            "test_x_mcp_header",
            "json_schema_2020_12_tool",
            "test_trigger_tool_change",
            "test_trigger_prompt_change",
            "test_trigger_resource_update",
        ),
    ),
    Feature(
        "tool-definition",
        "Tools: definition of one",
        {"do": "list", "of": "tools", "only": "json_schema_2020_12_tool"},
        {
            "result": [
                {
                    "name": "json_schema_2020_12_tool",
                    "description": DESCRIPTION,
                    "inputSchema": CONTACT,
                }
            ]
        },
    ),
    Feature(
        "tool-text",
        "Tool: text",
        call("test_simple_text"),
        gives(text("This is a simple text response for testing.")),
    ),
    Feature("tool-image", "Tool: image", call("test_image_content"), gives(IMAGE)),
    Feature(
        "tool-audio",
        "Tool: audio",
        call("test_audio_content"),
        gives({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
    ),
    Feature(
        "tool-resource",
        "Tool: embedded resource",
        call("test_embedded_resource"),
        gives(
            resource(
                "test://embedded-resource", "text/plain", "This is an embedded resource content."
            )
        ),
    ),
    Feature(
        "tool-mixed",
        "Tool: mixed content",
        call("test_multiple_content_types"),
        gives(
            text("Multiple content types test:"),
            IMAGE,
            resource(
                "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
            ),
        ),
    ),
    Feature(
        "tool-structured",
        "Tool: structured result",
        call("test_structured_content"),
        {
            "result": {
                "content": [text('{"temperature":22.5,"conditions":"clear"}')],
                "structuredContent": {"temperature": 22.5, "conditions": "clear"},
                "isError": False,
            }
        },
    ),
    Feature(
        "tool-error",
        "Tool: failure",
        call("test_error_handling"),
        fails(FAILURE, fault("tool_error", "", FAILURE)),
    ),
    Feature(
        "tool-unknown",
        "Tool: unknown",
        call("absent"),
        {"error": {"code": -32602, "message": "Unknown tool: absent"}},
    ),
    Feature(
        "tool-schema",
        "Tool: JSON Schema 2020-12",
        call("json_schema_2020_12_tool", {"contactMethod": "phone", "phone": "1234"}),
        gives(text("Contact by phone")),
    ),
    Feature(
        "tool-schema-refusal",
        "Tool: refused arguments",
        call("json_schema_2020_12_tool", {"contactMethod": "fax", "phone": "1234"}),
        fails(
            'Invalid arguments for tool "json_schema_2020_12_tool":\n'
            'contactMethod: expected one of "phone", "email", got string "fax"\n'
            "email: missing",
            fault(
                "invalid_arguments",
                "contactMethod",
                'expected one of "phone", "email", got string "fax"',
                expected='one of "phone", "email"',
                keyword="enum",
            ),
            fault("invalid_arguments", "email", "missing", keyword="required"),
        ),
    ),
    Feature(
        "header",
        "Tool: argument as a header",
        call("test_x_mcp_header", {"region": "north"}),
        gives(text("Region: north, by header north")),
        eras=(MODERN,),
        transports=("HTTP",),
    ),
    Feature(
        "progress",
        "Progress",
        call("test_tool_with_progress"),
        gives(
            text("The call is done."),
            progress=[[done, 100, f"Completed {done} of 100"] for done in (0, 50, 100)],
        ),
    ),
    Feature(
        "logging",
        "Logging",
        {**call("test_tool_with_logging"), "do": "log"},
        gives(
            text("The call was logged."),
            logs=[
                {"level": "info", "data": f"Tool {what}"}
                for what in ("execution started", "processing data", "execution completed")
            ],
        ),
    ),
    Feature(
        "cancellation",
        "Cancellation",
        {**call("test_cancellation"), "do": "cancel", "then": call("test_cancelled")},
        gives(text("test_cancellation was cancelled.")),
    ),
    Feature(
        "elicitation-accept",
        "Elicitation: accepted",
        call(
            "test_elicitation",
            {"message": "Who are you?"},
            elicit=[accept(username="testuser", email="test@example.com")],
        ),
        gives(text("User response: accept, testuser <test@example.com>"), asked=[ACCOUNT]),
    ),
    Feature(
        "elicitation-decline",
        "Elicitation: declined",
        call("test_elicitation", {"message": "Who are you?"}, elicit=[{"action": "decline"}]),
        gives(text("User response: decline"), asked=[ACCOUNT]),
    ),
    Feature(
        "elicitation-defaults",
        "Elicitation: defaults",
        call(
            "test_elicitation_sep1034_defaults",
            elicit=[accept(name="Jane Smith", age=25, score=88, status="inactive", verified=False)],
        ),
        gives(text("Jane Smith, 25, is inactive"), asked=[PROFILE]),
    ),
    Feature(
        "elicitation-choices",
        "Elicitation: choices",
        call("test_elicitation_sep1330_enums", elicit=[accept(**CHOSEN)]),
        gives(
            text("\n".join(f"{name}: {chosen}" for name, chosen in CHOSEN.items())),
            asked=[CHOICES],
        ),
    ),
    Feature(
        "sampling",
        "Sampling",
        call("test_sampling", {"prompt": "Say something"}),
        gives(text(f"LLM response: {SAMPLED}"), asked=[sampling("Say something", 100)]),
    ),
    Feature(
        "roots",
        "Roots",
        call("test_input_required_result_list_roots"),
        gives(text("Test Root: file:///test/root"), asked=[ROOTS]),
    ),
    Feature(
        "questions-at-once",
        "Several questions at once",
        call("test_input_required_result_multiple_inputs", elicit=[accept(name="Alice")]),
        gives(
            text(f"{SAMPLED}, Alice! Roots: 1"),
            asked=[
                form("What is your name?", name=NAME),
                ROOTS,
                sampling("Generate a greeting", 50),
            ],
        ),
    ),
    Feature(
        "questions-in-rounds",
        "Questions in rounds",
        call(
            "test_input_required_result_multi_round",
            elicit=[accept(name="Alice"), accept(color="blue")],
        ),
        gives(
            text("Alice likes blue."),
            asked=[
                form("Step 1: What is your name?", name=NAME),
                form("Step 2: What is your favorite color?", color=COLOR),
            ],
        ),
    ),
    Feature(
        "state",
        "State over rounds",
        call("test_input_required_result_request_state", elicit=[accept(ok=True)]),
        gives(
            text("state-ok: order 1 is confirmed"),
            asked=[
                form("Please confirm", ok={"type": "boolean", "description": "Whether to go on"})
            ],
        ),
    ),
    Feature(
        "prompts-list",
        "Prompts: list",
        {"do": "list", "of": "prompts", "keep": ["name", "arguments"]},
        {
            "result": [
                {"name": "test_simple_prompt"},
                {
                    "name": "test_prompt_with_arguments",
                    "arguments": [
                        argument("arg1", "First argument"),
                        argument("arg2", "Second argument"),
                    ],
                },
                {
                    "name": "test_prompt_with_embedded_resource",
                    "arguments": [argument("resourceUri", "The URI to embed")],
                },
                {"name": "test_prompt_with_image"},
                {"name": "test_input_required_result_prompt"},
            ]
        },
    ),
    Feature(
        "prompt",
        "Prompt: without arguments",
        {"do": "prompt", "name": "test_simple_prompt"},
        prompt("A prompt without arguments", text("This is a simple prompt for testing.")),
    ),
    Feature(
        "prompt-arguments",
        "Prompt: with arguments",
        {
            "do": "prompt",
            "name": "test_prompt_with_arguments",
            "arguments": {"arg1": "testValue1", "arg2": "testValue2"},
        },
        prompt(
            "A prompt with arguments",
            text("Prompt with arguments: arg1='testValue1', arg2='testValue2'"),
        ),
    ),
    Feature(
        "prompt-resource",
        "Prompt: embedded resource",
        {
            "do": "prompt",
            "name": "test_prompt_with_embedded_resource",
            "arguments": {"resourceUri": "test://example-resource"},
        },
        prompt(
            "A prompt with a resource in it",
            resource(
                "test://example-resource", "text/plain", "Embedded resource content for testing."
            ),
            text("Please process the embedded resource above."),
        ),
    ),
    Feature(
        "prompt-image",
        "Prompt: image",
        {"do": "prompt", "name": "test_prompt_with_image"},
        prompt("A prompt with an image in it", IMAGE, text("Please analyze the image above.")),
    ),
    Feature(
        "prompt-question",
        "Prompt: that asks the user",
        {
            "do": "prompt",
            "name": "test_input_required_result_prompt",
            "elicit": [accept(context="testing")],
        },
        {
            **prompt("A prompt that asks the user first", text("Answer in this context: testing")),
            "asked": [
                form(
                    "What context should the prompt use?",
                    context={"type": "string", "description": "What the prompt is about"},
                )
            ],
        },
    ),
    Feature(
        "completion-prompt",
        "Completion: of a prompt",
        {
            "do": "complete",
            "of": "test_prompt_with_arguments",
            "argument": "arg1",
            "value": "test",
        },
        {
            "result": {
                "completion": {
                    "values": ["testValue1", "testValue2"],
                    "total": 2,
                    "hasMore": False,
                }
            }
        },
    ),
    Feature(
        "resources-list",
        "Resources: list",
        {"do": "list", "of": "resources", "keep": ["uri", "mimeType"]},
        {
            "result": [
                {"uri": "test://static-text", "mimeType": "text/plain"},
                {"uri": "test://static-binary", "mimeType": "image/png"},
                {"uri": WATCHED, "mimeType": "text/plain"},
            ]
        },
    ),
    Feature(
        "templates-list",
        "Resources: list of templates",
        {"do": "list", "of": "resource_templates", "keep": ["uriTemplate"]},
        lists("uriTemplate", "test://template/{id}/data"),
    ),
    Feature(
        "resource-text",
        "Resource: text",
        {"do": "read", "uri": "test://static-text"},
        {
            "result": {
                "contents": [
                    contents(
                        "test://static-text",
                        "text/plain",
                        text="This is the content of the static text resource.",
                    )
                ]
            }
        },
    ),
    Feature(
        "resource-blob",
        "Resource: blob",
        {"do": "read", "uri": "test://static-binary"},
        {"result": {"contents": [contents("test://static-binary", "image/png", blob=PNG)]}},
    ),
    Feature(
        "resource-template",
        "Resource: of a template",
        {"do": "read", "uri": "test://template/123/data"},
        {
            "result": {
                "contents": [
                    contents(
                        "test://template/123/data",
                        "application/json",
                        text='{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
                    )
                ]
            }
        },
    ),
    Feature(
        "resource-missing",
        "Resource: not found",
        {"do": "read", "uri": "test://nonexistent"},
        not_found,
    ),
    Feature(
        "resource-updated",
        "Resource: subscribed to, updated",
        {"do": "watch", "of": WATCHED, "then": call("test_trigger_resource_update")},
        {"result": {"method": "notifications/resources/updated", "uri": WATCHED}},
    ),
    Feature(
        "tools-changed",
        "Tools: list changed",
        {"do": "watch", "of": "tools", "then": call("test_trigger_tool_change")},
        changed("tools"),
    ),
    Feature(
        "prompts-changed",
        "Prompts: list changed",
        {"do": "watch", "of": "prompts", "then": call("test_trigger_prompt_change")},
        changed("prompts"),
    ),
)
