"""The irreducible term of -log pass@k falls with k, but no faster than for independent draws on equal problems."""

from __future__ import annotations

from sympy import Integer, exp, log, symbols

from isoflop.theory.passk import FAIL_AT, PASS_AT, SCHAEFFER, floor_across
from isoflop.theory.proof.arguments import ByMonotone, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, all_positive, function, say, step


def derivation() -> Derivation:
    """fail@(mk) >= fail@k^m in the limit of infinite compute, where -log pass@k is E0(k)."""
    lost, passed, m, t, x, floor, k = symbols("h y m t x F k", positive=True)
    bound = function("f")
    odds = t / (1 + t)
    at_odds = -log(1 - odds ** (1 / m))
    steps = (
        step(
            "more_failures_higher_floor",
            (-log(passed), ">", -log(passed + lost)),
            "The negative logarithm decreases:",
            ByMonotone(
                -log(x),
                x,
                passed,
                passed + lost,
                increasing=False,
                order=ByPositiveTerms(form=lost),
            ),
        ),
        step(
            "two_times_as_many_draws",
            (bound(floor, 2), "=", floor - log(2 - exp(-floor))),
            say("With {}:", (1 - (1 - exp(-floor)) ** 2, "=", exp(-floor) * (2 - exp(-floor)))),
        ),
        step(
            "floor_does_not_vanish",
            (bound(at_odds, m) - odds, ">=", 0),
            say("The bound is {}, at least {}, which is positive:", log(1 + t), odds),
            ByMonotone(
                log(1 + x) - x / (1 + x),
                x,
                t,
                Integer(0),
                slope=ByPositiveTerms(form=x / (1 + x) ** 2),
            ),
        ),
    )
    return Derivation(
        name="irreducible_floor_across_k",
        title="The irreducible term across numbers of samples",
        assumptions=(
            say(
                "Let {} be the limit of {} for unlimited compute, so that that of {} is {}. At "
                "{} times as many draws the limit of the failures lies between this and its "
                "power {}, as for every distribution of problems. Let ",
                floor,
                -log(PASS_AT(k)),
                FAIL_AT(k),
                1 - exp(-floor),
                m,
                m,
            )
            + all_positive((floor, m, t, lost, passed))
            + ".",
        ),
        definitions=(Definition(bound(floor, m), floor_across(floor, m)),),
        statement=say(
            "More failures mean a higher floor, {more_failures_higher_floor}: the floor at "
            "{} times as many draws lies between {} and {}. Twice as many draws take off no "
            "more than a logarithm, {two_times_as_many_draws}, and no floor vanishes at more "
            "draws, {floor_does_not_vanish}.",
            m,
            bound(floor, m),
            floor,
        ),
        steps=steps,
        source=f"{SCHAEFFER}, for laws with an irreducible term; the bound is Jensen's inequality.",
        follows="Floors fitted at two numbers of samples must satisfy both bounds; "
        "a floor of zero at one of them only is inconsistent.",
    )
