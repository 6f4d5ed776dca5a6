"""All rules: what providers and clients are known to refuse, drop or ignore in a tool."""

from collections.abc import Sequence
from typing import Final

from . import anthropic, gemini, openai, vscode
from .rule import Rule

RULES: Final[Sequence[Rule]] = (
    *openai.RULES,
    *openai.STRICT_RULES,
    *anthropic.RULES,
    *anthropic.STRICT_RULES,
    *gemini.RULES,
    *vscode.RULES,
)

PROVIDERS: Final = ("openai", "anthropic", "gemini", "vscode")
"""Those that are checked where none is named."""

MODES: Final = {"openai-strict": "openai", "anthropic-strict": "anthropic"}
"""Modes that a caller of the provider may choose, each with the provider whose rules hold too."""
