"""A law in the gold reference's likelihood and a compute law of that likelihood compose to a compute law of pass@k."""

from __future__ import annotations

from sympy import Integer, Subs, Symbol, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import PASS_AT, SCHAEFFER, GoldComposition
from isoflop.theory.proof.arguments import ByLeadingTerm, ByMonotone
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    all_positive,
    function,
    partial,
    say,
    step,
)


def derivation() -> Derivation:
    """-log pass@k = xi0 + K0 g^kappa with g = Eg + Gg C^-ag, without and with a floor Eg."""
    letters = symbols("xi_0 K_0 p E_g G_g a_g", positive=True)
    xi, k0, power, eg, gg, ag = letters
    x, C, k = Symbol("x", positive=True), sym.C, Symbol("k", positive=True)
    gold, bare, law, near, square = (
        function(name)(variable)
        for name, variable in (("g", C), ("f", C), ("y", C), ("Y", x), ("z", C))
    )
    composed = GoldComposition(xi, k0, power, eg, gg, ag)
    exact_floor, exact_coefficient, exact_exponent = composed.without_gold_floor
    floor, coefficient, exponent = composed.with_gold_floor
    of_square = GoldComposition(xi, k0, Integer(2), eg, gg, ag)
    square_floor, square_coefficient, _ = of_square.with_gold_floor
    in_power = xi + k0 * (eg + gg * x) ** power
    steps = (
        step(
            "without_floor",
            (bare, "=", exact_floor + exact_coefficient * C**-exact_exponent),
            say("Without {} the composition is a power of {}:", eg, C),
        ),
        step(
            "in_a_power",
            (law, "=", near.subs(x, C**-ag)),
            say("With it, it is a function of {} alone:", C**-ag),
        ),
        step(
            "floor",
            (law, ">=", floor),
            say("That function increases in {} from its value at zero:", x),
            ByMonotone(in_power, x, C**-exponent, Integer(0)),
        ),
        step(
            "leading_order",
            (Subs(partial(near, x, 1), x, 0), "=", coefficient),
            say("Its slope at zero is positive, so that {} itself is the leading power:", C**-ag),
        ),
        step(
            "next_order",
            (Subs(partial(near, x, 2), x, 0) / 2, "=", coefficient * composed.correction),
            "The coefficient of the next order:",
        ),
        step(
            "exact_for_squares",
            (
                square,
                "=",
                square_floor + square_coefficient * C**-ag * (1 + of_square.correction * C**-ag),
            ),
            "For a square the two orders are all there is:",
        ),
        step(
            "exponent_for_squares",
            ((of_square.value - square_floor).expand(), "~", square_coefficient * C**-ag),
            say("And what lies above the floor falls with the exponent {}, not twice that:", ag),
            ByLeadingTerm(C, "oo"),
        ),
    )
    return Derivation(
        name="gold_law_composition",
        title="Composition of the gold reference law with a compute law",
        assumptions=(
            say(
                "Let {} be the negative log likelihood of the gold reference, and {} the law of "
                "{} in it, with {} for {} without {}, and ",
                (gold, "=", eg + gg * C**-ag),
                (law, "=", xi + k0 * gold**power),
                -log(PASS_AT(k)),
                (bare, "=", xi + k0 * (gg * C**-ag) ** power),
                law,
                eg,
            )
            + all_positive((C, x, *letters))
            + ".",
        ),
        definitions=(
            Definition(gold, eg + gg * C**-ag),
            Definition(law, xi + k0 * gold**power),
            Definition(bare, xi + k0 * (gg * C**-ag) ** power),
            Definition(near, in_power),
            Definition(square, xi + k0 * gold**2),
        ),
        statement=say(
            "Without {} the composition is a power law with the exponent {}, "
            "{without_floor}. With it, {in_a_power}, the floor is {floor} and the exponent "
            "{}, for {leading_order}. The next order is {next_order}, and for a square there "
            "is no other, {exact_for_squares} and {exponent_for_squares}.",
            eg,
            power * ag,
            ag,
        ),
        steps=steps,
        source=f"{SCHAEFFER}, for the gold reference law; the composition is elementary.",
        follows=say(
            "An exponent fitted to {} is {} only as long as the gold likelihood is far above its floor.",
            PASS_AT(k),
            power * ag,
        ),
    )
