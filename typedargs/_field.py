"""Field: one named value of an args class, as a descriptor.

What every field has stands here; the kinds of fields stand in `fields`. A field knows its JSON
Schema and the way between JSON and Python, and nothing of the class that it is declared in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Never,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from ._missing import MISSING
from .dialect import plain
from .errors import SchemaError, nearest, shown

if TYPE_CHECKING:
    from ._plan import Plan
    from .dialect import JSONSchema

V = TypeVar("V")

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultTypeVar

    # What the attribute may be beside its value: nothing, or None where the field can be absent.
    A = DefaultTypeVar("A", default=Never)
    # An ancestor that checkers know nothing of makes `a: float = Double()` assignable.
    _Declared = Any
else:
    A = TypeVar("A")
    _Declared = object


class PropertyOptions(TypedDict, total=False):
    """What every property takes, whether a field or of a builder."""

    title: str | None
    examples: Sequence[Any]
    deprecated: bool
    aliases: tuple[str, ...]
    header: str | None


class Options(PropertyOptions, total=False):
    """What every field takes, beside `default`, `required` and `nullable`."""

    description: str | None
    name: str | None


# The unknown ancestor stands last: before it, the overloads of constructors keep their meaning.
class Field(Generic[V, A], _Declared):  # type: ignore[misc]  # noqa: PYI059
    """One named value of an args class. `Field[int]` holds an int, `Field[int, None]` int or None.

    A field of one's own is a subclass with a `schema` and, where the Python value is not the JSON
    value, `structure` and `unstructure`.

    `description` and `title` are published. `default` makes the field optional and is filled in
    where the key is left out; `required=False` makes it optional, and None where left out.
    `nullable=True` takes null. `examples` are published JSON values; `deprecated` is published.
    `name` is the key on the wire where it is not the attribute's name. `aliases` are older keys
    that are accepted too. `header` is published as `x-mcp-header`.

    Raises TypeError for an option that the field does not have.
    """

    constraints: ClassVar[Mapping[str, str]] = {}
    """The options of this kind of field that are constraints, and their JSON Schema keywords."""

    description: str | None
    title: str | None
    required: bool
    nullable: bool
    examples: Sequence[Any]
    deprecated: bool
    name: str | None
    aliases: tuple[str, ...]
    header: str | None

    attribute: str = ""
    """The attribute that the field is in its class."""

    def __init__(
        self,
        *,
        default: Any = MISSING,
        required: bool = True,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self.declare(default, required, nullable, options)

    def declare(
        self, default: Any, required: bool, nullable: bool, options: Mapping[str, Any]
    ) -> None:
        """Take what the constructor was given; for constructors of subclasses."""
        # A default of None, for a field that takes no null, is that of `required=False`: static
        # type checkers know an optional parameter of a constructor by its `default` alone.
        for option, given in (("required", required), ("nullable", nullable)):
            if not isinstance(given, bool):
                raise TypeError(f"{option} must be True or False, got {given!r}")
        optional = default is None and not nullable
        self.default: Any = MISSING if optional else default
        self.required = required and default is MISSING
        self.nullable = nullable
        self.description = options.get("description")
        self.title = options.get("title")
        self.examples = options.get("examples", ())
        self.deprecated = options.get("deprecated", False)
        self.name = options.get("name")
        self.header = options.get("header")
        aliases = options.get("aliases", ())
        if not isinstance(aliases, tuple | list):
            raise TypeError(f"aliases must be a tuple of names; write aliases=({aliases!r},)")
        self.aliases = tuple(aliases)
        if not isinstance(self.examples, tuple | list):
            raise TypeError(f"examples must be a list; write examples=[{self.examples!r}]")
        self.limits = {
            option: value
            for option, value in options.items()
            if option in self.constraints and value is not None
        }
        known = {*_OPTIONS, *self.constraints, "default", "required", "nullable"}
        for option in options:
            if option not in known:
                close = nearest(option, known)
                hint = f"; did you mean {close}?" if close else ""
                raise TypeError(f"{type(self).__name__} has no option {option}{hint}")

    parts: tuple[Field[Any, Any], ...] = ()
    """The fields within this one."""

    is_deferred: bool = False
    """Whether the schema can be known only when all classes are."""

    words: ClassVar[str | None] = None
    """What messages call a value of the field, such as `base64`; else the schema's keywords do."""

    reads_literals: ClassVar[bool] = False
    """Whether the values need numbers as they are written, which doubles do not tell."""

    is_settled: bool = False
    """Whether the default and the examples are checked, of a field that is deferred."""

    def schema(self) -> JSONSchema:
        """Return the JSON Schema of the field's values, without what every field can add."""
        raise NotImplementedError(f"{type(self).__name__} must define schema()")

    constant: Any = MISSING
    """The only value of the field, which a constructor need not be given."""

    def target(self, owner: type[Any]) -> type[Any] | None:  # noqa: ARG002
        """Return the args class whose instances are the values, where there is one."""
        return None

    def own_schema(self, plan: Plan) -> JSONSchema:  # noqa: ARG002
        """Return `schema()`; fields with others in them make it with theirs."""
        own: JSONSchema = plain(self.schema())
        return own

    def structure(self, value: Any, /) -> V:
        """Return the Python value of a JSON value that the schema has passed.

        Raises ValueError, with what was expected, where there is none.
        """
        structured: V = value
        return structured

    def unstructure(self, value: V, /) -> Any:
        """Return the JSON value of a Python value; raises ValueError where it has none."""
        return value

    @property
    def has_default(self) -> bool:
        """Whether a key that is left out has a value of its own."""
        return self.default is not MISSING

    @property
    def from_json(self) -> Callable[[Any], Any] | None:
        """`structure`, or None where JSON and Python values are the same."""
        return None if type(self).structure is Field.structure else self.structure

    @property
    def into_json(self) -> Callable[[Any], Any] | None:
        """`to_json`, or None where JSON and Python values are the same."""
        return None if type(self).unstructure is Field.unstructure else self.to_json

    def to_json(self, value: Any) -> Any:
        """Return the JSON value of `value`, null for None; raises ValueError where it has none."""
        return None if value is None else self.unstructure(value)

    _check: Callable[[Any], Any] | None = None

    def checked_json(self, value: Any) -> Any:
        """Return the JSON value of `value`; raises ValueError where the field does not take it."""
        json = self.to_json(value)
        if self._check is None:
            from ._plan import Plan
            from .validation import compile_validator

            self._check = compile_validator(self.property_schema(Plan(type(self)))).enter
        self._check(json)
        return json

    def property_schema(self, plan: Plan) -> JSONSchema:
        """Return the field's whole JSON Schema, as the class publishes it.

        What its values are converted by goes into `plan`.
        """
        own = self.own_schema(plan)
        plan.reads_literals |= self.reads_literals
        if self.description is not None:
            own.pop("description", None)
        schema: JSONSchema = {}
        plan.move(own, schema)
        if "type" in own:
            schema["type"] = own.pop("type")
        if self.title is not None:
            schema["title"] = plain(self.title, "/title")
        if self.description is not None:
            schema["description"] = plain(self.description, "/description")
        schema.update(own)
        for option, keyword in self.constraints.items():
            if option in self.limits:
                schema[keyword] = plain(self.limits[option], f"/{keyword}")
        if self.nullable:
            schema = _with_null(schema)
        if self.has_default:
            schema["default"] = plain(self.to_json(self.default), "/default")
        if self.examples:
            schema["examples"] = plain(list(self.examples), "/examples")
        if self.deprecated:
            schema["deprecated"] = self.deprecated
        if self.header is not None:
            schema["x-mcp-header"] = self._checked_header(schema)
        if self.from_json is not None or self.words is not None:
            plan.convert(schema, self.from_json, self.words)
        return schema

    def _checked_header(self, schema: JSONSchema) -> str | None:
        """Source: https://modelcontextprotocol.io/specification/2026-07-28/server/tools"""
        if schema.get("type") not in ("string", "integer", "boolean"):
            raise SchemaError(
                "header is for string, integer and boolean fields, "
                f"not for {shown(schema.get('type'))}"
            )
        return self.header

    def __repr__(self) -> str:
        name = f" {self.attribute}" if self.attribute else ""
        optional = "" if self.required else ", optional"
        return f"<{type(self).__name__} field{name}{optional}>"

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type[object]) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type[object]) -> V | A: ...
        def __get__(self, instance: object | None, owner: type[object]) -> Any: ...
        def __set__(self, instance: object, value: V | A) -> None: ...

    else:
        # No __set__: so the value in the instance's own dict is found first, at no cost.

        def __set_name__(self, owner, attribute):
            self.attribute = attribute

        def __get__(self, instance, owner):
            if instance is None:
                return self
            raise AttributeError(f"{self.attribute} has no value in this {owner.__name__}")

        def __class_getitem__(cls, parameters):
            return cls


_OPTIONS = Options.__optional_keys__


def _with_null(schema: JSONSchema) -> JSONSchema:
    """Return `schema` made to take null too."""
    null = {"type": "null"}
    if "type" in schema:
        types = schema["type"]
        schema["type"] = [*([types] if isinstance(types, str) else types), "null"]
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    elif "const" in schema:
        schema["enum"] = [schema.pop("const"), None]
    elif "anyOf" in schema or "oneOf" in schema:
        name = "anyOf" if "anyOf" in schema else "oneOf"
        schema[name] = [*schema[name], null]
    elif "$ref" in schema:
        schema["anyOf"] = [{"$ref": schema.pop("$ref")}, null]
    return schema
