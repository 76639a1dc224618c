"""Verdicts on differences: an interval that merely holds 0 is no agreement."""

import pytest

from isoflop.numeric.passk.agreement import verdict
from isoflop.numeric.results import Estimate


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-0.02, 0.02), "agree"),
        ((0.005, 0.019), "agree"),  # beyond chance, and within what counts as none
        ((-0.02, 0.0201), "cannot tell"),
        ((-0.463, 0.12), "cannot tell"),
        ((0.0, 0.5), "cannot tell"),
        ((0.001, 0.03), "differ"),
        ((-0.5, -0.001), "differ"),
        ((float("-inf"), float("inf")), "cannot tell"),
        ((), "no resamples"),
    ],
)
def test_verdicts(interval, expected):
    assert verdict(Estimate(0.0, *interval), 0.02) == expected
