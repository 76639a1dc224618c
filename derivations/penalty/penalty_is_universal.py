"""The penalty at fixed compute is one function of the exponents and the size ratio for all laws, scales and budgets."""

from __future__ import annotations

from dataclasses import replace

from isoflop.theory import symbols as sym
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByPositiveTerms
from isoflop.theory.theorem import Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """P from the law itself; that A, B, C and E leave it alone; two laws with the same exponents; the whole loss."""
    m = misallocation()
    names, r = m.named, sym.SIZE_RATIO
    n_star, d_star = names.envelope.allocation
    run, best = (
        (function("R")(*at), function("L")(*at))
        for at in ((r * n_star, d_star / r), (n_star, d_star))
    )
    ratio = run[0] / best[0]
    steps = (
        m.named_steps["penalty"],
        *(
            step(
                f"free_of_{x}",
                (Partial(ratio, x), "=", 0),
                say("The ratio does not change with {}:", x),
            )
            for x in (sym.A, sym.B, sym.C)
        ),
        m.named_steps["shares_cancel"],
        replace(m.named_steps["penalty_at_least_one"], name="at_least_one"),
        step(
            "whole_loss",
            (run[1] / best[1], "=", 1 + (names.penalty - 1) * best[0] / best[1]),
            "On the whole loss the excess is diluted by the share of the reducible loss:",
        ),
        step(
            "dilution",
            (best[0] / best[1], "<", 1),
            say("That share is below 1 where {} is not 0:", sym.E),
            ByPositiveTerms(form=sym.E / best[1]),
            assume=(sym.E,),
        ),
    )
    return Derivation(
        name="penalty_is_universal",
        title="The penalty depends on the exponents and the size ratio alone",
        assumptions=m.envelope.assumptions,
        definitions=m.definitions,
        statement=say(
            "A run at compute {} with {} times the optimal size, {}, has the penalty "
            "{penalty}, which depends on none of the coefficients, {free_of_A} and "
            "{free_of_B}, nor on the compute, {free_of_C}; it is at least one, "
            "{at_least_one}. On the whole loss it is diluted: {whole_loss} with {dilution}.",
            sym.C,
            r,
            (r, ">", 0),
        ),
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="One table of penalties serves every law with the same two exponents, at every scale.",
    )
