"""ArgsSpec: what an args class or a builder comes to, frozen.

Built once per class; the schema, the validator and the converters are all made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

import attrs

from ._field import Field
from ._missing import MISSING
from .dialect import JSONSchema
from .errors import Issue, SchemaError, ValidationError, shown
from .rules import BoundRule
from .validation import Compiled, compile_validator

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
        """The attribute's value where the key is left out; MISSING where it must not be."""
        if self.field.has_default:
            return self.field.default
        return MISSING if self.field.required else None

    def accept(self, value: Any) -> Any:
        """Return `value`, set from Python, as the attribute holds it.

        Raises ValidationError where the field rejects it.
        """
        if value is None and self.absent is None:
            return None
        try:
            json = None if value is None else self.field.unstructure(value)
        except (ValueError, TypeError) as error:
            raise ValidationError([self._issue(f"{error}, got {value!r}")]) from None
        issues: list[Issue] = []
        checked = self._compiled(json, issues)
        if not issues and checked is not None and (convert := self.field.converter):
            try:
                checked = convert(checked)
            except (ValueError, ArithmeticError) as error:
                issues.append(self._issue(f"{error}, got {shown(value)}"))
        if issues:
            raise ValidationError(
                [attrs.evolve(issue, path=_joined(self.key, issue.path)) for issue in issues]
            )
        return checked

    @property
    def _compiled(self) -> Compiled:
        text = repr(self.schema)
        compiled = _COMPILED.get(text)
        if compiled is None:
            compiled = _COMPILED[text] = compile_validator(self.schema)
        return compiled

    def _issue(self, message: str) -> Issue:
        return Issue(self.key, message, "type", "")


_COMPILED: dict[str, Compiled] = {}
"""Validators of single fields by the text of their schemas: most classes share them."""


def _joined(key: str, path: str) -> str:
    return key if not path else f"{key}{path}" if path.startswith("[") else f"{key}.{path}"


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


def entry_of(owner: str, attribute: str, field: Field[Any, Any]) -> FieldEntry:
    """Return the entry of `field`; raises SchemaError, naming it, where it is not sound."""
    key = attribute if field.name is None else field.name
    try:
        entry = FieldEntry(attribute, key, field, field.property_schema())
    except (SchemaError, ValueError, TypeError) as error:
        raise SchemaError(f"{owner}.{attribute}: {error}") from error
    if field.has_default:
        try:
            object.__setattr__(field, "default", entry.accept(field.default))
        except ValidationError as error:
            raise SchemaError(
                f"{owner}.{attribute}: the default is rejected by its own field: "
                f"{error.issues[0].message}"
            ) from None
    return entry


def check_keys(owner: str, entries: Iterable[FieldEntry]) -> None:
    """Raise SchemaError where two fields, or a field and an alias, share a key on the wire."""
    taken: dict[str, str] = {}
    headers: dict[str, str] = {}
    for entry in entries:
        for key in (entry.key, *entry.field.aliases):
            if key in taken:
                raise SchemaError(
                    f"{owner}: {taken[key]} and {entry.attribute} both have the key {shown(key)} "
                    "on the wire; give one of them another name="
                )
            taken[key] = entry.attribute
        header = (entry.field.header or "").lower()
        if header and header in headers:
            raise SchemaError(
                f"{owner}: {headers[header]} and {entry.attribute} both have the header "
                f"{shown(header)}"
            )
        headers[header] = entry.attribute
