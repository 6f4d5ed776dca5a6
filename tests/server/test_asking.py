"""What a handler asks of the client: one body, both eras, on asyncio and on trio."""

import functools
import math
from collections.abc import Mapping
from typing import Any

import anyio.from_thread
import pytest

from typedargs import Array, Boolean, Enum, Integer, MCPArgs, Nested, SchemaError, String
from typedargs_server import (
    Accepted,
    Cancelled,
    Declined,
    Elicit,
    ElicitUrl,
    ListRoots,
    MCPServer,
    RegistrationError,
    RequestContext,
    Root,
    Sample,
    SamplingMessage,
    SamplingTool,
)
from typedargs_server.handlers import handler_may_ask, handler_of
from typedargs_server.questions import UnfitAnswer
from typedargs_server.testing import RequestFailed, connect

pytestmark = pytest.mark.anyio

ERAS = ("modern", "legacy")


class Who(MCPArgs):
    name = String(description="Your name", min_length=1)
    age = Integer(required=False, minimum=0)


class NoArgs(MCPArgs):
    pass


@pytest.fixture
def server() -> MCPServer:
    made = MCPServer("asker", version="1.0")

    @made.tool("greet", "Greet somebody")
    async def greet(_: NoArgs, ctx: RequestContext) -> str:
        match await ctx.elicit("Whom shall I greet?", Who):
            case Accepted(who):
                return f"Hello, {who.name} ({who.age})!"
            case Declined():
                return "Nobody."
            case Cancelled():
                return "Another time."

    @made.tool("visit", "Send somebody to a page")
    async def visit(_: NoArgs, ctx: RequestContext) -> str:
        return (await ctx.elicit_url("Please pay", "https://pay.example/1")).action

    @made.tool("think", "Have the client's model think")
    async def think(_: NoArgs, ctx: RequestContext) -> str:
        sampled = await ctx.sample(
            ["Which capital?", SamplingMessage("Hm", "assistant")],
            max_tokens=100,
            system_prompt="Be brief",
            temperature=0.5,
        )
        return f"{sampled.model}: {sampled.text} ({sampled.stop_reason})"

    @made.tool("where", "Say where to work")
    async def where(_: NoArgs, ctx: RequestContext) -> str:
        return ", ".join(f"{root.name}={root.uri}" for root in await ctx.list_roots())

    @made.tool("all", "Ask all at once")
    async def ask_all(_: NoArgs, ctx: RequestContext) -> str:
        who, greeting, roots = await ctx.elicit_all(
            Elicit("Who?", Who, key="who"),
            Sample("Greet", max_tokens=10),
            ListRoots(),
        )
        assert isinstance(who, Accepted)
        return f"{greeting.text} {who.content.name} {len(roots)}"

    @made.tool("thread", "Ask from a thread")
    def thread(_: NoArgs, ctx: RequestContext) -> str:
        answer = anyio.from_thread.run(ctx.elicit, "Who?", Who)
        return repr(answer)

    return made


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"name": "Ada", "age": 36}, "Hello, Ada (36)!"),
        (Accepted({"name": "Ada"}), "Hello, Ada (None)!"),
        (Declined(), "Nobody."),
        (Cancelled(), "Another time."),
        (lambda params: {"name": params["message"]}, "Hello, Whom shall I greet? (None)!"),
    ],
)
async def test_a_form_is_answered_accepted_declined_or_cancelled(
    server: MCPServer, era: Any, answer: Any, text: str
) -> None:
    async with connect(server, era, elicit=answer) as client:
        assert (await client.call_tool("greet")).text == text


