"""No name is reserved, and no text becomes code: attributes, keys and strings of any kind."""

import copy
import enum

import attrs
import pytest

from tests.typedargs.helpers import class_of, holder, schema_refusal
from typedargs import (
    Enum,
    Integer,
    MCPArgs,
    String,
    ValidationError,
    schema_of,
    structure,
    unstructure,
)

NAMES = """
    schema copy json self cls data name args values extra fields instance cl converter attrs mro
    register keys items get update pop type id print issues v out MISSING INF misfit missing
    unknown _private _entries _held check validate dict isinstance len float int match case
    description default required p1 k_1 build_1 default_1 é
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_no_name_is_reserved(name: str) -> None:
    args = holder(**{name: Integer(), "other": Enum("a", default="a")})
    for cls in (args, class_of({}, name="Sub", bases=(args,))):
        made = cls(**{name: 1})
        assert made == structure({name: 1.0}, cls) == attrs.evolve(made) == copy.copy(made)
        assert made != attrs.evolve(made, **{name: 2})
        assert unstructure(made) == {name: 1, "other": "a"}
        assert getattr(made, name) == 1
        assert repr(made) == f"{cls.__name__}({name}=1, other='a')"
        setattr(made, name, 3)
        assert attrs.asdict(made) == {name: 3, "other": "a"}
        assert list(schema_of(cls)["properties"]) == [name, "other"]


@pytest.mark.parametrize("name", ["__init__", "__class__", "__dict__", "__eq__", "__x", "_Args__x"])
def test_a_name_with_two_underscores_is_refused_with_the_way_out(name: str) -> None:
    assert schema_refusal(lambda: holder(**{name: Integer()})) == (
        f"Args.{name} cannot be a field: Python gives names with two underscores a meaning; "
        f'call it something else, with name="{name}"'
    )


@pytest.mark.parametrize("name", ["class", "a b", "", "1a", "a; import os", "a\nb"])
def test_an_attribute_that_python_cannot_name_is_refused(name: str) -> None:
    assert schema_refusal(lambda: holder(**{name: Integer()})).startswith(
        f"Args.{name} cannot be a field: it is no Python name; call it something else, with name="
    )


HOSTILE_KEYS = [
    "it's",
    'say "hi"',
    "{x}",
    "{v} {k} {{}}",
    "a\nb",
    "\\",
    "\\'); import os #",
    "'''",
    '"""',
    "",
    " ",
    "__class__",
    "__init__",
    "class",
    "\x00",
    "\u2028",
    "\U0001f600",
    "%s",
    "$ref",
    "a.b[0]",
    "k" * 10_000,
]


@pytest.mark.parametrize("key", HOSTILE_KEYS, ids=lambda key: ascii(key)[:20])
def test_any_string_is_a_key_on_the_wire(key: str) -> None:
    class Args(MCPArgs):
        a = Integer(name=key, description=key, minimum=0)
        b = Enum(key, f"{key}b", default=key, aliases=(f"{key}!",))
        c = String(default=key, examples=[key], title=key)

    assert schema_of(Args) == {
        "type": "object",
        "properties": {
            key: {"type": "integer", "description": key, "minimum": 0},
            "b": {"type": "string", "enum": [key, f"{key}b"], "default": key},
            "c": {"type": "string", "title": key, "default": key, "examples": [key]},
        },
        "required": [key],
    }
    assert structure({key: 1}, Args) == Args(a=1, b=key, c=key)
    assert structure({key: 1, f"{key}!": f"{key}b"}, Args).b == f"{key}b"
    assert unstructure(Args(a=1)) == {key: 1, "b": key, "c": key}
    with pytest.raises(ValidationError) as caught:
        structure({key: -1, "b": "zzz"}, Args)
    assert [issue.keyword for issue in caught.value.issues] == ["minimum", "enum"]
    assert all(len(str(issue)) < 21_000 for issue in caught.value.issues)
    with pytest.raises(ValidationError):
        structure({}, Args)


class Key(enum.StrEnum):
    A = "a-key"


class Loud(str):
    def __repr__(self) -> str:
        return "LOUD); raise SystemExit("

    def __str__(self) -> str:
        return "loud"


@pytest.mark.parametrize(("key", "plain"), [(Key.A, "a-key"), (Loud("x"), "x")])
def test_a_subclass_of_str_is_the_string_it_holds_wherever_it_stands(key: str, plain: str) -> None:
    class Args(MCPArgs, extra="forbid"):
        a = Enum(key, name=key, description=key, default=key, aliases=(Loud("y"),))
        b = String(name=Loud("z"), pattern=Loud("."))

    published = schema_of(Args)
    assert published["properties"][plain] == {
        "type": "string",
        "description": plain,
        "enum": [plain],
        "default": plain,
    }
    assert published["required"] == ["z"]
    assert [type(name) for name in published["properties"]] == [str, str]
    assert structure({"z": "q"}, Args).a == plain
    with pytest.raises(ValidationError):
        structure({"z": "", plain: 3}, Args)
