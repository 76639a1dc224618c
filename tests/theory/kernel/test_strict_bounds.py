"""Strict bounds: every argument proves what is strict, and none what may be an equality."""

from dataclasses import replace

import pytest
from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, symbols
from tests.mutation.mutants import FALSE, TRUE, truth

from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.points import check_at_points, enclose_bound
from isoflop.theory.kernel.rules import (
    Argument,
    ByNormalForm,
    ByWeightedAmGm,
)
from isoflop.theory.theorem.claim import Claim, UnderLemma
from isoflop.theory.theorem.errata import refute

x, y, b, u, v = symbols("x y b u v", positive=True)
s, t = symbols("s t", real=True)
n = Symbol("n", nonnegative=True)
ZERO, ONE, HALF = Integer(0), Integer(1), Rational(1, 2)


def claim(lhs: Expr, relation: str, rhs: Expr, argument: Argument, *assume: Expr) -> Claim:
    return Claim("claim", lhs, relation, rhs, "A test.", argument, assume)


TRUE_ONES = {
    "a positive term": claim(x + y, ">", x, ByBound()),
    "a positive term, turned": claim(x, "<", x + y, ByBound()),
    "one positive term of two": claim(s**2 + 1, ">", ZERO, ByBound()),
    "a form": claim(1 + x**2, ">", 2 * x - 1, ByBound()),
    "under a lemma": claim(x + y, ">", x, UnderLemma("A lemma.", "a book", ByBound())),
    "numbers": claim(log(Integer(2)), "<", Rational(7, 10), ByBound()),
    "means": claim(
        (1 + v) / 2 + HALF, ">", (1 + v) ** HALF, ByWeightedAmGm(((1 + v) / 2, HALF), (HALF, HALF))
    ),
} | {
    str(step.formula.sides): step
    for step in (
        claim(x, ">", y, ByBound(), x - y),
        claim(x * (y - 1) ** 2, ">", ZERO, ByBound(), (y - 1) ** 2),
        claim((x - y) ** 2, ">", ZERO, ByBound(), y - x),
        claim(x**2 + x, ">", ZERO, ByBound()),
        claim((1 + u) ** b, ">", ONE, ByBound()),
        claim((1 + u) ** -b, "<", ONE, ByBound()),
        claim(exp(u), ">", 1 + u, ByBound()),
        claim(exp(s), ">", 1 + s, ByBound(), s**2),
        claim((exp(s) - 1 - s) / s**2, ">", ZERO, ByBound(), s**2),
        claim(2**u + 2**-u, ">", Integer(2), ByBound()),
        claim(y - x, ">", ZERO, ByBound(), (1 - u) * (y - x) - v, 1 - u),
        claim(x**3 / (y - x) ** 3, ">", ZERO, ByBound(), y - x),
    )
}
#: Each is an equality somewhere in its domain, as the name says.
FALSE_ONES = {
    "s = 0": claim(s**2, ">", ZERO, ByBound()),
    "s = t": claim((s - t) ** 2, ">", ZERO, ByBound()),
    "x = 1": claim(x**2 + 1, ">", 2 * x, ByBound()),
    "n = 0": claim(n + x, ">", x, ByBound()),
    "x = y, a modulus": claim(Abs(x - y), ">", ZERO, ByBound()),
    "y = 1": claim(x * (y - 1) ** 2, ">", ZERO, ByBound()),
    "n = 0, order": claim((1 + x + n) ** b, ">", (1 + x) ** b, ByBound()),
    "slope not positive": claim(n * (1 + u), ">", n, ByBound()),
    "s = 0, a tangent": claim(exp(s), ">", 1 + s, ByBound()),
    "a straight line": claim(2 * u, ">", 2 + 2 * (u - 1), ByBound()),
    "x = y, means": claim(
        x / 2 + y / 2, ">", (x * y) ** HALF, ByWeightedAmGm((x / 2, y / 2), (HALF, HALF))
    ),
    "x = y, means found": claim(x / 2 + y / 2, ">", (x * y) ** HALF, ByBound()),
    "s = 0, rearranged": claim(exp(s) - s, ">", ONE, ByBound()),
    "two names of a number": claim(log(Integer(4)), ">", 2 * log(Integer(2)), ByBound()),
    "an equality": claim(x + y, ">", y + x, ByNormalForm()),
    "one sign of s alone": claim(exp(s), ">", ONE, ByBound(), s**2),
}


@pytest.mark.parametrize("name", TRUE_ONES)
def test_what_is_strict(name) -> None:
    step = TRUE_ONES[name]
    verdict = step.verify()
    assert verdict.exact.proved, str(verdict.exact)
    assert verdict.holds, (verdict.pointwise, verdict.interval)
    assert verdict.interval is not None
    weak = replace(step, relation=f"{step.relation}=")
    assert weak.verify().holds
    turned = replace(step, relation="<" if step.relation == ">" else ">")
    assert not turned.prove().proved
    assert not turned.verify().pointwise.passed
    assert not enclose_bound(turned.lhs, turned.relation, turned.rhs, assume=turned.assume).passed
    assert truth(step).answer == TRUE
    assert truth(turned).answer == FALSE
    assert refute(step) is None
    assert refute(turned) is not None


@pytest.mark.parametrize("name", FALSE_ONES)
def test_what_may_be_an_equality_is_not_strict(name) -> None:
    step = FALSE_ONES[name]
    assert not step.prove().proved
    assert not step.verify().holds


def test_points_and_enclosures_refute_an_equality_that_is_called_strict() -> None:
    for lhs, rhs in (
        (x, x),
        ((x + y) ** 2, x**2 + 2 * x * y + y**2),
        (Abs(x - 1) + x - 1, ZERO),
        (log(x**2), 2 * log(x)),
    ):
        check = check_at_points(lhs, ">", rhs)
        assert not check.passed
        assert check_at_points(lhs, ">=", rhs).passed
    assert not enclose_bound(x * y / y, ">", x).passed
    assert not enclose_bound(exp(x) * exp(y), "<", exp(x + y)).passed


def test_points_that_cannot_tell_two_numbers_apart_do_not_object() -> None:
    """1 - exp(-100 x) and 1 agree in hundreds of digits at many points."""
    step = claim(1 - exp(-100 * x), "<", ONE, ByBound())
    assert step.verify().holds
    assert not replace(step, relation=">").verify().holds
