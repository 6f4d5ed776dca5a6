"""The source of a compiled validator, written from a schema and the table of the dialect.

One method for each group of keywords; each adds lines that check the variable `v`, which stands at
`path` in the value, and may set `v` to what the check makes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from . import _runtime
from ._changes import Changes
from ._hooks import ObjectHook
from ._missing import MISSING
from ._source import (
    IS_FLOAT,
    IS_OTHER_NUMBER,
    IS_TYPE,
    Source,
    Steps,
    applies,
    guard_of,
    path_source,
)
from ._words import Words
from .dialect import IN_PLACE, KEYWORDS, Document, JSONSchema, types_of

if TYPE_CHECKING:
    from ._hooks import Hooks

_MAX_DEPTH: Final = 30
"""Indentation beyond which a schema gets a function of its own; Python allows 100."""


class Emitter(Source):
    """Adds the lines that check a value, of any schema in a document."""

    def __init__(
        self,
        document: Document,
        hooks: Hooks,
        defaults: Mapping[int, Any] | None = None,
        *,
        makes: bool = True,
    ) -> None:
        super().__init__()
        self.document = document
        self.hooks = hooks
        self.defaults = defaults or {}
        self.words = Words(document, hooks)
        self.makes = makes
        """Whether anything is made of a value, or it is checked only."""
        self.changes: Callable[[JSONSchema | bool], bool] = (
            Changes(document, hooks) if makes else lambda _: False
        )
        self.shares_report = False
        """Whether something else adds to the report."""
        self.instance: str | None = None
        """What is to be filled with the values of the one class there is, where it is there."""

    def value(
        self,
        schema: JSONSchema | bool,
        v: str,
        path: Steps,
        depth: int,
        *,
        optional: bool = False,
        is_dict: bool = False,
    ) -> None:
        """Add the checks of `schema`.

        `optional` tells that a property may be left out, `is_dict` that the value is surely a dict.
        """
        start = len(self.lines)
        if schema is False:
            self.report(depth, "misfit", path, "'false'", "'no value'", v)
        elif isinstance(schema, dict) and depth > _MAX_DEPTH:
            self.add(depth, f"{v} = {self.function(schema)}({v}, report, {path_source(path)})")
        elif isinstance(schema, dict):
            types = types_of(schema)
            tests = [IS_TYPE[name].format(v=v) for name in sorted(types)]
            if self._stays_as_float(schema, types):
                self.add(depth, f"if not ({IS_FLOAT.format(v=v)}):")
                depth += 1
                tests = [f"({IS_OTHER_NUMBER.format(v=v)})"]
            is_dict = is_dict and types == {"object"}
            is_tested = bool(types) and not is_dict
            if is_tested:
                self.type_test(schema, types, tests, v, path, depth, optional)
                self.add(depth, "else:")
            before = len(self.lines)
            self.body(schema, types, v, path, depth + is_tested, is_dict)
            if is_tested and len(self.lines) == before:
                self.lines.pop()  # the `else:` that nothing follows
        if len(self.lines) == start:
            self.add(depth, "pass")

    def _stays_as_float(self, schema: JSONSchema, types: frozenset[str]) -> bool:
        """Tell whether a finite float fits the schema, and becomes nothing else by it."""
        hook = self.hooks.get(id(schema))
        said = (KEYWORDS[name].group for name in schema if name != "type")
        return (
            types == {"number"}
            and getattr(hook, "convert", None) in (None, float)
            and all(group == "annotation" for group in said)
        )

    def type_test(
        self,
        schema: JSONSchema,
        types: frozenset[str],
        tests: Sequence[str],
        v: str,
        path: Steps,
        depth: int,
        optional: bool,
    ) -> None:
        """Add the test of the type: one of `tests` holds."""
        words = repr(self.words.of(schema))
        if "integer" in types and "number" not in types:
            self.add(depth, f"if type({v}) is not int: {v} = as_integer({v})")
        test = tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"
        self.add(depth, f"if not {test}:")
        if optional and "null" not in types:
            self.add(depth + 1, f"if {v} is None:")
            self.report(depth + 2, "null_for_optional", path, words)
            self.add(depth + 1, "else:")
            depth += 1
        self.report(depth + 1, "misfit", path, "'type'", words, v)

    def body(
        self,
        schema: JSONSchema,
        types: frozenset[str],
        v: str,
        path: Steps,
        depth: int,
        is_dict: bool,
    ) -> None:
        """Add all that is checked of a value of the right type, and its conversion."""
        start = len(self.lines)
        self.assertions(schema, types, v, path, depth)
        given = self.given(schema, v, depth)
        self.array_keywords(schema, types, v, path, depth)
        self.object_keywords(schema, types, v, path, depth, is_dict)
        self.combinators(schema, v, given, path, depth)
        convert = getattr(self.hooks.get(id(schema)), "convert", None)
        if convert is None:
            return
        guards = [] if types and "null" not in types else [f"{v} is not None"]
        if len(self.lines) > start:
            faults = self.fresh("faults")
            self.lines.insert(start, f"{'    ' * depth}{faults} = len(report)")
            guards.append(f"len(report) == {faults}")
        if convert is float:
            guards.append(f"type({v}) is not float")
        if guards:
            self.add(depth, f"if {' and '.join(guards)}:")
            depth += 1
        made = f"{v} = " if self.makes else ""
        self.add(depth, f"try: {made}{self.bind(convert, 'convert')}({v})")
        self.add(depth, "except (ValueError, ArithmeticError) as error:")
        self.report(depth + 1, "unconvertible", path, repr(self.words.of(schema)), v, "error")

    def assertions(
        self, schema: JSONSchema, types: frozenset[str], v: str, path: Steps, depth: int
    ) -> None:
        """Add the tests of the rows that have one."""
        for name, operand in schema.items():
            row = KEYWORDS[name]
            if not row.failure or (types and not applies(row, types)):
                continue
            k = self.bind(row.prepare(operand))
            failure = row.failure.format(v=v, k=k)
            if guard := guard_of(row, types, v):
                failure = f"{guard} and {failure}"
            own = self.words.own(schema) if name in ("pattern", "format") else None
            expected = repr(own or row.expected(operand))
            if name == "enum" and types == {"string"}:
                strings = frozenset(m for m in operand if isinstance(m, str))
                failure = f"{v} not in {self.bind(strings)}"
            self.add(depth, f"if {failure}:")
            if name == "enum":
                self.report(depth + 1, "no_member", path, expected, v, k)
            else:
                self.report(depth + 1, "misfit", path, repr(name), expected, v)

    def given(self, schema: JSONSchema, v: str, depth: int) -> str:
        """Return the variable with the value as it was given, for the schemas that speak of it.

        Each of them judges that value, and not what another has filled in.
        """
        same = [name for name in IN_PLACE if name in schema]
        alone = not _CHANGING & schema.keys() and (
            len(same) <= 1 and len(schema.get("allOf", ())) <= 1
        )
        if not same or alone or not self.changes(schema):
            return v
        given = self.fresh("given")
        self.add(depth, f"{given} = {v}")
        return given

    def combinators(self, schema: JSONSchema, v: str, given: str, path: Steps, depth: int) -> None:
        """Add the checks of the keywords whose schemas speak of the same value."""
        here = path_source(path)
        if "$ref" in schema:
            target = self.function(self.document.resolve(schema["$ref"]))
            self.add(depth, "report.step()")
            self.made(f"{target}({given}, report, {here})", v, given, depth)
        for child in schema.get("allOf", ()):
            self.also(child, v, given, path, depth)
        for name, helper in (("anyOf", "any_of"), ("oneOf", "one_of")):
            if name in schema:
                checks = "".join(f"{self.function(child)}, " for child in schema[name])
                words = self.words.of_any(schema[name])
                call = f"{helper}(({checks}), {given}, report, {here}, {words!r})"
                self.made(call, v, given, depth)
        if "not" in schema:
            self.add(depth, f"if satisfies({self.function(schema['not'])}, {given}, report):")
            words = f"anything but {self.words.of(schema['not'])}"
            self.report(depth + 1, "misfit", path, "'not'", repr(words), given)
        if "if" in schema and ("then" in schema or "else" in schema):
            self.add(depth, f"if satisfies({self.function(schema['if'])}, {given}, report):")
            self.also(schema.get("then", True), v, given, path, depth + 1)
            self.add(depth, "else:")
            self.also(schema.get("else", True), v, given, path, depth + 1)

    def also(self, schema: JSONSchema | bool, v: str, given: str, path: Steps, depth: int) -> None:
        """Add the check of a further schema for the value `given`; `v` is made of both."""
        if v == given or not self.changes(schema):
            self.value(schema, given, path, depth)
            return
        made = self.fresh("made")
        self.add(depth, f"{made} = {given}")
        self.value(schema, made, path, depth)
        self.made(made, v, given, depth)

    def made(self, source: str, v: str, given: str, depth: int) -> None:
        """Add what makes `v` of itself and of `source`, both made of `given`."""
        if v == given:
            self.add(depth, f"{v} = {source}")
        else:
            self.add(depth, f"{v} = merged({v}, {given}, {source})")

    # Arrays.

    def array_keywords(
        self, schema: JSONSchema, types: frozenset[str], v: str, path: Steps, depth: int
    ) -> None:
        """Add the checks of an array's items."""
        first: list[Any] = schema.get("prefixItems", [])
        rest = schema.get("items", True)
        if (types and "array" not in types) or not (
            first or rest is not True or "contains" in schema
        ):
            return
        if types != {"array"}:
            self.add(depth, f"if isinstance({v}, list):")
            depth += 1
        start = len(self.lines)
        out = self.fresh("items")
        copied = any(map(self.changes, (*first, rest)))
        if copied:
            self.add(depth, f"{out} = {v}")
        for index, child in enumerate(first):
            if child is not True:
                self.add(depth, f"if len({v}) > {index}:")
                item = self.fresh("item")
                self.add(depth + 1, f"{item} = {v}[{index}]")
                self.item(child, v, item, out, str(index), path, depth + 1)
        if rest is not True:
            self.items(rest, len(first), v, out, path, depth)
        if "contains" in schema:
            self.contains(schema, v, path, depth)
        if copied:
            self.add(depth, f"{v} = {out}")
        if len(self.lines) == start:
            self.add(depth, "pass")

    def items(
        self, child: JSONSchema | bool, skipped: int, v: str, out: str, path: Steps, depth: int
    ) -> None:
        index, item = self.fresh("index"), self.fresh("item")
        source = f"enumerate({v})" if not skipped else f"enumerate({v}[{skipped}:], {skipped})"
        # Each item becomes another value.
        if self.makes and id(child) in self.hooks and not skipped:
            self.add(depth, f"{out} = []")
            self.add(depth, f"for {index}, {item} in {source}:")
            self.value(child, item, (*path, index), depth + 1)
            self.add(depth + 1, f"{out}.append({item})")
        else:
            self.add(depth, f"for {index}, {item} in {source}:")
            self.item(child, v, item, out, index, path, depth + 1)
        self.add(depth + 1, "if report and len(report) > bounds.faults: break")

    def item(
        self,
        child: JSONSchema | bool,
        v: str,
        item: str,
        out: str,
        index: str,
        path: Steps,
        depth: int,
    ) -> None:
        if not self.changes(child):
            self.value(child, item, (*path, index), depth)
            return
        before = self.fresh("before")
        self.add(depth, f"{before} = {item}")
        self.value(child, item, (*path, index), depth)
        self.add(depth, f"if {item} is not {before}:")
        self.add(depth + 1, f"if {out} is {v}: {out} = {v}.copy()")
        self.add(depth + 1, f"{out}[{index}] = {item}")

    def contains(self, schema: JSONSchema, v: str, path: Steps, depth: int) -> None:
        least, most = schema.get("minContains", 1), schema.get("maxContains")
        count = self.fresh("count")
        check = self.function(schema["contains"])
        words = self.words.of(schema["contains"])
        self.add(depth, f"{count} = count_valid({check}, {v}, report)")
        for keyword, failure, bound in (
            ("contains", f"{count} < {self.bind(least)}", f"at least {least:g}"),
            ("maxContains", f"{count} > {self.bind(most)}", f"at most {most or 0:g}"),
        ):
            if keyword != "maxContains" or most is not None:
                self.add(depth, f"if {failure}:")
                expected = repr(f"{bound} items that are {words}")
                self.report(depth + 1, "misfit", path, repr(keyword), expected, v)

    # Objects.

    def object_keywords(
        self,
        schema: JSONSchema,
        types: frozenset[str],
        v: str,
        path: Steps,
        depth: int,
        is_dict: bool,
    ) -> None:
        """Add the checks of an object's keys and values."""
        found = self.hooks.get(id(schema))
        hook = found if isinstance(found, ObjectHook) else None
        if (types and "object" not in types) or not (hook or _OBJECT_KEYWORDS & schema.keys()):
            return
        rules = hook.rules if hook else None
        if not self.makes:
            hook = None
        if types != {"object"}:
            self.add(depth, f"if isinstance({v}, dict):")
            depth += 1
        start = len(self.lines)
        required = schema.get("required", ())
        if not is_dict and any(key in schema.get("properties", {}) for key in required):
            self.add(depth, f"if type({v}) is not dict: {v} = dict({v})")
        out = self.fresh("values")
        if hook:
            self.opening(hook, v, out, path, depth)
        elif self.changes(schema):
            self.add(depth, f"{out} = {v}")
        self.unknown_keys(schema, v, out, path, depth, hook)
        items = {
            key: self.property(key, child, schema, v, out, path, depth, hook)
            for key, child in schema.get("properties", {}).items()
        }
        for key in schema.get("required", ()):
            if key not in schema.get("properties", {}):
                self.add(depth, f"if {key!r} not in {v}:")
                self.report(depth + 1, "missing", (*path, repr(key)), "''")
        for key, needed in schema.get("dependentRequired", {}).items():
            for other in needed:
                self.add(depth, f"if {key!r} in {v} and {other!r} not in {v}:")
                self.report(depth + 1, "dependency", (*path, repr(other)), repr(key))
        if rules is not None:
            self.shares_report = True
            self.add(depth, f"{self.bind(rules, 'rules')}({v}, {path_source(path)}, report)")
        if hook:
            self.closing(hook, v, out, items, path, depth)
        elif self.changes(schema):
            self.add(depth, f"{v} = {out}")
        if len(self.lines) == start:
            self.add(depth, "pass")

    def opening(self, hook: ObjectHook, v: str, out: str, path: Steps, depth: int) -> None:
        if hook.aliases:
            aliases = self.bind(dict(hook.aliases), "aliases")
            self.add(depth, f"if not {v}.keys().isdisjoint({aliases}):")
            self.add(depth + 1, f"{out}_given, {v} = {v}, {{}}")
            self.add(depth + 1, f"for key, item in {out}_given.items():")
            self.add(depth + 2, f"key = {aliases}.get(key, key)")
            self.add(depth + 2, f"if key in {v}:")
            self.report(depth + 3, "given_twice", path, "key")
            self.add(depth + 2, f"{v}[key] = item")
        if hook.cls is None:
            self.add(depth, f"{out} = {{}}")
        elif self.instance is None:  # filled as the constructor fills it, without a second check
            new, cls = self.bind(hook.cls.__new__, "new"), self.bind(hook.cls, "cls")
            self.add(depth, f"{out}_of = {new}({cls})")
            self.add(depth, f"{out} = {out}_of.__dict__")

    def closing(
        self,
        hook: ObjectHook,
        v: str,
        out: str,
        items: Mapping[str, str],
        path: Steps,
        depth: int,
    ) -> None:
        """Add what makes the result of the values: those in `out`, or in the variables `items`."""
        if self.instance is not None:
            self.add(depth, "if not report:")
            self.add(depth + 1, f"{out} = {self.instance}.__dict__")
            for key, item in items.items():
                self.add(depth + 1, f"{out}[{hook.names[key]!r}] = {item}")
            return
        called = None
        if hook.build is not None:
            called = f"{v} = {self.bind(hook.build, 'build')}({out})"
        elif hook.cls is None:
            self.add(depth, f"{v} = {out}")
        else:
            self.add(depth, f"{v} = {out}_of")
            if hook.after is not None:
                called = f"{self.bind(hook.after, 'after')}({v})"
        if called is not None:
            self.add(depth, "if not report:")
            self.add(depth + 1, f"try: {called}")
            self.add(depth + 1, "except (ValueError, TypeError) as error:")
            self.report(depth + 2, "unbuildable", path, "error")

    def unknown_keys(
        self, schema: JSONSchema, v: str, out: str, path: Steps, depth: int, hook: object
    ) -> None:
        """Add the checks of keys that are not properties, and of keys as such."""
        known = list(schema.get("properties", {}))
        patterns: dict[str, Any] = schema.get("patternProperties", {})
        rest = schema.get("additionalProperties", True)
        names = schema.get("propertyNames", True)
        if rest is False and not patterns and names is True:
            keys = self.bind(frozenset(known), "keys")
            self.add(depth, f"if not {v}.keys() <= {keys}:")
            self.report(depth + 1, "unknown", path, v, self.bind(known))
        elif rest is not True or patterns or names is not True:
            key, item = self.fresh("key"), self.fresh("item")
            self.add(depth, f"for {key}, {item} in {v}.items():")
            if names is not True:
                name = self.fresh("name")
                self.add(depth + 1, f"{name} = {key}")
                self.value(names, name, (*path, key), depth + 1)
            at = (*path, key)
            changing = not hook and any(map(self.changes, (*patterns.values(), rest)))
            before = f"{item}_before" if changing else item
            if changing:
                self.add(depth + 1, f"{before} = {item}")
            other = f"other{key}"
            if rest is not True:
                self.add(depth + 1, f"{other} = {key} not in {self.bind(frozenset(known), 'keys')}")
            for pattern, child in patterns.items():
                search = self.bind(KEYWORDS["pattern"].prepare(pattern), "search")
                self.add(depth + 1, f"if {search}({key}):")
                if rest is not True:
                    self.add(depth + 2, f"{other} = False")
                self.also(child, item, before, at, depth + 2)
            if rest is not True:
                self.add(depth + 1, f"if {other}:")
                if rest is False:
                    arguments = (key, self.bind(known))
                    self.report(depth + 2, "unknown_key", path, *arguments)
                else:
                    self.also(rest, item, before, at, depth + 2)
            if changing:
                self.add(depth + 1, f"if {item} is not {before}:")
                self.copy(v, out, depth + 2)
                self.add(depth + 2, f"{out}[{key}] = {item}")

    def property(
        self,
        key: str,
        child: JSONSchema | bool,
        schema: JSONSchema,
        v: str,
        out: str,
        path: Steps,
        depth: int,
        hook: ObjectHook | None,
    ) -> str:
        """Add the check of one property of the object `v`; return the variable with its value.

        The value goes into `out` too, unless there is an instance to fill in the end.
        """
        here, required = (*path, repr(key)), key in schema.get("required", ())
        if hook:
            default = hook.defaults.get(key, MISSING)
        elif self.makes and isinstance(child, dict) and "default" in child:
            default = self.defaults.get(id(child), child["default"])
        else:
            default = MISSING
        item = self.fresh("item")
        if required:
            self.add(depth, f"try: {item} = {v}[{key!r}]")
            self.add(depth, "except KeyError:")
            self.report(depth + 1, "missing", here, repr(self.words.of(child)))
            self.add(depth, "else:")
        else:
            self.add(depth, f"{item} = {v}.get({key!r}, MISSING)")
            self.add(depth, f"if {item} is not MISSING:")
        before = f"{item}_before"
        copied = not hook and self.changes(child)
        if copied:
            self.add(depth + 1, f"{before} = {item}")
        self.value(child, item, here, depth + 1, optional=not required)
        name = hook.names[key] if hook else key
        held = f"{out}[{name!r}]"
        if self.instance is not None:
            held = item
        elif hook:
            self.add(depth + 1, f"{held} = {item}")
        elif copied:
            self.add(depth + 1, f"if {item} is not {before}:")
            self.copy(v, out, depth + 2)
            made = f"merged({held}, {before}, {item})"
            self.add(depth + 2, f"{held} = {made if 'patternProperties' in schema else item}")
        if default is not MISSING and not required:
            self.add(depth, "else:")
            if not hook:
                self.copy(v, out, depth + 1)
            self.add(depth + 1, f"{held} = {self.default(default)}")
        return item

    def copy(self, v: str, out: str, depth: int) -> None:
        self.add(depth, f"if {out} is {v}: {out} = {v}.copy()")

    def default(self, value: object) -> str:
        name = self.bind(value, "default")
        return name if _runtime.shareable(value) else f"own({name})"


_OBJECT_KEYWORDS: Final = frozenset(
    {
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "dependentRequired",
    }
)


_CHANGING: Final = frozenset(
    {"items", "prefixItems", "properties", "patternProperties", "additionalProperties"}
)
"""Keywords whose schemas may change what is in a value."""
