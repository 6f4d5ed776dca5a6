"""ArgsSpec: what an args class or a builder comes to, frozen.

Built once per class; the schema, the validator and the converters are all made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

import attrs

from ._compiler import Compiled, Hooks, compile_validator, type_words
from ._field import Field
from ._missing import MISSING
from ._runtime import own
from .dialect import JSONSchema, plain
from .errors import Issue, SchemaError, ValidationError, described, nearest, shown
from .rules import BoundRule, broken_rules

Extra: TypeAlias = Literal["ignore", "forbid"]


@attrs.frozen
class FieldEntry:
    """A field in its class: the attribute it is, the key it has on the wire."""

    attribute: str
    key: str
    field: Field[Any, Any]
    schema: JSONSchema = attrs.field(repr=False)

    @property
    def absent(self) -> Any:
        """The attribute's value where the key is left out; MISSING where it must not be.

        It is the field's own; an instance holds `own_absent`.
        """
        if self.field.has_default:
            return self.field.default
        return MISSING if self.field.required else None

    def own_absent(self) -> Any:
        """Return `absent`, or a copy of it where it can be changed."""
        return own(self.absent)

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
            json = None if value is None else self.field.unstructure(value)
        except (ValueError, TypeError, AttributeError, ArithmeticError) as error:
            expected = type_words(self.schema)
            issues.append(Issue(self.key, f"{error}, got {described(value)}", "type", expected))
            return None
        return self._compiled({self.key: json}, issues)

    @cached_property
    def _compiled(self) -> Compiled:
        """The function that checks and converts the field alone, in an object of its own."""
        key, convert = self.key, self.field.from_json
        alone = {"type": "object", "properties": {key: self.schema}, "required": [key]}
        hooks = Hooks({} if convert is None else {key: convert}, build=lambda held: held[key])
        return compile_validator(alone, hooks)


@attrs.frozen
class ArgsSpec:
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
        issues: list[Issue] = []
        held: dict[str, Any] = {}
        missing: list[str] = []
        for entry in self.fields:
            attribute = entry.attribute
            if attribute in values:
                held[attribute] = entry.check(values[attribute], issues)
            else:
                held[attribute] = absent = entry.own_absent()
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


def entry_of(owner: str, attribute: str, field: Field[Any, Any]) -> FieldEntry:
    """Return the entry of `field`; raises SchemaError, naming it, where it is not sound."""
    try:
        key = _key(attribute if field.name is None else field.name)
        for alias in field.aliases:
            _key(alias)
        entry = FieldEntry(attribute, key, field, field.property_schema())
    except (SchemaError, ValueError, TypeError, AttributeError) as error:
        raise SchemaError(f"{owner}.{attribute}: {error}") from error
    if field.has_default:
        try:
            field.default = own(entry.accept(field.default))
        except ValidationError as error:
            raise SchemaError(
                f"{owner}.{attribute}: the default is rejected by its own field: "
                f"{error.issues[0].message}"
            ) from None
    for example in entry.schema.get("examples", ()):
        issues: list[Issue] = []
        entry._compiled({key: example}, issues)
        if issues:
            raise SchemaError(
                f"{owner}.{attribute}: an example is rejected by its own field: {issues[0].message}"
            )
    return entry


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
