"""At prices p and q the cheapest run has pN/(qD) = beta T_N/(gamma T_D); for beta = gamma it has a closed form."""

from __future__ import annotations

from sympy import Add, Subs, log, oo, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.economics import PRICE_D, PRICE_N, ces_cost, ces_inputs, contour_point
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS, LawForm, Term
from isoflop.theory.proof.arguments import ByPositiveTerms, BySameDifference, BySum, ByWeightedAmGm
from isoflop.theory.theorem import (
    Claim,
    Definition,
    Derivation,
    Partial,
    function,
    listed_steps,
    say,
    step,
    unfolded,
)

EQUAL, COST = function("Q"), function("K")
CONTOUR, CHEAPEST = (function("N_c"), function("D_c")), (function("N_p"), function("D_p"))
TARGET, QUOTIENT, THETA, MULTIPLIER = symbols("R_0 x theta mu", positive=True)


def derivation() -> Derivation:
    """The first-order condition; for one exponent the cheapest inputs, their cost, Shephard's lemma and the bound of Hoelder."""
    n, d, p, q, x = sym.N, sym.D, PRICE_N, PRICE_D, QUOTIENT
    envelope, b, g = derive(), sym.BETA, sym.GAMMA
    params, tokens = PARAMS_TOKENS.terms
    n_c, d_c = (variable(x) for variable in CONTOUR)
    pull = x * q * d_c / g - p * n_c / b
    equal = LawForm((Term(sym.A, n, b), Term(sym.B, d, b)))
    t_n, t_d = (term.expression for term in equal.terms)
    point = tuple(value.subs(sym.REDUCIBLE, TARGET) for value in contour_point(x))
    in_theta = {b / (1 + b): THETA, 1 / (1 + b): 1 - THETA, (1 + b) / b: 1 / THETA}
    inputs = (value.subs(sym.REDUCIBLE, TARGET).xreplace(in_theta) for value in ces_inputs())
    cheapest = tuple(name(p, q, TARGET) for name in CHEAPEST)
    cost, bill, law = COST(p, q, TARGET), p * n + q * d, EQUAL(n, d)
    at = dict(zip((n, d), cheapest, strict=True))
    mu, best_mu = MULTIPLIER, COST(p, q, law) / (b * law)
    hoelder = [
        Claim(
            f"hoelder_{name}",
            *(price * term.variable + mu * term.expression, ">="),
            (price / THETA) ** THETA * (mu * term.coefficient / (1 - THETA)) ** (1 - THETA),
            say(
                "Weighted AM-GM with the weights {} and {}, for any {}; the {} cancels, since "
                "{} is {}:",
                THETA,
                1 - THETA,
                (mu, ">", 0),
                term.variable,
                b * (1 - THETA),
                THETA,
            ),
            ByWeightedAmGm((price * term.variable, mu * term.expression), (THETA, 1 - THETA)),
        )
        for name, price, term in zip(("params", "tokens"), (p, q), equal.terms, strict=True)
    ]
    left, right = (Add(*(getattr(claim, side) for claim in hoelder)) for side in ("lhs", "rhs"))
    parts = (unfolded(claim, (Definition(mu, best_mu),)) for claim in hoelder)
    steps = (
        step(
            "contour",
            (function("R")(n_c, d_c), "=", TARGET),
            say("The two terms are {} and {}:", x / (1 + x) * TARGET, TARGET / (1 + x)),
        ),
        step(
            "first_order",
            (Partial(p * n_c + q * d_c, log(x)), "=", pull / (1 + x)),
            say("Differentiate the cost along the contour in {}:", log(x)),
        ),
        step(
            "one_balance",
            (Partial(pull, x), ">", 0),
            say(
                "The derivative has the sign of {}. This increases strictly; for {} it is "
                "negative, as {} grows without bound, and for {} it is positive, as {} does:",
                pull,
                (x, "->", 0),
                n_c,
                (x, "->", oo),
                x * d_c,
            ),
            ByPositiveTerms(),
        ),
        step(
            "equal_exponents",
            (Subs(function("R")(n, d), g, b), "=", law),
            "Let the exponents be equal from here on:",
        ),
        step(
            "reaches_target", (EQUAL(*cheapest), "=", TARGET), "Substitute the inputs in the law:"
        ),
        step("bill", (bill.subs(at), "=", cost), "And in the cost:"),
        step(
            "condition_holds",
            ((p * n / (q * d)).subs(at), "=", (t_n / t_d).subs(at)),
            say("They satisfy the condition of {first_order}:"),
        ),
        step(
            "shephard",
            (Partial(cost, p), "=", cheapest[0]),
            "Differentiate the cost in the price of params:",
        ),
        step(
            "shephard_tokens", (Partial(cost, q), "=", cheapest[1]), "And in the price of tokens:"
        ),
        *hoelder,
        step(
            "left_sides_add_up",
            (left, "=", bill + mu * law),
            "The left sides add up to the cost and a multiple of the reducible loss:",
        ),
        step(
            "right_sides_add_up",
            (right.subs(mu, best_mu), "=", COST(p, q, law) + best_mu * law),
            say(
                "With {} for {} the right sides add up to the same, the least cost in place of the cost:",
                best_mu,
                mu,
            ),
        ),
        step(
            "least_cost",
            (bill, ">=", COST(p, q, law)),
            "So the sum of "
            + listed_steps([claim.name for claim in hoelder])
            + say(" with this {} is, without what both sides share:", mu),
            BySum(*(BySameDifference(part.lhs, part.rhs, part.argument) for part in parts)),
        ),
    )
    return Derivation(
        name="linear_prices",
        title="Least cost at linear prices",
        assumptions=(
            envelope.assumptions[0],
            say("A run costs {}, with the prices {} and {}.", bill, (p, ">", 0), (q, ">", 0)),
            say(
                "On the contour of the reducible loss {} let {} be the quotient of the two terms, "
                "{} over {}.",
                (TARGET, ">", 0),
                (x, ">", 0),
                params.expression,
                tokens.expression,
            ),
        ),
        definitions=(
            *envelope.definitions,
            *(Definition(*pair) for pair in zip((n_c, d_c), point, strict=True)),
            Definition(THETA, b / (1 + b)),
            Definition(law, equal.reducible),
            *(Definition(*pair) for pair in zip(cheapest, inputs, strict=True)),
            Definition(cost, ces_cost().subs(sym.REDUCIBLE, TARGET).xreplace(in_theta)),
        ),
        statement=say(
            "The contour runs through {} params and {} tokens, {contour}. Along it the cost "
            "has one minimum, where {} and {} agree: {first_order} and {one_balance}. With "
            "equal exponents, {equal_exponents}, the cheapest run that reaches {} has {} "
            "params and {} tokens, {reaches_target} and {bill}. No run costs less than this "
            "one does for the same loss, {least_cost}. Its inputs are the derivatives of its "
            "cost in the prices, {shephard} and {shephard_tokens}.",
            n_c,
            d_c,
            p * n_c / b,
            x * q * d_c / g,
            TARGET,
            cheapest[0],
            cheapest[1],
        ),
        steps=steps,
        source="Cost function of a CES technology; Hoelder's inequality.",
        follows="Prices outside the product form, such as data bought once, keep a closed form for equal exponents.",
    )
