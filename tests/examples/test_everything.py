"""What the everything-server answers, in memory: the values that the conformance suite asks for."""

from __future__ import annotations

import base64
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.server.support import connected
from typedargs_server import Accepted, Cancelled, MCPServer, Root
from typedargs_server.eras import meta
from typedargs_server.testing import RequestFailed, connect

pytestmark = pytest.mark.anyio

PATH = Path(__file__).parents[2] / "examples" / "everything.py"
ERAS = ("modern", "legacy")
ALL: dict[str, Any] = {meta.CLIENT_CAPABILITIES: {"elicitation": {}, "sampling": {}, "roots": {}}}

USER_NAME = {
    "method": "elicitation/create",
    "params": {
        "message": "What is your name?",
        "requestedSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Your name"}},
            "required": ["name"],
        },
    },
}
CONFIRM = {
    "method": "elicitation/create",
    "params": {
        "message": "Please confirm",
        "requestedSchema": {
            "type": "object",
            "properties": {"ok": {"type": "boolean", "description": "Whether to go on"}},
            "required": ["ok"],
        },
    },
}
ROOTS = {"method": "roots/list", "params": {}}
NAME = {"action": "accept", "content": {"name": "Alice"}}
OK = {"action": "accept", "content": {"ok": True}}
FRANCE = {
    "role": "assistant",
    "content": {"type": "text", "text": "Paris"},
    "model": "test-model",
    "stopReason": "endTurn",
}
HOME = {"roots": [{"uri": "file:///test/root", "name": "Test Root"}]}


def sampling(question: str, max_tokens: int) -> dict[str, Any]:
    """The request for a message of the client's model."""
    message = {"role": "user", "content": {"type": "text", "text": question}}
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [message], "maxTokens": max_tokens},
    }


def form(message: str, field: str, description: str) -> dict[str, Any]:
    """The request for one text of the user."""
    schema = {
        "type": "object",
        "properties": {field: {"type": "string", "description": description}},
        "required": [field],
    }
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


@pytest.fixture
def anyio_backend() -> str:
    """One event loop is enough: what differs between them is tested with the server."""
    return "asyncio"


@pytest.fixture
def server() -> MCPServer:
    """The server of the example, loaded anew."""
    spec = importlib.util.spec_from_file_location("everything", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: MCPServer = module.server
    return made


def is_image(block: Mapping[str, Any]) -> bool:
    is_png = base64.b64decode(block["data"]).startswith(b"\x89PNG\r\n")
    return is_png and (block["type"], block["mimeType"]) == ("image", "image/png")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("test_simple_text", {}, "This is a simple text response for testing."),
        ("test_x_mcp_header", {}, "Region: any"),
        ("test_x_mcp_header", {"region": "eu"}, "Region: eu"),
        ("test_reconnection", {}, "The answer is on the stream that you resumed."),
        ("test_logging_tool", {}, "Logged, if the request wants it."),
        ("json_schema_2020_12_tool", {"email": "a@b.example"}, "Contact by email"),
    ],
)
async def test_a_tool_answers_with_a_text(
    server: MCPServer, era: Any, tool: str, arguments: dict[str, Any], text: str
) -> None:
    async with connect(server, era) as client:
        result = await client.call_tool(tool, arguments)
    assert (result.content, result.is_error) == ([{"type": "text", "text": text}], False)


