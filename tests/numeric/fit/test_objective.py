"""The objectives against their definitions, worked out to 30 digits."""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.fit.objective import OBJECTIVES, Objective

mp = mpmath.mp.clone()
mp.dps = 30

DELTA = 2.5e-3
#: A handful of roundings in each of rho and psi.
ROUNDING = 1e-14


def huber(r, delta):
    return r**2 / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)


DEFINITIONS = {
    "huber-log": lambda r: huber(r, mp.mpf(DELTA)),
    "absolute-log": abs,
    "least-squares-log": lambda r: r**2,
    "least-squares": lambda r: r**2,
}
RESIDUALS = np.array([-3.0, -0.2, -DELTA, -1e-3, -1e-9, 0.0, 1e-7, 2e-3, DELTA, 4e-3, 0.5, 40.0])
EACH = pytest.mark.parametrize("name", OBJECTIVES)


def objective(name):
    return Objective(name=name, delta=DELTA)


@EACH
@pytest.mark.parametrize("weighted", [False, True])
def test_sum_of_the_definition(name, weighted):
    weights = np.linspace(0.5, 3.0, len(RESIDUALS)) if weighted else None
    exact = mp.fsum(
        mp.mpf(w) * DEFINITIONS[name](mp.mpf(r))
        for r, w in zip(RESIDUALS, np.ones(12) if weights is None else weights, strict=True)
    )
    assert objective(name).value(RESIDUALS, weights) == pytest.approx(float(exact), rel=ROUNDING)


SMOOTH = [
    (name, width)
    for name in OBJECTIVES
    for width in (None, 1e-3, 0.05, 1.0)
    if width or name != "absolute-log"
]


@pytest.mark.parametrize(("name", "width"), SMOOTH)
def test_psi_and_curvature_are_the_derivatives_of_rho(name, width):
    """By differences of 1e-6 of a residual: exact for rho in pieces of second degree, but at the
    ends of the pieces.
    """
    clip = objective(name).clip(width)
    ends = np.isclose(clip.slope * RESIDUALS, clip.low) | np.isclose(
        clip.slope * RESIDUALS, clip.high
    )
    middle = RESIDUALS[~ends & (RESIDUALS != 0.0)]
    step = 1e-6 * np.abs(middle)

    def rho(r):
        return clip.rho(r, clip.psi(r))

    psi = clip.psi(middle)
    slopes = (rho(middle + step) - rho(middle - step)) / (2.0 * step)
    # What cancels in the difference of two values: rounding of rho over the step, 1e-16/1e-6.
    np.testing.assert_allclose(
        slopes, psi, rtol=1e-8, atol=1e-9 * np.abs(rho(middle) / middle).max()
    )
    bends = (clip.psi(middle + step) - clip.psi(middle - step)) / (2.0 * step)
    np.testing.assert_allclose(
        np.broadcast_to(clip.curvature(psi), psi.shape), bends, rtol=1e-8, atol=1e-9
    )


@pytest.mark.parametrize("name", ["huber-log", "least-squares-log", "least-squares"])
def test_own_width_is_the_objective_itself(name):
    own = objective(name)
    for clip in (own.clip(), own.clip(0.5 * DELTA)):
        assert np.sum(clip.rho(RESIDUALS, clip.psi(RESIDUALS))) == pytest.approx(
            own.value(RESIDUALS), rel=ROUNDING
        )


@pytest.mark.parametrize("name", ["absolute-log", "huber-log"])
@pytest.mark.parametrize("width", [1e-2, 1e-5])
def test_smoothing_changes_no_value_by_more_than_the_width(name, width):
    """The derivative is changed by at most 1 over a range of twice the width."""
    own = objective(name)
    wide = own.clip(max(width, own.width))
    smooth = wide.rho(RESIDUALS, wide.psi(RESIDUALS))
    sharp = np.array([own.value(np.array([r])) for r in RESIDUALS])
    assert np.abs(smooth - sharp).max() <= 2.0 * max(width, own.width)


def test_many_widths_at_once():
    widths = np.array([[1e-3], [1e-2], [1.0]])
    together = objective("absolute-log").clip(widths)
    found = together.rho(np.tile(RESIDUALS, (3, 1)), together.psi(np.tile(RESIDUALS, (3, 1))))
    for row, width in zip(found, widths[:, 0], strict=True):
        alone = objective("absolute-log").clip(width)
        np.testing.assert_array_equal(row, alone.rho(RESIDUALS, alone.psi(RESIDUALS)))


@EACH
def test_residuals(name):
    law, observed = np.array([2.0, 3.0]), np.array([2.5, 1.5])
    expected = np.log(law / observed) if name.endswith("log") else law - observed
    np.testing.assert_allclose(objective(name).residuals(law, observed), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "mse"}, "objective='mse': must be one of huber-log"),
        ({"name": 3}, "objective=3: must be one of"),
        ({"delta": 0.0}, "delta=0.0: must be a positive finite number"),
        ({"delta": float("inf")}, "delta=inf: must be a positive finite number"),
        ({"delta": "x"}, "delta='x': must be a positive finite number"),
    ],
)
def test_bad_arguments(given, message):
    with pytest.raises(ValueError, match="^" + message):
        Objective(**given)
