"""Near the optimum the overhead at fixed loss and the compute lost at fixed compute agree to leading order."""

from __future__ import annotations

from sympy import Integer, exp, factorial, log

from isoflop.theory import symbols as sym
from isoflop.theory.expansion import log_effective_compute_series, log_overhead_series
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Derivatives of log(k k_D) at s = log k = 0 from the iso-loss contour, and their difference from those of -log f."""
    m = misallocation()
    envelope, s = m.envelope, sym.LOG_SIZE_RATIO
    b, g = sym.BETA, sym.GAMMA
    contour = m.iso_loss_tokens.subs(
        [(sym.N, envelope.params * exp(s)), (sym.REDUCIBLE, envelope.reducible)]
    )
    log_compute = log(exp(s) * contour / envelope.tokens)
    from_factor = s + log(m.tokens_factor.subs(sym.SIZE_RATIO, exp(s)))
    above = (1 - envelope.shares[0] * exp(-b * s),)
    series, lost = log_overhead_series(m), log_effective_compute_series(m)
    steps = (
        Claim(
            "definition",
            log_compute,
            "==",
            from_factor,
            "k k_D from the iso-loss contour through (N*, D*).",
            assume=above,
        ),
        Claim(
            "value", log_compute.subs(s, 0), "==", Integer(0), "At the optimum the compute is C."
        ),
        Claim(
            "slope",
            from_factor.diff(s).subs(s, 0),
            "==",
            Integer(0),
            "The contour is tangent to the isoFLOP line, so there is no first order.",
        ),
        *(
            Claim(
                f"order_{n}",
                from_factor.diff(s, n).subs(s, 0) / factorial(n),
                "==",
                series.coeff(s, n),
                f"Taylor coefficient of order {n}.",
            )
            for n in (2, 3)
        ),
        Claim(
            "leading",
            from_factor.diff(s, 2).subs(s, 0) / 2,
            "==",
            (b + g) / 2,
            "The leading coefficient is (beta + gamma)/2.",
        ),
        Claim(
            "same_leading",
            from_factor.diff(s, 2).subs(s, 0) / 2,
            "==",
            -lost.coeff(s, 2),
            "It is that of the compute lost at fixed compute.",
        ),
        Claim(
            "skew",
            from_factor.diff(s, 3).subs(s, 0) / 6,
            "==",
            -(b + g) * (b + 2 * g) / 6,
            "Small models are dearer at fixed loss: the coefficient of s^3 is negative whatever the exponents.",
        ),
        Claim(
            "difference",
            series.coeff(s, 3) + lost.coeff(s, 3),
            "==",
            -g * (b + g) / 2,
            "The two measures part at third order.",
        ),
    )
    return Derivation(
        name="overhead_expansion",
        title="Overhead at fixed loss near the optimum",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "N = N* e^s, loss L*(C)",
        ),
        statement=r"\log(k\,k_D) = \tfrac{\beta+\gamma}{2}s^2 - \tfrac{(\beta+\gamma)(\beta+2\gamma)}{6}s^3 + \dots,\qquad s "
        r"= \log k",
        steps=steps,
        source="Taylor's theorem on the overhead of H. de Vries 2023, Go smol or go home.",
        follows="At half the optimal size the published exponents give a fifth to a quarter more compute for the same loss.",
    )