@pytest.mark.parametrize("era", ERAS)
async def test_a_form_shows_the_class_and_no_more(server: MCPServer, era: Any) -> None:
    asked: list[Mapping[str, Any]] = []

    def answer(params: Mapping[str, Any]) -> Any:
        asked.append(params)
        return Declined()

    async with connect(server, era, elicit=answer) as client:
        await client.call_tool("greet")
    assert asked == [
        {
            "message": "Whom shall I greet?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Your name", "minLength": 1},
                    "age": {"type": "integer", "minimum": 0},
                },
                "required": ["name"],
            },
        }
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_page_to_visit_is_agreed_to_or_not(server: MCPServer, era: Any) -> None:
    asked: list[Mapping[str, Any]] = []

    def answer(params: Mapping[str, Any]) -> Any:
        asked.append(params)
        return Accepted(None)

    async with connect(server, era, elicit=answer) as client:
        assert (await client.call_tool("visit")).text == "accept"
    (params,) = asked
    assert params["mode"] == "url"
    assert params["url"] == "https://pay.example/1"
    assert ("elicitationId" in params) == (era == "legacy")


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_model_goes_on_from_messages(server: MCPServer, era: Any) -> None:
    asked: list[Mapping[str, Any]] = []

    def answer(params: Mapping[str, Any]) -> Any:
        asked.append(params)
        return "Paris"

    async with connect(server, era, sample=answer) as client:
        assert (await client.call_tool("think")).text == "scripted: Paris (endTurn)"
    assert asked == [
        {
            "messages": [
                {
                    "role": "user",
                    "content": {"type": "text", "text": "Which capital?"},
                },
                {"role": "assistant", "content": {"type": "text", "text": "Hm"}},
            ],
            "maxTokens": 100,
            "systemPrompt": "Be brief",
            "temperature": 0.5,
        }
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_roots_are_listed(server: MCPServer, era: Any) -> None:
    roots = [Root("file:///a", "A"), "file:///b"]
    async with connect(server, era, roots=roots) as client:
        assert (await client.call_tool("where")).text == "A=file:///a, None=file:///b"


@pytest.mark.parametrize("era", ERAS)
async def test_questions_that_do_not_depend_on_each_other_go_in_one_round(
    server: MCPServer, era: Any
) -> None:
    async with connect(
        server, era, elicit={"name": "Ada"}, sample="Hi", roots=["file:///a"]
    ) as client:
        assert (await client.call_tool("all")).text == "Hi Ada 1"


@pytest.mark.parametrize("era", ERAS)
async def test_a_handler_in_a_thread_asks_too(server: MCPServer, era: Any) -> None:
    async with connect(server, era, elicit={"name": "Ada"}) as client:
        text = (await client.call_tool("thread")).text
    assert text == "Accepted(content=Who(name='Ada', age=None))"


async def test_a_modern_client_that_cannot_answer_gets_the_protocols_error(
    server: MCPServer,
) -> None:
    async with connect(server) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.call_tool("greet")
    assert failed.value.code == -32021
    assert failed.value.message == "Missing required client capability: elicitation"
    assert failed.value.data == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_legacy_client_that_cannot_answer_gets_a_failed_call(server: MCPServer) -> None:
    async with connect(server, "legacy") as client:
        result = await client.call_tool("greet")
    assert result.is_error
    assert result.text == (
        "this needs a client with the capability elicitation, which it has not declared"
    )


@pytest.mark.parametrize(
    ("question", "declared", "lacks"),
    [
        (Elicit("?", Who), {"elicitation": {}}, {}),
        (Elicit("?", Who), {"elicitation": {"form": {}}}, {}),
        (Elicit("?", Who), {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        (Elicit("?", Who), {}, {"elicitation": {}}),
        (Elicit("?", Who), {"elicitation": None}, {"elicitation": {}}),
        (Sample("?", max_tokens=1), {"sampling": {}}, {}),
        (
            Sample(messages=[SamplingMessage("?")], max_tokens=1, tools=[SamplingTool(name="t")]),
            {"sampling": {}},
            {"sampling": {"tools": {}}},
        ),
        (ListRoots(), {"sampling": {}}, {"roots": {}}),
    ],
)
def test_what_a_client_lacks_for_a_question(question: Any, declared: Any, lacks: Any) -> None:
    assert question.lacks(declared) == lacks


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            Accepted({"name": 3}),
            "the content does not fit the form: name: expected string, got number 3",
        ),
        (Accepted({}), "the content does not fit the form: name: missing; expected string"),
        ({"action": "yes"}, "action must be accept, decline or cancel, got 'yes'"),
    ],
)
async def test_an_answer_that_does_not_fit_is_told_to_the_client(
    server: MCPServer, era: Any, answer: Any, why: str
) -> None:
    async with connect(server, era, elicit=answer) as client:
        if era == "modern":
            with pytest.raises(RequestFailed) as failed:
                await client.call_tool("greet")
            assert (failed.value.code, failed.value.message) == (
                -32602,
                f"inputResponses.question-1: {why}",
            )
        else:
            result = await client.call_tool("greet")
            assert result.is_error
            assert result.text == f"the client's answer to elicitation/create is unfit: {why}"


