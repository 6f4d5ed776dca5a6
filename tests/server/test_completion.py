"""Completion: which values are offered, in which order, and how many."""

import functools
from collections.abc import Mapping, Sequence
from operator import methodcaller
from typing import Any

import pytest

from tests.server import wire
from typedargs import Boolean, Const, Enum, Integer, MCPArgs, ObjectSchema, String
from typedargs_server import InvalidParams, RegistrationError, RequestContext
from typedargs_server.completion import MAX_VALUES, CompletionRegistry
from typedargs_server.eras import versions
from typedargs_server.errors import ResourceNotFound
from typedargs_server.handlers import Handler, handler_of
from typedargs_server.prompts import Prompt, PromptRegistry
from typedargs_server.resources import Resource, ResourceRegistry, ResourceTemplate
from typedargs_server.results import CompletionResult
from typedargs_server.schemas import SchemaSource, tool_schema
from typedargs_server.work import UnfitResult, Work


class ReviewArgs(MCPArgs):
    language = Enum("Python", "PyPy", "Rust", "cpython", required=False)
    strict = Boolean(default=False)
    kind = Const("review")
    note = String(required=False)
    lines = Integer(nullable=True, default=None)


class NoteArgs(MCPArgs):
    form = Enum("full", "short")
    id = String()


ANY = handler_of(lambda args: args, "x")


def prompt(name: str = "review", source: SchemaSource | None = ReviewArgs) -> Prompt:
    schema = None if source is None else tool_schema(source)
    return Prompt(name=name, description=None, input=schema, handler=ANY)


def template(uri: str = "notes://{form}/{id}", source: Any = NoteArgs) -> ResourceTemplate:
    schema = None if source is None else tool_schema(source)
    return ResourceTemplate(
        uri_template=uri, name="note", description=None, input=schema, handler=ANY
    )


def registry(
    *prompts: Prompt, templates: Sequence[ResourceTemplate] = (), resources: Sequence[Resource] = ()
) -> CompletionRegistry:
    by_name, by_uri = PromptRegistry(1000), ResourceRegistry(1000)
    for each in prompts:
        by_name.add(each)
    for one in templates:
        by_uri.templates.add(one)
    for at in resources:
        by_uri.resources.add(at)
    return CompletionRegistry(by_name, by_uri)


def complete(completer: Work, value: str, chosen: Mapping[str, str] | None = None) -> Any:
    """What a client is told; as the runner does it, but for the context."""
    context: Any = "context"
    arguments = completer.arguments(value, chosen)  # type: ignore[attr-defined]
    completed = completer.result(completer.handler.call(arguments, context))
    result = completed.answer({}, methodcaller("wire"))
    wire._valid(result, versions.LATEST_LEGACY, "CompleteResult")
    wire._valid({**result, "resultType": "complete"}, versions.MODERN, "CompleteResult")
    return result["completion"]


@pytest.mark.parametrize(
    ("argument", "typed", "values"),
    [
        ("language", "", ["Python", "PyPy", "Rust", "cpython"]),
        ("language", "py", ["Python", "PyPy", "cpython"]),
        ("language", "PYTHON", ["Python", "cpython"]),
        ("language", "ust", ["Rust"]),
        ("language", "java", []),
        ("strict", "", ["true", "false"]),
        ("strict", "t", ["true"]),
        ("kind", "", ["review"]),
        ("note", "", []),
        ("lines", "1", []),
    ],
)
def test_what_a_schema_lists_is_offered_the_best_first(
    argument: str, typed: str, values: list[str]
) -> None:
    completer = registry(prompt()).of_prompt("review", argument)
    assert complete(completer, typed) == {
        "values": values,
        "total": len(values),
        "hasMore": False,
    }


def test_a_completer_is_work_that_is_done_at_once() -> None:
    work: Work = registry(prompt()).of_prompt("review", "language")
    assert work.label == 'completion of prompt "review", argument "language"'
    assert work.inline


