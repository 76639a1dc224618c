"""What it costs at pass@k_2 to allocate a budget optimally for pass@k_1: a size ratio that is a power of compute."""

from __future__ import annotations

from sympy import Integer

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, cross_allocation
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Two laws -log pass@k_i = E_i + A_i N^-beta_i + B_i D^-gamma_i under C = 6 N D."""
    pair = cross_allocation()
    chosen, judged = pair.chosen, pair.judged
    ratio = pair.size_ratio
    run = {sym.N: chosen.params, sym.D: chosen.tokens}
    (beta, gamma), (w_n, w_d) = (term.exponent for term in judged.form.terms), judged.shares
    terms = (w_n * ratio**-beta, w_d * ratio**gamma)
    return Derivation(
        name="allocation_across_k",
        title="Penalty for allocating at one k and evaluating at another",
        assumptions=(
            "a params+tokens law of -log pass@k with coefficients of its own at each of two values of k, indexed 1 and 2",
            "C = 6 N D",
        ),
        statement=(
            r"r = \frac{N^*_{k_1}}{N^*_{k_2}} = \frac{G_1}{G_2}\left(\frac{C}{6}\right)^{w_N(k_1) - w_N(k_2)}, \qquad"
            r" P = \frac{\gamma_2 r^{-\beta_2} + \beta_2 r^{\gamma_2}}{\beta_2 + \gamma_2}"
        ),
        steps=(
            Claim(
                "size_ratio",
                chosen.params / judged.params,
                "==",
                ratio,
                "Both optima are powers of compute; so is their quotient.",
            ),
            Claim(
                "tokens_ratio",
                chosen.tokens / judged.tokens,
                "==",
                1 / ratio,
                "At the same compute the tokens change by the reciprocal.",
            ),
            Claim(
                "penalty",
                judged.form.reducible.subs(run) / judged.reducible,
                "==",
                pair.penalty,
                "The reducible loss at k_2 of a run allocated for k_1, relative to the optimum: the penalty at that size ratio.",
            ),
            Claim(
                "at_least_one",
                pair.penalty,
                ">=",
                Integer(1),
                "Weighted AM-GM; equality only where the two optima agree.",
                ByWeightedAmGm(terms, (w_n, w_d)),
            ),
        ),
        source=f"{SCHAEFFER}, for laws whose coefficients depend on k; the quotient is elementary.",
        follows="If the optimal shares differ between the two k, the penalty grows as a power of compute.",
    )
