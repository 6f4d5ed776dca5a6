"""Registries of any kind: what tools have is tested with the tools."""

import json
from typing import Any

import attrs
import pytest

from typedargs_server import InvalidParams, RegistrationError
from typedargs_server.registry import Registry


@attrs.frozen
class Thing:
    key: str
    later: bool = False

    def wire(self, *, objects_only: bool) -> dict[str, Any]:
        return {"key": self.key, "old": objects_only}


def registry(*keys: str, page_size: int = 1000, key_word: str = "name") -> Registry[Thing]:
    made: Registry[Thing] = Registry(
        "big thing", page_size, listed_as="bigThings", key_word=key_word
    )
    for key in keys:
        made.add(Thing(key))
    return made


def test_a_registry_is_used_from_the_first_definition_on() -> None:
    things = registry()
    assert not things.is_used
    things.add(Thing("a"))
    things.remove("a")
    assert things.is_used
    assert things.all() == []


def test_a_definition_is_found_by_its_key() -> None:
    things = registry("a")
    assert things.find("a") == things.get("a") == Thing("a")
    assert things.find("b") is None


def test_the_list_is_under_the_word_of_its_kind() -> None:
    page = registry("a", "b", page_size=1).page(None, objects_only=True)
    assert json.loads(bytes(page["bigThings"])) == [{"key": "a", "old": True}]
    assert page["nextCursor"] == "after-0"


def test_clients_of_older_revisions_have_pages_of_their_own() -> None:
    things = registry("a")
    for old in (True, False):
        page = things.page(None, objects_only=old)
        assert json.loads(bytes(page["bigThings"])) == [{"key": "a", "old": old}]


@pytest.mark.parametrize(
    ("key_word", "taken", "missing"),
    [
        (
            "name",
            'a big thing named "a" is registered already; choose another name, '
            "or call remove_big_thing first",
            'no big thing is named "b"',
        ),
        (
            "URI",
            'a big thing at the URI "a" is registered already; choose another URI, '
            "or call remove_big_thing first",
            'no big thing is at the URI "b"',
        ),
    ],
)
def test_a_key_is_called_what_it_is(key_word: str, taken: str, missing: str) -> None:
    things = registry("a", key_word=key_word)
    with pytest.raises(RegistrationError) as caught:
        things.add(Thing("a", later=True))
    assert str(caught.value) == taken
    assert things.get("a") == Thing("a")
    with pytest.raises(KeyError) as missed:
        things.remove("b")
    assert missed.value.args == (missing,)


def test_an_unknown_key_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidParams) as caught:
        registry("search_files").get("search_file")
    assert str(caught.value) == 'Unknown big thing: search_file; did you mean "search_files"?'
