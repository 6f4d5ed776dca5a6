"""What a rule about tools is: what it looks for, what becomes of it, and where that is known from.

`reported` rules stand on what users met, and may have been mended since; the others on the
provider's own words: its documentation, its code, or its error message. Add one with its source,
or leave it.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final

import attrs

from .finders import ToolFinder, ToolView


class Consequence(Enum):
    """What becomes of what a rule looks for."""

    REFUSED = "refused"
    """An error; as a rule the whole request fails, with all its tools."""
    DROPPED = "dropped"
    """Left out, so that the model does not see it."""
    IGNORED = "ignored"
    """Passed over, or only warned of."""


@attrs.frozen
class Rule:
    """One row. `find` looks at one tool, `find_all` at all of them together."""

    id: str
    looks_for: str
    consequence: Consequence
    says: str
    source: str
    find: ToolFinder | None = None
    find_all: Callable[[Sequence[ToolView]], Iterator[str]] | None = None
    reported: bool = False

    @property
    def provider(self) -> str:
        """Whose rule it is: the part of the id before the slash."""
        return self.id.partition("/")[0]


REFUSED: Final = Consequence.REFUSED
DROPPED: Final = Consequence.DROPPED
IGNORED: Final = Consequence.IGNORED

GITHUB: Final = "https://github.com"
