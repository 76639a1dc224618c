"""The formulas of pass@k at the ends of their domains; at random points:
tests/numeric/test_formulas.py.
"""

import math

import pytest

from isoflop.numeric import formulas


def test_logarithms_survive_huge_coefficients():
    found = formulas.log_turning_compute(C0_1=1.0, alpha_1=0.1, C0_2=1e300, alpha_2=0.1001)
    expected = (300 * math.log(10) + math.log(1.001)) / (0.1001 - 0.1)
    assert found == pytest.approx(expected, rel=1e-12)
