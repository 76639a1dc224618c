"""A law in the gold reference's likelihood and a compute law of that likelihood compose to a compute law of pass@k."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, GoldComposition
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import ByLeadingTerm, Claim, Derivation


def derivation() -> Derivation:
    """-log pass@k = xi0 + K0 g^kappa with g = Eg + Gg C^-ag, without and with a floor Eg."""
    names = ("xi_0", "K_0", "kappa", "E_g", "G_g", "a_g")
    xi, k0, kappa, eg, gg, ag = (Symbol(name, positive=True) for name in names)
    x = Symbol("x", positive=True)
    bare = GoldComposition(xi, k0, kappa, Integer(0), gg, ag)
    law = GoldComposition(xi, k0, kappa, eg, gg, ag)
    exact_floor, exact_coefficient, exact_exponent = bare.without_gold_floor
    floor, coefficient, exponent = law.with_gold_floor
    in_power = law.value.subs(sym.C, x ** (-1 / exponent))
    square = GoldComposition(xi, k0, Integer(2), eg, gg, ag)
    square_floor, square_coefficient, square_exponent = square.with_gold_floor
    return Derivation(
        name="gold_law_composition",
        title="Composition of the gold reference law with a compute law",
        assumptions=(
            "y = -log pass@k, a constant plus K_0 g^kappa",
            "g, the gold reference's negative log likelihood: E_g plus G_g times C to the power -a_g",
        ),
        statement=(
            r"E_g = 0:\ \alpha = \kappa a_g;\qquad"
            r" E_g > 0:\ E_0 = \xi_0 + K_0 E_g^\kappa,\ C_0 = K_0 \kappa E_g^{\kappa-1} G_g,\ \alpha = a_g"
        ),
        steps=(
            Claim(
                "without_floor",
                bare.value.subs(sym.C, (exact_coefficient / sym.REDUCIBLE) ** (1 / exact_exponent)),
                "==",
                exact_floor + sym.REDUCIBLE,
                "Without E_g the composition is exactly a power law with the exponent kappa a_g: solve it for C.",
            ),
            Claim(
                "floor",
                law.value,
                ">=",
                floor,
                "With E_g > 0 the composition grows with x, which is C to the power -a_g, from its value at x = 0.",
                ByMonotone(in_power, x, sym.C**-exponent, Integer(0)),
            ),
            Claim(
                "leading_order",
                in_power.diff(x).subs(x, 0),
                "==",
                coefficient,
                "It is differentiable at x = 0 with a slope that is not 0: the leading power of compute is x itself, with the "
                "exponent a_g.",
            ),
            Claim(
                "next_order",
                in_power.diff(x, 2).subs(x, 0) / 2,
                "==",
                coefficient * law.correction,
                "The next order in x, relative to the leading one.",
            ),
            Claim(
                "exact_for_squares",
                square.value,
                "==",
                square_floor
                + square_coefficient
                * sym.C**-square_exponent
                * (1 + square.correction * sym.C**-square_exponent),
                "For kappa = 2 the two orders are all there is.",
            ),
            Claim(
                "exponent_for_squares",
                (square.value - square_floor).expand(),
                "~",
                square_coefficient * sym.C**-square_exponent,
                "And the reducible part falls with the exponent a_g, not twice that.",
                ByLeadingTerm(sym.C, "oo"),
            ),
        ),
        source=f"{SCHAEFFER}, for the gold reference law; the composition is elementary.",
        follows="An exponent fitted to pass@k is kappa a_g only as long as the gold likelihood is far above its floor.",
    )
