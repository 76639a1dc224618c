"""The formulas of downstream accuracy at the ends of their domains; at random points:
tests/numeric/test_formulas.py.
"""

import math

import mpmath
import numpy as np
import pytest

from isoflop.numeric import formulas

MP = mpmath.mp.clone()
MP.dps = 60
EPS = 2.0**-52


@pytest.mark.parametrize("excess", [1e-300, 1e-17, 1e-8, 0.1, 1.0, 1e6])
@pytest.mark.parametrize("reducible", [1e-12, 0.3, 1.0, 50.0])
def test_the_accuracy_lost_keeps_its_digits(excess, reducible):
    with MP.workdps(400):
        r, x = MP.mpf(reducible), MP.mpf(excess)
        reference = MP.mpf("0.75") * (MP.exp(-r) - MP.exp(-(1 + x) * r))
        found = formulas.accuracy_lost(
            reducible=reducible, excess_penalty=excess, E=0.0, random_baseline=0.25
        )
        assert abs(found - reference) <= 8 * EPS * reference * (1 + r) + 5e-324


def test_the_greatest_loss_is_that_of_a_search_over_reducibles():
    for excess in (1e-6, 0.01, 0.3, 2.0, 40.0):
        found = formulas.greatest_accuracy_lost(excess_penalty=excess, E=0.2, random_baseline=0.1)
        at = math.log1p(excess) / excess
        tried = np.concatenate([at * np.linspace(0.5, 2.0, 3001), np.geomspace(1e-6, 50.0, 3001)])
        lost = formulas.accuracy_lost(
            reducible=tried, excess_penalty=excess, E=0.2, random_baseline=0.1
        )
        assert lost.max() <= found * (1.0 + 1e-14)
        assert lost.max() == pytest.approx(found, rel=1e-6)
        assert found <= 0.9 * math.exp(-1.2) * excess
