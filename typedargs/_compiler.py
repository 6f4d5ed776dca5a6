"""The functions that are made of a document: one that reports, or one to enter by.

What they check, `_emit` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from ._emit import Emitter
from ._runtime import Check, Fault
from ._source import Reading
from .dialect import JSONSchema

Refused: TypeAlias = Callable[[Sequence[Fault], Any], Any]


class Compiler(Emitter):
    """Writes the function for a schema, and one for each schema that it calls."""

    def compile(self, schema: JSONSchema | bool | None = None) -> Check:
        """Return the function for the whole document, or for a schema in it."""
        root = self.function(self.document.root if schema is None else schema)
        self.functions()
        check: Check = self.made_function(root)
        return check

    def compile_entry(self, refused: Refused) -> Callable[[Any], Any]:
        """Return the function from a value to what the document makes of it.

        Of a faulty value it returns what `refused` does, which takes the faults and the value.
        """
        self.add(0, "def enter(given):")
        return self._entry(f"{self.bind(refused, 'refused')}(report, given)", "v")

    def compile_check(
        self, of: Callable[[Any], Any] | Reading, refused: Refused
    ) -> Callable[[Any], Any]:
        """Return the function that gives what `of` makes of an instance, if the document takes it.

        `of` is a function, or how to read the instance.
        """
        self.add(0, "def enter(instance):")
        if is_called := callable(of):
            self.add(1, f"given = {self.bind(of, 'of')}(instance)")
        else:
            self.reading(of)
        left = f"{self.bind(refused, 'refused')}(report, given)"
        return self._entry(left, "given", is_dict=not is_called)

    def compile_init(self, cls: type[Any], names: AbstractSet[str]) -> Callable[..., None]:
        """Return an `__init__` for `cls`, whose values have these names.

        It leaves to the next one values that are faulty, or have other names, and subclasses too.
        """
        root = self.document.root
        others = f"not given.keys() <= {self.bind(names, 'names')}"
        if isinstance(root, dict) and names == set(root.get("required", ())):
            others = f"len(given) != {len(names)}"  # so that one too many is one missing
        own = self.bind(cls, "cls")
        left = f"super({own}, self).__init__(**given)"
        self.instance = "self"
        self.add(0, "def enter(self, /, **given):")
        self.add(1, f"if type(self) is not {own} or {others}: return {left}")
        return self._entry(left, "None", is_dict=True)

    def _entry(self, refused: str, result: str, *, is_dict: bool = False) -> Callable[..., Any]:
        """Write the rest of a function to enter by, and return it."""
        opening = len(self.lines)
        self.add(1, "")
        self.add(1, "try:")
        self.value(self.document.root, "v", (), 2, is_dict=is_dict)
        self.add(1, "except GIVEN_UP as error:")
        self.report(2, "given_up", (), "expected_instead(error)")
        self.add(1, f"return {refused} if report else {result}")
        # Only what calls functions counts steps; what shares its report with nothing needs no list.
        report = "Report()" if self.pending else "[]" if self.shares_report else "()"
        self.lines[opening] += f"v, report, path = given, {report}, ()"
        self.functions()
        entry: Callable[..., Any] = self.made_function("enter")
        return entry

    def functions(self) -> None:
        """Write the functions that are called and not written yet."""
        while self.pending:
            name, schema = self.pending.pop()
            self.add(0, f"def {name}(v, report, path):")
            self.value(schema, "v", (), 1)
            self.add(1, "return v")
