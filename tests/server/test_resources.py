"""Resources and templates: what is published, what is found, and what a handler may return."""

import dataclasses
import json
from operator import methodcaller
from typing import Any

import pytest

from tests.server import wire
from typedargs import Array, Enum, Integer, MCPArgs, Nested, ObjectSchema, String, ValidationError
from typedargs_server import Annotations, Icon, InvalidParams, RegistrationError
from typedargs_server.eras import versions
from typedargs_server.errors import ResourceNotFound
from typedargs_server.handlers import handler_of
from typedargs_server.model import CacheHints
from typedargs_server.resources import Resource, ResourceRegistry, ResourceTemplate
from typedargs_server.results import BlobResourceContents, ResourceResult, TextResourceContents
from typedargs_server.schemas import SchemaSource, tool_schema
from typedargs_server.uris import MAX_URI_LENGTH
from typedargs_server.work import UnfitResult, Work

ERAS = (versions.MODERN, versions.LATEST_LEGACY)


class NoteArgs(MCPArgs):
    id = Integer(minimum=1)
    form = Enum("full", "short", default="full")


class PathArgs(MCPArgs):
    parts = Array(String())


class Inner(MCPArgs):
    a = Integer()


class NestedArgs(MCPArgs):
    inner = Nested(Inner)


def resource(uri: str = "config://app", **options: Any) -> Resource:
    options = {"description": None, "name": "app", **options}
    return Resource(uri=uri, handler=handler_of(lambda: "a", "r"), **options)


def template(
    uri_template: str = "notes://{id}{?form}", source: SchemaSource | None = None, **options: Any
) -> ResourceTemplate:
    return ResourceTemplate(
        uri_template=uri_template,
        name=options.pop("name", "note"),
        description=options.pop("description", None),
        input=None if source is None else tool_schema(source),
        handler=handler_of(options.pop("handler", lambda args: args), "r"),
        **options,
    )


def valid(value: Any, name: str) -> None:
    for era in ERAS:
        wire._valid(value, era, name)


SHOWN: dict[str, Any] = {
    "title": "App",
    "description": "Its settings",
    "mime_type": "application/json",
    "annotations": Annotations(
        audience=["user"], priority=0.5, last_modified="2025-01-12T15:00:58Z"
    ),
    "icons": [Icon(src="https://a/b.png")],
    "meta": {"a": 1},
}
SHOWN_WIRE = {
    "title": "App",
    "description": "Its settings",
    "mimeType": "application/json",
    "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"},
    "icons": [{"src": "https://a/b.png"}],
    "_meta": {"a": 1},
}


def test_both_are_work() -> None:
    works: list[Work] = [resource(), template()]
    assert [work.label for work in works] == [
        'resource "config://app"',
        'resource template "notes://{id}{?form}"',
    ]


def test_a_resource_is_listed_with_all_that_is_known_of_it() -> None:
    listed = resource(size=3, **SHOWN).wire(objects_only=False)
    valid(listed, "Resource")
    assert listed == {"uri": "config://app", "name": "app", "size": 3, **SHOWN_WIRE}


def test_a_template_is_listed_with_all_that_is_known_of_it() -> None:
    listed = template(**SHOWN).wire(objects_only=False)
    valid(listed, "ResourceTemplate")
    assert listed == {"uriTemplate": "notes://{id}{?form}", "name": "note", **SHOWN_WIRE}


def test_what_is_not_known_is_not_listed() -> None:
    assert resource().wire(objects_only=True) == {"uri": "config://app", "name": "app"}
    assert template().wire(objects_only=True) == {
        "uriTemplate": "notes://{id}{?form}",
        "name": "note",
    }


# Registration


