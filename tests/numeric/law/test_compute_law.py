"""The compute law, against 50 digits."""

import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isoflop
from isoflop.numeric.errors import ArgumentError
from isoflop.numeric.law.compute import ComputeLaw

mp = mpmath.mp.clone()
mp.dps = 50

#: Rounding of log C0 - alpha log C, of magnitude up to 500, and of one exp.
RELATIVE = 1e-13


@given(
    E=st.floats(0.0, 10.0),
    log_C0=st.floats(-20.0, 200.0),
    alpha=st.floats(1e-3, 2.0),
    log_compute=st.floats(0.0, 300.0),
)
def test_against_fifty_digits(E, log_C0, alpha, log_compute):
    C0, compute = float(np.exp(log_C0)), float(np.exp(log_compute))
    law = ComputeLaw(E=E, C0=C0, alpha=alpha)
    reducible = mp.mpf(C0) * mp.mpf(compute) ** -mp.mpf(alpha)
    assert law.reducible_loss(compute) == pytest.approx(float(reducible), rel=RELATIVE)
    assert law.loss(compute) == pytest.approx(float(mp.mpf(E) + reducible), rel=RELATIVE)
    assert law.loss(np.array([compute, compute]))[1] == pytest.approx(
        law.loss(compute), rel=RELATIVE
    )


def test_what_overflows_as_a_product_does_not_in_logs():
    law = ComputeLaw(E=1.0, C0=1e300, alpha=10.0)
    assert law.loss(1e30) == pytest.approx(2.0)
    with pytest.raises(ValueError, match=r"compute=1e-30: C0 C\^-alpha exceeds"):
        law.loss(1e-30)
    with pytest.raises(ValueError, match=r"exceeds the largest float"):
        law.loss(np.array([1e-30, 1.0]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"E": -0.1, "C0": 1.0, "alpha": 0.1}, "E=-0.1"),
        ({"C0": 0.0, "alpha": 0.1}, "C0=0.0"),
        ({"C0": 1.0, "alpha": -0.1}, "alpha=-0.1"),
        ({"C0": float("nan"), "alpha": 0.1}, "C0=nan"),
    ],
)
def test_coefficients_outside_their_domain(wrong, message):
    with pytest.raises(ValueError, match=message):
        ComputeLaw(**wrong)


@pytest.mark.parametrize(
    "compute", [0.0, -1.0, float("nan"), float("inf"), np.array([1.0, 0.0]), np.array([np.nan])]
)
def test_compute_outside_its_domain(compute):
    with pytest.raises(ValueError, match="compute="):
        ComputeLaw(C0=1.0, alpha=0.1).reducible_loss(compute)


def test_without_irreducible_loss():
    law = ComputeLaw(C0=1000.0, alpha=0.15)
    assert law.reducible_loss(1e20) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="E=None"):
        law.loss(1e20)


def test_frozen_compared_and_copied_by_value():
    law = ComputeLaw(E=1.8, C0=1000.0, alpha=0.15, name="x")
    assert pickle.loads(pickle.dumps(law)) == law
    assert hash(law) == hash(ComputeLaw(E=1.8, C0=1000.0, alpha=0.15, name="x"))
    with pytest.raises(AttributeError):
        law.alpha = 0.2  # type: ignore[misc]


def test_plain_data_in_both_notations():
    law = ComputeLaw(E=1.8, C0=1000.0, alpha=0.15, name="x")
    assert law.as_dict()["coefficients"] == {"E": 1.8, "C0": 1000.0, "alpha": 0.15}
    assert law.as_dict("hoffmann")["coefficients"] == {"E": 1.8, "C0": 1000.0, "alpha_C": 0.15}
    assert repr(law) == "ComputeLaw(E=1.8, C0=1000.0, alpha=0.15, name='x')"
    assert str(law) == "L = 1.8 + 1000 C^-0.15  (x)"


def test_what_a_compute_law_can_answer(tmp_path):
    law = ComputeLaw(E=1.8, C0=1000.0, alpha=0.15)
    assert law.compute_for(law.loss(1e21)) == pytest.approx(1e21, rel=1e-12)
    law.save(tmp_path / "law.json", "hoffmann")
    assert isoflop.law(tmp_path / "law.json") == law
    for asked in (
        lambda: law.allocate(1e21),
        lambda: law.penalty(ratio=2.0),
        lambda: law.tolerance(0.01),
    ):
        with pytest.raises(ArgumentError, match="needs a params\\+tokens law"):
            asked()
