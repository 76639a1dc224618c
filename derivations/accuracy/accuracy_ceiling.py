"""The irreducible part of -log accuracy and the ceiling of accuracy, and where a curve with a ceiling is steepest in log C."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.proof.arguments import ByConvexity, ByLeadingTerm
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    function,
    partial,
    say,
    step,
)


def derivation() -> Derivation:
    """Q = Q_r + (1 - Q_r) exp(-E - K C^-a): from E to Q_max and back, the inflection in log C, the slope there."""
    names = ("h", "K", "a", "Q_max", "Q_r", "x")
    room, front, power, ceiling, guessing = (Symbol(n, positive=True) for n in names[:-1])
    x, C = Symbol(names[-1], real=True), sym.C
    accuracy, reducible = function("Q")(C), function("v")(C)
    steps = (
        step(
            "vanishing",
            (reducible, "->", 0),
            "For unlimited compute the reducible part vanishes:",
            ByLeadingTerm(C, "oo"),
        ),
        step(
            "irreducible",
            (-log((ceiling - guessing) / (1 - guessing)), "=", sym.E),
            say("Solve {} for {}:", (ceiling, "=", guessing + room * exp(-sym.E)), sym.E),
        ),
        step(
            "inflection",
            (
                partial(accuracy, log(C), 2),
                "=",
                power**2 * reducible * (reducible - 1) * (accuracy - guessing),
            ),
            say("Differentiate twice in {}; the slope turns where {} is one:", log(C), reducible),
        ),
        step(
            "slope",
            (
                Partial(accuracy, log(C)),
                "=",
                power * (ceiling - guessing) * reducible * exp(-reducible),
            ),
            "The slope itself:",
        ),
        step(
            "steepest",
            (exp(reducible - 1), ">=", reducible),
            say(
                "It is at most {}, for the exponential lies above its tangent:",
                power / exp(1) * (ceiling - guessing),
            ),
            ByConvexity(exp(x), x, reducible - 1, Integer(0)),
        ),
    )
    return Derivation(
        name="accuracy_ceiling",
        title="The ceiling of accuracy",
        assumptions=(
            say(
                "Let {} with {}, {}, {}, and let {}, where {} is the accuracy of guessing. Let "
                "{} be the accuracy, {} and {}.",
                (reducible, "=", front * C**-power),
                front,
                power,
                (C, ">", 0),
                (guessing, "=", 1 - room),
                guessing,
                (accuracy, "=", guessing + room * exp(-sym.E - reducible)),
                (0, "<", room, "<=", 1),
                (sym.E, ">=", 0),
            ),
        ),
        definitions=(
            Definition(guessing, 1 - room),
            Definition(reducible, front * C**-power),
            Definition(accuracy, guessing + room * exp(-sym.E - reducible)),
            Definition(ceiling, guessing + room * exp(-sym.E)),
        ),
        statement=say(
            "With compute the reducible part vanishes, {vanishing}, so that the accuracy has "
            "the ceiling {}; from it {irreducible}. The slope in the logarithm of compute is "
            "{slope}; it turns by {inflection} where {} is one, and is greatest there, "
            "{steepest}.",
            ceiling,
            reducible,
        ),
        steps=steps,
        source="Krajewski et al. 2025, arXiv 2512.08894, equations 3 and 10, for the curve; elementary calculus.",
        follows="The ceiling leaves the inflection where it was and scales the accuracy above guessing.",
    )
