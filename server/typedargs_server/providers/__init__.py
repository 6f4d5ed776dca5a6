"""What providers and clients are known to make of a tool: the rules, and a check against them.

Pure: tools in, findings out. The rules are tables, one for each provider, and each row has a
source.
"""

from .report import Finding, PlainNotes, check, data_of, is_refused, text_of
from .rule import Consequence, Rule
from .rules import MODES, PROVIDERS, RULES

__all__ = [
    "MODES",
    "PROVIDERS",
    "RULES",
    "Consequence",
    "Finding",
    "PlainNotes",
    "Rule",
    "check",
    "data_of",
    "is_refused",
    "text_of",
]
