"""Near the optimum the penalty is 1 + (beta gamma/2) s^2 + ..., its coefficients the moments of a two-point distribution."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, Symbol, exp, factorial, log

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import moment
from isoflop.theory.penalty import PENALTY, misallocation, penalty_along_budget
from isoflop.theory.theorem import Definition, Derivation, partial, say, step

ORDERS = ("first", "second", "third", "fourth")


def derivation() -> Derivation:
    """Derivatives of P(e^s) at s = 0 up to the fourth order, and the tolerance they give."""
    m = misallocation()
    s, rho, epsilon = sym.LOG_SIZE_RATIO, sym.RATIO, sym.TOLERANCE
    b, g, (w_n, w_d) = sym.BETA, sym.GAMMA, m.named.envelope.shares
    penalty, width = PENALTY(exp(s)), Symbol("h", positive=True)

    def at_optimum(order: int) -> Expr:
        return Subs(partial(penalty, s, order), s, 0)

    second = at_optimum(2)
    steps = (
        penalty_along_budget(m),
        step("value", (PENALTY(1), "=", 1), "The shares sum to one:"),
        *(
            step(
                f"derivative_{n}",
                (
                    at_optimum(n),
                    "=",
                    w_n * (-b) ** n + w_d * g**n,
                    "=",
                    factorial(n) * m.series(n).coeff(s, n) if n > 1 else Integer(0),
                ),
                say(f"The {order} derivative of the two powers at {{}}:", (s, "=", 0)),
            )
            for n, order in enumerate(ORDERS, start=1)
        ),
        step(
            "third_in_second",
            (at_optimum(3), "=", (g - b) * second),
            "The third vanishes for equal exponents:",
        ),
        step(
            "fourth_in_second",
            (at_optimum(4), "=", (b**2 - b * g + g**2) * second),
            "The fourth is a multiple of the second as well:",
        ),
        step(
            "recurrence",
            (partial(penalty, s, 2), "=", (g - b) * partial(penalty, s, 1) + b * g * penalty),
            "Both powers solve one differential equation, so that every later one follows:",
        ),
        step(
            "tolerance",
            (1 + second * width**2 / 2, "=", 1 + epsilon),
            say(
                "To the second order the penalty exceeds one by {} at {}:", epsilon, (s, "=", width)
            ),
        ),
        step(
            "in_ratio",
            (moment(m, 2) * log(rho) ** 2 / 8, "=", second / 2 * (-log(rho) / 2) ** 2),
            say(
                "In the overtraining ratio {} the same term is, with {}:",
                rho,
                (s, "=", -log(rho) / 2),
            ),
        ),
    )
    return Derivation(
        name="penalty_expansion",
        title="The penalty near the optimum",
        assumptions=(*m.envelope.assumptions, say("Let {} be real and {}.", s, (epsilon, ">", 0))),
        definitions=(*m.definitions, Definition(width, m.tolerance_half_width)),
        statement=say(
            "A run with {} times the optimal size at its compute has the penalty {penalty}. "
            "At the optimum it is one, {value}, and its derivatives are {derivative_1}, "
            "{derivative_2}, {derivative_3} and {derivative_4}. To the second order it "
            "exceeds one by {} at the distance {}: {tolerance}.",
            exp(s),
            epsilon,
            width,
        ),
        steps=steps,
        source="Taylor's theorem on the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="With the published exponents a factor 1.5 in model size costs about 1 percent of the reducible loss: the "
        "optimum is flat.",
    )
