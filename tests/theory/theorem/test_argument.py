"""Exact arguments: a function without a formula on both sides, and enclosures."""

import pytest
from sympy import Derivative, Integer, Rational, log, pi, symbols

from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.decide import Answer
from isoflop.theory.kernel.rules import (
    ByApplying,
    ByNormalForm,
    ByWeightedAmGm,
)
from isoflop.theory.theorem.claim import Claim
from isoflop.theory.theorem.words import function

X, Y, Z = symbols("x y z", positive=True)
HALF = Rational(1, 2)
F, G = function("f"), function("g")
RISING, FALLING = Derivative(F(Z), Z), -Derivative(F(Z), Z)


def test_a_function_is_applied_to_both_sides() -> None:
    mean = ByWeightedAmGm((X, Y), (HALF, HALF))
    roots = 2 * (X * Y) ** HALF
    for applied in (
        Claim("equal", F((X + Y) ** 2), "==", F(X**2 + 2 * X * Y + Y**2), "why", ByApplying()),
        Claim("rising", F(X + Y), ">=", F(roots), "why", ByApplying(mean), assume=(RISING,)),
        Claim("falling", F(roots), ">=", F(X + Y), "why", ByApplying(mean), assume=(FALLING,)),
    ):
        verdict = applied.verify()
        assert verdict.strength == "proved", applied.name
        assert verdict.pointwise.points == 64


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "assume"),
    [
        (F(X + Y), ">=", F(X), ()),
        (F(X + Y), ">=", F(X), (FALLING,)),
        (F(X + Y), ">=", G(X), (RISING,)),
        (F(X), ">=", F(X + Y), (RISING,)),
        (F(X + Y), ">=", F(X), (RISING, FALLING)),
        (F(X + Y), ">=", F(X), (Derivative(G(Z), Z),)),
        # the sign of the slope at one of the two points alone
        (F(X + Y), ">=", F(X), (Derivative(F(X), X),)),
        # where other assumptions say at which points the slope is known
        (F(X + Y), ">=", F(X), (RISING, Z - X - Y)),
        # points where nothing is known of the slope
        (F(X + Y - 3), ">=", F(X - 3), (RISING,)),
        (F(X + Y), "==", F(X), ()),
        (X + Y, ">=", X, ()),
    ],
)
def test_nothing_follows_from_a_function_of_which_too_little_is_known(
    lhs, relation, rhs, assume
) -> None:
    within = ByNormalForm() if relation == "==" else ByBound()
    applied = Claim("claim", lhs, relation, rhs, "why", ByApplying(within), assume=assume)
    assert applied.prove().answer is Answer.UNDECIDED


def bound(lhs, relation, rhs, argument, assume=()):
    return Claim("bound", lhs, relation, rhs, "test", argument, assume=assume).prove().proved


def test_bounds_of_numbers():
    assert bound(log(Integer(2)), ">=", Rational("0.6931"), ByBound())
    assert bound(log(Integer(2)), "<", Rational("0.6932"), ByBound())
    assert not bound(log(Integer(2)), ">=", Rational("0.6932"), ByBound())
    assert not bound(2 * log(Integer(2)), "<", log(Integer(4)), ByBound())
    assert not bound(pi, ">=", Integer(3), ByBound())  # outside the kernel
