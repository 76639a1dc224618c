"""Near the optimum the overhead at fixed loss and the compute lost at fixed compute agree to leading order."""

from __future__ import annotations

from sympy import Expr, Subs, exp, factorial, log

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import log_overhead_series
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.theorem import Definition, Derivation, function, partial, say, step


def derivation() -> Derivation:
    """The compute q that reaches the least loss at e^s N* params; derivatives of log q at s = 0, beside those of log f."""
    m = misallocation()
    names, s, r = m.named, sym.LOG_SIZE_RATIO, sym.SIZE_RATIO
    b, g, alpha = sym.BETA, sym.GAMMA, names.envelope.exponent
    n_star, d_star = names.envelope.allocation
    at, spent, worth = function("R"), function("q")(s), function("f")(s)
    series = log_overhead_series(m)

    def at_optimum(of: Expr, order: int) -> Expr:
        return Subs(partial(log(of), s, order), s, 0) / factorial(order)

    steps = (
        step(
            "definition",
            (at(n_star * exp(s), spent * exp(-s) * d_star), "=", at(n_star, d_star)),
            say(
                "With {} params and {} times the compute the loss is the least one:",
                n_star * exp(s),
                spent,
            ),
            assume=(1 - names.envelope.shares[0] * exp(-b * s),),
        ),
        step("value", (spent.subs(s, 0), "=", 1), "At the optimum nothing is added:"),
        step(
            "slope",
            (at_optimum(spent, 1), "=", 0),
            "The contour is tangent to the isoFLOP line there, so that there is no first order:",
        ),
        step("order_2", (at_optimum(spent, 2), "=", series.coeff(s, 2)), "Differentiate twice:"),
        step(
            "order_3",
            (at_optimum(spent, 3), "=", series.coeff(s, 3)),
            "And once more; it is negative, so that small models are dearer at fixed loss:",
        ),
        step(
            "same_leading",
            (at_optimum(spent, 2), "=", -at_optimum(worth, 2)),
            "To leading order it is what is lost at fixed compute:",
        ),
        step(
            "difference",
            (at_optimum(spent, 3) + at_optimum(worth, 3), "=", -g * (b + g) / 2),
            "The two part at the third order:",
        ),
    )
    return Derivation(
        name="overhead_expansion",
        title="Overhead at fixed loss near the optimum",
        assumptions=(*m.envelope.assumptions, say("Let {} be real.", s)),
        definitions=(
            *m.definitions,
            Definition(spent, exp(s) * names.tokens_factor.subs(r, exp(s))),
            Definition(worth, PENALTY(exp(s)) ** (-1 / alpha)),
        ),
        statement=say(
            "With {} params the least loss at compute {} takes {} times the compute, "
            "{definition}, and at the optimum {value}. Its logarithm has the coefficients "
            "{slope}, {order_2} and {order_3}. At fixed compute such a run is worth the "
            "share {} of it; the two agree to leading order, {same_leading}, and no further, "
            "{difference}.",
            n_star * exp(s),
            sym.C,
            spent,
            worth,
        ),
        steps=steps,
        source="Taylor's theorem on the overhead of H. de Vries 2023, Go smol or go home.",
        follows="At half the optimal size the published exponents give a fifth to a quarter more compute for the same loss.",
    )
