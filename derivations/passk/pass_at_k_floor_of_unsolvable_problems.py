"""-log pass@k tends to -log(1 - pi0) where a share pi0 of the problems is never solved, and to 0 where none is."""

from __future__ import annotations

from sympy import Symbol, exp, symbols

from isoflop.theory.passk import DRAWS, PASS_AT, SCHAEFFER, floor_of_unsolvable
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms, UnderLemma
from isoflop.theory.theorem import Definition, Derivation, all_positive, say, step


def derivation() -> Derivation:
    """An atom at p = 0 is the irreducible term of pass@k in the limit of many samples."""
    k = DRAWS
    unsolvable, u, x, floor, failed = symbols("w u x F v", positive=True)
    solvable = 1 - unsolvable
    lemma = say(
        "Where a draw fails every problem with a probability below one, the mean over the problems of "
        "the probability to fail {} draws tends to zero with {} (dominated convergence).",
        k,
        1 / k,
    )
    front, power = Symbol("c", positive=True), Symbol("b", positive=True)
    steps = (
        step(
            "solvable_problems_fail_less",
            (failed ** (k + 1), "<", failed**k),
            say(
                "Where a draw fails with probability {}, every further one brings this factor:",
                failed,
            ),
            ByPositiveTerms(form=u * (1 + u) ** -(k + 1)),
        ),
        step(
            "limit_of_pass",
            (1 - unsolvable - solvable * x, "->", exp(-floor)),
            say(
                "The share {} fails always, and the others with probability {}, which vanishes:",
                unsolvable,
                x,
            ),
            UnderLemma(
                lemma, "Rudin 1987, Real and Complex Analysis, theorem 1.34", ByLeadingTerm(x, "0")
            ),
            assume=(solvable,),
        ),
        step(
            "limit_of_pass_for_beta_problems",
            (1 - unsolvable - solvable * front * k**-power, "->", exp(-floor)),
            say(
                "The same where they fail as Beta distributed problems do, with probability {}:",
                front * k**-power,
            ),
            ByLeadingTerm(k, "oo"),
            assume=(solvable,),
        ),
    )
    return Derivation(
        name="pass_at_k_floor_of_unsolvable_problems",
        title="The floor of the loss of pass@k is the share of unsolvable problems",
        assumptions=(
            say(
                "A share {} of the problems is never solved, {}. Let {} be the probability that "
                "a draw fails one of the others, with {}, and let ",
                unsolvable,
                (unsolvable, "<", 1),
                (failed, "=", 1 / (1 + u)),
                (u, ">", 0),
            )
            + all_positive((k, x, front, power))
            + ".",
        ),
        definitions=(
            Definition(failed, 1 / (1 + u)),
            Definition(floor, floor_of_unsolvable(unsolvable)),
        ),
        statement=say(
            "With {} the others fail less and less, {solvable_problems_fail_less}, and what "
            "is left of {} tends to the share that can be solved, {limit_of_pass}, as for "
            "problems that are Beta distributed, {limit_of_pass_for_beta_problems}.",
            k,
            PASS_AT(k),
        ),
        steps=steps,
        source=f"Dominated convergence; {SCHAEFFER}, for laws with an irreducible term.",
        follows="A law without an irreducible term at many samples says that every problem is solved sometimes.",
    )
