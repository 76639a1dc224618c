"""Bounds: what is proved holds at fresh points, what is refuted fails at its witness."""

from itertools import islice

import pytest
from sympy import Abs, Mul, Pow, Rational, Symbol, exp, log, sqrt, symbols, sympify
from tests.theory.values import FINE, fine, holds

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import Decision
from isoflop.theory.kernel.bounds import decide_bound
from isoflop.theory.kernel.points import check_at_points
from isoflop.theory.kernel.sample import points
from isoflop.theory.penalty import misallocation

FRESH = 20
N, D, C, A, B, beta, gamma, r, x, y, z = symbols("N D C A B beta gamma r x y z", positive=True)
p, k, q = symbols("p k q", positive=True)
real = Symbol("u", real=True)
n = Symbol("n", nonnegative=True)
ENVELOPE = derive()
PENALTY = misallocation(ENVELOPE).penalty
LOSS = A * N**-beta + B * D**-gamma
P, Q, R, S = beta / (beta + z), z * y / (z + y), beta / (y + beta), z / (z + gamma)
LONG_SUM = 3 * x**P + 4 * x**Q * A ** (1 + R) + 4 * A**S
LONG_MEAN = 11 * x ** ((3 * P + 4 * Q) / 11) * A ** ((4 + 4 * R + 4 * S) / 11)

PROVED = [
    (PENALTY, ">=", 1, ()),
    (LOSS, ">=", ENVELOPE.reducible.subs(C, 6 * N * D), ()),
    ((x + y) ** 2, ">=", x**2 + y**2, ()),
    (beta * gamma / (beta + gamma), "<=", beta, ()),
    (x**2 + y**2, ">=", 2 * x * y, ()),
    ((x + y + z) / 3, ">=", (x * y * z) ** Rational(1, 3), ()),
    (x + 1 / x, ">=", 2, ()),
    (gamma * r**-beta + beta * r**gamma, ">=", beta + gamma, ()),
    (x**2, ">=", x, (x - 1,)),
    (x**2, ">=", y**2, (x - y,)),
    (x * y, ">=", x + y - 1, (x - 1, y - 1)),
    (x, ">", y, (x - y,)),
    ((r**beta + r**-beta) / 2, ">=", 1, ()),
    (x**beta + y**beta + (x * y) ** -beta, ">=", 3, ()),
    # Bernoulli's bounds, of either sign
    ((1 - p) ** k, "<=", exp(-k * p), (1 - p,)),
    ((1 - p) ** k, ">=", 1 - k * p, (1 - p, k - 1)),
    (1 - (1 - p) ** k, ">", p, (1 - p, k - 1)),
    ((1 + x) ** k, ">=", 1 + k * x, (k - 1,)),
    ((1 + x) ** k, "<=", 1 + k * x, (1 - k,)),
    ((1 + real) ** k, ">=", 1 + k * real, (1 + real, k - 1)),
    ((1 + real) ** k, "<=", 1 + k * real, (1 + real, 1 - k)),
    ((1 + real) ** k, ">=", 1 + k * real, (real, k - 1)),
    (log(1 + real), "<=", real, (real,)),
    # the logarithm of the penalty is convex in log r
    (PENALTY * PENALTY.subs(r, q), ">=", PENALTY.subs(r, sqrt(r * q)) ** 2, ()),
    (sqrt((x**2 + y**2) * (z**2 + 1)), ">=", x * z + y, ()),
    (LONG_SUM, ">=", LONG_MEAN, ()),
]
REFUTED = [
    (PENALTY, "<=", 1, ()),
    (PENALTY, ">=", 2, ()),
    (PENALTY, ">=", r, ()),
    (LOSS, ">=", 2 * ENVELOPE.reducible.subs(C, 6 * N * D), ()),
    (LOSS, ">=", ENVELOPE.reducible, ()),
    ((1 - p) ** k, ">=", 1 - k * p, (1 - p,)),
    ((1 + x) ** k, ">=", 1 + k * x, ()),
    ((1 + real) ** k, ">=", 1 + k * real, (1 + real,)),
    (sqrt(PENALTY * PENALTY.subs(r, q)), "<=", PENALTY.subs(r, sqrt(r * q)), ()),
    (x, ">=", y, ()),
    (x, "<", x, ()),
    (x + 1 / x, ">=", 3, ()),
    (x**2 + y**2, ">=", 3 * x * y, ()),
    (x**2, ">=", x, ()),
    # only near the equality, or far from 1
    (x + y, ">=", Rational(10_001, 5_000) * sqrt(x * y), ()),
    (exp(x), ">=", x + Rational(100_001, 100_000), ()),
    (x**2 + Rational(1, 10**6), ">=", x / 400, ()),
    (PENALTY, ">=", 1 + Rational(1, 10**7), ()),
    (x**2, ">=", x, (1 - x,)),
    (x**2, "<=", x, (x - 1,)),
    (x, "<=", y, (x - y,)),
    (x**2, ">=", 2 * x, (x - 1,)),
    (log(x), ">=", 0, ()),
    ((x**beta + y**gamma) / (z**k - Rational(1, 10**9)), ">=", 0, ()),  # a pole far from 1
    (exp(-x), ">=", 1, ()),
    (real, ">=", 0, ()),
    (3, "<=", 2, ()),
    ((1 + Rational(1, 10**90)) * x, "<=", x, ()),
    (2 ** (1 + Rational(1, 10**300)), "<=", 2, ()),
]


def decided(lhs, relation, rhs, assume) -> Decision:
    return decide_bound(
        sympify(lhs, strict=True), relation, sympify(rhs, strict=True), assume=assume
    )


