"""The plain JSON of what a handler gives: instances, foreign classes, tuples, sets and enums."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from typedargs import MCPArgs, is_args_class, unstructure

from . import jsonrpc


def plain(value: Any) -> Any:
    """Return the JSON of `value`; raises TypeError or ValueError where it has none."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, MCPArgs):
        return unstructure(value)
    if is_args_class(type(value)):
        return plain(unstructure(value))
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    return msgspec.to_builtins(value, enc_hook=jsonrpc.builtin)


def _key(key: Any) -> str:
    if type(key) is str:
        return key
    (text,) = msgspec.to_builtins({key: None}, str_keys=True, enc_hook=jsonrpc.builtin)
    return str(text)
