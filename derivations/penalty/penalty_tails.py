"""Far from the optimum one term is the whole penalty: overtraining costs w_N r^-beta, undertraining w_D r^gamma."""

from __future__ import annotations

from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Leading terms of the law's penalty in r and in rho, and that each tail is a lower bound everywhere."""
    m = misallocation()
    envelope, r, rho = m.envelope, sym.SIZE_RATIO, sym.RATIO
    run = (
        PARAMS_TOKENS.reducible.subs([(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)])
        / envelope.reducible
    )
    in_ratio = run.subs(r, m.size_ratio)
    small, large = m.overtrained_tail, m.undertrained_tail
    steps = (
        Claim(
            "overtrained",
            run,
            "~",
            small,
            "For r -> 0 the params term dominates.",
            ByLeadingTerm(r, "0"),
        ),
        Claim(
            "undertrained",
            run,
            "~",
            large,
            "For r -> infinity the tokens term dominates.",
            ByLeadingTerm(r, "oo"),
        ),
        Claim(
            "overtrained_in_ratio",
            in_ratio,
            "~",
            small.subs(r, m.size_ratio),
            "The same for rho -> infinity: w_N rho^(beta/2).",
            ByLeadingTerm(rho, "oo"),
        ),
        Claim(
            "undertrained_in_ratio",
            in_ratio,
            "~",
            large.subs(r, m.size_ratio),
            "And for rho -> 0: w_D rho^(-gamma/2).",
            ByLeadingTerm(rho, "0"),
        ),
        Claim(
            "above_overtrained",
            run,
            ">=",
            small,
            "Each tail bounds the penalty from below at every r.",
            ByPositiveTerms(form=large),
        ),
        Claim(
            "above_undertrained",
            run,
            ">=",
            large,
            "What is left is the other term, which is positive.",
            ByPositiveTerms(form=small),
        ),
    )
    return Derivation(
        name="penalty_tails",
        title="The tails of the penalty",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "N = r N*(C) at the same compute C",
        ),
        statement=r"P \sim w_N r^{-\beta}\ (r \to 0),\qquad P \sim w_D r^{\gamma}\ (r \to \infty)",
        steps=steps,
        source="Leading terms of the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="Neither direction is cheap for long: both tails are powers of the size ratio.",
    )
