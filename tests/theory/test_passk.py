"""What the theorems of pass@k define, and the closed forms that numbers are computed from, against
counting, direct integration, root finding and minimisation with 40 digits.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import mpmath
import pytest
from sympy import Expr, Integer, Rational, Symbol, log
from sympy.core.function import AppliedUndef
from tests.theory.documents import derivation_of

from isoflop.theory import passk
from isoflop.theory import symbols as sym
from isoflop.theory.kernel.decide import decide
from isoflop.theory.kernel.factorials import Value
from isoflop.theory.kernel.functions import defined
from isoflop.theory.passk import DRAWS
from isoflop.theory.theorem.words import unfolded

DIGITS = 40
MP = mpmath.mp.clone()
MP.dps = DIGITS
CLOSE = (
    MP.mpf(10) ** -25
)  # integrals and numerical minima keep fewer digits than the 40 of the arithmetic


def symbols(names):
    return tuple(Symbol(name, positive=True) for name in names.split())


SAMPLES, CORRECT, SHAPE_A, SHAPE_B = symbols("n c a b")


def named(theorem, name, *arguments):
    """What a theorem defines a name as, at the arguments of a function."""
    known = derivation_of(theorem).definitions
    (found,) = (
        d.name
        for d in known
        if name == (d.name.func.__name__ if isinstance(d.name, AppliedUndef) else str(d.name))
    )
    return unfolded(found.func(*arguments) if arguments else found, known)


def side(theorem, step, which="rhs"):
    """A side of a step with every name written out."""
    (claim,) = (each for each in derivation_of(theorem).steps if each.name == step)
    return getattr(claim.unfolded, which)


def value(expression, point):
    """The number at a point; a Gamma value or factorial is computed from its name's argument."""
    plain = defined(expression)
    stand_ins = {s: _named(s.name, point) for s in plain.free_symbols if isinstance(s, Value)}
    return MP.mpf(str(plain.subs({**point, **stand_ins}).evalf(DIGITS)))


def _named(name, point):
    from sympy import sympify

    inside = name.removesuffix("!").strip("()")
    argument = sympify(inside, locals={s.name: s for s in point}).subs(point)
    return Rational(str(MP.factorial(MP.mpf(argument.p) / argument.q)))


def close(left, right, tolerance=CLOSE):
    return abs(left - right) <= tolerance * max(1, abs(right))


@pytest.mark.parametrize(("n", "c", "k"), [(6, 1, 1), (6, 2, 3), (7, 3, 4), (8, 4, 2)])
def test_estimator_counts_the_draws_without_success(n, c, k):
    correct = set(range(c))
    draws = list(combinations(range(n), k))
    counted = Fraction(sum(not correct & set(draw) for draw in draws), len(draws))
    point = {SAMPLES: Integer(n), CORRECT: Integer(c), DRAWS: Integer(k)}
    stated = MP.mpf(counted.numerator) / counted.denominator
    assert close(value(named("pass_at_k_stable_form", "f", DRAWS, CORRECT), point), stated)
    assert close(value(named("pass_at_k_estimator_is_unbiased", "f"), point), stated)
    factor = side("pass_at_k_stable_form", "one_more_draw")
    product = MP.mpf(1)
    for drawn in range(k):
        product *= value(factor, {**point, DRAWS: Integer(drawn)})
    assert close(product, stated)


@pytest.mark.parametrize(("n", "k1", "k2"), [(6, 3, 2), (8, 2, 4), (5, 4, 3), (4, 4, 4)])
def test_overlap_weights_give_the_covariance(n, k1, k2):
    j, m = symbols("j m")
    point = {SAMPLES: Integer(n), m: Integer(k1), DRAWS: Integer(k2)}
    lowest = max(0, k1 + k2 - n)
    weight_of = named("pass_at_k_estimator_variance", "w")
    weights = {
        i: value(weight_of, {**point, j: Integer(i)}) for i in range(lowest, min(k1, k2) + 1)
    }
    fixed = set(range(k1))
    draws = list(combinations(range(n), k2))
    for i, weight in weights.items():
        counted = sum(len(fixed & set(draw)) == i for draw in draws)
        assert close(weight, MP.mpf(counted) / len(draws))
    p = Fraction(3, 10)
    probability = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    first, second = ([Fraction(comb(n - c, x), comb(n, x)) for c in range(n + 1)] for x in (k1, k2))
    product = sum(w * a * b for w, a, b in zip(probability, first, second, strict=True))
    exact = product - (1 - p) ** (k1 + k2)
    q = MP.mpf(7) / 10
    formula = sum(weight * q ** (k1 + k2 - i) for i, weight in weights.items()) - q ** (k1 + k2)
    assert close(formula, MP.mpf(exact.numerator) / exact.denominator)


