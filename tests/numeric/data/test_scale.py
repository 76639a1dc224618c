"""Accuracy and its negative logarithm, against the definition with 50 digits."""

import math
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


@given(st.floats(0.0, 30.0), st.floats(0.0, 0.99), st.floats(1e-9, 1.0), st.integers(0, 40))
def test_both_are_those_of_the_definition(
    y: float, baseline: float, share: float, power: int
) -> None:
    """Near 1 too, where 1 - Q is exact, and so must be y."""
    guess = mp.mpf(baseline)
    expected = float(guess + (1 - guess) * mp.exp(-mp.mpf(y)))
    assert accuracy(np.array([y]), baseline)[0] == pytest.approx(expected, rel=1e-15)
    q = 1.0 - (1.0 - share) * 2.0**-power * (1.0 - baseline)
    if baseline < q <= 1.0:
        wanted = float(-mp.log((mp.mpf(q) - guess) / (1 - guess)))
        assert neg_log_accuracy(q, baseline) == pytest.approx(wanted, rel=1e-14, abs=0.0)


def test_ends() -> None:
    assert (accuracy(0.0, 0.25), accuracy(1e6, 0.25)) == (1.0, 0.25)
    assert math.copysign(1.0, neg_log_accuracy(1.0)) == 1.0
    assert neg_log_accuracy(1.0 - 2.0**-53) == 2.0**-53


BAD: list[tuple[Any, Any, str]] = [
    *((accuracy, (y,), "neg_log") for y in (-1e-9, math.nan, math.inf, "1", None, True, [1, -2])),
    *((neg_log_accuracy, (q, 0.5), "accuracy") for q in (0.5, 1.0 + 2.0**-52, math.nan, [-1])),
    *((accuracy, (0.5, q), "random_baseline") for q in (-0.1, 1.0, math.nan, "0", None)),
]


@pytest.mark.parametrize(("function", "values", "argument"), BAD)
def test_bad_arguments(function: Any, values: Any, argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        function(*values)
    assert caught.value.argument == argument
