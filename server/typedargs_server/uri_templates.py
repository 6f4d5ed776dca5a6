"""URI templates, as RFC 6570 has them, and the way back: the variables that a URI was made from.

The RFC says how a template is expanded, which is left to the library. It does not say how a URI is
matched; here that is: a URI matches where its variables, expanded again, give the same URI. Of
several ways to match, each variable takes as much as it can, from left to right. Templates in which
nothing tells one variable from the next are refused.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
import uritemplate
from uritemplate.variable import URIVariable

from .errors import RegistrationError
from .uris import (
    ENCODED,
    MAX_URI_LENGTH,
    RESERVED,
    UNRESERVED,
    check_characters,
    decoded,
    scheme_of,
    split,
    units_of,
)

Variables: TypeAlias = Mapping[str, str | list[str]]
"""The values of a template's variables, decoded; a list is of one that is exploded."""

_NAME: Final = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*"
_SPEC: Final = rf"{_NAME}(?::[1-9][0-9]{{0,3}}|\*)?"
_EXPRESSION: Final = re.compile(rf"\{{([+#./;?&]?)({_SPEC}(?:,{_SPEC})*)\}}")
_PIECE: Final = re.compile(r"\{[^{}]*\}|[^{}]+|[{}]")
_FIRST: Final[Mapping[str, str]] = {"": "", "+": "", "#": "#", ".": ".", "/": "/"}
"""What stands before the first variable of an expression, by its operator."""
_NEXT: Final[Mapping[str, str]] = {"": ",", ".": ".", "/": "/"}
"""What stands before the others; `+` and `#` have no others, as their values have commas."""
_TOLERATED: Final = frozenset("!$'()*+:@")
"""What an expansion encodes and many clients do not."""
_NO_EXPLODE: Final[Mapping[str, str]] = {
    "": "write {{+{0}}} for a value with slashes, or {{/{0}*}} for a list of segments",
    "+": "write {{+{0}}}",
    "#": "write {{#{0}}}",
    ".": "write {{.{0}}}",
    ";": "write {{?{0}*}}",
}


class _Variable(msgspec.Struct, frozen=True):
    """A variable where it stands in a template."""

    operator: str
    name: str
    explode: bool
    prefix: bool


class _Form(msgspec.Struct, frozen=True):
    """A way to write a part: `lead`, then one or more units of `accepts`, or nothing."""

    lead: tuple[str, ...]
    accepts: frozenset[str] | None = None
    is_absent: bool = False


class _Part(msgspec.Struct, frozen=True):
    """A stretch of a template: text, or a variable with what stands before it."""

    variable: _Variable | None
    forms: tuple[_Form, ...]


