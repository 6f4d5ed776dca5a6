"""A schema of the dialect becomes one compiled function.

The function checks a value against the whole schema, reports every fault, fills in defaults, and
runs the hooks that turn JSON values into Python values, all in one pass. Its source is made here
from the rows of `dialect.KEYWORDS`; what it calls stands in `_runtime`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from . import _runtime
from ._missing import MISSING
from ._runtime import Path, shareable
from .dialect import KEYWORDS, JSONSchema, Keyword, escaped
from .errors import Issue, SchemaError

Compiled: TypeAlias = Callable[[Any, list[Issue]], Any]

_IS_TYPE: Final[Mapping[str, str]] = {
    "null": "{v} is None",
    "boolean": "({v} is True or {v} is False)",
    "integer": "(type({v}) is int or is_integer({v}))",
    "number": "(type({v}) is float and -INF < {v} < INF or type({v}) is int or is_number({v}))",
    "string": "(type({v}) is str or isinstance({v}, str))",
    "array": "isinstance({v}, list)",
    "object": "isinstance({v}, dict)",
}
_GROUP_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "number": frozenset({"integer", "number"}),
    "string": frozenset({"string"}),
    "object": frozenset({"object"}),
}


@attrs.frozen
class Hooks:
    """What a class adds to its schema: how checked JSON becomes Python values.

    `convert` maps a property's key to the function for its value, `defaults` to the Python value
    of a key that is left out. `rules` returns the faults of the object as a whole. `build` gets
    the values by key, and returns the result.
    """

    convert: Mapping[str, Callable[[Any], Any]] = attrs.field(factory=dict)
    defaults: Mapping[str, Any] = attrs.field(factory=dict)
    aliases: Mapping[str, str] = attrs.field(factory=dict)
    rules: Callable[[Mapping[str, Any]], list[Issue]] | None = None
    build: Callable[[dict[str, Any]], Any] = dict


def compile_validator(schema: JSONSchema | bool, hooks: Hooks | None = None) -> Compiled:
    """Return the function for `schema`, which `check_schema` has passed.

    The function takes a JSON value and a list to which it adds the faults; what it returns is of
    use only when it added none. Without `hooks` it returns JSON, with them what `hooks.build` does.
    The value is never changed: where a default is filled in, the result is a copy. The source of
    the function is its docstring.

    Raises SchemaError where a default within `schema` is rejected by its own schema.
    """
    return _Compiler().compile(schema, hooks)


def type_words(schema: JSONSchema | bool) -> str:
    """Return the words for the values that `schema` takes, as a message names them."""
    if isinstance(schema, bool):
        return "any value" if schema else "no value"
    if "enum" in schema:
        return KEYWORDS["enum"].expected(schema["enum"])
    names = schema.get("type", ())
    return names if isinstance(names, str) else " or ".join(names)


class _Compiler:
    """Collects the source of one function for each object in a schema, and what they name.

    Nothing of a schema becomes source but integers, and strings by `repr`; all else is named.
    """

    def __init__(self) -> None:
        self.functions: list[list[str]] = []
        self.lines: list[str] = []
        self.variables = 0
        self.names_given = 0
        self.names: dict[str, Any] = {
            "INF": float("inf"),
            "MISSING": MISSING,
            **{function.__name__: function for function in _CALLED},
        }

    def compile(self, schema: JSONSchema | bool, hooks: Hooks | None) -> Compiled:
        name = self.function(schema, (), hooks)
        source = "\n\n\n".join("\n".join(lines) for lines in self.functions)
        namespace: dict[str, Any] = dict(self.names)
        exec(compile(source, "<typedargs validator>", "exec"), namespace)
        function: Compiled = namespace[name]
        function.__doc__ = source
        return function

    def function(
        self,
        schema: JSONSchema | bool,
        path: Path,
        hooks: Hooks | None = None,
        *,
        optional: bool = False,
    ) -> str:
        """Add the function that checks `schema`, and return its name."""
        outer = self.lines, self.variables
        name = f"check_{self._unique()}" if self.lines else "check"
        self.lines, self.variables = [f"def {name}(v, issues):"], 0
        self.value(schema, "v", path, 1, hooks, optional=optional)
        self.add(1, "return v")
        self.functions.append(self.lines)
        self.lines, self.variables = outer
        return name

    def bind(self, value: object, prefix: str = "k") -> str:
        """Return the source text for `value`: its literal where that is exact, else a name."""
        if value is None or type(value) in (bool, str):
            return repr(value)
        if type(value) is int and abs(value) < 2**63:
            return repr(value)
        name = f"{prefix}_{self._unique()}"
        self.names[name] = value
        return name

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def value(
        self,
        schema: JSONSchema | bool,
        v: str,
        path: Path,
        depth: int,
        hooks: Hooks | None = None,
        *,
        optional: bool = False,
    ) -> None:
        """Add the checks of `schema` on the variable `v`, which stands at `path` in the value."""
        if isinstance(schema, bool):
            if not schema:
                self.add(depth, f"misfit(issues, {path!r}, 'false', 'no value', {v})")
            return
        types = frozenset(_listed(schema.get("type", ())))
        if "integer" in types and "number" not in types:
            self.add(depth, f"if type({v}) is not int: {v} = as_integer({v})")
        if types:
            tests = [_IS_TYPE[name].format(v=v) for name in sorted(types)]
            test = tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"
            words = type_words(schema)
            self.add(depth, f"if not {test}:")
            if optional and "null" not in types:
                self.add(depth + 1, f"null_or_misfit(issues, {path!r}, 'type', {words!r}, {v})")
            else:
                self.add(depth + 1, f"misfit(issues, {path!r}, 'type', {words!r}, {v})")
            self.add(depth, "else:")
            depth += 1
        start = len(self.lines)
        self.assertions(schema, types, v, path, depth)
        if "object" in types or not types:
            self.object_keywords(schema, types, path, depth, hooks)
        if types and len(self.lines) == start:
            self.lines.pop()  # the `else:` that nothing follows

    def assertions(
        self, schema: JSONSchema, types: frozenset[str], v: str, path: Path, depth: int
    ) -> None:
        """Add one line for each keyword that tests the value as a whole."""
        for name, operand in schema.items():
            row = KEYWORDS[name]
            if not row.failure or (types and not _applies(row, types)):
                continue
            k = self.bind(row.prepare(operand))
            failure = row.failure.format(v=v, k=k)
            if guard := _guard(row, types, v):
                failure = f"{guard} and {failure}"
            if name == "enum":
                if types == {"string"}:
                    members = frozenset(member for member in operand if isinstance(member, str))
                    failure = f"{v} not in {self.bind(members, 'members')}"
                report = f"no_member(issues, {path!r}, {row.expected(operand)!r}, {v}, {k})"
            else:
                report = f"misfit(issues, {path!r}, {name!r}, {row.expected(operand)!r}, {v})"
            self.add(depth, f"if {failure}: {report}")

    def object_keywords(
        self,
        schema: JSONSchema,
        types: frozenset[str],
        path: Path,
        depth: int,
        hooks: Hooks | None,
    ) -> None:
        """Add the checks of the keys of the object `v`, and of the values under them."""
        properties: dict[str, JSONSchema | bool] = schema.get("properties", {})
        required: list[str] = schema.get("required", [])
        closed = schema.get("additionalProperties", True) is False
        if not (properties or required or closed or hooks):
            return
        if types != {"object"}:
            self.add(depth, "if isinstance(v, dict):")
            depth += 1
        if hooks and hooks.aliases:
            aliases = self.bind(dict(hooks.aliases), "aliases")
            self.add(depth, f"v = canonical(issues, {path!r}, v, {aliases})")
        if closed:
            known = list(properties)
            keys, ordered = self.bind(frozenset(known), "keys"), self.bind(known, "keys")
            self.add(depth, f"if not v.keys() <= {keys}: unknown(issues, {path!r}, v, {ordered})")
        self.add(depth, "out = v" if hooks is None else "out = {}")
        for key, subschema in properties.items():
            if hooks is None:
                self.json_property(key, subschema, key in required, path, depth)
            else:
                self.class_property(key, subschema, key in required, path, depth, hooks)
        for key in required:
            if key not in properties:
                self.add(depth, f"if {key!r} not in v: missing(issues, {(*path, key)!r}, '')")
        if hooks is None:
            self.add(depth, "v = out")
            return
        if hooks.rules is not None:
            self.add(depth, f"issues += {self.bind(hooks.rules, 'rules')}(v)")
        self.add(depth, f"if not issues: v = {self.bind(hooks.build, 'build')}(out)")

    def json_property(
        self, key: str, schema: JSONSchema | bool, required: bool, path: Path, depth: int
    ) -> None:
        """Add the checks of one property; `out` is copied from `v` where something changes."""
        here, p = (*path, key), self._variable()
        self.add(depth, f"{p} = v.get({key!r}, MISSING)")
        if required:
            self.add(depth, f"if {p} is MISSING:")
            self.add(depth + 1, f"missing(issues, {here!r}, {type_words(schema)!r})")
            self.add(depth, "else:")
        elif isinstance(schema, dict) and "default" in schema:
            self.add(depth, f"if {p} is MISSING:")
            self.add(depth + 1, "if out is v: out = dict(v)")
            default = self.default(_checked_default(schema, here))
            self.add(depth + 1, f"out[{key!r}] = {default}")
            self.add(depth, "else:")
        else:
            self.add(depth, f"if {p} is not MISSING:")
        depth += 1
        start = len(self.lines)
        if _is_object(schema):
            name = self.function(schema, here, optional=not required)
            self.add(depth, f"{p} = {name}({p}, issues)")
        else:
            self.value(schema, p, here, depth, optional=not required)
        if _changes(schema):
            self.lines.insert(start, f"{'    ' * depth}{p}_given = {p}")
            self.add(depth, f"if {p} is not {p}_given:")
            self.add(depth + 1, "if out is v: out = dict(v)")
            self.add(depth + 1, f"out[{key!r}] = {p}")
        elif len(self.lines) == start:
            self.add(depth, "pass")

    def class_property(
        self,
        key: str,
        schema: JSONSchema | bool,
        required: bool,
        path: Path,
        depth: int,
        hooks: Hooks,
    ) -> None:
        """Add the checks of one property and its conversion; `out` is made from nothing."""
        here, p, words = (*path, key), self._variable(), type_words(schema)
        self.add(depth, f"{p} = v.get({key!r}, MISSING)")
        if required or key in hooks.defaults:
            self.add(depth, f"if {p} is MISSING:")
            if required:
                self.add(depth + 1, f"missing(issues, {here!r}, {words!r})")
            else:
                self.add(depth + 1, f"out[{key!r}] = {self.default(hooks.defaults[key])}")
            self.add(depth, "else:")
        else:
            self.add(depth, f"if {p} is not MISSING:")
        depth += 1
        convert = hooks.convert.get(key)
        if convert is not None:
            self.add(depth, "faults = len(issues)")
        self.value(schema, p, here, depth, optional=not required)
        if convert is not None:
            nullable = isinstance(schema, dict) and "null" in _listed(schema.get("type", ()))
            guard = f" and {p} is not None" if nullable else ""
            self.add(depth, f"if len(issues) == faults{guard}:")
            self.add(depth + 1, f"try: {p} = {self.bind(convert, 'convert')}({p})")
            self.add(depth + 1, "except (ValueError, ArithmeticError) as error:")
            self.add(depth + 2, f"unconvertible(issues, {here!r}, {words!r}, {p}, error)")
        self.add(depth, f"out[{key!r}] = {p}")

    def default(self, value: object) -> str:
        """Return the source text for a value of one's own, equal to `value`."""
        name = self.bind(value, "default")
        return name if shareable(value) else f"own({name})"

    def _unique(self) -> int:
        self.names_given += 1
        return self.names_given

    def _variable(self) -> str:
        self.variables += 1
        return f"p{self.variables}"


