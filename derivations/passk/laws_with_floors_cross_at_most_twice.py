"""Two compute laws of -log pass@k, each with a floor of its own, cross at most twice: their
difference turns once.
"""

from __future__ import annotations

from sympy import Integer, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import (
    DRAWS,
    PASS_AT,
    SCHAEFFER,
    crossing_compute,
    local_exponent,
    turning_compute,
)
from isoflop.theory.proof.arguments import ByMonotone
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """h(C) = y_1(C) - y_2(C) and its derivative in log C."""
    e1, e2, c1, c2, alpha1, alpha2, u, turn, crossing, v, x = symbols(
        "E_1 E_2 c_1 c_2 alpha_1 alpha_2 u C_t C_x v x", positive=True
    )
    laws = (c1, alpha1), (c2, alpha1 + u)
    y1, y2, h, s = (function(name) for name in ("y_1", "y_2", "h", "q"))
    C = sym.C
    return Derivation(
        name="laws_with_floors_cross_at_most_twice",
        title="Crossings of compute laws with floors",
        assumptions=(
            say(
                "At two numbers of draws the negative logarithm of {} is, at compute {}, a power "
                "law with a floor.",
                PASS_AT(DRAWS),
                (C, ">", 0),
            ),
            say(
                "Let {} be law 1, with the floor {} and a constant {}.",
                (y1(C), "=", e1 + c1 * C**-alpha1),
                (e1, ">", 0),
                (c1, ">", 0),
            ),
            say(
                "Let {} be law 2, with the floor {} and a constant {}.",
                (y2(C), "=", e2 + c2 * C**-alpha2),
                (e2, ">", 0),
                (c2, ">", 0),
            ),
            say(
                "Let {} be the larger exponent, {} and {}; it may belong to the more draws or to the "
                "fewer.",
                (alpha2, "=", alpha1 + u),
                (alpha1, ">", 0),
                (u, ">", 0),
            ),
        ),
        definitions=(
            Definition(alpha2, alpha1 + u),
            Definition(y1(C), e1 + c1 * C**-alpha1),
            Definition(y2(C), e2 + c2 * C**-alpha2),
            Definition(h(C), y1(C) - y2(C)),
            Definition(turn, turning_compute(*laws)),
            Definition(crossing, crossing_compute(*laws)),
            Definition(s(C), (turn / C) ** u - 1),
        ),
        statement=say(
            "The difference {} increases strictly below {}, and decreases strictly above it: "
            "{slope}, where for every {} we have {rises_below} and {falls_above}. So it has "
            "at most one zero on either side, and its greatest value is {highest}.",
            h(C),
            turn,
            (v, ">", 0),
        ),
        steps=(
            step(
                "slope",
                (C * Partial(h(C), C), "=", alpha1 * c1 * C**-alpha1 * s(C)),
                say("Differentiate {} in {}; the floors drop out:", h(C), C),
            ),
            step(
                "rises_below",
                (s(turn / (1 + v)), ">", 0),
                say("It is {}, which increases in {} from 0:", (1 + v) ** u - 1, v),
                ByMonotone((1 + x) ** u - 1, x, v, Integer(0)),
            ),
            step(
                "falls_above",
                (s(turn * (1 + v)), "<", 0),
                say("It is {}, which decreases in {} from 0:", (1 + v) ** -u - 1, v),
                ByMonotone((1 + x) ** -u - 1, x, v, Integer(0), increasing=False),
            ),
            step(
                "highest",
                (h(turn), "=", e1 - e2 + u / alpha2 * c1 * turn**-alpha1),
                "The two laws cross, or touch, if and only if this is at least 0:",
            ),
            step(
                "without_floors",
                (turn, "=", crossing * (alpha2 / alpha1) ** (1 / u)),
                say(
                    "Without floors the laws cross at {} alone, which lies below {}:",
                    crossing,
                    turn,
                ),
            ),
            step(
                "local_exponent",
                (-C * Partial(y1(C), C) / y1(C), "=", alpha1 * (1 - e1 / y1(C))),
                "The local exponent of a law falls to 0 towards its floor, so that the law with the "
                "larger exponent need not be the steeper one:",
            ),
            step(
                "without_cancellation",
                (local_exponent(e1, c1, alpha1), "=", alpha1 * (1 - e1 / y1(C))),
                "The form in which the local exponent is computed subtracts nothing:",
            ),
        ),
        source=f"{SCHAEFFER}, for laws with an irreducible term; differentiation.",
        follows=say(
            "With {} and law 2 at the larger number of draws one crossing bounds from below where "
            "the laws can hold; with {} they contradict each other at every large compute.",
            (e1, ">=", e2),
            (e1, "<", e2),
        ),
    )