@pytest.mark.parametrize(
    "uri",
    ["a:", "urn:isbn:0451450523", "file:///a%20b", "x-y.z+1://[::1]:80/a?b=c#d", "data:,a"],
)
def test_any_absolute_uri_names_a_resource(uri: str) -> None:
    assert resource(uri).key == uri


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: resource("app"),
            'resource "app": a URI begins with a scheme, as in "config://app"; \'app\' does not',
        ),
        (
            lambda: resource("/etc/a"),
            'resource "/etc/a": a URI begins with a scheme, as in "config://app"; '
            "'/etc/a' does not",
        ),
        (
            lambda: resource("a b:c"),
            'resource "a b:c": a URI begins with a scheme, as in "config://app"; '
            "'a b:c' does not",
        ),
        (
            lambda: resource("a://b c"),
            "resource \"a://b c\": a URI cannot have ' '; percent-encode it, "
            "as urllib.parse.quote does",
        ),
        (
            lambda: resource("a://ä"),
            "resource \"a://ä\": a URI cannot have 'ä'; percent-encode it, "
            "as urllib.parse.quote does",
        ),
        (
            lambda: resource("a://{b}"),
            "resource \"a://{b}\": a URI cannot have '{'; percent-encode it, "
            "as urllib.parse.quote does",
        ),
        (
            lambda: resource("a://b#c#d"),
            'resource "a://b#c#d": a URI has one "#" at the most; write others as %23',
        ),
        (lambda: resource(size=-1), 'resource "config://app": size must be at least 0 bytes'),
        (lambda: resource(timeout=0), 'resource "config://app": timeout must be above 0 seconds'),
        (
            lambda: resource(max_concurrency=0),
            'resource "config://app": max_concurrency must be at least 1',
        ),
        (
            lambda: resource(meta={"a": object()}),
            'resource "config://app": meta is not JSON: an object has no JSON form',
        ),
        (
            lambda: template("notes://all"),
            'resource template "notes://all" has no variables; register it as a resource',
        ),
        (
            lambda: template("notes://{id}{?size}", NoteArgs),
            'resource template "notes://{id}{?size}": its variables are id, size, and the fields '
            "of its class id, form; make them the same",
        ),
        (
            lambda: template("notes://{id}", NoteArgs),
            'resource template "notes://{id}": its variables are id, and the fields of its class '
            "id, form; make them the same",
        ),
        (
            lambda: template("notes://{id}", {"type": "object"}),
            'resource template "notes://{id}": its variables are id, and the fields of its class '
            "none; make them the same",
        ),
        (
            lambda: template("notes://{inner}", NestedArgs),
            'resource template "notes://{inner}": inner is given as a string, which an object '
            "cannot be; make it a string, a number, a boolean or an enum",
        ),
        (
            lambda: template("notes://{parts}", PathArgs),
            'resource template "notes://{parts}": parts is given as a string, which an array '
            "cannot be; make it a string, a number, a boolean or an enum",
        ),
        (
            lambda: template("notes://a{/form*}", ObjectSchema().add_string("form")),
            'resource template "notes://a{/form*}": form is given as a list of strings; '
            "make it an Array of strings, numbers, booleans or enums",
        ),
        (
            lambda: template(source=NoteArgs, handler=lambda: "a"),
            'resource template "notes://{id}{?form}": the handler takes no parameters, so that '
            "its arguments (id, form) would be lost; take (args) or (args, ctx)",
        ),
        (lambda: template(timeout=-1), "must be above 0 seconds"),
    ],
)
def test_what_cannot_work_is_refused(make: Any, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        make()
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: resource(3), "Resource: uri must be a str, got 3"),  # type: ignore[arg-type]
        (lambda: resource(cache=3), "Resource: cache must be a CacheHints or None, got 3"),
        (lambda: template(3), "ResourceTemplate: uri_template must be a str, got 3"),  # type: ignore[arg-type]
    ],
)
def test_a_setting_of_another_type_is_refused(make: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


# Finding


def registry(*items: Resource | ResourceTemplate) -> ResourceRegistry:
    made = ResourceRegistry(1000)
    for item in items:
        if isinstance(item, Resource):
            made.resources.add(item)
        else:
            made.templates.add(item)
    return made


def test_a_resource_at_the_uri_goes_before_templates() -> None:
    any_note, one = template("notes://{id}"), resource("notes://1")
    found = registry(any_note, one)
    assert found.find("notes://1") == (one, None)
    assert found.find("notes://2") == (any_note, {"id": "2"})


def test_templates_are_tried_in_the_order_of_registration() -> None:
    first, second = template("notes://{id}"), template("notes://{+path}")
    assert registry(first, second).find("notes://1") == (first, {"id": "1"})
    assert registry(second, first).find("notes://1") == (second, {"path": "1"})
    assert registry(first, second).find("notes://1/2") == (second, {"path": "1/2"})


@pytest.mark.parametrize("uri", ["notes://1/2", "", "x", "config://App", "notes://\ud800"])
def test_what_is_not_there_is_not_found(uri: str) -> None:
    with pytest.raises(ResourceNotFound) as caught:
        registry(resource(), template("notes://{id}")).find(uri)
    assert (caught.value.message, caught.value.data) == ("Resource not found", {"uri": uri})
    assert caught.value.code == InvalidParams.code == -32602


def test_a_uri_beyond_all_bounds_is_not_found_and_not_repeated() -> None:
    with pytest.raises(ResourceNotFound) as caught:
        registry(template("notes://{id}")).find("notes://" + "a" * 100_000)
    assert caught.value.data is not None
    assert len(caught.value.data["uri"]) == MAX_URI_LENGTH


def test_a_second_resource_at_a_uri_is_refused() -> None:
    found = registry(resource(), template("notes://{id}"))
    with pytest.raises(RegistrationError) as caught:
        found.resources.add(resource())
    assert str(caught.value) == (
        'a resource at the URI "config://app" is registered already; '
        "choose another URI, or call remove_resource first"
    )
    with pytest.raises(RegistrationError) as caught:
        found.templates.add(template("notes://{id}"))
    assert str(caught.value) == (
        'a resource template at the URI template "notes://{id}" is registered already; '
        "choose another URI template, or call remove_resource_template first"
    )
    with pytest.raises(KeyError, match='no resource is at the URI "a:b"'):
        found.resources.remove("a:b")


def test_resources_and_templates_are_listed_apart() -> None:
    found = registry(resource(), template("notes://{id}"))
    resources = found.resources.page(None, objects_only=False)
    templates = found.templates.page(None, objects_only=False)
    assert json.loads(bytes(resources["resources"])) == [{"uri": "config://app", "name": "app"}]
    assert json.loads(bytes(templates["resourceTemplates"])) == [
        {"uriTemplate": "notes://{id}", "name": "note"}
    ]


def test_it_is_used_from_the_first_definition_on() -> None:
    assert not registry().is_used
    assert registry(resource()).is_used
    used = registry(template())
    used.templates.remove(template().key)
    assert used.is_used


# Variables


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("notes://3", NoteArgs(id=3)),
        ("notes://3?form=short", NoteArgs(id=3, form="short")),
    ],
)
def test_the_class_types_the_variables(uri: str, wanted: NoteArgs) -> None:
    made = template(source=NoteArgs)
    variables = made.match(uri)
    assert variables is not None
    assert made.arguments(variables) == wanted


