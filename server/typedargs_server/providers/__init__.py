"""What providers and clients are known to make of a tool: the rules, and a check against them.

Pure: tools in, findings out. `rules` is the table, and each of its rows has a source.
"""

from .report import Finding, PlainNotes, check, data_of, is_refused, text_of
from .rules import MODES, PROVIDERS, RULES, Consequence, Rule

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
