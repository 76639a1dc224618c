"""The text of a claim: its sides, the relations between them, and its limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ..reader.latex import tokens_of
from ..reader.tokens import OPTIMA, ParseError, Token

RELATION = re.compile(
    r"<=>|=>|==|!=|<=|>=|->|~~|[=<>~≈∝⇒⇔≤≥≠→]|\\[A-Za-z]+|propto|approx|implies|iff"
)
#: The relations as LaTeX has them.
IN_LATEX = {
    "==": "=", "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "propto": r"\propto",
    "approx": r"\approx", "~": r"\sim", "->": r"\to",
}  # fmt: skip
#: `\lim_{r \to 1} P(r) = 1`.
LIM = re.compile(r"\s*\\?lim\s*_\s*\{(?P<to>[^{}]*)\}(?P<body>[^=]+)==?(?P<value>[^=]+)")
LATEX = re.compile(r"\\|\^\*|[_^]\{")
CANNOT_BE_A_FACTOR = (")", "]", ",", "/", "*")


@dataclass(frozen=True)
class Sides:
    """A claim or a formula split at its relations: the tokens of each side, the relations, and the sides
    as they are typed.

    Raises
    ------
    ParseError
        Where its tokens are not read.
    """

    text: str
    parts: tuple[tuple[Token, ...], ...]
    relations: tuple[Token, ...]
    sources: tuple[str, ...]

    @classmethod
    def of(cls, text: str, known: Collection[str] = (), *, latex: bool | None = None) -> Sides:
        """The sides of a text, which is LaTeX if it looks like it. A star behind a `known` name may be
        that of an optimum.
        """
        latex = is_latex(text) if latex is None else latex
        tokens = tokens_of(text, latex=latex)
        tokens = tokens if latex else starred(tokens, known)
        parts: list[list[Token]] = [[]]
        relations: list[Token] = []
        for token in tokens:
            if token.kind == "relation":
                relations.append(token)
                parts.append([])
            else:
                parts[-1].append(token)
        sources = (in_one_line(side) for side in spans(text, relations))
        return cls(text, tuple(map(tuple, parts)), tuple(relations), tuple(sources))

    @classmethod
    def of_claim(cls, text: str, known: Collection[str], *, latex: bool | None = None) -> Sides:
        """The sides of a claim, at least two and none of them empty."""
        found = cls.of(text, known, latex=latex)
        for token in (token for part in found.parts for token in part):
            if token.kind == "number" and "E" in token.text and "E" in known:
                number = token.text.lower()
                hint = f": write {number} for the number, 2*E for a product with the loss E"
                raise ParseError.at(text, token.position, f"ambiguous {token.text!r}", hint)
        if not found.relations:
            signs = "=, !=, <, <=, >, >=, propto, approx, ->, ~ or implies"
            raise ParseError(f"a relation is expected: {signs}", text=text)
        for i, relation in enumerate(found.relations):
            if not (found.parts[i] and found.parts[i + 1]):
                missing = f"an expression is missing beside {relation.text!r}"
                raise ParseError.at(text, relation.position, missing)
        return found

    def respelt(self, names: Mapping[str, str]) -> Sides:
        """The sides with other names for some of the names."""
        parts = (tuple(replace(t, text=names.get(t.text, t.text)) for t in p) for p in self.parts)
        return replace(self, parts=tuple(parts))

    @property
    def names(self) -> set[str]:
        """The names in the formula."""
        return {token.text for part in self.parts for token in part if token.kind == "name"}

    def named(self, i: int) -> tuple[str, tuple[str, ...]]:
        """The name and arguments of a side such as `f(x)`; an empty name for any other side."""
        found = called(self.parts[i]) if i < len(self.parts) else None
        return ("", ()) if found is None else (found[0].text, tuple(t.text for t in found[1]))

    @property
    def definition(self) -> str:
        """The equation for the left side, which is LaTeX by its space; empty where there is none."""
        return rf"{self.sources[0]} = \,{self.sources[1]}" if self.relations else ""

    @property
    def defined(self) -> str:
        """The name on the left side of an equation; empty where there is more than a name."""
        signs = [relation.text for relation in self.relations[:1]]
        return self.named(0)[0] if signs in (["=="], ["approx"]) else ""


def is_latex(text: str) -> bool:
    """Whether a text has marks of LaTeX that plain text does not have."""
    return LATEX.search(text) is not None


def without_dollars(text: str) -> str:
    """The formula between dollars, `x = y` of `$x = y$`; any other text as it is."""
    inside = re.fullmatch(r"\s*(\${1,2})([^$]+)\1\s*", text)
    return text if inside is None else inside[2]


def starred(tokens: Iterable[Token], known: Collection[str]) -> list[Token]:
    """The tokens with `N_opt` for `N*` where no factor can follow the star, or the argument C does:
    `N*(C)`, `D*/N*`, `L* - E`. `N* D*`, `L*-E`, `L*(2*C)` and `C*(L)` may be products and are refused.
    """
    found, typed = [], list(tokens)
    for i, token in enumerate(typed):
        before, after = typed[i - 1] if i else token, typed[i + 1 :]
        texts = [part.text for part in after[:3]] if token.text == "*" else []
        if before.text == "C" and texts[:1] == ["("]:
            _refuse_least_compute(after)
        if token.text != "*" or OPTIMA.get(before.text) not in known:
            found.append(token)
            continue
        is_of_compute = texts == ["(", "C", ")"] and [t.kind for t in after[3:4]] != ["power"]
        is_over = not after or after[0].kind in ("relation", "power")
        is_spaced = bool(after) and after[0].position > token.position + 1 == before.position + 2
        is_signed = texts[:1] in (["+"], ["-"])
        if is_over or texts[0] in CANNOT_BE_A_FACTOR or is_of_compute or (is_signed and is_spaced):
            found[-1] = replace(before, text=OPTIMA[before.text])
            continue
        is_pair = texts[0] in OPTIMA and texts[1:2] == ["*"]
        bracket = takewhile(lambda part: part.text != ")", after if texts[0] == "(" else ())
        inside = {part.text for part in bracket if part.kind == "name" or part.text in "+-"}
        if is_signed or is_spaced or is_pair or inside == {"C"}:
            hint = f"{OPTIMA[before.text]} for the optimum, {before.text} * for a product"
            raise ParseError(f"ambiguous '{before.text}*{texts[0]}': write {hint}")
        found.append(token)
    return found


def _refuse_least_compute(bracket: Sequence[Token]) -> None:
    """Refuse `C*(L)`, with a loss or one letter or number, which may be the least compute."""
    inside = [*takewhile(lambda part: part.text != ")", bracket)][1:]
    if {"L", "L_opt"} & {part.text for part in inside} or len(inside) == 1:
        hint = "C_opt for the least compute, C * for a product without brackets"
        raise ParseError(f"ambiguous 'C*({inside[0].text}': write {hint}")


def called(tokens: Sequence[Token]) -> tuple[Token, list[Token]] | None:
    """The name and the arguments, which are names, of tokens such as `f(x, y)`; None for others."""
    if not tokens or tokens[0].kind != "name":
        return None
    name, *rest = tokens
    arguments = rest[1:-1:2]
    marks = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    is_call = marks == ["(", *[","] * (len(arguments) - 1), ")"] and bool(arguments)
    is_named = all(token.kind == "name" for token in arguments)
    return (name, arguments) if not rest or (is_call and is_named) else None


def spans(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they stand in the text."""
    sides, start = [], 0
    for relation in relations:
        sides.append(text[start : relation.position])
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [*sides, text[start:]]


def in_one_line(source: str) -> str:
    """A source in one line, without marks of alignment."""
    return " ".join(source.replace("&", " ").split())


def as_typed(left: str, relation: str, right: str, *, latex: bool = True) -> str:
    """A claim as it would be typed."""
    return f"{left} {IN_LATEX.get(relation, relation) if latex else relation} {right}"


def limit_of(text: str, latex: bool) -> tuple[str, str] | None:
    """The claim and the limit of a text with `lim`; None for any other text."""
    match = LIM.fullmatch(text)
    arrow = r"\to" if latex else "->"
    return match and (f"{match['body'].strip()} {arrow} {match['value'].strip()}", match["to"])