class Inner(MCPArgs):
    x = Integer()


class Deep(MCPArgs):
    inner = Nested(Inner)


class Lists(MCPArgs):
    numbers = Array(Integer())


class Maybe(MCPArgs):
    name = String(nullable=True)


class Formatted(MCPArgs):
    address = String(format="ipv4")


class Choices(MCPArgs):
    color = Enum("red", "green")
    several = Array(Enum("a", "b"), min_items=1)
    sure = Boolean(default=False)


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (Deep, '"inner" cannot be asked for in a form: its type is "object"'),
        (Lists, '"numbers" cannot be asked for in a form: its items are no choices'),
        (Maybe, '"name" cannot be asked for in a form: its type is ["string", "null"]'),
        (
            Formatted,
            '"address" cannot be asked for in a form: its format is "ipv4", '
            "and clients know email, uri, date, date-time",
        ),
    ],
)
def test_a_class_that_is_not_flat_is_no_form(args: type[MCPArgs], fault: str) -> None:
    with pytest.raises(SchemaError) as raised:
        Elicit("?", args)
    assert str(raised.value).startswith(fault)


def test_choices_and_lists_of_choices_are_a_form() -> None:
    assert Elicit("?", Choices).params()["requestedSchema"]["properties"] == {
        "color": {"type": "string", "enum": ["red", "green"]},
        "several": {
            "type": "array",
            "items": {"type": "string", "enum": ["a", "b"]},
            "minItems": 1,
        },
        "sure": {"type": "boolean", "default": False},
    }


def ask_deeply(_: NoArgs, ctx: RequestContext) -> Any:
    return ctx.elicit("?", Deep)


async def ask_by_keyword(_: NoArgs, ctx: RequestContext) -> str:
    return repr(await ctx.elicit("?", key="k", schema=Deep))


async def ask_all_at_once(_: NoArgs, ctx: RequestContext) -> str:
    async def inner() -> Any:
        return await ctx.elicit_all(Elicit("?", Who), Elicit("?", Deep))

    return repr(await inner())


class Service:
    async def method(self, _: NoArgs, ctx: RequestContext) -> str:
        return repr(await ctx.elicit("?", Deep))

    async def __call__(self, _: NoArgs, ctx: RequestContext) -> str:
        return repr(await ctx.elicit("?", Deep))


@pytest.mark.parametrize(
    "handler",
    [ask_deeply, ask_by_keyword, ask_all_at_once, Service().method, Service()],
)
def test_a_handler_that_asks_for_what_is_no_form_is_refused_when_registered(handler: Any) -> None:
    with pytest.raises(RegistrationError) as raised:
        MCPServer("s").register_tool("t", None, NoArgs, handler)
    assert str(raised.value).startswith(
        'tool "t": it asks for Deep, which is no form: "inner" cannot be asked for in a form'
    )


def test_a_class_that_is_local_to_where_the_handler_is_defined_is_seen_too() -> None:
    class Local(MCPArgs):
        inner = Nested(Inner)

    server = MCPServer("s")
    with pytest.raises(RegistrationError, match="it asks for Local, which is no form"):

        @server.prompt
        async def ask(ctx: RequestContext) -> str:
            return repr(await ctx.elicit("?", Local))


LEGACY_TITLES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]}
    },
}


def test_the_older_way_to_give_titles_to_choices_is_shown_and_the_choices_are_enforced() -> None:
    form = Elicit("?", LEGACY_TITLES)
    assert form.params()["requestedSchema"] == LEGACY_TITLES
    assert form.read({"action": "accept", "content": {"size": "m"}}) == Accepted({"size": "m"})
    with pytest.raises(UnfitAnswer):
        form.read({"action": "accept", "content": {"size": "Medium"}})


