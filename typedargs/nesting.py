"""Fields that are of other classes, or one of several: nested classes, alternatives, constants.

Where a field is expected, an args class stands for a `Nested` field of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Never,
    TypeAlias,
    TypeVar,
    Unpack,
    overload,
)

from ._field import A, Field, Options, V
from ._forms import form_of_class, is_args_class
from ._missing import MISSING
from .errors import SchemaError, shown

if TYPE_CHECKING:
    from ._plan import Plan
    from .args import MCPArgs
    from .dialect import JSONSchema

M = TypeVar("M")
K = TypeVar("K")
W = TypeVar("W")

Of: TypeAlias = "Field[V, Never] | type[V]"


def field_of(of: Any) -> Field[Any, Any]:
    """Return `of`, and the field for an args class; raises SchemaError for anything else."""
    if isinstance(of, Field):
        if not of.required:
            raise SchemaError("a field within another cannot be optional or have a default")
        return of
    if isinstance(of, type) and issubclass(of, Field):
        raise SchemaError(f"expected a field, got the class {of.__name__}; write {of.__name__}()")
    if is_args_class(of):
        return Nested(of)
    hint = f"; write {_FIELDS[of]}()" if isinstance(of, type) and of in _FIELDS else ""
    raise SchemaError(f"expected a field or an args class, got {of!r}{hint}")


_FIELDS = {str: "String", int: "Integer", float: "Double", bool: "Boolean", bytes: "Bytes"}


class Nested(Field[V, A]):
    """An instance of another args class, or of the same one.

    A class that is not defined yet is named by a function (`Nested(lambda: Node)`), or by its name
    in the module of the class that holds the field.
    """

    @overload
    def __init__(
        self: Nested[M, Never],
        of: type[M] | Callable[[], type[M]],
        *,
        default: M = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Nested[M, None],
        of: type[M] | Callable[[], type[M]],
        *,
        default: M | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Nested[Any, Any],
        of: str,
        *,
        default: Any = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        of: Any,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)
        self._of = of
        self.is_deferred = not isinstance(of, type)
        self._found: type[Any] = of if isinstance(of, type) else object

    def target(self, owner: type[Any]) -> type[MCPArgs]:
        """Return the class, as named where `owner` is; raises SchemaError where there is none."""
        found = self._of
        if isinstance(found, str):
            names = vars(sys.modules[owner.__module__])
            found = owner if owner.__name__ == found else names.get(found)
            if found is None:
                raise SchemaError(
                    f"Nested({self._of!r}): the module {owner.__module__} has no such class; "
                    f"write Nested(lambda: {self._of})"
                )
        elif not isinstance(found, type) and callable(found):
            found = found()
        if not isinstance(found, type) or not is_args_class(found):
            raise SchemaError(f"Nested needs an args class, got {found!r}")
        self._found = found
        return found

    def own_schema(self, plan: Plan) -> JSONSchema:
        return plan.object_of(self.target(plan.owner))

    def unstructure(self, value: V, /) -> Any:
        return form_of_class(self._class_of(value)).unstructure(value)

    def _class_of(self, value: Any) -> type[Any]:
        """Return the class whose form `value` has; raises ValueError where it is no instance."""
        if issubclass(self._found, dict):
            if isinstance(value, Mapping):
                return self._found
        elif isinstance(value, self._found) and is_args_class(type(value)):
            return type(value)
        raise ValueError(f"expected an instance of {self._found.__name__}")

    def checked_json(self, value: Any) -> Any:
        if hasattr(type(value), "__args_form__"):
            return self.to_json(value)  # an instance has been checked
        return super().checked_json(value)


class OneOf(Field[V, A]):
    """A value of one of some fields: the first that takes it.

    With `tag`, the alternatives are args classes, each with a `Const` field of that name, and the
    tag decides alone.
    """

    @overload
    def __init__(
        self: OneOf[W | K, Never],
        a: Field[W, Never],
        b: Field[K, Never],
        /,
        *,
        tag: str | None = None,
        default: W | K = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W | K, Never],
        a: type[W],
        b: type[K],
        /,
        *,
        tag: str | None = None,
        default: W | K = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W | K, None],
        a: Field[W, Never],
        b: Field[K, Never],
        /,
        *,
        tag: str | None = None,
        default: W | K | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W | K, None],
        a: type[W],
        b: type[K],
        /,
        *,
        tag: str | None = None,
        default: W | K | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W, Never],
        *of: Field[W, Never],
        tag: str | None = None,
        default: W = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W, Never],
        *of: type[W],
        tag: str | None = None,
        default: W = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W, None],
        *of: Field[W, Never],
        tag: str | None = None,
        default: W | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[W, None],
        *of: type[W],
        tag: str | None = None,
        default: W | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[Any, Never],
        *of: Field[Any, Never] | type[Any],
        tag: str | None = None,
        default: Any = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: OneOf[Any, None],
        *of: Field[Any, Never] | type[Any],
        tag: str | None = None,
        default: Any = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *of: Any,
        tag: str | None = None,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Any,
    ) -> None:
        if len(of) < 2:
            raise SchemaError("OneOf takes at least two fields or classes")
        self.declare(default, required, nullable, options)
        self.of = self.parts = tuple(map(field_of, of))
        self.tag = tag

    def own_schema(self, plan: Plan) -> JSONSchema:
        schemas = [field.property_schema(plan) for field in self.of]
        if self.tag is not None:
            seen: list[Any] = []
            for field in self.of:
                value = _tag_of(self.tag, field, plan.owner)
                if value in seen:
                    raise SchemaError(f"two alternatives have the {self.tag} {shown(value)}")
                seen.append(value)
        return {"oneOf" if self.tag is not None else "anyOf": schemas}

    def unstructure(self, value: V, /) -> Any:
        for field in self.of:
            try:
                return field.checked_json(value)
            except ValueError:
                continue
        raise ValueError("expected a value that one of the alternatives takes")


class Const(Field[V, A]):
    """One value and no other, such as the tag of a class among alternatives."""

    @overload
    def __init__(
        self: Const[W, Never],
        value: W,
        /,
        *,
        default: W = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Const[W, None],
        value: W,
        /,
        *,
        default: W | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        value: Any,
        /,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)
        self.constant = value

    def schema(self) -> JSONSchema:
        return {"const": self.constant}


def _tag_of(tag: str, field: Field[Any, Any], owner: type[Any]) -> Any:
    """Return the tag of an alternative; raises SchemaError where it has none."""
    target = field.target(owner)
    if target is not None:
        for entry in form_of_class(target).spec.fields:
            if entry.key == tag and entry.field.required and entry.field.constant is not MISSING:
                return entry.field.constant
    raise SchemaError(
        f"with tag={tag!r} each alternative must be a class with a required Const field {tag}; "
        f"{target.__name__ if target else field} is not"
    )
