"""Which fields, rules and settings a class has from its bases."""

import abc
import dataclasses
from typing import Any, Generic, TypeVar

import attrs
import pytest

from tests.typedargs.helpers import refusal, schema_refusal
from typedargs import (
    AtLeastOneOf,
    AtMostOneOf,
    Double,
    ExactlyOneOf,
    Integer,
    MCPArgs,
    String,
    schema_of,
    structure,
    unstructure,
)

T = TypeVar("T")


class Base(MCPArgs):
    """The base."""

    a = Integer()
    b = Integer(default=1)
    c = Integer(required=False)


class Paging:
    """A mixin that is no args class."""

    limit = Integer(default=10)
    offset = Integer(default=0)

    def page(self) -> tuple[int, int]:
        return self.limit, self.offset


class Region(MCPArgs):
    region = String(default="eu", header="Region")


def fields(cls: type[MCPArgs]) -> list[str]:
    assert [field.name for field in attrs.fields(cls)] == list(schema_of(cls)["properties"])
    return list(schema_of(cls)["properties"])


def test_a_subclass_has_its_bases_fields_first() -> None:
    class Sub(Base):
        d = Integer()

    assert fields(Sub) == ["a", "b", "c", "d"]
    assert schema_of(Sub)["required"] == ["a", "d"]
    assert Sub(a=1, d=2) == structure({"a": 1, "d": 2}, Sub)
    assert repr(Sub(a=1, d=2)) == "Sub(a=1, b=1, c=None, d=2)"


def test_an_overridden_field_stands_in_its_old_place() -> None:
    class Sub(Base):
        z = Integer(default=0)
        b = String()  # type: ignore[assignment]

    assert fields(Sub) == ["a", "b", "c", "z"]
    assert schema_of(Sub)["required"] == ["a", "b"]
    assert Sub(a=1, b="x").b == "x"
    assert fields(Base) == ["a", "b", "c"]
    assert Base(a=1).b == 1


def test_none_removes_a_field() -> None:
    class Sub(Base):
        a = None  # type: ignore[assignment]
        c = None

    class SubSub(Sub):
        d = Integer(default=4)

    class Again(Sub):
        a = String(default="x")  # type: ignore[assignment]

    assert fields(Sub) == ["b"]
    assert fields(SubSub) == ["b", "d"]
    assert fields(Again) == ["b", "a"]
    assert Sub() == structure({"a": "ignored"}, Sub)
    assert unstructure(Sub(b=2)) == {"b": 2}
    assert attrs.evolve(Sub(), b=3) == Sub(b=3)  # type: ignore[misc]
    assert repr(Sub()) == "Sub(b=1)"
    with pytest.raises(TypeError, match=r"^Sub has no field a$"):
        Sub(a=1)
    with pytest.raises(AttributeError, match=r"^Sub has no field a$"):
        Sub().a = 3  # type: ignore[assignment]


def test_a_removed_field_gives_its_key_free() -> None:
    class Sub(Base):
        a = None  # type: ignore[assignment]
        first = Integer(name="a")

    assert structure({"a": 3}, Sub).first == 3


def test_a_name_that_hides_a_field_is_refused() -> None:
    def hide() -> None:
        class Sub(Base):
            def a(self) -> int:  # type: ignore[override]
                return 1

    assert schema_refusal(hide) == (
        "Sub.a hides a field of a base class; "
        "give it another name, or set it to None to remove the field"
    )


def test_plain_mixins_follow_the_mro() -> None:
    class Before(Paging, Base):
        pass

    class After(Base, Paging):
        own = Integer(default=0)

    assert fields(Before) == ["a", "b", "c", "limit", "offset"]
    assert fields(After) == ["limit", "offset", "a", "b", "c", "own"]
    assert structure({"a": 1, "limit": 5}, After).page() == (5, 0)


def test_a_class_overrides_its_mixin_and_a_mixin_what_comes_after() -> None:
    class Wide(Paging):
        limit = Integer(default=100)

    class A(Wide, MCPArgs):
        pass

    class B(Wide, MCPArgs):
        limit = Integer(default=1)

    assert A().limit == 100
    assert B().limit == 1
    assert fields(A) == fields(B) == ["limit", "offset"]


def test_several_args_classes_can_be_bases() -> None:
    class Both(Base, Region):
        pass

    class Top(MCPArgs):
        x = Integer(default=0)

    class Left(Top):
        x = Integer(default=1)
        left = Integer(default=0)

    class Right(Top):
        x = Integer(default=2)
        right = Integer(default=0)

    class Diamond(Left, Right):
        pass

    assert fields(Both) == ["region", "a", "b", "c"]
    assert fields(Diamond) == ["x", "right", "left"]
    assert Diamond().x == 1


