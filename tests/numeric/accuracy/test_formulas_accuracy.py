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
FIRST = ("c", "x", "f")
PARTS = ("value", "c", "x", "f", "cx", "cf", "xx", "xf", "ff")


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


# The parts of a broken law


def close(found, reference):
    return abs(MP.mpf(float(found)) - reference) <= 8 * EPS * abs(reference) * (
        1 + abs(MP.log(abs(reference)))
    )


def log_factor(c, x, f):
    return -c * f * MP.log1p(MP.exp(x / f))


def derivative(order, at):
    """In c, x and log f: order says how often each."""
    c, x, f = map(MP.mpf, at)
    return MP.diff(lambda c, x, phi: log_factor(c, x, MP.exp(phi)), (c, x, MP.log(f)), order)


@pytest.mark.parametrize("c", [-2.0, 0.3])
@pytest.mark.parametrize("x", [-9.0, -0.4, 0.0, 1.3, 12.0])
@pytest.mark.parametrize("f", [0.2, 1.0, 4.0])
def test_parts_of_a_break_by_numerical_differentiation(c, x, f):
    parts = dict(zip(PARTS, formulas.break_parts(c, x, f), strict=True))
    with MP.workdps(80):
        assert close(parts["value"], log_factor(MP.mpf(c), MP.mpf(x), MP.mpf(f)))
        for name in ("c", "x", "f", "cx", "cf", "xx", "xf", "ff"):
            reference = derivative(tuple(name.count(letter) for letter in FIRST), (c, x, f))
            scale = max(abs(reference), MP.mpf(10) ** -40)
            assert abs(MP.mpf(float(parts[name])) - reference) <= 1e-12 * scale, name


@pytest.mark.parametrize("x", [-1e5, 1e5])
def test_parts_far_from_the_break_are_finite(x):
    with np.errstate(all="raise", under="ignore"):
        parts = formulas.break_parts(np.array(0.7), np.array(x), np.array(0.01))
    assert np.isfinite(parts).all()
    assert float(parts[2]) == (0.0 if x < 0 else -0.7)
