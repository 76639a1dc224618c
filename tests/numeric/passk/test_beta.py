"""Beta success rates against 50-digit Gamma functions and exact rationals."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from isoflop.numeric.passk import beta
from isoflop.numeric.passk.gamma_differences import rise, second

#: What is asked of pass@k and -log pass@k; what is reached is about 1e-14.
ACCURACY = 1e-11
#: Differences of log Gamma: Stirling's series is cut below this, and terms
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


def test_second_differences():
    random = np.random.default_rng(2)
    x, s, t = (
        10 ** random.uniform(-6, 9, 400),
        10 ** random.uniform(-6, 9, 400),
        10 ** random.uniform(-3, 6, 400),
    )
    found, f = second(x, s, t), mp.loggamma
    for i in range(len(x)):
        at, by, to = mp.mpf(float(x[i])), mp.mpf(float(s[i])), mp.mpf(float(t[i]))
        truth = f(at + by + to) - f(at + by) - f(at + to) + f(at)
        assert abs(mp.mpf(float(found[i])) / truth - 1) < DIFFERENCE, (x[i], s[i], t[i])


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