def label(case) -> str:
    return str(case)[:60]


@pytest.mark.parametrize("case", PROVED, ids=label)
def test_proved_bounds_hold_at_fresh_points(case) -> None:
    lhs, relation, rhs, assume = case
    decision = decided(*case)
    assert decision.proved, decision
    free = set().union(*(e.free_symbols for e in (lhs, rhs, *assume) if hasattr(e, "free_symbols")))
    inside = (point for point in points(free, 2_718) if all(fine(a, point) > 0 for a in assume))
    fresh = list(islice(inside, FRESH))
    assert len(fresh) == FRESH
    assert all(holds(lhs, relation, rhs, point) for point in fresh)


@pytest.mark.parametrize("case", REFUTED, ids=label)
def test_refuted_bounds_fail_at_their_witness(case) -> None:
    lhs, relation, rhs, assume = case
    decision = decided(*case)
    assert decision.refuted, decision
    assert decision.witness is not None
    point = dict(decision.witness.point)
    assert all(fine(a, point) > 0 for a in assume)
    assert not holds(lhs, relation, rhs, point)
    for side, decimal in ((lhs, decision.witness.lhs), (rhs, decision.witness.rhs)):
        assert abs(fine(side, point) - FINE.mpf(decimal)) <= 1e-8 * abs(fine(side, point))


#: Strict ones; the same with >= holds, and turned round it fails.
STRICT = [
    (real**2 + 1, ">", 0, ()),
    (1 + x**2, ">", 2 * x - 1, ()),
    (log(2), "<", Rational(7, 10), ()),
    (x * (y - 1) ** 2, ">", 0, ((y - 1) ** 2,)),
    ((x - y) ** 2, ">", 0, (y - x,)),
    (exp(real), ">", 1 + real, (real**2,)),
    ((exp(real) - 1 - real) / real**2, ">", 0, (real**2,)),
    (2**x + 2**-x, ">", 2, ()),
    (y - x, ">", 0, ((1 - z) * (y - x) - p, 1 - z)),
    (x**3 / (y - x) ** 3, ">", 0, (y - x,)),
    (1 - exp(-100 * x), "<", 1, ()),  # both agree in hundreds of digits at many points
]
#: Each is an equality somewhere.
NOT_STRICT = [
    (real**2, ">", 0, ()),
    (x**2 + 1, ">", 2 * x, ()),
    (n + x, ">", x, ()),
    (Abs(x - y), ">", 0, ()),
    (x * (y - 1) ** 2, ">", 0, ()),
    ((1 + x + n) ** beta, ">", (1 + x) ** beta, ()),
    (n * (1 + x), ">", n, ()),
    ((1 + x) ** beta * log(x) ** 2, ">", log(x) ** 2, ()),
    (exp(real), ">", 1 + real, ()),
    (2 * x, ">", 2 + 2 * (x - 1), ()),
    (x / 2 + y / 2, ">", sqrt(x * y), ()),
    (log(4), ">", 2 * log(2), ()),
    (x + y, ">", y + x, ()),
    (exp(real), ">", 1, (real**2,)),
]


@pytest.mark.parametrize("case", STRICT, ids=label)
def test_what_is_strict_is_proved_and_its_opposite_is_seen_to_fail(case) -> None:
    lhs, rhs, relation, assume = sympify(case[0]), sympify(case[2]), case[1], case[3]
    opposite = "<" if relation == ">" else ">"
    assert decided(lhs, relation, rhs, assume).proved
    assert decided(lhs, f"{relation}=", rhs, assume).proved
    assert decided(lhs, opposite, rhs, assume).refuted
    assert check_at_points(lhs, relation, rhs, assume=assume).passed
    assert not check_at_points(lhs, opposite, rhs, assume=assume).passed


@pytest.mark.parametrize("case", NOT_STRICT, ids=label)
def test_what_may_be_an_equality_is_not_strict(case) -> None:
    assert not decided(*case).proved


def test_points_refute_an_equality_that_is_called_strict() -> None:
    for lhs, rhs in (((x + y) ** 2, x**2 + 2 * x * y + y**2), (log(x**2), 2 * log(x))):
        refuted = check_at_points(lhs, ">", rhs)
        assert not refuted.passed
        assert fine(lhs, dict(refuted.witness)) == pytest.approx(fine(rhs, dict(refuted.witness)))
        assert check_at_points(lhs, ">=", rhs).passed
    refuted = check_at_points(exp(x) * exp(y), "<", exp(x + y))
    assert not refuted.passed
    assert refuted.witness


@pytest.mark.parametrize("relation", ["==", "~", "", "=>"])
def test_other_relations_are_refused(relation) -> None:
    with pytest.raises(ValueError, match=f"relation='{relation}'"):
        decide_bound(x, relation, y)


def unevaluated(factor, e):
    """factor e/e as it is written."""
    return Mul(factor, e, Pow(e, -1, evaluate=False), evaluate=False)


def test_a_condition_is_stated_in_the_symbols_of_the_claim() -> None:
    """Also where an assumption about a symbol was put in."""
    decision = decide_bound(unevaluated(x, x - 2), ">=", 1, assume=(x - 1,))
    assert decision.proved
    assert [str(c) for c in decision.conditions] == ["x - 1 > 0", "x - 2 != 0"]
    decision = decide_bound(unevaluated(x, x - Rational(1, 2)), "<=", 1, assume=(1 - x,))
    assert decision.proved
    assert {str(c.expression.subs(x, Rational(1, 2))) for c in decision.conditions} == {"1/2", "0"}