def test_a_list_of_segments_becomes_an_array() -> None:
    made = template("notes://a{/parts*}", PathArgs)
    variables = made.match("notes://a/b/c%20d")
    assert variables is not None
    assert made.arguments(variables) == PathArgs(parts=["b", "c d"])
    assert made.expand(variables) == "notes://a/b/c%20d"


def test_without_a_class_the_variables_are_a_dict_of_strings() -> None:
    made = template()
    variables = made.match("notes://3")
    assert variables is not None
    assert made.arguments(variables) == {"id": "3"}


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("notes://x", 'id: expected integer, got string "x"'),
        ("notes://0", "id: expected at least 1, got number 0"),
    ],
)
def test_variables_that_do_not_fit_are_named(uri: str, message: str) -> None:
    made = template(source=NoteArgs)
    variables = made.match(uri)
    assert variables is not None
    with pytest.raises(ValidationError) as caught:
        made.arguments(variables)
    assert str(caught.value) == message


def test_what_the_class_does_not_require_may_be_left_out_of_the_uri() -> None:
    source = ObjectSchema().add_string("id").add_string("part", required=False)
    made = template("notes://{id}{/part}", source)
    assert made.match("notes://a") == {"id": "a"}
    assert template("notes://{id}{/part}").match("notes://a") is None


# What a handler returns


@dataclasses.dataclass
class Point:
    x: int