def _is_object(schema: JSONSchema | bool) -> bool:
    return isinstance(schema, dict) and not schema.keys().isdisjoint(_OBJECT_KEYWORDS)


def _changes(schema: JSONSchema | bool) -> bool:
    """Tell whether a value that passes may come out as another one."""
    if isinstance(schema, bool):
        return False
    return "properties" in schema or "integer" in _listed(schema.get("type", ()))


def _checked_default(schema: JSONSchema, path: Path) -> Any:
    """Return a schema's default with the defaults within filled in.

    Raises SchemaError where the schema rejects it.
    """
    issues: list[Issue] = []
    value = compile_validator(schema)(schema["default"], issues)
    if issues:
        pointer = "".join(f"/properties/{escaped(str(step))}" for step in path) + "/default"
        raise SchemaError(
            f'"default" at {pointer} is rejected by its own schema: {issues[0]}',
            keyword="default",
            pointer=pointer,
        )
    return value


_CALLED: Final[tuple[Callable[..., Any], ...]] = (
    _runtime.as_integer,
    _runtime.canonical,
    _runtime.is_integer,
    _runtime.is_multiple,
    _runtime.is_number,
    _runtime.json_equal,
    _runtime.json_member,
    _runtime.misfit,
    _runtime.missing,
    _runtime.no_member,
    _runtime.null_or_misfit,
    _runtime.own,
    _runtime.unconvertible,
    _runtime.unknown,
)
_OBJECT_KEYWORDS: Final = frozenset({"properties", "required", "additionalProperties"})


def _listed(types: str | list[str] | tuple[()]) -> list[str]:
    return [types] if isinstance(types, str) else list(types)


def _applies(row: Keyword, types: frozenset[str]) -> bool:
    return row.group == "any" or bool(types & _GROUP_TYPES[row.group])


def _guard(row: Keyword, types: frozenset[str], v: str) -> str:
    """Return the test that `v` is a value the row speaks of, where its type leaves that open."""
    if row.group == "any" or (types and types <= _GROUP_TYPES[row.group]):
        return ""
    return _IS_TYPE[row.group].format(v=v)
