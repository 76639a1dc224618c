"""Accuracy and its negative logarithm, against the definition with 50 digits."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.data.scale import accuracy, neg_log_accuracy
from isoflop.numeric.errors import ArgumentError

mp = mpmath.mp.clone()
mp.dps = 50

BASELINES = st.floats(0.0, 0.99)


@given(st.fractions(0, 30, max_denominator=10**6), BASELINES)
def test_accuracy_is_that_of_the_definition(y, baseline) -> None:
    """Q' = (Q - Q_r)/(1 - Q_r) with the exact number below the float, at 50 digits."""
    q = mp.mpf(Fraction(baseline).numerator) / Fraction(baseline).denominator
    expected = q + (1 - q) * mp.exp(-mp.mpf(float(y)))
    assert accuracy(float(y), baseline) == pytest.approx(float(expected), rel=1e-15)
    assert accuracy(np.array([float(y)]), baseline)[0] == pytest.approx(float(expected), rel=1e-15)


@given(st.floats(0.0, 1.0, exclude_min=True), BASELINES, st.integers(0, 40))
def test_neg_log_accuracy_is_that_of_the_definition(share, baseline, power) -> None:
    """Near 1 too, where 1 - Q is exact, and so must be y."""
    q = 1.0 - (1.0 - share) * 2.0**-power * (1.0 - baseline)
    if not baseline < q <= 1.0:
        return
    expected = -mp.log((mp.mpf(q) - mp.mpf(baseline)) / (1 - mp.mpf(baseline)))
    assert neg_log_accuracy(q, baseline) == pytest.approx(float(expected), rel=1e-14, abs=0.0)
    assert neg_log_accuracy(np.array([q]), baseline)[0] == neg_log_accuracy(q, baseline)


def test_accuracy_ends() -> None:
    assert accuracy(0.0, 0.25) == 1.0
    assert accuracy(1e6, 0.25) == 0.25
    assert math.copysign(1.0, neg_log_accuracy(1.0)) == 1.0
    assert neg_log_accuracy(1.0 - 2.0**-53) == 2.0**-53
    assert np.all(np.signbit(neg_log_accuracy(np.array([1.0]))) == [False])


@pytest.mark.parametrize(
    ("function", "values", "argument"),
    [
        *((accuracy, (y,), "neg_log") for y in (-1e-9, math.nan, math.inf, "1", None, True, 1j)),
        (accuracy, (np.array([[1.0, 2.0], [-2.0, 1.0]]),), "neg_log[1, 0]"),
        (neg_log_accuracy, ([0.5, 0.25], 0.25), "accuracy[1]"),
        *((neg_log_accuracy, (q, 0.5), "accuracy") for q in (0.5, 1.0 + 2.0**-52, math.nan, -1.0)),
        *(
            (function, (0.5, baseline), "random_baseline")
            for function in (accuracy, neg_log_accuracy)
            for baseline in (-0.1, 1.0, math.nan, "0", None)
        ),
    ],
)
def test_bad_arguments(function: Any, values: Any, argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        function(*values)
    assert caught.value.argument == argument
