"""Near the optimum the logarithm of the effective compute is -((beta+gamma)/2) s^2 + ((beta^2-gamma^2)/6) s^3 + ..."""

from __future__ import annotations

from sympy import Expr, Subs, exp, factorial, log

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import cumulants, log_effective_compute_series
from isoflop.theory.penalty import PENALTY, misallocation, penalty_along_budget
from isoflop.theory.theorem import Definition, Derivation, function, partial, say, step

NAMES = {2: "second", 3: "third", 4: "fourth"}


def derivation() -> Derivation:
    """The share f of its compute that a run is worth, from the compute law; the derivatives of log f at s = 0."""
    m = misallocation()
    names, s = m.named.envelope, sym.LOG_SIZE_RATIO
    (n_star, d_star), (w_n, w_d) = names.allocation, names.shares
    b, g, alpha = sym.BETA, sym.GAMMA, names.exponent
    share, at = function("f")(s), function("R")
    series = log_effective_compute_series(m)

    def at_optimum(of: Expr, order: int) -> Expr:
        return Subs(partial(log(of), s, order), s, 0)

    steps = (
        penalty_along_budget(m),
        step(
            "definition",
            (
                names.reducible.subs(sym.C, share * sym.C),
                "=",
                at(n_star * exp(s), d_star * exp(-s)),
            ),
            say("The optimum at compute {} has the reducible loss of the run:", share * sym.C),
        ),
        step("value", (share.subs(s, 0), "=", 1), "Nothing is lost at the optimum:"),
        step(
            "slope",
            (at_optimum(share, 1), "=", 0),
            "There the penalty is least, so that there is no term of the first order:",
        ),
        *(
            step(
                f"{name}_cumulant",
                (at_optimum(PENALTY(exp(s)), n), "=", cumulants(m)[n - 2]),
                say(
                    f"The {name} cumulant of the variable that is {{}} with probability {{}} and {{}} "
                    "with {}:",
                    -b,
                    w_n,
                    g,
                    w_d,
                ),
            )
            for n, name in NAMES.items()
        ),
        *(
            step(
                f"{name}_order",
                (
                    at_optimum(share, n) / factorial(n),
                    "=",
                    -cumulants(m)[n - 2] / (factorial(n) * alpha),
                    "=",
                    series.coeff(s, n),
                ),
                say(
                    f"The {name} cumulant over {{}}, with the opposite sign:", factorial(n) * alpha
                ),
            )
            for n, name in NAMES.items()
            if n < 4
        ),
    )
    return Derivation(
        name="effective_compute_expansion",
        title="Effective compute near the optimum",
        assumptions=(*m.envelope.assumptions, say("Let {} be real.", s)),
        definitions=(*m.definitions, Definition(share, PENALTY(exp(s)) ** (-1 / alpha))),
        statement=say(
            "A run with {} times the optimal size at compute {} is worth the share {} of its "
            "compute, {definition}. At the optimum {value} and {slope}, and the coefficients "
            "of the logarithm that follow are {second_order} and {third_order}.",
            exp(s),
            sym.C,
            share,
        ),
        steps=steps,
        source="Cumulant expansion of the logarithm of the penalty.",
        follows=say(
            "A size off by a factor {} wastes about the share {} of the budget, at every scale. Too "
            "large costs more than too small where the tokens have the larger exponent.",
            exp(s),
            (b + g) / 2 * s**2,
        ),
    )
