"""Arguments from calculus prove what they should and nothing where a premise is missing or wrong."""

import pytest
from sympy import Abs, Expr, Integer, Symbol, exp, log, symbols

from isoflop.theory.kernel.argument_calculus import ByConvexity, ByMonotone, BySameDifference, BySum
from isoflop.theory.kernel.rules import Argument, ByPositiveTerms
from isoflop.theory.theorem.claim import Claim

x, y, b, u, v = symbols("x y b u v", positive=True)
s = Symbol("s", real=True)
ONE, ZERO = Integer(1), Integer(0)


def proved(lhs: Expr, relation: str, rhs: Expr, argument: Argument, *assume: Expr) -> bool:
    return Claim("claim", lhs, relation, rhs, "A test.", argument, assume=assume).prove().proved


def test_monotone_functions() -> None:
    assert proved(
        (1 + u) ** b, ">=", ONE, ByMonotone(x**b, x, 1 + u, ONE, order=ByPositiveTerms(form=u))
    )
    assert proved(
        (1 + u) ** -b, "<=", ONE, ByMonotone(x**-b, x, 1 + u, ONE, False, ByPositiveTerms(form=u))
    )
    assert proved(
        ONE, "<=", (1 + u) ** b, ByMonotone(x**b, x, ONE, 1 + u, order=ByPositiveTerms(form=u))
    )
    assert proved(
        ONE, ">=", (1 + u) ** -b, ByMonotone(x**-b, x, ONE, 1 + u, False, ByPositiveTerms(form=u))
    )
    assert proved(exp(b * u), ">=", ONE, ByMonotone(exp(b * x), x, u, ZERO))


def test_point_by_assumption() -> None:
    inner = ByMonotone(log(x), x, y, y - u, order=ByPositiveTerms(form=u))
    assert proved(log(y), ">=", log(y - u), inner, y - u)
    assert not proved(log(y), ">=", log(y - u), inner)


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "argument"),
    [
        ((1 + u) ** b, "<=", ONE, ByMonotone(x**b, x, 1 + u, ONE, order=ByPositiveTerms(form=u))),
        ((1 + u) ** b, "<=", ONE, ByMonotone(x**b, x, 1 + u, ONE, False, ByPositiveTerms(form=u))),
        ((1 + u) ** b, "==", ONE, ByMonotone(x**b, x, 1 + u, ONE, order=ByPositiveTerms(form=u))),
        (
            2 * (1 + u) ** b,
            ">=",
            ONE,
            ByMonotone(x**b, x, 1 + u, ONE, order=ByPositiveTerms(form=u)),
        ),
        (
            (1 + u) ** b,
            ">=",
            Integer(2),
            ByMonotone(x**b, x, 1 + u, ONE, order=ByPositiveTerms(form=u)),
        ),
        (y**b, ">=", u**b, ByMonotone(x**b, x, y, u)),
        (u**2 - u, ">=", ZERO, ByMonotone(x**2 - x, x, u, ZERO)),
        (
            -1 / (2 - ONE),
            ">=",
            -1 / (ONE / 2 - 1),
            ByMonotone(-1 / (x - 1), x, Integer(2), ONE / 2),
        ),
        (u**-b, "<=", ZERO, ByMonotone(x**-b, x, u, ZERO, False)),
        (Abs(u - 1), ">=", ONE, ByMonotone(Abs(x - 1), x, u, ZERO)),
        (exp(s), ">=", exp(-ONE), ByMonotone(exp(x), x, s, -ONE)),
        (exp(s**2), ">=", ONE, ByMonotone(exp(s), s, s**2, ZERO)),
    ],
    ids=[
        "wrong relation",
        "wrong direction",
        "equality",
        "another left side",
        "another right side",
        "order unknown",
        "derivative of both signs",
        "pole in between",
        "not continuous at 0",
        "corner",
        "outside the domain",
        "variable not positive",
    ],
)
def test_no_proof_without_every_premise(
    lhs: Expr, relation: str, rhs: Expr, argument: Argument
) -> None:
    assert not proved(lhs, relation, rhs, argument)


