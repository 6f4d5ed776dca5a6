"""The form of any class that may stand as arguments: an `MCPArgs` class, or one of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from .conversion import Form


_MARKS = (
    "__attrs_attrs__",
    "__dataclass_fields__",
    "__pydantic_fields__",
    "__struct_fields__",
    "__total__",
    "_field_defaults",
)
"""What the classes of other kinds have: attrs, dataclasses, pydantic, msgspec, typing's two."""


def is_args_class(cls: object) -> TypeGuard[type[Any]]:
    """Tell whether `cls` is an args class, or a class that can be one: a dataclass, and so on."""
    if not isinstance(cls, type):
        return False
    if isinstance(getattr(cls, "__args_form__", None), property):
        return False  # the builder: its instances have forms
    if hasattr(cls, "__args_form__"):
        return True
    if not any(hasattr(cls, mark) for mark in _MARKS):
        return False
    from .adapt import is_foreign  # only where such a class is met

    return is_foreign(cls)


def form_of_class(cls: type[Any]) -> Form:
    """Return the form of `cls`; raises SchemaError where it has none."""
    form: Form | None = getattr(cls, "__args_form__", None)
    if form is None:
        from .adapt import adapted

        form = adapted(cls)
    return form
