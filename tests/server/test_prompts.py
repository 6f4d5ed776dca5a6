"""Prompts: what is published of one, its arguments, and what becomes of what a handler returns."""

import json
from operator import methodcaller
from typing import Any

import pytest

from tests.server import wire
from typedargs import (
    Array,
    Boolean,
    Double,
    Enum,
    Integer,
    MCPArgs,
    Nested,
    ObjectSchema,
    String,
    ValidationError,
)
from typedargs_server import (
    AudioContent,
    EmbeddedResource,
    Icon,
    ImageContent,
    InvalidParams,
    RegistrationError,
    ResourceLink,
    TextContent,
)
from typedargs_server.eras import versions
from typedargs_server.handlers import handler_of
from typedargs_server.prompts import Prompt, PromptRegistry
from typedargs_server.results import PromptMessage, PromptResult
from typedargs_server.schemas import SchemaSource, tool_schema
from typedargs_server.work import UnfitResult, Work

ERAS = (versions.MODERN, versions.LATEST_LEGACY)


class ReviewArgs(MCPArgs):
    language = Enum("python", "rust", description="Of the code", title="Language")
    lines = Integer(default=10, minimum=1, aliases=("limit",))
    strict = Boolean(required=False)
    weight = Double(nullable=True, default=None)
    note = String(required=False)


class Inner(MCPArgs):
    a = Integer()


class NestedArgs(MCPArgs):
    inner = Nested(Inner)


class ListArgs(MCPArgs):
    tags = Array(String())


def prompt(source: SchemaSource | None = None, name: str = "p", **options: Any) -> Prompt:
    return Prompt(
        name=name,
        description=options.pop("description", None),
        input=None if source is None else tool_schema(source),
        handler=handler_of(lambda args: args, name),
        **options,
    )


def valid(value: Any, name: str) -> None:
    for era in ERAS:
        wire._valid(value, era, name)


def test_a_prompt_is_work() -> None:
    work: Work = prompt(name="review")
    assert work.label == 'prompt "review"'


def test_the_arguments_are_those_of_the_schema() -> None:
    listed = prompt(ReviewArgs, title="Review").wire(objects_only=False)
    valid(listed, "Prompt")
    assert listed == {
        "name": "p",
        "title": "Review",
        "arguments": [
            {
                "name": "language",
                "title": "Language",
                "description": "Of the code",
                "required": True,
            },
            {"name": "lines", "required": False},
            {"name": "strict", "required": False},
            {"name": "weight", "required": False},
            {"name": "note", "required": False},
        ],
    }


def test_a_prompt_without_arguments_lists_none() -> None:
    listed = prompt(description="Greets", icons=[Icon(src="https://a/b.png")], meta={"a": 1}).wire(
        objects_only=True
    )
    valid(listed, "Prompt")
    assert listed == {
        "name": "p",
        "description": "Greets",
        "icons": [{"src": "https://a/b.png"}],
        "_meta": {"a": 1},
    }


def test_prompts_are_listed_in_pages() -> None:
    prompts = PromptRegistry(1)
    for name in "ab":
        prompts.add(prompt(name=name))
    page = prompts.page(None, objects_only=False)
    assert json.loads(bytes(page["prompts"])) == [{"name": "a"}]
    page = prompts.page(page["nextCursor"], objects_only=False)
    assert json.loads(bytes(page["prompts"])) == [{"name": "b"}]
    with pytest.raises(InvalidParams, match=r"^Unknown prompt: c$"):
        prompts.get("c")


# Registration


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: prompt(name="two words"),
            "a prompt name is 1 to 128 of the characters A-Z a-z 0-9 _ - and . ; "
            "'two words' is not",
        ),
        (lambda: prompt(timeout=0), 'prompt "p": timeout must be above 0 seconds'),
        (lambda: prompt(max_concurrency=0), 'prompt "p": max_concurrency must be at least 1'),
        (
            lambda: prompt(meta={"a": object()}),
            'prompt "p": meta is not JSON: an object has no JSON form',
        ),
        (
            lambda: Prompt(
                name="p",
                description=None,
                input=tool_schema(ReviewArgs),
                handler=handler_of(lambda: "a", "p"),
            ),
            'prompt "p": the handler takes no parameters, so that its arguments (language, lines, '
            "strict, weight, note) would be lost; take (args) or (args, ctx)",
        ),
        (
            lambda: prompt(NestedArgs),
            'prompt "p": inner is given as a string, which an object cannot be; '
            "make it a string, a number, a boolean or an enum",
        ),
        (
            lambda: prompt(ListArgs),
            'prompt "p": tags is given as a string, which an array cannot be; '
            "make it a string, a number, a boolean or an enum",
        ),
    ],
)
def test_a_prompt_that_cannot_work_is_refused(make: Any, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        make()
    assert str(caught.value) == message


def test_a_setting_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="Prompt: title must be a str or None, got 3"):
        prompt(title=3)


