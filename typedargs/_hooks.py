"""What a class adds to its schema: how checked JSON values become Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    from ._runtime import Path, Report


class ConvertHook(msgspec.Struct, frozen=True):
    """The function that makes the Python value of a checked JSON value; null stays None.

    `words` name the values in messages, where the schema's own keywords say it worse.
    """

    convert: Callable[[Any], Any] | None
    words: str | None = None


class ObjectHook(msgspec.Struct, frozen=True):
    """How the checked values of an object's keys become one value.

    `defaults` are the values of keys that are left out. `rules` report what the keys given together
    break. The values go by `names`, which are those of the keys, into the dict of a new instance of
    `cls`, to which `after` may put the last hand; or, as a dict, into `build`, which may raise
    ValueError or TypeError; or they are the result.
    """

    defaults: Mapping[str, Any]
    aliases: Mapping[str, str]
    rules: Callable[[Mapping[str, Any], Path, Report], None] | None
    names: Mapping[str, str]
    cls: type[Any] | None = None
    after: Callable[[Any], None] | None = None
    build: Callable[[dict[str, Any]], Any] | None = None


Hook: TypeAlias = ConvertHook | ObjectHook
Hooks: TypeAlias = Mapping[int, Hook]
"""Hooks by the `id` of the schema that they belong to."""
