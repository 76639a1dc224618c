"""Beta success rates against Gamma functions of 60 digits and exact rationals."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from isoflop.numeric.passk import beta

ACCURACY = 1e-11


@pytest.fixture(autouse=True)
def sixty_digits():
    with mp.workdps(60):
        yield


def test_pass_at_k_keeps_its_digits_for_all_sizes():
    random = np.random.default_rng(1)
    corners = np.array(
        [[a, b, k] for a in (1e-6, 1.0, 1e3) for b in (1e-3, 1.0, 1e9) for k in (1.0, 1.5, 1e6)]
    ).T
    wide = 10 ** random.uniform((-6, -3, 0), (3, 9, 6), (600, 3)).T
    wide[2, ::2] = np.floor(wide[2, ::2])
    a, b, k = np.concatenate([wide, corners], axis=1)
    found_pass, found_neg_log = beta.beta_pass(a, b, k), beta.beta_neg_log_pass(a, b, k)
    for i in range(len(a)):
        x, y, z = (mp.mpf(float(value)) for value in (a[i], b[i], k[i]))
        log_fail = mp.loggamma(x + y) + mp.loggamma(y + z) - mp.loggamma(y) - mp.loggamma(x + y + z)
        truth = -mp.expm1(log_fail)
        assert abs(mp.mpf(float(found_pass[i])) / truth - 1) < ACCURACY, (a[i], b[i], k[i])
        neg_log = -mp.log(truth) if truth < 0.5 else -mp.log1p(-mp.exp(log_fail))
        if neg_log > 1e-300:
            assert abs(mp.mpf(float(found_neg_log[i])) / neg_log - 1) < ACCURACY, (a[i], b[i], k[i])
    assert found_pass.min() < 2e-15


def test_fail_at_k_is_the_product_of_ratios():
    for a, b, k in [
        (Fraction(1, 3), Fraction(5, 2), 7),
        (Fraction(1, 1000), Fraction(10**6), 40),
        (Fraction(9), Fraction(1, 8), 25),
    ]:
        fail = math.prod(((b + i) / (a + b + i) for i in range(k)), start=Fraction(1))
        found = beta.beta_pass(float(a), float(b), k)
        assert float(found) == pytest.approx(float(1 - fail), rel=1e-12)


def test_an_atom_is_a_floor():
    assert beta.beta_neg_log_pass(2.0, 3.0, 1e12, 0.25) == pytest.approx(-math.log(0.75), rel=1e-12)


def test_log_rising():
    random = np.random.default_rng(4)
    x, m = 10 ** random.uniform(-6, 30, 300), np.floor(10 ** random.uniform(0, 6.6, 300))
    found = beta.log_rising(x, m)
    with mp.workdps(90):
        for i in range(len(x)):
            at, by = mp.mpf(float(x[i])), mp.mpf(float(m[i]))
            error = abs(mp.mpf(float(found[i])) - (mp.loggamma(at + by) - mp.loggamma(at)))
            size = by * (abs(mp.log(at + by)) + 1) + abs(mp.log(at)) + 1
            assert error < 1e-14 * size, (x[i], m[i])
