"""All finite differences of fail@k in k alternate in sign; so pass@k is increasing and concave in k."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory.passk import DRAWS
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """fail@k is a moment sequence on [0, 1]: one difference multiplies by p."""
    k = DRAWS
    u, order = Symbol("u", positive=True), Symbol("j", positive=True)
    p, f = u / (1 + u), 1 / (1 + u)
    return Derivation(
        name="fail_at_k_is_completely_monotone",
        title="fail@k is completely monotone in k",
        assumptions=(
            "p = u/(1 + u), any chance between 0 and 1, for a problem (0 and 1 are limits)",
            "integer k >= 1",
        ),
        statement=r"(-1)^j \Delta^j\, \mathrm{fail}@k = \mathbb{E}\left[(1-p)^k p^j\right] \ge 0",
        steps=(
            Claim(
                "one_difference",
                f**k - f ** (k + 1),
                "==",
                p * f**k,
                "A problem that k draws fail to solve is solved by the next with probability p.",
            ),
            Claim(
                "induction_on_order",
                p**order * f**k - p**order * f ** (k + 1),
                "==",
                p ** (order + 1) * f**k,
                "Each further difference multiplies by p once more.",
            ),
            Claim(
                "pass_increases",
                1 - f ** (k + 1),
                ">=",
                1 - f**k,
                "Order 1, and means keep it.",
                ByPositiveTerms(form=u * (1 + u) ** -(k + 1)),
            ),
            Claim(
                "pass_is_concave",
                2 * (1 - f ** (k + 1)),
                ">=",
                (1 - f**k) + (1 - f ** (k + 2)),
                "Order 2: the gain from one more draw shrinks.",
                ByPositiveTerms(form=u**2 * (1 + u) ** -(k + 2)),
            ),
        ),
        source="Hausdorff 1921, Math. Z. 9, 74-109, for moment sequences.",
        follows="Estimates of pass@k at several k that break these inequalities are not those of one set of problems.",
    )
