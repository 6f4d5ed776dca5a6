"""Plan: what is gathered while the schema of a class is made.

The schema itself says nothing of Python. What turns its values into Python values is kept beside
it, by the identity of each schema in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from ._forms import form_of_class
from ._hooks import ConvertHook, Hook

if TYPE_CHECKING:
    from ._field import Field
    from .args import MCPArgs
    from .dialect import JSONSchema


class Plan(msgspec.Struct):
    """The hooks and the shared definitions of one schema in the making.

    `owner` is the class whose fields are being asked for their schemas.
    """

    owner: type[Any]
    recursive: frozenset[type[Any]] = frozenset()
    """The classes that hold themselves, which must be referred to by name."""
    hooks: dict[int, Hook] = msgspec.field(default_factory=dict)
    reads_literals: bool = False
    """Whether some value needs numbers as they are written."""
    definitions: dict[str, JSONSchema] = msgspec.field(default_factory=dict)
    _names: dict[type[Any], str] = msgspec.field(default_factory=dict)

    def convert(self, schema: JSONSchema, converter: Any, words: str | None) -> None:
        """Keep the function for the values of `schema`, and the words for them."""
        self.hooks[id(schema)] = ConvertHook(converter, words)

    def move(self, before: JSONSchema, after: JSONSchema) -> None:
        """Keep for `after` what was kept for `before`, from which it was made."""
        hook = self.hooks.pop(id(before), None)
        if hook is not None:
            self.hooks[id(after)] = hook

    def object_of(self, cls: type[MCPArgs]) -> JSONSchema:
        """Return the schema of an args class within another: itself, or a reference to it."""
        if cls not in self.recursive:
            return form_of_class(cls).object_schema(self)
        name = self._names.get(cls)
        if name is None:
            name = self._names[cls] = self._free_name(cls.__name__)
            self.definitions[name] = {}  # the name is taken while the schema is made
            self.definitions[name] = form_of_class(cls).object_schema(self)
        return {"$ref": f"#/$defs/{name}"}

    def property_of(self, field: Field[Any, Any], owner: type[Any]) -> JSONSchema:
        """Return the schema of a field of `owner`."""
        before, self.owner = self.owner, owner
        try:
            return field.property_schema(self)
        finally:
            self.owner = before

    def _free_name(self, name: str) -> str:
        name = re.sub(r"\W", "_", name)  # the name of a generic class has brackets
        free, count = name, 1
        while free in self.definitions:
            count += 1
            free = f"{name}_{count}"
        return free


def held_recursively(root: Field[Any, Any], owner: type[Any]) -> frozenset[type[Any]]:
    """Return the classes reachable from `root`, a field of `owner`, that hold themselves."""
    edges: dict[type[Any], set[type[Any]]] = {}
    pending = list(_targets([root], owner))
    while pending:
        cls = pending.pop()
        if cls not in edges:
            entries = form_of_class(cls).spec.fields
            edges[cls] = {t for e in entries for t in _targets([e.field], e.owner)}
            pending += edges[cls]
    return frozenset(cls for cls in edges if cls in _reachable(edges, cls))


def _reachable(edges: dict[type[Any], set[type[Any]]], start: type[Any]) -> set[type[Any]]:
    found: set[type[Any]] = set()
    pending = list(edges[start])
    while pending:
        cls = pending.pop()
        if cls not in found:
            found.add(cls)
            pending += edges[cls]
    return found


def _targets(fields: list[Field[Any, Any]], owner: type[Any]) -> Iterator[type[Any]]:
    """Give the classes that `fields` of `owner` hold."""
    for field in fields:
        yield from _targets(list(field.parts), owner)
        target = field.target(owner)
        if target is not None:
            yield target
