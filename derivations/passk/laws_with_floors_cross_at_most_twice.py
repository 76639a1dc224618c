"""Two compute laws of -log pass@k, each with a floor of its own, cross at most twice: their difference turns once."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, crossing_compute, local_exponent, turning_compute
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """h(C) = E_1 - E_2 + c_1 C^-alpha_1 - c_2 C^-alpha_2 and its derivative in log C."""
    names = ("E_1", "E_2", "c_1", "c_2", "alpha_1", "d", "v", "x", "F")
    e1, e2, c1, c2, alpha, steeper, v, x, floor = (Symbol(name, positive=True) for name in names)
    first, second = (c1, alpha), (c2, alpha + steeper)
    few, many = (coefficient * sym.C**-exponent for coefficient, exponent in (first, second))
    difference = e1 + few - e2 - many
    turn = turning_compute(first, second)
    slope = sym.C * difference.diff(sym.C)
    relative = slope / (alpha * few)
    value = floor + c1 * sym.C**-alpha
    return Derivation(
        name="laws_with_floors_cross_at_most_twice",
        title="Crossings of compute laws with floors",
        assumptions=(
            "at each of two k, -log pass@k is a constant E_i plus c_i times C to the power -alpha_i",
            "alpha_2 = alpha_1 + d with d > 0: law 2 is the one with the larger exponent, at either k",
            "h, law 1 less law 2 as a function of C",
        ),
        statement=(
            r"h'(C) = 0 \iff C = C_t = \left(\frac{(\alpha_1 + d)\, c_2}{\alpha_1 c_1}\right)^{1/d}: \quad"
            r" h \text{ has at most one zero on either side of } C_t"
        ),
        steps=(
            Claim(
                "slope",
                relative,
                "==",
                (turn / sym.C) ** steeper - 1,
                "The derivative in log C, in units of alpha_1 c_1 C^-alpha_1, is a power of C_t/C less 1.",
            ),
            Claim(
                "rises_below",
                relative.subs(sym.C, turn / (1 + v)),
                ">",
                Integer(0),
                "Below C_t, at C = C_t/(1 + v), h rises: at most one zero there.",
                ByMonotone((1 + x) ** steeper - 1, x, v, Integer(0)),
            ),
            Claim(
                "falls_above",
                relative.subs(sym.C, turn * (1 + v)),
                "<",
                Integer(0),
                "Above C_t, at C = C_t (1 + v), it falls: at most one zero there too.",
                ByMonotone((1 + x) ** -steeper - 1, x, v, Integer(0), increasing=False),
            ),
            Claim(
                "highest",
                difference.subs(sym.C, turn),
                "==",
                e1 - e2 + steeper / (alpha + steeper) * c1 * turn**-alpha,
                "Its greatest value: the two laws cross, or touch, if and only if this is at least 0.",
            ),
            Claim(
                "without_floors",
                turn,
                "==",
                crossing_compute(first, second) * ((alpha + steeper) / alpha) ** (1 / steeper),
                "Without floors the one crossing C_x lies below C_t; above C_t the difference falls to 0 without reaching it.",
            ),
            Claim(
                "local_exponent",
                -sym.C * value.diff(sym.C) / value,
                "==",
                alpha * (1 - floor / value),
                "The local exponent of one law with a floor F is alpha_1 (1 - F/y): it falls to 0 towards the floor, so the law "
                "with the larger exponent need not be the steeper one.",
            ),
            Claim(
                "without_cancellation",
                local_exponent(floor, c1, alpha),
                "==",
                alpha * (1 - floor / value),
                "The form in which it is computed.",
            ),
        ),
        source=f"{SCHAEFFER}, for laws with an irreducible term; differentiation.",
        follows=(
            "With E_1 >= E_2 and law 2 at the larger k one compute C_x bounds from below where the laws can hold; with "
            "E_1 < E_2 they contradict each other at every large compute."
        ),
    )
