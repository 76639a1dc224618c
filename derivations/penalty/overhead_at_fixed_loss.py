"""Reaching L*(C) with k N* params takes [1 + (gamma/beta)(1 - k^-beta)]^(-1/gamma) D* tokens, and never less compute."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByMonotone, BySameDifference
from isoflop.theory.proof.claim import ByLeadingTerm, ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """The tokens factor k_D, the compute it costs, that the cost is never below C, and both ends of the range of k."""
    m = misallocation()
    envelope, k, y = m.envelope, sym.SIZE_RATIO, Symbol("y", positive=True)
    b, g, (w_n, w_d) = sym.BETA, sym.GAMMA, envelope.shares
    run = {sym.N: k * envelope.params, sym.D: m.tokens_factor * envelope.tokens}
    left = 1 - w_n * k**-b
    bound = ByWeightedAmGm((w_n * k**-b, w_d * k**g), (w_n, w_d))
    reachable = (left,)
    steps = (
        Claim(
            "de_vries",
            m.tokens_factor,
            "==",
            (1 + g / b * (1 - k**-b)) ** (-1 / g),
            "The form in which de Vries prints the tokens factor.",
            assume=reachable,
        ),
        Claim(
            "same_loss",
            PARAMS_TOKENS.loss.subs(run),
            "==",
            envelope.loss,
            "With k N* params and k_D D* tokens the loss is L*(C).",
            assume=reachable,
        ),
        Claim(
            "contour",
            m.iso_loss_tokens.subs([(sym.N, run[sym.N]), (sym.REDUCIBLE, envelope.reducible)]),
            "==",
            run[sym.D],
            "It is the point of the iso-loss contour at k N*.",
            assume=reachable,
        ),
        Claim(
            "compute",
            SIX_ND.compute(run) / sym.C,
            "==",
            1 + m.compute_overhead,
            "The compute is k k_D times C.",
            assume=reachable,
        ),
        Claim(
            "never_cheaper",
            k * (w_d / left) ** (1 / g),
            ">=",
            Integer(1),
            "P >= 1 says 1 - w_N k^-beta <= w_D k^gamma, and k (w_D/y)^(1/gamma) falls in y to 1 at y = w_D k^gamma.",
            ByMonotone(
                k * (w_d / y) ** (1 / g),
                y,
                left,
                w_d * k**g,
                False,
                BySameDifference(m.penalty, Integer(1), bound),
            ),
            assume=reachable,
        ),
        Claim(
            "overhead_bound_is_overhead",
            k * (w_d / left) ** (1 / g),
            "==",
            1 + m.compute_overhead,
            "The quantity bounded is k k_D.",
            assume=reachable,
        ),
        Claim(
            "no_overhead",
            m.compute_overhead.subs(k, 1),
            "==",
            Integer(0),
            "At the optimal size nothing is added.",
        ),
        Claim(
            "large_models",
            left / w_d,
            "->",
            1 / w_d,
            "For k -> infinity the tokens still cannot fall below w_D^(1/gamma) D*; stated for k_D^-gamma.",
            ByLeadingTerm(k, "oo"),
        ),
    )
    return Derivation(
        name="overhead_at_fixed_loss",
        title="Compute overhead at fixed loss",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "N = k N*(C) with k > w_N^(1/beta), loss L*(C)",
        ),
        statement=r"k_D = \Bigl[1 + \frac{\gamma}{\beta}\bigl(1 - k^{-\beta}\bigr)\Bigr]^{-1/\gamma},\qquad k\,k_D \ge 1",
        steps=steps,
        source="H. de Vries 2023, Go smol or go home.",
        follows="The overhead diverges at the critical size w_N^(1/beta) N*.",
    )
