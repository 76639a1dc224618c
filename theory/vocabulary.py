"""The names that a claim may use: symbols of the law, and quantities that stand for their closed forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND, Budget
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.notation import Notation
from isoflop.theory.notation import notation as find_notation
from isoflop.theory.parse import Formula
from isoflop.theory.penalty import misallocation


@dataclass(frozen=True)
class Vocabulary:
    """Names and what they mean in one notation.

    `meaning(name)` is a symbol, a closed form, or a formula in its arguments (`N_opt(C)`, `P(r)`, `L(N, D)`); a letter that means
    nothing else is a free positive symbol.
    """

    names: Mapping[str, Expr | Formula]
    notation: Notation


@lru_cache(maxsize=8)
def vocabulary(notation: str = "schaeffer", budget: Budget = SIX_ND) -> Vocabulary:
    """The vocabulary of the two-term law under a budget."""
    spelling = find_notation(notation)
    canonical = _canonical(derive(budget=budget))
    respelled = {own: canonical[name] for name, own in spelling.names().items() if name in canonical}
    taken = set(spelling.names()) | set(respelled)
    names = {name: meaning for name, meaning in canonical.items() if name not in taken} | respelled
    return Vocabulary(names, spelling)


def _canonical(envelope: Envelope) -> dict[str, Expr | Formula]:
    form, m = envelope.form, misallocation(envelope)
    params, tokens = form.terms
    w_n, w_d = envelope.shares
    balance = envelope.params.subs(sym.C, envelope.budget.coefficient)
    return {
        "N": sym.N,
        "D": sym.D,
        "C": sym.C,
        "E": sym.E,
        "A": sym.A,
        "B": sym.B,
        "beta": sym.BETA,
        "gamma": sym.GAMMA,
        "N_max": sym.N_MAX,
        "D_max": sym.D_MAX,
        "kappa": sym.KAPPA,
        "a": sym.BUDGET_A,
        "d": sym.BUDGET_D,
        "r": sym.SIZE_RATIO,
        "rho": sym.RATIO,
        "s": sym.LOG_SIZE_RATIO,
        "L": Formula((sym.N, sym.D), form.loss, Formula((sym.C,), envelope.loss)),
        "R": Formula((sym.N, sym.D), form.reducible, Formula((sym.C,), envelope.reducible)),
        "T_N": Formula((sym.N,), params.expression),
        "T_D": Formula((sym.D,), tokens.expression),
        "N_opt": Formula((sym.C,), envelope.params),
        "D_opt": Formula((sym.C,), envelope.tokens),
        "L_opt": Formula((sym.C,), envelope.loss),
        "R_opt": Formula((sym.C,), envelope.reducible),
        "alpha": envelope.exponent,
        "C0": envelope.coefficient,
        "w_N": w_n,
        "w_D": w_d,
        "G": balance,
        "P": Formula((sym.SIZE_RATIO,), m.penalty),
    }
