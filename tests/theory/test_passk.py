"""Closed forms of pass@k against counting, direct integration, root finding and minimisation with
40 digits.
"""

import mpmath
import pytest
from sympy import Integer, Rational, Symbol

from isoflop.theory import passk
from isoflop.theory import symbols as sym
from isoflop.theory.algebra import factorials
from isoflop.theory.algebra.factorials import Value
from isoflop.theory.algebra.functions import defined
from isoflop.theory.passk import DRAWS

DIGITS = 40
MP = mpmath.mp.clone()
MP.dps = DIGITS
A = Symbol("a", positive=True)
CLOSE = (
    MP.mpf(10) ** -25
)  # integrals and numerical minima keep fewer digits than the 40 of the arithmetic


def symbols(names):
    return tuple(Symbol(name, positive=True) for name in names.split())


def value(expression, point):
    """The number at a point; a Gamma value or factorial is computed from its name's argument."""
    plain = defined(expression)
    stand_ins = {s: _named(s.name, point) for s in plain.free_symbols if isinstance(s, Value)}
    return MP.mpf(str(plain.subs({**point, **stand_ins}).evalf(DIGITS)))


def _named(name, point):
    from sympy import sympify

    inside = name.removesuffix("!").removeprefix("Gamma").strip("()")
    argument = sympify(inside, locals={s.name: s for s in point}).subs(point)
    return Rational(str(MP.gamma(MP.mpf(argument.p) / argument.q + name.endswith("!"))))


def close(left, right, tolerance=CLOSE):
    return abs(left - right) <= tolerance * max(1, abs(right))


@pytest.mark.parametrize("shift", range(-3, 4))
def test_recurrences_hold_for_the_true_functions(shift):
    point = {A: Rational(37, 8), DRAWS: Integer(5)}
    assert close(value(factorials.gamma_of(A + shift), point), MP.gamma(MP.mpf(37) / 8 + shift))
    assert close(value(factorials.factorial_of(DRAWS + shift), point), MP.factorial(5 + shift))


def test_values_at_integers_and_poles():
    assert factorials.gamma_of(Integer(5)) == 24
    assert factorials.factorial_of(Integer(0)) == 1
    with pytest.raises(ValueError, match="pole"):
        factorials.gamma_of(Integer(0))
    with pytest.raises(ValueError, match="at least 0"):
        factorials.factorial_of(Integer(-1))


def test_fractions_are_shifted_by_whole_numbers_only():
    half = Value("Gamma(a + 1/2)", positive=True)
    assert factorials.gamma_of(A + Rational(1, 2)) == half
    assert factorials.gamma_of(A + Rational(3, 2)) == (A + Rational(1, 2)) * half


def test_crossing_by_root_finding():
    first = (Rational(2985), Rational(3, 10))
    second = (Rational(50000), Rational(7, 20))
    root = MP.findroot(
        lambda x: MP.log(2985) - MP.mpf(3) / 10 * x - MP.log(50000) + MP.mpf(7) / 20 * x, 50
    )
    assert close(value(passk.crossing_compute(first, second), {}), MP.exp(root))


def test_bilinear_law_at_the_printed_digits_of_humaneval():
    digits = (Rational("-0.1728"), Rational("1.2399"), Rational("-0.0287"))
    law = passk.BilinearForm(Rational("6884"), *digits)
    crossing = value(law.crossing, {})
    assert MP.mpf("5.4e18") < crossing < MP.mpf("6.3e18")
    logs = [MP.mpf(str(d)) for d in ("-0.1728", "1.2399", "-0.0287")]
    at = [
        MP.log(6884)
        + logs[0] * MP.log(crossing)
        + (logs[1] + logs[2] * MP.log(crossing)) * MP.log(k)
        for k in (1, 7, 900)
    ]
    assert all(close(y, at[0]) for y in at)
    big = {sym.C: Integer(6) * 10**21, DRAWS: Integer(10)}
    assert close(value(law.draws_exponent, big), MP.mpf("0.199"), MP.mpf("0.001"))
    doubled = value(law.value, {**big, sym.C: 2 * big[sym.C]}) / value(law.value, big)
    assert close(value(law.compute_exponent, big), -MP.log(doubled) / MP.log(2))


