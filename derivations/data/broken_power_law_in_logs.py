"""The logarithm of a break's factor and its derivatives in forms that neither overflow nor cancel."""

from __future__ import annotations

from sympy import Expr, Integer, exp, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import defined
from isoflop.theory.broken import BreakForm, BreakInLogs
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)

C = sym.C
PLACE, WIDTH, SHARE, ENTROPY = symbols("d_1 f_1 q H", positive=True)
CHANGE, DISTANCE, SCALED, VALUE = symbols("c_1 x u v", real=True)
FACTOR = function("F")


def derivation() -> Derivation:
    """Differentiate v = -c f log(1 + exp(x/f)) in c, in x = log(C/d) and in log f, twice."""
    own, part = BreakForm(CHANGE, PLACE, WIDTH), BreakInLogs(CHANGE, SCALED * WIDTH, WIDTH)
    along = {"c": CHANGE, "x": DISTANCE, "f": log(WIDTH)}

    def named(form: Expr) -> Expr:
        """A form with the names of the share that is passed and of its entropy."""
        return in_share(form.subs(part.entropy, ENTROPY))

    def in_share(form: Expr) -> Expr:
        """A form with the name of the share alone."""
        return defined(form.subs(part.left, 1 - SHARE).subs(part.passed, SHARE))

    second_reasons = {
        "cc": say("By {first_change}:"),
        "cx": say("Differentiate {first_distance} in {}:", CHANGE),
        "cf": say("Differentiate {first_width} in {}:", CHANGE),
        "xx": say("Differentiate {first_distance} by {share_slope}:"),
        "xf": say("The derivative of {} in {} is {}:", SCALED, along["f"], -SCALED),
        "ff": say(
            "Differentiate {first_width}, where {} has the derivative {} in {}:",
            ENTROPY,
            -SCALED * SHARE * (1 - SHARE),
            SCALED,
        ),
    }
    steps = (
        step(
            "factor",
            (log(FACTOR(PLACE * exp(DISTANCE))), "=", VALUE),
            say("At the compute {} the factor has the logarithm:", PLACE * exp(DISTANCE)),
        ),
        step(
            "in_place",
            (Partial(log(FACTOR(C)), log(PLACE)), "=", -Partial(log(FACTOR(C)), log(C))),
            say("The factor depends on {} alone:", C / PLACE),
        ),
        step(
            "entropy",
            (ENTROPY, "=", -SHARE * log(SHARE) - (1 - SHARE) * log(1 - SHARE)),
            say("Both logarithms in {} are those of a share:", ENTROPY),
        ),
        step(
            "first_change",
            (Partial(VALUE, along["c"]), "=", named(part.first[0])),
            say("The logarithm is linear in {}:", CHANGE),
        ),
        step(
            "first_distance",
            (Partial(VALUE, along["x"]), "=", named(part.first[1])),
            say("The derivative of {} in {} is {}:", log(1 + exp(SCALED)), SCALED, SHARE),
        ),
        step(
            "first_width",
            (
                Partial(VALUE, along["f"]),
                "=",
                -CHANGE * WIDTH * (log(1 + exp(SCALED)) - SCALED * SHARE),
                "=",
                named(part.first[2]),
            ),
            say(
                "Differentiate the product of {} and {}, where {} falls as {} grows, and use {}:",
                WIDTH,
                log(1 + exp(SCALED)),
                SCALED,
                WIDTH,
                (SCALED, "=", log(1 + exp(SCALED)) - log(1 + exp(-SCALED))),
            ),
        ),
        step(
            "share_slope",
            (Partial(SHARE, DISTANCE), "=", SHARE * (1 - SHARE) / WIDTH),
            say("The share is a logistic function of {}:", SCALED),
        ),
        *(
            step(
                f"second_{pair}",
                (Partial(Partial(VALUE, along[pair[0]]), along[pair[1]]), "=", named(form)),
                second_reasons[pair],
            )
            for pair, form in ({"cc": Integer(0)} | part.second).items()
        ),
    )
    return Derivation(
        name="broken_power_law_in_logs",
        title="A break in logarithms",
        assumptions=(
            say(
                "Let {} be the factor of a break at {} in a law of the compute, where ",
                (FACTOR(C), "=", own.at(C)),
                PLACE,
            )
            + all_positive((C, PLACE, WIDTH))
            + say(
                " and {} is real, of either sign. Let {} be the distance of the logarithm of the "
                "compute from {}, a real number.",
                CHANGE,
                DISTANCE,
                log(PLACE),
            ),
        ),
        definitions=(
            Definition(FACTOR(C), own.at(C)),
            Definition(SCALED, DISTANCE / WIDTH),
            Definition(VALUE, named(part.value)),
            Definition(SHARE, defined(part.passed)),
            Definition(ENTROPY, in_share(part.entropy)),
        ),
        statement=say(
            "The logarithm of the factor is {}, {factor}. Its first derivatives are "
            "{first_change}, {first_distance} and {first_width}, its second ones "
            "{second_cc}, {second_cx}, {second_cf}, {second_xx}, {second_xf} and "
            "{second_ff}. Those in {} follow from {in_place}.",
            VALUE,
            log(PLACE),
        ),
        steps=steps,
        source="Differentiation.",
        follows=say(
            "A derivative in {} is that in {} with the other sign, so that a fit in {}, {} "
            "and {} has an exact Hessian at every distance from the break.",
            log(PLACE),
            DISTANCE,
            CHANGE,
            log(PLACE),
            log(WIDTH),
        ),
    )
