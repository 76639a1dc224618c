"""A claim as a user types it: proved, refuted with a witness, or undecided; a chain is checked link by link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.bounds import decide_bound
from isoflop.theory.budget import Budget
from isoflop.theory.latex_input import tokenize_latex
from isoflop.theory.limits import decide_limit
from isoflop.theory.normalform.decide import Answer, Decision, decide
from isoflop.theory.parse import Formula, ParseError, Token, read, tokenize
from isoflop.theory.vocabulary import vocabulary

RELATION = re.compile(r"==|<=|>=|->|[=<>~]")
SPELLINGS = {"=": "==", "<": "<", ">": ">"}
LIMIT = re.compile(r"\s*(?P<name>\w+)\s*->\s*(?P<limit>0\+?|oo|inf|infinity)\s*")


@dataclass(frozen=True)
class Link:
    """One link `lhs relation rhs` of a chain, as typed and as decided."""

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision


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
        `lhs == rhs` (also `=`), `<=`, `>=`; with `limit`, `lhs -> rhs` and `lhs ~ rhs`. Chains `a == b <= c` are checked link by link.
        Names of the law mean the law's quantities: N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt, L_opt, R_opt, alpha,
        C0, w_N, w_D, G, P, r, rho, kappa; a single letter that means nothing is a free positive symbol.
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
    sides = [side.subs(replaced) for side in (reader.expression(text, part) for part in parts)]
    target = _limit(limit, table) if limit is not None else None
    links = []
    for i, relation in enumerate(relations):
        decision = _decide(sides[i], relation, sides[i + 1], positive, target, seed, text)
        shown = f"{_source(text, parts[i])} {relation} {_source(text, parts[i + 1])}"
        links.append(Link(shown, sides[i], relation, sides[i + 1], decision))
    return Proof(text, tuple(links), tuple(reader.free))


class _Claims:
    """Splits a claim into sides and reads each; collects the free symbols that it meets."""

    def __init__(self, table: dict[str, Expr | Formula], latex: bool) -> None:
        self.table, self.latex = table, latex
        self.free: dict[str, Symbol] = {}

    def split(self, text: str) -> tuple[list[list[Token]], list[str]]:
        tokens = tokenize_latex(text) if self.latex else tokenize(text)
        parts: list[list[Token]] = [[]]
        relations: list[str] = []
        for token in tokens:
            if token.kind == "relation":
                relations.append(SPELLINGS.get(token.text, token.text))
                parts.append([])
            else:
                parts[-1].append(token)
        if not relations:
            raise ParseError(f"{text!r}: a claim needs a relation: ==, <=, >=, -> or ~")
        for relation in relations:
            if relation in ("<", ">"):
                raise ParseError(f"{text!r}: strict inequalities are not decided; use {relation}=")
        if not all(parts):
            raise ParseError(f"{text!r}: an expression is missing beside {relations[0]!r}")
        return parts, relations

    def expression(self, text: str, tokens: list[Token]) -> Expr:
        for token in tokens:
            if token.kind == "name" and token.text not in self.table and _may_be_free(token.text):
                self.free[token.text] = self.table[token.text] = Symbol(token.text, positive=True)
        return read(text, tokens, self.table)


def _may_be_free(name: str) -> bool:
    """A letter, with an index or not: x, x1, x_1, x_N; or a Greek letter."""
    return (re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9]{1,2})?", name) is not None and name not in ("e", "ln")) or name in GREEK_NAMES


GREEK_NAMES = frozenset(["delta", "epsilon", "zeta", "eta", "theta", "lambda", "mu", "nu", "xi", "sigma", "tau", "phi", "chi", "psi", "omega"])


def _assumptions(texts: Sequence[str], table: dict[str, Expr | Formula]) -> tuple[list[tuple[Symbol, Expr]], tuple[Expr, ...]]:
    """Equalities as replacements of a symbol, inequalities as positive expressions."""
    replaced: list[tuple[Symbol, Expr]] = []
    positive: list[Expr] = []
    for text in texts:
        reader = _Claims(table, False)
        tokens = tokenize(text)
        relations = [token.text for token in tokens if token.kind == "relation"]
        if len(relations) != 1 or relations[0] not in ("=", "==", "<", "<=", ">", ">="):
            raise ParseError(f"{text!r}: an assumption reads `symbol == expression`, `a > b` or `a < b`")
        at = next(i for i, token in enumerate(tokens) if token.kind == "relation")
        left, right = reader.expression(text, tokens[:at]), reader.expression(text, tokens[at + 1 :])
        if relations[0] in ("=", "=="):
            symbol, value = (left, right) if left.is_Symbol else (right, left)
            if not symbol.is_Symbol or symbol in value.free_symbols:
                raise ParseError(f"{text!r}: one side of an equality must be a symbol that the other does not hold")
            replaced.append((symbol, value))
        else:
            positive.append(left - right if relations[0][0] == ">" else right - left)
    return replaced, tuple(e.subs(replaced) for e in positive)


def _limit(text: str, table: dict[str, Expr | Formula]) -> tuple[Symbol, str]:
    match = LIMIT.fullmatch(text)
    symbol = table.get(match["name"]) if match else None
    if match is None or not isinstance(symbol, Symbol) or symbol == sym.LOG_SIZE_RATIO:
        raise ParseError(f"{text!r}: a limit reads `symbol -> 0` or `symbol -> oo` for a positive symbol")
    return symbol, "0" if match["limit"].startswith("0") else "oo"


def _decide(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], limit: tuple[Symbol, str] | None, seed: int, text: str
) -> Decision:
    if relation in ("->", "~"):
        if limit is None:
            raise ParseError(f"{text!r}: {relation} needs its limit (--as 'r -> 0')")
        return decide_limit(lhs, relation, rhs, *limit, assume=assume, seed=seed)
    if relation == "==":
        return decide(lhs, rhs, assume=assume, seed=seed)
    return decide_bound(lhs, relation, rhs, assume=assume, seed=seed)


def _source(text: str, tokens: list[Token]) -> str:
    """The part of the text that the tokens were read from."""
    start = tokens[0].position
    last = tokens[-1]
    return text[start : last.position + len(last.text)].strip()