def test_gold_composition_at_large_compute():
    law = passk.GoldComposition(*(Rational(x) for x in ("0.2", "3", "1.7", "0.4", "50", "0.3")))
    floor, coefficient, exponent = (value(part, {}) for part in law.with_gold_floor)
    above = []
    for power in (30, 33):
        c = MP.mpf(10) ** power
        direct = (
            MP.mpf("0.2") + 3 * (MP.mpf("0.4") + 50 * c ** MP.mpf("-0.3")) ** MP.mpf("1.7") - floor
        )
        above.append(direct)
    assert close(MP.log10(above[0] / above[1]) / 3, exponent, MP.mpf(10) ** -5)
    assert close(above[1] * (MP.mpf(10) ** 33) ** exponent, coefficient, MP.mpf(10) ** -5)
    bare = passk.GoldComposition(*(Rational(x) for x in ("0.2", "3", "1.7", "0", "50", "0.3")))
    e0, c0, alpha = (value(part, {}) for part in bare.without_gold_floor)
    c = MP.mpf(10) ** 5
    assert close(
        e0 + c0 * c**-alpha, MP.mpf("0.2") + 3 * (50 * c ** MP.mpf("-0.3")) ** MP.mpf("1.7")
    )


def test_inflection_by_root_finding():
    a, alpha = MP.mpf(2000), MP.mpf("0.18")
    curve = passk.AccuracyCurve(Integer(2000), Rational("0.18"))

    def accuracy(c):
        return MP.exp(-a * c**-alpha)

    linear = value(curve.compute_where(curve.compute_inflection), {})
    scaled = MP.findroot(lambda z: MP.diff(lambda w: accuracy(w * linear), z, 2), MP.mpf("1.1"))
    assert close(scaled, 1, MP.mpf(10) ** -8)
    assert close(accuracy(linear), MP.mpf("0.00142"), MP.mpf("0.00001"))


def test_allocation_across_k_by_minimisation():
    laws = [("406", "411", "0.34", "0.28"), ("900", "700", "0.30", "0.36")]
    compute = MP.mpf(10) ** 21

    def reducible(i, n):
        a, b, beta, gamma = map(MP.mpf, laws[i])
        return a * n**-beta + b * (compute / 6 / n) ** -gamma

    best = [
        MP.exp(MP.findroot(lambda x, i=i: MP.diff(lambda w: reducible(i, MP.exp(w)), x), 22))
        for i in range(2)
    ]
    pair = passk.cross_allocation()
    point = {sym.C: Integer(10) ** 21}
    for index, digits in enumerate(laws, start=1):
        for name, number in zip(("A", "B", "beta", "gamma"), digits, strict=True):
            point[Symbol(f"{name}_{index}", positive=True)] = Rational(number)
    assert close(value(pair.size_ratio, point), best[0] / best[1], MP.mpf(10) ** -12)
    assert close(
        value(pair.penalty, point), reducible(1, best[0]) / reducible(1, best[1]), MP.mpf(10) ** -12
    )


def test_turning_point_by_root_finding():
    first, second = (Rational(2985), Rational(3, 10)), (Rational(50000), Rational(7, 20))
    turn = value(passk.turning_compute(first, second), {})

    def difference(x):
        return 2985 * MP.exp(-MP.mpf("0.3") * x) - 50000 * MP.exp(-MP.mpf("0.35") * x)

    assert close(
        MP.exp(MP.findroot(lambda x: MP.diff(difference, x), MP.log(turn) + MP.mpf("0.1"))),
        turn,
        MP.mpf(10) ** -12,
    )


def test_local_exponent_by_differences():
    point = {
        sym.E: Rational(1, 2),
        sym.C0: Integer(900),
        sym.ALPHA: Rational(1, 5),
        sym.C: Integer(10) ** 12,
    }

    def log_value(x):
        return MP.log(MP.mpf("0.5") + 900 * MP.exp(-x / 5))

    assert close(
        value(passk.local_exponent(sym.E, sym.C0, sym.ALPHA), point),
        -MP.diff(log_value, MP.log(10**12)),
        MP.mpf(10) ** -15,
    )


@pytest.mark.parametrize("kappa", ["0.6", "1.7"])
def test_local_exponent_of_the_composition(kappa):
    law = passk.GoldComposition(*(Rational(x) for x in ("0.2", "3", kappa, "0.4", "50", "0.3")))
    limit = MP.mpf("0.2") + 3 * MP.mpf("0.4") ** MP.mpf(kappa)

    def reducible(x):
        return (
            MP.mpf("0.2")
            + 3 * (MP.mpf("0.4") + 50 * MP.exp(-MP.mpf("0.3") * x)) ** MP.mpf(kappa)
            - limit
        )

    for c in (10, 10**7, 10**12):
        at, x = {sym.C: Integer(c)}, MP.log(c)
        assert close(value(law.reducible, at), reducible(x))
        exact = -MP.diff(lambda z: MP.log(reducible(z)), x)
        assert close(value(law.local_exponent, at), exact, MP.mpf(10) ** -10)
        assert (
            min(MP.mpf("0.3"), MP.mpf(kappa) * MP.mpf("0.3"))
            < exact
            < max(MP.mpf("0.3"), MP.mpf(kappa) * MP.mpf("0.3"))
        )
