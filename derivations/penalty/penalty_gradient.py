"""The gradient of the penalty in the two exponents, at a fixed size ratio and at a fixed overtraining ratio."""

from __future__ import annotations

from sympy import Integer, Subs, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import phi2
from isoflop.theory.gradients import penalty_gradient
from isoflop.theory.penalty import PENALTY, misallocation, penalty_along_budget
from isoflop.theory.proof.arguments import ByConvexity, BySameDifference
from isoflop.theory.theorem import Claim, Derivation, Partial, partial, say, step

EXPONENTS = {"beta": sym.BETA, "gamma": sym.GAMMA}


def derivation() -> Derivation:
    """The derivatives of P with the shares moving, the forms in which they are computed, their signs and their orders."""
    m = misallocation()
    rho, s, x = sym.RATIO, sym.LOG_SIZE_RATIO, Symbol("x", real=True)
    penalty, at_ratio = PENALTY(exp(s)), PENALTY(m.size_ratio)
    closed = {name: penalty_gradient(m.envelope)[e] for name, e in EXPONENTS.items()}
    steps: tuple[Claim, ...] = (penalty_along_budget(m),)
    steps += tuple(
        step(
            f"at_size_ratio_in_{name}",
            (Partial(penalty, exponent), "=", closed[name].safe),
            say(
                "Differentiate in {} at fixed {}, the shares too. What is left of the "
                "exponentials is {}, at {}:",
                exponent,
                s,
                (exp(x) - 1 - x, "=", x**2 * phi2(x)),
                (x, "=", closed[name].steps),
            ),
        )
        for name, exponent in EXPONENTS.items()
    )
    steps += tuple(
        step(
            f"at_ratio_in_{name}",
            (Partial(at_ratio, exponent), "=", closed[name].safe.subs(s, -log(rho) / 2)),
            say("At a fixed {} the size ratio {} is fixed as well:", rho, m.size_ratio),
        )
        for name, exponent in EXPONENTS.items()
    )
    steps += tuple(
        step(
            f"{side}_in_{name}",
            (Partial(penalty, exponent), "=", getattr(closed[name], form)),
            "With the larger power outside, so that no factor exceeds the result:",
        )
        for name, exponent in EXPONENTS.items()
        for side, form in (("far_above", "above_optimal_size"), ("far_below", "below_optimal_size"))
    )
    steps += (
        step(
            "homogeneous",
            (
                sym.BETA * Partial(penalty, sym.BETA) + sym.GAMMA * Partial(penalty, sym.GAMMA),
                "=",
                s * Partial(penalty, s),
            ),
            say(
                "The penalty depends on {} and {} alone, so that larger exponents act like a larger "
                "distance from the optimum:",
                sym.BETA * s,
                sym.GAMMA * s,
            ),
        ),
        *(
            step(
                f"grows_in_{name}",
                (exp(d.own * d.along) * Partial(penalty, EXPONENTS[name]), ">=", 0),
                say(
                    "This is {} times {} at {}, and the exponential lies above its tangent:",
                    d.scale,
                    exp(x) - 1 - x,
                    (x, "=", d.steps),
                ),
                BySameDifference(
                    d.scale * exp(d.steps),
                    d.scale * (1 + d.steps),
                    ByConvexity(d.scale * exp(x), x, d.steps, Integer(0)),
                ),
            )
            for name, d in closed.items()
        ),
        *(
            step(
                f"second_order_in_{name}",
                (
                    Subs(partial(Partial(penalty, exponent), s, 2), s, 0),
                    "=",
                    m.series(2).diff(exponent).diff(s, 2),
                ),
                say("Near the optimum it begins as the derivative of {} does:", m.series(2)),
            )
            for name, exponent in EXPONENTS.items()
        ),
    )
    return Derivation(
        name="penalty_gradient",
        title="Delta method for the penalty",
        assumptions=(
            *m.envelope.assumptions,
            say(
                "Let {} and {} be real, {}, and {}, with the value {} at zero.",
                s,
                x,
                (rho, ">", 0),
                (phi2(x), "=", (exp(x) - 1 - x) / x**2),
                phi2(Integer(0)),
            ),
        ),
        definitions=m.definitions,
        statement=say(
            "A run with {} times the optimal size at its compute has the penalty {penalty}. "
            "Where the law changes and the run keeps this size ratio, "
            "{at_size_ratio_in_beta} and {at_size_ratio_in_gamma}; neither is negative, "
            "{grows_in_beta} and {grows_in_gamma}. Where the run keeps its overtraining "
            "ratio {}, {at_ratio_in_beta} and {at_ratio_in_gamma}.",
            exp(s),
            rho,
        ),
        steps=steps,
        source="Differentiation of the penalty; the delta method.",
        follows=(
            "The penalty grows with either exponent, and near the optimum its excess has the relative error of their product: "
            "a poor fit still prices a small misallocation well."
        ),
    )
