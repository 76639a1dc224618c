"""Two power laws of -log pass@k with different exponents cross at one compute, below which they
cannot both hold.
"""

from __future__ import annotations

from sympy import Integer, Symbol, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import PASS_AT, SCHAEFFER, crossing_compute
from isoflop.theory.proof.arguments import ByMonotone
from isoflop.theory.theorem import Definition, Derivation, function, say, step


def derivation() -> Derivation:
    """The quotient of the two laws is a power of C_x/C."""
    c1, c2, alpha1, alpha2, d, k1, k2, crossing, v, x = symbols(
        "c_1 c_2 alpha_1 alpha_2 d k_1 k_2 C_x v x", positive=True
    )
    few, many = function("y_1"), function("y_2")
    below, above = crossing / (1 + v), crossing * (1 + v)
    return Derivation(
        name="crossing_of_two_k",
        title=say("The crossing point of two values of {}", Symbol("k")),
        assumptions=(
            say(
                "For two numbers of draws {} the compute laws are {} and {}, with positive "
                "constants {}, {}, {} and {}.",
                (k1, "<", k2),
                (-log(PASS_AT(k1)), "=", few(sym.C)),
                (-log(PASS_AT(k2)), "=", many(sym.C)),
                c1,
                c2,
                alpha1,
                d,
            ),
        ),
        definitions=(
            Definition(alpha2, alpha1 + d),
            Definition(few(sym.C), c1 * sym.C**-alpha1),
            Definition(many(sym.C), c2 * sym.C**-alpha2),
            Definition(crossing, crossing_compute((c1, alpha1), (c2, alpha1 + d))),
        ),
        statement=say(
            "The two laws agree at the compute {}, {crossing}, and nowhere else, since "
            "{quotient}. For every {} the law of the more draws lies above the other below "
            "the crossing, {impossible_below}, which no set of problems allows, and under it "
            "above the crossing, {possible_above}.",
            crossing,
            (v, ">", 0),
        ),
        steps=(
            step(
                "crossing",
                (few(crossing), "=", many(crossing)),
                say("Substitute {} in both laws:", crossing),
            ),
            step(
                "quotient",
                (many(sym.C) / few(sym.C), "=", (crossing / sym.C) ** d),
                say("The quotient of two powers of {} is a power, and 1 at {}:", sym.C, crossing),
            ),
            step(
                "impossible_below",
                (many(below) / few(below), ">", 1),
                say(
                    "By {quotient} the left side is {}, which increases in {} from 1 at {}. "
                    "More draws would then solve fewer problems, but {} never falls with {}:",
                    (1 + v) ** d,
                    v,
                    (v, "=", 0),
                    PASS_AT(Symbol("k")),
                    Symbol("k"),
                ),
                ByMonotone((1 + x) ** d, x, v, Integer(0)),
            ),
            step(
                "possible_above",
                (many(above) / few(above), "<", 1),
                say(
                    "By {quotient} the left side is {}, which decreases in {} from 1 at {}:",
                    (1 + v) ** -d,
                    v,
                    (v, "=", 0),
                ),
                ByMonotone((1 + x) ** -d, x, v, Integer(0), increasing=False),
            ),
        ),
        source=f"{SCHAEFFER}, for exponents that grow with the number of samples; the crossing is elementary.",
        follows=say(
            "A law whose exponents depend on {}, without an irreducible term, must be refused below "
            "the largest such compute {}.",
            Symbol("k"),
            crossing,
        ),
    )
