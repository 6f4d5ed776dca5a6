"""ArgsSpec: what an args class or a builder comes to, frozen.

Built once per class; the schema, the validator and the converters are all made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ._field import Field
from ._forms import is_args_class
from ._hooks import Hook, ObjectHook
from ._missing import MISSING
from ._plan import Plan, held_recursively
from ._runtime import Report, own
from .dialect import plain
from .errors import Issue, SchemaError, ValidationError, described, nearest, shown
from .rules import BoundRule, broken_rules
from .validation import Validation, compile_validator

Extra: TypeAlias = Literal["ignore", "forbid"]


class FieldEntry(msgspec.Struct, frozen=True, dict=True):
    """A field in its class: the attribute it is, the key it has on the wire.

    `owner` is the class that declares it, where names of classes in the field are looked up.
    """

    attribute: str
    key: str
    field: Field[Any, Any]
    owner: type[Any]

    @property
    def absent(self) -> Any:
        """The attribute's value where the key is left out; MISSING where it must not be."""
        if self.field.has_default:
            return self.field.default
        return MISSING if self.field.required else None

    @property
    def unset(self) -> Any:
        """The attribute's value where the constructor is not given one; MISSING where it must."""
        return self.field.constant if self.absent is MISSING else self.absent

    def own_unset(self) -> Any:
        """Return `unset`, or a copy of it where it can be changed."""
        return own(self.unset)

    def accept(self, value: Any) -> Any:
        """Return `value`, set from Python, as the attribute holds it.

        Raises ValidationError where the field rejects it.
        """
        issues: list[Issue] = []
        held = self.check(value, issues)
        if issues:
            raise ValidationError(issues)
        return held

    def check(self, value: Any, issues: list[Issue]) -> Any:
        """Do the work of `accept`, with the faults added to `issues`."""
        if value is None and self.absent is None:
            return None
        try:
            json = self.field.to_json(value)
        except ValidationError as error:
            issues += error.issues
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            message = f"{error}, got {described(value)}"
            issues.append(Issue(self.key, message, "type", self.validation.words))
        else:
            report = Report()
            held = self.validation.run(json, report, (self.key,))
            issues += report.issues()
            return held if report else kept(value, held)
        return None

    @cached_property
    def validation(self) -> Validation:
        """The check of the field's JSON values, which makes its Python values of them."""
        plan = Plan(self.owner, held_recursively(self.field, self.owner))
        schema = self.field.property_schema(plan)
        if plan.definitions:
            schema["$defs"] = plan.definitions
        hook = plan.hooks.get(id(schema))
        if len(plan.hooks) > (hook is not None) or isinstance(hook, ObjectHook):
            return compile_validator(schema, plan.hooks)
        known = repr(schema), hook
        found = _SHARED.get(known)
        if found is None:
            if len(_SHARED) >= _MAX_SHARED:
                _SHARED.clear()
            found = _SHARED[known] = compile_validator(schema, plan.hooks)
        return found

    @property
    def is_plain(self) -> bool:
        """Whether the attribute has the name of the key, and a scalar of JSON as its value."""
        root = self.validation.document.root
        types = root.get("type") if isinstance(root, dict) else None
        return (
            self.attribute == self.key
            and self.field.into_json is None
            and _SCALARS.issuperset([types] if isinstance(types, str) else types or [None])
        )

    @property
    def is_deferred(self) -> bool:
        """Whether the field's schema can be known only when all classes are."""
        return _is_deferred(self.field)


_SCALARS: Final = frozenset({"string", "number", "integer", "boolean", "null"})

_SHARED: dict[tuple[str, Hook | None], Validation] = {}
"""The checks of fields without others in them, by schema and hook: most classes share them."""

_MAX_SHARED = 1000


def kept(value: Any, structured: Any) -> Any:
    """Return `structured`, made of `value`, with the instances of args classes that `value` holds.

    So what is set is what is read: `order.item = item` makes no copy of the item.
    """
    if value is None or isinstance(value, str | int | float):
        return structured
    if is_args_class(type(value)):
        return value
    if isinstance(structured, list | tuple):
        items = [kept(v, s) for v, s in zip(value, structured, strict=True)]
        return items if isinstance(structured, list) else tuple(items)
    if isinstance(structured, dict) and isinstance(value, Mapping):
        return {key: kept(value[key], item) for key, item in structured.items()}
    return structured


def _is_deferred(field: Field[Any, Any]) -> bool:
    return field.is_deferred or any(map(_is_deferred, field.parts))


