"""A claim as a user types it: proved, refuted with a witness, or undecided; a chain is checked link
by link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Integer, Symbol, nan, oo, zoo

from .. import symbols as sym
from ..algebra.arithmetic import OutsideScope
from ..algebra.convert import arithmetic_for, normal_form
from ..algebra.deadline import OutOfTime, within
from ..algebra.decide import Answer, Condition, Decision, Witness, decide, is_zero
from ..algebra.latex_input import tokenize_latex
from ..algebra.parse import (
    Domain,
    NamedFunction,
    ParseError,
    Token,
    plainly_positive,
    read,
    substituted,
    tokenize,
)
from ..budget import SIX_ND, Budget
from ..typeset.shown import Shown
from ..typeset.table import Column, Table
from .bounds import decide_bound
from .limits import decide_limit
from .vocabulary import RUN_SYMBOLS, Vocabulary, vocabulary

RELATION = re.compile(r"==|!=|<=|>=|->|[=<>~]|\\[A-Za-z]+")
LIMIT = re.compile(
    r"\s*\\?(?P<name>[A-Za-z]\w*)\s*(?:->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z]))"
    r"\s*(?P<limit>0(?:\^?\{?\+\}?)?|\+?(?:oo|inf|infinity|\\infty))\s*"
)
LATEX = re.compile(r"\\|\^\*|[_^]\{")  # what no plain text has
STARRED = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z])\*(?=\s*(?:[-+/),=^]|$))")  # N*, but not N*D
INFINITIES = (["oo"], ["inf"], ["infinity"])
GREEK_NAMES = frozenset(
    [
        "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu",
        "nu", "xi", "sigma", "tau", "phi", "chi", "psi", "omega",
    ]
)  # fmt: skip
MAY_BE_FUNCTIONS = frozenset("NDCLRP")  # what papers write as functions of compute
OF_A_RUN = {symbol.name: symbol for symbol in RUN_SYMBOLS}
FREE_NAME = re.compile(r"[A-Za-z]([0-9]{1,2}|_[A-Za-z0-9]{1,2})?")


@dataclass(frozen=True)
class ChainLink:
    """One link `lhs relation rhs` of a chain, as typed and as decided."""

    text: str
    lhs: Expr
    relation: str
    rhs: Expr
    decision: Decision
    position: int = 0
    """Of the relation in the text."""
    definitions: tuple[str, ...] = ()
    """What letters of the claim mean beside each other, where it is proved for what they mean: `C == 6*N*D`."""

    def __str__(self) -> str:
        return "; ".join(
            [
                str(self.decision),
                *(["by definition " + ", ".join(self.definitions)] if self.definitions else []),
            ]
        )


@dataclass(frozen=True)
class Proof(Shown):
    """The verdict on a claim.

    Attributes
    ----------
    text : str
        As typed.
    links : tuple of ChainLink
        One for `a == b`, several for `a == b == c`.
    free : tuple of str
        Names that stand for free positive symbols because the law has none of that name.
    read_as : tuple of str
        What the other names mean that are more than a letter, each with its meaning:
        `R_opt, the least reducible loss at C`.
    """

    text: str
    links: tuple[ChainLink, ...]
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """Refuted where a link is; else undecided where a link is; else proved."""
        answers = [link.decision.answer for link in self.links]
        return next((a for a in (Answer.REFUTED, Answer.UNDECIDED) if a in answers), Answer.PROVED)

    @property
    def first_failure(self) -> ChainLink | None:
        """The first link that is refuted, else the first that is undecided."""
        for answer in (Answer.REFUTED, Answer.UNDECIDED):
            for link in self.links:
                if link.decision.answer is answer:
                    return link
        return None

    def tables(self) -> tuple[Table, ...]:
        """A row a link of the chain."""
        columns = [Column(name, align="left") for name in ("claim", "answer", "reason")]
        rows = [
            {
                "claim": link.text or self.text.strip(),
                "answer": link.decision.answer.value,
                "reason": link.decision.reason,
            }
            for link in self.links
        ]
        return (Table(columns, rows, title=f"{self.answer.value}: {self.text.strip()}"),)

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            prefix = f"  {link.text}: " if len(self.links) > 1 else "  "
            lines.append(f"{prefix}{link}")
        if self.free:
            lines.append(f"  free positive symbols: {', '.join(self.free)}")
        if self.read_as and self.answer is not Answer.PROVED:
            lines.append(f"  read as: {'; '.join(self.read_as)}")
        return "\n".join(lines)


def prove(
    text: str,
    *,
    latex: bool = False,
    assume: Sequence[str] = (),
    define: Sequence[str] = (),
    let: Sequence[str] = (),
    notation: str = "schaeffer",
    limit: str | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> Proof:
    """Decide a claim, or a chain of claims, in the symbols of the law.

    Parameters
    ----------
    text : str
        `lhs == rhs` (also `=`), `<=`, `>=`, `<`, `>`; with `limit`, `lhs -> rhs` and `lhs ~ rhs`.
        Chains `a == b <= c` are checked link by link. Names of the law mean the law's quantities:
        N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt, L_opt, R_opt, alpha, C0, w_N,
        w_D, G, P, r, rho, s; a single letter that means nothing is a free positive symbol. `dL/dN`
        is a derivative, every other letter held.
    latex : bool
        Read LaTeX: `\\frac{\\beta\\gamma}{\\beta+\\gamma} = \\alpha`, `N^{*}(C)`, ...
    assume : sequence of str
        `C == 6*N*D` replaces a symbol; `r > 1`, `beta <= gamma` and `s != 0` bound the domain.
    define : sequence of str
        `X == A/B` names an expression, which may have either sign; the name must have no meaning of
        its own. One definition may use another. `f(x) == x^2` names a function.
    let : sequence of str
        `R_opt := D*/N*` gives a name another meaning than the one it has by default, or another
        name to one of its quantities: `k := kappa`. On the right side names have their default
        meanings.
    notation : {"schaeffer", "hoffmann"}
    limit : str, optional
        `r -> 0` or `r -> oo`.
    budget : Budget, optional
        Under which N_opt and the rest are meant; 6 N D by default. Its letters (kappa, a, d) are
        names as well.
    seed : int
        Of the points at which a claim is tried.
    seconds : float, optional
        For reading the claim, and for each of its links; a link that takes longer is undecided. No
        limit by default.

    Returns
    -------
    Proof
        In the letters of the notation.

    Raises
    ------
    ParseError
        Naming what could not be read, and where. Nothing is evaluated as code.

    Notes
    -----
    A claim is about the values of its letters for which both sides are defined as they are typed,
    and the assumptions hold: what cancels still has to exist. Letters are independent. Where a
    claim does not hold for independent ones, but uses several that belong to one run (N, D and C,
    r, rho, s), it is decided for what they mean at that run, and the answer names those meanings.
    """
    words = vocabulary(notation, budget or SIX_ND)
    given = _Given(words, assume, define, let)
    reader = _Claims(given.table, words, latex)
    parts, relations = reader.split(text)
    for relation in relations:
        if relation.text == "!=":
            raise ParseError.at(
                text, relation.position, "'!='", " belongs in an assumption, and not in a claim"
            )
        if relation.text in ("->", "~") and limit is None:
            raise ParseError(f"{relation.text} needs its limit, as in r -> 0 or r -> oo", text=text)
    try:
        with within(seconds):
            sides = [
                reader.side(text, part, relation)
                for part, relation in zip(parts, [None, *relations], strict=True)
            ]
            sides = [given.at(side, text) for side in sides]
            domain = given.domain_of(reader.domain, text)
            target = given.limit(limit) if limit is not None else None
    except OutOfTime as error:
        raise ParseError(f"not read within {error.seconds:g} seconds", text=text) from None
    shown = _sources(text, relations)
    links = []
    for i, relation in enumerate(relations):
        claim = _Question(sides[i], relation.text, sides[i + 1], domain, target, seed)
        try:
            with within(seconds):
                decision, definitions = _decided(claim, words, given)
        except OutOfTime as error:
            decision, definitions = Decision(Answer.UNDECIDED, str(error)), ()
        link = f"{shown[i]} {relation.text} {shown[i + 1]}"
        links.append(
            ChainLink(
                link,
                sides[i],
                relation.text,
                sides[i + 1],
                decision,
                relation.position,
                definitions,
            )
        )
    defined = {
        str(symbol)
        for symbol, meaning in words.definitions.items()
        if any(meaning in link.definitions for link in links)
    }
    differentials = (
        {"d"} if not any(side.has(reader.free.get("d", Symbol("d"))) for side in sides) else set()
    )
    return Proof(
        text,
        tuple(links),
        tuple(name for name in reader.free if name not in defined | differentials),
        reader.read_as,
    )


# -- deciding ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """One claim with what is assumed of its letters."""

    lhs: Expr
    relation: str
    rhs: Expr
    domain: Domain
    limit: tuple[Symbol, str] | None
    seed: int

    def decide(self) -> Decision:
        strict = [e for e in self.domain.nonnegative if self._is_apart(e)]
        strict += [
            x for x in self.letters if x.is_nonnegative and not x.is_positive and self._is_apart(x)
        ]
        weak = [e for e in self.domain.nonnegative if e not in strict]
        known: dict[str, Any] = {
            "assume": [*self.domain.positive, *strict],
            "assume_nonnegative": weak,
            "seed": self.seed,
        }
        if self.limit is not None and self.relation in ("->", "~"):
            fixed = [e for e in self.domain.nonzero if not e.has(self.limit[0])]
            decision = decide_limit(
                self.lhs, self.relation, self.rhs, *self.limit, assume_nonzero=fixed, **known
            )
        elif self.relation == "==":
            decision = decide(self.lhs, self.rhs, **known)
        else:
            decision = decide_bound(self.lhs, self.relation, self.rhs, **known)
        if decision.witness is not None and any(
            _vanishes(e, decision.witness) for e in self.domain.nonzero
        ):
            reason = "it fails only at points where " + " or ".join(
                f"{e} is 0" for e in self.domain.nonzero
            )
            return Decision(Answer.UNDECIDED, reason)
        if not decision.proved:
            return decision
        needed = tuple(Condition(e, "!=") for e in self.domain.nonzero)
        return replace(decision, conditions=tuple(dict.fromkeys((*decision.conditions, *needed))))

    def _is_apart(self, e: Expr) -> bool:
        """Whether the expression cannot be 0 where the claim has a meaning."""
        return any(is_zero(e - other) or is_zero(e + other) for other in self.domain.nonzero)

    def at(self, values: Mapping[Symbol, Expr]) -> _Question:
        """The question with its letters replaced, all at once."""
        lhs, rhs = (side.xreplace(values) for side in (self.lhs, self.rhs))
        return replace(self, lhs=lhs, rhs=rhs, domain=self.domain.map(lambda e: e.xreplace(values)))

    @property
    def letters(self) -> set[Symbol]:
        known = (*self.domain.positive, *self.domain.nonzero, *self.domain.nonnegative)
        moving = {self.limit[0]} if self.limit is not None else set()
        return moving.union(*(e.free_symbols for e in (self.lhs, self.rhs, *known)))

    @property
    def has_a_meaning(self) -> bool:
        """Whether both sides have values somewhere."""
        return not any(side.has(zoo, nan) for side in (self.lhs, self.rhs)) and not any(
            map(is_zero, self.domain.nonzero)
        )


def _decided(
    claim: _Question, words: Vocabulary, given: _Given
) -> tuple[Decision, tuple[str, ...]]:
    """The decision for independent letters where that is a proof, else for what they mean at one
    run, with those meanings.
    """
    independent = claim.decide()
    fixed = {
        x: e
        for x, e in given.replaced.items()
        if ({x} | e.free_symbols) & words.of_a_run and not given.is_budget(x)
    }
    together = claim.letters & words.of_a_run
    own = together - {sym.C, sym.SIZE_RATIO}
    if independent.proved or not words.depend(
        together.union(fixed, *(e.free_symbols for e in fixed.values()))
    ):
        return independent, ()
    moving = claim.limit is None or (
        claim.limit[0] in (sym.C, sym.SIZE_RATIO) and not own & {sym.N, sym.D}
    )
    tied = any(
        words.depend(e.free_symbols - words.named_for_a_run)
        for e in (*given.domain.positive, *given.domain.nonnegative)
    )
    if fixed or tied or not moving:
        if not independent.refuted:
            return independent, ()
        meant = ", ".join(words.meanings(together.union(fixed)))
        reason = f"it fails for independent letters; what they mean at one run ({meant}) is not decided beside what is assumed"
        return Decision(Answer.UNDECIDED, reason), ()
    question = claim.at({symbol: words.run[symbol] for symbol in own})
    if not question.has_a_meaning:
        return independent, ()
    at_run = question.decide()
    meanings = words.meanings(together)
    if at_run.proved or (at_run.refuted and not independent.refuted):
        return at_run, meanings
    if at_run.answer is Answer.UNDECIDED and independent.refuted:
        reason = f"it fails for independent letters, and by definition {', '.join(meanings)}: {at_run.reason}"
        return Decision(Answer.UNDECIDED, reason, at_run.conditions), ()
    return independent, ()


# -- reading -----------------------------------------------------------------------------------------------------------


class _Claims:
    """Splits a claim into sides and reads each; collects the free symbols that it meets."""

    def __init__(
        self, table: dict[str, Expr | NamedFunction], words: Vocabulary, latex: bool
    ) -> None:
        self.table, self.words, self.latex = table, words, latex
        self.own = words.names.keys()
        self.free: dict[str, Symbol] = {}
        self.met: dict[str, None] = {}
        self.domain = Domain()

    @property
    def read_as(self) -> tuple[str, ...]:
        """The names met that are more than a letter, with what they mean."""
        return tuple(
            f"{name}, {self.words.means[name]}"
            for name in self.met
            if name in self.words.means and self.table[name] is self.words.names[name]
        )

    def split(self, text: str) -> tuple[list[list[Token]], list[Token]]:
        tokens = tokenize_latex(text) if self.latex else tokenize(text)
        self._refuse_capital_exponents(text, tokens)
        parts: list[list[Token]] = [[]]
        relations: list[Token] = []
        for token in tokens:
            if token.kind == "relation":
                relations.append(
                    Token("relation", "==" if token.text == "=" else token.text, token.position)
                )
                parts.append([])
            else:
                parts[-1].append(token)
        if not relations:
            raise ParseError("a claim needs a relation: ==, <=, >=, -> or ~", text=text)
        for before, relation, after in zip(parts, relations, parts[1:], strict=False):
            if not (before and after):
                raise ParseError.at(
                    text, relation.position, f"an expression is missing beside {relation.text!r}"
                )
        return parts, relations

    def side(self, text: str, tokens: list[Token], relation: Token | None) -> Expr:
        """One side; after `->` it may be infinite."""
        if (
            relation is not None
            and relation.text == "->"
            and [token.text for token in tokens if token.text not in ("+", "-")] in INFINITIES
        ):
            return -oo if [token.text for token in tokens].count("-") % 2 else oo
        return self.expression(text, tokens)

    def expression(self, text: str, tokens: list[Token]) -> Expr:
        tokens = [self._known(token) for token in tokens]
        for token in tokens:
            if token.kind == "name" and token.text in self.own:
                self.met[token.text] = None
            if token.kind == "name" and token.text not in self.table and _may_be_free(token.text):
                self.free[token.text] = self.table[token.text] = OF_A_RUN.get(
                    token.text, Symbol(token.text, positive=True)
                )
        self._refuse_arguments(text, tokens)
        return read(text, tokens, self.table, domain=self.domain, letters=self.own)

    def _refuse_arguments(self, text: str, tokens: list[Token]) -> None:
        """`N(C)` is a function in a paper and a product in the grammar, so that one has to say
        which is meant.
        """
        for i, (name, opening, argument, closing) in enumerate(
            zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
        ):
            if name.kind != "name" or opening.text != "(" or text[opening.position] != "(":
                continue
            if name.text == "O" and "O" not in self.own:
                raise ParseError.at(
                    text,
                    name.position,
                    "an order term 'O(...)'",
                    " is no value, and cannot be read",
                )
            meaning = self.table.get(name.text)
            applied = meaning is None or isinstance(meaning, NamedFunction)
            if applied or closing.text != ")" or argument.kind not in ("name", "number"):
                continue
            raised = i + 4 < len(tokens) and tokens[i + 4].kind == "power"
            if raised and name.text not in MAY_BE_FUNCTIONS:
                continue  # the power of a factor in parentheses, as in A (N_opt)^-beta
            call = f"{name.text}({argument.text})"
            optimum = (
                f"{name.text}_opt({argument.text}) for the optimum, "
                if f"{name.text}_opt" in self.table
                else ""
            )
            hint = f"; write {optimum}{name.text}*{argument.text} for the product"
            raise ParseError.at(text, name.position, f"ambiguous {call!r}", hint)

    def _refuse_capital_exponents(self, text: str, tokens: list[Token]) -> None:
        """`2E-3` is a number elsewhere, and here it may be 2*E - 3."""
        for token in tokens:
            if token.kind == "number" and "E" in token.text and "E" in self.own:
                hint = f": write {token.text.lower()} for the number, 2*E for a product with the irreducible loss"
                raise ParseError.at(text, token.position, f"ambiguous {token.text!r}", hint)

    def _known(self, token: Token) -> Token:
        """`C_0` is `C0` where that is a name."""
        joined = token.text.replace("_", "")
        is_index = (
            token.kind == "name"
            and joined[-1:].isdigit()
            and token.text not in self.table
            and joined in self.table
        )
        return Token(token.kind, joined, token.position) if is_index else token


def _may_be_free(name: str) -> bool:
    """A letter, with an index or not: x, x1, x_1, x_N; or a Greek letter; or a name that papers
    give to a quantity of a run.
    """
    return (
        name in GREEK_NAMES
        or name in OF_A_RUN
        or (name != "e" and FREE_NAME.fullmatch(name) is not None)
    )


class _Given:
    """What is assumed: equalities as replacements of a symbol, inequalities as bounds of the
    domain.
    """

    def __init__(
        self,
        words: Vocabulary,
        texts: Sequence[str],
        definitions: Sequence[str] = (),
        renames: Sequence[str] = (),
    ) -> None:
        self.words = words
        self.table: dict[str, Expr | NamedFunction] = dict(words.names)
        self.named: dict[Symbol, Expr] = {}
        self.replaced: dict[Symbol, Expr] = {}
        self.source: dict[Symbol, str] = {}
        self.domain = Domain()
        self._rename(renames)
        self._name(definitions)
        for text in texts:
            self._add(text)
        self.domain = self.domain.map(lambda e: self.at(e, ", ".join(texts)))

    def _rename(self, texts: Sequence[str]) -> None:
        """Give names another meaning; what they are given is read with the meanings by default."""
        renamed: dict[str, Expr | NamedFunction] = {}
        for text in texts:
            left, _, right = (
                part.strip() for part in re.sub(":?==?", "=", text, count=1).partition("=")
            )
            right = STARRED.sub(r"\1^*" if _is_latex(right) else r"\1_opt", right)
            if not (left and right):
                raise ParseError(f"{text!r}: a new meaning reads `name := expression`")
            reader = _Claims(dict(self.words.names), self.words, _is_latex(right))
            name, parameters = _named(_tokens(left), text)
            tokens = _tokens(right)
            meaning = reader.table.get(tokens[0].text) if len(tokens) == 1 else None
            if isinstance(meaning, NamedFunction):
                renamed[name] = meaning
                continue
            letters = [reader.expression(left, [token]) for token in parameters]
            body = reader.expression(right, tokens)
            renamed[name] = NamedFunction(tuple(letters), body) if letters else body
        self.table |= renamed

    def _name(self, texts: Sequence[str]) -> None:
        """Take every name first: one definition may use another."""
        bodies: dict[Symbol, tuple[str, _Claims, list[Token]]] = {}
        functions: dict[str, tuple[str, list[Expr], list[Token]]] = {}
        for text in texts:
            reader = _Claims(self.table, self.words, "\\" in text or "{" in text)
            parts, relations = reader.split(text)
            if [relation.text for relation in relations] != ["=="]:
                raise ParseError(f"{text!r}: a definition reads `name == expression`")
            name, parameters = _named(parts[0], text)
            if name in self.table:
                raise ParseError(f"{text!r}: {name} has a meaning already")
            symbol = Symbol(name, real=True)
            if parameters:
                letters = [reader.expression(text, [token]) for token in parameters]
                functions[name] = (text, letters, parts[1])
                continue
            self.table[name] = symbol
            bodies[symbol] = (text, reader, parts[1])
        for name, (text, letters, tokens) in functions.items():
            reader = _Claims(self.table, self.words, "\\" in text or "{" in text)
            self.table[name] = NamedFunction(tuple(letters), reader.expression(text, tokens))
        for symbol, (text, reader, tokens) in bodies.items():
            self.named[symbol] = reader.expression(text, tokens)
            self.domain.positive += reader.domain.positive
            self.domain.nonzero += reader.domain.nonzero
        for _ in bodies:
            self.named = {
                x: substituted(e, self.named, bodies[x][0]) for x, e in self.named.items()
            }
        for symbol, value in self.named.items():
            if value.free_symbols & self.named.keys():
                raise ParseError(f"{bodies[symbol][0]!r}: {symbol} is defined by way of itself")

    def _add(self, text: str) -> None:
        reader = _Claims(self.table, self.words, _is_latex(text))
        parts, relations = reader.split(text)
        if len(relations) != 1 or relations[0].text not in ("==", "!=", "<", "<=", ">", ">="):
            forms = "`symbol == expression`, `a > b`, `a < b`, `a >= b`, `a <= b` or `a != b`"
            raise ParseError(f"{text!r}: an assumption reads {forms}")
        left, right = (self.at(reader.expression(text, part), text) for part in parts)
        self.domain.positive += reader.domain.positive
        self.domain.nonzero += reader.domain.nonzero
        relation = relations[0].text
        if relation == "==":
            symbol, value = _replacement(left, right, text)
            self.replaced = {
                x: substituted(e, {symbol: value}, text) for x, e in self.replaced.items()
            } | {symbol: value}
            self.source[symbol] = text
            if symbol.is_positive and not plainly_positive(value):
                self.domain.positive.append(value)
            elif symbol.is_nonnegative and value.is_nonnegative is not True:
                self.domain.nonnegative.append(value)
        elif relation == "!=":
            self.domain.nonzero.append(left - right)
        elif relation in ("<", ">"):
            self.domain.positive.append(left - right if relation == ">" else right - left)
        else:
            self.domain.nonnegative.append(left - right if relation == ">=" else right - left)

    def at(self, expression: Expr, text: str) -> Expr:
        """The expression with every name explained and every replacement made."""
        return substituted(substituted(expression, self.named, text), self.replaced, text)

    def is_budget(self, symbol: Symbol) -> bool:
        """Whether the replacement of the symbol is the budget itself, `C == 6*N*D` or solved for
        another letter.
        """
        budget = self.words.budget
        return is_zero((sym.C - budget).xreplace({symbol: self.replaced[symbol]}))

    def limit(self, text: str) -> tuple[Symbol, str]:
        """The variable of a limit, which must be free to move, and where it tends."""
        symbol, end = _limit(text, self.table)
        if symbol in self.replaced:
            raise ParseError(
                f"{text!r}: {symbol} cannot tend to a limit where {self.source[symbol]!r} replaces "
                f"it"
            )
        return symbol, end

    def domain_of(self, typed: Domain, text: str) -> Domain:
        """Where the claim as typed has a value and the assumptions hold; refused where that is
        nowhere.
        """
        positive = list(self.domain.positive)
        for condition in typed.positive:
            value = self.at(condition, text)
            if value.is_number and value.is_positive is not True:
                raise ParseError(
                    f"{text!r}: {condition} is {value}, and a logarithm or a broken power of it "
                    f"has no real value"
                )
            if not plainly_positive(value) and value not in positive:
                positive.append(value)
        nonzero: list[Expr] = []
        for condition in (*self.domain.nonzero, *typed.nonzero):
            value = self.at(condition, text)
            if value not in nonzero and not plainly_positive(value):
                nonzero += [
                    e for e in _factors(value, condition, positive, text) if e not in nonzero
                ]
        return Domain(positive, nonzero, self.domain.nonnegative)


def _is_latex(text: str) -> bool:
    return LATEX.search(text) is not None


def _tokens(text: str) -> list[Token]:
    return tokenize_latex(text) if _is_latex(text) else tokenize(text)


def _named(tokens: Sequence[Token], text: str) -> tuple[str, list[Token]]:
    """The name that is defined, with its parameters where it is a function: `f(x, y)`."""
    name, *rest = tokens
    parameters = rest[1:-1:2]
    separators = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    is_call = separators == ["(", *[","] * (len(parameters) - 1), ")"] and len(rest) > 2
    if (
        name.kind != "name"
        or any(token.kind != "name" for token in parameters)
        or (rest and not is_call)
    ):
        raise ParseError(f"{text!r}: a definition reads `name == expression`")
    return name.text, parameters


def _vanishes(e: Expr, witness: Witness) -> bool:
    """Whether the expression is 0, or has no value, at the point of a witness."""
    value = e.xreplace(dict(witness.point))
    return bool(value.has(zoo, nan)) or is_zero(value)


def _factors(value: Expr, condition: Expr, positive: Sequence[Expr], text: str) -> list[Expr]:
    """The factors of a divisor whose sign is not certain; refused where the divisor is zero
    throughout.
    """
    try:
        arithmetic = arithmetic_for((value,), positive)
        form = normal_form(value, arithmetic)
        if arithmetic.is_zero(form):
            raise ParseError(f"{text!r}: division by zero, for {condition} is 0")
        before = len(arithmetic.nonzero)
        arithmetic.power(form, normal_form(Integer(-1), arithmetic))
    except OutsideScope:
        return [value]
    return arithmetic.nonzero[before:]


def _replacement(left: Expr, right: Expr, text: str) -> tuple[Symbol, Expr]:
    """The symbol of an equality and what it stands for."""
    symbol, value = (left, right) if left.is_Symbol else (right, left)
    if not symbol.is_Symbol or symbol in value.free_symbols:
        raise ParseError(
            f"{text!r}: one side of an equality must be a symbol that the other does not hold"
        )
    if symbol.is_positive and value.is_nonpositive:
        raise ParseError(f"{text!r}: {symbol} is positive")
    if symbol.is_nonnegative and value.is_negative:
        raise ParseError(f"{text!r}: {symbol} is not negative")
    return symbol, value


def _limit(text: str, table: Mapping[str, Expr | NamedFunction]) -> tuple[Symbol, str]:
    match = LIMIT.fullmatch(text)
    symbol = table.get(match["name"]) if match else None
    if match is None or not isinstance(symbol, Symbol):
        raise ParseError(
            f"{text!r}: a limit reads `symbol -> 0` or `symbol -> oo` for a symbol of the claim"
        )
    return symbol, "0" if match["limit"].startswith("0") else "oo"


def _sources(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they are typed."""
    sources, start = [], 0
    for relation in relations:
        sources.append(text[start : relation.position])
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [" ".join(source.replace("&", " ").split()) for source in (*sources, text[start:])]
