"""Content, identity and results as JSON: what is not given is left out."""

import copy
import pickle
from typing import Annotated, Any

import attrs
import pytest

from typedargs import MISSING
from typedargs_server import (
    Annotations,
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    Icon,
    ImageContent,
    Implementation,
    ResourceLink,
    TextContent,
    ToolAnnotations,
    ToolResult,
    error_result,
    structured_result,
    text_result,
)

ICON = Icon(src="https://example.org/i.png", mime_type="image/png", sizes=["48x48"], theme="dark")
ICON_WIRE = {
    "src": "https://example.org/i.png",
    "mimeType": "image/png",
    "sizes": ["48x48"],
    "theme": "dark",
}
NOTED = Annotations(audience=["user"], priority=0.0, last_modified="2020-01-01T00:00:00Z")
NOTED_WIRE = {"audience": ["user"], "priority": 0.0, "lastModified": "2020-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("block", "wire"),
    [
        (TextContent("hi"), {"type": "text", "text": "hi"}),
        (TextContent(""), {"type": "text", "text": ""}),
        (
            TextContent("hi", annotations=NOTED, meta={"a": 1}),
            {"type": "text", "text": "hi", "annotations": NOTED_WIRE, "_meta": {"a": 1}},
        ),
        (
            ImageContent(b"\x00\xff", "image/png"),
            {"type": "image", "data": "AP8=", "mimeType": "image/png"},
        ),
        (
            AudioContent(b"", "audio/wav", annotations=Annotations(), meta={}),
            {"type": "audio", "data": "", "mimeType": "audio/wav", "annotations": {}, "_meta": {}},
        ),
        (
            ResourceLink("file:///a", "a"),
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
        ),
        (
            ResourceLink(
                "file:///a",
                "a",
                title="A",
                description="The a",
                mime_type="text/plain",
                size=0,
                icons=[ICON],
                annotations=NOTED,
                meta={"a": 1},
            ),
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "title": "A",
                "description": "The a",
                "mimeType": "text/plain",
                "size": 0,
                "icons": [ICON_WIRE],
                "annotations": NOTED_WIRE,
                "_meta": {"a": 1},
            },
        ),
        (
            EmbeddedResource("file:///a", "text", mime_type="text/plain"),
            {
                "type": "resource",
                "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "text"},
            },
        ),
        (
            EmbeddedResource("file:///a", b"\x00"),
            {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA=="}},
        ),
    ],
)
def test_a_content_block_has_its_json(block: ContentBlock, wire: dict[str, Any]) -> None:
    assert block.wire() == wire


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (Icon(src="data:,"), {"src": "data:,"}),
        (ICON, ICON_WIRE),
        (Implementation(name="n", version="1"), {"name": "n", "version": "1"}),
        (
            Implementation(
                name="n",
                version="1",
                title="N",
                description="d",
                website_url="https://example.org",
                icons=[ICON],
            ),
            {
                "name": "n",
                "title": "N",
                "version": "1",
                "description": "d",
                "websiteUrl": "https://example.org",
                "icons": [ICON_WIRE],
            },
        ),
        (ToolAnnotations(), {}),
        (
            ToolAnnotations(
                title="T", read_only=False, destructive=True, idempotent=False, open_world=True
            ),
            {
                "title": "T",
                "readOnlyHint": False,
                "destructiveHint": True,
                "idempotentHint": False,
                "openWorldHint": True,
            },
        ),
    ],
)
def test_a_description_has_its_json(value: Any, wire: dict[str, Any]) -> None:
    assert value.wire() == wire


def test_the_three_results_are_told_apart() -> None:
    text = text_result("a", meta={"m": 1})
    structured = structured_result("a", {"b": 1}, meta={"m": 1})
    error = error_result("a", meta={"m": 1})
    assert [r.content for r in (text, structured, error)] == [[TextContent("a")]] * 3
    assert [r.structured for r in (text, structured, error)] == [MISSING, {"b": 1}, MISSING]
    assert [r.is_error for r in (text, structured, error)] == [False, False, True]
    assert [r.meta for r in (text, structured, error)] == [{"m": 1}] * 3


@attrs.frozen
class Noted(TextContent):
    """Content of a user's own, whose fields are the user's own too."""

    note: "list[int]" = attrs.field(factory=list)
    size: "Annotated[int, 'in bytes']" = 0

    def __attrs_post_init__(self) -> None:
        assert self.text


def test_content_may_be_subclassed_and_still_holds_what_it_says() -> None:
    noted = Noted("a", note="whatever", size=None)  # type: ignore[arg-type]
    assert (noted.wire(), noted.note) == ({"type": "text", "text": "a"}, "whatever")
    with pytest.raises(TypeError, match=r"^Noted: text must be a str, got 1$"):
        Noted(1)  # type: ignore[arg-type]


def test_values_are_equal_where_their_fields_are() -> None:
    assert TextContent("a") == TextContent("a") != TextContent("b")
    assert TextContent("a") != "a"
    assert hash(TextContent("a")) == hash(TextContent("a"))
    assert repr(TextContent("a")) == "TextContent(text='a', annotations=None, meta=None)"
    assert copy.deepcopy(ICON) == ICON == pickle.loads(pickle.dumps(ICON))
    assert attrs.evolve(ICON, theme=None).wire() == {
        key: value for key, value in ICON_WIRE.items() if key != "theme"
    }
    assert Annotations(priority=0.5) == Annotations(priority=0.5)
    not_a_number = ToolResult(structured=float("nan"))
    assert not_a_number != copy.copy(not_a_number)
