"""Annotations in a class body: allowed beside a field, refused where they say something else."""

from __future__ import annotations

import enum
import typing
from typing import Any, ClassVar, Optional

import pytest

from tests.typedargs.helpers import class_of, schema_refusal
from typedargs import (
    Boolean,
    Double,
    Enum,
    Field,
    Integer,
    MCPArgs,
    String,
    TypedArgs,
    schema_of,
    structure,
)


class Color(enum.Enum):
    RED = "red"


def annotated(annotation: Any, value: Any = None) -> Any:
    body = {} if value is None else {"x": value}
    return class_of({"__annotations__": {"x": annotation}, **body})


class Plain(MCPArgs):
    """Add."""

    a = Double()
    n = Integer(default=3)
    m = Integer(default=None)
    c = Enum(Color, default=Color.RED)
    k = String(name="k-k", required=False)


class Typed(TypedArgs):
    """Add."""

    a: float = Double()
    n: int = Integer(default=3)
    m: int | None = Integer(default=None)
    c: Color = Enum(Color, default=Color.RED)
    k: str | None = String(name="k-k", required=False)


def test_both_spellings_are_the_same_class() -> None:
    assert schema_of(Typed) == schema_of(Plain)
    assert repr(structure({"a": 1}, Typed)) == repr(structure({"a": 1}, Plain)).replace(
        "Plain", "Typed"
    )


FITTING: list[tuple[Any, Field[Any, Any]]] = [
    (float, Double()),
    ("float", Double()),
    (int, Integer()),
    (float, Integer()),
    ("bool", Boolean()),
    (int, Boolean()),
    (str, String()),
    ("str", Enum("a")),
    (Color, Enum(Color)),
    ("Color", Enum(Color)),
    (str, Enum(Color)),
    (int | None, Integer(required=False)),
    (Optional[int], Integer(nullable=True)),  # noqa: UP045
    ("int | None", Integer(default=None)),
    ("Optional[int]", Integer(default=None)),
    ("typing.Optional[int]", Integer(default=None)),
    ("None | int", Integer(default=None)),
    (Any, Double()),
    ("Any", Double()),
    (object, Integer(required=False)),
    ("Annotated[int, 'x']", Integer()),
    ("UnknownName", Integer(required=False)),
    ("int | str", Integer()),
    ("  int  ", Integer()),
    (ClassVar[int], Integer()),
]


@pytest.mark.parametrize(("annotation", "field"), FITTING, ids=repr)
def test_an_annotation_that_fits_is_allowed(annotation: Any, field: Field[Any, Any]) -> None:
    assert "x" in schema_of(annotated(annotation, field))["properties"]


CONTRADICTIONS: list[tuple[Any, Field[Any, Any], str]] = [
    (int, Double(), "Args.x is annotated as int, which Double never is"),
    ("int", Double(), "Args.x is annotated as int, which Double never is"),
    (str, Integer(), "Args.x is annotated as str, which Integer never is"),
    ("str | None", Integer(default=None), "Args.x is annotated as str, which Integer never is"),
    (Optional[bool], Integer(default=None), "Args.x is annotated as bool, which Integer never"),  # noqa: UP045
    (int, String(), "Args.x is annotated as int, which String never is"),
    (str, Boolean(), "Args.x is annotated as str, which Boolean never is"),
    (int, Enum("a"), "Args.x is annotated as int, which Enum never is"),
    (int, Integer(required=False), "Args.x may be None; annotate it as int | None"),
    ("str", String(nullable=True), "Args.x may be None; annotate it as str | None"),
    ("float", Double(default=None), "Args.x may be None; annotate it as float | None"),
]


@pytest.mark.parametrize(("annotation", "field", "message"), CONTRADICTIONS, ids=repr)
def test_an_annotation_that_plainly_contradicts_its_field_is_refused(
    annotation: Any, field: Field[Any, Any], message: str
) -> None:
    assert schema_refusal(lambda: annotated(annotation, field)).startswith(message)


class Celsius(Double):
    def structure(self, value: Any, /) -> Any:
        return int(value)


def test_a_field_of_ones_own_is_annotated_as_one_likes() -> None:
    assert structure({"x": 2.5}, annotated("int", Celsius())).x == 2


@pytest.mark.parametrize(
    ("annotation", "value", "example"),
    [
        ("float", None, "Double()"),
        (int, None, "Integer()"),
        ("str", None, "String()"),
        ("bool | None", None, "Boolean()"),
        ("list[str]", None, "String()"),
        ("int", 3, "Integer(default=3)"),
        ("float", 0.5, "Double(default=0.5)"),
    ],
)
def test_an_annotation_without_a_field_is_refused_with_what_to_write(
    annotation: Any, value: Any, example: str
) -> None:
    assert schema_refusal(lambda: annotated(annotation, value)) == (
        f"Args.x is annotated but is no field; write x = {example} or the like, "
        "or annotate it as a ClassVar"
    )


def test_a_field_class_that_is_not_called_is_named() -> None:
    assert schema_refusal(lambda: annotated("float", Double)) == (
        "Args.x is the class Double; write x = Double()"
    )


@pytest.mark.parametrize(
    "annotation",
    [ClassVar[int], ClassVar, typing.ClassVar[str], "ClassVar[int]", "typing.ClassVar[int]"],
    ids=repr,
)
def test_a_class_variable_is_no_field(annotation: Any) -> None:
    assert schema_of(annotated(annotation, 3))["properties"] == {}


def test_an_inherited_field_may_be_annotated_anew_or_removed_under_an_annotation() -> None:
    class Narrow(Typed):
        c: Color
        n: Any = None

    assert list(schema_of(Narrow)["properties"]) == ["a", "m", "c", "k-k"]


def test_a_mixin_with_fields_is_held_to_the_same_rules() -> None:
    class Slip:
        a = Integer()
        b: int

    def mix() -> None:
        class Args(Slip, MCPArgs):
            pass

    assert schema_refusal(mix).startswith("Slip.b is annotated but is no field")
