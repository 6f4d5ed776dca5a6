"""Fields that hold any number of others: arrays, tuples, maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Never,
    TypeAlias,
    TypeVar,
    Unpack,
    overload,
)

from ._field import A, Field, Options, V
from ._missing import MISSING
from .errors import SchemaError
from .nesting import field_of

if TYPE_CHECKING:
    from ._plan import Plan
    from .dialect import JSONSchema

K = TypeVar("K")
W = TypeVar("W")

Of: TypeAlias = "Field[V, Never] | type[V]"


class Array(Field[V, A]):
    """A `list` of values that are each of one field."""

    constraints: ClassVar = {
        "min_items": "minItems",
        "max_items": "maxItems",
        "unique": "uniqueItems",
    }

    @overload
    def __init__(
        self: Array[list[W], Never],
        of: Field[W, Never],
        *,
        min_items: int | None = None,
        max_items: int | None = None,
        unique: bool | None = None,
        default: Sequence[W] = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Array[list[W], Never],
        of: type[W],
        *,
        min_items: int | None = None,
        max_items: int | None = None,
        unique: bool | None = None,
        default: Sequence[W] = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Array[list[W], None],
        of: Field[W, Never],
        *,
        min_items: int | None = None,
        max_items: int | None = None,
        unique: bool | None = None,
        default: Sequence[W] | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Array[list[W], None],
        of: type[W],
        *,
        min_items: int | None = None,
        max_items: int | None = None,
        unique: bool | None = None,
        default: Sequence[W] | None = ...,
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
        **options: Any,
    ) -> None:
        self.declare(default, required, nullable, options)
        self.of = field_of(of)
        self.parts = (self.of,)

    def own_schema(self, plan: Plan) -> JSONSchema:
        return {"type": "array", "items": self.of.property_schema(plan)}

    def unstructure(self, value: Any, /) -> list[Any]:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
            raise ValueError("expected a list")
        if self.of.into_json is None:
            return list(value)
        return [self.of.to_json(item) for item in value]


class Tuple(Field[V, A]):
    """A `tuple` whose members are each of their own field."""

    @overload
    def __init__(self: Tuple[tuple[W], Never], a: Field[W, Never], /) -> None: ...
    @overload
    def __init__(self: Tuple[tuple[W], Never], a: type[W], /) -> None: ...
    @overload
    def __init__(
        self: Tuple[tuple[W, K], Never],
        a: Field[W, Never],
        b: Field[K, Never],
        /,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Tuple[tuple[W, K], Never],
        a: type[W],
        b: type[K],
        /,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Tuple[tuple[Any, ...], Never],
        *of: Field[Any, Never] | type[Any],
        default: tuple[Any, ...] = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Tuple[tuple[Any, ...], None],
        *of: Field[Any, Never] | type[Any],
        default: tuple[Any, ...] | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        *of: Any,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Any,
    ) -> None:
        if not of:
            raise SchemaError("Tuple takes at least one field")
        self.declare(default, required, nullable, options)
        self.of = self.parts = tuple(map(field_of, of))

    def own_schema(self, plan: Plan) -> JSONSchema:
        return {
            "type": "array",
            "prefixItems": [field.property_schema(plan) for field in self.of],
            "minItems": len(self.of),
            "maxItems": len(self.of),
        }

    @property
    def from_json(self) -> Callable[[Any], Any]:
        return tuple

    def unstructure(self, value: Any, /) -> list[Any]:
        if not isinstance(value, tuple | list) or len(value) != len(self.of):
            raise ValueError(f"expected a tuple of {len(self.of)}")
        return [field.to_json(item) for field, item in zip(self.of, value, strict=True)]


class Map(Field[V, A]):
    """A `dict` with keys of one's own, whose values are each of one field.

    `key_pattern` is a regular expression of ECMA-262 that is found in each key.
    """

    constraints: ClassVar = {"min_items": "minProperties", "max_items": "maxProperties"}

    @overload
    def __init__(
        self: Map[dict[str, W], Never],
        of: Field[W, Never],
        *,
        key_pattern: str | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        default: Mapping[str, W] = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Map[dict[str, W], Never],
        of: type[W],
        *,
        key_pattern: str | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        default: Mapping[str, W] = ...,
        required: Literal[True] = True,
        nullable: Literal[False] = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Map[dict[str, W], None],
        of: Field[W, Never],
        *,
        key_pattern: str | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        default: Mapping[str, W] | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: Map[dict[str, W], None],
        of: type[W],
        *,
        key_pattern: str | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        default: Mapping[str, W] | None = ...,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        of: Any,
        *,
        key_pattern: str | None = None,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Any,
    ) -> None:
        self.declare(default, required, nullable, options)
        self.of = field_of(of)
        self.parts = (self.of,)
        self.key_pattern = key_pattern

    def own_schema(self, plan: Plan) -> JSONSchema:
        schema: JSONSchema = {"type": "object"}
        if self.key_pattern is not None:
            schema["propertyNames"] = {"pattern": self.key_pattern}
        schema["additionalProperties"] = self.of.property_schema(plan) or True
        return schema

    def unstructure(self, value: Any, /) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError("expected a dict")
        if not all(isinstance(key, str) for key in value):
            raise ValueError("expected a dict with str keys")
        if self.of.into_json is None:
            return dict(value)
        return {key: self.of.to_json(item) for key, item in value.items()}
