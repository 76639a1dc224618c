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
