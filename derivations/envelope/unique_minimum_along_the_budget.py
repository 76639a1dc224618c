"""Along the budget the loss is strictly convex in log N, so N*(C) is its only stationary point and its global minimum."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, exp

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive, product_of_powers
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.arguments import ByConvexity, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

ALONG = function("f")


def derivation() -> Derivation:
    """First and second derivative of R(N* e^s, D* e^-s) in s, from the law."""
    envelope, s = derive(), sym.LOG_SIZE_RATIO
    names = envelope.named
    params, tokens = PARAMS_TOKENS.terms
    b, g, best, alpha = params.exponent, tokens.exponent, names.reducible, names.exponent
    (w_n, w_d), (n_star, d_star) = names.shares, names.allocation
    along = function("R")(n_star * exp(s), d_star * exp(-s))
    in_shares = best * (w_n * exp(-b * s) + w_d * exp(g * s))
    curved = alpha * best * (b * exp(-b * s) + g * exp(g * s))
    above = alpha * best * (w_d * (b + alpha) * exp(-b * s) + w_n * (g + alpha) * exp(g * s))
    slope = Partial(ALONG(s), s)
    spent = envelope.budget.coefficient

    def at_zero(expression: Expr) -> Expr:
        return Subs(expression, s, Integer(0))

    steps = (
        step(
            "budget_kept",
            (
                product_of_powers((spent, n_star * exp(s), d_star * exp(-s)), (Integer(1),) * 3),
                "=",
                sym.C,
            ),
            "Every such run spends the budget, as the optimum does:",
        ),
        step(
            "along_the_budget",
            (ALONG(s), "=", in_shares),
            say(
                "At the optimum the terms are {} and {}; each changes by a factor:",
                w_n * best,
                w_d * best,
            ),
        ),
        step(
            "slope",
            (slope, "=", alpha * best * (exp(g * s) - exp(-b * s))),
            say("Differentiate in {}; both {} and {} are {}:", s, b * w_n, g * w_d, alpha),
        ),
        step(
            "stationary",
            (at_zero(slope), "=", 0),
            say("At {} the slopes of the two terms cancel:", (s, "=", 0)),
        ),
        step("second_derivative", (Partial(slope, s), "=", curved), "Differentiate once more:"),
        step(
            "curvature",
            (at_zero(Partial(slope, s)), "=", b * g * best),
            say(
                "At {} this is {}, and {} is {}:",
                (s, "=", 0),
                alpha * (b + g) * best,
                alpha * (b + g),
                b * g,
            ),
        ),
        step(
            "convex",
            (Partial(slope, s), ">", 0),
            say("Both terms of it are positive at every real {}:", s),
            ByPositiveTerms(),
        ),
        step(
            "minimum",
            (ALONG(s), ">=", best),
            say(
                "A convex function lies nowhere below its tangents, and that at {} is horizontal:",
                (s, "=", 0),
            ),
            ByConvexity(in_shares, s, s, Integer(0)),
        ),
        step(
            "curvature_bound",
            (Partial(slope, s), ">", alpha**2 * ALONG(s)),
            say(
                "The exponents {} and {} are both larger than {}, so that the difference is a sum of positive terms:",
                b,
                g,
                alpha,
            ),
            ByPositiveTerms(form=above),
        ),
    )
    return Derivation(
        name="unique_minimum_along_the_budget",
        title="One minimum along the budget",
        assumptions=envelope.assumptions,
        definitions=(*envelope.definitions, Definition(ALONG(s), along)),
        statement=say(
            "Let {} be the reducible loss of the run with {} params and {} tokens, for real "
            "{}. This run is on the budget, {budget_kept}. Along the budget the loss is "
            "strictly convex in the logarithm of the size, {convex}, with {stationary}, so "
            "that the optimum is its only stationary point and its minimum, {minimum}. The "
            "curvature there is {curvature}, and everywhere it exceeds a fixed multiple of "
            "the reducible loss, {curvature_bound}.",
            ALONG(s),
            n_star * exp(s),
            d_star * exp(-s),
            s,
        ),
        steps=steps,
        source="Calculus; the form of the isoFLOP profile of Hoffmann et al. 2022, arXiv 2203.15556.",
        follows=say(
            "There is no maximum between the ends; {} is the curvature that an isoFLOP profile "
            "measures.",
            b * g * best,
        ),
    )