@pytest.mark.parametrize("era", ERAS)
async def test_the_first_tool_can_be_called_without_arguments(server: MCPServer, era: Any) -> None:
    async with connect(server, era) as client:
        first, *_ = await client.list_tools()
        assert (await client.call_tool(first["name"])).is_error is False


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_answers_with_an_image_a_sound_and_a_resource(
    server: MCPServer, era: Any
) -> None:
    async with connect(server, era) as client:
        (image,) = (await client.call_tool("test_image_content")).content
        (sound,) = (await client.call_tool("test_audio_content")).content
        (resource,) = (await client.call_tool("test_embedded_resource")).content
        text, *mixed = (await client.call_tool("test_multiple_content_types")).content
    assert is_image(image)
    assert (sound["type"], sound["mimeType"]) == ("audio", "audio/wav")
    assert base64.b64decode(sound["data"]).startswith(b"RIFF")
    assert resource == {
        "type": "resource",
        "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        },
    }
    assert text == {"type": "text", "text": "Multiple content types test:"}
    assert is_image(mixed[0])
    assert mixed[1]["resource"] == {
        "uri": "test://mixed-content-resource",
        "mimeType": "application/json",
        "text": '{"test":"data","value":123}',
    }


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_fails_in_words(server: MCPServer, era: Any) -> None:
    async with connect(server, era) as client:
        result = await client.call_tool("test_error_handling")
    assert result.is_error
    assert result.text == "This tool intentionally returns an error for testing"


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_tells_of_progress_and_logs(server: MCPServer, era: Any) -> None:
    level: dict[str, Any] = {meta.LOG_LEVEL: "debug"} if era == "modern" else {}
    async with connect(server, era) as client:
        await client.call_tool("test_tool_with_progress", progressToken="p")
        await client.call_tool("test_tool_with_logging", **level)
        sent = [(n["method"].rpartition("/")[2], n["params"]) for n in client.notifications]
    told = [params for method, params in sent if method == "progress"]
    assert [(p["progressToken"], p["progress"], p["total"]) for p in told] == [
        ("p", 0, 100),
        ("p", 50, 100),
        ("p", 100, 100),
    ]
    assert [(p["level"], p["data"]) for method, p in sent if method == "message"] == [
        ("info", "Tool execution started"),
        ("info", "Tool processing data"),
        ("info", "Tool execution completed"),
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_model_and_its_user_are_asked(server: MCPServer, era: Any) -> None:
    asked: list[Any] = []

    def fill_in(params: Any) -> Any:
        asked.append(params)
        return {"username": "testuser", "email": "test@example.com"}

    async with connect(server, era, sample="Hi", elicit=fill_in) as client:
        sampled = await client.call_tool("test_sampling", {"prompt": "Say hi"})
        filled = await client.call_tool("test_elicitation", {"message": "Who are you?"})
    assert sampled.text == "LLM response: Hi"
    assert filled.text == "User response: accept, testuser <test@example.com>"
    assert asked[0]["message"] == "Who are you?"
    assert asked[0]["requestedSchema"]["required"] == ["username", "email"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_form_shows_its_defaults(server: MCPServer, era: Any) -> None:
    asked: list[Any] = []

    def fill_in(params: Any) -> Any:
        asked.append(params)
        return {"name": "Jane Smith", "age": 25, "status": "inactive"}

    async with connect(server, era, elicit=fill_in) as client:
        result = await client.call_tool("test_elicitation_sep1034_defaults")
    assert result.text == "Jane Smith, 25, is inactive"
    assert asked[0]["requestedSchema"]["properties"] == {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }


@pytest.mark.parametrize("era", ERAS)
async def test_choices_are_shown_in_each_way_and_enforced(server: MCPServer, era: Any) -> None:
    answers = {
        "untitledSingle": "option1",
        "titledSingle": "value1",
        "legacyEnum": "opt1",
        "untitledMulti": ["option1", "option2"],
        "titledMulti": ["value1", "value2"],
    }
    asked: list[Any] = []

    def choose(params: Any) -> Any:
        asked.append(params)
        return Accepted(answers)

    async with connect(server, era, elicit=choose) as client:
        result = await client.call_tool("test_elicitation_sep1330_enums")
    assert result.text.splitlines() == [f"{name}: {chosen}" for name, chosen in answers.items()]
    shown = asked[0]["requestedSchema"]["properties"]
    assert list(shown) == list(answers)
    assert len(shown["legacyEnum"]["enumNames"]) == len(shown["legacyEnum"]["enum"])
    assert shown["titledSingle"]["oneOf"][0] == {"const": "value1", "title": "First Option"}
    assert shown["titledMulti"]["items"]["anyOf"][0]["const"] == "value1"


@pytest.mark.parametrize("era", ERAS)
async def test_a_user_who_does_not_fill_in_ends_the_call(server: MCPServer, era: Any) -> None:
    async with connect(server, era, elicit=Cancelled()) as client:
        result = await client.call_tool("test_streaming_elicitation")
    assert (result.is_error, result.text) == (True, "The user chose to cancel")


PREFIX = "test_input_required_result_"
ROUNDS: list[tuple[str, list[tuple[dict[str, Any], dict[str, Any]]], str]] = [
    (
        "elicitation",
        [({"user_name": USER_NAME}, {"user_name": NAME})],
        "Hello, Alice!",
    ),
    (
        "sampling",
        [
            (
                {"capital_question": sampling("What is the capital of France?", 100)},
                {"capital_question": FRANCE},
            )
        ],
        "Paris",
    ),
    (
        "list_roots",
        [({"client_roots": ROOTS}, {"client_roots": HOME})],
        "Test Root: file:///test/root",
    ),
    (
        "request_state",
        [({"confirm": CONFIRM}, {"confirm": OK})],
        "state-ok: order 1 is confirmed",
    ),
    (
        "multiple_inputs",
        [
            (
                {
                    "user_name": USER_NAME,
                    "greeting": sampling("Generate a greeting", 50),
                    "client_roots": ROOTS,
                },
                {"user_name": NAME, "greeting": FRANCE, "client_roots": HOME},
            )
        ],
        "Paris, Alice! Roots: 1",
    ),
    (
        "multi_round",
        [
            (
                {"step1": form("Step 1: What is your name?", "name", "Your name")},
                {"step1": NAME},
            ),
            (
                {
                    "step2": form(
                        "Step 2: What is your favorite color?", "color", "Your favorite color"
                    )
                },
                {"step2": {"action": "accept", "content": {"color": "blue"}}},
            ),
        ],
        "Alice likes blue.",
    ),
    ("tampered_state", [({"confirm": CONFIRM}, {"confirm": OK})], "Confirmed."),
    (
        "capabilities",
        [
            (
                {"user_name": USER_NAME, "greeting": sampling("Generate a greeting", 50)},
                {"user_name": NAME, "greeting": FRANCE},
            )
        ],
        "2 of 2 questions answered.\nParis",
    ),
]


@pytest.mark.parametrize(("tool", "rounds", "text"), ROUNDS)
async def test_a_modern_client_answers_by_calling_again(
    server: MCPServer, tool: str, rounds: Any, text: str
) -> None:
    params: dict[str, Any] = {"name": PREFIX + tool, "arguments": {}}
    states: list[str] = []
    async with connected(server) as client:
        for asked, answers in rounds:
            answer = await client.answer(client._request("tools/call", params, **ALL))
            result = answer["result"]
            assert result["resultType"] == "input_required"
            assert result["inputRequests"] == asked
            states.append(result["requestState"])
            params |= {"inputResponses": answers, "requestState": states[-1]}
        answer = await client.answer(client._request("tools/call", params, **ALL))
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["content"] == [{"type": "text", "text": text}]
    assert len(set(states)) == len(states)


@pytest.mark.parametrize("tool", [name for name, _, _ in ROUNDS])
async def test_a_legacy_client_is_asked_meanwhile_with_the_same_result(
    server: MCPServer, tool: str
) -> None:
    texts = []
    for era in ERAS:
        async with connect(
            server,
            era,  # type: ignore[arg-type]
            elicit=lambda params: {
                name: True if name == "ok" else "blue"
                for name in params["requestedSchema"]["properties"]
            },
            sample="Paris",
            roots=[Root("file:///test/root", "Test Root")],
        ) as client:
            texts.append((await client.call_tool(PREFIX + tool)).text)
    assert texts[0] == texts[1].replace("order 2", "order 1")


async def test_a_state_that_was_changed_is_refused(server: MCPServer) -> None:
    params = {"name": PREFIX + "tampered_state", "arguments": {}}
    async with connected(server) as client:
        first = await client.answer(client._request("tools/call", params, **ALL))
        params |= {
            "inputResponses": {"confirm": OK},
            "requestState": first["result"]["requestState"] + "-TAMPERED",
        }
        second = await client.answer(client._request("tools/call", params, **ALL))
    assert second["error"]["code"] == -32602


@pytest.mark.parametrize(
    "responses", [{"wrong_key": NAME}, {"user_name": {**NAME, "action": "cancel"}}]
)
async def test_what_was_not_asked_for_is_ignored(
    server: MCPServer, responses: dict[str, Any]
) -> None:
    params = {
        "name": PREFIX + "elicitation",
        "arguments": {},
        "inputResponses": {**responses, "other": OK},
    }
    async with connected(server) as client:
        answer = await client.answer(client._request("tools/call", params, **ALL))
    if "user_name" in responses:
        assert answer["result"]["isError"]
    else:
        assert answer["result"]["inputRequests"] == {"user_name": USER_NAME}


async def test_only_what_the_client_can_answer_is_asked(server: MCPServer) -> None:
    declared: dict[str, Any] = {meta.CLIENT_CAPABILITIES: {"sampling": {}}}
    async with connected(server) as client:
        result = await client.call(PREFIX + "capabilities", **declared)
    assert list(result["inputRequests"]) == ["greeting"]


async def test_a_client_that_lacks_what_a_tool_needs_is_told_so(server: MCPServer) -> None:
    async with connect(server) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.call_tool("test_missing_capability")
    assert failed.value.code == -32021
    assert failed.value.data == {"requiredCapabilities": {"sampling": {}}}


async def test_a_rich_schema_is_listed_as_it_is_and_enforced(server: MCPServer) -> None:
    async with connect(server) as client:
        tools = {tool["name"]: tool for tool in await client.list_tools()}
        schema = tools["json_schema_2020_12_tool"]["inputSchema"]
        result = await client.call_tool("json_schema_2020_12_tool", {"contactMethod": "phone"})
    assert schema["$defs"]["address"]["$anchor"] == "addressDef"
    assert schema["additionalProperties"] is False
    assert {"$schema", "allOf", "if", "then", "else"} <= set(schema)
    assert result.is_error
    assert tools["test_x_mcp_header"]["inputSchema"]["properties"]["region"]["x-mcp-header"] == (
        "Region"
    )


@pytest.mark.parametrize("era", ERAS)
async def test_everything_is_described(server: MCPServer, era: Any) -> None:
    async with connect(server, era) as client:
        listed = [
            *await client.list_tools(),
            *await client.list_prompts(),
            *await client.list_resources(),
            *await client.list_resource_templates(),
        ]
    assert all(each["name"] and each["description"] for each in listed)


@pytest.mark.parametrize("kind", ["tool", "prompt"])
async def test_a_list_changes_and_clients_that_listen_are_told(
    server: MCPServer, kind: str
) -> None:
    async with connect(server, "legacy") as client:
        before = await client._all(f"{kind}s/list", f"{kind}s")
        added = await client.call_tool(f"test_trigger_{kind}_change")
        between = await client._all(f"{kind}s/list", f"{kind}s")
        await client.notified(f"notifications/{kind}s/list_changed")
        await client.call_tool(f"test_trigger_{kind}_change")
        assert await client._all(f"{kind}s/list", f"{kind}s") == before
    assert added.text == f"Added test_added_{kind}."
    assert [each["name"] for each in between if each not in before] == [f"test_added_{kind}"]


async def test_what_was_added_answers(server: MCPServer) -> None:
    async with connect(server) as client:
        await client.call_tool("test_trigger_tool_change")
        await client.call_tool("test_trigger_prompt_change")
        assert (await client.call_tool("test_added_tool")).text == "Here I am."
        (message,) = await client.get_prompt("test_added_prompt")
    assert message["content"]["text"] == "Hello!"


@pytest.mark.parametrize("era", ERAS)
async def test_resources_are_read(server: MCPServer, era: Any) -> None:
    async with connect(server, era) as client:
        listed = [resource["uri"] for resource in await client.list_resources()]
        (text,) = await client.read_resource("test://static-text")
        (image,) = await client.read_resource("test://static-binary")
        (data,) = await client.read_resource("test://template/123/data")
        (template,) = await client.list_resource_templates()
    assert listed == ["test://static-text", "test://static-binary", "test://watched-resource"]
    assert text == {
        "uri": "test://static-text",
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    }
    assert image["mimeType"] == "image/png"
    assert base64.b64decode(image["blob"]).startswith(b"\x89PNG")
    assert template["uriTemplate"] == "test://template/{id}/data"
    assert (data["uri"], data["mimeType"]) == ("test://template/123/data", "application/json")
    assert json.loads(data["text"]) == {
        "id": "123",
        "templateTest": True,
        "data": "Data for ID: 123",
    }


async def test_a_resource_that_is_not_there_is_named(server: MCPServer) -> None:
    async with connect(server) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.read_resource("test://nonexistent")
    assert (failed.value.code, failed.value.data) == (-32602, {"uri": "test://nonexistent"})


@pytest.mark.parametrize("era", ERAS)
async def test_a_resource_that_is_written_is_announced(server: MCPServer, era: Any) -> None:
    uri = "test://watched-resource"
    async with connect(server, era) as client:
        if era == "legacy":
            await client.request("resources/subscribe", {"uri": uri})
        await client.request("everything/write", {"text": "New."})
        (contents,) = await client.read_resource(uri)
        if era == "legacy":
            assert (await client.notified("notifications/resources/updated"))["uri"] == uri
            assert await client.request("resources/unsubscribe", {"uri": uri}) == {}
    assert contents == {"uri": uri, "mimeType": "text/plain", "text": "New."}


async def test_a_modern_client_listens_to_a_resource(server: MCPServer) -> None:
    uri = "test://watched-resource"
    async with connected(server) as client:
        wanted = {"notifications": {"resourceSubscriptions": [uri]}}
        client._request("subscriptions/listen", wanted)
        await client.notified("notifications/subscriptions/acknowledged")
        await client.ask("everything/write", {"text": "New."})
        told = await client.notified("notifications/resources/updated")
    assert told["params"]["uri"] == uri


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("prompt", "arguments", "contents"),
    [
        ("test_simple_prompt", {}, ["This is a simple prompt for testing."]),
        (
            "test_prompt_with_arguments",
            {"arg1": "testValue1", "arg2": "testValue2"},
            ["Prompt with arguments: arg1='testValue1', arg2='testValue2'"],
        ),
        (
            "test_prompt_with_embedded_resource",
            {"resourceUri": "test://example-resource"},
            [
                {
                    "uri": "test://example-resource",
                    "mimeType": "text/plain",
                    "text": "Embedded resource content for testing.",
                },
                "Please process the embedded resource above.",
            ],
        ),
        ("test_prompt_with_image", {}, ["image/png", "Please analyze the image above."]),
        ("test_input_required_result_prompt", {}, ["Answer in this context: tests"]),
    ],
)
async def test_prompts_are_messages_of_the_user(
    server: MCPServer, era: Any, prompt: str, arguments: dict[str, str], contents: list[Any]
) -> None:
    async with connect(server, era, elicit={"context": "tests"}) as client:
        messages = await client.get_prompt(prompt, arguments)
    assert {message["role"] for message in messages} == {"user"}
    blocks = [message["content"] for message in messages]
    assert [b.get("text") or b.get("resource") or b["mimeType"] for b in blocks] == contents


async def test_a_prompt_asks_a_modern_client_by_its_result(server: MCPServer) -> None:
    params = {"name": "test_input_required_result_prompt"}
    async with connected(server) as client:
        answer = await client.answer(client._request("prompts/get", params, **ALL))
    question = "What context should the prompt use?"
    assert answer["result"]["inputRequests"] == {
        "user_context": form(question, "context", "What the prompt is about")
    }


@pytest.mark.parametrize("era", ERAS)
async def test_the_argument_of_a_prompt_is_completed(server: MCPServer, era: Any) -> None:
    ref = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    async with connect(server, era) as client:
        assert await client.complete(ref, "arg1", "test") == ["testValue1", "testValue2"]


def test_it_serves_on_stdio_as_a_script_and_by_the_command() -> None:
    call = ["call", str(PATH), "test_x_mcp_header", "region=eu"]
    script = ["call", "test_x_mcp_header", "region=eu", "--", sys.executable, str(PATH)]
    for words in (call, script):
        done = subprocess.run(
            [sys.executable, "-m", "typedargs_server.cli", *words],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "Region: eu\n", "")
