"""The formulas of pass@k at the ends of their domains; at random points:
tests/numeric/test_formulas.py.
"""

import math

import mpmath
import pytest

from isoflop.numeric import formulas

MP = mpmath.mp.clone()
MP.dps = 60
EPS = 2.0**-52


def test_logarithms_survive_huge_coefficients():
    found = formulas.log_crossing_compute(C0_1=1.0, alpha_1=0.1, C0_2=1e300, alpha_2=0.1001)
    assert found == pytest.approx(300 * math.log(10) / (0.1001 - 0.1), rel=1e-12)
    assert formulas.crossing_compute(
        C0_1=1e290, alpha_1=0.5, C0_2=1e300, alpha_2=1.0
    ) == pytest.approx(1e20, rel=1e-12)
    assert formulas.local_exponent(compute=1e-3, E=1.0, C0=1e300, alpha=0.5) == pytest.approx(
        0.5, rel=1e-14
    )


@pytest.mark.parametrize("floor", [1e-300, 1e-12, 1e-3, 1.0, 40.0, 300.0, 700.0])
@pytest.mark.parametrize("times", [1.0, 2.0, 64.0, 1e4])
def test_floor_across_keeps_its_digits(floor, times):
    with MP.workdps(700):
        reference = -MP.log1p(-MP.exp(times * MP.log1p(-MP.exp(-MP.mpf(floor)))))
        found = formulas.floor_across(E=floor, m=times)
        if reference < 1e-300:
            assert 0.0 <= found <= 1e-299
        else:
            assert (
                abs(found - reference) <= 40 * times * EPS * reference
            )  # (1 - e^-E)^m amplifies an error of log(1 - e^-E)


def test_floor_across_of_no_floor_is_none():
    assert formulas.floor_across(E=0.0, m=10.0) == 0.0
    assert formulas.share_of_unsolvable(E=0.0) == 0.0
