"""A schema of the dialect becomes one compiled function.

The function checks a value against the whole schema, reports every fault, fills in defaults, and
runs the hooks that turn JSON values into Python values, all in one pass. `_emit` writes its source
from the rows of `dialect.KEYWORDS`; what it calls stands in `_runtime`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn, TypeAlias

import msgspec

from ._compiler import Compiler
from ._hooks import ConvertHook, Hook, Hooks, ObjectHook
from ._missing import MISSING
from ._runtime import GIVEN_UP, Check, Fault, Path, Report, expected_instead, given_up, own
from ._source import Reading, compile_reading
from .dialect import Document, JSONSchema, check_parsed
from .errors import (
    MAX_SHOWN_ISSUES,
    IgnoredKey,
    ValidationError,
    nearest,
    path_text,
)

Compiled: TypeAlias = Check
Aliases: TypeAlias = Mapping[int, Mapping[str, str]]


class Validation(msgspec.Struct, frozen=True, dict=True):
    """A checked schema and its function, which is compiled when it is first needed.

    `aliases` are the keys by which each schema, by its `id`, accepts others of its properties.
    `words` name the values that the schema takes.
    """

    document: Document
    aliases: Aliases
    words: str
    _compiler: Compiler

    @cached_property
    def compiled(self) -> Compiled:
        """The function: it takes a value, a report and the path to the value."""
        return self._compiler.compile()

    @property
    def examples(self) -> list[Any]:
        """The schema's own examples."""
        root = self.document.root
        return [] if isinstance(root, bool) else root.get("examples", [])

    def run(self, value: Any, report: Report, path: Path = ()) -> Any:
        """Return what the function makes of `value`, which stands at `path`; faults go to `report`.

        What it returns is of use only where it added none.
        """
        try:
            return self.compiled(value, report, path)
        except GIVEN_UP as error:
            report.append((given_up, path, expected_instead(error)))

    @cached_property
    def enter(self) -> Callable[[Any], Any]:
        """The way in: it returns what the function makes of a value.

        It raises ValidationError where the value has faults.
        """
        return self._again().compile_entry(self._refuse)

    def checked(self, of: Callable[[Any], Any] | Reading) -> Callable[[Any], Any]:
        """Return the function that gives the JSON which `of` makes, where `enter` takes it.

        It makes as little of it as it can, and raises ValidationError where it has faults.
        """
        hooks = self._compiler.hooks
        if not any(map(_may_refuse, hooks.values())):
            return Compiler(self.document, hooks, makes=False).compile_check(of, _refuse_own)
        enter, json_of = self.enter, of if callable(of) else compile_reading(of)
        may_change = any(map(_is_handed_over, hooks.values()))

        def checked(instance: Any) -> Any:
            value = json_of(instance)
            enter(own(value) if may_change else value)
            return value

        return checked

    def init(self, cls: type[Any], names: Iterable[str]) -> Callable[..., None]:
        """Return an `__init__` for `cls`, which leaves all but fit values to the next one."""
        return self._again().compile_init(cls, frozenset(names))

    def _again(self) -> Compiler:
        return Compiler(self.document, self._compiler.hooks, self._compiler.defaults)

    def _refuse(self, report: Sequence[Fault], value: Any) -> NoReturn:
        raise ValidationError(Report(report).issues(), self._ignored(value))

    def _ignored(self, value: Any) -> list[IgnoredKey]:
        try:
            return ignored_keys(self.document, self.document.root, value, (), self.aliases)
        except RecursionError:
            return []


def compile_validator(schema: Any, hooks: Hooks | None = None) -> Validation:
    """Return the validation of `schema`, a parsed one. Raises SchemaError as `check_schema` does.

    Without hooks it makes JSON of JSON, with them what they make. The value is never changed: where
    a default is filled in, the result is a copy. The source of the function is its docstring.
    """
    document = check_parsed(schema)
    compiler = Compiler(document, hooks or {}, _defaults(document) if hooks is None else {})
    objects = {key: hook for key, hook in (hooks or {}).items() if isinstance(hook, ObjectHook)}
    aliases = {key: hook.aliases for key, hook in objects.items() if hook.aliases}
    return Validation(document, aliases, compiler.words.of(document.root), compiler)


def _refuse_own(report: Sequence[Fault], _value: Any) -> NoReturn:
    raise ValidationError(Report(report).issues())


def _may_refuse(hook: Hook) -> bool:
    """Tell whether a hook may refuse a value that its schema takes, once it has run."""
    if isinstance(hook, ConvertHook):
        return hook.convert not in (None, float)
    return _is_handed_over(hook)


def _is_handed_over(hook: Hook) -> bool:
    """Tell whether a user's code gets what is made of a value, and may change what is in that."""
    return isinstance(hook, ObjectHook) and (hook.after is not None or hook.build is not None)


def _defaults(document: Document) -> dict[int, Any]:
    """Return each default in `document` by the `id` of its schema, with those within filled in.

    MISSING stands for one that its own schema rejects: the standard lets it be published.
    """
    filled: dict[int, Any] = {}
    for schema in reversed(list(document.schemas.values())):
        if isinstance(schema, dict) and "default" in schema:
            report = Report()
            default = Compiler(document, {}, filled).compile(schema)(schema["default"], report, ())
            filled[id(schema)] = MISSING if report else default
    return filled


def ignored_keys(
    document: Document, schema: JSONSchema | bool, value: Any, path: Path, aliases: Aliases
) -> list[IgnoredKey]:
    """Return the keys in `value`, at any depth, that no part of `schema` speaks of.

    Only the first of them, as many as a message shows, are compared with the known ones.
    """
    ignored: list[IgnoredKey] = []
    parts = list(_in_place(document, schema))
    if isinstance(value, list):
        for part in parts:
            first: list[Any] = part.get("prefixItems", [])
            for index, item in enumerate(value):
                of = first[index] if index < len(first) else part.get("items", True)
                ignored += ignored_keys(document, of, item, (*path, index), aliases)
    if isinstance(value, dict):
        properties = {
            key: child for part in parts for key, child in part.get("properties", {}).items()
        }
        known = {alias: key for part in parts for alias, key in aliases.get(id(part), {}).items()}
        rest = next((p["additionalProperties"] for p in parts if "additionalProperties" in p), None)
        others = {"patternProperties", "additionalProperties", "propertyNames"}
        is_open = not properties or any(others & part.keys() for part in parts)
        for key, item in value.items():
            child = properties.get(known.get(key, key), rest)
            if child is not None:
                ignored += ignored_keys(document, child, item, (*path, key), aliases)
            elif not is_open:
                name = str(key)
                close = nearest(name, properties) if len(ignored) < MAX_SHOWN_ISSUES else None
                ignored.append(IgnoredKey(path_text((*path, name)), close))
    return ignored


def _in_place(document: Document, schema: JSONSchema | bool) -> list[JSONSchema]:
    """Return `schema` and all schemas in it that speak of the same value."""
    if isinstance(schema, bool):
        return []
    parts = [schema]
    if "$ref" in schema:
        parts += _in_place(document, document.resolve(schema["$ref"]))
    for name in ("allOf", "anyOf", "oneOf"):
        for child in schema.get(name, ()):
            parts += _in_place(document, child)
    for name in ("if", "then", "else"):
        if name in schema:
            parts += _in_place(document, schema[name])
    return parts
