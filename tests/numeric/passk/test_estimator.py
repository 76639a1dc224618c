"""The estimator against exact rationals and 120 digits, its covariance against all outcomes of
small samples.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, inf
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.passk import (
    covariance,
    estimated_covariance,
    log_fail,
    neg_log_pass_at_k,
    pass_at_k,
)

CLOSE = 2e-15
mp = mpmath.mp.clone()
mp.dps = 120


def exact_fail(n: int, c: int, k: int) -> Fraction:
    return Fraction(comb(n - c, k), comb(n, k))


def high_precision(n: int, c: int, k: int) -> tuple[Any, Any, Any]:
    """log fail@k, pass@k and -log pass@k from log Gamma with 120 digits."""
    s = (
        mp.loggamma(n - c + 1)
        + mp.loggamma(n - k + 1)
        - mp.loggamma(n + 1)
        - mp.loggamma(n - c - k + 1)
    )
    return s, -mp.expm1(s), -mp.log1p(-mp.exp(s))


def relative(found: float, expected: Any) -> float:
    return float(abs(mp.mpf(found) - expected) / abs(expected))


def assert_close(found: tuple[float, float, float], expected: tuple[Any, Any, Any]) -> None:
    """log fail@k, pass@k and -log pass@k; the last, where it is fail@k = e^s, has the absolute
    error of s.
    """
    for value, exact, tolerance in zip(
        found, expected, (CLOSE, CLOSE, CLOSE * max(1, -expected[0])), strict=True
    ):
        if abs(exact) > 1e-305:
            assert relative(value, exact) < tolerance


# -- the estimator ---------------------------------------------------------------------------------


def test_every_small_case_is_the_rational_number() -> None:
    triples = [(n, c, k) for n in range(1, 26) for c in range(n + 1) for k in range(1, n + 1)]
    columns = np.array(triples).T
    for triple, *found in zip(
        triples,
        *(function(*columns) for function in (log_fail, pass_at_k, neg_log_pass_at_k)),
        strict=True,
    ):
        fail = exact_fail(*triple)
        assert found[1] == pytest.approx(float(1 - fail), rel=CLOSE, abs=0)
        if 0 < fail < 1:
            exact = mp.mpf(fail.numerator) / fail.denominator
            assert_close(tuple(found), (mp.log(exact), 1 - exact, -mp.log(1 - exact)))


def test_ends_are_exact() -> None:
    assert (pass_at_k(10, 0, 5), neg_log_pass_at_k(10, 0, 5), log_fail(10, 0, 5)) == (0.0, inf, 0.0)
    assert (pass_at_k(10, 6, 5), neg_log_pass_at_k(10, 6, 5), log_fail(10, 6, 5)) == (
        1.0,
        0.0,
        -inf,
    )
    assert (pass_at_k(7, 7, 1), pass_at_k(1, 1, 1), pass_at_k(1, 0, 1)) == (1.0, 1.0, 0.0)
    assert (
        np.signbit([pass_at_k(10, 0, 5), neg_log_pass_at_k(10, 6, 5), log_fail(10, 0, 5)]).tolist()
        == [False] * 3
    )


def extremes() -> Iterator[tuple[int, int, int]]:
    yield from (
        (10**6, 1, 1),
        (10**6, 1, 999_999),
        (10**6, 2, 3),
        (10**6, 500_000, 500_000),
        (10**6, 999_999, 1),
    )
    yield from (
        (10**6, 345, 860_000),
        (10**6, 500, 749_000),
        (3_700_000, 1, 1),
        (10**8, 1, 1),
        (10**9, 1, 1),
        (10**9, 5, 10**8),
    )
    yield from ((64, 1, 1), (65, 1, 63), (126, 63, 62), (127, 64, 63), (128, 64, 64), (2, 1, 1))


@pytest.mark.parametrize(("n", "c", "k"), list(extremes()))
def test_extremes_to_full_precision(n: int, c: int, k: int) -> None:
    found = (log_fail(n, c, k), pass_at_k(n, c, k), neg_log_pass_at_k(n, c, k))
    assert_close(found, high_precision(n, c, k))


@given(st.data())
def test_anything_up_to_a_million_samples(data: Any) -> None:
    n = data.draw(st.integers(2, 10**6))
    c = data.draw(st.integers(1, n - 1))
    k = data.draw(st.integers(1, n - c))
    assert_close(
        (log_fail(n, c, k), pass_at_k(n, c, k), neg_log_pass_at_k(n, c, k)), high_precision(n, c, k)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 3, 0), r"k=0: must be a whole number of at least 1"),
        ((10, 3, 11), r"k=11: must be at most n=10"),
        ((10, 11, 1), r"c=11: must be at most n=10"),
        ((10, -1, 1), r"c=-1: must be"),
        ((0, 0, 1), r"n=0: must be"),
        ((10.5, 3, 1), r"n=10.5: must be"),
        ((10, float("nan"), 1), r"c=nan: must be"),
        (([4, 5], [1, 2, 3], 1), r"c and n: shapes \(3,\) and \(2,\) must broadcast"),
        (("10", 3, 1), r"n='10': must be"),
        ((True, 0, 1), r"n=True: must be"),
    ],
)
def test_domain(arguments: Any, message: str) -> None:
    for function in (pass_at_k, neg_log_pass_at_k, log_fail):
        with pytest.raises(ValueError, match=message) as error:
            function(*arguments)
        assert "\n" not in str(error.value)


# -- covariance ------------------------------------------------------------------------------------


def outcomes(n: int, p: Fraction) -> Iterator[tuple[int, Fraction]]:
    """Every c with its probability."""
    return ((c, comb(n, c) * p**c * (1 - p) ** (n - c)) for c in range(n + 1))


def exact_covariance(n: int, p: Fraction, k1: int, k2: int) -> Fraction:
    """By going through all c: the mean of the product less the product of the means."""
    both = [(chance, exact_fail(n, c, k1), exact_fail(n, c, k2)) for c, chance in outcomes(n, p)]
    first, second = (sum(chance * pair[which] for chance, *pair in both) for which in (0, 1))
    return sum((chance * a * b for chance, a, b in both), Fraction(0)) - first * second


@pytest.mark.parametrize(
    "p", [Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), Fraction(99, 100)]
)
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_covariance_of_all_outcomes(n: int, p: Fraction) -> None:
    for k1, k2 in product(range(1, n + 1), repeat=2):
        expected = float(exact_covariance(n, p, k1, k2))
        assert covariance(n, float(p), k1, k2) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_estimated_covariance_is_unbiased(n: int) -> None:
    """For every p: its mean over all outcomes is the exact covariance."""
    p = Fraction(2, 7)
    for k1, k2 in product(range(1, n), repeat=2):
        if k1 + k2 <= n:
            chances = np.array([float(chance) for _, chance in outcomes(n, p)])
            mean = chances @ estimated_covariance(n, np.arange(n + 1), k1, k2)
            assert mean == pytest.approx(float(exact_covariance(n, p, k1, k2)), rel=1e-12)


def test_estimated_covariance_is_the_rational_number() -> None:
    n = 15
    cases = [(c, k1, k2) for c in range(n + 1) for k1 in range(1, n) for k2 in range(1, n - k1 + 1)]
    for (c, k1, k2), found in zip(cases, estimated_covariance(n, *np.array(cases).T), strict=True):
        exact = exact_fail(n, c, k1) * exact_fail(n, c, k2) - exact_fail(n, c, k1 + k2)
        assert found == pytest.approx(float(exact), rel=1e-14, abs=0)
        assert exact >= 0


def test_covariances_of_a_million_samples() -> None:
    """k = 1 has the variance p (1 - p)/n, estimated by p (1 - p)/(n - 1) at p = c/n; nothing
    cancels or overflows.
    """
    n, p = 10**6, 1e-6
    assert covariance(n, p, 1, 1) == pytest.approx(p * (1 - p) / n, rel=1e-12)
    assert estimated_covariance(n, 1, 1, 1) == pytest.approx(p * (1 - p) / (n - 1), rel=1e-14)
    # all samples at once: fail@n is 1 where none is correct, else 0
    q = float(mp.exp(n * mp.log1p(mp.mpf(-p))))
    assert covariance(n, p, n, n) == pytest.approx(q * (1 - q), rel=1e-10)
    # one sample and all samples: E[f1 fn] = q^n
    assert covariance(n, p, 1, n) == pytest.approx(q * p, rel=1e-10)
    assert 0 < covariance(n, 0.002, 400, 300_000) < 1e-200
    assert 0 < estimated_covariance(n, 500, 400_000, 500_000) < 1e-100


def test_variance_against_a_sum_in_high_precision() -> None:
    n, k1, k2 = 3000, 800, 1500
    for p in (1e-5, 1e-3, 0.02):
        q = 1 - mp.mpf(p)
        weights = [
            mp.binomial(k1, j) * mp.binomial(n - k1, k2 - j) / mp.binomial(n, k2)
            for j in range(k1 + 1)
        ]
        expected = mp.fsum(w * q ** (k1 + k2 - j) for j, w in enumerate(weights)) - q ** (k1 + k2)
        assert relative(covariance(n, p, k1, k2), expected) < 1e-12


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (covariance, (10, 1.5, 1, 1), "p=1.5: must be a number from 0 to 1"),
        (covariance, (10, 0.5, 11, 1), "k1=11: must be at most n=10"),
        (covariance, (10, 0.5, 1, 0), "k2=0: must be"),
        (estimated_covariance, (10, 3, 6, 5), r"k1 \+ k2=11: must be at most n=10"),
        (estimated_covariance, (10, 3, 0, 5), "k1=0: must be"),
        (estimated_covariance, (10, 11, 1, 1), "c=11: must be at most n=10"),
    ],
)
def test_domain_of_covariances(function: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(*arguments)