# Arguments


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"language": "rust"}, ReviewArgs(language="rust")),
        ({"language": "rust", "lines": "3"}, ReviewArgs(language="rust", lines=3)),
        ({"language": "rust", "limit": "3"}, ReviewArgs(language="rust", lines=3)),
        (
            {"language": "rust", "strict": "true", "weight": "0.5", "note": "3"},
            ReviewArgs(language="rust", strict=True, weight=0.5, note="3"),
        ),
        ({"language": "rust", "weight": "null"}, ReviewArgs(language="rust")),
        ({"language": "rust", "other": "x"}, ReviewArgs(language="rust")),
    ],
)
def test_the_handler_gets_an_instance(given: dict[str, str], wanted: ReviewArgs) -> None:
    assert prompt(ReviewArgs).arguments(given) == wanted


def test_the_handler_gets_a_dict_of_a_builder() -> None:
    source = ObjectSchema().add_string("q").add_integer("n", required=False)
    assert prompt(source).arguments({"q": "1", "n": "2"}) == {"q": "1", "n": 2}


def test_a_prompt_without_arguments_gets_none() -> None:
    assert prompt().arguments({"a": "b"}) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, 'language: missing; expected one of "python", "rust"'),
        (
            {"language": "rust", "lines": "many"},
            'lines: expected integer, got string "many"',
        ),
        ({"language": "rust", "lines": "0"}, "lines: expected at least 1, got number 0"),
        (
            {"language": "rust", "strict": "True"},
            'strict: expected boolean, got string "True"',
        ),
    ],
)
def test_arguments_that_do_not_fit_are_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        prompt(ReviewArgs).arguments(given)
    assert str(caught.value) == message


@pytest.mark.parametrize("source", [None, ReviewArgs])
@pytest.mark.parametrize("value", [3, None, True, ["a"], {}])
def test_an_argument_that_is_no_string_is_refused(source: Any, value: Any) -> None:
    with pytest.raises(InvalidParams) as caught:
        prompt(source).arguments({"lines": value})
    assert str(caught.value) == (
        f'the argument "lines" of a prompt must be a string, got {value!r}'
    )


# What a handler returns

TEXT = TextContent("a")
LINK = ResourceLink("a:b", "b")


def of_user(*blocks: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": block} for block in blocks]


A, B = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}


@pytest.mark.parametrize(
    ("returned", "messages"),
    [
        ("a", of_user(A)),
        (TEXT, of_user(A)),
        (PromptMessage("a"), of_user(A)),
        (PromptMessage(TEXT, "assistant"), [{"role": "assistant", "content": A}]),
        (
            ["a", PromptMessage("b", role="assistant")],
            [*of_user(A), {"role": "assistant", "content": B}],
        ),
        (("a", TextContent("b")), of_user(A, B)),
        ([], []),
        (PromptResult([PromptMessage("a")]), of_user(A)),
        (LINK, of_user({"type": "resource_link", "uri": "a:b", "name": "b"})),
        (
            ImageContent(b"", "image/png"),
            of_user({"type": "image", "data": "", "mimeType": "image/png"}),
        ),
        (
            AudioContent(b"", "audio/wav"),
            of_user({"type": "audio", "data": "", "mimeType": "audio/wav"}),
        ),
        (
            EmbeddedResource("a:b", "c"),
            of_user({"type": "resource", "resource": {"uri": "a:b", "text": "c"}}),
        ),
    ],
)
def test_every_form_of_result_becomes_messages(
    returned: Any, messages: list[dict[str, Any]]
) -> None:
    result = prompt().result(returned).answer({}, methodcaller("wire"))
    wire._valid(result, versions.LATEST_LEGACY, "GetPromptResult")
    wire._valid({**result, "resultType": "complete"}, versions.MODERN, "GetPromptResult")
    assert result == {"messages": messages}


def test_a_result_tells_the_description_of_the_prompt_unless_it_has_its_own() -> None:
    described = prompt(description="Greets")
    assert described.result("a").description == "Greets"
    own = PromptResult([PromptMessage("a")], description="Own", meta={"a": 1})
    assert described.result(own).answer({}, methodcaller("wire")) == {
        "description": "Own",
        "messages": of_user(A),
        "_meta": {"a": 1},
    }


@pytest.mark.parametrize(
    ("returned", "kind"),
    [(None, "a NoneType"), (3, "an int"), ({}, "a dict"), (["a", 3], "an int"), (b"a", "a bytes")],
)
def test_what_is_no_message_is_unfit(returned: Any, kind: str) -> None:
    with pytest.raises(UnfitResult) as caught:
        prompt().result(returned)
    assert str(caught.value) == (
        f"it returned {kind}; return a str, a PromptMessage, a content block, "
        "a list of those, or a PromptResult"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PromptMessage("a", "system"), "role must be 'user' or 'assistant', got 'system'"),  # type: ignore[arg-type]
        (lambda: PromptMessage(3), "content must be "),  # type: ignore[arg-type]
        (lambda: PromptResult("a"), "messages must be a list of which each is a PromptMessage"),  # type: ignore[arg-type]
    ],
)
def test_a_message_of_another_kind_is_refused(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()
