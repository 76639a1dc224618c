"""Two power laws of -log pass@k with different exponents cross at one compute, below which they cannot both hold."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, crossing_compute
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The quotient of the two laws is a power of C_x/C."""
    c1, c2, alpha, steeper, v, x = (
        Symbol(name, positive=True) for name in ("c_1", "c_2", "alpha_1", "d", "v", "x")
    )
    first, second = (c1, alpha), (c2, alpha + steeper)
    crossing = crossing_compute(first, second)
    few, many = (coefficient * sym.C**-exponent for coefficient, exponent in (first, second))
    return Derivation(
        name="crossing_of_two_k",
        title="The crossing point of two values of k",
        assumptions=(
            "at each of k_1 < k_2 -log pass@k is c_i times C to the power -alpha_i",
            "alpha_2 = alpha_1 + d with d > 0",
        ),
        statement=(
            r"C_x = \left(c_2/c_1\right)^{1/d}; \qquad"
            r" C < C_x \Rightarrow \mathrm{pass}@k_2 < \mathrm{pass}@k_1"
        ),
        steps=(
            Claim(
                "crossing",
                few.subs(sym.C, crossing),
                "==",
                many.subs(sym.C, crossing),
                "At C_x the two laws agree.",
            ),
            Claim(
                "quotient",
                many / few,
                "==",
                (crossing / sym.C) ** steeper,
                "Elsewhere their quotient is a power of C_x/C.",
            ),
            Claim(
                "impossible_below",
                (many / few).subs(sym.C, crossing / (1 + v)),
                ">",
                Integer(1),
                "Below C_x, at C = C_x/(1 + v), it is (1 + v)^d > 1: more draws would solve fewer problems, which "
                "contradicts that pass@k increases with k (complete monotonicity).",
                ByMonotone((1 + x) ** steeper, x, v, Integer(0)),
            ),
            Claim(
                "possible_above",
                (many / few).subs(sym.C, crossing * (1 + v)),
                "<",
                Integer(1),
                "Above C_x, at C = C_x (1 + v), the order is the right one.",
                ByMonotone((1 + x) ** -steeper, x, v, Integer(0), increasing=False),
            ),
        ),
        source=f"{SCHAEFFER}, for exponents that grow with k; the crossing is elementary.",
        follows="A law with k-dependent exponents and no irreducible term must be refused below its largest C_x.",
    )
