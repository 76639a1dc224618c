"""The names that a claim may use: symbols of the law, and quantities that stand for their closed
forms.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from sympy import Expr, Symbol, log
from sympy.core.function import UndefinedFunction

from ..budget import SIX_ND, Budget
from ..data.notation import Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope, derive
from ..kernel import symbols as sym
from ..penalty import Misallocation, misallocation
from ..reader.building import NamedFunction
from ..reader.tokens import AT, GREEK, OPTIMA, PRIME

Meaning: TypeAlias = Expr | NamedFunction
#: A letter, a Greek letter or a word in quotes, with indices, accents, primes and stars.
GREEK_NAMES = "|".join(sorted(GREEK - {"Delta", "pi", "Pi"}, key=len, reverse=True))
FREE_NAME = re.compile(
    rf"(?:(?!e(?![A-Za-z_0-9]))[A-Za-z]|ell|{GREEK_NAMES}"
    r'|Delta(?=_)|(?:pi|Pi)(?=[_0-9])|"[A-Za-z]\w*")[0-9]*(?:_[A-Za-z0-9]+)*'
)
#: Letters that are of the law in one notation, and so of no free symbol in another.
NEVER_FREE = frozenset(["alpha", "beta", "gamma", "rho"])
RATIOS_OF_A_RUN = frozenset((sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO))
#: Quantities of a run that a claim may define for itself, so that they have no fixed meaning.
RUN_SYMBOLS = tuple(
    Symbol(name, nonnegative=True) if name == "Delta_C" else Symbol(name, positive=True)
    for name in ("k_D", "C_eff", "Delta_C", "N_crit", "D_crit")
)
TOKENS_FACTOR, EFFECTIVE, OVERHEAD, SMALLEST, FEWEST = RUN_SYMBOLS
LOSS = Symbol("L", positive=True)
#: What stands for a closed form, in words.
MEANINGS = {
    "L": "the loss L(N, D), or with one argument the least loss L(C)",
    "L_hat": "the loss of the law, which is fitted: L(N, D)",
    "R": "the reducible loss R(N, D), or with one argument the least one R(C)",
    "T_N": "the params term of the loss",
    "T_D": "the tokens term of the loss",
    "N_opt": "the optimal params at compute C",
    "D_opt": "the optimal tokens at compute C",
    "L_opt": "the least loss at compute C",
    "R_opt": "the least reducible loss at compute C",
    "C_opt": "the least compute at which the loss is reached, the inverse of L_opt",
    "alpha": "the exponent of the least reducible loss in C",
    "C0": "the coefficient of the least reducible loss in C",
    "w_N": "the share of the params term in the least reducible loss",
    "w_D": "the share of the tokens term in the least reducible loss",
    "G": "N_opt where C is the coefficient of the budget",
    "P": "the penalty: reducible loss over the least at the same compute",
}


@dataclass(frozen=True)
class Vocabulary:
    """Names and what they mean in one notation, in the letters of that notation.

    `names[name]` is a symbol, a closed form, or a formula in its arguments (`N_opt(C)`, `P(r)`,
    `L(N, D)`); a letter that means nothing else is a free positive symbol.

    Attributes
    ----------
    names : mapping
    notation : Notation
    means : mapping of str to str
        The names that are more than a letter, in words.
    run : mapping of Symbol to Expr
        What the quantities of one run are in C and r: N = r N*(C), the tokens D that the budget
        leaves, rho, s and so on. Letters that a claim uses side by side mean these where the claim
        does not hold for independent ones.
    definitions : mapping of Symbol to str
        The same as a reader wants them: `C == 6*N*D`, `r == N/N_opt`.
    budget : sympy.Expr
        C in the other letters.
    signs : mapping of str to frozenset of int
        The signs, of -1, 0 and 1, that a free letter may have which is not just positive.
    """

    names: Mapping[str, Meaning]
    notation: Notation
    means: Mapping[str, str]
    run: Mapping[Symbol, Expr]
    definitions: Mapping[Symbol, str]
    budget: Expr
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def of_a_run(self) -> frozenset[Symbol]:
        """The letters that belong to one run."""
        return frozenset((*self.run, *self.definitions))

    def depend(self, letters: Collection[Symbol]) -> bool:
        """Whether what the letters mean at one run ties them to each other: a run has two degrees
        of freedom, C and r.
        """
        among = self.of_a_run & set(letters)
        return len(among) > 2 or len(among & RATIOS_OF_A_RUN) > 1 or bool(among & {*RUN_SYMBOLS})

    def free_symbol(self, name: str) -> Symbol | None:
        """The symbol of a name that has no meaning here: a positive one, or one of the signs that
        are said, or a quantity of a run; nothing where the name is rather a mistake.
        """
        known = next((symbol for symbol in RUN_SYMBOLS if symbol.name == name), None)
        if known is not None or name in self.names:
            return known
        base, (letter, _, index) = name.split(f"_{PRIME}", maxsplit=1)[0], name.partition("_")
        is_slope = base != name and isinstance(self.names.get(base), NamedFunction)
        mistyped = letter in OPTIMA and re.match(r"opt.|Opt|OPT", index) is not None
        is_mistake = is_slope or mistyped or name in NEVER_FREE or name.endswith(AT)
        if is_mistake or FREE_NAME.fullmatch(name) is None:
            return None
        return of_signs(name, self.signs.get(name, (1,)))

    def meanings(self, letters: Collection[Symbol]) -> tuple[str, ...]:
        """What the letters mean beside each other."""
        return tuple(meaning for symbol, meaning in self.definitions.items() if symbol in letters)


def of_signs(name: str, signs: Collection[int]) -> Symbol:
    """The real symbol whose sign is one of these, of -1, 0 and 1."""
    if set(signs) == {1}:
        return Symbol(name, positive=True)
    kinds = {-1: "negative", 0: "zero", 1: "positive"}
    others = {kind: False for sign, kind in kinds.items() if sign not in signs}
    return Symbol(name, real=True, **others)


def by_name(names: Mapping[str, Meaning]) -> dict[str, Meaning]:
    """The names, those of quantities without their formulas: `N_opt(C)`, `alpha`."""

    def named(name: str, meaning: Meaning) -> Meaning:
        if isinstance(meaning, Symbol):
            return meaning
        if not isinstance(meaning, NamedFunction):
            return Symbol(name, positive=True)
        other = None if meaning.other is None else named(name, meaning.other)
        body = UndefinedFunction(name, positive=True)(*meaning.parameters)
        return replace(meaning, body=body, other=other)

    return {name: named(name, meaning) for name, meaning in names.items()}


@lru_cache(maxsize=8)
def vocabulary(notation: str | Notation = "schaeffer", budget: Budget = SIX_ND) -> Vocabulary:
    """The vocabulary of the two-term law under a budget, whose letters are the budget's: `a` is no
    allocation exponent of hoffmann under kappa N^a D^d.
    """
    m = misallocation(derive(budget=budget))
    spelling, canonical = find_notation(notation), _canonical(m.envelope, m)
    spelt = spelling.names()
    own = {
        letter: Symbol(spelt.get(name, name), **letter.assumptions0)
        for name, letter in canonical.items()
        if isinstance(letter, Symbol)
    }
    own[sym.E] = Symbol(spelling.irreducible, nonnegative=True)  # a law may have none

    def respelt(meaning: Meaning) -> Meaning:
        if not isinstance(meaning, NamedFunction):
            return meaning.xreplace(own)
        other = None if meaning.other is None else respelt(meaning.other)
        instead = tuple((symbol, value.xreplace(own)) for symbol, value in meaning.instead)
        return replace(meaning, body=meaning.body.xreplace(own), other=other, instead=instead)

    of_budget = {symbol.name for symbol in budget.compute().free_symbols}
    respelled = {
        name: canonical[ours]
        for ours, name in spelt.items()
        if ours in canonical and name not in of_budget
    }
    taken = {*filter(str.isalpha, spelt), *respelled}
    names = {name: meaning for name, meaning in canonical.items() if name not in taken} | respelled
    means = {spelt.get(name, name): said for name, said in MEANINGS.items()}
    return Vocabulary(
        {name: respelt(meaning) for name, meaning in names.items()},
        spelling,
        {name: said for name, said in means.items() if name not in of_budget},
        {symbol: value.xreplace(own) for symbol, value in _run(m).items()},
        _definitions(budget),
        budget.compute(),
    )


def refuse_clashes(budget: Budget, notation: str | Notation) -> None:
    """ValueError where a letter of the budget means something else in the notation: `a` is an
    allocation exponent of hoffmann.
    """
    spelling = find_notation(notation)
    letters = {symbol.name for symbol in budget.compute().free_symbols}
    for canonical, own in spelling.names().items():
        if own in letters and canonical != own:
            raise ValueError(
                f"budget={budget}: its {own} is no letter of the {spelling.name} notation, in "
                f"which {own} is what others write {canonical}; say notation='schaeffer'"
            )


def _canonical(envelope: Envelope, m: Misallocation) -> dict[str, Meaning]:
    form = envelope.form
    letters = (
        *(sym.N, sym.D, sym.C, sym.E, sym.A, sym.B, sym.BETA, sym.GAMMA, sym.N_MAX, sym.D_MAX),
        *(sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO),
        *(envelope.budget.compute().free_symbols - {sym.N, sym.D}),
    )
    compute = (envelope.coefficient / (LOSS - sym.E)) ** (1 / envelope.exponent)
    of_run, of_compute = (sym.N, sym.D), (sym.C,)
    least = NamedFunction(of_compute, envelope.loss)
    least_reducible = NamedFunction(of_compute, envelope.reducible)
    loss = NamedFunction(of_run, form.loss, least)
    terms = {
        f"T_{x}": NamedFunction((x,), term.expression)
        for x, term in zip(of_run, form.terms, strict=True)
    }
    return {x.name: x for x in letters} | terms | {
        "L": loss,
        "L_hat": loss,
        "R": NamedFunction(of_run, form.reducible, least_reducible),
        "N_opt": NamedFunction(of_compute, envelope.params),
        "D_opt": NamedFunction(of_compute, envelope.tokens),
        "L_opt": least,
        "R_opt": least_reducible,
        "C_opt": NamedFunction((LOSS,), compute),
        "alpha": envelope.exponent,
        "C0": envelope.coefficient,
        **dict(zip(("w_N", "w_D"), envelope.shares, strict=True)),
        "G": envelope.params.subs(sym.C, envelope.budget.coefficient),
        "P": NamedFunction((sym.SIZE_RATIO,), m.penalty, instead=((sym.RATIO, m.size_ratio),)),
    }  # fmt: skip


def _run(m: Misallocation) -> dict[Symbol, Expr]:
    """The quantities of a run with N = r N*(C) at compute C, in C and r."""
    envelope = m.envelope
    params = sym.SIZE_RATIO * envelope.params
    return {
        sym.N: params,
        sym.D: envelope.budget.remaining(sym.N).subs(sym.N, params),
        sym.RATIO: m.ratio,
        sym.LOG_SIZE_RATIO: log(sym.SIZE_RATIO),
        TOKENS_FACTOR: m.tokens_factor,
        EFFECTIVE: sym.C * m.effective_compute,
        OVERHEAD: sym.C * m.compute_overhead,
        SMALLEST: envelope.params * m.critical_size_ratio,
        FEWEST: envelope.tokens * m.critical_tokens_ratio,
    }


def _definitions(budget: Budget) -> dict[Symbol, str]:
    factors = (budget.coefficient, *(x**power for x, power in budget.powers))
    return {
        sym.C: f"C == {'*'.join(map(str, factors))}",
        sym.SIZE_RATIO: "r == N/N_opt",
        sym.RATIO: "rho == (D/N)/(D_opt/N_opt)",
        sym.LOG_SIZE_RATIO: "s == log(r)",
        TOKENS_FACTOR: "k_D is the multiple of D_opt that reaches L_opt with N = r N_opt",
        EFFECTIVE: "C_eff is the compute whose L_opt is the loss of the run",
        OVERHEAD: "Delta_C is the extra compute that reaches L_opt with N = r N_opt",
        SMALLEST: "N_crit is the size at which L_opt is out of reach",
        FEWEST: "D_crit is the data at which L_opt is out of reach",
    }
