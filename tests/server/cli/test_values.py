"""Arguments on the command line: how their text becomes JSON, by the tool's schema."""

from typing import Any

import pytest

from typedargs_server.cli._call import Given, parse_object, parse_words, typed
from typedargs_server.cli._errors import UsageError
from typedargs_server.cli._schema import arguments_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["text", "count"],
    "properties": {
        "text": {"type": "string", "description": "Any text"},
        "count": {"type": "integer", "default": 3},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "nothing": {"type": "null"},
        "color": {"enum": ["red", "3"]},
        "level": {"enum": [1, 2]},
        "one": {"const": True},
        "maybe": {"type": ["string", "null"], "default": None},
        "optional": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "shade": {"$ref": "#/$defs/Shade", "description": "How dark"},
        "anchored": {"$ref": "#shade"},
        "quoted": {"$ref": "#/$defs/a%20b~1c"},
        "second": {"$ref": "#/properties/optional/anyOf/1"},
        "both": {"allOf": [{"minimum": 1}, {"type": "integer"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mixed": {"type": "array", "items": {"type": ["string", "null"]}},
        "filter": {"type": "object"},
        "free": {},
        "open": True,
        "loop": {"$ref": "#/properties/loop"},
        "lost": {"$ref": "#/$defs/Missing"},
        "remote": {"$ref": "https://example.com/a", "type": "string"},
        "partly": {"anyOf": [{"type": "integer"}, {}]},
        "odd": {"type": 7, "enum": "no", "anyOf": {}},
    },
    "$defs": {
        "Shade": {"$anchor": "shade", "type": "integer", "description": "A shade"},
        "a b/c": {"type": "boolean"},
    },
}


@pytest.mark.parametrize(
    ("word", "sent"),
    [
        # A string is the text as it is, whatever it looks like.
        ("text=3", b'"3"'),
        ("text=null", b'"null"'),
        ("text=[1,2]", b'"[1,2]"'),
        ("text=", b'""'),
        ("text=a=b:=c", b'"a=b:=c"'),
        ('text=say "é"\n', '"say \\"é\\"\\n"'.encode()),
        ("text=@file", b'"@file"'),
        ("color=3", b'"3"'),
        ("maybe=null", b'"null"'),
        ("either=3", b'"3"'),
        # What can be no string is JSON, its digits kept.
        ("count=3", b"3"),
        ("count=-3", b"-3"),
        ("count=123456789012345678901234567890", b"123456789012345678901234567890"),
        ("ratio=1e400", b"1e400"),
        ("ratio=1.10", b"1.10"),
        ("flag=true", b"true"),
        ("nothing=null", b"null"),
        ("level=2", b"2"),
        ("one=true", b"true"),
        ("optional=null", b"null"),
        ("optional=7", b"7"),
        ("shade=7", b"7"),
        ("both=7", b"7"),
        ('tags=["a", "b"]', b'["a","b"]'),
        ('filter={"a":\n1}', b'{"a":1}'),
        # What is no JSON goes to the server as text: its message explains best.
        ("count=three", b'"three"'),
        ("count=", b'""'),
        ("flag=True", b'"True"'),
        ("ratio=NaN", b'"NaN"'),
        # Where the schema says nothing, text is a string.
        ("free=3", b'"3"'),
        ("open=3", b'"3"'),
        ("loop=3", b'"3"'),
        ("lost=3", b'"3"'),
        ("partly=3", b'"3"'),
        ("odd=3", b'"3"'),
        ("unknown=3", b'"3"'),
        # := is JSON everywhere.
        ("text:=3", b"3"),
        ("maybe:=null", b"null"),
        ("unknown:={}", b"{}"),
        ("count:=[1, 2]", b"[1,2]"),
    ],
)
def test_an_argument_is_typed_by_the_schema_of_its_tool(word: str, sent: bytes) -> None:
    ((key, given),) = parse_words([word]).items()
    declared = {argument.name: argument for argument in arguments_of(SCHEMA)}
    assert bytes(typed(key, given, declared.get(key))) == sent


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("tags=a,b", "tags takes JSON (array): JSON is malformed: invalid character (byte 0)"),
        ("filter=", "filter takes JSON (object): Input data was truncated"),
        ("text:=hello", "text is not JSON: JSON is malformed: invalid character (byte 0)"),
        ("count:=1 2", "count is not JSON: JSON is malformed: trailing characters (byte 3)"),
        ("count:=" + "[" * 100_000, "count is not JSON: it is nested too deep"),
        ("text=\udcff", "text is not UTF-8"),
        ("text:=\udcff", "text is not JSON: it is not UTF-8"),
    ],
)
def test_an_argument_that_cannot_be_meant_is_refused(word: str, message: str) -> None:
    ((key, given),) = parse_words([word]).items()
    declared = {argument.name: argument for argument in arguments_of(SCHEMA)}
    with pytest.raises(UsageError) as caught:
        typed(key, given, declared.get(key))
    assert str(caught.value) == message


