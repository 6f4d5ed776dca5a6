"""JSON values to instances and back.

Inwards, the compiled validator checks and converts in one pass, and the instance is built from
what comes out without a second check. Outwards, each value goes through its field.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, TypeAlias

import attrs

from ._compiler import Compiled, Hooks, compile_validator
from ._missing import MISSING
from ._spec import ArgsSpec
from .dialect import JSONSchema
from .rules import broken_rules
from .schema import object_schema
from .validation import check

Build: TypeAlias = Callable[[dict[str, Any]], Any]


@attrs.frozen
class Form:
    """A spec put to work: its published schema, and the way in that enforces it.

    `build` makes the result from the checked and converted values by key; where it is None, they
    are the result, without the keys that were left out and have no default.
    """

    spec: ArgsSpec
    build: Build | None

    @cached_property
    def schema(self) -> JSONSchema:
        """The JSON Schema as it is published."""
        return object_schema(self.spec)

    @cached_property
    def compiled(self) -> Compiled:
        """The function that checks, converts and builds."""
        spec = self.spec
        convert = {e.key: c for e in spec.fields if (c := e.field.from_json) is not None}
        defaults = {
            e.key: e.absent
            for e in spec.fields
            if e.absent is not MISSING and (self.build or e.field.has_default)
        }
        rules = partial(broken_rules, spec.rules) if spec.rules else None
        hooks = Hooks(convert, defaults, spec.aliases, rules, self.build or dict)
        return compile_validator(self.schema, hooks)

    @cached_property
    def unstructure(self) -> Callable[[Any], dict[str, Any]]:
        """The function that makes JSON of an instance."""
        return instance_unstructurer(self.spec)

    def structure(self, data: Any) -> Any:
        """Return what `build` makes of `data`; raises ValidationError where it does not fit."""
        return check(self.compiled, self.schema, data, self.spec.aliases)


def instance_builder(cls: type, spec: ArgsSpec) -> Build:
    """Return the function that makes an instance of `cls` from values by key.

    It fills the instance's dict as the constructor would, without checking again.
    """
    new: Any = cls.__new__
    attributes = {entry.key: entry.attribute for entry in spec.fields}
    after: Callable[[Any], None] | None = getattr(cls, "__attrs_post_init__", None)
    renamed = any(key != attribute for key, attribute in attributes.items())

    def build(values: dict[str, Any]) -> Any:
        instance = new(cls)
        if renamed:
            values = {attributes[key]: value for key, value in values.items()}
        instance.__dict__.update(values)
        if after is not None:
            after(instance)
        return instance

    return build


def instance_unstructurer(spec: ArgsSpec) -> Callable[[Any], dict[str, Any]]:
    """Return the function that makes the JSON of an instance of the class of `spec`.

    A field that is absent, and optional without a default, is left out.
    """
    rows = [
        (entry.attribute, entry.key, entry.field.to_json, entry.absent is None)
        for entry in spec.fields
    ]

    def unstructure(instance: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for attribute, key, to_json, is_omitted in rows:
            value = getattr(instance, attribute)
            if value is not None:
                values[key] = value if to_json is None else to_json(value)
            elif not is_omitted:
                values[key] = None
        return values

    return unstructure
