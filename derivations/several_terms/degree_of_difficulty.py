"""Posynomial programmes are convex in the logarithms; with as many free terms as conditions the optimum is a monomial."""

from __future__ import annotations

from sympy import Integer, Matrix, Symbol, exp, sqrt

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm, Cited
from isoflop.theory.proof.claim import ByLeadingTerm, Claim, Derivation

DUFFIN = "Duffin, Peterson and Zener 1967, Geometric Programming, duality theorem"


def derivation() -> Derivation:
    """Convexity, the dual of the params+tokens law and its one feasible point, a programme not attained, and strong duality."""
    envelope = derive(budget=GENERAL)
    b, g, a, d = sym.BETA, sym.GAMMA, sym.BUDGET_A, sym.BUDGET_D
    x, y, u, v = (Symbol(name, real=True) for name in "xyuv")
    size = Symbol("z", positive=True)
    posynomial = sym.A * exp(-b * x) + sym.B * exp(-g * y) + sym.KAPPA * exp(a * x + d * y)
    along = posynomial.subs([(x, x + size * u), (y, y + size * v)], simultaneous=True)
    conditions = Matrix([[1, 1, 0], [-b, 0, a], [0, -g, d]])
    dual = conditions.LUsolve(Matrix([1, 0, 0]))
    value = (
        (sym.A / dual[0]) ** dual[0] * (sym.B / dual[1]) ** dual[1] * (sym.KAPPA / sym.C) ** dual[2]
    )
    law = PARAMS_TOKENS.reducible
    extra = Symbol("F", positive=True)
    side = sqrt(sym.C / sym.KAPPA)
    symmetric = sym.A * sym.N**-b + sym.A * sym.D**-b + extra * (sym.N * sym.D) ** (-b / 2)
    primal = symmetric.subs([(sym.N, side), (sym.D, side)])
    first, third = sym.A * side**-b / primal, extra * side**-b / primal
    dual_of_three = (
        (sym.A / first) ** (2 * first) * (extra / third) ** third * (sym.KAPPA / sym.C) ** (b / 2)
    )
    steps = (
        Claim(
            "convex",
            along.diff(size, 2).subs(size, 0),
            ">=",
            Integer(0),
            "In the logarithms the second derivative along any direction is a sum of squares times positive terms, so every "
            "local minimum is global.",
            ByPositiveTerms(),
        ),
        Claim(
            "one_dual_point",
            conditions.det(),
            ">",
            Integer(0),
            "Two terms of R and one of the budget in two variables: the normality and orthogonality conditions have "
            "determinant a gamma + d beta > 0, hence one solution.",
            ByPositiveTerms(),
        ),
        Claim(
            "dual_weights",
            dual[0],
            "==",
            envelope.shares[0],
            "The solution is w_N = a gamma/(a gamma + d beta), positive, ...",
        ),
        Claim(
            "dual_exponent",
            dual[2],
            "==",
            envelope.exponent,
            "... and the weight of the budget is alpha.",
        ),
        Claim(
            "monomial",
            value,
            "==",
            envelope.reducible,
            "The dual value at that point, a monomial in the data, is R*(C).",
        ),
        Claim(
            "bound",
            law,
            ">=",
            value.subs(sym.C, GENERAL.compute()),
            "No feasible point lies below it.",
            ByWeightedAmGm((sym.A * sym.N**-b, sym.B * sym.D**-g), envelope.shares),
        ),
        Claim(
            "not_attained",
            size + 1 / (1 / size),
            "->",
            Integer(0),
            "Without a positive dual point the minimum need not exist: x + 1/y with x y <= 1 comes down to 0 along y = 1/x.",
            ByLeadingTerm(size, "0"),
        ),
        Claim(
            "strong_duality",
            primal,
            "==",
            dual_of_three,
            "With more terms than that the dual has free weights, its maximum equals the minimum, and one scalar equation is "
            "left for each; "
            "taken from the literature, and checked on A N^-b + A D^-b + F (N D)^(-b/2).",
            Cited(DUFFIN),
        ),
    )
    return Derivation(
        name="degree_of_difficulty",
        title="When the optimum is a monomial",
        assumptions=(
            "a posynomial programme: minimise a sum of positive monomials under monomial bounds",
            "the degree of difficulty is the number of terms less that of variables less 1",
        ),
        statement=r"\text{degree of difficulty } 0 \implies \text{one dual point and a monomial optimum};\quad \max "
        r"\text{dual} = \min \text{primal}",
        steps=steps,
        source=DUFFIN,
        follows="Laws of one term for each variable have closed forms; an interaction term costs one scalar equation.",
    )
