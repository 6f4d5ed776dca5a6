"""What the tests of the package share: one-field classes, and the words of a refusal."""

import types
from collections.abc import Callable
from typing import Any

import pytest

from typedargs import Field, MCPArgs, SchemaError, ValidationError, schema_of, structure


def holder(**body: Any) -> Any:
    """Return a class with `body`, as a class statement would make it."""
    return class_of(body)


def class_of(
    body: dict[str, Any],
    *,
    name: str = "Args",
    bases: tuple[type, ...] = (MCPArgs,),
    **settings: Any,
) -> Any:
    """Return a class, as a class statement would make it; Any, since checkers cannot know it."""
    return types.new_class(
        name, bases, settings, lambda made: made.update(__module__=__name__, **body)
    )


def property_of(field: Field[Any, Any]) -> dict[str, Any]:
    """Return what a class with `field` publishes for it."""
    published: dict[str, Any] = schema_of(holder(x=field))["properties"]["x"]
    return published


def accepted(field: Field[Any, Any], value: Any) -> Any:
    """Return what the attribute of `field` is for the JSON `value`."""
    return structure({"x": value}, holder(x=field)).x


def refusal(call: Callable[[], Any]) -> str:
    """Return the text of the ValidationError that `call` raises."""
    with pytest.raises(ValidationError) as caught:
        call()
    return str(caught.value)


def schema_refusal(call: Callable[[], Any]) -> str:
    """Return the text of the SchemaError that `call` raises."""
    with pytest.raises(SchemaError) as caught:
        call()
    return str(caught.value)
