"""Everything: one of each thing that a server can offer, with the names of MCP's conformance suite.

Each handler has one body for clients of both eras. What it asks (`ctx.elicit`, `ctx.sample`,
`ctx.list_roots`) goes to an older client as a request; a newer one gets it as the answer to its
call and calls again, and the handler then runs from its start to the same line.
"""

import base64
import itertools
import os
from typing import Any, TypeVar

import anyio

from typedargs import Boolean, Double, Enum, Integer, MCPArgs, String
from typedargs_server import (
    Accepted,
    AudioContent,
    ContentBlock,
    Elicit,
    Elicited,
    EmbeddedResource,
    ImageContent,
    ListRoots,
    MCPServer,
    PromptMessage,
    Question,
    RequestContext,
    RequestStates,
    Sample,
    Sampled,
    TextContent,
    ToolError,
)

T = TypeVar("T")

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==")

# All workers of one server need the same keys, to go on with each other's calls; the first seals.
server = MCPServer(
    "everything",
    version="1.0.0",
    instructions="One of each thing that a server can offer.",
    states=RequestStates(keys=os.environ.get("EVERYTHING_STATE_KEYS", "").split()),
)


def accepted(answer: Elicited[T]) -> T:
    """Return what the user filled in; a user who did not ends the call."""
    if isinstance(answer, Accepted):
        return answer.content
    raise ToolError(f"The user chose to {answer.action}")


# Tools: what a result may hold


@server.tool("test_simple_text", "Answer with a text")
async def simple_text() -> str:
    return "This is a simple text response for testing."


@server.tool("test_image_content", "Answer with an image")
async def image_content() -> ImageContent:
    return ImageContent(PNG, "image/png")


@server.tool("test_audio_content", "Answer with a sound")
async def audio_content() -> AudioContent:
    return AudioContent(WAV, "audio/wav")


@server.tool("test_embedded_resource", "Answer with a resource and its contents")
async def embedded_resource() -> EmbeddedResource:
    return EmbeddedResource(
        "test://embedded-resource", "This is an embedded resource content.", mime_type="text/plain"
    )


@server.tool("test_multiple_content_types", "Answer with a text, an image and a resource")
async def multiple_content_types() -> list[ContentBlock]:
    return [
        TextContent("Multiple content types test:"),
        ImageContent(PNG, "image/png"),
        EmbeddedResource(
            "test://mixed-content-resource",
            '{"test":"data","value":123}',
            mime_type="application/json",
        ),
    ]


@server.tool("test_error_handling", "Fail, in words for the model")
async def error_handling() -> str:
    raise ToolError("This tool intentionally returns an error for testing")


# Tools: what the client hears of while a call runs


@server.tool("test_tool_with_progress", "Tell how far the call is")
async def tool_with_progress(ctx: RequestContext) -> str:
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"Completed {done} of 100")
        await anyio.sleep(0.05)
    return "The call is done."


@server.tool("test_tool_with_logging", "Send log messages")
async def tool_with_logging(ctx: RequestContext) -> str:
    for step in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.log("info", step)
        await anyio.sleep(0.05)
    return "The call was logged."


@server.tool("test_logging_tool", "Send a log message, if the request wants any")
async def logging_tool(ctx: RequestContext) -> str:
    await ctx.log("info", "Logging tool called")
    return "Logged, if the request wants it."


@server.tool(
    "test_reconnection",
    "End the stream of the answer; the client comes back for the rest",
)
async def reconnection(ctx: RequestContext) -> str:
    ctx.close_stream()
    await anyio.sleep(0.2)
    return "The answer is on the stream that you resumed."


_cancelled = anyio.Event()


@server.tool("test_cancellation", "Tell of progress, then wait until the client cancels the call")
async def cancellation(ctx: RequestContext) -> None:
    try:
        await ctx.progress(1, 2, "Waiting to be cancelled")
        await anyio.sleep_forever()
    finally:
        _cancelled.set()


@server.tool("test_cancelled", "Wait until a call of test_cancellation was cancelled")
async def cancelled() -> str:
    await _cancelled.wait()
    return "test_cancellation was cancelled."


# Tools: asking the client's model and its user


class SamplingArgs(MCPArgs):
    prompt = String(description="What the client's model is to answer")


@server.tool("test_sampling", "Have the client's model answer")
async def sampling(args: SamplingArgs, ctx: RequestContext) -> str:
    answer = await ctx.sample(args.prompt, max_tokens=100)
    return f"LLM response: {answer.text}"


class ElicitationArgs(MCPArgs):
    message = String(description="What the user reads above the form")


class Account(MCPArgs):
    username = String(description="Your name here")
    email = String(description="Your address", format="email")


@server.tool("test_elicitation", "Have the user fill in a form")
async def elicitation(args: ElicitationArgs, ctx: RequestContext) -> str:
    match await ctx.elicit(args.message, Account):
        case Accepted(account):
            return f"User response: accept, {account.username} <{account.email}>"
        case answer:
            return f"User response: {answer.action}"


