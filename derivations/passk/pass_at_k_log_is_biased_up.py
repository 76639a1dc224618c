"""The negative log of an unbiased estimate of pass@k is biased up, by its variance over 2 pass@k^2 to leading order."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, log, symbols

from isoflop.theory.passk import CHEN, PASS_AT
from isoflop.theory.proof.arguments import ByConvexity, ByMonotone, ByPositiveTerms
from isoflop.theory.theorem import Claim, Derivation, Sentence, all_positive, say, step


def derivation() -> Derivation:
    """-log lies above its tangent at the mean; bounds of second order on the gap."""
    x, mean, shift = symbols("x mu h", positive=True)
    u, k = Symbol("u", real=True), Symbol("k", positive=True)
    excess_at_most = x**2 / 2 - (log(1 + x) - x / (1 + x))
    excess_above = x**2 / 2 - (x - log(1 + x))
    shortfall_above = x - log(1 + x) - x**2 / 2 + x**3 / 3
    excess_below = log(1 + x) - x / (1 + x) - (x / (1 + x)) ** 2 / 2

    def rises(name: str, function: Expr, slope: Expr, reason: Sentence) -> Claim:
        """That a function of h which is 0 at 0 is not negative, by its slope."""
        return step(
            name,
            (function.subs(x, shift), ">=", 0),
            reason,
            ByMonotone(function, x, shift, Integer(0), slope=ByPositiveTerms(form=slope)),
        )

    steps = (
        step(
            "tangent",
            (-log(x), ">=", -log(mean) - (x - mean) / mean),
            say("The negative logarithm is convex, and lies above its tangent at {}:", mean),
            ByConvexity(-log(x), x, x, mean),
        ),
        step(
            "gap",
            (-log(mean * (1 + u)) + log(mean) + u, "=", u - log(1 + u)),
            say("At {} the distance to the tangent is:", (x, "=", mean * (1 + u))),
            assume=(1 + u,),
        ),
        rises(
            "at_most_half_the_square_above",
            excess_above,
            x**2 / (1 + x),
            say(
                "At {} this is at most {}, the difference being zero at zero with the slope {}:",
                (u, "=", shift),
                shift**2 / 2,
                shift**2 / (1 + shift),
            ),
        ),
        rises(
            "next_order",
            shortfall_above,
            x**3 / (1 + x),
            say("And at least {}:", shift**2 / 2 - shift**3 / 3),
        ),
        rises(
            "at_least_half_the_square_below",
            excess_below,
            x**2 / (1 + x) ** 3,
            say("At {} it is at least {}:", (u, "=", -shift / (1 + shift)), u**2 / 2),
        ),
        rises(
            "at_most_below",
            excess_at_most,
            x**2 * (2 + x) / (1 + x) ** 2,
            say("And at most {}, which is {}:", shift**2 / 2, u**2 / (2 * (1 + u) ** 2)),
        ),
    )
    return Derivation(
        name="pass_at_k_log_is_biased_up",
        title="The negative logarithm of an estimated pass@k is biased up",
        assumptions=(
            say(
                "Let {} be a random estimate of {} that is always positive, {} its mean, and {} "
                "real. An unbiased estimate from samples is zero where none is correct; given "
                "that it is positive its mean {} exceeds {}. Let ",
                x,
                PASS_AT(k),
                mean,
                u,
                mean,
                PASS_AT(k),
            )
            + all_positive((shift,))
            + ".",
        ),
        statement=say(
            "The mean of the tangent is its value at the mean, so that by {tangent} the mean "
            "of the negative logarithm is no less than that of the mean. The bias is the "
            "mean of the gap {gap} with the relative error {}. For an estimate that is too "
            "high by the share {} this lies between two multiples of its square, "
            "{at_most_half_the_square_above} and {next_order}, and so where it is too low, "
            "{at_least_half_the_square_below} and {at_most_below}.",
            u,
            shift,
        ),
        steps=steps,
        source=f"Jensen's inequality and the delta method; {CHEN}, for the estimator.",
        follows="Fit counts by a binomial likelihood; clipping zeros or dropping "
        "them in silence biases the negative logarithm of pass@k.",
    )
