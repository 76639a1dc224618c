"""For every distribution of problems, q <= pass@k <= 1 - (1 - q)^k <= k q with q the mean pass@1."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory.passk import DRAWS
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import (
    ByLeadingTerm,
    ByPositiveTerms,
    ByWeightedAmGm,
    Claim,
    Derivation,
)


def derivation() -> Derivation:
    """Each bound holds problem by problem, or lies on one side of a tangent at the mean; means keep it."""
    k = DRAWS
    u, f, mean, more, x, share = (
        Symbol(name, positive=True) for name in ("u", "f", "mu", "j", "x", "w")
    )
    fails = 1 / (1 + u)
    m = 1 + more
    return Derivation(
        name="pass_at_k_bounds_from_pass_at_1",
        title="Bounds on pass@k from the mean pass@1",
        assumptions=(
            "any distribution of p over the problems, with mean q",
            "k >= 1 (the upper bounds hold for real k too)",
        ),
        statement=r"q \le \mathrm{pass}@k \le 1 - (1-q)^k \le \min(1, kq), \qquad \mathrm{pass}@(mk) \le m\,\mathrm{pass}@k",
        steps=(
            Claim(
                "more_draws_fail_less",
                fails**k,
                ">=",
                fails ** (k + 1),
                "Where p = u/(1 + u), fail@k = (1 + u)^-k falls with every draw; by induction pass@k >= pass@1, whose mean is q.",
                ByPositiveTerms(form=u * (1 + u) ** -(k + 1)),
            ),
            Claim(
                "tangent_at_the_mean",
                f**m,
                ">=",
                mean**m + m * mean**more * (f - mean),
                "With k = 1 + j: f^k lies above its tangent at the mean 1 - q of f = 1 - p, and the mean of the tangent is "
                "(1 - q)^k.",
                ByConvexity(f**m, f, f, mean),
            ),
            Claim(
                "union_bound",
                f**m / m + more / m,
                ">=",
                f,
                "Weighted AM-GM with weights 1/k and 1 - 1/k: f^k >= 1 - k (1 - f), so 1 - (1 - q)^k <= k q for f = 1 - q, and "
                "with fail@k of a problem for f the last inequality.",
                ByWeightedAmGm((f**m / m, more / m), (1 / m, more / m)),
            ),
            Claim(
                "lower_bound_is_sharp",
                share * (1 - x**k) - share * (1 - x),
                "->",
                Integer(0),
                "A share w of problems with 1 - p = x and the others never solved: pass@k - q vanishes for x -> 0.",
                ByLeadingTerm(x, "0"),
            ),
        ),
        source="Bernoulli's and Jensen's inequalities, by weighted AM-GM and convexity.",
        follows="1 - (1 - q)^k is exact for equally hard problems; any spread of difficulty lowers pass@k.",
    )