class Profile(MCPArgs):
    name = String(default="John Doe")
    age = Integer(default=30)
    score = Double(default=95.5)
    status = Enum("active", "inactive", "pending", default="active")
    verified = Boolean(default=True)


@server.tool(
    "test_elicitation_sep1034_defaults",
    "Have the user fill in a form that begins with defaults",
)
async def elicitation_sep1034_defaults(ctx: RequestContext) -> str:
    profile = accepted(await ctx.elicit("Please check your profile", Profile))
    return f"{profile.name}, {profile.age}, is {profile.status}"


# A class says what values there are; their titles for the user, only a raw schema.
CHOICES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
}


@server.tool("test_elicitation_sep1330_enums", "Have the user choose, in each way that there is")
async def elicitation_sep1330_enums(ctx: RequestContext) -> str:
    choices = accepted(await ctx.elicit("Please choose", CHOICES))
    return "\n".join(f"{name}: {chosen}" for name, chosen in choices.items())


class UserName(MCPArgs):
    name = String(description="Your name")


class FavoriteColor(MCPArgs):
    color = String(description="Your favorite color")


class Confirmation(MCPArgs):
    ok = Boolean(description="Whether to go on")


@server.tool("test_streaming_elicitation", "Tell of progress, then ask")
async def streaming_elicitation(ctx: RequestContext) -> str:
    await ctx.progress(1, 2, "Asking for a name")
    user = accepted(await ctx.elicit("What is your name?", UserName))
    return f"Hello, {user.name}!"


@server.tool(
    "test_missing_capability",
    "Need sampling: a client that does not declare it gets the protocol's error",
)
async def missing_capability(ctx: RequestContext) -> str:
    return (await ctx.sample("Say hello", max_tokens=20)).text


@server.tool(
    "test_input_required_result_elicitation",
    "Ask for a name. The key names the question where the answer is given.",
)
async def input_required_result_elicitation(ctx: RequestContext) -> str:
    user = accepted(await ctx.elicit("What is your name?", UserName, key="user_name"))
    return f"Hello, {user.name}!"


@server.tool("test_input_required_result_sampling", "Ask the client's model")
async def input_required_result_sampling(ctx: RequestContext) -> str:
    question = "What is the capital of France?"
    return (await ctx.sample(question, max_tokens=100, key="capital_question")).text


@server.tool("test_input_required_result_list_roots", "Ask where the server may work")
async def input_required_result_list_roots(ctx: RequestContext) -> str:
    roots = await ctx.list_roots(key="client_roots")
    return "\n".join(f"{root.name}: {root.uri}" for root in roots)


_orders = itertools.count(1)


@server.tool(
    "test_input_required_result_request_state",
    "Do something once, then ask: the sealed state of the call remembers what was done",
)
async def input_required_result_request_state(ctx: RequestContext) -> str:
    order = await ctx.once("order", lambda: next(_orders))
    confirmation = accepted(await ctx.elicit("Please confirm", Confirmation, key="confirm"))
    return f"state-ok: order {order} is {'confirmed' if confirmation.ok else 'cancelled'}"


@server.tool("test_input_required_result_multiple_inputs", "Ask three things at once")
async def input_required_result_multiple_inputs(ctx: RequestContext) -> str:
    name, greeting, roots = await ctx.elicit_all(
        Elicit("What is your name?", UserName, key="user_name"),
        Sample("Generate a greeting", max_tokens=50, key="greeting"),
        ListRoots(key="client_roots"),
    )
    return f"{greeting.text}, {accepted(name).name}! Roots: {len(roots)}"


@server.tool("test_input_required_result_multi_round", "Ask one thing after the other")
async def input_required_result_multi_round(ctx: RequestContext) -> str:
    user = accepted(await ctx.elicit("Step 1: What is your name?", UserName, key="step1"))
    favorite = accepted(
        await ctx.elicit("Step 2: What is your favorite color?", FavoriteColor, key="step2")
    )
    return f"{user.name} likes {favorite.color}."


@server.tool(
    "test_input_required_result_tampered_state",
    "Ask; a state that was changed on the way back is refused",
)
async def input_required_result_tampered_state(ctx: RequestContext) -> str:
    confirmation = accepted(await ctx.elicit("Please confirm", Confirmation, key="confirm"))
    return "Confirmed." if confirmation.ok else "Not confirmed."


@server.tool(
    "test_input_required_result_capabilities",
    "Ask only what the client says it can answer",
)
async def input_required_result_capabilities(ctx: RequestContext) -> str:
    questions: list[Question[Any]] = [
        Elicit("What is your name?", UserName, key="user_name"),
        Sample("Generate a greeting", max_tokens=50, key="greeting"),
    ]
    able = [question for question in questions if not question.lacks(ctx.client_capabilities)]
    answers = await ctx.elicit_all(*able)
    texts = [answer.text for answer in answers if isinstance(answer, Sampled)]
    return "\n".join([f"{len(answers)} of {len(questions)} questions answered.", *texts])


# Tools: schemas


class Weather(MCPArgs):
    temperature = Double(description="In degrees Celsius")
    conditions = String(default="clear")


@server.tool("test_structured_content", "Answer with what a program can read")
async def structured_content() -> Weather:
    return Weather(temperature=22.5)


