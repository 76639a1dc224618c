"""The three answers: sound on the stated conditions, never vacuous, and with the reason where there
is none.
"""

from itertools import combinations
from random import Random
from typing import Any

import mpmath
import pytest
import sympy
from sympy import Abs, Expr, Integer, Pow, Rational, Symbol, exp, log, sqrt, symbols
from tests.theory.values import MP, value

from isoflop.theory.kernel import Answer, decide
from isoflop.theory.kernel.arithmetic import Arithmetic
from isoflop.theory.kernel.decide import Contradiction

UNDECIDED = Answer.UNDECIDED
N, b, g, k, p = symbols("N b g k p", positive=True)
x, y = symbols("x y", real=True)
HALF = Rational(1, 2)


def test_difference_beyond_fifty_digits_is_found() -> None:
    """Precision is doubled until the enclosures part: here 10^-700."""
    tiny = Rational(1, 10**700)
    decision = decide((b + g) ** b + tiny, (b + g) ** b)
    assert decision.refuted
    assert decision.witness is not None
    assert decision.witness.digits >= 800
    assert decide(sqrt(2) + tiny, sqrt(2)).refuted


def raw(base: Expr, exponent: Expr | int) -> Expr:
    return Pow(base, exponent, evaluate=False)


def spellings(u: Expr) -> list[Expr]:
    """Ways to write u, |u| and their powers that a careless rule takes for one another."""
    return [
        u,
        -u,
        Abs(u),
        raw(u**2, HALF),
        raw(u**2, p),
        raw(u, 2 * p),
        raw(-u, 2 * p),
        raw(raw(u**2, p), 1 / (2 * p)),
        sympy.Mul(u, raw(u, p), raw(u, -p), evaluate=False),
        raw(1 / u, p - 1) * raw(1 / u, -p),
    ]


def real(e: Expr, point: dict[Symbol, Any]) -> Any:
    """The value where it is real, else None."""
    try:
        found = value(e, point)
    except (ZeroDivisionError, ValueError):
        return None
    return None if isinstance(found, MP.mpc) or not MP.isfinite(found) else found


def test_what_is_proved_holds_where_the_conditions_do() -> None:
    """All pairs of spellings, each proof tried at random points."""
    random = Random(5)
    draws = [
        {
            s: MP.mpf(random.randint(1, 40)) / 7 * (1 if s.is_positive else random.choice((1, -1)))
            for s in (N, b, p, x)
        }
        for _ in range(15)
    ]
    proved = 0
    for left, right in combinations(spellings(x - 1), 2):
        decision = decide(left, right)
        if not decision.proved:
            continue
        proved += 1
        for point in draws:
            met = [(real(c.expression, point), c.relation) for c in decision.conditions]
            if any(v is None or (v <= 0 if relation == ">" else v == 0) for v, relation in met):
                continue
            one, other = real(left, point), real(right, point)
            assert one is not None, (left, decision, point)
            assert other is not None, (right, decision, point)
            assert abs(one - other) <= MP.mpf(10) ** -30 * max(1, abs(one)), (left, right, point)
    assert proved >= 1


def quotient(e: Expr) -> Expr:
    return sympy.Mul(e, raw(e, -1), evaluate=False)


def difference(e: Expr) -> Expr:
    return sympy.Add(e, sympy.Mul(-1, e, evaluate=False), evaluate=False)


@pytest.mark.parametrize(
    ("left", "right", "stated"),
    [
        (quotient(b - g), 1, "b - g != 0"),
        (difference(raw(b - g, -1)), 0, "b - g != 0"),
        (quotient(log(b - g, evaluate=False)), 1, "b - g > 0, log(b - g) != 0"),
        (sympy.Mul(0, log(b - g), evaluate=False), 0, "b - g > 0"),
        (raw(raw(x - y, HALF), 2), x - y, "x - y > 0"),
        (exp(log(x - y), evaluate=False), x - y, "x - y > 0"),
    ],
    ids=str,
)
def test_what_cancels_leaves_its_condition(left: Expr, right: Expr, stated: str) -> None:
    decision = decide(left, right)
    assert decision.proved
    assert ", ".join(map(str, decision.conditions)) == stated


def test_an_assumption_about_a_sum_or_a_product_is_used() -> None:
    decision = decide(raw((1 - N**b) ** -2, p), (1 - N**b) ** (-2 * p), assume=[1 - N**b])
    assert decision.proved
    assert [str(condition) for condition in decision.conditions] == ["1 - N**b > 0"]
    assert not decide(Abs(x * y), x * y, assume=[x * y]).refuted  # its sign is not used


#: A zero that only the zero test sees.
HIDDEN_ZERO = (N**b + 1) ** (p + 1) - (N**b + 1) ** p - N**b * (N**b + 1) ** p


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (raw((N + b) ** 200, HALF), (N + b) ** 100, "expansion limit"),
        (sympy.pi, Rational(22, 7), "Pi is outside"),
        (exp(exp(exp(Integer(20)))), Integer(1), "normal forms differ"),
        # equal wherever both are defined, and that is nowhere
        (raw(x * y, p) * raw(-x * y, p), raw(x**2 * y**2, p), "no point is found"),
        (quotient(HIDDEN_ZERO), 1, ""),
        (exp(log(-N, evaluate=False), evaluate=False), -N, ""),
        (quotient(difference(N)), 1, ""),
        (raw(raw(-N, HALF), 2), -N, ""),
    ],
    ids=str,
)
def test_reason_of_an_undecided_pair(left: Expr, right: Expr, reason: str) -> None:
    """What has no value anywhere is not proved."""
    decision = decide(left, right)
    assert decision.answer is UNDECIDED
    assert reason in decision.reason


@pytest.mark.parametrize(
    "bound",
    [
        sympy.Sum(x, (k, 1, p)),
        sympy.Integral(k, (k, 0, 1)),
        sympy.Limit(1 / k, k, sympy.oo),
        sympy.Derivative(k**2, k),
        sympy.Piecewise((k, k > 1), (1, True)),
    ],
    ids=str,
)
def test_objects_with_bound_symbols_are_named(bound: Expr) -> None:
    """Alone, in an expression and in an assumption; neither is evaluated as if its bound symbol
    were free.
    """
    for left, right, assume in ((bound, p, []), (bound * N + 1, k, []), (N, b, [bound])):
        decision = decide(left, right, assume=assume)
        assert decision.answer is UNDECIDED
        assert f"{type(bound).__name__} is outside the normal form" in decision.reason


def test_global_precision_is_neither_changed_nor_used() -> None:
    before = mpmath.mp.dps, mpmath.iv.dps
    with mpmath.workdps(5):
        coarse = decide(sqrt(2) + Rational(1, 10**30), sqrt(2))
        assert mpmath.mp.dps == 5
    assert (mpmath.mp.dps, mpmath.iv.dps) == before
    assert coarse == decide(sqrt(2) + Rational(1, 10**30), sqrt(2))
    assert coarse.refuted


def test_defect_of_the_exact_path_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the zero test wrong, the enclosures at the sampled points would contradict it loudly."""
    monkeypatch.setattr(Arithmetic, "is_zero", lambda self, form: True)
    with pytest.raises(Contradiction):
        decide(N**b, N**g)