def test_the_first_equals_sign_ends_the_key() -> None:
    assert parse_words(["a=b=c", "d:=1", "e:f=g", "h=:=", "i.j=k"]) == {
        "a": Given("b=c", is_json=False),
        "d": Given("1", is_json=True),
        "e:f": Given("g", is_json=False),
        "h": Given(":=", is_json=False),
        "i.j": Given("k", is_json=False),
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a"], "expected key=value or key:=json, got 'a'"),
        (["=1"], "expected key=value or key:=json, got '=1'"),
        ([":=1"], "expected key=value or key:=json, got ':=1'"),
        (["a=1", "a=2"], "a is given twice; an array is given as a='[...]'"),
        (["a=1", "a:=2"], "a is given twice; an array is given as a='[...]'"),
    ],
)
def test_a_word_that_is_no_new_argument_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_words(words)
    assert str(caught.value) == message


def test_a_whole_object_is_sent_with_its_numbers_as_they_are_written() -> None:
    sent = parse_object('{\n "a": 1e400, "b": [1.10, 12345678901234567890123]}\n')
    assert bytes(sent) == b'{"a":1e400,"b":[1.10,12345678901234567890123]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{a: 1}", "--json is not JSON: JSON is malformed: expected '\"' (byte 1)"),
        ("", "--json is not JSON: Input data was truncated"),
        ("[1]", "--json has to be an object, such as '{\"a\": 2}'"),
    ],
)
def test_a_whole_that_is_no_object_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_object(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "type_text"),
    [
        ("text", "string"),
        ("color", '"red" | "3"'),
        ("one", "true"),
        ("maybe", "string | null"),
        ("optional", "integer | null"),
        ("either", "string | integer"),
        ("shade", "integer"),
        ("anchored", "integer"),
        ("quoted", "boolean"),
        ("second", "null"),
        ("both", "integer"),
        ("tags", "array of string"),
        ("mixed", "array of (string | null)"),
        ("free", "any"),
        ("open", "any"),
        ("loop", "any"),
        ("lost", "any"),
        ("remote", "string"),
        ("partly", "integer | any"),
        ("odd", "any"),
    ],
)
def test_a_type_is_shown_in_the_words_of_its_schema(name: str, type_text: str) -> None:
    assert {each.name: each.type_text for each in arguments_of(SCHEMA)}[name] == type_text


def test_defaults_and_descriptions_are_shown_and_the_nearer_description_wins() -> None:
    declared = {argument.name: argument for argument in arguments_of(SCHEMA)}
    assert [name for name, each in declared.items() if each.required] == ["text", "count"]
    assert declared["count"].default == "3"
    assert declared["maybe"].default == "null"
    assert declared["text"].default is None
    assert declared["text"].description == "Any text"
    assert declared["shade"].description == "How dark"


@pytest.mark.parametrize("schema", [None, True, [], "object", {}, {"properties": []}])
def test_a_schema_without_properties_declares_no_arguments(schema: Any) -> None:
    assert arguments_of(schema) == []
