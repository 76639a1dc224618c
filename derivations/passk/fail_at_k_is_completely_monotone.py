"""All finite differences of fail@k in k alternate in sign; so pass@k is increasing and concave in k."""

from __future__ import annotations

from sympy import symbols

from isoflop.theory.passk import DRAWS, FAIL_AT, PASS_AT
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, say, step


def derivation() -> Derivation:
    """fail@k is a moment sequence on [0, 1]: one difference multiplies by p."""
    k = DRAWS
    p, odds, order = symbols("p u j", positive=True)
    return Derivation(
        name="fail_at_k_is_completely_monotone",
        title=say("{} is completely monotone in {}", FAIL_AT(k), k),
        assumptions=(
            say(
                "A problem is solved by one draw with the chance {} strictly between 0 and 1, "
                "written through its odds {}; the chances 0 and 1 are limits.",
                p,
                (odds, ">", 0),
            ),
            say("The {} draws are independent, and {} is an integer.", k, (k, ">=", 1)),
        ),
        definitions=(
            Definition(p, odds / (1 + odds)),
            Definition(FAIL_AT(k), (1 + odds) ** -k),
            Definition(PASS_AT(k), 1 - FAIL_AT(k)),
        ),
        statement=say(
            "A step from {} to {} draws lowers the chance to fail by the fraction {}, "
            "{one_difference}. Its difference of order {} is, up to the sign, {}, for "
            "{induction_on_order}, and {differences_are_positive}: the differences alternate "
            "in sign. So the chance to pass increases, {pass_increases}, and is concave, "
            "{pass_is_concave}.",
            k,
            k + 1,
            p,
            (order, ">=", 0),
            p**order * FAIL_AT(k),
        ),
        steps=(
            step(
                "one_difference",
                (FAIL_AT(k) - FAIL_AT(k + 1), "=", p * FAIL_AT(k)),
                say(
                    "A problem that {} draws fail to solve is solved by the next with chance {}:",
                    k,
                    p,
                ),
            ),
            step(
                "induction_on_order",
                (
                    p**order * FAIL_AT(k) - p**order * FAIL_AT(k + 1),
                    "=",
                    p ** (order + 1) * FAIL_AT(k),
                ),
                say(
                    "By induction on the order {}: the difference of that order is, up to its sign, "
                    "{}, and one more difference multiplies by {} once more:",
                    order,
                    p**order * FAIL_AT(k),
                    p,
                ),
            ),
            step(
                "differences_are_positive",
                (p**order * FAIL_AT(k), ">", 0),
                "Both factors are positive:",
                ByPositiveTerms(form=odds**order * (1 + odds) ** (-order - k)),
            ),
            step(
                "pass_increases",
                (PASS_AT(k + 1), ">", PASS_AT(k)),
                say("The difference of the two sides is {}, by {one_difference}:", p * FAIL_AT(k)),
                ByPositiveTerms(form=odds * (1 + odds) ** -(k + 1)),
            ),
            step(
                "pass_is_concave",
                (2 * PASS_AT(k + 1), ">", PASS_AT(k) + PASS_AT(k + 2)),
                say(
                    "The difference of the two sides is {}, by {induction_on_order} at {}:",
                    p**2 * FAIL_AT(k),
                    (order, "=", 1),
                ),
                ByPositiveTerms(form=odds**2 * (1 + odds) ** -(k + 2)),
            ),
        ),
        source="Hausdorff 1921, Math. Z. 9, 74-109, for moment sequences.",
        follows=say(
            "Over problems with several chances the differences of the mean of {} are, up to the "
            "sign, the means of {}, which are at least 0. So values of {} at several {} that break "
            "the inequalities belong to no set of problems; estimates from few samples may.",
            FAIL_AT(k),
            p**order * FAIL_AT(k),
            PASS_AT(k),
            k,
        ),
    )