@pytest.mark.parametrize("fail", ["1e-30", "0.1", "0.5", "0.999"])
def test_both_forms_of_neg_log_pass(fail):
    exact = -MP.log(1 - MP.mpf(fail))
    log_fail = Rational(str(MP.log(MP.mpf(fail))))
    for step in ("near_zero", "near_one"):
        form = side("pass_at_k_stable_form", step, "lhs")
        assert close(value(form, {symbols("t")[0]: -log_fail}), exact)


MIXTURE = "pass_at_k_of_beta_problems"
BETA = {SHAPE_A: Rational(3, 4), SHAPE_B: Rational(9, 4)}


def _fail_of_beta(k):
    a, b = MP.mpf(3) / 4, MP.mpf(9) / 4
    # p = t^4 takes the singularity at 0 away
    integral = MP.quad(
        lambda t: 4 * t**3 * t ** (4 * (a - 1)) * (1 - t**4) ** (b - 1 + k),
        [0, MP.mpf(1) / 4, MP.mpf(1) / 2, 1],
    )
    return integral / MP.beta(a, b)


def test_beta_mixture_by_integration():
    for k in (1, 2, 7):
        assert close(
            value(named(MIXTURE, "M", DRAWS), {**BETA, DRAWS: Integer(k)}),
            _fail_of_beta(k),
            MP.mpf(10) ** -12,
        )
    share = value(named(MIXTURE, "S", DRAWS), {**BETA, DRAWS: Integer(3)})
    assert close(1 - share, _fail_of_beta(4) / _fail_of_beta(3), MP.mpf(10) ** -12)
    variance = value(side(MIXTURE, "two_draws"), BETA)
    assert close(variance, _fail_of_beta(2) - _fail_of_beta(1) ** 2, MP.mpf(10) ** -12)


def test_power_tail_of_a_density():
    c, b = symbols("c b")
    k = 10**6
    # density (1/2) x^(-1/2) on [0, 1], with x = t^2
    fail = MP.quad(
        lambda t: (1 - t**2) ** k, [0, MP.mpf(1) / 2000, MP.mpf(1) / 500, MP.mpf(1) / 50]
    )
    predicted = value(
        side("pass_at_k_tail_theorem", "karamata"),
        {c: Rational(1, 2), b: Rational(1, 2), DRAWS: Integer(k)},
    )
    assert close(fail / predicted, 1, MP.mpf(10) ** -5)


def test_floors():
    share, floor, m = symbols("w F m")
    unsolvable = named("pass_at_k_floor_of_unsolvable_problems", "F")
    quarter = value(unsolvable, {share: Rational(1, 4)})
    with_atom = MP.mpf(1) / 4 + MP.mpf(3) / 4 * MP.mpf("0.9") ** 2000
    assert close(quarter, -MP.log(1 - with_atom), MP.mpf(10) ** -20)
    p = MP.mpf(1) / 10
    at_five, at_twenty = (-MP.log(1 - (1 - p) ** k) for k in (5, 20))
    across = named("irreducible_floor_across_k", "f", floor, m)
    assert close(value(across, {floor: Rational(str(at_five)), m: Integer(4)}), at_twenty)


