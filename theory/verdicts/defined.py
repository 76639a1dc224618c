"""The equations of a document as they are read: the settings, the two sides of each, the names that
it defines and from where to where they hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..algebra.latex_input import tokenize_latex
from ..algebra.parse import ParseError, Token
from ..budget import SIX_ND, Budget
from .at_law import HasCoefficients
from .paper import RELATION, PrintedEquation
from .prove import Proof, proved
from .source import Place
from .vocabulary import Vocabulary, vocabulary

DEFINES = re.compile(r"let|letting|set|setting|put|defin|denot|writ", re.IGNORECASE)
COLON_EQUALS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
EQUALS_COLON = re.compile(r"=\s*:(?!=)")
THEOREMS = ("theorem", "lemma", "proposition", "corollary", "example", "remark", "claim")
NEW_THEOREM = re.compile(r"\\newtheorem\*?\{([^{}]*)\}")
#: "In the setting of Theorem~\\ref{...}".
SETTING = re.compile(
    r"\b(?:setting|notation|assumptions?|hypothes[ei]s|conditions?) of (?:[A-Z][a-z]+\.?)?[\s~]*"
    r"\\(?:[cC]|auto)?ref\{(?P<label>[^{}]*)\}"
)
ENVIRONMENT = re.compile(r"\\begin\{(?P<name>[A-Za-z]+\*?)\}")
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
        sources, start = [], 0
        for relation in relations:
            sources.append(text[start : relation.position])
            match = RELATION.match(text, relation.position)
            start = match.end() if match is not None else relation.position + 1
        sources.append(text[start:])
        return cls(text, tuple(map(tuple, parts)), relations, tuple(sources))

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
    named = name_alone(sides.tokens[0]) if sides is not None and sides.relations else None
    return frozenset(named[1] if named is not None else ())


@dataclass(frozen=True)
class Scope:
    """From where to where in the document something holds.

    Attributes
    ----------
    first : int
    last : int or None
        The end of the proof or of the theorem that it belongs to; None without one.
    again : tuple of tuple of int
        The theorems that take the setting of the one it belongs to, from where to where.
    """

    first: int
    last: int | None = None
    again: tuple[tuple[int, int], ...] = ()

    def since(self, at: int) -> int | None:
        """From where on it holds at a place of the document; None where it does not hold."""
        spans = ((self.first, self.last), *self.again)
        starts = [start for start, end in spans if start <= at and (end is None or at < end)]
        return max(starts, default=None)


@dataclass(frozen=True)
class Definition:
    """A name that the document gives a meaning.

    Attributes
    ----------
    name : str
    text : str
        `name = expression`, in LaTeX; `name == expression` where a condition determines the name.
    place : Place
    names : frozenset of str
        What the expression is made of.
    trouble : str
        Why the expression cannot be read; the name has no meaning then.
    scope : Scope
        Where in the document it may be used.
    """

    name: str
    text: str
    place: Place
    names: frozenset[str]
    scope: Scope
    trouble: str = ""

    def holds(self, at: int) -> bool:
        """Whether it holds at a place of the document."""
        return self.scope.since(at) is not None

    @property
    def shown(self) -> str:
        """On one line."""
        return restored(" ".join(self.text.replace("&", " ").split()))

    @property
    def shown_name(self) -> str:
        """The name as a reader of the document knows it."""
        return self.name if self.name != APART.removeprefix("\\") else r"\mathcal{L}"


@dataclass(frozen=True)
class Environment:
    """A theorem with the proof that follows it, or a proof.

    Attributes
    ----------
    start, end : int
    is_proof : bool
    settings : frozenset of int
        Where the theorems begin whose settings it takes, and those that they take.
    """

    start: int
    end: int
    is_proof: bool
    settings: frozenset[int] = frozenset()

    def __contains__(self, at: int) -> bool:
        return self.start <= at < self.end


def environments(text: str) -> list[Environment]:
    """The theorems, each with the proof that follows it, and the proofs, in the order of the text."""
    names = {*THEOREMS, *NEW_THEOREM.findall(text)}
    spans: list[Environment] = []
    for match in ENVIRONMENT.finditer(text):
        bare = match["name"].rstrip("*")
        closing = text.find(rf"\end{{{match['name']}}}", match.end())
        if (bare == "proof" or bare in names) and closing >= 0:
            spans.append(Environment(match.start(), closing, bare == "proof"))
    whole: list[Environment] = []
    for span, following in zip(spans, [*spans[1:], None], strict=False):
        inside = text[span.start : span.end]
        labels = [re.escape(reference["label"]) for reference in SETTING.finditer(inside)]
        homes = [
            home
            for home in whole
            if not home.is_proof
            and any(
                re.search(rf"\\label\{{{label}\}}", text[home.start : home.end]) for label in labels
            )
        ]
        end = following.end if following and following.is_proof and not span.is_proof else span.end
        settings = frozenset[int]().union(*({home.start, *home.settings} for home in homes))
        whole.append(Environment(span.start, end, span.is_proof, settings))
    return whole


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
