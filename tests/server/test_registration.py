"""What is registered beside tools, and what clients of both eras get of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.server.support import BOTH_ERAS, Core, connected
from typedargs import Boolean, Enum, Integer, MCPArgs, Nested, SchemaError
from typedargs_server import (
    CacheHints,
    ImageContent,
    InvalidParams,
    MCPServer,
    PromptMessage,
    RegistrationError,
    RequestContext,
    ResourceNotFound,
    ToolError,
)
from typedargs_server.eras import meta, versions
from typedargs_server.testing import RequestFailed, connect

pytestmark = pytest.mark.anyio

ERAS = ("modern", "legacy")


class ReviewArgs(MCPArgs):
    language = Enum("python", "pascal", "c", description="Of the code")
    lines = Integer(default=10, minimum=1)
    strict = Boolean(required=False)


class UserArgs(MCPArgs):
    id = Integer(minimum=1)


def given(_: Any) -> str:
    return "x"


def given_with_context(_: Any, ctx: RequestContext) -> str:
    return ctx.method


@pytest.fixture
def server() -> MCPServer:
    made = MCPServer("library", version="1.0")

    @made.prompt("review")
    def review(args: ReviewArgs) -> str:
        """Review code."""
        return f"Review {args.lines} lines of {args.language}, strict: {args.strict}"

    @made.prompt
    async def hello(ctx: RequestContext) -> list[Any]:
        """Say hello."""
        return [
            f"Hello from {ctx.method}",
            PromptMessage(ImageContent(b"x", "image/png"), "assistant"),
        ]

    @made.resource("config://app", mime_type="application/json", cache=CacheHints(ttl_ms=5))
    def config() -> dict[str, Any]:
        """The settings."""
        return {"debug": False}

    @made.resource("users://{id}/profile", name="profile")
    def profile(args: UserArgs, ctx: RequestContext) -> str:
        if args.id > 100:
            raise ResourceNotFound(ctx.params["uri"])
        return f"user {args.id}"

    @made.resource("notes://{name}")
    async def note(variables: Mapping[str, str]) -> bytes:
        return variables["name"].encode()

    made.register_resource("data://logo", b"\x89PNG", mime_type="image/png", name="logo")

    @made.completion("users://{id}/profile", "id")
    async def ids(value: str, chosen: Mapping[str, str]) -> list[str]:
        return [f"{value}{digit}" for digit in range(3)] + sorted(chosen)

    return made


@pytest.mark.parametrize("revision", BOTH_ERAS)
def test_prompts_are_listed(server: MCPServer, revision: str) -> None:
    assert Core(server, revision).ask("prompts/list")["prompts"] == [
        {
            "name": "review",
            "description": "Review code.",
            "arguments": [
                {"name": "language", "description": "Of the code", "required": True},
                {"name": "lines", "required": False},
                {"name": "strict", "required": False},
            ],
        },
        {"name": "hello", "description": "Say hello."},
    ]


@pytest.mark.parametrize("revision", BOTH_ERAS)
def test_resources_and_templates_are_listed(server: MCPServer, revision: str) -> None:
    core = Core(server, revision)
    assert core.ask("resources/list")["resources"] == [
        {
            "uri": "config://app",
            "name": "config",
            "description": "The settings.",
            "mimeType": "application/json",
        },
        {"uri": "data://logo", "name": "logo", "mimeType": "image/png"},
    ]
    assert core.ask("resources/templates/list")["resourceTemplates"] == [
        {"uriTemplate": "users://{id}/profile", "name": "profile"},
        {"uriTemplate": "notes://{name}", "name": "note"},
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_prompts_arguments_are_strings_that_become_what_the_class_says(
    server: MCPServer, era: Any
) -> None:
    async with connect(server, era) as client:
        messages = await client.get_prompt("review", {"language": "c", "lines": "3"})
        assert messages == [
            {
                "role": "user",
                "content": {"type": "text", "text": "Review 3 lines of c, strict: None"},
            }
        ]
        assert await client.get_prompt("hello") == [
            {"role": "user", "content": {"type": "text", "text": "Hello from prompts/get"}},
            {
                "role": "assistant",
                "content": {"type": "image", "data": "eA==", "mimeType": "image/png"},
            },
        ]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "review",
            {"lines": "0"},
            'Invalid arguments for prompt "review":\n'
            'language: missing; expected one of "python", "pascal", "c"\n'
            "lines: expected at least 1, got number 0",
        ),
        ("revew", {}, 'Unknown prompt: revew; did you mean "review"?'),
    ],
)
async def test_a_prompt_that_cannot_be_made_is_an_error_that_says_why(
    server: MCPServer, era: Any, name: str, arguments: dict[str, str], message: str
) -> None:
    async with connect(server, era) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.get_prompt(name, arguments)
    assert (failed.value.code, failed.value.message) == (-32602, message)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "contents"),
    [
        (
            "config://app",
            {"uri": "config://app", "mimeType": "application/json", "text": '{"debug":false}'},
        ),
        (
            "users://7/profile",
            {"uri": "users://7/profile", "mimeType": "text/plain", "text": "user 7"},
        ),
        (
            "notes://a%20b",
            {"uri": "notes://a%20b", "mimeType": "application/octet-stream", "blob": "YSBi"},
        ),
        ("data://logo", {"uri": "data://logo", "mimeType": "image/png", "blob": "iVBORw=="}),
    ],
)
async def test_a_resource_is_read(
    server: MCPServer, era: Any, uri: str, contents: dict[str, str]
) -> None:
    async with connect(server, era) as client:
        assert await client.read_resource(uri) == [contents]


@pytest.mark.parametrize(("era", "code"), [("modern", -32602), ("legacy", -32002)])
@pytest.mark.parametrize("uri", ["users://101/profile", "nowhere://x"])
async def test_a_resource_that_is_not_there(
    server: MCPServer, era: Any, code: int, uri: str
) -> None:
    async with connect(server, era) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.read_resource(uri)
    assert (failed.value.code, failed.value.message) == (code, "Resource not found")
    assert failed.value.data == {"uri": uri}


@pytest.mark.parametrize("era", ERAS)
async def test_a_variable_that_does_not_fit_its_class_is_named(server: MCPServer, era: Any) -> None:
    async with connect(server, era) as client:
        with pytest.raises(RequestFailed) as failed:
            await client.read_resource("users://ada/profile")
    assert failed.value.code == -32602
    assert failed.value.message == (
        'Invalid arguments for resource template "users://{id}/profile":\n'
        'id: expected integer, got string "ada"'
    )


@pytest.mark.parametrize("uri", ["config://app", "data://logo"])
async def test_a_resources_own_hints_for_caches_come_first(server: MCPServer, uri: str) -> None:
    async with connect(server) as client:
        result = await client.request("resources/read", {"uri": uri})
    hints = {"config://app": (5, "public"), "data://logo": (0, "public")}
    assert (result["ttlMs"], result["cacheScope"]) == hints[uri]


async def test_a_legacy_client_gets_no_hints_for_caches(server: MCPServer) -> None:
    async with connect(server, "legacy") as client:
        result = await client.request("resources/read", {"uri": "config://app"})
    assert set(result) == {"contents"}


PROMPT = {"type": "ref/prompt", "name": "review"}
TEMPLATE = {"type": "ref/resource", "uri": "users://{id}/profile"}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("ref", "argument", "value", "values"),
    [
        (PROMPT, "language", "", ["python", "pascal", "c"]),
        (PROMPT, "language", "P", ["python", "pascal"]),
        (PROMPT, "language", "as", ["pascal"]),
        (PROMPT, "strict", "t", ["true"]),
        (PROMPT, "lines", "1", []),
        (TEMPLATE, "id", "1", ["10", "11", "12", "other"]),
        ({"type": "ref/resource", "uri": "users://3/profile"}, "id", "", ["0", "1", "2", "other"]),
    ],
)
async def test_an_argument_is_completed(
    server: MCPServer, era: Any, ref: Any, argument: str, value: str, values: list[str]
) -> None:
    async with connect(server, era) as client:
        assert await client.complete(ref, argument, value, other="chosen") == values


@pytest.mark.parametrize("revision", BOTH_ERAS)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"ref": PROMPT, "argument": {"name": "languag", "value": ""}},
            'Unknown argument of prompt "review": languag; did you mean "language"?',
        ),
        (
            {"ref": {"type": "ref/tool"}, "argument": {"name": "x", "value": ""}},
            "ref must be a ref/prompt with a name, or a ref/resource with a uri",
        ),
        ({"ref": PROMPT, "argument": "x"}, "argument must have a name and a value, both strings"),
        (
            {
                "ref": PROMPT,
                "argument": {"name": "language", "value": ""},
                "context": {"arguments": {"a": 1}},
            },
            "context.arguments must be an object of strings",
        ),
    ],
)
def test_what_cannot_be_completed_is_an_error(
    server: MCPServer, revision: str, params: dict[str, Any], message: str
) -> None:
    assert Core(server, revision).error("completion/complete", params) == {
        "code": -32602,
        "message": message,
    }


@pytest.mark.parametrize("revision", BOTH_ERAS)
async def test_every_answer_is_valid_in_its_era(server: MCPServer, revision: str) -> None:
    async with connected(server, revision) as client:
        await client.ask("prompts/get", {"name": "hello"})
        await client.ask("resources/read", {"uri": "users://7/profile"})
        argument = {"name": "id", "value": "1"}
        result = await client.ask("completion/complete", {"ref": TEMPLATE, "argument": argument})
    assert result["completion"] == {"values": ["10", "11", "12"], "total": 3, "hasMore": False}


@pytest.mark.parametrize("era", ERAS)
async def test_a_handler_that_fails_is_an_error_that_gives_nothing_away(era: Any) -> None:
    server = MCPServer("s")

    @server.prompt
    def fails() -> str:
        raise RuntimeError("secret")

    @server.resource("told://x")
    def told() -> str:
        raise ToolError("the disk is full", code="full", retryable=True)

    @server.resource("refused://x")
    async def refused() -> str:
        raise InvalidParams("no")

    async with connect(server, era) as client:
        with pytest.raises(RequestFailed, match='Prompt "fails" failed') as failed:
            await client.get_prompt("fails")
        assert failed.value.code == -32603
        with pytest.raises(RequestFailed, match="the disk is full") as failed:
            await client.read_resource("told://x")
        assert failed.value.code == -32603
        assert failed.value.data["faults"][0]["retryable"] is True
        with pytest.raises(RequestFailed, match="no") as failed:
            await client.read_resource("refused://x")
        assert failed.value.code == -32602


@pytest.mark.parametrize("era", ERAS)
async def test_a_file_and_a_directory_are_resources(era: Any, tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("# A")
    (tmp_path / "docs" / "deep" / "b.txt").write_text("b")
    (tmp_path / "secret.txt").write_text("secret")
    server = MCPServer("files")
    server.add_file(tmp_path / "secret.txt", "file://here/secret", name="a secret")
    server.add_directory("docs://", tmp_path / "docs")
    async with connect(server, era) as client:
        listed = {entry["uri"]: entry["size"] for entry in await client.list_resources()}
        assert listed == {"file://here/secret": 6, "docs://a.md": 3, "docs://deep/b.txt": 1}
        (contents,) = await client.read_resource("docs://deep/b.txt")
        assert contents["text"] == "b"
        with pytest.raises(RequestFailed, match="Resource not found"):
            await client.read_resource("docs://../secret.txt")


class Nest(MCPArgs):
    user = Nested(UserArgs)


@pytest.mark.parametrize(
    ("register", "error", "message"),
    [
        (
            lambda s: s.register_prompt("p", None, Nest, given),
            RegistrationError,
            'prompt "p": ',
        ),
        (
            lambda s: s.register_prompt("p", None, None, given_with_context),
            RegistrationError,
            'prompt "p": the handler must take () or (ctx), but it needs (_, ctx); '
            "bind the others with functools.partial",
        ),
        (
            lambda s: s.register_resource("no-scheme", "x"),
            RegistrationError,
            'resource "no-scheme"',
        ),
        (
            lambda s: s.register_resource("a://{b}", "x"),
            RegistrationError,
            'resource template "a://{b}": give a handler that takes the variables',
        ),
        (
            lambda s: s.register_resource("a://b", lambda: "x", input=UserArgs),
            RegistrationError,
            'resource "a://b": input= types the variables of a template',
        ),
        (
            lambda s: s.register_resource("a://{b}", given, input=UserArgs),
            RegistrationError,
            'resource template "a://{b}"',
        ),
        (
            lambda s: s.register_completion("nothing", "x", given),
            RegistrationError,
            'there is no prompt "nothing"; register it before its completion',
        ),
        (
            lambda s: s.register_method("tools/mine", {"type": "object"}, given),
            RegistrationError,
            'method "tools/mine": its prefix is one of the protocol; take one of your own',
        ),
        (
            lambda s: s.register_method("mine", {"type": "object"}, given),
            RegistrationError,
            'a method is named as in "acme/reindex"',
        ),
        (
            lambda s: s.register_method("acme/x", {"$ref": "https://x"}, given),
            SchemaError,
            "",
        ),
        (lambda s: s.middleware(None), RegistrationError, "middleware must be an async function"),
    ],
)
def test_what_cannot_be_registered_is_refused_where_it_is_said(
    register: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        register(MCPServer("s"))
    assert str(raised.value).startswith(message)


def test_what_is_declared_follows_what_is_there() -> None:
    server = MCPServer("s")

    def declared() -> dict[str, Any]:
        given: dict[str, Any] = Core(server).ask("server/discover")["capabilities"]
        return given

    lists = {"listChanged": True}
    assert declared() == {"tools": lists, "logging": {}}
    server.register_prompt("p", None, ReviewArgs, given)
    assert declared() == {"tools": lists, "prompts": lists, "completions": {}, "logging": {}}
    server.remove_prompt("p")
    server.register_resource("a://b", "x")
    assert declared() == {
        "tools": lists,
        "prompts": lists,
        "resources": {**lists, "subscribe": True},
        "logging": {},
    }
    server.remove_resource("a://b")
    with pytest.raises(KeyError):
        server.remove_resource("a://b")
    assert Core(server).ask("resources/list")["resources"] == []


def test_the_registered_things_can_be_looked_at(server: MCPServer) -> None:
    assert [prompt.name for prompt in server.prompts] == ["review", "hello"]
    assert [resource.uri for resource in server.resources] == ["config://app", "data://logo"]
    assert [template.uri_template for template in server.resource_templates] == [
        "users://{id}/profile",
        "notes://{name}",
    ]


def test_meta_goes_through_and_through(server: MCPServer) -> None:
    assert meta.SERVER_INFO in Core(server).ask("prompts/list")["_meta"]
    assert "_meta" not in Core(server, versions.LATEST_LEGACY).ask("prompts/list")
