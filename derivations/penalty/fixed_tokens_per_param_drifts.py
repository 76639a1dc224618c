"""At fixed tokens per parameter the penalty drifts with compute unless the exponents are equal, and grows without bound."""

from __future__ import annotations

from sympy import Expr, Symbol, log, oo

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.ray import PARAMS, TANGENCY, TOKENS, ray
from isoflop.theory.theorem import Claim, Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """The penalty on the ray D = t N through rho = t/(D*/N*), its growth for either order of the exponents, and where it is 1."""
    m, line = misallocation(), ray()
    names, C, law = m.named.envelope, sym.C, function("R")
    rho = Symbol("rho_t", positive=True)
    b, g, alpha, (w_n, w_d) = sym.BETA, sym.GAMMA, names.exponent, names.shares
    n_star, d_star = names.allocation
    small, large = w_d * rho ** (-g / 2), w_n * rho ** (b / 2)

    def growth(tail: Expr, exponent: Expr, closed: Expr) -> Claim:
        return step(
            f"growth_{'undertrained' if tail == small else 'overtrained'}",
            (Partial(log(tail), log(C)), "=", alpha - exponent / 2, "=", closed),
            say("It grows as this power of {}:", C),
        )

    rises = {"undertrained": g * (b - g) / (b + g) / 2, "overtrained": b * (g - b) / (b + g) / 2}
    steps = (
        step(
            "ratio",
            (TOKENS(C) / PARAMS(C), "=", rho * d_star / n_star),
            say("The overtraining ratio of the ray is {}:", rho),
        ),
        step(
            "drift_of_ratio",
            (Partial(log(rho), log(C)), "=", w_n - w_d),
            say("The optimal number of tokens per parameter is a power of {}:", C),
        ),
        step(
            "penalty",
            (law(PARAMS(C), TOKENS(C)) / law(n_star, d_star), "=", large + small),
            say("The size ratio of the ray is {}:", m.size_ratio.subs(sym.RATIO, rho)),
        ),
        m.named_steps["shares_cancel"],
        step(
            "at_least_one",
            (
                large + small,
                ">=",
                product_of_powers([rho ** (b / 2), rho ** (-g / 2)], [w_n, w_d]),
                "=",
                1,
            ),
            say(
                "Weighted AM-GM with the weights {} and {}; by {shares_cancel} the powers of {} "
                "cancel in the geometric mean:",
                w_n,
                w_d,
                rho,
            ),
            ByWeightedAmGm((large, small), (w_n, w_d)),
        ),
        step(
            "touches",
            (
                law(PARAMS(TANGENCY), TOKENS(TANGENCY)),
                "=",
                law(n_star.subs(C, TANGENCY), d_star.subs(C, TANGENCY)),
            ),
            say("At compute {} the ray crosses the optimal allocation:", TANGENCY),
        ),
        step(
            "undertrained_in_the_end",
            (large + small, "~", small),
            say(
                "For {} the optimum wants ever more tokens per parameter, {}:",
                (b, ">", g),
                (rho, "->", 0),
            ),
            ByLeadingTerm(C, "oo"),
            assume=(b - g,),
        ),
        growth(small, g, rises["undertrained"]),
        step(
            "undertrained_without_bound",
            (rises["undertrained"], ">", 0),
            say("It is positive for {}:", (b, ">", g)),
            ByPositiveTerms(),
            assume=(b - g,),
        ),
        step(
            "overtrained_in_the_end",
            (large + small, "~", large),
            say("For {} it wants ever fewer, {}:", (b, "<", g), (rho, "->", oo)),
            ByLeadingTerm(C, "oo"),
            assume=(g - b,),
        ),
        growth(large, b, rises["overtrained"]),
        step(
            "overtrained_without_bound",
            (rises["overtrained"], ">", 0),
            say("It is positive for {}:", (b, "<", g)),
            ByPositiveTerms(),
            assume=(g - b,),
        ),
    )
    return Derivation(
        name="fixed_tokens_per_param_drifts",
        title="Runs at fixed tokens per parameter",
        assumptions=line.assumptions,
        definitions=(*line.definitions, Definition(rho, sym.TOKENS_PER_PARAM * n_star / d_star)),
        statement=say(
            "Runs at {} tokens per parameter have the overtraining ratio {}, {ratio}, which "
            "drifts with compute unless the exponents are equal, {drift_of_ratio}. Their "
            "penalty is {penalty}, which is at least one, {at_least_one}. Where the "
            "exponents differ, it is one at compute {}, {touches}, and in the end one of its "
            "terms is the whole of it and grows without bound. If the params have the larger "
            "exponent, {undertrained_in_the_end} with {growth_undertrained} and "
            "{undertrained_without_bound}; if the tokens have it, {overtrained_in_the_end} "
            "with {growth_overtrained} and {overtrained_without_bound}.",
            sym.TOKENS_PER_PARAM,
            rho,
            TANGENCY,
        ),
        steps=steps,
        source="Substitution of the ray in the penalty of Schaeffer et al. 2025, arXiv 2509.24012.",
        follows="A family at 20 tokens per parameter drifts off the optimum at a rate set by the difference of the exponents.",
    )
