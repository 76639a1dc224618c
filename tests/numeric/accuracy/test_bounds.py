"""Bounds of costs: the estimate is never excluded, and the truth is covered as often as is said."""

import numpy as np
import pytest

from isoflop.numeric.accuracy.bounds import upper_bound


def test_from_the_least_to_the_quantile() -> None:
    draws = np.arange(1.0, 102.0)
    assert upper_bound(draws, 0.9) == (0.0, 91.0)
    assert upper_bound(draws, 0.5, 1.0) == (1.0, 51.0)
    with pytest.raises(ValueError, match="level"):
        upper_bound(draws, 1.0)


@pytest.mark.parametrize("truth", [0.0, 0.5])
def test_coverage_of_a_square(truth) -> None:
    """The cost x^2 of an unknown x estimated with error 1: central percentiles exclude 0 always,
    the bound does not.
    """
    random = np.random.default_rng(0)
    covered, excluded = 0, 0
    for estimate in truth + random.standard_normal(400):
        draws = (estimate + random.standard_normal(400)) ** 2
        low, high = upper_bound(draws, 0.9)
        covered += low <= truth**2 <= high
        excluded += not low <= estimate**2 <= high
    assert covered / 400 >= 0.88
    assert excluded == 0
