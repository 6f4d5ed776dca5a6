"""Rules over several fields, declared in a class body under any name.

Each is enforced, and put into words in the published description; never published as a
combinator at the schema's root, which clients refuse.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, TypeAlias

from ._field import Field
from .errors import Issue, SchemaError, shown

FieldRef: TypeAlias = Field[Any, Any] | str
"""A field of the same class body, or an attribute's name."""


class Rule(abc.ABC):
    """A rule over the fields that a value gives; `fields` are the ones it speaks of.

    A subclass says in words what it wants (`sentence`), and of the keys that are given what is
    wrong with them (`broken`). Keys are those on the wire.
    """

    least: ClassVar[int] = 2
    """The fewest fields that the rule makes sense for."""

    optional: ClassVar[slice] = slice(None)
    """Which of the fields must be optional for the rule to make sense."""

    def __init__(self, *fields: FieldRef) -> None:
        if len(fields) < self.least:
            raise SchemaError(f"{type(self).__name__} takes at least {self.least} fields")
        self.fields = fields

    @abc.abstractmethod
    def sentence(self, keys: Sequence[str]) -> str:
        """Return the rule in words, for the published description."""

    @abc.abstractmethod
    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        """Return what was expected and what was given, or None where the rule holds."""


class ExactlyOneOf(Rule):
    """Exactly one of the fields is given."""

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Give exactly one of {listed(keys)}."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        present = [key for key in keys if key in given]
        if len(present) == 1:
            return None
        return f"expected exactly one of {listed(keys)}, got {listed(present) or 'none'}"


class AtLeastOneOf(Rule):
    """At least one of the fields is given."""

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Give at least one of {listed(keys)}."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        if any(key in given for key in keys):
            return None
        return f"expected at least one of {listed(keys)}, got none"


class AtMostOneOf(Rule):
    """At most one of the fields is given."""

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Give at most one of {listed(keys)}."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        present = [key for key in keys if key in given]
        if len(present) <= 1:
            return None
        return f"expected at most one of {listed(keys)}, got {listed(present)}"


class AllOrNone(Rule):
    """The fields are given together or not at all."""

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Give {listed(keys)} together or not at all."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        present = [key for key in keys if key in given]
        if len(present) in (0, len(keys)):
            return None
        absent = [key for key in keys if key not in given]
        return f"expected {listed(keys)} together or not at all, got no {listed(absent)}"


class Requires(Rule):
    """Where the first field is given, the others are too."""

    optional = slice(0, 1)

    def sentence(self, keys: Sequence[str]) -> str:
        return f"Where {keys[0]} is given, give {listed(keys[1:])} too."

    def broken(self, keys: Sequence[str], given: AbstractSet[str]) -> str | None:
        absent = [key for key in keys[1:] if key not in given]
        if keys[0] not in given or not absent:
            return None
        return f"expected {listed(absent)} beside {keys[0]}, got none"


BoundRule: TypeAlias = tuple[Rule, tuple[str, ...]]
"""A rule, and the wire keys of its fields."""


def broken_rules(rules: Iterable[BoundRule], values: Mapping[str, Any]) -> list[Issue]:
    """Return the faults of the rules that `values`, by key, break; a null counts as not given."""
    issues: list[Issue] = []
    for rule, keys in rules:
        broken = rule.broken(keys, {key for key in keys if values.get(key) is not None})
        if broken is not None:
            issues.append(Issue("", broken, "rule", rule.sentence(keys)))
    return issues


def bind(
    rule: Rule, owner: str, key_of: Callable[[FieldRef], tuple[str, Field[Any, Any]] | None]
) -> BoundRule:
    """Return `rule` with its fields' keys; raises SchemaError where it cannot hold or be broken."""
    name = type(rule).__name__
    found: list[tuple[str, Field[Any, Any]]] = []
    for reference in rule.fields:
        entry = key_of(reference)
        if entry is None:
            if isinstance(reference, str):
                what, hint = shown(reference), ""
            else:
                what = reference.attribute or repr(reference)
                hint = "; a class that removes the field sets the rule's name to None too"
            raise SchemaError(f"{owner}: {name} names {what}, which is no field of the class{hint}")
        found.append(entry)
    keys = tuple(key for key, _ in found)
    if len(set(keys)) != len(keys):
        raise SchemaError(f"{owner}: {name} names a field twice")
    for key, field in found[rule.optional]:
        if field.required:
            raise SchemaError(
                f"{owner}: {name} speaks of {key}, which is always given; "
                "declare it with required=False"
            )
    for key, field in found:
        if field.has_default and field.default is not None:
            raise SchemaError(
                f"{owner}: {name} speaks of {key}, which has a default and so is always given; "
                "declare it with required=False"
            )
    return rule, keys


def listed(names: Sequence[str]) -> str:
    """Return the names as a list in words."""
    return ", ".join(names)
