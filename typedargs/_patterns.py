"""Regular expressions as JSON Schema means them (ECMA-262), in Python's terms.

What the two languages write alike and mean differently is settled here: `$` is the end of the
text and not also the place before a last newline, and `\\d`, `\\w` and `\\b` are ASCII.

Source: https://json-schema.org/draft/2020-12/json-schema-core#section-6.4
"""

import re
from typing import Final

_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return `pattern` compiled; raises ValueError where it is no regular expression."""
    try:
        return re.compile(_TOKEN.sub(_token, pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _token(match: re.Match[str]) -> str:
    return r"\Z" if match[0] == "$" else match[0]
