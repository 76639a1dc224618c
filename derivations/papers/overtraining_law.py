"""With one exponent the params+tokens law is the over-training law of Gadre et al.; its optimal D/N is the same at every C."""

from __future__ import annotations

from sympy import Integer, Rational, cosh, exp, log, sinh

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import LawForm, Term
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation
from isoflop.theory.ray import Ray


def derivation() -> Derivation:
    """R in compute and M = D/N, its minimum over M, what M costs off it, and the form of the published code."""
    t, s, eta = sym.TOKENS_PER_PARAM, sym.LOG_SIZE_RATIO, sym.BETA / 2
    form = LawForm((Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.BETA)))
    envelope = derive(form)
    line = Ray(envelope)
    a, b = sym.A * Integer(6) ** eta, sym.B * Integer(6) ** eta
    in_ratio = (a * t**eta + b * t**-eta) * sym.C**-eta
    best = (b / a) ** (1 / (2 * eta))
    published = sym.A * line.params ** (-2 * eta) + b * Integer(6) ** -eta * (t * line.params) ** (
        -2 * eta
    )
    steps = (
        Claim(
            "in_compute_and_ratio",
            line.reducible,
            "==",
            in_ratio,
            "Substitute N = sqrt(C/(6 t)) and D = t N.",
        ),
        Claim(
            "in_published_code",
            published,
            "==",
            in_ratio,
            'The code\'s "alpha" is A, its "beta" is b: only b carries the 6 of C = 6 N D.',
        ),
        Claim(
            "least",
            in_ratio,
            ">=",
            envelope.reducible,
            "The mean of two terms with a constant product is least where they are equal: C0 = 2 sqrt(a b), exponent eta.",
            ByWeightedAmGm(
                (a * t**eta * sym.C**-eta, b * t**-eta * sym.C**-eta),
                (Rational(1, 2), Rational(1, 2)),
            ),
        ),
        Claim(
            "slope",
            (t * in_ratio.diff(t)).subs(t, best * sym.RATIO),
            "==",
            eta * sinh(eta * log(sym.RATIO)) * envelope.reducible,
            "At rho (b/a)^(1/(2 eta)) tokens per parameter: zero at rho = 1 alone, so t* is the same at every compute.",
        ),
        Claim(
            "cost",
            in_ratio.subs(t, best * sym.RATIO),
            "==",
            cosh(eta * log(sym.RATIO)) * envelope.reducible,
            "At rho times that ratio the reducible loss is cosh(eta log rho) times its least value.",
        ),
        Claim(
            "cost_in_size",
            in_ratio.subs(t, best * exp(-2 * s)),
            "==",
            cosh(sym.BETA * s) * envelope.reducible,
            "And at N = N* e^s it is cosh(beta s) times that value.",
        ),
    )
    return Derivation(
        name="overtraining_law",
        title="The over-training law",
        assumptions=(
            "L = E + A N^-beta + B D^-beta under C = 6 N D with positive coefficients and exponent",
            "t = D/N, written M in the source; eta = beta/2, a = 6^eta A, b = 6^eta B",
        ),
        statement=r"L = E + (a\,t^{\eta} + b\,t^{-\eta})\,C^{-\eta},\qquad t^* = (b/a)^{1/(2\eta)},\qquad "
        r"\frac{L - E}{L^* - E} = \cosh(\eta \log \rho)",
        steps=steps,
        source="The law of Gadre et al. 2024, arXiv 2403.08540; its optimum and penalty are those of the params+tokens law.",
        follows="Training at a fixed multiple of the optimal ratio keeps the exponent of compute: the loss curves are parallel.",
    )
