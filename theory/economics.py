"""The law as a production function: substitution, cost functions, returns to scale, and the prices
of compute, of loss, of caps and of each coefficient.

Params and tokens are the inputs, the reducible loss R = A N^-beta + B D^-gamma what they bring
down. The prices follow from the envelope theorem: at the optimum a change of the allocation has no
first-order effect.
"""

from __future__ import annotations

from sympy import Add, Expr, Integer, Symbol, log

from .algebra import symbols as sym
from .envelope import Envelope
from .law import PARAMS_TOKENS, LawForm
from .penalty import Misallocation

PRICE_N, PRICE_D = Symbol("p", positive=True), Symbol("q", positive=True)
WEIGHT = Symbol("w", positive=True)


def elasticity_of_substitution(form: LawForm = PARAMS_TOKENS) -> Expr:
    """sigma = (b T_N + g T_D)/((1+b) g T_D + (1+g) b T_N) along an iso-loss contour."""
    (t_n, b), (t_d, g) = ((term.expression, term.exponent) for term in form.terms)
    return (b * t_n + g * t_d) / ((1 + b) * g * t_d + (1 + g) * b * t_n)


def optimal_elasticity_of_substitution(form: LawForm = PARAMS_TOKENS) -> Expr:
    """sigma* = 2/(2 + b + g) at the optimum under C = 6 N D."""
    params, tokens = form.terms
    return 2 / (2 + params.exponent + tokens.exponent)


def contour_point(quotient: Expr, form: LawForm = PARAMS_TOKENS) -> tuple[Expr, Expr]:
    """N and D of the run of reducible loss R whose params term is `quotient` times its tokens term."""
    params, tokens = form.terms
    whole = 1 + quotient
    return (
        (whole * params.coefficient / (quotient * sym.REDUCIBLE)) ** (1 / params.exponent),
        (whole * tokens.coefficient / sym.REDUCIBLE) ** (1 / tokens.exponent),
    )


def log_cost(envelope: Envelope) -> Expr:
    """log C*(R), the cost function: log kappa + sum (c_i/b_i) (log(A_i/w_i) - log R)."""
    budget = envelope.budget
    return log(budget.coefficient) + Add(
        *(
            budget.exponent(t.variable) / t.exponent * (log(t.coefficient / w) - log(sym.REDUCIBLE))
            for t, w in zip(envelope.form.terms, envelope.shares, strict=True)
        )
    )


def cobb_douglas_minorant(weight: Expr = WEIGHT, form: LawForm = PARAMS_TOKENS) -> Expr:
    """(A/w)^w (B/(1-w))^(1-w) N^(-w b) D^(-(1-w) g): at most R everywhere, equal where T_N/R = w."""
    params, tokens = form.terms
    return (params.expression / weight) ** weight * (tokens.expression / (1 - weight)) ** (
        1 - weight
    )


def ces_inputs(form: LawForm = PARAMS_TOKENS) -> tuple[Expr, Expr]:
    """N and D of least p N + q D that reach R, for b = g (both terms with the exponent of the
    first).

    With u = b/(1+b), Z = A^(1/(1+b)) p^u + B^(1/(1+b)) q^u: N = (A/p)^(1/(1+b)) (Z/R)^(1/b), D =
    (B/q)^(1/(1+b)) (Z/R)^(1/b).
    """
    (params, tokens), b = form.terms, form.terms[0].exponent
    common = (_ces_sum(form) / sym.REDUCIBLE) ** (1 / b)
    return (
        (params.coefficient / PRICE_N) ** (1 / (1 + b)) * common,
        (tokens.coefficient / PRICE_D) ** (1 / (1 + b)) * common,
    )


def ces_cost(form: LawForm = PARAMS_TOKENS) -> Expr:
    """Least p N + q D for b = g: R^(-1/b) (A^(1/(1+b)) p^(b/(1+b)) + B^(1/(1+b))
    q^(b/(1+b)))^((1+b)/b).
    """
    b = form.terms[0].exponent
    return sym.REDUCIBLE ** (-1 / b) * _ces_sum(form) ** ((1 + b) / b)


def _ces_sum(form: LawForm) -> Expr:
    (params, tokens), b = form.terms, form.terms[0].exponent
    return params.coefficient ** (1 / (1 + b)) * PRICE_N ** (b / (1 + b)) + tokens.coefficient ** (
        1 / (1 + b)
    ) * PRICE_D ** (b / (1 + b))


def scale_elasticity(form: LawForm = PARAMS_TOKENS) -> Expr:
    """-dlog R/dlog lambda for (lambda N, lambda D): the mean of the exponents, (b T_N + g T_D)/R,
    weighted by the shares of the terms.
    """
    weighted = (term.exponent * term.expression for term in form.terms)
    return Add(*weighted) / form.reducible


# -- prices ----------------------------------------------------------------------------------------


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
    return price.subs(y.variable, m.remaining(capped))