def text(body: str, mime_type: str | None = "text/plain", uri: str = "a:b") -> dict[str, Any]:
    return {"uri": uri, **({"mimeType": mime_type} if mime_type else {}), "text": body}


def blob(mime_type: str) -> dict[str, Any]:
    return {"uri": "a:b", "mimeType": mime_type, "blob": "YQ=="}


@pytest.mark.parametrize(
    ("mime_type", "returned", "contents"),
    [
        (None, "a", [text("a")]),
        (None, "", [text("")]),
        ("text/markdown", "a", [text("a", "text/markdown")]),
        (None, b"a", [{"uri": "a:b", "mimeType": "application/octet-stream", "blob": "YQ=="}]),
        (
            None,
            bytearray(b"a"),
            [{"uri": "a:b", "mimeType": "application/octet-stream", "blob": "YQ=="}],
        ),
        ("image/png", b"a", [{"uri": "a:b", "mimeType": "image/png", "blob": "YQ=="}]),
        (None, {"a": 1}, [text('{"a":1}', "application/json")]),
        (None, [1, (2,)], [text("[1,[2]]", "application/json")]),
        (None, [], [text("[]", "application/json")]),
        (None, NoteArgs(id=3), [text('{"id":3,"form":"full"}', "application/json")]),
        (None, [NoteArgs(id=3)], [text('[{"id":3,"form":"full"}]', "application/json")]),
        (None, Point(1), [text('{"x":1}', "application/json")]),
        ("application/ld+json", {"a": 1}, [text('{"a":1}', "application/ld+json")]),
        (None, TextResourceContents("a"), [text("a", None)]),
        ("text/css", TextResourceContents("a"), [text("a", "text/css")]),
        (
            "text/css",
            TextResourceContents("a", uri="c:d", mime_type="text/html", meta={"m": 1}),
            [{**text("a", "text/html", "c:d"), "_meta": {"m": 1}}],
        ),
        (None, BlobResourceContents(b""), [{"uri": "a:b", "blob": ""}]),
        (
            "a/b",
            [TextResourceContents("a", uri="c:d"), BlobResourceContents(b"")],
            [text("a", "a/b", "c:d"), {"uri": "a:b", "mimeType": "a/b", "blob": ""}],
        ),
        (None, ResourceResult([]), []),
        ("a/b", ResourceResult([TextResourceContents("a")]), [text("a", "a/b")]),
    ],
)
def test_every_form_of_result_becomes_contents(
    mime_type: str | None, returned: Any, contents: list[dict[str, Any]]
) -> None:
    for item in (resource(mime_type=mime_type), template(mime_type=mime_type)):
        result = item.result(returned).answer({"uri": "a:b"}, methodcaller("wire"))
        wire._valid(result, versions.LATEST_LEGACY, "ReadResourceResult")
        modern = {**result, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
        wire._valid(modern, versions.MODERN, "ReadResourceResult")
        assert result == {"contents": contents}


def test_a_result_keeps_its_meta_and_its_cache_hints() -> None:
    given = ResourceResult(
        [TextResourceContents("a")], meta={"m": 1}, cache=CacheHints(ttl_ms=5, scope="private")
    )
    result = resource(mime_type="a/b").result(given)
    assert result.cache == CacheHints(ttl_ms=5, scope="private")
    assert result.answer({"uri": "a:b"}, methodcaller("wire"))["_meta"] == {"m": 1}


UNFIT = (
    "; return a str, bytes, an MCPArgs instance, a dict, a list or resource contents, "
    "or raise ResourceNotFound(uri) where there is nothing"
)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "it returned a NoneType" + UNFIT),
        (3, "it returned an int" + UNFIT),
        (object(), "it returned an object" + UNFIT),
        (
            [TextResourceContents("a"), "b"],
            "it returned a str among resource contents",
        ),
        ({"a": float("nan")}, "its result is not JSON: JSON has no nan"),
        ({"a": object()}, "its result is not JSON: an object has no JSON form"),
    ],
)
def test_what_is_no_contents_is_unfit(returned: Any, message: str) -> None:
    with pytest.raises(UnfitResult) as caught:
        resource().result(returned)
    assert str(caught.value) == message
