"""The equations of a document as they are read: split into their sides, and what these define."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..reader.latex import tokenize_latex
from ..reader.tokens import ParseError, Token
from .paper import PrintedEquation
from .typed import at_relations, called, spans

DEFINES = re.compile(r"let|letting|set|setting|put|defin|denot|writ", re.IGNORECASE)
COLON_EQUALS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
EQUALS_COLON = re.compile(r"=\s*:(?!=)")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]")
LAGRANGIAN = re.compile(r"\\(?:mathcal|mathscr)\s*(?:\{\s*[LJ]\s*\}|[LJ])")
MULTIPLIER = re.compile(r"\\(?:lambda|mu|nu)(?![A-Za-z])")
#: What a Lagrangian is called apart from the loss, in as many characters.
APART = r"\Lambda"


@dataclass(frozen=True)
class Sides:
    """An equation split at its relations."""

    text: str
    tokens: tuple[tuple[Token, ...], ...]
    relations: tuple[Token, ...]
    sources: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Sides | None:
        try:
            tokens = tokenize_latex(text)
        except ParseError:
            return None
        parts, relations = at_relations(tokens)
        sources = tuple(source for _, source in spans(text, relations))
        return cls(text, tuple(map(tuple, parts)), tuple(relations), sources)

    @property
    def first(self) -> tuple[str, tuple[str, ...]] | None:
        """The name that the first side is, where another side follows."""
        return name_alone(self.tokens[0]) if self.relations else None

    @property
    def is_equality(self) -> bool:
        return [relation.text for relation in self.relations] == ["=="]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(t.text for part in self.tokens for t in part if t.kind == "name")


def name_alone(tokens: Sequence[Token]) -> tuple[str, tuple[str, ...]] | None:
    """The name that these tokens are, with its arguments where they are names: `f(x, y)`."""
    named = called(tokens)
    return named and (named[0].text, tuple(token.text for token in named[1]))


def bound(sides: Sides | None) -> frozenset[str]:
    """The arguments of the function that an equation defines: they mean nothing outside it."""
    named = sides.first if sides is not None else None
    return frozenset(named[1] if named is not None else ())


def plain(text: str) -> str:
    """The text with `:=` as an equality, of the same length."""
    text = COLON_EQUALS.sub(lambda match: "=".rjust(len(match.group())), text)
    return EQUALS_COLON.sub(lambda match: "=".ljust(len(match.group())), text)


def renamed(text: str) -> str | None:
    """The name that `NAME := ...` gives a meaning."""
    left = re.split(":?=", text)[0]
    try:
        tokens = tokenize_latex(left) if re.search(r"\\|\{|\*", left) else None
    except ParseError:
        return None
    return tokens[0].text if tokens else left.split("(")[0].strip()


def lagrangian_apart(printed: Sequence[PrintedEquation]) -> list[PrintedEquation]:
    """The equations with the calligraphic L under a name of its own where it is a Lagrangian: where
    a multiplier stands beside it.
    """
    is_one = any(
        LAGRANGIAN.search(e.text.split("=")[0])
        and MULTIPLIER.search(e.text)
        and not DERIVATIVE.search(e.text)
        for e in printed
    )
    if not is_one or any(APART in e.text for e in printed):
        return list(printed)
    return [
        replace(e, text=LAGRANGIAN.sub(lambda m: APART.ljust(len(m.group())), e.text))
        for e in printed
    ]


def restored(text: str) -> str:
    return re.sub(rf"{re.escape(APART)}(?![A-Za-z])", lambda _: r"\mathcal{L}", text)
