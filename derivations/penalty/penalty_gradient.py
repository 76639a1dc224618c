"""The gradient of the penalty in the two exponents, at a fixed size ratio and at a fixed overtraining ratio."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.gradients import penalty_gradient
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByConvexity, BySameDifference
from isoflop.theory.proof.claim import Claim, Derivation

EXPONENTS = {"beta": sym.BETA, "gamma": sym.GAMMA}
SIGNS = ("", "-")


def derivation() -> Derivation:
    """The derivatives of P with the shares moving, the forms in which they are computed, their signs and their orders."""
    m = misallocation()
    envelope, rho, s = m.envelope, sym.RATIO, sym.LOG_SIZE_RATIO
    run = {sym.N: envelope.params * exp(s), sym.D: envelope.tokens * exp(-s)}
    ratio = PARAMS_TOKENS.reducible.subs(run) / envelope.reducible
    penalty = m.penalty.subs(sym.SIZE_RATIO, exp(s))
    closed = penalty_gradient(envelope)
    of_beta, of_gamma = (closed[exponent].safe for exponent in EXPONENTS.values())
    x = Symbol("x", real=True)
    steps: tuple[Claim, ...] = (
        Claim(
            "penalty",
            ratio,
            "==",
            penalty,
            "The law at e^s N* params and e^-s D* tokens, over R*: of the coefficients the two exponents alone are left.",
        ),
    )
    steps += tuple(
        Claim(
            f"at_size_ratio_in_{name}",
            penalty.diff(exponent),
            "==",
            closed[exponent].safe,
            f"Differentiate in {name} at fixed s, the shares too: y^2 phi2(y) = e^y - 1 - y is left, y = {sign}(beta + gamma) s.",
        )
        for (name, exponent), sign in zip(EXPONENTS.items(), SIGNS, strict=True)
    )
    steps += tuple(
        Claim(
            f"at_ratio_in_{name}",
            m.penalty_in_ratio.diff(exponent),
            "==",
            closed[exponent].safe.subs(s, -log(rho) / 2),
            "At a fixed overtraining ratio r = rho^(-1/2) is fixed as well: the same with s = -(log rho)/2.",
        )
        for name, exponent in EXPONENTS.items()
    )
    steps += tuple(
        Claim(
            f"{side}_in_{name}",
            getattr(closed[exponent], form),
            "==",
            closed[exponent].safe,
            "The larger power is taken outside, so that no term on the way exceeds the largest float before the result does.",
        )
        for name, exponent in EXPONENTS.items()
        for side, form in (("far_above", "above_optimal_size"), ("far_below", "below_optimal_size"))
    )
    steps += (
        Claim(
            "homogeneous",
            sym.BETA * of_beta + sym.GAMMA * of_gamma,
            "==",
            s * penalty.diff(s),
            "P depends on beta s and gamma s alone: larger exponents act like a larger distance from the optimum (Euler).",
        ),
        *(
            Claim(
                f"grows_in_{name}",
                exp(d.own * d.along) * d.safe,
                ">=",
                Integer(0),
                f"Times the positive factor e^({sign}{name} s) it is a multiple of e^y - 1 - y, and e^y >= 1 + y.",
                BySameDifference(
                    d.scale * exp(d.steps),
                    d.scale * (1 + d.steps),
                    ByConvexity(d.scale * exp(x), x, d.steps, Integer(0)),
                ),
            )
            for name, d, sign in zip(
                EXPONENTS, map(closed.__getitem__, EXPONENTS.values()), SIGNS, strict=True
            )
        ),
        *(
            Claim(
                f"second_order_in_{name}",
                penalty.diff(exponent).diff(s, 2).subs(s, 0),
                "==",
                m.series(2).diff(exponent).diff(s, 2),
                f"Near the optimum P = 1 + beta gamma s^2/2 + ..., and so does its derivative in {name} begin.",
            )
            for name, exponent in EXPONENTS.items()
        ),
    )
    return Derivation(
        name="penalty_gradient",
        title="Delta method for the penalty",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = 6 N D",
            "the run keeps its size ratio r = e^s, or its overtraining ratio rho = e^(-2 s), when the law is changed",
        ),
        statement=(
            r"\frac{\partial P}{\partial\beta} = \gamma\,s^2 e^{-\beta s}\,\varphi_2\bigl((\beta+\gamma)s\bigr),\qquad"
            r" \frac{\partial P}{\partial\gamma} = \beta\,s^2 e^{\gamma s}\,\varphi_2\bigl(-(\beta+\gamma)s\bigr),\qquad"
            r" \varphi_2(x) = \frac{e^x - 1 - x}{x^2}"
        ),
        steps=steps,
        source="Differentiation of the penalty; the delta method.",
        follows=(
            "The penalty grows with either exponent, and near the optimum its excess has the relative error of beta gamma: a "
            "poor fit still prices a small misallocation well."
        ),
    )
