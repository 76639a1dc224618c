"""The irreducible part of -log accuracy and the ceiling of accuracy, and where a curve with a ceiling is steepest in log C."""

from __future__ import annotations

from sympy import Integer, Symbol, exp

from isoflop.theory import symbols as sym
from isoflop.theory.accuracy import AccuracyCeiling, AccuracyPenalty
from isoflop.theory.algebra.functions import defined
from isoflop.theory.proof.argument import ByLeadingTerm
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Q = Q_r + (1 - Q_r) exp(-E - C0 C^-alpha): from E to Q_max and back, the inflection in log C, the slope there."""
    room, x = Symbol("h", positive=True), Symbol("x", real=True)
    curve = AccuracyCeiling(sym.E, sym.C0, sym.ALPHA, 1 - room)
    C, reducible = sym.C, sym.C0 * sym.C**-sym.ALPHA
    law = AccuracyPenalty(reducible, Symbol("x", positive=True), sym.E, 1 - room)
    q, ceiling = law.optimal, law.ceiling
    in_log = C * q.diff(C)
    return Derivation(
        name="accuracy_ceiling",
        title="The ceiling of accuracy",
        assumptions=(
            "Q = Q_r + (1 - Q_r) exp(-E - C0 C^-alpha), 0 <= Q_r < 1; h = 1 - Q_r",
            "E >= 0, C0 > 0, alpha > 0",
        ),
        statement=(
            r"Q_{\max} = Q_r + (1 - Q_r)e^{-E}, \qquad E = -\log\frac{Q_{\max} - Q_r}{1 - Q_r}, \qquad"
            r"\max_C\frac{dQ}{d\log C} = \frac{\alpha}{e}(Q_{\max} - Q_r) \text{ at } C = C_0^{1/\alpha}"
        ),
        steps=(
            Claim(
                "vanishing",
                reducible,
                "->",
                Integer(0),
                "For unlimited compute R vanishes.",
                ByLeadingTerm(C, "oo"),
            ),
            Claim(
                "irreducible_safe",
                defined(curve.safe_irreducible_of(ceiling)),
                "==",
                sym.E,
                "(Q_max - Q_r)/(1 - Q_r) = 1 - (1 - Q_max)/(1 - Q_r).",
            ),
            Claim(
                "inflection",
                C * in_log.diff(C),
                "==",
                sym.ALPHA**2 * reducible * (reducible - 1) * (q - law.baseline),
                "Differentiate twice in log C: the slope turns where R = C0 C^-alpha = 1, so Q - Q_r = (Q_max - Q_r)/e there.",
            ),
            Claim(
                "steepest",
                curve.steepest / in_log * reducible,
                ">=",
                reducible,
                "There it is alpha/e of Q_max - Q_r, its maximum: e^(R - 1) lies above its tangent R at R = 1.",
                ByConvexity(exp(x), x, reducible - 1, Integer(0)),
            ),
        ),
        source="Krajewski et al. 2025, arXiv 2512.08894, equations 3 and 10, for the curve; elementary calculus.",
        follows="The ceiling leaves the inflection in log C where it was and scales the accuracy above guessing.",
    )
