"""The price of one allocation for two k is beta_2 gamma_2 s^2/2 to leading order, s affine in log C, and 0 at one compute."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, cross_allocation
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Write the size ratio of allocation_across_k as e^s and expand the penalty at s = 0."""
    pair = cross_allocation()
    chosen, judged = pair.chosen, pair.judged
    s, power = sym.LOG_SIZE_RATIO, Symbol("v", positive=True)
    turn = chosen.shares[0] - judged.shares[0]
    run = {sym.N: judged.params * exp(s), sym.D: judged.tokens * exp(-s)}
    along = judged.form.reducible.subs(run) / judged.reducible
    moved = chosen.params.subs(sym.C, sym.C * power) / judged.params.subs(sym.C, sym.C * power)
    return Derivation(
        name="allocation_across_k_expansion",
        title="Penalty across k near the compute of agreement",
        assumptions=(
            "a params+tokens law of -log pass@k with coefficients of its own at each of two values of k, indexed 1 and 2",
            "C = 6 N D, and s the logarithm of the ratio of the two optimal sizes at C",
        ),
        statement=(
            r"P = 1 + \tfrac{\beta_2\gamma_2}{2} s^2 + O(s^3), \qquad"
            r" s = \log\frac{G_1}{G_2} + \left(w_N(k_1) - w_N(k_2)\right)\log\frac{C}{6}"
        ),
        steps=(
            Claim(
                "affine_in_log_compute",
                moved,
                "==",
                pair.size_ratio * power**turn,
                "At v times the compute the size ratio is v to the power w_N(k_1) - w_N(k_2) of that at C: s is affine in log C.",
            ),
            Claim("at_the_optimum", along.subs(s, 0), "==", Integer(1), "P = 1 at s = 0."),
            Claim(
                "first_order",
                along.diff(s).subs(s, 0),
                "==",
                Integer(0),
                "No first order: a minimum.",
            ),
            Claim(
                "second_order",
                along.diff(s, 2).subs(s, 0) / 2 * log(pair.size_ratio) ** 2,
                "==",
                pair.leading_excess,
                "The second order is that of the law that judges, whatever law chose.",
            ),
            Claim(
                "agreement",
                pair.size_ratio.subs(sym.C, pair.agreement),
                "==",
                Integer(1),
                "Where the two shares differ there is one compute at which s = 0: both allocate alike and nothing is lost.",
            ),
        ),
        source=f"{SCHAEFFER}, for laws whose coefficients depend on k; Taylor's theorem.",
        follows="Away from that compute the excess grows with the square of log C first, then as a power of C.",
    )
