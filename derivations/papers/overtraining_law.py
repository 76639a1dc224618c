"""With one exponent the params+tokens law is the over-training law of Gadre et al.; its optimal D/N is the same at every C."""

from __future__ import annotations

from sympy import Integer, Rational, Subs, Symbol, cosh, exp, log, sinh, sqrt, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import LawForm, Term
from isoflop.theory.proof.arguments import ByWeightedAmGm
from isoflop.theory.ray import PARAMS, RayForm
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)

LOSS, REDUCIBLE = function("L_G"), function("R_G")
ETA, COEFFICIENT_N, COEFFICIENT_D, BEST = symbols("eta a_G b_G t_G", positive=True)


def derivation() -> Derivation:
    """R in compute and M = D/N, its minimum over M, what M costs off it, and the form of the published code."""
    n, d, C, t, s, rho = sym.N, sym.D, sym.C, sym.TOKENS_PER_PARAM, sym.LOG_SIZE_RATIO, sym.RATIO
    eta, a, b = ETA, COEFFICIENT_N, COEFFICIENT_D
    form = LawForm((Term(sym.A, n, sym.BETA), Term(sym.B, d, sym.BETA)))
    envelope = derive(form)
    size, terms = PARAMS(C), (a * t**eta * C**-eta, b * t**-eta * C**-eta)
    reducible, least = REDUCIBLE(C, t), REDUCIBLE(C, BEST)
    half = Rational(1, 2)
    steps = (
        step(
            "budget",
            (SIX_ND.compute({n: size, d: t * size}), "=", C),
            "These runs spend the compute:",
        ),
        step(
            "in_compute_and_ratio",
            (LOSS(size, t * size), "=", sym.E + reducible),
            "Substitute the size and the tokens in the law:",
        ),
        step(
            "in_published_code",
            (
                sym.A * size ** (-2 * eta) + b * Integer(6) ** -eta * (t * size) ** (-2 * eta),
                "=",
                reducible,
            ),
            say(
                "The published code holds {} and {}, of which only the second carries the 6 of the "
                "compute:",
                sym.A,
                b,
            ),
        ),
        step(
            "least",
            (reducible, ">=", 2 * sqrt(a * b) * C**-eta),
            say("The product of the two terms does not depend on {}; AM-GM with equal weights:", t),
            ByWeightedAmGm(terms, (half, half)),
        ),
        step(
            "attained",
            (least, "=", 2 * sqrt(a * b) * C**-eta),
            say("At {} tokens per parameter the two terms are equal:", BEST),
        ),
        step(
            "slope",
            (
                Subs(Partial(reducible, log(t)), t, rho * BEST),
                "=",
                eta * sinh(eta * log(rho)) * least,
            ),
            say("The derivative has the sign of {}, so that no other ratio is as good:", log(rho)),
        ),
        step(
            "cost",
            (REDUCIBLE(C, rho * BEST), "=", cosh(eta * log(rho)) * least),
            say("One term is multiplied by {}, the other divided by it:", rho**eta),
        ),
        step(
            "cost_in_size",
            (REDUCIBLE(C, BEST * exp(-2 * s)), "=", cosh(sym.BETA * s) * least),
            say(
                "At {} times the optimal size the ratio is {} times the optimal one:",
                exp(s),
                exp(-2 * s),
            ),
        ),
    )
    return Derivation(
        name="overtraining_law",
        title="The over-training law",
        assumptions=(
            say(
                "Let {} be the loss of a model with {} params trained on {} tokens, where ",
                (LOSS(n, d), "=", form.loss),
                (n, ">", 0),
                (d, ">", 0),
            )
            + all_positive((sym.A, sym.B, sym.BETA))
            + say(" and {}.", (sym.E, ">=", 0)),
            envelope.assumptions[1],
            say(
                "A run has {} tokens per parameter, written {} in the source.",
                (t, ">", 0),
                Symbol("M"),
            ),
        ),
        definitions=(
            Definition(LOSS(n, d), form.loss),
            Definition(eta, sym.BETA / 2),
            Definition(a, Integer(6) ** eta * sym.A),
            Definition(b, Integer(6) ** eta * sym.B),
            Definition(size, RayForm(envelope).params),
            Definition(REDUCIBLE(C, t), (a * t**eta + b * t**-eta) * C**-eta),
            Definition(BEST, (b / a) ** (1 / (2 * eta))),
        ),
        statement=say(
            "A run at compute {} has {} params and {} tokens, {budget}, and the loss "
            "{in_compute_and_ratio}. Its reducible loss has a lower bound, {least}, and "
            "attains it at {} tokens per parameter whatever the compute, {attained}. With {} "
            "times that ratio, {}, the reducible loss is {cost}; its slope, {slope}, "
            "vanishes at the optimal ratio alone. With {} times the optimal size, for real "
            "{}, it is {cost_in_size}.",
            C,
            size,
            t * size,
            BEST,
            rho,
            (rho, ">", 0),
            exp(s),
            s,
        ),
        steps=steps,
        source="The law of Gadre et al. 2024, arXiv 2403.08540; its optimum and penalty are those of the params+tokens law.",
        follows="Training at a fixed multiple of the optimal ratio keeps the exponent of compute: the loss curves are parallel.",
    )