def test_crossing_by_root_finding():
    first = (Rational(2985), Rational(3, 10))
    second = (Rational(50000), Rational(7, 20))
    root = MP.findroot(
        lambda x: MP.log(2985) - MP.mpf(3) / 10 * x - MP.log(50000) + MP.mpf(7) / 20 * x, 50
    )
    letters = dict(
        zip(symbols("c_1 alpha_1 c_2 u"), (*first, second[0], Rational(1, 20)), strict=True)
    )
    assert close(value(named("crossing_of_two_k", "C_x"), letters), MP.exp(root))
    assert close(
        value(named("crossing_of_two_k", "C_t"), letters),
        value(passk.turning_compute(first, second), {}),
    )


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
    stated = side("bilinear_law_crosses_once", "common_crossing")
    letters = [Symbol("A", positive=True), *(Symbol(name, real=True) for name in "abc")]
    printed = dict(zip(letters, (Rational("6884"), *digits), strict=True))
    assert all(close(MP.exp(y), value(stated, printed)) for y in at)
    big = {sym.C: Integer(6) * 10**21, DRAWS: Integer(10)}
    slope = value(side("bilinear_law_crosses_once", "slope", "lhs"), {**printed, **big})
    assert close(-slope, MP.mpf("0.199"), MP.mpf("0.001"))
    doubled = value(law.value, {**big, sym.C: 2 * big[sym.C]}) / value(law.value, big)
    assert close(value(law.compute_exponent, big), -MP.log(doubled) / MP.log(2))


def test_inflection_by_root_finding():
    a, alpha = MP.mpf(2000), MP.mpf("0.18")
    level = named("accuracy_inflection", "w")
    letters = dict(zip(symbols("A a"), (Integer(2000), Rational("0.18")), strict=True))

    def accuracy(c):
        return MP.exp(-a * c**-alpha)

    linear = value(named("accuracy_inflection", "c", level), letters)
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
    stated = value(named("allocation_across_k", "P_2", pair.size_ratio), point)
    assert close(stated, reducible(1, best[0]) / reducible(1, best[1]), MP.mpf(10) ** -12)


def test_train_against_sample_by_minimisation():
    numbers = ("40", "0.3", "0.4", "0.01", "2", "0.5")
    c0, d, b, target, price, growth = map(MP.mpf, numbers)
    letters = dict(zip(symbols("c q F u g h"), map(Rational, (*numbers[:1], *numbers[2:], "0.25")), strict=True))  # fmt: skip
    problem = "train_longer_or_sample_more"

    def draws(c):
        return (c0 * c**-d / target) ** (1 / b)

    def cost(x):
        c = MP.exp(x)
        return c + price * c**growth * draws(c)

    best = MP.exp(MP.findroot(lambda x: MP.diff(cost, x), 15))
    assert close(value(named(problem, "C_x"), letters), best, MP.mpf(10) ** -12)
    share = value(side(problem, "constant_share"), letters)
    assert close(share, (cost(MP.log(best)) - best) / best, MP.mpf(10) ** -12)
    at_best = {**letters, sym.C: Rational(str(best))}
    assert close(value(named(problem, "K", sym.C), at_best), draws(best))
    fail = named(problem, "f", sym.C, DRAWS)
    assert close(value(fail, {**at_best, DRAWS: Rational(str(draws(best)))}), target)


def test_numbers_are_computed_from_what_the_theorems_prove():
    a, b, c = (Symbol(name, real=True) for name in "abc")
    bilinear = passk.BilinearForm(sym.A, a, b, c)
    laws = tuple(zip(symbols("c_1 c_2"), symbols("alpha_1 alpha_2"), strict=True))
    (u,) = symbols("u")
    proved: list[tuple[Expr, Expr]] = [
        (bilinear.value, named("bilinear_law_crosses_once", "y", sym.C, DRAWS)),
        (bilinear.crossing, named("bilinear_law_crosses_once", "C_x")),
        (
            -bilinear.compute_exponent,
            (sym.C * log(named("bilinear_law_crosses_once", "y", sym.C, DRAWS)).diff(sym.C)),
        ),
        (
            passk.turning_compute(*laws).subs(laws[1][1], laws[0][1] + u),
            named("crossing_of_two_k", "C_t"),
        ),
    ]
    for formula, stated in proved:
        assert decide(defined(formula), stated).proved, (formula, stated)
