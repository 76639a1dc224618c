"""Signs by factors and by enclosure: sound first."""

import pytest
from sympy import Integer, Rational, Symbol, exp, log, pi

from isoflop.theory.proof.argument import ByEnclosure, ByFactors
from isoflop.theory.proof.claim import Claim

X, Y = Symbol("x", positive=True), Symbol("y", positive=True)
REAL, IMAGINARY = Symbol("s", real=True), Symbol("w", imaginary=True)


def bound(lhs, relation, rhs, argument, assume=()):
    return Claim("bound", lhs, relation, rhs, "test", argument, assume=assume).prove().proved


def test_products_of_even_powers_and_positive_terms():
    square = (exp(-X) - exp(-Y)) ** 2
    assert bound(
        X * exp(-2 * X) + X * exp(-2 * Y), ">=", 2 * X * exp(-X - Y), ByFactors((X, square))
    )
    assert bound(
        2 * X * exp(-X - Y), "<=", X * exp(-2 * X) + X * exp(-2 * Y), ByFactors((X, square))
    )
    assert bound(REAL**2, ">=", Integer(0), ByFactors((REAL**2,)))
    assert bound(X * log(Y), ">=", Integer(0), ByFactors((X, log(Y))), assume=(log(Y),))


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "factors"),
    [
        (X * (X - Y), ">=", Integer(0), (X, X - Y)),  # a factor of unknown sign
        (X**2, "<=", Integer(0), (X**2,)),  # the wrong direction
        (X**2 + 1, ">=", Integer(0), (X**2,)),  # another product
        ((X - Y) ** 3, ">=", Integer(0), (X - Y, (X - Y) ** 2)),
        (IMAGINARY**2, ">=", Integer(0), (IMAGINARY**2,)),
        (X, "==", X, (X,)),
    ],
)
def test_what_does_not_follow_is_not_proved(lhs, relation, rhs, factors):
    assert not bound(lhs, relation, rhs, ByFactors(factors))


def test_enclosures_of_numbers():
    assert bound(log(Integer(2)), ">=", Rational("0.6931"), ByEnclosure())
    assert bound(log(Integer(2)), "<=", Rational("0.6932"), ByEnclosure())
    assert not bound(log(Integer(2)), ">=", Rational("0.6932"), ByEnclosure())
    assert not bound(
        Integer(2) * log(Integer(2)), "<=", log(Integer(4)), ByEnclosure()
    )  # equal: no strict enclosure
    assert not bound(X, ">=", Integer(0), ByEnclosure())
    assert not bound(pi, ">=", Integer(3), ByEnclosure())  # outside the evaluator
    assert not bound(Integer(1), "==", Integer(1), ByEnclosure())