class UriTemplate:
    """A template to expand, and to match URIs against.

    Variables in `optional` may be left out of a URI, and those of a query always. Raises
    RegistrationError, in which the template is `label`, where it is no template or URIs cannot be
    matched against it.
    """

    def __init__(self, template: str, label: str, optional: Collection[str] = ()) -> None:
        self._label = label
        self._optional = frozenset(optional)
        self._query: dict[str, _Variable] = {}
        self._has_query = self._has_fragment = False
        self._scheme = (scheme_of(template) or "").lower()
        pieces = self._pieces(_with_lower_scheme(template))
        text = "".join(piece for piece in pieces if isinstance(piece, str))
        self._plain = UNRESERVED | (_TOLERATED - frozenset(text[len(self._scheme) :]))
        self._template = uritemplate.URITemplate(template)
        self._parts = tuple(self._parts_of(pieces))
        self._check_neighbours()
        self._check_repeated()

    @property
    def variables(self) -> Sequence[str]:
        """The names of the variables, in their order."""
        return list(self._template.variable_names)

    @property
    def lists(self) -> Collection[str]:
        """The names of those that are exploded, and so are lists."""
        return frozenset(variable.name for variable in self._occurrences() if variable.explode)

    def expand(self, variables: Variables) -> str:
        """Return the URI of `variables`."""
        given: dict[str, Any] = dict(variables)
        return self._template.expand(given)

    def match(self, uri: str) -> Variables | None:
        """Return the variables that give `uri`, or None where none do; takes linear time."""
        if len(uri) > MAX_URI_LENGTH or uri[: len(self._scheme)].lower() != self._scheme:
            return None
        units = self._whole(uri)
        if units is None:
            return None
        positional, query = self._divided(units)
        first = self._parts[0].forms[0].lead
        if query is None or positional[: len(first)] != first:
            return None
        variables = self._read(positional)
        if variables is None:
            return None
        variables.update(query)
        expanded = self._whole(self.expand(variables))
        same = expanded is not None and self._divided(expanded) == (positional, query)
        return variables if same else None

    # Reading a template

    def _pieces(self, template: str) -> list[str | list[_Variable]]:
        if scheme_of(template) is None:
            raise self._refused('it must begin with a scheme, as in "notes://{id}"')
        if len(template) > MAX_URI_LENGTH:
            raise self._refused(f"it has more than {MAX_URI_LENGTH} characters")
        pieces: list[str | list[_Variable]] = []
        for piece in _PIECE.findall(template):
            if piece in ("{", "}"):
                raise self._refused("a brace has no partner; write others as %7B and %7D")
            if not piece.startswith("{"):
                check_characters(piece, self._label)
                pieces.append(piece)
                continue
            match = _EXPRESSION.fullmatch(piece)
            if match is None:
                raise self._refused(
                    f"{piece} is no expression of RFC 6570, as {{name}}, {{+path}} or {{?a,b}} are"
                )
            pieces.append(self._expression(piece, *uritemplate.URITemplate(piece).variables))
        return pieces

    def _expression(self, piece: str, parsed: URIVariable) -> list[_Variable]:
        operator = parsed.operator.value
        found = [
            _Variable(operator, name, options["explode"], options["prefix"] is not None)
            for name, options in parsed.variables
        ]
        for variable in found:
            if variable.explode and operator in _NO_EXPLODE:
                raise self._refused(
                    f"nothing tells where the values of {piece} end; "
                    + _NO_EXPLODE[operator].format(variable.name)
                )
        if operator in ("+", "#") and len(found) > 1:
            raise self._refused(
                f"nothing tells where the values of {piece} end; "
                f"write one variable, as in {{{operator}{found[0].name}}}"
            )
        return found

    def _parts_of(self, pieces: Sequence[str | list[_Variable]]) -> Iterator[_Part]:
        for piece in pieces:
            if isinstance(piece, str):
                if self._query and not piece.startswith("#"):
                    raise self._refused(f"{piece!r} stands after the query; write it before")
                self._has_query |= "?" in piece
                self._has_fragment |= "#" in piece
                yield _Part(None, (_Form(self._units(piece)),))
            elif piece[0].operator in ("?", "&"):
                self._add_query(piece)
            elif self._query and piece[0].operator != "#":
                raise self._refused(f"{{{piece[0].name}}} stands after the query; write it before")
            else:
                self._has_fragment |= piece[0].operator == "#"
                for index, variable in enumerate(piece):
                    yield _Part(variable, tuple(self._forms(variable, index)))

    def _add_query(self, piece: Sequence[_Variable]) -> None:
        operator, name = piece[0].operator, piece[0].name
        if (operator == "?") == self._has_query:
            right, does = ("&", "continues") if self._has_query else ("?", "begins")
            raise self._refused(
                f"{{{operator}{name}}} stands where a query {does}; write {{{right}{name}}}"
            )
        if self._has_fragment:
            raise self._refused(f"{{{operator}{name}}} stands after the fragment; write it before")
        self._has_query = True
        for variable in piece:
            key = "".join(self._units(variable.name))
            if key in self._query:
                raise self._refused(f"the query has {variable.name} twice")
            self._query[key] = variable

    def _forms(self, variable: _Variable, index: int) -> Iterator[_Form]:
        name, operator = variable.name, variable.operator
        accepts = self._plain | ENCODED
        if operator in ("+", "#"):
            accepts |= RESERVED
        if variable.explode:
            accepts |= {"/"}
        if operator == ";":
            yield _Form(self._units(f";{name}="), accepts)
            yield _Form(self._units(f";{name}"))
        else:
            yield _Form(tuple((_NEXT if index else _FIRST)[operator]), accepts)
        if name in self._optional:
            yield _Form((), is_absent=True)

    def _check_neighbours(self) -> None:
        for part, following in zip(self._parts, self._parts[1:], strict=False):
            first, second = part.variable, following.variable
            if first and second and any(f.accepts and not f.lead for f in following.forms):
                raise self._refused(
                    f"nothing tells where {first.name} ends and {second.name} begins; "
                    "write text between them"
                )

    def _check_repeated(self) -> None:
        names = [variable.name for variable in self._occurrences()]
        for name in self.lists:
            if names.count(name) > 1:
                raise self._refused(f"{name} is a list, and stands there twice")

    def _occurrences(self) -> list[_Variable]:
        found = [part.variable for part in self._parts if part.variable is not None]
        return [*found, *self._query.values()]

    def _refused(self, why: str) -> RegistrationError:
        return RegistrationError(f"{self._label}: {why}")

    def _whole(self, uri: str) -> tuple[str, ...] | None:
        return units_of(_with_lower_scheme(uri), self._plain)

    def _units(self, text: str) -> tuple[str, ...]:
        return units_of(text, self._plain) or ()

    # Matching a URI

    def _divided(
        self, units: tuple[str, ...]
    ) -> tuple[tuple[str, ...], dict[str, str | list[str]] | None]:
        """Return `units` without the query's variables, and these, which come in any order.

        They are None where they cannot be an expansion.
        """
        if not self._query:
            return units, {}
        whole, hash_mark, fragment = _partition(units, "#")
        base, question_mark, query = _partition(whole, "?")
        values: dict[str, list[str]] = {}
        others: list[tuple[str, ...]] = []
        for pair in split(query, "&") if question_mark else ():
            key, equals, value = _partition(pair, "=")
            variable = self._query.get("".join(key)) if equals else None
            if variable is None:
                others.append(pair)
                continue
            text = decoded(value)
            if text is None:
                return units, None
            values.setdefault(variable.name, []).append(text)
        for index, pair in enumerate(others):
            base = (*base, "&" if index else "?", *pair)
        lists = self.lists
        if any(len(texts) > 1 for name, texts in values.items() if name not in lists):
            return units, None
        variables = {name: t if name in lists else t[0] for name, t in values.items()}
        return (*base, *hash_mark, *fragment), variables

    def _read(self, units: tuple[str, ...]) -> dict[str, str | list[str]] | None:
        """Return the variables that stand in the path, or None where the parts do not fit."""
        fits = self._fitting(units)
        if not fits[0][0]:
            return None
        variables: dict[str, str | list[str]] = {}
        position = 0
        for part, rest in zip(self._parts, fits[1:], strict=True):
            form, start, position = _taken(part, units, position, rest)
            variable = part.variable
            if variable is None or form.is_absent:
                continue
            value = _value(variable, units[start:position])
            if value is None:
                return None
            if not (variable.prefix and variable.name in variables):
                variables[variable.name] = value
        return variables

    def _fitting(self, units: tuple[str, ...]) -> list[bytearray]:
        """Return for each part, and for the end, the positions from which on all the rest fits."""
        after = bytearray(len(units) + 1)
        after[-1] = True
        fits = [after]
        for part in reversed(self._parts):
            before = bytearray(len(units) + 1)
            for form in part.forms:
                ends = after if form.accepts is None else _within(units, form.accepts, after)
                for position in _positions(units, form.lead):
                    before[position] |= ends[position + len(form.lead)]
            fits.append(before)
            after = before
        return fits[::-1]