def test_slope_by_another_argument() -> None:
    cosh = exp(x) + exp(-x)
    rising = ByMonotone(cosh.diff(x), x, x, ZERO)
    assert proved(exp(u) + exp(-u), ">=", Integer(2), ByMonotone(cosh, x, u, ZERO, slope=rising))
    assert not proved(exp(u) + exp(-u), ">=", Integer(2), ByMonotone(cosh, x, u, ZERO))


def test_convex_functions() -> None:
    assert proved(exp(s), ">=", 1 + s, ByConvexity(exp(s), s, s, ZERO))
    assert proved(exp(s), ">=", exp(ONE) * s, ByConvexity(exp(s), s, s, ONE))
    assert proved(-log(u), ">=", 1 - u, ByConvexity(-log(x), x, u, ONE))


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "argument"),
    [
        (exp(s), ">=", 1 + 2 * s, ByConvexity(exp(s), s, s, ZERO)),
        (exp(s), "<=", 1 + s, ByConvexity(exp(s), s, s, ZERO)),
        (2 * exp(s), ">=", 1 + s, ByConvexity(exp(s), s, s, ZERO)),
        (log(u), ">=", u - 1, ByConvexity(log(x), x, u, ONE)),
        (s**3, ">=", 3 * s - 2, ByConvexity(s**3, s, s, ONE)),
        (-log(s), ">=", 1 - s, ByConvexity(-log(x), x, s, ONE)),
        (1 / s, ">=", 2 - s, ByConvexity(1 / s, s, s, ONE)),
        (Abs(s), ">=", s, ByConvexity(Abs(s), s, s, ONE)),
    ],
    ids=[
        "steeper line",
        "wrong relation",
        "another left side",
        "concave",
        "of both curvatures",
        "point outside",
        "pole",
        "corner",
    ],
)
def test_no_tangent_bound_without_every_premise(
    lhs: Expr, relation: str, rhs: Expr, argument: Argument
) -> None:
    assert not proved(lhs, relation, rhs, argument)


def test_same_difference() -> None:
    tangent = ByConvexity(exp(s), s, s, ZERO)
    assert proved(exp(s) - s, ">=", ONE, BySameDifference(exp(s), 1 + s, tangent))
    assert proved(1 - exp(s), "<=", -s, BySameDifference(exp(s), 1 + s, tangent))
    assert not proved(exp(s) - s, "<=", ONE, BySameDifference(exp(s), 1 + s, tangent))
    assert not proved(exp(s) - 2 * s, ">=", ONE, BySameDifference(exp(s), 1 + s, tangent))
    assert not proved(1 + s, ">=", exp(s), BySameDifference(1 + s, exp(s), tangent))
    assert not proved(exp(s) - s, "==", ONE, BySameDifference(exp(s), 1 + s, tangent))


def test_sum_of_two_bounds() -> None:
    above = BySameDifference(exp(s), 1 + s, ByConvexity(exp(s), s, s, ZERO))
    below = BySameDifference(exp(-s), 1 - s, ByConvexity(exp(s), s, -s, ZERO))
    hyperbola = BySum(above, below)
    assert proved(exp(s) + exp(-s), ">=", Integer(2), hyperbola)
    assert proved(Integer(2), "<=", exp(s) + exp(-s), hyperbola)
    assert not proved(exp(s) + exp(-s), ">", Integer(2), hyperbola)  # equal at s = 0
    assert not proved(exp(s) + exp(-s), "<=", Integer(2), hyperbola)
    assert not proved(exp(s) + exp(-s), ">=", Integer(3), hyperbola)
    open_part = BySameDifference(exp(-s), 1 - s, ByPositiveTerms())
    assert not proved(exp(s) + exp(-s), ">=", Integer(2), BySum(above, open_part))
    strictly = [
        BySameDifference(exp(x), 1 + x, ByConvexity(exp(s), s, x, ZERO)),
        BySameDifference(exp(-x), 1 - x, ByConvexity(exp(s), s, -x, ZERO)),
    ]
    assert proved(exp(x) + exp(-x), ">", Integer(2), BySum(*strictly))
    for order in ((strictly[0], above), (above, strictly[0])):  # equal at s = 0 in one part alone
        assert proved(exp(x) + exp(s), ">", 2 + x + s, BySum(*order))
