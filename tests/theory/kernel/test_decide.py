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

from isoflop.theory.kernel import Answer, decide
from isoflop.theory.kernel.arithmetic import Arithmetic
from isoflop.theory.kernel.decide import Contradiction

A, B, N, D, b, g, k, p = symbols("A B N D b g k p", positive=True)
x, y = symbols("x y", real=True)
HALF = Rational(1, 2)
MP = mpmath.mp.clone()
MP.dps = 50


def raw(base: Expr, exponent: Expr) -> Expr:
    return Pow(base, exponent, evaluate=False)


# -- soundness with symbols of either sign -------------------------------------------------------------------------------


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


def real(function: Any, point: dict[Symbol, Any]) -> Any:
    """The value where it is real, else None."""
    try:
        value = MP.mpmathify(function(*point.values()))
    except (ZeroDivisionError, ValueError):
        return None
    return None if isinstance(value, MP.mpc) or not MP.isfinite(value) else value


BASES = (x - 1,)


@pytest.mark.parametrize("base", BASES, ids=str)
def test_what_is_proved_holds_where_the_conditions_do(base: Expr) -> None:
    """All pairs of spellings, each proof tried at random points by SymPy's own mpmath code with 50
    digits.
    """
    random = Random(5)
    names = [N, b, p, x]
    draws = [
        {
            s: MP.mpf(random.randint(1, 40)) / 7 * (1 if s.is_positive else random.choice((1, -1)))
            for s in names
        }
        for _ in range(15)
    ]
    forms = spellings(base)
    functions = {form: sympy.lambdify(names, form, MP_MODULE) for form in forms}
    proved = 0
    for left, right in combinations(forms, 2):
        decision = decide(left, right)
        if not decision.proved:
            continue
        proved += 1
        conditions = [
            (sympy.lambdify(names, c.expression, MP_MODULE), c.relation)
            for c in decision.conditions
        ]
        for point in draws:
            values = [(real(condition, point), relation) for condition, relation in conditions]
            if any(v is None or (v <= 0 if relation == ">" else v == 0) for v, relation in values):
                continue
            a, c = real(functions[left], point), real(functions[right], point)
            assert a is not None, (left, decision, point)
            assert c is not None, (right, decision, point)
            assert abs(a - c) <= MP.mpf(10) ** -30 * max(1, abs(a)), (left, right, decision, point)
    assert proved >= 1


MP_MODULE = [
    {
        "Abs": abs,
        "log": MP.log,
        "exp": MP.exp,
        "sqrt": MP.sqrt,
        "mpf": MP.mpf,
    },
    "mpmath",
]


@pytest.mark.parametrize(
    ("left", "right", "assume"),
    [
        (Abs(x), x, [N**b + x]),
        (Abs(x - 1), x - 1, [(x - 1) * log(k)]),
        (Abs(x - 1), x - 1, [(x - 1) / (N**b - 1)]),
        (Abs(x), x, [x * y]),
        (Abs(x), x, [x**2]),
        (Abs(x), x, [x + 10]),
    ],
    ids=str,
)
def test_assumption_is_not_stretched(left: Expr, right: Expr, assume: list[Expr]) -> None:
    """None of these says that the first factor is positive."""
    decision = decide(left, right, assume=assume)
    assert decision.refuted, decision


@pytest.mark.parametrize(
    ("left", "right", "assume", "stated"),
    [
        (Abs(x - 1), x - 1, [x - 1], ["x - 1 > 0"]),
        (Abs(x - 1), 1 - x, [1 - x], ["1 - x > 0"]),
        (Abs(x), x, [A * x / (b + g)], ["A*x/(b + g) > 0"]),
        (raw((1 - N**b) ** -2, p), (1 - N**b) ** (-2 * p), [1 - N**b], ["1 - N**b > 0"]),
        (Abs(x * y), x * y, [x * y], None),
    ],
    ids=str,
)
def test_assumption_is_used_and_stated(
    left: Expr, right: Expr, assume: list[Expr], stated: list[str] | None
) -> None:
    decision = decide(left, right, assume=assume)
    if stated is None:  # true; the sign of a product of two open factors is not used
        assert not decision.refuted
    else:
        assert decision.proved, decision
        assert [str(condition) for condition in decision.conditions] == stated


