"""The limit of -log pass@k of a model without a success, against direct search and simulation."""

import numpy as np
import pytest

from isoflop.numeric.passk.unsolved import least_neg_log

LEVEL = 0.9


@pytest.mark.parametrize(
    ("n", "problems", "k"), [(128, 100, 1), (128, 100, 1000), (1, 3, 7), (10_000, 9, 50)]
)
def test_equal_samples(n, problems, k):
    """A single rate p for all problems, with (1 - p)^(n P) = 1 - level."""
    wanted = -np.log(-np.expm1(k * np.log(1.0 - LEVEL) / (n * problems)))
    assert least_neg_log([n] * problems, k, level=LEVEL) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("k", [1, 5, 40, 1000])
def test_direct_search(k):
    """Of all rates that leave a chance of 1 - level of no success, none has a greater pass@k."""
    from scipy.optimize import minimize

    n = np.array([3.0, 8.0, 8.0, 40.0, 700.0])
    budget = -np.log(1.0 - LEVEL)

    def fail(x):
        return float(np.mean(np.exp(-k * x)))

    best = min(
        minimize(
            fail,
            start / (start @ n) * budget,
            jac=lambda x: -k * np.exp(-k * x) / len(n),
            bounds=[(0.0, None)] * len(n),
            constraints={"type": "ineq", "fun": lambda x: budget - x @ n, "jac": lambda x: -n},
            options={"ftol": 1e-14, "maxiter": 500},
        ).fun
        for start in (1.0 / n, np.ones(5), np.array([1.0, 1e-3, 1e-3, 1e-3, 1e-3]))
    )
    found = np.exp(-least_neg_log(n, k, level=LEVEL))
    assert found == pytest.approx(1.0 - best, rel=1e-5)


def test_no_rates_are_excluded_too_often():
    """Whatever the rates, of models whose -log pass@k lies below the limit at most a share of 1 -
    level has no success.
    """
    random = np.random.default_rng(1)
    n, k = np.array([4, 4, 16, 64]), 10
    limit = least_neg_log(n, k, level=LEVEL)
    rates = random.beta(0.3, 3.0, size=(4000, 4))
    below = -np.log(np.mean(1.0 - (1.0 - rates) ** k, axis=1)) < limit
    assert below.sum() > 500
    none = np.prod((1.0 - rates[below]) ** n, axis=1)
    assert none.max() <= (1.0 - LEVEL) * (1.0 + 1e-9)


def test_more_samples_more_draws():
    limits = [least_neg_log([m] * 20, 100) for m in (10, 100, 1000)]
    assert limits == sorted(limits)
    limits = [least_neg_log([100] * 20, k) for k in (1, 10, 100)]
    assert limits == sorted(limits, reverse=True)


@pytest.mark.parametrize("n", [[], [0], [1.5], [[1]], [np.nan]])
def test_samples_outside(n):
    with pytest.raises(ValueError, match=r"^n="):
        least_neg_log(n, 1)


def test_other_arguments_outside():
    with pytest.raises(ValueError, match=r"^k=0"):
        least_neg_log([1], 0)
    with pytest.raises(ValueError, match=r"^level="):
        least_neg_log([1], 1, level=1.0)
