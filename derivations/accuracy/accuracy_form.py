"""Accuracy Q = exp(-R) and its variants are maximal at the optimum of R, and lose P(r) - 1 times -log Q* by misallocation."""

from __future__ import annotations

from sympy import Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Bounds for exp(-R), with a ceiling Q_max = e^-E, and for the increasing h = E + R^p of supervised transfer."""
    m = misallocation()
    envelope, law, r = m.envelope, PARAMS_TOKENS.reducible, sym.SIZE_RATIO
    params, tokens = PARAMS_TOKENS.terms
    y, power = Symbol("y", positive=True), Symbol("p", positive=True)
    best = envelope.reducible.subs(sym.C, SIX_ND.compute())
    order = ByWeightedAmGm((params.expression, tokens.expression), envelope.shares)
    moved = [(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)]
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    accuracy, capped, transfer = exp(-y), exp(-sym.E - y), sym.E + y**power
    steps = (
        Claim(
            "balance",
            (sym.N * exp(-law).diff(sym.N)).subs(optimum),
            "==",
            (sym.D * exp(-law).diff(sym.D)).subs(optimum),
            "The optimum of R balances the accuracy.",
        ),
        Claim(
            "maximum",
            exp(-law),
            "<=",
            exp(-best),
            "exp(-y) falls in y: the accuracy is at most that of the envelope at the same compute.",
            ByMonotone(accuracy, y, law, best, False, order),
        ),
        Claim(
            "maximum_with_ceiling",
            exp(-sym.E - law),
            "<=",
            exp(-sym.E - best),
            "A ceiling Q_max = e^-E changes nothing.",
            ByMonotone(capped, y, law, best, False, order),
        ),
        Claim(
            "minimum_of_transfer",
            sym.E + law**power,
            ">=",
            sym.E + best**power,
            "E + y^p rises in y: the minimum is kept.",
            ByMonotone(transfer, y, law, best, True, order),
        ),
        Claim(
            "on_the_envelope",
            exp(-law).subs(optimum),
            "==",
            exp(-envelope.reducible),
            "On the envelope Q = exp(-C0 C^-alpha).",
        ),
        Claim(
            "loss_of_accuracy",
            log(exp(-law).subs(moved)) / log(exp(-law).subs(optimum)),
            "==",
            m.penalty,
            "Off it -log Q is P(r) times larger.",
        ),
        Claim(
            "transfer_penalty",
            law.subs(moved) ** power / law.subs(optimum) ** power,
            "==",
            m.penalty**power,
            "For E + y^p the reducible part is P(r)^p times larger.",
        ),
    )
    return Derivation(
        name="accuracy_form",
        title="Accuracy as a function of the reducible loss",
        assumptions=(
            "Q = exp(-E - R), R = A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=r"Q \le Q_{\max}\exp(-C_0 C^{-\alpha}),\qquad \frac{\log(Q/Q_{\max})}{\log(Q^*/Q_{\max})} = P(r)",
        steps=steps,
        source="Krajewski et al. 2025, arXiv 2512.08894, for the accuracy form; wrapper theorem.",
        follows="Downstream accuracy asks for the same allocation as the law of its own -log Q.",
    )
