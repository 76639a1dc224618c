"""The prices of compute, of loss, of caps and of each coefficient.

They follow from the envelope theorem: at the optimum a change of the allocation has no first-order
effect.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, log

from .envelope import Envelope
from .kernel import symbols as sym
from .penalty import Misallocation


def shadow_price(envelope: Envelope) -> Expr:
    """-dR*/dC = alpha R*/C, the reducible loss that one more FLOP removes."""
    return envelope.exponent * envelope.reducible / sym.C


def marginal_cost(envelope: Envelope) -> Expr:
    """dC*/dR = -C*(R)/(alpha R), the FLOP for one more unit of reducible loss (negative: a lower
    loss costs compute).
    """
    return -envelope.compute_for_reducible / (envelope.exponent * sym.REDUCIBLE)


def sensitivities(envelope: Envelope) -> dict[Symbol, Expr]:
    """dL*/dE and, for every term A x^-b of L = E + R, dL*/dlog A = w R* and dL*/db = -w R* log x*.

    Keys are E, the coefficients A (derivative by log A) and the exponents b (derivative by b
    itself).
    """
    found: dict[Symbol, Expr] = {sym.E: Integer(1)}
    for term, share, optimum in zip(
        envelope.form.terms, envelope.shares, envelope.allocation, strict=True
    ):
        found[term.coefficient] = share * envelope.reducible
        found[term.exponent] = -share * envelope.reducible * log(optimum)
    return found


def capped_shadow_price(m: Misallocation, capped: Symbol) -> Expr:
    """dL/dlog x at fixed compute, for x at its cap: (c_x/c_y) b_y T_y - b_x T_x with y on the
    budget; b T_N - g T_D for D.
    """
    form, budget = m.envelope.form, m.envelope.budget
    x = next(term for term in form.terms if term.variable == capped)
    y = next(term for term in form.terms if term.variable != capped)
    pull = budget.exponent(x.variable) / budget.exponent(y.variable)
    price = pull * y.exponent * y.expression - x.exponent * x.expression
    return price.subs(y.variable, budget.remaining(capped))
