"""A claim as a user types it: proved, refuted with a witness, or undecided; a chain is checked link by link."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Symbol, oo

from isoflop.theory.bounds import decide_bound
from isoflop.theory.budget import Budget
from isoflop.theory.latex_input import tokenize_latex
from isoflop.theory.limits import decide_limit
from isoflop.theory.normalform.decide import Answer, Decision, decide
from isoflop.theory.parse import Formula, ParseError, Token, read, substituted, tokenize
from isoflop.theory.vocabulary import vocabulary

RELATION = re.compile(r"==|<=|>=|->|[=<>~]|\\[A-Za-z]+")
LIMIT = re.compile(
    r"\s*\\?(?P<name>[A-Za-z]\w*)\s*(?:->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z]))"
    r"\s*(?P<limit>0(?:\^?\{?\+\}?)?|\+?(?:oo|inf|infinity|\\infty))\s*"
)
INFINITIES = (["oo"], ["inf"], ["infinity"])
GREEK_NAMES = frozenset(
    ["delta", "epsilon", "zeta", "eta", "theta", "lambda", "mu", "nu", "xi", "sigma", "tau", "phi", "chi", "psi", "omega"]
)
FREE_NAME = re.compile(r"[A-Za-z]([0-9]{1,2}|_[A-Za-z0-9]{1,2})?")


@dataclass(frozen=True)
class Link:
    """One link `lhs relation rhs` of a chain, as typed and as decided."""

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    position: int = 0
    """Of the relation in the text."""


@dataclass(frozen=True)
class Proof:
    """The verdict on a claim.

    Attributes
    ----------
    text : str
        As typed.
    links : tuple of Link
        One for `a == b`, several for `a == b == c`.
    free : tuple of str
        Names that stand for free positive symbols because the law has none of that name.
    """

    text: str
    links: tuple[Link, ...]
    free: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """Refuted where a link is; else undecided where a link is; else proved."""
        answers = [link.decision.answer for link in self.links]
        return next((a for a in (Answer.REFUTED, Answer.UNDECIDED) if a in answers), Answer.PROVED)

    @property
    def first_failure(self) -> Link | None:
        """The first link that is refuted, else the first that is undecided."""
        for answer in (Answer.REFUTED, Answer.UNDECIDED):
            for link in self.links:
                if link.decision.answer is answer:
                    return link
        return None

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            prefix = f"  {link.text}: " if len(self.links) > 1 else "  "
            lines.append(f"{prefix}{link.decision}")
        if self.free:
            lines.append(f"  free positive symbols: {', '.join(self.free)}")
        return "\n".join(lines)


def prove(
    text: str,
    *,
    latex: bool = False,
    assume: Sequence[str] = (),
    notation: str = "schaeffer",
    limit: str | None = None,
    budget: Budget | None = None,
    seed: int = 0,
) -> Proof:
    """Decide a claim, or a chain of claims, in the symbols of the law.

    Parameters
    ----------
    text : str
        `lhs == rhs` (also `=`), `<=`, `>=`, `<`, `>`; with `limit`, `lhs -> rhs` and `lhs ~ rhs`. Chains `a == b <= c` are
        checked link by link. Names of the law mean the law's quantities: N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt,
        D_opt, L_opt, R_opt, alpha, C0, w_N, w_D, G, P, r, rho, kappa; a single letter that means nothing is a free positive
        symbol.
    latex : bool
        Read LaTeX: `\\frac{\\beta\\gamma}{\\beta+\\gamma} = \\alpha`, `N^{*}(C)`, ...
    assume : sequence of str
        `C == 6*N*D` replaces a symbol, `r > 1` bounds the domain.
    notation : {"schaeffer", "hoffmann"}
    limit : str, optional
        `r -> 0` or `r -> oo`.
    budget : Budget, optional
        Under which N_opt and the rest are meant; 6 N D by default.

    Returns
    -------
    Proof

    Raises
    ------
    ParseError
        Naming what could not be read, and where. Nothing is evaluated as code.
    """
    table = dict(vocabulary(notation, *([budget] if budget is not None else [])).names)
    reader = _Claims(table, latex)
    replaced, positive = _assumptions(assume, table)
    parts, relations = reader.split(text)
    sides = [reader.side(text, part, relation) for part, relation in zip(parts, [None, *relations], strict=True)]
    sides = [substituted(side, replaced, text) for side in sides]
    target = _limit(limit, table) if limit is not None else None
    shown = _sources(text, relations)
    links = []
    for i, relation in enumerate(relations):
        decision = _decide(sides[i], relation.text, sides[i + 1], positive, target, seed, text)
        link = f"{shown[i]} {relation.text} {shown[i + 1]}"
        links.append(Link(link, sides[i], relation.text, sides[i + 1], decision, relation.position))
    return Proof(text, tuple(links), tuple(reader.free))


class _Claims:
    """Splits a claim into sides and reads each; collects the free symbols that it meets."""

    def __init__(self, table: dict[str, Expr | Formula], latex: bool) -> None:
        self.table, self.latex = table, latex
        self.free: dict[str, Symbol] = {}

    def split(self, text: str) -> tuple[list[list[Token]], list[Token]]:
        tokens = tokenize_latex(text) if self.latex else tokenize(text)
        parts: list[list[Token]] = [[]]
        relations: list[Token] = []
        for token in tokens:
            if token.kind == "relation":
                relations.append(Token("relation", "==" if token.text == "=" else token.text, token.position))
                parts.append([])
            else:
                parts[-1].append(token)
        if not relations:
            raise ParseError("a claim needs a relation: ==, <=, >=, -> or ~", text=text)
        for before, relation, after in zip(parts, relations, parts[1:], strict=False):
            if not (before and after):
                raise ParseError.at(text, relation.position, f"an expression is missing beside {relation.text!r}")
        return parts, relations

    def side(self, text: str, tokens: list[Token], relation: Token | None) -> Expr:
        """One side; after `->` it may be infinite."""
        if relation is not None and relation.text == "->" and [token.text for token in tokens if token.text != "+"] in INFINITIES:
            return oo
        return self.expression(text, tokens)

    def expression(self, text: str, tokens: list[Token]) -> Expr:
        tokens = [self._known(token) for token in tokens]
        for token in tokens:
            if token.kind == "name" and token.text not in self.table and _may_be_free(token.text):
                self.free[token.text] = self.table[token.text] = Symbol(token.text, positive=True)
        self._refuse_arguments(text, tokens)
        return read(text, tokens, self.table)

    def _refuse_arguments(self, text: str, tokens: list[Token]) -> None:
        """`N(C)` is a function in a paper and a product in the grammar, so that one has to say which is meant."""
        for name, opening, argument, closing in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
            written = opening.text == "(" and closing.text == ")" and text[opening.position] == "("
            if written and argument.kind == "name" and name.kind == "name" and isinstance(self.table.get(name.text), Symbol):
                call = f"{name.text}({argument.text})"
                optimum = f"{name.text}_opt({argument.text}) for the optimum, " if f"{name.text}_opt" in self.table else ""
                hint = f"; write {optimum}{name.text}*{argument.text} for the product"
                raise ParseError.at(text, name.position, f"ambiguous {call!r}", hint)

    def _known(self, token: Token) -> Token:
        """`C_0` is `C0` where that is a name."""
        joined = token.text.replace("_", "")
        is_index = token.kind == "name" and joined[-1:].isdigit() and token.text not in self.table and joined in self.table
        return Token(token.kind, joined, token.position) if is_index else token


def _may_be_free(name: str) -> bool:
    """A letter, with an index or not: x, x1, x_1, x_N; or a Greek letter."""
    return name in GREEK_NAMES or (name != "e" and FREE_NAME.fullmatch(name) is not None)


def _assumptions(texts: Sequence[str], table: dict[str, Expr | Formula]) -> tuple[dict[Symbol, Expr], tuple[Expr, ...]]:
    """Equalities as replacements of a symbol, inequalities as positive expressions."""
    replaced: dict[Symbol, Expr] = {}
    positive: list[tuple[str, Expr]] = []
    for text in texts:
        reader = _Claims(table, "\\" in text)
        parts, relations = reader.split(text)
        if len(relations) != 1 or relations[0].text not in ("==", "<", "<=", ">", ">="):
            raise ParseError(f"{text!r}: an assumption reads `symbol == expression`, `a > b` or `a < b`")
        left, right = (substituted(reader.expression(text, part), replaced, text) for part in parts)
        if relations[0].text == "==":
            symbol, value = _replacement(left, right, text)
            replaced = {x: substituted(e, {symbol: value}, text) for x, e in replaced.items()} | {symbol: value}
            if symbol.is_positive and value.is_positive is not True:
                positive.append((text, value))
        else:
            positive.append((text, left - right if relations[0].text[0] == ">" else right - left))
    return replaced, tuple(substituted(e, replaced, text) for text, e in positive)


def _replacement(left: Expr, right: Expr, text: str) -> tuple[Symbol, Expr]:
    """The symbol of an equality and what it stands for."""
    symbol, value = (left, right) if left.is_Symbol else (right, left)
    if not symbol.is_Symbol or symbol in value.free_symbols:
        raise ParseError(f"{text!r}: one side of an equality must be a symbol that the other does not hold")
    if symbol.is_positive and value.is_nonpositive:
        raise ParseError(f"{text!r}: {symbol} is positive")
    return symbol, value


def _limit(text: str, table: Mapping[str, Expr | Formula]) -> tuple[Symbol, str]:
    match = LIMIT.fullmatch(text)
    symbol = table.get(match["name"]) if match else None
    if match is None or not isinstance(symbol, Symbol) or not symbol.is_positive:
        raise ParseError(f"{text!r}: a limit reads `symbol -> 0` or `symbol -> oo` for a positive symbol of the claim")
    return symbol, "0" if match["limit"].startswith("0") else "oo"


def _decide(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], limit: tuple[Symbol, str] | None, seed: int, text: str
) -> Decision:
    if relation in ("->", "~"):
        if limit is None:
            raise ParseError(f"{relation} needs its limit, as in r -> 0 or r -> oo", text=text)
        return decide_limit(lhs, relation, rhs, *limit, assume=assume, seed=seed)
    if relation == "==":
        return decide(lhs, rhs, assume=assume, seed=seed)
    return decide_bound(lhs, relation, rhs, assume=assume, seed=seed)


def _sources(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they are typed."""
    sources, start = [], 0
    for relation in relations:
        sources.append(text[start : relation.position])
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [" ".join(source.replace("&", " ").split()) for source in (*sources, text[start:])]
