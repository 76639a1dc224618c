"""As a function of the overtraining ratio rho at fixed compute the penalty has half the exponents."""

from __future__ import annotations

from sympy import Expr, Integer, Mul, Pow, Subs, Symbol, exp, log, sqrt

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.theorem import Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """The run with ratio rho at compute C, its loss, and the first coefficients in log rho."""
    m = misallocation()
    names, rho, s = m.named, sym.RATIO, Symbol("t", real=True)
    n_star, d_star = names.envelope.allocation
    run = {sym.N: n_star / sqrt(rho), sym.D: d_star * sqrt(rho)}
    reducible = function("R")
    ratio = reducible(*run.values()) / reducible(n_star, d_star)
    penalty, (w_n, w_d) = names.penalty_in_ratio, names.envelope.shares
    overtrained, undertrained = w_n * rho ** (sym.BETA / 2), w_d * rho ** (-sym.GAMMA / 2)
    quadratic = m.series_in_ratio(2).subs(rho, exp(s))

    def at_optimum(expression: Expr) -> Expr:
        return Subs(expression, s, 0)

    in_log = penalty.subs(rho, exp(s))
    steps = (
        step(
            "ratio",
            (
                Mul(run[sym.D], Pow(run[sym.N], -1, evaluate=False), evaluate=False),
                "=",
                rho * (d_star / n_star),
            ),
            say("The run has {} times the optimal tokens per parameter:", rho),
        ),
        step(
            "same_compute",
            (product_of_powers([SIX_ND.coefficient, *run.values()], [Integer(1)] * 3), "=", sym.C),
            "It costs the same compute:",
        ),
        step(
            "penalty",
            (ratio, "=", penalty),
            say("Each term is its share {} or {} times a power of {}:", w_n, w_d, rho),
        ),
        step(
            "at_least_one",
            (penalty, ">=", 1),
            say(
                "Weighted AM-GM with the weights {} and {}; the powers of {} cancel:", w_n, w_d, rho
            ),
            ByWeightedAmGm((overtrained, undertrained), (w_n, w_d)),
        ),
        step(
            "no_first_order",
            (at_optimum(Partial(in_log, s)), "=", 0),
            say("With {} there is no term of first order in {}:", (s, "=", log(rho)), s),
        ),
        step(
            "second_order",
            (at_optimum(Partial(Partial(in_log, s), s)), "=", quadratic.diff(s, 2)),
            "The second derivative:",
        ),
        step(
            "above_params_tail",
            (penalty, ">", overtrained),
            "The params term alone bounds the cost of overtraining from below:",
            ByPositiveTerms(form=undertrained),
        ),
    )
    return Derivation(
        name="penalty_in_overtraining_ratio",
        title="The penalty in the overtraining ratio",
        assumptions=m.envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "A run at compute {} with {} times the optimal tokens per parameter, {}, has {} "
            "params and {} tokens, {ratio} and {same_compute}. Its penalty is {penalty}, "
            "where {at_least_one}, and in the logarithm of {} it begins with the second "
            "order, {no_first_order} and {second_order}.",
            sym.C,
            rho,
            (rho, ">", 0),
            run[sym.N],
            run[sym.D],
            rho,
        ),
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; substitution of the size ratio.",
        follows="A ratio above 1 is overtrained, one below 1 undertrained; the costs of both differ at third order only.",
    )