@pytest.mark.parametrize("names", [["Small"], "Small", ["Small", 1]])
def test_titles_that_are_not_one_for_each_choice_are_refused(names: Any) -> None:
    size = {**LEGACY_TITLES["properties"]["size"], "enumNames": names}
    with pytest.raises(SchemaError) as raised:
        Elicit("?", {"type": "object", "properties": {"size": size}})
    assert raised.value.pointer == "/properties/size/enumNames"


async def tells(_: NoArgs, ctx: RequestContext) -> str:
    def later() -> None:
        ctx.progress(2)

    await ctx.progress(1)
    later()
    return ctx.method


async def asks(_: NoArgs, ctx: RequestContext) -> str:
    return repr(await ctx.list_roots())


async def asks_within(_: NoArgs, ctx: RequestContext) -> str:
    async def inner() -> Any:
        return await ctx.sample("?")

    return repr(await inner())


async def hands_it_on(_: NoArgs, ctx: RequestContext) -> str:
    return await asks(_, ctx)


async def keeps_it(_: NoArgs, ctx: RequestContext) -> str:
    kept = [ctx]
    return str(len(kept))


@pytest.mark.parametrize(
    ("handler", "may_ask"),
    [
        (tells, False),
        (asks, True),
        (asks_within, True),
        (hands_it_on, True),
        (keeps_it, True),
        (functools.partial(tells), False),
    ],
)
def test_whether_a_handler_may_ask_is_read_in_its_code(handler: Any, may_ask: bool) -> None:
    assert handler_may_ask(handler_of(handler, "t")) is may_ask


@pytest.mark.parametrize("era", ERAS)
async def test_two_questions_of_one_call_under_one_key_are_an_error(
    era: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = MCPServer("s")

    @server.tool
    async def ask(ctx: RequestContext) -> str:
        await ctx.elicit("First?", Who, key="a")
        return repr(await ctx.elicit("Second?", Who, key="a"))

    async with connect(server, era, elicit={"name": "Ada"}) as client:
        assert (await client.call_tool("ask")).is_error
    assert 'two questions of one call have the key "a"; give each its own' in caplog.text


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (
            lambda: Sample("x", max_tokens="3"),
            TypeError,
            "Sample: max_tokens must be an int, got '3'",
        ),
        (
            lambda: Sample("x", max_tokens=0),
            ValueError,
            "Sample: max_tokens must be at least 1, got 0",
        ),
        (lambda: Sample([]), ValueError, "Sample: messages must have at least one"),
        (lambda: Sample(3), TypeError, "Sample: messages must be a str or a SamplingMessage or"),
        (
            lambda: Sample("x", tool_choice="x"),
            TypeError,
            "Sample: tool_choice must be 'auto' or 'required' or 'none' or None, got 'x'",
        ),
        (
            lambda: ElicitUrl("x", "javascript:alert(1)"),
            ValueError,
            "elicit_url: url must begin with https:// or http://, got 'javascript:alert(1)'",
        ),
    ],
)
def test_a_question_that_is_none_is_refused_where_it_is_made(
    ask: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        ask()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda ctx: ctx.elicit_all("x"),
            "a question is an Elicit, ElicitUrl, Sample or ListRoots",
        ),
        (lambda ctx: ctx.once("k", 5), "once: function must be a Callable"),
        (
            lambda ctx: ctx.once("k", lambda: {1, 2}),
            'once "k": {1, 2} does not come back from JSON',
        ),
        (lambda ctx: ctx.once("k", lambda: [math.nan]), 'once "k": [nan] does not come back'),
    ],
)
async def test_what_cannot_be_asked_or_kept_says_so_in_the_log(
    use: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = MCPServer("s")

    @server.tool
    async def tool(ctx: RequestContext) -> None:
        await use(ctx)

    async with connect(server) as client:
        assert (await client.call_tool("tool")).is_error
    assert message in caplog.text
