"""Normal forms: what is merged, what is kept apart, and which conditions are recorded on the way."""

import pytest
import sympy
from sympy import Abs, Expr, Integer, Pow, Rational, Symbol, exp, log, sqrt, symbols

from isoflop.theory.kernel.arithmetic import OutsideScope
from isoflop.theory.kernel.convert import normal_forms
from isoflop.theory.kernel.functions import expm1, log1p, phi2

A, B, C, D, N, b, g, k, p = symbols("A B C D N b g k p", positive=True)
x, y = symbols("x y", real=True)
HALF = Rational(1, 2)


def raw(base: Expr, exponent: Expr) -> Expr:
    """A power as it is written."""
    return Pow(base, exponent, evaluate=False)


def conditions(expression: Expr) -> tuple[set[Expr], set[Expr]]:
    """What has to be positive and what must not vanish."""
    arithmetic, _ = normal_forms([expression])
    return set(arithmetic.positive), set(arithmetic.nonzero)


def equal(left: Expr, right: Expr, *assume: Expr) -> bool:
    """Whether the normal forms agree; the conditions are another matter."""
    arithmetic, forms = normal_forms([left, right], assume)
    return arithmetic.is_zero(arithmetic.add(forms[0], arithmetic.negate(forms[1])))


@pytest.mark.parametrize(
    ("expression", "positive", "nonzero"),
    [
        (N**b, set(), set()),
        ((b + g) ** p, set(), set()),
        (log(A * N / (b + g)), set(), set()),
        (1 / (A * N**b + B), set(), set()),
        ((A * N**b + B) ** p, set(), set()),
        ((b - g) ** p, {b - g}, set()),
        ((g - b) ** p, {g - b}, set()),
        (log(x), {x}, set()),
        (1 / x, set(), {x}),
        (1 / (x - 1), set(), {x - 1}),
        (raw(x**2, p), set(), {x}),
        (raw((x - 1) ** 2, HALF), set(), {x - 1}),
        (raw(x * y, p), {x * y}, {x, y}),
        (raw(x / y, p), {x * y}, {x, y}),
        (raw((x - 1) ** 3, p), {x - 1}, set()),
        (raw(x**2 + 1, p), set(), set()),
        (1 / (N**b - 1), set(), {N**b - 1}),
        ((N**b - 1) ** p, {N**b - 1}, set()),
        ((1 - N**b) ** p, {1 - N**b}, set()),
        (log(log(N)), {log(N)}, set()),
        (1 / log(N), set(), {log(N)}),
        ((1 + log(N)) ** p, {1 + log(N)}, set()),
    ],
)
def test_conditions(expression: Expr, positive: set[Expr], nonzero: set[Expr]) -> None:
    assert conditions(expression) == (positive, nonzero)


def test_condition_of_one_operation_serves_the_next() -> None:
    """(x-1)^p says x > 1; then |x-1| is x - 1 and any power of it is defined."""
    arithmetic, (_, form) = normal_forms([(x - 1) ** p, raw((x - 1) ** 2, HALF) - (x - 1)])
    assert arithmetic.is_zero(form)
    assert arithmetic.positive == [x - 1]


def test_quotient_that_hides_a_sign_is_not_taken_for_positive() -> None:
    """1 + 1/(N^b - 1) has positive coefficients and is negative for N < 1."""
    positive, _ = conditions((1 + 1 / (N**b - 1)) ** p)
    assert len(positive) == 1
    assert positive.pop().subs({N: HALF, b: 1}) < 0


def test_contradiction_with_a_condition_is_outside() -> None:
    with pytest.raises(OutsideScope, match="negative"):
        conditions(raw(x, p) * raw(-x, p))


