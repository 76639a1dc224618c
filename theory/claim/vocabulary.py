"""The names that a claim may use: letters of the law and quantities that stand for their closed
forms, in the letters of a notation.
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
from ..envelope import derive
from ..kernel import symbols as sym
from ..penalty import Misallocation, misallocation
from ..reader.building import NamedFunction
from ..reader.tokens import AT, GREEK, OPTIMA, PRIME

Meaning: TypeAlias = Expr | NamedFunction
Table: TypeAlias = Mapping[str, Meaning]
#: A letter, a Greek letter or a word in quotes, with indices, accents, primes and stars.
GREEK_NAMES = "|".join(sorted(GREEK - {"Delta", "pi", "Pi"}, key=len, reverse=True))
FREE_NAME = re.compile(
    rf"(?:(?!e(?![A-Za-z_0-9]))[A-Za-z]|ell|{GREEK_NAMES}"
    r'|Delta(?=_)|(?:pi|Pi)(?=[_0-9])|"[A-Za-z]\w*")[0-9]*(?:_[A-Za-z0-9]+)*'
)
#: Letters of the law in one notation, which are no free symbols in another.
NEVER_FREE = frozenset(["alpha", "beta", "gamma", "rho"])
RATIOS_OF_A_RUN = frozenset((sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO))
LETTERS = (
    *(sym.N, sym.D, sym.C, sym.E, sym.A, sym.B, sym.BETA, sym.GAMMA, sym.N_MAX, sym.D_MAX),
    *(sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO),
)


@dataclass(frozen=True)
class Vocabulary:
    """The names of one notation, each with its meaning: a letter, a closed form, or a function."""

    names: Table
    notation: Notation
    #: The names that are more than a letter, each with its canonical name.
    means: Mapping[str, str]
    #: The letters of one run in terms of C and r: N = r N*(C), ...
    run: Mapping[Symbol, Expr]
    #: The definitions of these letters as text: `C == 6*N*D`, `r == N/N_opt`.
    definitions: Mapping[Symbol, str]
    #: C in the other letters.
    budget: Expr
    #: The signs (-1, 0, 1) that are possible for a free letter; it is positive by default.
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    #: Whether formulas stay as they are written, because the names have no closed forms.
    kept: bool = False

    @property
    def of_a_run(self) -> frozenset[Symbol]:
        """The letters that belong to one run."""
        return frozenset((*self.run, *self.definitions))

    def depend(self, letters: Collection[Symbol]) -> bool:
        """Whether some of the letters depend on the others at one run, which C and r determine."""
        among = self.of_a_run & {*letters}
        return len(among) > 2 or len(among & RATIOS_OF_A_RUN) > 1

    def free_symbol(self, name: str) -> Symbol | None:
        """The symbol of a name without a meaning, with the signs that are possible for it; None for a
        name that is rather a mistake.
        """
        if name in self.names:
            return None
        base, (letter, _, index) = name.split(f"_{PRIME}", maxsplit=1)[0], name.partition("_")
        is_slope = base != name and isinstance(self.names.get(base), NamedFunction)
        mistyped = letter in OPTIMA and re.match(r"opt.|Opt|OPT", index) is not None
        is_mistake = is_slope or mistyped or name in NEVER_FREE or name.endswith(AT)
        if is_mistake or FREE_NAME.fullmatch(name) is None:
            return None
        signs = self.signs.get(name, {1})
        if signs == {1}:
            return Symbol(name, positive=True)
        kinds = {-1: "negative", 0: "zero", 1: "positive"}
        others = {kind: False for sign, kind in kinds.items() if sign not in signs}
        return Symbol(name, real=True, **others)

    def by_name(self) -> Vocabulary:
        """The same names without their formulas: `N_opt(C)`, `alpha`."""

        def named(name: str, meaning: Meaning) -> Meaning:
            if isinstance(meaning, Symbol):
                return meaning
            if not isinstance(meaning, NamedFunction):
                return Symbol(name, positive=True)
            other = None if meaning.other is None else named(name, meaning.other)
            body = UndefinedFunction(name, positive=True)(*meaning.parameters)
            return replace(meaning, body=body, other=other)

        names = {name: named(name, meaning) for name, meaning in self.names.items()}
        return replace(self, names=names, kept=True)


@lru_cache(maxsize=8)
def vocabulary(notation: str | Notation = "schaeffer", budget: Budget = SIX_ND) -> Vocabulary:
    """The vocabulary of the two-term law under a budget, whose letters are the budget's: `a` is no
    allocation exponent of hoffmann under kappa N^a D^d.
    """
    m, spelling = misallocation(derive(budget=budget)), find_notation(notation)
    spelt, of_budget = spelling.names(), budget.compute().free_symbols
    quantities, hidden = _quantities(m), {x.name for x in of_budget}
    letters = {x.name: x for x in (*LETTERS, *(of_budget - {sym.N, sym.D}))}
    own = {x: Symbol(spelt.get(name, name), **x.assumptions0) for name, x in letters.items()}
    own[sym.E] = Symbol(spelling.letters["irreducible"], nonnegative=True)  # a law may have none

    def respelt(meaning: Meaning) -> Meaning:
        if isinstance(meaning, NamedFunction):
            return meaning.map(respelt)
        return meaning.xreplace(own)

    canonical = letters | quantities
    renamed = {own: canonical[name] for name, own in spelt.items() if own not in hidden}
    taken = {*filter(str.isalpha, spelt), *renamed}
    names = {name: meaning for name, meaning in canonical.items() if name not in taken} | renamed
    back = {own: name for name, own in spelt.items()}
    params = sym.SIZE_RATIO * m.envelope.params
    run = {
        sym.N: params,
        sym.D: budget.remaining(sym.N).subs(sym.N, params),
        sym.RATIO: m.ratio,
        sym.LOG_SIZE_RATIO: log(sym.SIZE_RATIO),
    }
    factors = (budget.coefficient, *(x**power for x, power in budget.powers))
    definitions = {
        sym.C: f"C == {'*'.join(map(str, factors))}",
        sym.SIZE_RATIO: "r == N/N_opt",
        sym.RATIO: "rho == (D/N)/(D_opt/N_opt)",
        sym.LOG_SIZE_RATIO: "s == log(r)",
    }
    return Vocabulary(
        {name: respelt(meaning) for name, meaning in names.items()},
        spelling,
        {name: back.get(name) or name for name, e in names.items() if not isinstance(e, Symbol)},
        {symbol: value.xreplace(own) for symbol, value in run.items()},
        definitions,
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


def _quantities(m: Misallocation) -> dict[str, Meaning]:
    """The quantities that have closed forms, by name."""
    envelope, form, (N, D, C, r) = (
        m.envelope,
        m.envelope.form,
        (sym.N, sym.D, sym.C, sym.SIZE_RATIO),
    )
    loss = Symbol("L", positive=True)
    least = NamedFunction((C,), envelope.loss)
    least_reducible = NamedFunction((C,), envelope.reducible)
    terms = zip((N, D), form.terms, strict=True)
    cheapest = (envelope.coefficient / (loss - sym.E)) ** (1 / envelope.exponent)
    return {
        "L": NamedFunction((N, D), form.loss, least),
        "L_hat": NamedFunction((N, D), form.loss, least),
        "R": NamedFunction((N, D), form.reducible, least_reducible),
        **{f"T_{x}": NamedFunction((x,), term.expression) for x, term in terms},
        "N_opt": NamedFunction((C,), envelope.params),
        "D_opt": NamedFunction((C,), envelope.tokens),
        "L_opt": least,
        "R_opt": least_reducible,
        "C_opt": NamedFunction((loss,), cheapest),
        "alpha": envelope.exponent,
        "C0": envelope.coefficient,
        **dict(zip(("w_N", "w_D"), envelope.shares, strict=True)),
        "G": envelope.params.subs(C, envelope.budget.coefficient),
        "P": NamedFunction((r,), m.penalty, instead=((sym.RATIO, m.size_ratio),)),
    }
