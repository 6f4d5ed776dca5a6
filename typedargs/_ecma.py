"""Regular expressions of ECMA-262, as JSON Schema has them, on the engine of the package `regex`.

A pattern is read by the grammar of the `u` flag, and written again in the engine's own syntax with
the same meaning. The engine bounds the time of a search, whatever the pattern and the text.

Source: https://tc39.es/ecma262/#sec-patterns
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeAlias

from ._bounds import bounds

Range: TypeAlias = tuple[int, int]

_MAX_WAYS: Final = 1_000
_TOP: Final = 0x10FFFF
_DIGITS: Final[list[Range]] = [(0x30, 0x39)]
_WORD: Final[list[Range]] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_SPACE: Final[list[Range]] = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
]
_LINE_ENDS: Final[list[Range]] = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_QUANTIFIED_OPEN: Final = frozenset("*+?{")


class PatternError(ValueError):
    """A pattern that is no regular expression of ECMA-262 with the `u` flag."""


def searcher(pattern: str) -> Callable[[str], bool]:
    """Return the function that tells whether `pattern` is found in a text.

    The function raises TimeoutError after `bounds.search_seconds`. Raises PatternError.
    """
    translator = _Translator(pattern)
    translated = translator.translate()
    if translator.is_linear:  # then Python's own engine is fast, and needs no bound
        import re

        found_by_re = re.compile(translated).search
        return lambda text: found_by_re(text) is not None
    import regex  # type: ignore[import-untyped]  # only where a schema has such a pattern

    try:
        compiled: Any = regex.compile(translated, regex.VERSION0)
    except regex.error as error:
        raise PatternError(str(error)) from None
    search = compiled.search

    def found(text: str) -> bool:
        return search(text, timeout=bounds.search_seconds) is not None

    return found


def translate(pattern: str) -> str:
    """Return `pattern` in the engine's syntax. Raises PatternError."""
    return _Translator(pattern).translate()


