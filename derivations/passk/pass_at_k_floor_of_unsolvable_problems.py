"""-log pass@k tends to -log(1 - pi0) where a share pi0 of the problems is never solved, and to 0 where none is."""

from __future__ import annotations

from sympy import Symbol, exp

from isoflop.theory.passk import DRAWS, SCHAEFFER, beta_tail, floor_of_unsolvable
from isoflop.theory.proof.claim import ByLeadingTerm, ByPositiveTerms, Claim, Derivation, UnderLemma

LEMMA = "For p > 0 almost surely the mean of (1 - p)^k tends to 0 for k -> infinity (dominated convergence: (1 - p)^k <= 1)"


def derivation() -> Derivation:
    """An atom at p = 0 is the irreducible term of pass@k in the limit of many samples."""
    k = DRAWS
    unsolvable, u, x = (Symbol(name, positive=True) for name in ("s", "u", "x"))
    solvable = 1 - unsolvable
    return Derivation(
        name="pass_at_k_floor_of_unsolvable_problems",
        title="The floor of -log pass@k is the share of unsolvable problems",
        assumptions=("a share s < 1 of problems with p = 0, and p > 0 for the others",),
        statement=r"-\log \mathrm{pass}@k \to E_0(\infty) = -\log(1 - s), \qquad k \to \infty",
        steps=(
            Claim(
                "solvable_problems_fail_less",
                (1 + u) ** -k,
                ">",
                (1 + u) ** -(k + 1),
                "Where p = u/(1 + u) > 0, every further sample lowers fail@k = (1 + u)^-k.",
                ByPositiveTerms(form=u * (1 + u) ** -(k + 1)),
            ),
            Claim(
                "limit_of_pass",
                1 - unsolvable - solvable * x,
                "->",
                exp(-floor_of_unsolvable(unsolvable)),
                "With fail@k of the solvable problems for x, pass@k is 1 - s - (1 - s) x and tends to 1 - s.",
                UnderLemma(
                    LEMMA,
                    "Rudin 1987, Real and Complex Analysis, theorem 1.34",
                    ByLeadingTerm(x, "0"),
                ),
                assume=(solvable,),
            ),
            Claim(
                "limit_of_pass_for_beta_problems",
                1 - unsolvable - solvable * beta_tail(),
                "->",
                exp(-floor_of_unsolvable(unsolvable)),
                "The same with the power tail of Beta distributed solvable problems.",
                ByLeadingTerm(k, "oo"),
                assume=(solvable,),
            ),
        ),
        source=f"Dominated convergence; {SCHAEFFER}, for laws with an irreducible term E0(k).",
        follows="A law with E = 0 at large k says that every problem is solved sometimes.",
    )
