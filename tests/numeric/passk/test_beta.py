"""Beta success rates against 50-digit Gamma functions, exact rationals, numerical integration and
simulation.
"""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from isoflop.numeric.passk import beta
from isoflop.numeric.passk.gamma_differences import first, rise, second

#: What is asked of pass@k and -log pass@k; what is reached is about 1e-14.
ACCURACY = 1e-11
#: Differences of log Gamma and its derivatives: Stirling's series is cut below this, and terms
#: cancel by small factors only.
DIFFERENCE = 3e-14


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(60):
        yield


def exact_log_fail(a, b, k):
    a, b, k = mp.mpf(float(a)), mp.mpf(float(b)), mp.mpf(float(k))
    return mp.loggamma(a + b) + mp.loggamma(b + k) - mp.loggamma(b) - mp.loggamma(a + b + k)


def wide_cases(count, seed):
    random = np.random.default_rng(seed)
    a = 10 ** random.uniform(-6, 3, count)
    b = 10 ** random.uniform(-3, 9, count)
    k = np.where(
        random.random(count) < 0.5,
        np.floor(10 ** random.uniform(0, 6, count)),
        10 ** random.uniform(0, 6, count),
    )
    return a, b, k


def test_pass_at_k_keeps_its_digits_for_all_sizes():
    corners = np.array(
        [[a, b, k] for a in (1e-6, 1.0, 1e3) for b in (1e-3, 1.0, 1e9) for k in (1.0, 1.5, 1e6)]
    ).T
    a, b, k = (np.concatenate(both) for both in zip(wide_cases(1500, 1), corners, strict=True))
    found_pass, found_neg_log = beta.beta_pass(a, b, k), beta.beta_neg_log_pass(a, b, k)
    smallest = 1.0
    for i in range(len(a)):
        log_fail = exact_log_fail(a[i], b[i], k[i])
        truth = -mp.expm1(log_fail)
        smallest = min(smallest, float(truth))
        assert abs(mp.mpf(float(found_pass[i])) / truth - 1) < ACCURACY, (a[i], b[i], k[i])
        neg_log = -mp.log(truth) if truth < 0.5 else -mp.log1p(-mp.exp(log_fail))
        if neg_log > 1e-300:
            assert abs(mp.mpf(float(found_neg_log[i])) / neg_log - 1) < ACCURACY, (a[i], b[i], k[i])
    assert smallest < 2e-15  # pass -> 0 was among the cases


def test_fail_at_k_is_the_product_of_ratios():
    for a, b, k in [
        (Fraction(1, 3), Fraction(5, 2), 7),
        (Fraction(1, 1000), Fraction(10**6), 40),
        (Fraction(9), Fraction(1, 8), 25),
    ]:
        fail = math.prod(((b + i) / (a + b + i) for i in range(k)), start=Fraction(1))
        found = beta.beta_pass(float(a), float(b), k)
        assert float(found) == pytest.approx(float(1 - fail), rel=1e-13)


def test_an_atom_is_a_floor():
    k = np.array([1.0, 10.0, 1e12])
    assert beta.beta_pass(2.0, 3.0, k, 0.25) == pytest.approx(
        0.75 * beta.beta_pass(2.0, 3.0, k), rel=1e-15
    )
    assert beta.beta_neg_log_pass(2.0, 3.0, 1e12, 0.25) == pytest.approx(-math.log(0.75), rel=1e-12)


@pytest.mark.parametrize("order", range(3))
def test_second_differences(order):
    random = np.random.default_rng(2)
    x, s, t = (
        10 ** random.uniform(-6, 9, 400),
        10 ** random.uniform(-6, 9, 400),
        10 ** random.uniform(-3, 6, 400),
    )
    found = second(x, s, t)[order]
    f = mp.loggamma if order == 0 else (lambda z: mp.psi(order - 1, z))
    for i in range(len(x)):
        at, by, to = mp.mpf(float(x[i])), mp.mpf(float(s[i])), mp.mpf(float(t[i]))
        truth = f(at + by + to) - f(at + by) - f(at + to) + f(at)
        assert abs(mp.mpf(float(found[i])) / truth - 1) < DIFFERENCE, (x[i], s[i], t[i])


@pytest.mark.parametrize("order", range(2))
def test_first_differences(order):
    random = np.random.default_rng(3)
    x, t = 10 ** random.uniform(-6, 9, 400), 10 ** random.uniform(-3, 6, 400)
    found = first(x, t)[order]
    for i in range(len(x)):
        at, to = mp.mpf(float(x[i])), mp.mpf(float(t[i]))
        truth = mp.psi(order, at + to) - mp.psi(order, at)
        assert abs(mp.mpf(float(found[i])) / truth - 1) < DIFFERENCE, (x[i], t[i])


