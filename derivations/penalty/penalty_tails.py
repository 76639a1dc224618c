"""Far from the optimum one term is the whole penalty: overtraining costs w_N r^-beta, undertraining w_D r^gamma."""

from __future__ import annotations

from sympy import oo

from isoflop.theory import symbols as sym
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.theorem import Derivation, say, step


def derivation() -> Derivation:
    """Leading terms of the law's penalty in r and in rho, and that each tail is a lower bound everywhere."""
    m = misallocation()
    names, r, rho = m.named, sym.SIZE_RATIO, sym.RATIO
    penalty, in_ratio = names.penalty, names.penalty_in_ratio
    small, large = names.overtrained_tail, names.undertrained_tail
    steps = (
        m.named_steps["penalty"],
        step(
            "overtrained",
            (penalty, "~", small),
            say("For small {} the term of {} dominates:", r, sym.N),
            ByLeadingTerm(r, "0"),
        ),
        step(
            "undertrained",
            (penalty, "~", large),
            say("For large {} the term of {} dominates:", r, sym.D),
            ByLeadingTerm(r, "oo"),
        ),
        m.named_steps["penalty_in_ratio"],
        step(
            "overtrained_in_ratio",
            (in_ratio, "~", small.subs(r, m.size_ratio)),
            say("The same for large {}:", rho),
            ByLeadingTerm(rho, "oo"),
        ),
        step(
            "undertrained_in_ratio",
            (in_ratio, "~", large.subs(r, m.size_ratio)),
            say("And for small {}:", rho),
            ByLeadingTerm(rho, "0"),
        ),
        step(
            "above_overtrained",
            (penalty, ">", small),
            "Each tail bounds the penalty from below; what is left is the other term:",
            ByPositiveTerms(form=large),
        ),
        step(
            "above_undertrained",
            (penalty, ">", large),
            "And so for the other tail:",
            ByPositiveTerms(form=small),
        ),
    )
    return Derivation(
        name="penalty_tails",
        title="The tails of the penalty",
        assumptions=m.envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "A run with {} times the optimal size at its compute, {}, has {penalty}. For {} "
            "{overtrained}, for {} {undertrained}, and always {above_overtrained} and "
            "{above_undertrained}. With the overtraining ratio {} it is {penalty_in_ratio}.",
            r,
            (r, ">", 0),
            (r, "->", 0),
            (r, "->", oo),
            rho,
        ),
        steps=steps,
        source="Leading terms of the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="Neither direction is cheap for long: both tails are powers of the size ratio.",
    )
