"""The composed law's exponent between its limits: kappa a_g where the gold likelihood is far above its floor, a_g near it."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import defined
from isoflop.theory.passk import SCHAEFFER, GoldComposition
from isoflop.theory.proof.argument_calculus import ByMonotone, BySameDifference
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """With u = (g - Eg)/Eg the reducible part is K0 Eg^kappa ((1 + u)^kappa - 1); its elasticity in u."""
    names = ("xi_0", "K_0", "kappa", "E_g", "G_g", "a_g", "u", "m", "x")
    xi, k0, kappa, eg, gg, ag, u, m, x = (Symbol(name, positive=True) for name in names)
    law = GoldComposition(xi, k0, kappa, eg, gg, ag)
    floor, coefficient, _ = law.with_gold_floor
    reducible = law.value - floor
    exponent = -sym.C * reducible.diff(sym.C) / reducible
    at = {sym.C: law.compute_where(u)}
    power = 1 + m
    convex = (1 + u) ** power - 1
    error = sym.TOLERANCE
    limit = defined(law.bare_limit(error))
    bare = k0 * (gg * sym.C**-ag) ** kappa
    return Derivation(
        name="gold_law_local_exponent",
        title="Local exponent of the composed gold law",
        assumptions=(
            "y = -log pass@k, a constant plus K_0 g^kappa, and E_0 its limit for C -> infinity",
            "g, the gold reference's negative log likelihood: E_g > 0 plus G_g times C to the power -a_g",
            "u = (g - E_g)/E_g",
        ),
        statement=(
            r"-\frac{d\log(y - E_0)}{d\log C} = \kappa a_g\,\frac{1 - E_g/g}{1 - (E_g/g)^\kappa}, \qquad"
            r" \text{between } \kappa a_g\ (C \to 0) \text{ and } a_g\ (C \to \infty)"
        ),
        steps=(
            Claim(
                "reducible",
                reducible,
                "==",
                defined(law.reducible),
                "The part above the limit, in u.",
            ),
            Claim(
                "local_exponent",
                exponent,
                "==",
                kappa * ag * (1 - eg / law.gold) / (1 - (eg / law.gold) ** kappa),
                "Differentiate.",
            ),
            Claim(
                "without_cancellation",
                defined(law.local_exponent),
                "==",
                kappa * ag * (1 - eg / law.gold) / (1 - (eg / law.gold) ** kappa),
                "The form in which it is computed, log(g/E_g) = log(1 + u).",
            ),
            Claim(
                "compute_of_u",
                law.gold.subs(at),
                "==",
                eg * (1 + u),
                "Every u > 0 belongs to one compute; u falls with C.",
            ),
            Claim(
                "leading_ratio",
                (reducible / (coefficient * sym.C**-ag)).subs(at),
                "==",
                defined(law.leading_ratio(u)),
                "What the leading order for E_g > 0 misses depends on u and kappa alone.",
            ),
            Claim(
                "at_least_the_smaller",
                power * u * (1 + u) ** m,
                ">=",
                convex,
                "For kappa = 1 + m > 1 the elasticity of f = (1 + u)^kappa - 1 in u is at least 1: u f' - f grows from 0.",
                BySameDifference(
                    power * u * (1 + u) ** m - convex,
                    Integer(0),
                    ByMonotone(
                        power * x * (1 + x) ** m - (1 + x) ** power + 1,
                        x,
                        u,
                        Integer(0),
                        slope=ByPositiveTerms(form=power * m * x * (1 + x) ** (m - 1)),
                    ),
                ),
            ),
            Claim(
                "at_most_the_larger",
                convex,
                ">=",
                u * (1 + u) ** m,
                "And at most kappa: that is (1 + u)^m >= 1. For kappa < 1 both bounds turn around.",
                BySameDifference(
                    (1 + u) ** m, Integer(1), ByMonotone((1 + x) ** m, x, u, Integer(0))
                ),
            ),
            Claim(
                "bare_ratio",
                ((law.value - xi) / bare).subs(at),
                "==",
                (1 + 1 / u) ** kappa,
                "The law without the gold floor misses a factor that falls to 1 for u -> infinity, that is C -> 0, where the "
                "exponent is kappa a_g.",
            ),
            Claim(
                "bare_limit",
                (law.value - xi).subs(sym.C, limit),
                "==",
                (1 + error) * bare.subs(sym.C, limit),
                "At this compute the factor is 1 + epsilon; below it, less.",
                assume=((1 + error) ** (1 / kappa) - 1,),
            ),
        ),
        source=f"{SCHAEFFER}, for the gold reference law; differentiation.",
        follows="An exponent fitted over a finite range lies between the two; for kappa > 1 it is too steep beyond that range.",
    )
