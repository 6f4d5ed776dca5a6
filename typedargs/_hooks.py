"""What a class adds to its schema: how checked JSON values become Python values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

if TYPE_CHECKING:
    from ._runtime import Path, Report


@attrs.frozen
class ConvertHook:
    """The function that makes the Python value of a checked JSON value; null stays None.

    `words` name the values in messages, where the schema's own keywords say it worse.
    """

    convert: Callable[[Any], Any] | None
    words: str | None = None


@attrs.frozen
class ObjectHook:
    """How the checked values of an object's keys become one value.

    `defaults` are the values of keys that are left out. `rules` report what the keys given together
    break. `build` gets the values by key, and returns the result.
    """

    defaults: Mapping[str, Any]
    aliases: Mapping[str, str]
    rules: Callable[[Mapping[str, Any], Path, Report], None] | None
    build: Callable[[dict[str, Any]], Any]
    may_fail: bool = False
    """Whether `build` may raise ValueError or TypeError for what the schema takes."""


Hook: TypeAlias = ConvertHook | ObjectHook
Hooks: TypeAlias = Mapping[int, Hook]
"""Hooks by the `id` of the schema that they belong to."""
