"""An iso-loss contour falls in log-log axes, is convex there, and touches the isoFLOP line with slope -1 at the optimum."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The explicit contour D(N), its slope by differentiation, its asymptotes and the point of tangency."""
    m = misallocation()
    envelope, n, target = m.envelope, sym.N, sym.REDUCIBLE
    params, tokens = PARAMS_TOKENS.terms
    b, g = params.exponent, tokens.exponent
    contour = m.iso_loss_tokens
    slope = n * contour.diff(n) / contour
    gap = target - params.expression
    on_envelope = [(n, envelope.params), (target, envelope.reducible)]
    x = Symbol("x", real=True)
    level = log(contour.subs(n, exp(x)))
    steps = (
        Claim(
            "on_the_contour",
            PARAMS_TOKENS.loss.subs(sym.D, contour),
            "==",
            sym.E + target,
            "D(N) = (B/(R - A N^-beta))^(1/gamma) has the loss E + R.",
            assume=(gap,),
        ),
        Claim(
            "slope",
            slope,
            "==",
            m.iso_loss_slope.subs(sym.D, contour),
            "dlog D/dlog N = -(beta T_N)/(gamma T_D).",
            assume=(gap,),
        ),
        Claim(
            "passes_the_optimum",
            contour.subs(on_envelope),
            "==",
            envelope.tokens,
            "The contour of R*(C) passes (N*, D*).",
        ),
        Claim(
            "tangency",
            slope.subs(on_envelope),
            "==",
            Integer(-1),
            "There its slope is -1, that of the isoFLOP line N D = C/6.",
        ),
        Claim(
            "convex",
            level.diff(x, 2),
            "==",
            (b**2 * target * params.expression / (g * gap**2)).subs(n, exp(x)),
            "The second derivative in log N is beta^2 R T_N/(gamma T_D^2) > 0, so the tangent touches once.",
        ),
        Claim(
            "horizontal_asymptote",
            gap / tokens.coefficient,
            "->",
            m.smallest_tokens**-g,
            "For N -> infinity, D falls to D_min = (B/R)^(1/gamma); stated for D^-gamma.",
            ByLeadingTerm(n, "oo"),
        ),
        Claim(
            "above_the_asymptote",
            m.smallest_tokens**-g,
            ">",
            gap / tokens.coefficient,
            "D > D_min for every N; stated for D^-gamma = (R - A N^-beta)/B.",
            ByPositiveTerms(form=params.expression / tokens.coefficient),
        ),
    )
    return Derivation(
        name="iso_loss_contour",
        title="Iso-loss contours",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "target loss E + R, N > N_min = (A/R)^(1/beta)",
        ),
        statement=r"D(N) = \Bigl(\frac{B}{R - A N^{-\beta}}\Bigr)^{1/\gamma},\qquad \frac{d\log D}{d\log N} = -\frac{\beta "
        r"T_N}{\gamma T_D} \; (= -1 \text{ at the optimum})",
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556, figure 4, draws the contours.",
        follows="The efficient frontier is the curve of tangency points, beta T_N = gamma T_D.",
    )
