"""Near the optimum the logarithm of the effective compute is -((beta+gamma)/2) s^2 + ((beta^2-gamma^2)/6) s^3 + ..."""

from __future__ import annotations

from sympy import Integer, Rational, exp, factorial, log

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import cumulants, log_effective_compute_series
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """log f = log C*(L(s)) - log C from the law and the inverse of the compute law; its derivatives at s = 0."""
    m = misallocation()
    envelope, s = m.envelope, sym.LOG_SIZE_RATIO
    b, g = sym.BETA, sym.GAMMA
    run = PARAMS_TOKENS.reducible.subs(
        [(sym.N, envelope.params * exp(s)), (sym.D, envelope.tokens * exp(-s))]
    )
    log_share = log(envelope.compute_for_reducible.subs(sym.REDUCIBLE, run) / sym.C)
    penalty = log(run / envelope.reducible)
    series = log_effective_compute_series(m)
    names = {2: "second", 3: "third", 4: "fourth"}
    steps = (
        Claim(
            "definition",
            log_share,
            "==",
            log(m.effective_compute.subs(sym.SIZE_RATIO, exp(s))),
            "The compute that the envelope needs for the loss of the run, over C, is P^(-1/alpha).",
        ),
        Claim("value", log_share.subs(s, 0), "==", Integer(0), "Nothing is lost at the optimum."),
        Claim(
            "slope",
            log_share.diff(s).subs(s, 0),
            "==",
            Integer(0),
            "There is no term of first order.",
        ),
        *(
            Claim(
                f"{name}_cumulant",
                penalty.diff(s, n).subs(s, 0),
                "==",
                cumulants(m)[n - 2],
                f"Derivative {n} of log P at s = 0 is the {name} cumulant of the variable that is -beta with probability w_N "
                "and gamma with w_D.",
            )
            for n, name in names.items()
        ),
        *(
            Claim(
                f"{name}_order",
                log_share.diff(s, n).subs(s, 0) / factorial(n),
                "==",
                series.coeff(s, n),
                f"The coefficient of s^{n} is minus the cumulant over {factorial(n)} alpha.",
            )
            for n, name in names.items()
            if n < 4
        ),
        Claim(
            "leading",
            log_share.diff(s, 2).subs(s, 0) / 2,
            "==",
            -(b + g) / 2,
            "beta gamma/alpha = beta + gamma, hence the leading coefficient.",
        ),
        Claim(
            "skew",
            log_share.diff(s, 3).subs(s, 0) / 6,
            "==",
            Rational(1, 6) * (b**2 - g**2),
            "The next coefficient is (beta^2 - gamma^2)/6: too large costs more than too small iff gamma > beta.",
        ),
    )
    return Derivation(
        name="effective_compute_expansion",
        title="Effective compute near the optimum",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = N* e^s, D = D* e^-s at the same compute",
        ),
        statement=r"\log f = -\tfrac{\beta+\gamma}{2}s^2 + \tfrac{\beta^2-\gamma^2}{6}s^3 + \dots",
        steps=steps,
        source="Cumulant expansion of log P.",
        follows="A size off by a factor e^s wastes about (beta + gamma) s^2/2 of the budget, at every scale.",
    )
