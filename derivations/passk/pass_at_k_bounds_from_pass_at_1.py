"""For every distribution of problems, q <= pass@k <= 1 - (1 - q)^k <= k q with q the mean pass@1."""

from __future__ import annotations

from sympy import Symbol, symbols

from isoflop.theory.passk import DRAWS
from isoflop.theory.proof.arguments import (
    ByConvexity,
    ByLeadingTerm,
    ByPositiveTerms,
    ByWeightedAmGm,
)
from isoflop.theory.theorem import Definition, Derivation, all_positive, say, step


def derivation() -> Derivation:
    """Each bound holds problem by problem, or lies on one side of a tangent at the mean; means keep it."""
    u, f, mean, more, x, share = symbols("u f mu j x w", positive=True)
    k, failed = DRAWS, Symbol("v", positive=True)
    draws = 1 + more
    steps = (
        step(
            "more_draws_fail_less",
            (failed ** (k + 1), "<", failed**k),
            say("One more draw brings the factor {}, which is below one:", failed),
            ByPositiveTerms(form=u * (1 + u) ** -(k + 1)),
        ),
        step(
            "tangent_at_the_mean",
            (f**draws, ">=", mean**draws + draws * mean**more * (f - mean)),
            say("The power is convex in {}, and lies above its tangent at {}:", f, mean),
            ByConvexity(f**draws, f, f, mean),
        ),
        step(
            "union_bound",
            (f**draws / draws + more / draws, ">=", f),
            say("Weighted AM-GM with the weights {} and {}:", 1 / draws, more / draws),
            ByWeightedAmGm((f**draws / draws, more / draws), (1 / draws, more / draws)),
        ),
        step(
            "lower_bound_is_sharp",
            (share * (1 - x**draws) - share * (1 - x), "->", 0),
            say(
                "Where a share {} of the problems fails with probability {}, and the others "
                "always, this is what further draws solve:",
                share,
                x,
            ),
            ByLeadingTerm(x, "0"),
        ),
    )
    return Derivation(
        name="pass_at_k_bounds_from_pass_at_1",
        title="Bounds on pass@k from the mean pass@1",
        assumptions=(
            say(
                "Let {} be the probability that a draw fails a problem, with {}; {} draws fail "
                "it with probability {}. Any distribution over the problems is allowed. Let ",
                (failed, "=", 1 / (1 + u)),
                (u, ">", 0),
                k,
                failed**k,
            )
            + all_positive((k, more, f, mean, x, share))
            + ".",
        ),
        definitions=(Definition(failed, 1 / (1 + u)),),
        statement=say(
            "More draws fail less, {more_draws_fail_less}. A problem fails {} draws with "
            "probability {} where it fails one with probability {}; by {tangent_at_the_mean} "
            "the mean of the former is at least that of equally hard problems, for the mean "
            "of the tangent is its value at the mean {} of {}. And {union_bound}: so many "
            "draws solve no more than as many times what one does. That they may solve no "
            "more than one draw shows {lower_bound_is_sharp}.",
            draws,
            f**draws,
            f,
            mean,
            f,
        ),
        steps=steps,
        source="Bernoulli's and Jensen's inequalities, by weighted AM-GM and convexity.",
        follows="The value for equally hard problems is an upper bound: any spread of difficulty lowers pass@k.",
    )