class ArgsSpec(msgspec.Struct, frozen=True, dict=True):
    """The fields of a class in order, and what holds for them together."""

    name: str
    fields: tuple[FieldEntry, ...]
    extra: Extra = "ignore"
    rules: tuple[BoundRule, ...] = ()
    description: str | None = None

    @cached_property
    def by_attribute(self) -> Mapping[str, FieldEntry]:
        return {entry.attribute: entry for entry in self.fields}

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Each accepted older key, and the key it stands for."""
        return {alias: entry.key for entry in self.fields for alias in entry.field.aliases}

    def held(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what an instance holds that is made from `values` by attribute.

        Raises TypeError where a name is missing or unknown, ValidationError with every fault where
        a field or a rule rejects the values.
        """
        if not values.keys() <= self.by_attribute.keys():
            unknown = next(name for name in values if name not in self.by_attribute)
            raise TypeError(no_field(self, unknown))
        values = {name: value for name, value in values.items() if value is not MISSING}
        issues: list[Issue] = []
        held: dict[str, Any] = {}
        missing: list[str] = []
        for entry in self.fields:
            attribute = entry.attribute
            if attribute in values:
                held[attribute] = entry.check(values[attribute], issues)
            else:
                held[attribute] = absent = entry.own_unset()
                if absent is MISSING:
                    missing.append(attribute)
        if missing:
            raise TypeError(f"{self.name}() needs {', '.join(missing)}")
        if self.rules:
            by_key = {e.key: values.get(e.attribute) for e in self.fields}
            issues += broken_rules(self.rules, by_key)
        if issues:
            raise ValidationError(issues)
        return held


def no_field(spec: ArgsSpec, attribute: str) -> str:
    """Return the message for an attribute that is no field of a class."""
    close = nearest(attribute, spec.by_attribute)
    hint = f"; did you mean {close}?" if close else ""
    return f"{spec.name} has no field {attribute}{hint}"


def check_extra(owner: str, extra: Any) -> Extra:
    """Return `extra`; raises SchemaError where it says nothing about unknown keys."""
    if extra in ("ignore", "forbid"):
        answer: Extra = extra
        return answer
    raise SchemaError(f'{owner}: extra must be "ignore" or "forbid", got {shown(extra)}')


def entry_of(owner: type[Any], attribute: str, field: Field[Any, Any]) -> FieldEntry:
    """Return the entry of `field`; raises SchemaError, naming it, where it is not sound."""
    name = f"{owner.__name__}.{attribute}"
    try:
        key = _key(attribute if field.name is None else field.name)
        for alias in field.aliases:
            _key(alias)
        entry = FieldEntry(attribute, key, field, owner)
    except SchemaError as error:
        raise SchemaError(f"{name}: {error}") from error
    if not entry.is_deferred:
        settle(entry)
    return entry


def settle(entry: FieldEntry) -> None:
    """Check the schema of a field with its default and its examples, once.

    Raises SchemaError, naming the field, where it is not sound.
    """
    field, name = entry.field, f"{entry.owner.__name__}.{entry.attribute}"
    if field.is_settled:
        return
    field.is_settled = entry.is_deferred  # before the rest, which may come here again
    try:
        if field.has_default:
            field.to_json(field.default)
    except (ValueError, TypeError, AttributeError) as error:
        message = f"{error}, got {described(field.default)}"
        raise SchemaError(f"{name}: the default is rejected by its own field: {message}") from error
    try:
        validation = entry.validation
    except (SchemaError, ValueError, TypeError, AttributeError) as error:
        raise SchemaError(f"{name}: {error}") from error
    if field.has_default:
        try:
            field.default = own(entry.accept(field.default))
        except ValidationError as error:
            raise SchemaError(
                f"{name}: the default is rejected by its own field: {error.issues[0].message}"
            ) from None
    for example in validation.examples:
        report = Report()
        validation.run(example, report)
        if report:
            raise SchemaError(
                f"{name}: an example is rejected by its own field: {report.issues()[0].message}"
            )


def _key(name: Any) -> str:
    """Return `name` as a plain string; raises SchemaError where it can be no key of JSON."""
    if not isinstance(name, str):
        raise SchemaError(f"a key must be a string, got {name!r}")
    key: str = plain(name)
    return key


def check_keys(owner: str, entries: Iterable[FieldEntry]) -> None:
    """Raise SchemaError where two fields, or a field and an alias, share a key on the wire."""
    taken: dict[str, str] = {}
    headers: dict[str, str] = {}
    for entry in entries:
        for key in (entry.key, *entry.field.aliases):
            if taken.get(key) == entry.attribute:
                raise SchemaError(f"{owner}.{entry.attribute} has the key {shown(key)} twice")
            if key in taken:
                raise SchemaError(
                    f"{owner}: {taken[key]} and {entry.attribute} both have the key {shown(key)} "
                    "on the wire; give one of them another name="
                )
            taken[key] = entry.attribute
        header = (entry.field.header or "").lower()
        if header in headers:
            raise SchemaError(
                f"{owner}: {headers[header]} and {entry.attribute} both have the header "
                f"{shown(entry.field.header)}"
            )
        if header:
            headers[header] = entry.attribute
