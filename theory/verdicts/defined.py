"""The equations of a document as they are read: under which settings, and split into their sides."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..algebra.latex_input import tokenize_latex
from ..algebra.tokens import ParseError, Token
from ..budget import SIX_ND, Budget
from .at_law import HasCoefficients
from .paper import PrintedEquation
from .prove import Proof, proved
from .typed import spans
from .vocabulary import Vocabulary, vocabulary

DEFINES = re.compile(r"let|letting|set|setting|put|defin|denot|writ", re.IGNORECASE)
COLON_EQUALS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
EQUALS_COLON = re.compile(r"=\s*:(?!=)")
DERIVATIVE = re.compile(r"\\partial|\\frac\s*\{\s*(?:\\mathrm\{d\}|\\mathrm\s*d|d)[\s\\A-Z^]")
LAGRANGIAN = re.compile(r"\\(?:mathcal|mathscr)\s*(?:\{\s*[LJ]\s*\}|[LJ])")
MULTIPLIER = re.compile(r"\\(?:lambda|mu|nu)(?![A-Za-z])")
#: What a Lagrangian is called apart from the loss, in as many characters.
APART = r"\Lambda"


@dataclass(frozen=True)
class Settings:
    """What holds for every equation of the document."""

    notation: str = "schaeffer"
    budget: Budget | None = None
    law: HasCoefficients | None = None
    assume: Sequence[str] = ()
    let: Sequence[str] = ()
    limit: str | None = None
    seconds: float | None = None
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Of letters of its own that are not just positive."""

    @property
    def words(self) -> Vocabulary:
        """The names and what they mean."""
        words = vocabulary(self.notation, self.budget or SIX_ND)
        return replace(words, signs=self.signs) if self.signs else words

    def prove(self, text: str, **more: Any) -> Proof:
        """The verdict on one claim under these settings and what is added to them."""
        given: dict[str, Any] = {
            "assume": (*self.assume, *more.pop("assume", ())),
            "let": (*self.let, *more.pop("let", ())),
            "limit": more.pop("limit", None) or self.limit,
        }
        return proved(
            text,
            self.words,
            latex=True,
            law=self.law,
            seconds=self.seconds,
            **given,
            **more,
        )


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
        relations = tuple(token for token in tokens if token.kind == "relation")
        parts: list[list[Token]] = [[]]
        for token in tokens:
            if token.kind == "relation":
                parts.append([])
            else:
                parts[-1].append(token)
        sources = tuple(source for _, source in spans(text, relations))
        return cls(text, tuple(map(tuple, parts)), relations, sources)

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
    if not tokens or tokens[0].kind != "name":
        return None
    name, rest = tokens[0].text, tokens[1:]
    if not rest:
        return name, ()
    arguments = rest[1:-1:2]
    marks = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    if marks == ["(", *[","] * (len(arguments) - 1), ")"] and all(
        token.kind == "name" for token in arguments
    ):
        return name, tuple(token.text for token in arguments)
    return None


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
