"""MCPArgs, the class that is a schema, and its metaclass.

The metaclass gathers the fields and rules of a class body and its bases into an `ArgsSpec`, and
lets attrs make the class. Class bodies have no reserved names: what can be done with a class is
a function of this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform, get_origin, overload

import attrs

from ._field import Field
from ._missing import MISSING
from ._spec import ArgsSpec, Extra, FieldEntry, check_keys, entry_of
from .builder import ObjectSchema
from .conversion import Form, instance_builder, instance_unstructurer
from .errors import Issue, SchemaError, ValidationError, nearest, shown
from .fields import Boolean, Double, Enum, Integer, String
from .rules import FieldRef, Rule, bind

if TYPE_CHECKING:
    from .dialect import JSONSchema

T = TypeVar("T", bound="MCPArgs")


def _attribute(entry: FieldEntry) -> Any:
    default = entry.constructor_default
    if isinstance(default, list | dict):
        default = attrs.Factory(partial(deepcopy, default))
    elif default is MISSING:
        default = attrs.NOTHING
    return attrs.field(default=default, kw_only=True, alias=entry.attribute)


def _finder(
    entries: tuple[FieldEntry, ...],
) -> Callable[[FieldRef], tuple[str, Field[Any, Any]] | None]:
    def find(reference: FieldRef) -> tuple[str, Field[Any, Any]] | None:
        for entry in entries:
            if entry.field is reference or entry.attribute == reference:
                return entry.key, entry.field
        return None

    return find


def _own_docstring(cls: type) -> str | None:
    doc = vars(cls).get("__doc__")
    return inspect.cleandoc(doc) if isinstance(doc, str) and doc.strip() else None


def _check_annotations(cls: type) -> None:
    """Raise SchemaError for an annotation that looks like a field and declares none."""
    if cls.__module__ == __name__:
        return
    for attribute, annotation in inspect.get_annotations(cls).items():
        is_class_var = (
            annotation.lstrip().startswith(("ClassVar", "typing.ClassVar", "t.ClassVar"))
            if isinstance(annotation, str)
            else ClassVar in (annotation, get_origin(annotation))
        )
        value = vars(cls).get(attribute)
        if not is_class_var and not isinstance(value, Field):
            raise SchemaError(
                f"{cls.__name__}.{attribute} is annotated but is no field; "
                f"write {attribute} = String() or the like, or annotate it as a ClassVar"
            )


class ArgsMeta(type):
    """Makes a class from its fields: an attrs class with a spec, a schema and a way in and out."""

    __args_form__: Form
    __args_unstructure__: Callable[[Any], dict[str, Any]] | None

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        extra: Extra | None = None,
        **options: Any,
    ) -> ArgsMeta:
        cls = super().__new__(mcs, name, bases, namespace, **options)
        if extra is None:
            inherited: list[Extra] = [b.__args_form__.spec.extra for b in cls._args_bases()]
            extra = inherited[0] if inherited else "ignore"
        if extra not in ("ignore", "forbid"):
            raise SchemaError(f'{name}: extra must be "ignore" or "forbid", got {shown(extra)}')
        entries = cls._entries()
        check_keys(name, entries)
        spec = ArgsSpec(
            name=name,
            fields=entries,
            extra=extra,
            rules=tuple(bind(rule, name, _finder(entries)) for rule in cls._rules()),
            description=_own_docstring(cls),
        )
        made = attrs.define(
            cls,
            these={e.attribute: _attribute(e) for e in entries},
            slots=False,
            kw_only=True,
            on_setattr=attrs.setters.NO_OP,
        )
        made.__args_form__ = Form(spec, made, instance_builder(made, spec))
        made.__args_unstructure__ = None
        return made

    def __call__(cls, *args: Any, **values: Any) -> Any:
        """Make an instance; raises ValidationError where a field or a rule rejects the values."""
        instance = super().__call__(*args, **values)
        spec = cls.__args_form__.spec
        if spec.rules:
            given = {
                entry.key
                for entry in spec.fields
                if entry.attribute in values and values[entry.attribute] != entry.absent
            }
            broken = [(rule, keys, rule.broken(keys, given)) for rule, keys in spec.rules]
            issues = [Issue("", b, "rule", rule.sentence(keys)) for rule, keys, b in broken if b]
            if issues:
                raise ValidationError(issues)
        return instance

    def _args_bases(cls) -> list[ArgsMeta]:
        return [
            base
            for base in cls.__mro__[1:]
            if isinstance(base, ArgsMeta) and "__args_form__" in vars(base)
        ]

    def _entries(cls) -> tuple[FieldEntry, ...]:
        """Return the fields in the order of the MRO from its far end, overridden ones in place."""
        known = {
            id(entry.field): entry
            for base in cls._args_bases()
            for entry in base.__args_form__.spec.fields
        }
        found: dict[str, FieldEntry] = {}
        for base in reversed(cls.__mro__):
            if base.__module__ != "builtins":
                _check_annotations(base)
            for attribute, value in vars(base).items():
                if isinstance(value, Field):
                    entry = known.get(id(value))
                    if entry is None or entry.attribute != attribute:
                        entry = entry_of(cls, attribute, value)
                    found[attribute] = entry
                elif attribute in found:
                    if value is not None:
                        raise SchemaError(
                            f"{cls.__name__}.{attribute} hides a field of a base class; "
                            "give it another name, or set it to None to remove the field"
                        )
                    del found[attribute]
                elif isinstance(value, type) and issubclass(value, Field):
                    raise SchemaError(
                        f"{cls.__name__}.{attribute} is the class {value.__name__}; "
                        f"write {attribute} = {value.__name__}()"
                    )
        return tuple(found.values())

    def _rules(cls) -> list[Rule]:
        found: dict[str, Rule] = {}
        for base in reversed(cls.__mro__):
            for attribute, value in vars(base).items():
                found.pop(attribute, None)
                if isinstance(value, Rule):
                    found[attribute] = value
        return list(found.values())


class MCPArgs(metaclass=ArgsMeta):
    """A tool's arguments or its result: declare fields, and the class is the schema.

    The constructor takes the fields by keyword. `class A(MCPArgs, extra="forbid")` rejects keys
    that no field has; otherwise they are ignored.
    """

    __args_form__: ClassVar[Form]

    if TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field; raises ValidationError where it rejects the value."""
        entry = type(self).__args_form__.spec.by_attribute.get(name)
        if entry is not None:
            super().__setattr__(name, entry.accept(value))
        elif name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            known = type(self).__args_form__.spec.by_attribute
            close = nearest(name, known)
            hint = f"; did you mean {close}?" if close else ""
            raise AttributeError(f"{type(self).__name__} has no field {name}{hint}")


