"""MCPArgs, the class that is a schema, and its metaclass.

The metaclass has the fields and rules of a class body gathered into an `ArgsSpec`, and lets attrs
make the class. Class bodies have no reserved names: what can be done with a class is a function
of this module.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, dataclass_transform, overload
from weakref import WeakSet

import attrs

from ._body import docstring_of, fields_of, finder, rules_of
from ._field import Field
from ._forms import form_of_class, is_args_class
from ._missing import MISSING
from ._spec import ArgsSpec, Extra, FieldEntry, check_extra, check_keys, no_field
from .builder import ObjectSchema
from .conversion import Form
from .errors import SchemaError, described
from .rules import bind

if TYPE_CHECKING:
    import cattrs

    from .containers import Array, Map, Tuple
    from .dialect import JSONSchema
    from .fields import Boolean, Double, Enum, Integer, String
    from .nesting import Const, Nested, OneOf
    from .times import Date, DateTime, Duration, Time
    from .values import UUID, Bytes, Decimal, Email, Json, Path, Uri

T = TypeVar("T")


class ArgsMeta(type):
    """Makes a class from its fields: an attrs class with a spec, a schema and a way in and out."""

    __args_extra__: Extra
    __args_form__: Form

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        extra: Extra | None = None,
        **options: Any,
    ) -> ArgsMeta:
        if "__attrs_attrs__" in namespace:
            raise SchemaError(f"{name} is an attrs class already; leave the decorator out")
        cls = super().__new__(mcs, name, bases, namespace, **options)
        if extra is not None:
            cls.__args_extra__ = check_extra(name, extra)
        args_bases = [base for base in cls.__mro__[1:] if isinstance(base, ArgsMeta)]
        entries = fields_of(cls, [e for b in args_bases for e in b.__args_form__.spec.fields])
        check_keys(name, entries)
        spec = ArgsSpec(
            name=name,
            fields=entries,
            extra=cls.__args_extra__,
            rules=tuple(bind(rule, name, finder(entries)) for rule in rules_of(cls)),
            description=docstring_of(cls) if cls.__module__ != __name__ else None,
        )
        _make_attrs_class(cls, entries)
        cls.__args_form__ = Form(spec, cls)
        return cls

    def __setattr__(cls, name: str, value: Any) -> None:
        """Set a class attribute; raises SchemaError where it comes too late to be part of it."""
        if isinstance(value, Field):
            raise SchemaError(f"{cls.__name__} is made already; declare {name} in its body")
        if name in ("__attrs_post_init__", "__new__"):
            raise SchemaError(f"{cls.__name__} is made already; define {name} in its body")
        if name == "__dataclass_fields__":
            raise SchemaError(f"{cls.__name__} is an attrs class; leave the decorator out")
        super().__setattr__(name, value)
        if name == "__init__" and value not in _compiled_inits:
            _forget_inits(cls)


def _make_attrs_class(cls: type, entries: tuple[FieldEntry, ...]) -> None:
    """Have attrs make `cls`, whose attributes are exactly `entries`, in order.

    All but the methods, which `MCPArgs` has once for all classes. Its constructor reports every
    fault at once, and has no parameter that a field could be called.
    """
    order = {entry.attribute: index for index, entry in enumerate(entries)}

    def only_entries(_: type, inherited: list[Any]) -> list[Any]:
        fields = [field for field in inherited if field.name in order]
        return sorted(fields, key=lambda field: order[field.name])

    attrs.define(
        cls,
        these={entry.attribute: _attribute(entry) for entry in entries},
        init=False,
        eq=False,
        repr=False,
        slots=False,
        kw_only=True,
        on_setattr=attrs.setters.NO_OP,
        field_transformer=only_entries,
    )
    made: Any = cls
    for attribute in made.__attrs_attrs__:
        object.__setattr__(attribute, "init", True)  # in place: a copy of each would cost more


def _attribute(entry: FieldEntry) -> Any:
    default = attrs.NOTHING if entry.unset is MISSING else attrs.Factory(entry.own_unset)
    # init=False keeps attrs from writing a constructor; it is undone when the class is made.
    return attrs.field(default=default, kw_only=True, alias=entry.attribute, init=False)


class MCPArgs(metaclass=ArgsMeta, extra="ignore"):
    """A tool's arguments or its result: declare fields, and the class is the schema.

    The constructor takes the fields by keyword. `class A(MCPArgs, extra="forbid")` rejects keys
    that no field has; otherwise they are ignored.
    """

    __args_form__: ClassVar[Form]

    if TYPE_CHECKING:
        # By this, checkers know a class that attrs has made.
        __attrs_attrs__: ClassVar[tuple[Any, ...]]

    def __init__(self, /, **values: Any) -> None:
        """Take the fields by keyword.

        Raises ValidationError, with every fault, where a field or a rule rejects the values, and
        TypeError where a required one is missing or a name is unknown.
        """
        form = type(self).__args_form__
        if form.only_holds:
            _compile_init(type(self))
        vars(self).update(form.spec.held(values))
        after: Callable[[], None] | None = getattr(self, "__attrs_post_init__", None)
        if after is not None:
            after()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = type(self).__args_form__.spec.by_attribute
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # what can be changed

    def __repr__(self) -> str:
        names = type(self).__args_form__.spec.by_attribute
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__.rsplit('>.', 1)[-1]}({values})"

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; raises ValidationError where it rejects the value."""
        spec = type(self).__args_form__.spec
        entry = spec.by_attribute.get(name)
        if entry is not None:
            super().__setattr__(name, entry.accept(value))
        elif name.startswith("_") or _sets_itself(type(self), name):
            super().__setattr__(name, value)
        else:
            raise AttributeError(no_field(spec, name))


