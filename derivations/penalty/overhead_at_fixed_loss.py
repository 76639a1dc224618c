"""Reaching L*(C) with r N* params takes [1 + (gamma/beta)(1 - r^-beta)]^(-1/gamma) D* tokens, and never less compute."""

from __future__ import annotations

from sympy import Integer, oo

from isoflop.theory import symbols as sym
from isoflop.theory.penalty import misallocation, tokens_factor
from isoflop.theory.proof.arguments import ByLeadingTerm
from isoflop.theory.theorem import Claim, Derivation, function, say, step


def derivation() -> Derivation:
    """The tokens factor k_D, the compute it costs, that the cost is never below C, and its limit for large models."""
    m = misallocation()
    names, r = m.named, sym.SIZE_RATIO
    b, g, (w_n, w_d) = sym.BETA, sym.GAMMA, names.envelope.shares
    n_star, d_star = names.envelope.allocation
    law, factor = function("L"), tokens_factor(sym.D)
    left = 1 - w_n * r**-b
    reachable = (left,)
    claims = m.named_steps
    steps = (
        step(
            "de_vries",
            (factor, "=", (1 + g / b * (1 - r**-b)) ** (-1 / g)),
            say("The form in which de Vries prints it, for {}:", (w_n / w_d, "=", g / b)),
            assume=reachable,
        ),
        step(
            "same_loss",
            (law(r * n_star, factor * d_star), "=", law(n_star, d_star)),
            say("The term of {} takes what that of {} leaves of the least loss:", sym.D, sym.N),
            assume=reachable,
        ),
        step(
            "contour",
            (
                sym.B * (factor * d_star) ** -g,
                "=",
                names.envelope.reducible - sym.A * (r * n_star) ** -b,
            ),
            say("It is the point of the contour of that loss at {} params:", r * n_star),
            assume=reachable,
        ),
        step(
            "compute",
            (6 * (r * n_star) * (factor * d_star), "=", r * factor * sym.C),
            say("The optimum spends {}:", sym.C),
            assume=reachable,
        ),
        claims["shares_cancel"],
        Claim(
            "penalty_at_least_one",
            names.penalty,
            ">=",
            Integer(1),
            claims["penalty_at_least_one"].reason,
            claims["penalty_at_least_one"].argument,
            through=claims["penalty_at_least_one"].through,
        ),
        step(
            "never_cheaper",
            (r * factor, ">=", 1),
            claims["never_cheaper"].reason,
            claims["never_cheaper"].argument,
            assume=reachable,
        ),
        step(
            "no_overhead",
            ((r * names.tokens_factor).subs(r, 1), "=", 1),
            say("At the optimal size nothing is added, for {}:", (1 - w_n, "=", w_d)),
        ),
        step("power", (factor**-g, "=", left / w_d), "By definition:", assume=reachable),
        step(
            "large_models",
            (left / w_d, "->", 1 / w_d),
            say("For {} the term of {} vanishes:", (r, "->", oo), sym.N),
            ByLeadingTerm(r, "oo"),
        ),
    )
    return Derivation(
        name="overhead_at_fixed_loss",
        title="Compute overhead at fixed loss",
        assumptions=(*m.envelope.assumptions, say("Let {}.", (r, ">", 0))),
        definitions=m.definitions,
        statement=say(
            "With {} params the least loss at compute {} is reached with {} times the "
            "optimal tokens, {same_loss}, where {de_vries}. This takes {compute}, and "
            "{never_cheaper}. As the model grows, the tokens tend to a share of the optimal "
            "ones and not to 0: {power} and {large_models}.",
            r * n_star,
            sym.C,
            factor,
        ),
        steps=steps,
        source="H. de Vries 2023, Go smol or go home.",
        follows=say(
            "The overhead diverges at the critical size, {} times the optimal one.", w_n ** (1 / b)
        ),
    )