# -- no vacuous truth ----------------------------------------------------------------------------------------------------


def test_empty_domain_proves_nothing() -> None:
    """x y > 0 and -x y > 0: equal wherever both are defined, and that is nowhere."""
    left = raw(x * y, p) * raw(-x * y, p)
    decision = decide(left, raw(x**2 * y**2, p))
    assert decision.answer is Answer.UNDECIDED
    assert "no point is found" in decision.reason


def test_division_by_hidden_zero_proves_nothing() -> None:
    """0/0 = 1, with a zero that only the zero test sees."""
    zero = (N**b + 1) ** (p + 1) - (N**b + 1) ** p - N**b * (N**b + 1) ** p
    decision = decide(sympy.Mul(raw(zero, Integer(-1)), zero, evaluate=False), 1)
    assert decision.answer is Answer.UNDECIDED


# -- reasons -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (sympy.Float(0.5) * N, N / 2, "floating-point"),
        (sympy.gamma(N + 1), N * sympy.gamma(N), "gamma is outside"),
        (raw(Integer(-2), p), raw(Integer(-2), p), "negative quantity"),
        (raw((N + D) ** 200, HALF), (N + D) ** 100, "expansion limit"),
        (sympy.pi, Rational(22, 7), "Pi is outside"),
        (
            (1 + N ** (3 * b)) ** p,
            (1 + N**b) ** p * (1 - N**b + N ** (2 * b)) ** p,
            "normal forms differ",
        ),
        (exp(exp(exp(Integer(20)))), Integer(1), "normal forms differ"),
    ],
    ids=str,
)
def test_reason_of_an_undecided_pair(left: Expr, right: Expr, reason: str) -> None:
    decision = decide(left, right)
    assert decision.answer is Answer.UNDECIDED
    assert reason in decision.reason


def quotient(e: Expr) -> Expr:
    return sympy.Mul(e, raw(e, Integer(-1)), evaluate=False)


def difference(e: Expr) -> Expr:
    return sympy.Add(e, sympy.Mul(-1, e, evaluate=False), evaluate=False)


@pytest.mark.parametrize(
    ("left", "right", "stated"),
    [
        (quotient(b - g), Integer(1), ["b - g != 0"]),
        (difference(raw(b - g, Integer(-1))), Integer(0), ["b - g != 0"]),
        (quotient(log(b - g, evaluate=False)), Integer(1), ["b - g > 0", "log(b - g) != 0"]),
        (sympy.Mul(0, log(b - g), evaluate=False), Integer(0), ["b - g > 0"]),
        (raw(raw(x - y, HALF), Integer(2)), x - y, ["x - y > 0"]),
        (exp(log(x - y), evaluate=False), x - y, ["x - y > 0"]),
    ],
    ids=str,
)
def test_what_cancels_leaves_its_condition(left: Expr, right: Expr, stated: list[str]) -> None:
    decision = decide(left, right)
    assert decision.proved
    assert [str(condition) for condition in decision.conditions] == stated


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (exp(log(-N, evaluate=False), evaluate=False), -N),
        (quotient(difference(N)), Integer(1)),
        (raw(raw(-N, HALF), Integer(2)), -N),
    ],
    ids=str,
)
def test_what_has_no_value_anywhere_is_not_proved(left: Expr, right: Expr) -> None:
    assert decide(left, right).answer is Answer.UNDECIDED


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
    for left, right, assume in ((bound, p, []), (bound * N + 1, k, []), (N, D, [bound])):
        decision = decide(left, right, assume=assume)
        assert decision.answer is Answer.UNDECIDED
        assert f"{type(bound).__name__} is outside the normal form" in decision.reason


# -- precision and defects -----------------------------------------------------------------------------------------------


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