def test_log_rising():
    random = np.random.default_rng(4)
    x, m = 10 ** random.uniform(-6, 30, 300), np.floor(10 ** random.uniform(0, 6, 300))
    found = rise(x, m)
    with mp.workdps(90):
        for i in range(len(x)):
            at, by = mp.mpf(float(x[i])), mp.mpf(float(m[i]))
            error = abs(mp.mpf(float(found[i])) - (mp.loggamma(at + by) - mp.loggamma(at)))
            assert error < 1e-14 * (1 + by * (abs(mp.log(at + by)) + 1)) + 1e-14 * abs(
                mp.log(at)
            ), (x[i], m[i])
    assert beta.log_rising(0.5, 0).item() == 0.0


def log_likelihood(n, c, a, b, atom=0.0):
    rows = beta.log_likelihood_expansion(*(np.array([float(x)]) for x in (n, c, a, b)))
    if atom:
        rows = beta.with_atom(rows, np.array([c == 0]), math.log(atom / (1.0 - atom)))
    return float(rows.value[0])


def test_likelihood_is_the_mean_of_the_binomial_one():
    """Against numerical integration over p, the atom included."""
    for n, c, a, b, atom in [
        (10, 0, 0.3, 4.0, 0.0),
        (10, 3, 0.3, 4.0, 0.2),
        (128, 0, 0.8, 90.0, 0.3),
        (60, 60, 2.0, 0.5, 0.1),
    ]:

        def density(p, up=a - 1 + c, down=b - 1 + n - c):
            return p**up * (1 - p) ** down

        mean = mp.quad(density, [0, mp.mpf("1e-6"), 0.01, 0.5, 0.99, 1]) / mp.beta(a, b)
        truth = mp.log((atom if c == 0 else 0) + (1 - mp.mpf(atom)) * mean)
        assert log_likelihood(n, c, a, b, atom) == pytest.approx(float(truth), rel=1e-9)


def test_likelihood_where_log_gammas_cancel():
    for n, c, a, b in [
        (128, 0, 1e-6, 1e9),
        (10**6, 3, 1e-3, 1e9),
        (10**6, 10**6, 1e7, 1e-4),
        (100, 1, 1e7, 1e9),
    ]:
        m = n - c
        parts = [
            (1, a + c),
            (-1, a),
            (1, b + m),
            (-1, b),
            (-1, mp.mpf(a) + b + n),
            (1, mp.mpf(a) + b),
        ]
        truth = sum(sign * mp.loggamma(mp.mpf(x)) for sign, x in parts)
        assert log_likelihood(n, c, a, b) == pytest.approx(float(truth), rel=1e-13)


ROWS = [
    (128, 0, -1.0, 9.0),
    (100096, 3, -3.0, 12.0),
    (10112, 10112, 3.0, -2.0),
    (50, 20, 1.0, 2.0),
    (10, 4, 12.0, 14.0),
]


@pytest.mark.parametrize(("n", "c", "log_a", "log_b"), ROWS)
@pytest.mark.parametrize("logit", [None, -1.3, 2.0])
def test_derivatives_of_the_likelihood(n, c, log_a, log_b, logit):
    """Against 60-digit numerical differentiation in (log a, log b, logit pi0)."""

    def value(x, y, z=None):
        a, b = mp.exp(x), mp.exp(y)
        gammas = [(1, a + c), (-1, a), (1, b + n - c), (-1, b), (-1, a + b + n), (1, a + b)]
        mean = mp.exp(sum(sign * mp.loggamma(part) for sign, part in gammas))
        share = 0 if z is None else 1 / (1 + mp.exp(-z))
        return mp.log((share if c == 0 else 0) + (1 - share) * mean)

    a, b = math.exp(log_a), math.exp(log_b)
    where = (mp.log(mp.mpf(a)), mp.log(mp.mpf(b)), *(() if logit is None else (mp.mpf(logit),)))
    rows = beta.log_likelihood_expansion(*(np.array([float(x)]) for x in (n, c, a, b)))
    if logit is not None:
        rows = beta.with_atom(rows, np.array([c == 0]), logit)
    size = len(where)
    assert rows.value[0] == pytest.approx(float(value(*where)), rel=1e-12)
    for i in range(size):
        order = [int(j == i) for j in range(size)]
        assert rows.gradient[i, 0] == pytest.approx(
            float(mp.diff(value, where, order)), rel=1e-9, abs=1e-12
        )
        for j in range(size):
            both = [order[m] + int(m == j) for m in range(size)]
            assert rows.hessian[i, j, 0] == pytest.approx(
                float(mp.diff(value, where, both)), rel=1e-9, abs=1e-12
            )
