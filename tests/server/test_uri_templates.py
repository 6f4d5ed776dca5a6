"""URI templates: what each form matches, and what is refused because nothing could."""

import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typedargs_server import RegistrationError
from typedargs_server.uri_templates import UriTemplate
from typedargs_server.uris import MAX_URI_LENGTH


def template(text: str, *optional: str) -> UriTemplate:
    return UriTemplate(text, f'resource template "{text}"', optional)


@pytest.mark.parametrize(
    ("text", "uri", "variables"),
    [
        ("a://{x}", "a://b", {"x": "b"}),
        ("a://{x}", "A://b", {"x": "b"}),
        ("A://{x}", "a://b", {"x": "b"}),
        ("a://{x}", "a://b%20c", {"x": "b c"}),
        ("a://{x}", "a://b%2Fc", {"x": "b/c"}),
        ("a://{x}", "a://b%2fc", {"x": "b/c"}),
        ("a://{x}", "a://%62", {"x": "b"}),
        ("a://{x}", "a://%C3%A4", {"x": "ä"}),
        ("a://{x}", "a://ä", {"x": "ä"}),
        ("a://{x}", "a://me@b.de", {"x": "me@b.de"}),
        ("a://{x}", "a://(b)!'*$", {"x": "(b)!'*$"}),
        ("a://{x}", "a://c++", {"x": "c++"}),
        ("a://{x}", "a://%25", {"x": "%"}),
        ("a://{x}", "a://%2541", {"x": "%41"}),
        ("a://{x}", "a://%00", {"x": "\0"}),
        ("a://{x}/b", "a://c/b", {"x": "c"}),
        ("a://%7Eb/{x}", "a://~b/c", {"x": "c"}),
        ("a://{x,y}", "a://b,c", {"x": "b", "y": "c"}),
        ("a://{x}.{y}", "a://b.c", {"x": "b", "y": "c"}),
        ("a://{x}.{y}", "a://b.tar.gz", {"x": "b.tar", "y": "gz"}),
        ("a://{x}.{y}.{z}", "a://1.2.3", {"x": "1", "y": "2", "z": "3"}),
        ("a://{x}:{y}", "a://b%3Ac:d", {"x": "b:c", "y": "d"}),
        ("a://{x}:{y}", "a://b:c%3Ad", {"x": "b", "y": "c:d"}),
        ("a://{a.b}/{%41}", "a://1/2", {"a.b": "1", "%41": "2"}),
        ("a://{+x}", "a://b/c", {"x": "b/c"}),
        ("a://{+x}", "a:///b/c.d?e=f#g", {"x": "/b/c.d?e=f#g"}),
        ("a://{+x}", "a://b%20c", {"x": "b c"}),
        ("a://{+x}", "a://b%25", {"x": "b%"}),
        ("a://{+x}/raw", "a://b/c/raw", {"x": "b/c"}),
        ("a://{x}/{+y}", "a://b/c/d", {"x": "b", "y": "c/d"}),
        ("a://{+x}/{y}", "a://b/c/d", {"x": "b/c", "y": "d"}),
        ("a://b{#x}", "a://b#c/d", {"x": "c/d"}),
        ("a://b{.x}", "a://b.c", {"x": "c"}),
        ("a://b{.x,y}", "a://b.c.d", {"x": "c", "y": "d"}),
        ("a://{x}{.y}", "a://b.c", {"x": "b", "y": "c"}),
        ("a://b{/x}", "a://b/c", {"x": "c"}),
        ("a://b{/x,y}/e", "a://b/c/d/e", {"x": "c", "y": "d"}),
        ("a://b{/x*}", "a://b/c", {"x": ["c"]}),
        ("a://b{/x*}", "a://b/c/d%2Fe", {"x": ["c", "d/e"]}),
        ("a://b{/x*}/raw", "a://b/c/d/raw", {"x": ["c", "d"]}),
        ("a://b{;x}", "a://b;x=c", {"x": "c"}),
        ("a://b{;x}", "a://b;x", {"x": ""}),
        ("a://b{;x,y}", "a://b;x=c;y=d", {"x": "c", "y": "d"}),
        ("a://{x:3}", "a://abc", {"x": "abc"}),
        ("a://{x:3}", "a://a", {"x": "a"}),
        ("a://{x:1}/{x}", "a://a/abc", {"x": "abc"}),
        ("a://{x}/{x:1}", "a://abc/a", {"x": "abc"}),
        ("a://{x}/{x}", "a://b/b", {"x": "b"}),
        ("a://b{?q}", "a://b?q=c", {"q": "c"}),
        ("a://b{?q}", "a://b?q=", {"q": ""}),
        ("a://b{?q}", "a://b", {}),
        ("a://b{?q}", "a://b?q=c/d?e:f", {"q": "c/d?e:f"}),
        ("a://b{?q}", "a://b?q=c+d%2Be", {"q": "c+d+e"}),
        ("a://b{?q}", "a://b?q=c=d", {"q": "c=d"}),
        ("a://b{?q,r}", "a://b?q=c&r=d", {"q": "c", "r": "d"}),
        ("a://b{?q,r}", "a://b?r=d&q=c", {"q": "c", "r": "d"}),
        ("a://b{?q,r}", "a://b?r=d", {"r": "d"}),
        ("a://b{?q*}", "a://b?q=c&q=d", {"q": ["c", "d"]}),
        ("a://b{?q*}", "a://b?q=c", {"q": ["c"]}),
        ("a://b{?q:2}", "a://b?q=cd", {"q": "cd"}),
        ("a://b?v=1{&q}", "a://b?v=1&q=c", {"q": "c"}),
        ("a://b?v=1{&q}", "a://b?q=c&v=1", {"q": "c"}),
        ("a://b?v=1{&q}", "a://b?v=1", {}),
        ("a://b?v={v}{&q}", "a://b?v=1&q=c", {"v": "1", "q": "c"}),
        ("a://b{?q}{&r}", "a://b?r=d&q=c", {"q": "c", "r": "d"}),
        ("a://b?q={q}&r={r}", "a://b?q=c&r=d", {"q": "c", "r": "d"}),
        ("a://b/{x}{?q}{#f}", "a://b/c?q=d#e", {"x": "c", "q": "d", "f": "e"}),
        ("a://{+x}{?q}", "a://b/c?q=d", {"x": "b/c", "q": "d"}),
        ("a://b{?q}#top", "a://b?q=c#top", {"q": "c"}),
    ],
)
def test_a_uri_gives_the_variables_it_was_made_from(
    text: str, uri: str, variables: Mapping[str, Any]
) -> None:
    assert template(text).match(uri) == variables


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("a://{x}", ""),
        ("a://{x}", "a:"),
        ("a://{x}", "a://"),
        ("a://{x}", "b://c"),
        ("a://{x}", "a://b/c"),
        ("a://{x}", "a://b?c"),
        ("a://{x}", "a://b#c"),
        ("a://{x}", "a://b,c"),
        ("a://{x}", "a://b c"),
        ("a://{x}", "a://b\n"),
        ("a://{x}", "a://b%"),
        ("a://{x}", "a://b%4"),
        ("a://{x}", "a://b%GG"),
        ("a://{x}", "a://%FF"),
        ("a://{x}", "a://\ud800"),
        ("a://{x}", "a://b\\c"),
        ("a://{x}", "a://{x}"),
        ("a://{x}", "a://" + "b" * MAX_URI_LENGTH),
        ("a://{x}/b", "a://c/B"),
        ("a://{x,y}", "a://b"),
        ("a://{+x}", "a://b%2Fc"),
        ("a://{+x}", "a://%2541"),
        ("a://b{/x}", "a://b"),
        ("a://b{/x}", "a://b/"),
        ("a://b{/x*}", "a://b"),
        ("a://b{.x}", "a://b"),
        ("a://b{#x}", "a://b#"),
        ("a://b{;x}", "a://b;x="),
        ("a://b{;x}", "a://b;xy=c"),
        ("a://b{;x}", "a://b;x=c;x=d"),
        ("a://{x:3}", "a://abcd"),
        ("a://{x:1}/{x}", "a://b/abc"),
        ("a://{x}/{x}", "a://b/c"),
        ("a://b{?q}", "a://b?"),
        ("a://b{?q}", "a://b?q"),
        ("a://b{?q}", "a://b?q=c&"),
        ("a://b{?q}", "a://b?q=c&q=d"),
        ("a://b{?q}", "a://b?q=c&other=d"),
        ("a://b{?q}", "a://b?q=%FF"),
        ("a://b{?q:2}", "a://b?q=cde"),
        ("a://b?v=1{&q}", "a://b?q=c"),
        ("a://b?v=1{&q}", "a://b?v=2&q=c"),
    ],
)
def test_what_no_variables_give_does_not_match(text: str, uri: str) -> None:
    assert template(text).match(uri) is None