@dataclass_transform(
    kw_only_default=True, field_specifiers=(Double, Integer, String, Boolean, Enum)
)
class TypedArgs(MCPArgs):
    """MCPArgs whose fields are annotated (`a: float = Double()`), for static type checkers.

    They then check the constructor too; in every other way it is the same.
    """


def schema_of(args: type[MCPArgs] | ObjectSchema) -> JSONSchema:
    """Return the JSON Schema of an args class or a builder, as it is published: a new dict."""
    return deepcopy(form_of(args).schema)


@overload
def structure(data: Any, args: type[T]) -> T: ...
@overload
def structure(data: Any, args: ObjectSchema) -> dict[str, Any]: ...
def structure(data: Any, args: type[MCPArgs] | ObjectSchema) -> Any:
    """Return the instance of `args` that the JSON value `data` describes; a dict for a builder.

    Raises ValidationError with every fault where `data` does not fit the schema of `args`.
    """
    return form_of(args).validation(data)


def unstructure(instance: MCPArgs) -> dict[str, Any]:
    """Return the JSON value of `instance`; absent optional fields without default are left out."""
    cls = type(instance)
    function = vars(cls).get("__args_unstructure__")
    if function is None:
        function = instance_unstructurer(cls, cls.__args_form__.spec)
        type.__setattr__(cls, "__args_unstructure__", function)
    values: dict[str, Any] = function(instance)
    return values


def form_of(args: Any) -> Form:
    """Return the form of an args class or a builder; raises TypeError for anything else."""
    form = getattr(args, "__args_form__", None)
    if not isinstance(form, Form) or isinstance(args, MCPArgs):
        raise TypeError(f"expected an MCPArgs subclass or an ObjectSchema, got {args!r}")
    return form


def aliases_of(args: type[MCPArgs] | ObjectSchema) -> Mapping[str, str]:
    """Return each older key that `args` accepts, and the key that it stands for."""
    return form_of(args).spec.aliases
