"""The source of a compiled validator as it grows: its lines, and what has a name in it.

No keyword is known here; `_emit` writes what each of them checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from . import _runtime
from ._missing import MISSING
from .dialect import JSONSchema, Keyword

Steps: TypeAlias = tuple[str, ...]
"""The steps from the root of a function to a value in it, each as source text."""

Reading: TypeAlias = Sequence[tuple[str, str, bool, Callable[[Any], Any] | None]]
"""How JSON is read from an instance: the key and the attribute of each value, whether None is left
out, and what is to be called with it."""

IS_FLOAT: Final = "type({v}) is float and {v} - {v} == 0.0"
IS_OTHER_NUMBER: Final = "type({v}) is int or is_number({v})"
"""The tests that the variable `v` is a finite float, and that it is another number.

The difference of what is not finite and itself is NaN.
"""

IS_TYPE: Final[Mapping[str, str]] = {
    "null": "{v} is None",
    "boolean": "({v} is True or {v} is False)",
    "integer": "(type({v}) is int or is_integer({v}))",
    "number": f"({IS_FLOAT} or {IS_OTHER_NUMBER})",
    "string": "(type({v}) is str or isinstance({v}, str))",
    "array": "isinstance({v}, list)",
    "object": "isinstance({v}, dict)",
}
"""For each type, the test that the variable `v` is of it."""

_GROUP_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "number": frozenset({"integer", "number"}),
    "string": frozenset({"string"}),
    "array": frozenset({"array"}),
    "object": frozenset({"object"}),
}

_RUNTIME: Final = {
    name: getattr(_runtime, name)
    for name in (
        "GIVEN_UP",
        "Report",
        "all_different",
        "any_of",
        "as_integer",
        "bounds",
        "count_valid",
        "dependency",
        "expected_instead",
        "given_up",
        "given_twice",
        "is_integer",
        "is_multiple",
        "is_number",
        "merged",
        "json_equal",
        "json_member",
        "misfit",
        "missing",
        "no_member",
        "null_for_optional",
        "one_of",
        "own",
        "satisfies",
        "unbuildable",
        "unconvertible",
        "unknown",
        "unknown_key",
    )
}


class Source:
    """Collects the lines of one function for a schema, and of one for each schema it calls."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "MISSING": MISSING,
            **_RUNTIME,
        }
        self.pending: list[tuple[str, JSONSchema | bool]] = []
        """The functions that are called and not written yet, each with its schema."""
        self._functions: dict[int, str] = {}
        self._given = 0

    def function(self, schema: JSONSchema | bool) -> str:
        """Return the name of the function for `schema`, which is written when its turn comes."""
        key = id(schema) if isinstance(schema, dict) else hash(schema)
        name = self._functions.get(key)
        if name is None:
            name = self._functions[key] = f"check_{len(self._functions)}"
            self.pending.append((name, schema))
        return name

    def bind(self, value: object, prefix: str = "k") -> str:
        """Return the source text for `value`: its literal where that is exact, else a name."""
        if value is None or type(value) in (bool, str):
            return repr(value)
        if type(value) is int and abs(value) < 2**63:
            return repr(value)
        name = self.fresh(prefix)
        self.names[name] = value
        return name

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def fresh(self, prefix: str) -> str:
        """Return a name that nothing has yet."""
        self._given += 1
        return f"{prefix}_{self._given}"

    def report(self, depth: int, make: str, path: Steps, *arguments: str) -> None:
        self.add(depth, f"report += (({', '.join((make, path_source(path), *arguments))}),)")

    def reading(self, how: Reading) -> None:
        """Add the lines that make `given` of `instance`."""
        always: list[str] = []
        optional: list[str] = []
        for key, attribute, left_out, into_json in how:
            held = (
                f"instance.{attribute}"
                if attribute.isascii()  # else source text is another name, in its normal form
                else f"getattr(instance, {attribute!r})"
            )
            value = held if into_json is None else f"{self.bind(into_json, 'json_of')}({held})"
            if left_out:
                optional.append(f"if {held} is not None: given[{key!r}] = {value}")
            else:
                always.append(f"{key!r}: {value}")
        self.add(1, f"given = {{{', '.join(always)}}}")
        for line in optional:
            self.add(1, line)

    def made_function(self, name: str) -> Any:
        """Return the function `name` of the source, which is its docstring."""
        source = "\n".join(self.lines)
        namespace = dict(self.names)
        exec(compile(source, "<typedargs validator>", "exec"), namespace)
        function = namespace[name]
        function.__doc__ = source
        return function


def compile_reading(how: Reading) -> Callable[[Any], dict[str, Any]]:
    """Return the function that reads JSON from an instance."""
    source = Source()
    source.add(0, "def read(instance):")
    source.reading(how)
    source.add(1, "return given")
    read: Callable[[Any], dict[str, Any]] = source.made_function("read")
    return read


def path_source(steps: Steps) -> str:
    """Return the path to a value in a function, which itself stands at `path`."""
    return f"(*path, {', '.join(steps)})" if steps else "path"


def applies(row: Keyword, types: frozenset[str]) -> bool:
    """Tell whether a row speaks of values of some of `types`."""
    return row.group == "any" or bool(types & _GROUP_TYPES[row.group])


def guard_of(row: Keyword, types: frozenset[str], v: str) -> str:
    """Return the test that `v` is a value the row speaks of, where its type leaves that open."""
    if row.group == "any" or (types and types <= _GROUP_TYPES[row.group]):
        return ""
    return IS_TYPE[row.group].format(v=v)