@pytest.mark.parametrize("uri", ["notes://{form}/{id}", "notes://full/3", "notes://{form}/%7B"])
def test_a_template_is_named_by_itself_or_by_a_uri_that_it_gives(uri: str) -> None:
    completions = registry(templates=[template()])
    if uri == "notes://{form}/%7B":
        with pytest.raises(ResourceNotFound):
            completions.of_resource(uri, "form")
        return
    assert complete(completions.of_resource(uri, "form"), "s")["values"] == ["short"]


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (
            lambda c: c.of_prompt("reviews", "language"),
            'Unknown prompt: reviews; did you mean "review"?',
        ),
        (
            lambda c: c.of_prompt("review", "langage"),
            'Unknown argument of prompt "review": langage; did you mean "language"?',
        ),
        (
            lambda c: c.of_prompt("plain", "language"),
            'Unknown argument of prompt "plain": language',
        ),
        (lambda c: c.of_resource("other://x", "id"), "Resource not found"),
        (
            lambda c: c.of_resource("notes://{form}/{id}", "ids"),
            'Unknown argument of resource template "notes://{form}/{id}": ids; did you mean "id"?',
        ),
        (
            lambda c: c.of_resource("config://app", "id"),
            'resource "config://app" has no arguments to complete',
        ),
    ],
)
def test_what_is_unknown_is_refused_with_the_nearest_name(find: Any, message: str) -> None:
    at = Resource(uri="config://app", name="a", description=None, handler=ANY)
    completions = registry(prompt(), prompt("plain", None), templates=[template()], resources=[at])
    with pytest.raises(InvalidParams) as caught:
        find(completions)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "chosen", "message"),
    [
        (3, {}, 'the argument "note" of a completion must be a string, got 3'),
        ("", {"kind": None}, 'the argument "kind" of a completion must be a string, got None'),
    ],
)
def test_an_argument_that_is_no_string_is_refused(value: Any, chosen: Any, message: str) -> None:
    completer = registry(prompt()).of_prompt("review", "note")
    with pytest.raises(InvalidParams) as caught:
        completer.arguments(value, chosen)
    assert str(caught.value) == message


# Functions


class Notes:
    def of_value(self, value: str) -> list[str]:
        return [f"{value}!"]

    def __call__(self, value: str, chosen: Mapping[str, str]) -> list[str]:
        return [value, *chosen.values()]


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (lambda value: [value, "other"], ["x", "other"]),
        (lambda value, chosen: [value, *chosen.values()], ["x", "y"]),
        (lambda value, chosen, ctx: [value, *chosen, ctx], ["x", "kind", "context"]),
        (lambda *given: list(map(str, given)), ["x", "{'kind': 'y'}", "context"]),
        (lambda value, _limit=3: [value], ["x"]),
        (Notes().of_value, ["x!"]),
        (Notes(), ["x", "y"]),
        (functools.partial(lambda own, value: [own, value], "own"), ["own", "x"]),
        (lambda _: (), []),
        (lambda value: CompletionResult([value]), ["x"]),
    ],
)
def test_what_a_function_returns_is_offered_as_it_is(function: Any, values: list[str]) -> None:
    completions = registry(prompt())
    completions.add(prompt_of(completions), "note", function)
    completer = completions.of_prompt("review", "note")
    assert complete(completer, "x", {"kind": "y"})["values"] == values
    assert not completer.handler.is_async
    assert not completer.inline


def prompt_of(completions: CompletionRegistry) -> Prompt:
    return completions._prompts.get("review")


async def of_value(value: str) -> list[str]:
    return [value]


class Later:
    async def __call__(self, value: str, _chosen: Any, _ctx: RequestContext) -> list[str]:
        return [value]


@pytest.mark.parametrize("function", [of_value, Later(), functools.partial(of_value)])
def test_a_function_may_be_async(function: Any) -> None:
    completions = registry(prompt())
    completer = completions.add(prompt_of(completions), "note", function)
    assert completer.handler.is_async
    context: Any = None
    running = completer.handler.call(completer.arguments("x"), context)
    with pytest.raises(StopIteration) as done:
        running.send(None)
    assert done.value.value == ["x"]


def test_a_function_goes_before_what_the_schema_lists() -> None:
    completions = registry(prompt(), templates=[template()])
    completions.add(prompt_of(completions), "language", lambda _: ["Zig"], timeout=3)
    completer = completions.of_prompt("review", "language")
    assert complete(completer, "py")["values"] == ["Zig"]
    assert completer.timeout == 3


