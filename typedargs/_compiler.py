"""The functions that are made of a document: one that reports, or one to enter by.

What they check, `_emit` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from ._emit import Emitter
from ._runtime import Check, Fault
from .dialect import JSONSchema


class Compiler(Emitter):
    """Writes the function for a schema, and one for each schema that it calls."""

    def compile(self, schema: JSONSchema | bool | None = None) -> Check:
        """Return the function for the whole document, or for a schema in it."""
        root = self.function(self.document.root if schema is None else schema)
        self.functions()
        check: Check = self.made_function(root)
        return check

    def compile_entry(
        self, refused: Callable[[Sequence[Fault], Any], Any], names: AbstractSet[str] | None = None
    ) -> Callable[[Any], Any]:
        """Return the function from a value to what the document makes of it.

        Of a faulty value it returns what `refused` does, which takes the faults and the value; with
        `names`, None of an object whose keys are others.
        """
        refused_ = self.bind(refused, "refused")
        self.add(0, "def enter(given):")
        if names is not None:
            others = f"not given.keys() <= {self.bind(names, 'names')}"
            root = self.document.root
            if isinstance(root, dict) and names == set(root.get("required", ())):
                others = f"len(given) != {len(names)}"  # so that one too many is one missing
            self.add(1, f"if {others}: return None")
        opening = len(self.lines)
        self.add(1, "")
        self.add(1, "try:")
        self.value(self.document.root, "v", (), 2)
        self.add(1, "except GIVEN_UP as error:")
        self.add(2, "report.append((given_up, path, expected_instead(error)))")
        self.add(1, f"return {refused_}(report, given) if report else v")
        # Only what calls functions counts steps, for which a list is not enough.
        report = "Report()" if self.pending else "[]"
        self.lines[opening] += f"v, report, path = given, {report}, ()"
        self.functions()
        entry: Callable[[Any], Any] = self.made_function("enter")
        return entry

    def functions(self) -> None:
        """Write the functions that are called and not written yet."""
        while self.pending:
            name, schema = self.pending.pop()
            self.add(0, f"def {name}(v, report, path):")
            self.value(schema, "v", (), 1)
            self.add(1, "return v")