def _within(units: tuple[str, ...], accepts: frozenset[str], after: bytearray) -> bytearray:
    """Return the positions where units of `accepts` begin that end where `after` allows it."""
    ends = bytearray(len(units) + 1)
    for position in range(len(units) - 1, -1, -1):
        if units[position] in accepts:
            ends[position] = after[position + 1] | ends[position + 1]
    return ends


def _positions(units: tuple[str, ...], lead: tuple[str, ...]) -> Iterator[int]:
    """Return where `lead` stands in `units`."""
    for position in range(len(units) - len(lead) + 1):
        if units[position : position + len(lead)] == lead:
            yield position


def _taken(
    part: _Part, units: tuple[str, ...], position: int, rest: bytearray
) -> tuple[_Form, int, int]:
    """Return the first form of `part` that fits at `position`, and where its value begins and ends.

    The value is the longest after which the rest fits.
    """
    for form in part.forms:
        start = position + len(form.lead)
        if units[position:start] != form.lead:
            continue
        if form.accepts is None:
            if rest[start]:
                return form, start, start
            continue
        end = longest = start
        while end < len(units) and units[end] in form.accepts:
            end += 1
            if rest[end]:
                longest = end
        if longest > start:
            return form, start, longest
    raise AssertionError("a position from which the parts fit")


def _value(variable: _Variable, units: tuple[str, ...]) -> str | list[str] | None:
    if not variable.explode:
        return decoded(units)
    values = [decoded(segment) for segment in split(units, "/")]
    texts = [value for value in values if value is not None]
    return texts if len(texts) == len(values) else None


def _partition(
    units: tuple[str, ...], separator: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    if separator not in units:
        return units, (), ()
    position = units.index(separator)
    return units[:position], (separator,), units[position + 1 :]


def _with_lower_scheme(uri: str) -> str:
    scheme = scheme_of(uri) or ""
    return scheme.lower() + uri[len(scheme) :]