@pytest.mark.parametrize(
    ("argument", "function", "message"),
    [
        (
            "notes",
            lambda _: [],
            'prompt "review" has no argument "notes"; it has language, strict, kind, note, lines',
        ),
        (
            "note",
            3,
            'completion of prompt "review", argument "note": 3 is not callable',
        ),
        (
            "note",
            lambda: [],  # noqa: PIE807
            'completion of prompt "review", argument "note": the function must take (value), '
            "(value, chosen) or (value, chosen, ctx)",
        ),
        (
            "note",
            lambda _a, _b, _c, _d: [],
            'completion of prompt "review", argument "note": the function must take (value), '
            "(value, chosen) or (value, chosen, ctx)",
        ),
        (
            "note",
            lambda _, *, _limit: [],
            'completion of prompt "review", argument "note": the function must take (value), '
            "(value, chosen) or (value, chosen, ctx)",
        ),
    ],
)
def test_a_function_that_cannot_complete_is_refused(
    argument: str, function: Any, message: str
) -> None:
    completions = registry(prompt())
    with pytest.raises(RegistrationError) as caught:
        completions.add(prompt_of(completions), argument, function)
    assert str(caught.value) == message


def test_a_second_function_for_an_argument_is_refused() -> None:
    completions = registry(prompt())
    completions.add(prompt_of(completions), "note", lambda value: [value])
    with pytest.raises(RegistrationError) as caught:
        completions.add(prompt_of(completions), "note", lambda value: [value])
    assert str(caught.value) == (
        'completion of prompt "review", argument "note": a function is registered already; '
        'remove the prompt "review" first'
    )


def test_a_function_goes_with_its_prompt() -> None:
    completions = registry(prompt())
    completions.add(prompt_of(completions), "language", lambda _: ["Zig"])
    completions._prompts.remove("review")
    completions._prompts.add(prompt())
    completer = completions.of_prompt("review", "language")
    assert complete(completer, "r")["values"] == ["Rust"]
    completions.add(prompt_of(completions), "language", lambda _: ["C"])
    assert complete(completions.of_prompt("review", "language"), "")["values"] == ["C"]


def test_it_is_used_where_there_is_something_to_complete() -> None:
    assert not registry().is_used
    free = prompt("free", ObjectSchema().add_string("a"))
    assert not registry(free, templates=[template("n://{id}", None)]).is_used
    assert registry(prompt()).is_used
    assert registry(templates=[template()]).is_used
    completions = registry(free)
    completions.add(free, "a", lambda _: [])
    assert completions.is_used


# How many

MANY = [f"v{number}" for number in range(250)]


@pytest.mark.parametrize(
    ("returned", "shown", "total", "has_more"),
    [
        ([], 0, 0, False),
        (MANY[:100], 100, 100, False),
        (MANY, 100, 250, True),
        (CompletionResult(["a"]), 1, 1, False),
        (CompletionResult(["a"], total=7), 1, 7, True),
        (CompletionResult(["a"], total=1), 1, 1, False),
        (CompletionResult(["a"], has_more=True), 1, None, True),
        (CompletionResult(["a"], total=7, has_more=False), 1, 7, False),
        (CompletionResult(MANY, has_more=True), 100, None, True),
        (CompletionResult(MANY, total=1000, has_more=False), 100, 1000, True),
    ],
)
def test_no_more_values_are_given_than_the_protocol_wants(
    returned: Any, shown: int, total: int | None, has_more: bool
) -> None:
    result = registry(prompt()).of_prompt("review", "note").result(returned)
    assert (len(result.values), result.total, result.has_more) == (shown, total, has_more)
    assert shown <= MAX_VALUES == 100


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "it returned a NoneType; return a list of str or a CompletionResult"),
        ("abc", "it returned a str; return a list of str or a CompletionResult"),
        ({"a"}, "it returned a set; return a list of str or a CompletionResult"),
        ([3], "it returned an int among the values; return str"),
        (["a", None], "it returned a NoneType among the values; return str"),
    ],
)
def test_what_is_no_list_of_texts_is_unfit(returned: Any, message: str) -> None:
    with pytest.raises(UnfitResult) as caught:
        registry(prompt()).of_prompt("review", "note").result(returned)
    assert str(caught.value) == message


def test_a_handler_of_a_completer_takes_the_context_too() -> None:
    completions = registry(prompt())
    completer = completions.add(prompt_of(completions), "note", lambda value: [value])
    assert isinstance(completer.handler, Handler)
    assert completer.handler.parameters == 2
