"""JSON values to instances and back; the only module that imports cattrs.

Inwards, the compiled validator checks and converts in one pass, and the instance is built from
what comes out without a second check. Outwards, cattrs writes the function of each class that
holds what is not JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, TypeAlias

import attrs
import msgspec
from attrs import NOTHING
from msgspec import UNSET

from ._hooks import ObjectHook
from ._missing import MISSING
from ._plan import Plan, held_recursively
from ._runtime import Path, Report, rule_broken
from ._source import Reading, compile_reading
from ._spec import ArgsSpec, FieldEntry, settle
from .dialect import JSONSchema
from .rules import BoundRule, broken_rules
from .schema import object_schema
from .validation import Validation, compile_validator

Build: TypeAlias = Callable[[dict[str, Any]], Any]


class Form(msgspec.Struct, frozen=True, dict=True):
    """A spec put to work: its published schema, and the way in that enforces it.

    The checked and converted values become an instance of `owner`, or go by name to `build`, which
    makes one. Where `is_dict` they are the result, without what was left out and has no default.
    """

    spec: ArgsSpec
    owner: type[Any]
    is_dict: bool = False
    build: Build | None = None

    @property
    def schema(self) -> JSONSchema:
        """The JSON Schema as it is published."""
        return self._planned[0]

    @property
    def reads_literals(self) -> bool:
        """Whether some field needs numbers as they are written."""
        return self._planned[1].reads_literals

    @cached_property
    def validation(self) -> Validation:
        """The check of JSON values, which makes the results of them."""
        schema, plan = self._planned
        return compile_validator(schema, plan.hooks)

    @cached_property
    def unstructure(self) -> Callable[[Any], dict[str, Any]]:
        """The function that makes JSON of an instance."""
        if self.build:
            return foreign_unstructurer(self.owner, self.spec)
        if all(entry.field.into_json is None for entry in self.spec.fields):
            return compile_reading(self._reading)
        return instance_unstructurer(self.owner, self.spec)

    @cached_property
    def give(self) -> Callable[[Any], dict[str, Any]]:
        """The way out: from an instance to JSON that its schema takes, or ValidationError."""
        return self.validation.checked(self.unstructure if self.build else self._reading)

    @property
    def _reading(self) -> Reading:
        return [(e.key, e.attribute, e.absent is None, e.field.into_json) for e in self.spec.fields]

    @cached_property
    def only_holds(self) -> bool:
        """Whether a new instance does no more than to hold values which are JSON."""
        owner: Any = self.owner
        is_own = owner.__new__ is not object.__new__ or hasattr(owner, "__attrs_post_init__")
        return not is_own and all(entry.is_plain for entry in self.spec.fields)

    def init(self) -> Callable[..., None]:
        """Return the `__init__` of a class that only holds values, compiled.

        It leaves to the next one what it does not take, and other classes.
        """
        return self.validation.init(self.owner, self.spec.by_attribute)

    @cached_property
    def enter(self) -> Callable[[Any], Any]:
        """The way in, compiled: from JSON to the result, or ValidationError."""
        return self.validation.enter

    def object_schema(self, plan: Plan) -> JSONSchema:
        """Return the schema of the spec within the one that `plan` is for."""
        spec = self.spec
        for entry in spec.fields:
            if entry.is_deferred:
                settle(entry)
        schema = object_schema(spec, plan)
        defaults = {
            e.key: e.absent
            for e in spec.fields
            if e.absent is not MISSING and (e.field.has_default or not self.is_dict)
        }
        plan.hooks[id(schema)] = ObjectHook(
            # A class of another kind has its own defaults.
            defaults={} if self.build else defaults,
            aliases=spec.aliases,
            rules=_rule_hook(spec.rules) if spec.rules else None,
            names={e.key: e.key if self.is_dict else e.attribute for e in spec.fields},
            cls=None if self.is_dict or self.build else self.owner,
            after=getattr(self.owner, "__attrs_post_init__", None),
            build=self.build,
        )
        return schema

    @cached_property
    def _planned(self) -> tuple[JSONSchema, Plan]:
        plan = Plan(self.owner, self._recursive())
        schema = self.object_schema(plan)
        if plan.definitions:
            schema["$defs"] = plan.definitions
        return schema, plan

    def _recursive(self) -> frozenset[type[Any]]:
        found = [held_recursively(entry.field, entry.owner) for entry in self.spec.fields]
        return frozenset().union(*found)


def instance_unstructurer(cls: type, spec: ArgsSpec) -> Callable[[Any], dict[str, Any]]:
    """Return the function, written by cattrs, that makes JSON of what an instance of `cls` holds.

    A field that is absent, and optional without a default, is left out.
    """
    from cattrs import Converter  # on first use: most servers start without it
    from cattrs.fns import identity  # which costs no call
    from cattrs.gen import make_dict_unstructure_fn_from_attrs, override

    def described(entry: FieldEntry) -> Any:
        omitted = entry.absent is None
        hook = entry.field.into_json or identity
        how = override(rename=entry.key, omit_if_default=omitted, unstruct_hook=hook)
        attribute = attributes[entry.attribute]
        return attribute.evolve(type=Annotated[Any, how], default=None if omitted else NOTHING)

    attributes = {attribute.name: attribute for attribute in attrs.fields(cls)}
    function: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn_from_attrs(
        [described(entry) for entry in spec.fields], cls, Converter(), _cattrs_use_linecache=False
    )
    return function


def foreign_unstructurer(cls: type, spec: ArgsSpec) -> Callable[[Any], dict[str, Any]]:
    """Return the function that makes the JSON of an instance of a class of another kind."""
    read: Callable[[Any, str, Any], Any] = dict.get if issubclass(cls, dict) else getattr

    def unstructure(instance: Any) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for entry in spec.fields:
            # What tells a class from others need not be an attribute of it.
            value = read(instance, entry.attribute, entry.field.constant)
            if (
                value is not MISSING
                and value is not UNSET
                and not (value is None and entry.absent is None)
            ):
                result[entry.key] = entry.field.to_json(value)
        return result

    return unstructure


def _rule_hook(rules: tuple[BoundRule, ...]) -> Callable[[Mapping[str, Any], Path, Report], None]:
    def check_rules(value: Mapping[str, Any], path: Path, report: Report) -> None:
        for issue in broken_rules(rules, value):
            report.append((rule_broken, path, issue))

    return check_rules
