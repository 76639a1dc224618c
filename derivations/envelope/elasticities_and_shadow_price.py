"""At the optimum one percent of params, of tokens or of compute each lower the reducible loss by alpha percent."""

from __future__ import annotations

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.marginal import loss_elasticity, marginal_cost, shadow_price
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Elasticities of the law at the optimum, the shadow price of compute, the marginal cost of loss, the slope of L itself."""
    envelope, law = derive(), PARAMS_TOKENS.reducible
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    best = law.subs(optimum)
    cost = envelope.compute_for_reducible
    steps = (
        Claim(
            "in_params",
            (-sym.N * law.diff(sym.N) / law).subs(optimum),
            "==",
            envelope.exponent,
            "-dlog R/dlog N at fixed tokens is alpha at the optimum.",
        ),
        Claim(
            "in_tokens",
            (-sym.D * law.diff(sym.D) / law).subs(optimum),
            "==",
            envelope.exponent,
            "-dlog R/dlog D at fixed params is alpha too.",
        ),
        Claim(
            "in_compute",
            -sym.C * best.diff(sym.C) / best,
            "==",
            envelope.exponent,
            "And so is -dlog R*/dlog C.",
        ),
        Claim(
            "shadow_price",
            -best.diff(sym.C),
            "==",
            shadow_price(envelope),
            "One more FLOP lowers the optimal loss by alpha R*/C.",
        ),
        Claim(
            "price_by_params",
            (-law.diff(sym.N) / (6 * sym.D)).subs(optimum),
            "==",
            shadow_price(envelope),
            "It makes no difference at first order whether the FLOP buys params ...",
        ),
        Claim(
            "price_by_tokens",
            (-law.diff(sym.D) / (6 * sym.N)).subs(optimum),
            "==",
            shadow_price(envelope),
            "... or tokens.",
        ),
        Claim(
            "inverse",
            best.subs(sym.C, cost),
            "==",
            sym.REDUCIBLE,
            "C*(R) = (C0/R)^(1/alpha) inverts the compute law.",
        ),
        Claim(
            "marginal_cost",
            1 / best.diff(sym.C).subs(sym.C, cost),
            "==",
            marginal_cost(envelope),
            "The reciprocal of the slope of the compute law is dC*/dL = -C*/(alpha R).",
        ),
        Claim(
            "slope_of_the_loss",
            -sym.C * (sym.E + best).diff(sym.C) / (sym.E + best),
            "==",
            loss_elasticity(envelope),
            "The slope of the whole loss on log-log axes is alpha (1 - E/L*): it flattens towards E.",
        ),
    )
    return Derivation(
        name="elasticities_and_shadow_price",
        title="Elasticities and the shadow price of compute",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
        ),
        statement=r"-\frac{\partial\log R}{\partial\log N} = -\frac{\partial\log R}{\partial\log D} = -\frac{d\log R^*}{d\log "
        r"C} = \alpha,\qquad -\frac{dL^*}{dC} = \frac{\alpha R^*}{C}",
        steps=steps,
        source="Envelope theorem; the law of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows="A log-log plot of L without E removed understates alpha.",
    )