def test_bases_of_other_kinds_do_no_harm() -> None:
    class Generical(MCPArgs, Generic[T]):
        a = Integer()

    class Annotated:
        cache: dict[str, int]
        size: int = 3

    class Mixed(Annotated, MCPArgs):
        a = Integer()

    class Meta(type(MCPArgs), abc.ABCMeta):  # type: ignore[misc]
        pass

    class Abstract(MCPArgs, metaclass=Meta):  # type: ignore[metaclass]
        @abc.abstractmethod
        def run(self) -> int: ...

    class Concrete(Abstract):
        a = Integer()

        def run(self) -> int:
            return self.a

    class Unfinished(Abstract):
        a = Integer()

    assert structure({"a": 1}, Generical).a == 1
    assert Mixed(a=1).size == 3
    assert structure({"a": 2}, Concrete).run() == 2
    with pytest.raises(TypeError, match="abstract"):
        Unfinished(a=1)  # type: ignore[abstract]


def test_two_bases_with_one_key_are_refused() -> None:
    class Other(MCPArgs):
        other = Integer(name="a")

    def both() -> None:
        class Both(Base, Other):
            pass

    assert schema_refusal(both) == (
        'Both: other and a both have the key "a" on the wire; give one of them another name='
    )


def test_a_docstring_is_the_description_of_its_own_class_alone() -> None:
    class Sub(Base):
        pass

    assert schema_of(Base)["description"] == "The base."
    assert "description" not in schema_of(Sub)


def test_the_rule_for_unknown_keys_is_inherited_from_the_nearest_class_that_says_one() -> None:
    class Closed(MCPArgs, extra="forbid"):
        x = Integer(default=0)

    class Sub(Closed):
        y = Integer(default=0)

    class Open(Sub, extra="ignore"):
        pass

    class Silent(Base, Closed):
        pass

    for cls, closed in ((Closed, True), (Sub, True), (Open, False), (Silent, True), (Base, False)):
        assert (schema_of(cls).get("additionalProperties") is False) is closed, cls
        given = {"a": 1, "zzz": 1} if issubclass(cls, Base) else {"zzz": 1}
        if closed:
            assert "zzz: unknown key" in refusal(lambda: structure(given, cls))  # noqa: B023
        else:
            structure(given, cls)


class Source(MCPArgs):
    path = String(required=False)
    url = String(required=False)

    one = ExactlyOneOf(path, url)


def test_rules_are_inherited_and_mean_the_overriding_field() -> None:
    class Sub(Source):
        path = String(required=False, name="file")

    assert refusal(lambda: structure({}, Sub)) == "expected exactly one of file, url, got none"
    assert structure({"file": "a"}, Sub).path == "a"


def test_a_rule_is_replaced_by_another_of_its_name_and_removed_by_none() -> None:
    class Either(Source):
        one = AtLeastOneOf("path", "url")  # type: ignore[assignment]

    class Free(Source):
        one = None  # type: ignore[assignment]

    assert structure({"path": "a", "url": "b"}, Either) == Either(path="a", url="b")
    assert Free() == structure({}, Free)
    assert "description" not in schema_of(Free)


def test_a_rule_that_has_lost_its_field_says_so() -> None:
    def lose() -> None:
        class Sub(Source):
            path = None

    assert schema_refusal(lose) == (
        "Sub: ExactlyOneOf names path, which is no field of the class; "
        "a class that removes the field sets the rule's name to None too"
    )


def test_a_rule_of_a_mixin_holds() -> None:
    class Bounded:
        low = Double(required=False)
        high = Double(required=False)
        bounds = AtMostOneOf(low, high)

    class Args(Bounded, MCPArgs):
        pass

    assert (
        refusal(lambda: Args(low=1, high=2)) == "expected at most one of low, high, got low, high"
    )


@pytest.mark.parametrize(
    ("decorate", "already"),
    [(attrs.define, "is an attrs class already"), (dataclasses.dataclass, "is an attrs class")],
)
def test_a_decorator_that_makes_classes_is_one_too_many(decorate: Any, already: str) -> None:
    def declare() -> None:
        @decorate
        class Twice(MCPArgs):
            a: int = Integer()

    assert schema_refusal(declare) == f"Twice {already}; leave the decorator out"


def test_a_field_that_comes_after_the_class_is_refused() -> None:
    def late() -> None:
        Base.late = Integer()

    assert schema_refusal(late) == "Base is made already; declare late in its body"
