"""Near the optimum the penalty is 1 + (beta gamma/2) s^2 + ..., its coefficients the moments of a two-point distribution."""

from __future__ import annotations

from sympy import Integer, Rational, exp, factorial

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import moment
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Derivatives of R(N* e^s, D* e^-s)/R* at s = 0 up to the fourth order, and the tolerance they give."""
    m = misallocation()
    envelope, s = m.envelope, sym.LOG_SIZE_RATIO
    along = (
        PARAMS_TOKENS.reducible.subs(
            [(sym.N, envelope.params * exp(s)), (sym.D, envelope.tokens * exp(-s))]
        )
        / envelope.reducible
    )
    b, g = sym.BETA, sym.GAMMA
    second = moment(m, 2)
    steps = (
        Claim("value", along.subs(s, 0), "==", moment(m, 0), "At the optimum P = 1."),
        *(
            Claim(
                f"derivative_{n}",
                along.diff(s, n).subs(s, 0),
                "==",
                factorial(n) * m.series(n).coeff(s, n) if n > 1 else Integer(0),
                f"Derivative {n} of P at s = 0 is w_N (-beta)^{n} + w_D gamma^{n}.",
            )
            for n in range(1, 5)
        ),
        Claim(
            "third_in_second",
            along.diff(s, 3).subs(s, 0),
            "==",
            (g - b) * second,
            "The third coefficient vanishes for equal exponents: then the valley is symmetric to that order.",
        ),
        Claim(
            "fourth_in_second",
            along.diff(s, 4).subs(s, 0),
            "==",
            (b**2 - b * g + g**2) * second,
            "The fourth is (beta^2 - beta gamma + gamma^2) times the second.",
        ),
        Claim(
            "recurrence",
            along.diff(s, 2),
            "==",
            (g - b) * along.diff(s) + b * g * along,
            "P solves P'' = (gamma - beta) P' + beta gamma P, so every later coefficient follows.",
        ),
        Claim(
            "tolerance",
            1 + along.diff(s, 2).subs(s, 0) * m.tolerance_half_width**2 / 2,
            "==",
            1 + sym.TOLERANCE,
            "To second order P = 1 + epsilon at s = +-sqrt(2 epsilon/(beta gamma)).",
        ),
        Claim(
            "in_ratio",
            m.series_in_ratio(2).subs(sym.RATIO, exp(-2 * s)),
            "==",
            1 + Rational(1, 2) * along.diff(s, 2).subs(s, 0) * s**2,
            "In log rho = -2 s the coefficient is beta gamma/8.",
        ),
    )
    return Derivation(
        name="penalty_expansion",
        title="The penalty near the optimum",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = N* e^s, D = D* e^-s at the same compute",
        ),
        statement=r"P = 1 + \tfrac{\beta\gamma}{2}s^2 + \tfrac{\beta\gamma(\gamma-\beta)}{6}s^3 + "
        r"\tfrac{\beta\gamma(\beta^2-\beta\gamma+\gamma^2)}{24}s^4 + \dots",
        steps=steps,
        source="Taylor's theorem on the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="With the published exponents a factor 1.5 in model size costs about 1 percent of R: the optimum is flat.",
    )
