"""The estimator against exact rationals and 120 digits, its covariance against all outcomes."""

from fractions import Fraction
from math import comb, inf

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.passk import estimated_covariance, log_fail, pass_at_k
from isoflop.numeric.passk.likelihood import neg_log_pass

CLOSE, MILLION = 2e-15, 10**6
mp = mpmath.mp.clone()
mp.dps = 120


def exact_fail(n, c, k):
    return Fraction(comb(n - c, k), comb(n, k))


def assert_close(n: int, c: int, k: int, found):
    """log fail@k, pass@k and -log pass@k against log Gamma; the last, where it is fail@k = e^s, has
    the absolute error of s.
    """
    s = mp.loggamma(n - c + 1) + mp.loggamma(n - k + 1) - mp.loggamma(n + 1)
    s -= mp.loggamma(n - c - k + 1)
    exact = s, -mp.expm1(s), -mp.log1p(-mp.exp(s))
    for value, true, tolerance in zip(found, exact, (1, 1, max(1, -s)), strict=True):
        if abs(true) > 1e-305:
            assert abs(mp.mpf(float(value)) / true - 1) < CLOSE * tolerance


def estimates(n, c, k):
    s = log_fail(n, c, k)
    return s, pass_at_k(n, c, k), neg_log_pass(s)


def test_every_small_case_is_the_rational_number():
    triples = [(n, c, k) for n in range(1, 20) for c in range(n + 1) for k in range(1, n + 1)]
    for (n, c, k), *found in zip(triples, *estimates(*np.array(triples).T), strict=True):
        fail = exact_fail(n, c, k)
        assert found[1] == pytest.approx(float(1 - fail), rel=CLOSE, abs=0)
        if 0 < fail < 1:
            assert_close(n, c, k, found)
    assert estimates(10, 0, 5) == (0.0, 0.0, inf)
    assert estimates(10, 6, 5) == (-inf, 1.0, 0.0)
    assert not np.signbit([pass_at_k(10, 0, 5), log_fail(10, 0, 5)]).any()


@given(st.data())
def test_anything_to_full_precision(data):
    n = data.draw(st.one_of(st.integers(2, 200), st.integers(2, MILLION), st.integers(2, 10**9)))
    c = data.draw(st.integers(1, n - 1))
    k = data.draw(st.integers(1, min(n - c, MILLION)))
    assert_close(n, c, k, estimates(n, c, k))


def test_the_covariance_is_the_rational_number():
    n = 15
    cases = [(c, k1, k2) for c in range(n + 1) for k1 in range(1, n) for k2 in range(1, n - k1 + 1)]
    for (c, k1, k2), found in zip(cases, estimated_covariance(n, *np.array(cases).T), strict=True):
        exact = exact_fail(n, c, k1) * exact_fail(n, c, k2) - exact_fail(n, c, k1 + k2)
        assert found == pytest.approx(float(exact), rel=1e-13, abs=0)


@given(st.data())
def test_the_covariance_of_anything_up_to_a_million_samples(data):
    """Against log Gamma at 120 digits; where fail@k1 fail@k2 = e^-x the exponent rounds to x eps."""
    n = data.draw(st.integers(4, MILLION))
    k1 = data.draw(st.integers(1, n // 2))
    k2 = data.draw(st.integers(1, n // 2))
    c = data.draw(st.integers(1, n - max(k1, k2)))

    def log_fail_at(k):
        ends = mp.loggamma(n - c + 1) + mp.loggamma(n - k + 1) - mp.loggamma(n + 1)
        return ends - mp.loggamma(n - c - k + 1) if c + k <= n else -mp.inf

    x = log_fail_at(k1) + log_fail_at(k2)
    exact, found = mp.exp(x) - mp.exp(log_fail_at(k1 + k2)), estimated_covariance(n, c, k1, k2)
    if exact > 1e-300:
        assert abs(mp.mpf(float(found)) / exact - 1) < 1e-14 + 4e-16 * abs(x)
    else:
        assert 0.0 <= found < 1e-299


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 3, 0), "k=0: must be a whole number of at least 1"),
        ((10, 3, 11), "k=11: must be at most n=10"),
        ((10, 11, 1), "c=11: must be at most n=10"),
        ((10, -1, 1), "c=-1: must be"),
        ((10.5, 3, 1), "n=10.5: must be"),
        ((10, float("nan"), 1), "c=nan: must be"),
        ((True, 0, 1), "n=True: must be"),
        ((10, 3, 6, 5), r"k1 \+ k2=11: must be at most n=10"),
    ],
)
def test_domain(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        (pass_at_k if len(arguments) == 3 else estimated_covariance)(*arguments)
