"""A schema of the dialect becomes one compiled function.

The function checks a value against the whole schema, reports every fault, fills in defaults, and
runs the hooks that turn JSON values into Python values, all in one pass. Its source is made here
from the rows of `dialect.KEYWORDS`; what it calls stands in `_runtime`.
"""

from collections.abc import Callable, Container, Mapping
from copy import deepcopy
from typing import Any, Final, TypeAlias

import attrs

from . import _runtime
from ._missing import MISSING
from .dialect import KEYWORDS, JSONSchema, Keyword
from .errors import IgnoredKey, Issue, ValidationError, nearest, path_text

Pointer: TypeAlias = tuple[str, ...]
"""The keys that lead to a subschema from the root, as in `("properties", "a")`."""

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
    of a key that is left out. `build` gets the values by key, and returns the result.
    """

    convert: Mapping[str, Callable[[Any], Any]]
    defaults: Mapping[str, Any]
    aliases: Mapping[str, str]
    rules: tuple[Callable[[Mapping[str, Any], list[Issue]], None], ...]
    build: Callable[[dict[str, Any]], Any]


def compile_validator(schema: JSONSchema | bool, hooks: Hooks | None = None) -> Compiled:
    """Return the function for `schema`, which `check_schema` has passed.

    The function takes a JSON value and a list to which it adds the faults; what it returns is of
    use only when it added none. Without `hooks` it returns JSON, with them what `hooks.build` does.
    The value is never changed: where a default is filled in, the result is a copy.
    """
    return _Compiler(hooks).compile(schema)


def check(
    compiled: Compiled, schema: JSONSchema | bool, value: Any, known: Container[str] = ()
) -> Any:
    """Return what `compiled` makes of `value`; raise ValidationError where it has faults.

    `known` are the keys at the root that are not to be named as ignored, beside the properties.
    """
    issues: list[Issue] = []
    try:
        result = compiled(value, issues)
    except RecursionError:
        expected = "a value that is not nested as deeply"
        raise ValidationError([Issue("", f"expected {expected}", "type", expected)]) from None
    if issues:
        raise ValidationError(issues, ignored_keys(schema, value, (), known))
    return result


def ignored_keys(
    schema: JSONSchema | bool, value: Any, path: _runtime.Path, known: Container[str]
) -> list[IgnoredKey]:
    """Return the keys in `value`, at any depth, that no part of `schema` speaks of."""
    if isinstance(schema, bool) or not isinstance(value, dict) or "properties" not in schema:
        return []
    properties: dict[str, JSONSchema] = schema["properties"]
    ignored: list[IgnoredKey] = []
    for key, item in value.items():
        if key in properties:
            ignored += ignored_keys(properties[key], item, (*path, key), ())
        elif key not in known and schema.get("additionalProperties") is not False:
            ignored.append(IgnoredKey(path_text((*path, key)), nearest(key, properties)))
    return ignored


def type_words(schema: JSONSchema | bool) -> str:
    """Return the words for the values that `schema` takes, as a message names them."""
    if isinstance(schema, bool):
        return "any value" if schema else "no value"
    if "enum" in schema:
        return KEYWORDS["enum"].expected(schema["enum"])
    names = schema.get("type", ())
    return names if isinstance(names, str) else " or ".join(names)


class _Compiler:
    """Collects the source lines of one function, and the objects that they name."""

    def __init__(self, hooks: Hooks | None) -> None:
        self.hooks = hooks
        self.lines: list[str] = ["def validate(v, issues):"]
        self.names: dict[str, Any] = {
            "INF": float("inf"),
            "MISSING": MISSING,
            "deepcopy": deepcopy,
            **{name: getattr(_runtime, name) for name in _RUNTIME_NAMES},
        }

    def compile(self, schema: JSONSchema | bool) -> Compiled:
        self.value(schema, "v", (), 1, self.hooks)
        self.lines.append("    return v")
        namespace: dict[str, Any] = dict(self.names)
        exec("\n".join(self.lines), namespace)
        function: Compiled = namespace["validate"]
        return function

    def bind(self, value: object, prefix: str = "k") -> str:
        """Return the source text for `value`: its literal where that is exact, else a name."""
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def value(
        self,
        schema: JSONSchema | bool,
        v: str,
        path: _runtime.Path,
        depth: int,
        hooks: Hooks | None = None,
        optional: bool = False,
    ) -> None:
        """Add the checks of `schema` on the variable `v`, which stands at `path` in the value."""
        if isinstance(schema, bool):
            if not schema:
                self.add(depth, f"misfit(issues, {path!r}, 'false', 'no value', {v})")
            return
        types = frozenset(_listed(schema.get("type", ())))
        words = type_words(schema) if types else ""
        if "integer" in types and "number" not in types:
            self.add(depth, f"if type({v}) is float and {v}.is_integer(): {v} = int({v})")
        if types:
            test = " or ".join(_IS_TYPE[name].format(v=v) for name in sorted(types))
            self.add(depth, f"if not ({test}):")
            if optional and "null" not in types:
                self.add(
                    depth + 1,
                    f"if {v} is None: null_for_optional(issues, {path!r}, {words!r})",
                )
                self.add(depth + 1, f"else: misfit(issues, {path!r}, 'type', {words!r}, {v})")
            else:
                self.add(depth + 1, f"misfit(issues, {path!r}, 'type', {words!r}, {v})")
            self.add(depth, "else:")
            depth += 1
        start = len(self.lines)
        self.assertions(schema, types, v, path, depth)
        if "object" in types or not types:
            self.object_keywords(schema, types, v, path, depth, hooks)
        if len(self.lines) == start:
            self.add(depth, "pass")

    def assertions(
        self, schema: JSONSchema, types: frozenset[str], v: str, path: _runtime.Path, depth: int
    ) -> None:
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
                    failure = f"{v} not in {self.bind(frozenset(operand))}"
                report = f"no_member(issues, {path!r}, {row.expected(operand)!r}, {v}, {k})"
            else:
                report = f"misfit(issues, {path!r}, {name!r}, {row.expected(operand)!r}, {v})"
            self.add(depth, f"if {failure}: {report}")

    def object_keywords(
        self,
        schema: JSONSchema,
        types: frozenset[str],
        v: str,
        path: _runtime.Path,
        depth: int,
        hooks: Hooks | None,
    ) -> None:
        properties: dict[str, JSONSchema | bool] = schema.get("properties", {})
        required: list[str] = schema.get("required", [])
        closed = schema.get("additionalProperties", True) is False
        if not (properties or required or closed or hooks):
            return
        if types != {"object"}:
            self.add(depth, f"if isinstance({v}, dict):")
            depth += 1
        if hooks and hooks.aliases:
            self.names["canonical"] = canonical
            aliases = self.bind(dict(hooks.aliases), "aliases")
            self.add(depth, f"{v} = canonical(issues, {path!r}, {v}, {aliases})")
        if closed:
            known = list(properties)
            keys = self.bind(frozenset(known), "keys")
            self.add(
                depth,
                f"if not {v}.keys() <= {keys}: unknown(issues, {path!r}, {v}, {self.bind(known)})",
            )
        self.add(depth, f"{v}_out = {v}" if hooks is None else f"{v}_out = {{}}")
        for key, subschema in properties.items():
            self.property(key, subschema, key in required, v, path, depth, hooks)
        for key in required:
            if key not in properties:
                self.add(depth, f"if {key!r} not in {v}: missing(issues, {(*path, key)!r}, '')")
        if hooks is None:
            self.add(depth, f"{v} = {v}_out")
        else:
            for rule in hooks.rules:
                self.add(depth, f"{self.bind(rule, 'rule')}({v}, issues)")
            self.add(depth, f"if not issues: {v} = {self.bind(hooks.build, 'build')}({v}_out)")

    def property(
        self,
        key: str,
        schema: JSONSchema | bool,
        required: bool,
        v: str,
        path: _runtime.Path,
        depth: int,
        hooks: Hooks | None,
    ) -> None:
        """Add the checks of one property of the object `v`, into `{v}_out`."""
        here = (*path, key)
        item = f"{v}_{len(self.lines)}"
        self.add(depth, f"{item} = {v}.get({key!r}, MISSING)")
        self.add(depth, f"if {item} is MISSING:")
        if required:
            words = type_words(schema)
            self.add(depth + 1, f"missing(issues, {here!r}, {words!r})")
        elif hooks is not None:
            if key in hooks.defaults:
                self.add(depth + 1, f"{v}_out[{key!r}] = {self.default(hooks.defaults[key])}")
            else:
                self.add(depth + 1, "pass")
        elif isinstance(schema, dict) and "default" in schema:
            self.copy(v, depth + 1)
            self.add(depth + 1, f"{v}_out[{key!r}] = {self.default(schema['default'])}")
        else:
            self.add(depth + 1, "pass")
        self.add(depth, "else:")
        if hooks is None:
            self.add(depth + 1, f"{item}_in = {item}")
        before = "fault" + item
        convert = hooks.convert.get(key) if hooks else None
        if convert is not None:
            self.add(depth + 1, f"{before} = len(issues)")
        self.value(schema, item, here, depth + 1, optional=not required)
        if hooks is None:
            self.add(depth + 1, f"if {item} is not {item}_in:")
            self.copy(v, depth + 2)
            self.add(depth + 2, f"{v}_out[{key!r}] = {item}")
            return
        if convert is None:
            self.add(depth + 1, f"{v}_out[{key!r}] = {item}")
            return
        nullable = isinstance(schema, dict) and "null" in _listed(schema.get("type", ()))
        guard = f" and {item} is not None" if nullable else ""
        self.add(depth + 1, f"if len(issues) == {before}{guard}:")
        self.add(depth + 2, f"try: {item} = {self.bind(convert, 'convert')}({item})")
        self.add(depth + 2, "except (ValueError, OverflowError, ArithmeticError) as error:")
        words = type_words(schema)
        self.add(depth + 3, f"unconvertible(issues, {here!r}, {words!r}, {item}, error)")
        self.add(depth + 1, f"{v}_out[{key!r}] = {item}")

    def copy(self, v: str, depth: int) -> None:
        self.add(depth, f"if {v}_out is {v}: {v}_out = dict({v})")

    def default(self, value: object) -> str:
        name = self.bind(value, "default")
        return f"deepcopy({name})" if isinstance(value, list | dict | set) else name


def canonical(
    issues: list[Issue],
    path: _runtime.Path,
    value: Mapping[str, Any],
    aliases: Mapping[str, str],
) -> Mapping[str, Any]:
    """Return `value` with each alias renamed to its canonical key."""
    if value.keys().isdisjoint(aliases):
        return value
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        name = aliases.get(key, key)
        if name in renamed:
            message = f'given twice, also under an alias; send only "{name}"'
            issues.append(Issue(path_text((*path, name)), message, "properties", "one value"))
        renamed[name] = item
    return renamed


_RUNTIME_NAMES: Final = (
    "is_integer",
    "is_multiple",
    "is_number",
    "json_equal",
    "json_member",
    "misfit",
    "missing",
    "no_member",
    "null_for_optional",
    "unconvertible",
    "unknown",
)


def _listed(types: str | list[str] | tuple[()]) -> list[str]:
    return [types] if isinstance(types, str) else list(types)


def _applies(row: Keyword, types: frozenset[str]) -> bool:
    return row.group == "any" or bool(types & _GROUP_TYPES[row.group])


def _guard(row: Keyword, types: frozenset[str], v: str) -> str:
    """Return the test that `v` is a value the row speaks of, where its type leaves that open."""
    if row.group == "any" or (types and types <= _GROUP_TYPES[row.group]):
        return ""
    return _IS_TYPE[row.group].format(v=v)