@pytest.mark.parametrize(
    ("text", "uri", "variables"),
    [
        ("a://b{/x}", "a://b", {}),
        ("a://b{/x}", "a://b/c", {"x": "c"}),
        ("a://b{/x,y}", "a://b/c", {"x": "c"}),
        ("a://b{/x*}", "a://b", {}),
        ("a://b{.x}", "a://b", {}),
        ("a://b{#x}", "a://b", {}),
        ("a://b{;x,y}", "a://b;y=c", {"y": "c"}),
        ("a://b{;x,xy}", "a://b;xy=c", {"xy": "c"}),
        ("a://b/{+x}", "a://b/", {}),
    ],
)
def test_an_optional_variable_may_be_left_out(
    text: str, uri: str, variables: Mapping[str, Any]
) -> None:
    assert template(text, "x", "y").match(uri) == variables


def test_a_template_tells_its_variables() -> None:
    made = template("a://{x}{/y*}{?q,r*}")
    assert made.variables == ["x", "y", "q", "r"]
    assert made.lists == {"y", "r"}
    assert made.expand({"x": "b c", "y": ["d"], "q": "e"}) == "a://b%20c/d?q=e"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'it must begin with a scheme, as in "notes://{id}"'),
        ("{x}", 'it must begin with a scheme, as in "notes://{id}"'),
        ("/a/{x}", 'it must begin with a scheme, as in "notes://{id}"'),
        ("{x}://a", 'it must begin with a scheme, as in "notes://{id}"'),
        ("a://{x", "a brace has no partner; write others as %7B and %7D"),
        ("a://x}", "a brace has no partner; write others as %7B and %7D"),
        ("a://{{x}}", "a brace has no partner; write others as %7B and %7D"),
        ("a://b c/{x}", "a URI cannot have ' '; percent-encode it, as urllib.parse.quote does"),
        ("a://ä/{x}", "a URI cannot have 'ä'; percent-encode it, as urllib.parse.quote does"),
        ("a://b%/{x}", "a URI cannot have '%'; percent-encode it, as urllib.parse.quote does"),
        (
            "a://{}",
            "{} is no expression of RFC 6570, as {name}, {+path} or {?a,b} are",
        ),
        (
            "a://{x y}",
            "{x y} is no expression of RFC 6570, as {name}, {+path} or {?a,b} are",
        ),
        (
            "a://{x=1}",
            "{x=1} is no expression of RFC 6570, as {name}, {+path} or {?a,b} are",
        ),
        (
            "a://{!x}",
            "{!x} is no expression of RFC 6570, as {name}, {+path} or {?a,b} are",
        ),
        (
            "a://{x:0}",
            "{x:0} is no expression of RFC 6570, as {name}, {+path} or {?a,b} are",
        ),
        (
            "a://{x*}",
            "nothing tells where the values of {x*} end; "
            "write {+x} for a value with slashes, or {/x*} for a list of segments",
        ),
        ("a://{+x*}", "nothing tells where the values of {+x*} end; write {+x}"),
        ("a://b{#x*}", "nothing tells where the values of {#x*} end; write {#x}"),
        ("a://b{.x*}", "nothing tells where the values of {.x*} end; write {.x}"),
        ("a://b{;x*}", "nothing tells where the values of {;x*} end; write {?x*}"),
        (
            "a://{+x,y}",
            "nothing tells where the values of {+x,y} end; write one variable, as in {+x}",
        ),
        ("a://{x}{y}", "nothing tells where x ends and y begins; write text between them"),
        ("a://{x}{+y}", "nothing tells where x ends and y begins; write text between them"),
        ("a://b{/x*}/{x}", "x is a list, and stands there twice"),
        ("a://b{?q}{?r}", "{?r} stands where a query continues; write {&r}"),
        ("a://b?v=1{?q}", "{?q} stands where a query continues; write {&q}"),
        ("a://b{&q}", "{&q} stands where a query begins; write {?q}"),
        ("a://b{?q}/c", "'/c' stands after the query; write it before"),
        ("a://b{?q}{/c}", "{c} stands after the query; write it before"),
        ("a://b{#f}{?q}", "{?q} stands after the fragment; write it before"),
        ("a://b#f{?q}", "{?q} stands after the fragment; write it before"),
        ("a://b{?q,q}", "the query has q twice"),
        ("a://" + "b" * MAX_URI_LENGTH, "it has more than 8192 characters"),
    ],
)
def test_a_template_that_cannot_be_matched_is_refused(text: str, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        template(text)
    assert str(caught.value) == f'resource template "{text}": {message}'


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("a://{b}.{c}.{d}.{e}.{f}/x", "a://" + "." * 8000),
        ("a://{+b}/{+c}/{+d}/{+e}/x", "a://" + "/" * 8000),
        ("a://{b}-{c}-{d}-{e}-{f}", "a://" + "-" * 8000 + "/"),
        ("a://b{/c*}/d{/e*}/d{/f*}/x", "a://b" + "/d" * 4000),
        ("a://b{?q*}", "a://b?" + "q=&" * 2000),
        ("a://{x}", "a://" + "%C3%A4" * 1300 + "/"),
    ],
)
def test_a_hostile_uri_is_matched_in_linear_time(text: str, uri: str) -> None:
    made = template(text)
    began = time.process_time()
    made.match(uri)
    assert time.process_time() - began < 0.5