class RegionArgs(MCPArgs):
    region = String(
        required=False, header="Region", description="Where to look; also sent as an HTTP header"
    )


@server.tool("test_x_mcp_header", "Take an argument that proxies can route by")
async def x_mcp_header(args: RegionArgs, ctx: RequestContext) -> str:
    header = ctx.headers.get("mcp-param-region")
    return f"Region: {args.region or 'any'}{f', by header {header}' if header else ''}"


CONTACT: dict[str, Any] = {
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


@server.tool(input=CONTACT)
async def json_schema_2020_12_tool(args: dict[str, Any]) -> str:
    """Take what only a raw schema can say; it is enforced like a class."""
    return f"Contact by {args.get('contactMethod', 'email')}"


# Tools: lists that change while the server runs; clients that listen are told


@server.tool("test_trigger_tool_change", "Add a tool, or remove it again")
async def trigger_tool_change() -> str:
    if any(tool.name == "test_added_tool" for tool in server.tools):
        server.remove_tool("test_added_tool")
        return "Removed test_added_tool."
    server.register_tool(
        "test_added_tool", "Say that it is here", {"type": "object"}, lambda: "Here I am."
    )
    return "Added test_added_tool."


@server.tool("test_trigger_prompt_change", "Add a prompt, or remove it again")
async def trigger_prompt_change() -> str:
    if any(prompt.name == "test_added_prompt" for prompt in server.prompts):
        server.remove_prompt("test_added_prompt")
        return "Removed test_added_prompt."
    server.register_prompt("test_added_prompt", "Say hello", None, lambda: "Hello!")
    return "Added test_added_prompt."


# Resources

server.register_resource(
    "test://static-text",
    "This is the content of the static text resource.",
    name="Static text",
    description="A text that never changes",
    mime_type="text/plain",
)
server.register_resource(
    "test://static-binary",
    PNG,
    name="Static binary",
    description="An image that never changes",
    mime_type="image/png",
)


class DataVariables(MCPArgs):
    id = String()


class Data(MCPArgs):
    id = String()
    template_test = Boolean(name="templateTest")
    data = String()


@server.resource("test://template/{id}/data", name="Data by id")
async def read_data(variables: DataVariables) -> Data:
    """The data of one id, as JSON."""
    return Data(id=variables.id, template_test=True, data=f"Data for ID: {variables.id}")


_watched = {"text": "This is the content of the watched resource."}


@server.resource("test://watched-resource", name="Watched resource", mime_type="text/plain")
async def read_watched() -> str:
    """A text that the method everything/write changes."""
    return _watched["text"]


@server.tool("test_trigger_resource_update", "Tell that the watched resource has changed")
async def trigger_resource_update() -> str:
    server.resource_updated("test://watched-resource")
    return "Told that test://watched-resource has changed."


class WriteArgs(MCPArgs):
    text = String(description="The new text of the watched resource")


@server.method("everything/write")
async def write(args: WriteArgs) -> None:
    """Change the watched resource: a method of this server's own, beside the protocol's."""
    _watched["text"] = args.text
    server.resource_updated("test://watched-resource")


# Prompts, and the completion of their arguments


@server.prompt("test_simple_prompt", "A prompt without arguments")
async def simple_prompt() -> str:
    return "This is a simple prompt for testing."


class TwoArguments(MCPArgs):
    arg1 = String(description="First argument")
    arg2 = String(description="Second argument")


@server.prompt("test_prompt_with_arguments", "A prompt with arguments")
async def prompt_with_arguments(args: TwoArguments) -> str:
    return f"Prompt with arguments: arg1='{args.arg1}', arg2='{args.arg2}'"


@server.completion("test_prompt_with_arguments", "arg1")
async def complete_arg1(value: str) -> list[str]:
    return [known for known in ("testValue1", "testValue2", "other") if known.startswith(value)]


class ResourceArgs(MCPArgs):
    resource_uri = String(name="resourceUri", description="The URI to embed")


@server.prompt("test_prompt_with_embedded_resource", "A prompt with a resource in it")
async def prompt_with_embedded_resource(args: ResourceArgs) -> list[PromptMessage]:
    resource = EmbeddedResource(
        args.resource_uri, "Embedded resource content for testing.", mime_type="text/plain"
    )
    return [
        PromptMessage(resource),
        PromptMessage("Please process the embedded resource above."),
    ]


@server.prompt("test_prompt_with_image", "A prompt with an image in it")
async def prompt_with_image() -> list[PromptMessage]:
    return [
        PromptMessage(ImageContent(PNG, "image/png")),
        PromptMessage("Please analyze the image above."),
    ]


class PromptContext(MCPArgs):
    context = String(description="What the prompt is about")


@server.prompt("test_input_required_result_prompt", "A prompt that asks the user first")
async def input_required_result_prompt(ctx: RequestContext) -> str:
    question = "What context should the prompt use?"
    answer = accepted(await ctx.elicit(question, PromptContext, key="user_context"))
    return f"Answer in this context: {answer.context}"


if __name__ == "__main__":
    server.run()