_plain_init: Final = MCPArgs.__init__
_compiled_inits: Final[WeakSet[Callable[..., None]]] = WeakSet()


def _compile_init(cls: Any) -> None:
    """Give `cls` an `__init__` of its own that does the same at once, unless a user's is there."""
    if "__init__" in vars(cls):
        return
    bases = cls.__mro__[1 : cls.__mro__.index(MCPArgs)]
    inherited = [vars(base)["__init__"] for base in bases if "__init__" in vars(base)]
    if not all(init in _compiled_inits for init in inherited):
        return
    init = functools.update_wrapper(cls.__args_form__.init(), _plain_init)
    _compiled_inits.add(init)
    cls.__init__ = init


def _forget_inits(cls: type) -> None:
    """Take from the subclasses of `cls` their compiled `__init__`, which is not that of now."""
    each: Any
    for each in cls.__subclasses__():
        if vars(each).get("__init__") in _compiled_inits:
            del each.__init__
        _forget_inits(each)


def _sets_itself(cls: type, name: str) -> bool:
    """Tell whether the class attribute is one that takes an assignment, such as a property."""
    return hasattr(inspect.getattr_static(cls, name, None), "__set__")


if TYPE_CHECKING:

    @dataclass_transform(
        kw_only_default=True,
        field_specifiers=(
            Array,
            Boolean,
            Bytes,
            Const,
            Date,
            DateTime,
            Decimal,
            Double,
            Duration,
            Email,
            Enum,
            Field,
            Integer,
            Json,
            Map,
            Nested,
            OneOf,
            Path,
            String,
            Time,
            Tuple,
            UUID,
            Uri,
        ),
    )
    class _Annotated(MCPArgs): ...

else:
    _Annotated = MCPArgs  # some fields load modules of their own, which most servers start without


class TypedArgs(_Annotated):
    """MCPArgs whose fields are annotated (`a: float = Double()`), for static type checkers.

    They then check the constructor too; in every other way it is the same.
    """


def schema_of(args: type[Any] | ObjectSchema) -> JSONSchema:
    """Return the JSON Schema of an args class or a builder, as it is published: a new dict."""
    return copy.deepcopy(form_of(args).schema)


@overload
def structure(data: Any, args: type[T]) -> T: ...
@overload
def structure(data: Any, args: ObjectSchema) -> dict[str, Any]: ...
def structure(data: Any, args: type[Any] | ObjectSchema) -> Any:
    """Return the instance of `args` that the JSON value `data` describes; a dict for a builder.

    Raises ValidationError with every fault where `data` does not fit the schema of `args`.
    """
    form = args.__args_form__ if type(args) is ArgsMeta else form_of(args)
    return form.enter(data)


def unstructure(instance: object, args: type[Any] | None = None) -> dict[str, Any]:
    """Return the JSON value of `instance`; absent optional fields without default are left out.

    `args` is the class, where the instance does not tell it: a TypedDict.
    """
    if isinstance(instance, MCPArgs):
        return type(instance).__args_form__.unstructure(instance)
    cls = type(instance) if args is None else args
    if not is_args_class(cls):
        raise TypeError(f"expected an instance of an args class, got {described(instance)}")
    return form_of_class(cls).unstructure(instance)


def compile_structure(args: type[T]) -> Callable[[Any], T]:
    """Return `structure` for `args`, compiled."""
    enter: Callable[[Any], T] = form_of(args).enter
    return enter


def compile_unstructure(args: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Return `unstructure` for the instances of `args`, compiled.

    It raises ValidationError where an instance, which may have been changed since it was made, has
    no JSON that the schema of `args` takes; ValueError or TypeError where a field cannot make JSON
    of what it holds.
    """
    return form_of(args).give


def register_hooks(converter: cattrs.BaseConverter) -> None:
    """Teach a cattrs converter of one's own the args classes, wherever they stand in others."""
    converter.register_structure_hook_func(
        lambda cls: isinstance(cls, ArgsMeta), lambda data, cls: structure(data, cls)
    )
    converter.register_unstructure_hook_func(lambda cls: isinstance(cls, ArgsMeta), unstructure)


def form_of(args: Any) -> Form:
    """Return the form of an args class or a builder; raises TypeError for anything else."""
    if isinstance(args, ArgsMeta | ObjectSchema):
        return args.__args_form__
    if is_args_class(args):
        return form_of_class(args)
    raise TypeError(f"expected an args class or an ObjectSchema, got {args!r}")


def reads_literals(args: type[Any] | ObjectSchema) -> bool:
    """Tell whether `args` has a field that needs numbers as they are written (`read_literal`)."""
    return form_of(args).reads_literals


def aliases_of(args: type[Any] | ObjectSchema) -> Mapping[str, str]:
    """Return each older key that `args` accepts, and the key that it stands for."""
    return form_of(args).spec.aliases
