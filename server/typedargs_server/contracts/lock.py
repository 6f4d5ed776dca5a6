"""A server's tools as a document that can be kept: what it looks like, and how it is read.

The text of a lock is the server's own JSON, indented: its numbers keep their digits and the
members of its schemas their order. Only the members of a tool are put in one fixed order.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import attrs
import msgspec
from msgspec import Raw

from ..anyschema import Json

VERSION: Final = 1
"""Of the document; raised when a reader of the old one would misread the new one."""

_VERSION_KEY: Final = "lockVersion"

_MEMBERS: Final = (
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "icons",
    "_meta",
)
"""The members of a tool in the order in which they stand in a lock; others follow, sorted."""


class LockError(ValueError):
    """A text is no lock, or what a server sent is no list of tools; the message says why."""


@attrs.frozen
class Lock:
    """The tools of a server, in its order: as values to compare, and as the text to keep."""

    tools: Sequence[Mapping[str, Json]]
    text: str

    @property
    def names(self) -> list[str]:
        """The tools' names, in order."""
        return [str(tool["name"]) for tool in self.tools]


def lock_of(tools: Iterable[bytes] | Iterable[Raw]) -> Lock:
    """Return the lock of tools as `tools/list` gives them, each its JSON. Raises LockError."""
    try:
        ordered = [_ordered(msgspec.json.decode(tool, type=dict[str, Raw])) for tool in tools]
        document = msgspec.json.encode({_VERSION_KEY: VERSION, "tools": ordered})
        text = msgspec.json.format(document, indent=2).decode() + "\n"
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise LockError(f"the list of tools is malformed: {error}") from None
    return read_lock(text)


def read_lock(text: str) -> Lock:
    """Return the lock that `text` is. Raises LockError where it is none."""
    try:
        document: Json = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except RecursionError:
        raise LockError("it is nested too deep") from None
    except ValueError as error:
        raise LockError(f"it is not JSON: {error}") from None
    if not isinstance(document, dict) or _VERSION_KEY not in document:
        raise LockError(f"it has no {_VERSION_KEY}; `typedargs schema` makes such a file")
    if document[_VERSION_KEY] != VERSION:
        raise LockError(
            f"its {_VERSION_KEY} is {document[_VERSION_KEY]!r}; this typedargs reads {VERSION}"
        )
    tools = document.get("tools")
    if not isinstance(tools, list):
        raise LockError("its tools are not a list")
    return Lock([_tool(each) for each in tools], text)


def _ordered(tool: dict[str, Raw]) -> dict[str, Raw]:
    known = [member for member in _MEMBERS if member in tool]
    return {member: tool[member] for member in [*known, *sorted(tool.keys() - set(known))]}


def _tool(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise LockError("it lists what is no tool with a name")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