def test_absolute_value_reduces_mod_1_where_the_sign_is_known() -> None:
    assert equal(raw(x**2, HALF), x, x)
    assert equal(raw(x**2, HALF), -x, -x)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (N ** (b / (b + g)), N * N ** (-g / (b + g))),
        (k ** (g * log(C)), C ** (g * log(k))),
        (exp(b * log(g) - g * log(b)), g**b / b**g),
        (log(A * N**-b), log(A) - b * log(N)),
        (log(Integer(12)), 2 * log(Integer(2)) + log(Integer(3))),
        (raw(Integer(12), b), raw(Integer(2), 2 * b) * raw(Integer(3), b)),
        (sqrt(2) * sqrt(3), sqrt(6)),
        (exp(b + g), exp(b) * exp(g)),
        (exp(-A * C**-b) * exp(B * C**-g), exp(B * C**-g - A * C**-b)),
        (raw(exp(b), g), exp(b * g)),
        (log(exp(b * g) * N), b * g + log(N)),
        (log(N) ** 2 * log(D), log(D) * log(N) * log(N)),
        (expm1(b), exp(b) - 1),
        (log1p(b), log(1 + b)),
        (phi2(b), (exp(b) - 1 - b) / b**2),
        (sympy.cosh(b) ** 2 - sympy.sinh(b) ** 2, Integer(1)),
        (
            (N**b + D**g) ** (p + 2),
            (N**b + D**g) ** p * (N ** (2 * b) + 2 * N**b * D**g + D ** (2 * g)),
        ),
        (1 / (N**b + 1) + 1 / (N**-b + 1), Integer(1)),
        (1 / ((N**b + 1) * (N**g + 1)), 1 / sympy.expand((N**b + 1) * (N**g + 1))),
        (raw((N**b + 1) / (N**b + 1) ** 2, p), (N**b + 1) ** -p),
        (raw(N**b + N**g - N**g * N**b / N**b, p), N ** (b * p)),
        # |x| to whole powers
        (raw(x**2, HALF), Abs(x)),
        (raw(x**2, Rational(3, 2)), x**2 * Abs(x)),
        (raw(x**2, p + 1), x**2 * raw(x**2, p)),
        (raw(x**2, p + HALF), Abs(x) * raw(x**2, p)),
        # a sum and its negative, where the sign is known
        ((1 - N**b) ** p / (N**b - 1), -((1 - N**b) ** (p - 1))),
        ((N**b - 1) ** -3 * (1 - N**b) ** p, -((1 - N**b) ** (p - 3))),
    ],
)
def test_equal(left: Expr, right: Expr) -> None:
    assert equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (N ** (b / (b + g)), N ** (g / (b + g))),
        (k ** (g * log(C)), C ** (b * log(k))),
        (b**g, g**b),
        (raw(Integer(12), b / 2), raw(Integer(6), b)),
        (log(A) * log(B), log(A * B)),
        (exp(b), Integer(1) + b),
        ((N**b + D**g) ** p, N ** (b * p) + D ** (g * p)),
        (exp(Rational(1, 3)), exp(Rational(1, 2))),
        (raw(x**2, HALF), x),
        (raw(x**2, HALF), -x),
        (raw(x**2, p + HALF), x * raw(x**2, p)),
        ((1 - N**b) ** p / (N**b - 1), (1 - N**b) ** (p - 1)),
    ],
)
def test_different(left: Expr, right: Expr) -> None:
    assert not equal(left, right)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (sympy.Float("0.5") * N, "floating-point"),
        (N ** sympy.Float("0.34"), "floating-point"),
        (sympy.gamma(N), "gamma is outside"),
        (sympy.I * N, "outside"),
        (sympy.oo, "outside"),
        (Symbol("f", positive=True) * sympy.Function("f")(N), "f is outside"),
        (raw(Integer(-2), p), "negative quantity"),
        (raw(-N, p), "negative quantity"),
        (log(-N, evaluate=False), "negative quantity"),
        (raw(Integer(-8), Rational(1, 3)), "negative quantity"),
        (N**20_000, "expansion limit"),
        ((N + 1) ** 100, "expansion limit"),
        ((A + B + C + D + N) ** 40, "expands to more than"),
        ((N**b + 1) ** 100, "expansion limit"),
        ((A**b + B**b + C**b + D**b + N**b) ** 40, "expands to more than"),
        (raw(N - sympy.Mul(1, N, evaluate=False), Integer(-1)), "identically zero"),
        (log(sympy.Add(N**b, -(N**b), evaluate=False), evaluate=False), "identically zero"),
        (raw(sympy.Add(N**b, -(N**b), evaluate=False), p), "identically zero"),
    ],
    ids=str,
)
def test_outside_scope(expression: Expr, reason: str) -> None:
    with pytest.raises(OutsideScope, match=reason):
        conditions(expression)


@pytest.mark.parametrize(
    "expression",
    [
        A * N**-b + B * D**-g,
        (A * N**-b + B * D**-g) ** p * exp(-(C**-b)) * log(N) ** 2,
        N ** (b / (b + g)) * raw(Integer(6), b * g / (b + g)),
        exp(b * log(N) * log(D)),
        Abs(x) ** p * x**3,
    ],
    ids=str,
)
def test_form_turned_back_is_equal(expression: Expr) -> None:
    arithmetic, (form,) = normal_forms([expression])
    assert equal(arithmetic.to_sympy(form), expression)
