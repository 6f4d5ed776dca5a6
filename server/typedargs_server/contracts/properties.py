"""What a change does to the objects that a schema takes: their keys, and what each asks.

A key is governed by `properties`, `patternProperties` and `additionalProperties` together, so
they are compared key by key. An open object takes keys that it does not declare; nobody is
expected to send those, and nobody to rely on them, so to declare one more breaks nobody.
"""

from collections.abc import Iterator
from typing import Final

from ..anyschema import Json, Schema, as_schema, is_false, matches, member, strings
from .narrowing import Effect
from .shifts import Shift, Verdict, Walk, shift

_KEYWORDS: Final = frozenset(
    {"properties", "required", "patternProperties", "additionalProperties", "propertyNames"}
)


def object_shifts(walk: Walk, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
    """Yield the differences of what two schemas ask of objects."""
    if not _KEYWORDS & (old.keys() | new.keys()):
        return
    needed, needs = strings(old.get("required")), strings(new.get("required"))
    own, new_own = member(old, "properties"), member(new, "properties")
    for name in dict.fromkeys([*own, *new_own, *needed, *needs]):
        where = f"{path}{_step(name)}"
        if name in own and name in new_own:
            was, now = _effective(walk, old, name), _effective(walk, new, name)
            yield from walk.shifts(was, now, where)
            yield from _required(name in needed, name in needs, where)
        elif name in new_own:
            yield from _added(walk, old, new, name, where)
        elif name in own:
            yield from _removed(walk, old, new, name, where)
        else:
            yield from _required(name in needed, name in needs, where)
    yield from _patterns(walk, old, new, path)
    yield from _others(walk, old, new, path)
    if "propertyNames" in old or "propertyNames" in new:
        names, new_names = (as_schema(each.get("propertyNames", True)) for each in (old, new))
        yield from walk.shifts(names, new_names, f"{path}.(keys)")


def _step(name: str) -> str:
    return f".{name}" if name.isidentifier() else f'["{name}"]'


def _effective(walk: Walk, schema: Schema, name: str) -> Schema:
    """Return all that a schema asks of the value under a key."""
    own = member(schema, "properties")
    parts: list[Json] = [own[name]] if name in own else []
    patterns = member(schema, "patternProperties")
    parts += [each for pattern, each in patterns.items() if matches(pattern, name)]
    if not parts:
        return as_schema(schema.get("additionalProperties", True))
    if len(parts) == 1:
        return as_schema(parts[0])
    return walk.made(tuple(id(each) for each in parts), parts, {"allOf": parts})


def _is_open(schema: Schema, name: str, path: str) -> bool:
    """Return whether an object takes a key that it does not declare, whatever its value.

    Within a tool's arguments, an object that declares no key at all is there to take any.
    """
    if schema.get("additionalProperties", True) not in (True, {}):
        return False
    if any(matches(pattern, name) for pattern in member(schema, "patternProperties")):
        return False
    return bool(member(schema, "properties")) or not path


def _required(needed: bool, needs: bool, where: str) -> Iterator[Shift]:
    if needs and not needed:
        yield shift(where, Effect.NARROWS, "now required")
    elif needed and not needs:
        yield shift(where, Effect.WIDENS, "no longer required")


def _added(walk: Walk, old: Schema, new: Schema, name: str, where: str) -> Iterator[Shift]:
    needed, needs = (name in strings(each.get("required")) for each in (old, new))
    words = "added, and required" if needs and not needed else "added"
    callers = Verdict.BREAKS if needs and not needed else Verdict.FINE
    was = _effective(walk, old, name)
    if _is_open(old, name, where.removesuffix(_step(name))):
        yield Shift(where, words, callers, Verdict.FINE)
        if needed and not needs:
            yield from _required(needed, needs, where)
    elif is_false(was):
        yield Shift(where, f"{words}; the key was refused before", callers, Verdict.BREAKS)
    else:
        yield from walk.shifts(was, _effective(walk, new, name), where)
        yield from _required(needed, needs, where)


def _removed(walk: Walk, old: Schema, new: Schema, name: str, where: str) -> Iterator[Shift]:
    needed, needs = (name in strings(each.get("required")) for each in (old, new))
    now = _effective(walk, new, name)
    if is_false(now):
        yield Shift(where, "removed; the key is refused now", Verdict.BREAKS, Verdict.BREAKS)
    elif _is_open(new, name, "") and not (needs and not needed):
        yield Shift(where, "removed; what is sent is ignored", Verdict.MAY_BREAK, Verdict.BREAKS)
    else:
        yield from walk.shifts(_effective(walk, old, name), now, where)
        yield from _required(needed, needs, where)


def _patterns(walk: Walk, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
    before, after = member(old, "patternProperties"), member(new, "patternProperties")
    for pattern in dict.fromkeys([*before, *after]):
        where = f"{path}./{pattern}/"
        if pattern in before and pattern in after:
            yield from walk.shifts(as_schema(before[pattern]), as_schema(after[pattern]), where)
        elif pattern in after:
            effect = _pattern_effect(before, old, Effect.NARROWS, Effect.WIDENS)
            yield shift(where, effect, "keys of this pattern added")
        else:
            effect = _pattern_effect(after, new, Effect.WIDENS, Effect.NARROWS)
            yield shift(where, effect, "keys of this pattern removed")


def _pattern_effect(
    patterns: dict[str, Json], without: Schema, if_open: Effect, if_closed: Effect
) -> Effect:
    """Return what a pattern does, by what the side without it asks of its keys."""
    others = without.get("additionalProperties", True)
    if others in (True, {}):
        return if_open
    return if_closed if others is False and not patterns else Effect.UNCLEAR


def _others(walk: Walk, old: Schema, new: Schema, path: str) -> Iterator[Shift]:
    was, now = (as_schema(each.get("additionalProperties", True)) for each in (old, new))
    if is_false(was) != is_false(now):
        words = "refused" if is_false(now) else "accepted"
        effect = Effect.NARROWS if is_false(now) else Effect.WIDENS
        yield shift(path, effect, f"undeclared keys are {words} now")
    else:
        yield from walk.shifts(was, now, f"{path}.*")