def unlike(forbidden: str, minimum: int = 1) -> st.SearchStrategy[str]:
    characters = st.characters(exclude_categories=["Cs"], exclude_characters=forbidden)
    return st.text(characters, min_size=minimum, max_size=8)


ANY = unlike("")
RESERVED_VALUE = unlike("%")
"""`{+x}` and `{#x}` keep what looks percent-encoded already."""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a://{x}", {"x": ANY}),
        ("a://{x}/{y}", {"x": ANY, "y": ANY}),
        ("a://{x}:{y}@{z}", {"x": ANY, "y": ANY, "z": ANY}),
        ("a://{x,y}", {"x": ANY, "y": ANY}),
        ("a://{x:4}", {"x": st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)}),
        ("a://{x}.{y}", {"x": ANY, "y": unlike(".")}),
        ("a://{+x}", {"x": RESERVED_VALUE}),
        ("a://{x}/{+y}", {"x": ANY, "y": RESERVED_VALUE}),
        ("a://{+x}/raw", {"x": RESERVED_VALUE}),
        ("a://b{#x}", {"x": RESERVED_VALUE}),
        ("a://b{.x,y}", {"x": unlike("."), "y": unlike(".")}),
        ("a://b{/x,y}", {"x": ANY, "y": ANY}),
        ("a://b{/x*}", {"x": st.lists(ANY, min_size=1, max_size=4)}),
        ("a://b{;x,y}", {"x": unlike("", 0), "y": unlike("", 0)}),
        ("a://b{?x,y}", {"x": unlike("", 0), "y": unlike("", 0)}),
        ("a://b{?x*,y}", {"x": st.lists(unlike("", 0), min_size=1, max_size=4), "y": ANY}),
        ("a://b?v=1{&x,y*}", {"x": ANY, "y": st.lists(unlike("", 0), min_size=1, max_size=4)}),
        (
            "a://{x}{/y}{.z}{?q}{#f}",
            {"x": ANY, "y": unlike("."), "z": unlike("."), "q": ANY, "f": RESERVED_VALUE},
        ),
    ],
)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_expanding_and_matching_gives_back_the_variables(
    text: str, values: Mapping[str, st.SearchStrategy[Any]], data: st.DataObject
) -> None:
    made = template(text)
    variables = {name: data.draw(strategy, name) for name, strategy in values.items()}
    assert made.match(made.expand(variables)) == variables