class _Translator:
    """Reads a pattern once, from left to right, and writes the engine's as it goes."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.at = 0
        self.names, self.groups = _group_names(pattern)
        self.is_anchored = pattern.startswith("^") and "|" not in pattern
        self.is_plain = True
        """Whether there is nothing but characters, classes, groups and quantifiers of those."""
        self.ways = 1
        """In how many ways the bounded quantifiers can share a text."""
        self.unbounded = 0

    @property
    def is_linear(self) -> bool:
        """Whether a search takes time in proportion to the length of the text, whatever it is."""
        few = self.ways <= _MAX_WAYS and self.unbounded <= self.is_anchored
        return self.is_plain and few

    def translate(self) -> str:
        result = self.disjunction()
        if self.at < len(self.text):
            self.fail("unmatched )")
        return result

    def disjunction(self) -> str:
        parts: list[str] = []
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.take("|"):
                parts.append("|")
            else:
                parts.append(self.term())
        return "".join(parts)

    def term(self) -> str:
        if self.take("^"):
            return r"\A" + self.no_quantifier()
        if self.take("$"):
            return r"\Z" + self.no_quantifier()
        for boundary in ("\\b", "\\B"):
            if self.take(boundary):
                return _BOUNDARIES[boundary] + self.no_quantifier()
        for look in ("(?=", "(?!", "(?<=", "(?<!"):
            if self.take(look):
                self.is_plain = False
                return f"{look}{self.closed()})" + self.no_quantifier()
        ways, unbounded = self.ways, self.unbounded
        atom = self.atom()
        is_varied = (self.ways, self.unbounded) != (ways, unbounded)
        quantifier = self.quantifier()
        if quantifier and is_varied:
            self.is_plain = False
        return atom + quantifier

    def atom(self) -> str:
        if self.take("(?:"):
            return f"(?:{self.closed()})"
        if self.take("(?<"):
            self.name()
            return f"({self.closed()})"
        if self.take("("):
            if self.text[self.at : self.at + 1] == "?":
                self.fail("unknown kind of group")
            return f"({self.closed()})"
        if self.take("["):
            return self.character_class()
        if self.take("."):
            return _set(_LINE_ENDS, [], negated=True)
        if self.take("\\"):
            return self.atom_escape()
        character = self.text[self.at]
        if character in "*+?{}]":
            self.fail(f"{character} stands alone; write \\{character} for the character")
        self.at += 1
        return _literal(ord(character))

    def closed(self) -> str:
        inner = self.disjunction()
        if not self.take(")"):
            self.fail("a group is not closed")
        return inner

    def quantifier(self) -> str:
        for simple in "*+?":
            if self.take(simple):
                if simple == "?":
                    self.ways *= 2
                else:
                    self.unbounded += 1
                return simple + ("?" if self.take("?") else "")
        if not self.take("{"):
            return ""
        low = self.digits()
        bounds = low
        if self.take(","):
            high = self.digits(optional=True)
            bounds = f"{low},{high}"
            if high:
                self.ways *= 1 + abs(int(high) - int(low))
            else:
                self.unbounded += 1
            if high and int(high) < int(low):
                self.fail("a quantifier's bounds are out of order")
        if not low or not self.take("}"):
            self.fail("a quantifier is malformed; write \\{ for the character")
        return f"{{{bounds}}}" + ("?" if self.take("?") else "")

    def no_quantifier(self) -> str:
        if self.text[self.at : self.at + 1] in _QUANTIFIED_OPEN:
            self.fail("an assertion cannot be repeated")
        return ""

    def atom_escape(self) -> str:
        if self.text[self.at : self.at + 1] in set("123456789"):
            self.is_plain = False
            group = int(self.digits())
            if group > self.groups:
                self.fail(f"there is no group {group}")
            return f"(?({group})\\{group}|)"
        if self.take("k"):
            if not self.take("<"):
                self.fail("\\k needs <name>")
            self.is_plain = False
            name = self.name()
            if name not in self.names:
                self.fail(f"there is no group named {name}")
            group = self.names[name]
            return f"(?({group})\\{group}|)"
        ranges, properties = self.escape(in_class=False)
        return _set(ranges, properties)

    def escape(self, *, in_class: bool) -> tuple[list[Range], list[str]]:
        """Return what the escape after a backslash stands for: ranges, or Unicode properties."""
        if self.at >= len(self.text):
            self.fail("\\ at the end")
        character = self.text[self.at]
        self.at += 1
        if character.lower() in _CLASSES:
            ranges = _CLASSES[character.lower()]
            return (ranges if character.islower() else _complement(ranges)), []
        if character in "pP":
            self.is_plain = False
            return [], [f"\\{character}{{{self.braced()}}}"]
        return [_one(self.character_escape(character, in_class))], []

    def character_escape(self, character: str, in_class: bool) -> int:
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "c":
            letter = self.text[self.at : self.at + 1]
            if not (letter.isascii() and letter.isalpha()):
                self.fail("\\c needs a letter")
            self.at += 1
            return ord(letter) % 32
        if character == "0" and not self.text[self.at : self.at + 1].isdigit():
            return 0
        if character == "x":
            return self.hexadecimal(2)
        if character == "u":
            return self.code_point()
        if in_class and character in "b-":
            return 0x08 if character == "b" else 0x2D
        if character not in _SYNTAX:
            self.fail(f"\\{character} has no meaning")
        return ord(character)

    def code_point(self) -> int:
        if self.text[self.at : self.at + 1] == "{":
            digits = self.braced()
            if not digits or not _is_hexadecimal(digits) or int(digits, 16) > _TOP:
                self.fail("\\u{...} needs a code point")
            return int(digits, 16)
        lead = self.hexadecimal(4)
        if 0xD800 <= lead < 0xDC00 and self.text.startswith("\\u", self.at):
            before = self.at
            self.at += 2
            if self.text[self.at : self.at + 1] != "{":
                trail = self.hexadecimal(4)
                if 0xDC00 <= trail < 0xE000:
                    return 0x10000 + ((lead - 0xD800) << 10) + (trail - 0xDC00)
            self.at = before
        return lead

    def character_class(self) -> str:
        negated = self.take("^")
        ranges: list[Range] = []
        properties: list[str] = []
        while not self.take("]"):
            low, named = self.class_atom()
            if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
                self.at += 1
                high, named_high = self.class_atom()
                if named or named_high or len(low) != 1 or len(high) != 1:
                    self.fail("a range needs a character at each end")
                if low[0][0] != low[0][1] or high[0][0] != high[0][1] or high[0] < low[0]:
                    self.fail("a range is out of order, or not between characters")
                low = [(low[0][0], high[0][1])]
            ranges += low
            properties += named
        return _set(ranges, properties, negated=negated)

    def class_atom(self) -> tuple[list[Range], list[str]]:
        if self.at >= len(self.text):
            self.fail("a character class is not closed")
        if self.take("\\"):
            return self.escape(in_class=True)
        character = self.text[self.at]
        self.at += 1
        return [_one(ord(character))], []

    def name(self) -> str:
        end = self.text.find(">", self.at)
        name = self.text[self.at : end] if end >= 0 else ""
        if not name.isidentifier():
            self.fail("a group's name is malformed")
        self.at = end + 1
        return name

    def braced(self) -> str:
        end = self.text.find("}", self.at)
        if self.text[self.at : self.at + 1] != "{" or end < 0:
            self.fail("a brace is missing")
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        if not inner or not all(c.isascii() and (c.isalnum() or c in "_=") for c in inner):
            self.fail(f"{{{inner}}} has no meaning")
        return inner

    def hexadecimal(self, length: int) -> int:
        digits = self.text[self.at : self.at + length]
        if len(digits) != length or not _is_hexadecimal(digits):
            self.fail(f"{length} hexadecimal digits are missing")
        self.at += length
        return int(digits, 16)

    def digits(self, *, optional: bool = False) -> str:
        start = self.at
        while self.text[self.at : self.at + 1] in _ASCII_DIGITS:
            self.at += 1
        if start == self.at and not optional:
            self.fail("a number is missing")
        return self.text[start : self.at]

    def take(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def fail(self, what: str) -> NoReturn:
        raise PatternError(f"{what}, at position {self.at}")


_ASCII_DIGITS: Final = frozenset("0123456789")


def _group_names(pattern: str) -> tuple[dict[str, int], int]:
    """Return the number of each named group, and how many groups there are."""
    names: dict[str, int] = {}
    count = 0
    at, in_class = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif character == "[":
            in_class = True
        elif character == "]":
            in_class = False
        elif character == "(" and not in_class:
            named = pattern.startswith("(?<", at) and pattern[at + 3 : at + 4] not in ("=", "!")
            if named or pattern[at + 1 : at + 2] != "?":
                count += 1
            if named:
                name = pattern[at + 3 : pattern.find(">", at)]
                if name in names:
                    raise PatternError(f"two groups are named {name}")
                names[name] = count
        at += 1
    return names, count


def _one(code: int) -> Range:
    return code, code


def _is_hexadecimal(digits: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in digits)


def _complement(ranges: Iterable[Range]) -> list[Range]:
    result: list[Range] = []
    start = 0
    for low, high in sorted(ranges):
        if low > start:
            result.append((start, low - 1))
        start = max(start, high + 1)
    if start <= _TOP:
        result.append((start, _TOP))
    return result


def _literal(code: int) -> str:
    return chr(code) if chr(code).isalnum() and code < 0x80 else f"\\U{code:08x}"


def _set(ranges: list[Range], properties: list[str], *, negated: bool = False) -> str:
    if not ranges and not properties:
        return r"(?:(?!)|(?s:.))" if negated else r"(?!)"
    if len(ranges) == 1 and not properties and not negated and ranges[0][0] == ranges[0][1]:
        return _literal(ranges[0][0])
    members = [
        _literal(low) if low == high else f"{_literal(low)}-{_literal(high)}"
        for low, high in ranges
    ]
    return f"[{'^' if negated else ''}{''.join(members)}{''.join(properties)}]"


_WORD_SET: Final = _set(_WORD, [])
_BOUNDARIES: Final = {
    "\\b": f"(?:(?<={_WORD_SET})(?!{_WORD_SET})|(?<!{_WORD_SET})(?={_WORD_SET}))",
    "\\B": f"(?:(?<={_WORD_SET})(?={_WORD_SET})|(?<!{_WORD_SET})(?!{_WORD_SET}))",
}
