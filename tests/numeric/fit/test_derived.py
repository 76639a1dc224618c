"""Quantities of a fitted law: values and gradients against numerical minimisation, errors against
simulation.
"""

import math
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.fit.derived import (
    COORDINATES,
    Quantity,
    at_compute,
    default_quantities,
    derived,
    penalty_at,
)
from isoflop.numeric.law import Law

COMPUTE, RATIO = 3e23, 8.0
FITTED = {"E": 1.8172, "A": 482.01, "B": 2085.43, "beta": 0.3478, "gamma": 0.3658}
LAW = Law.from_coefficients(FITTED)
QUANTITIES = {quantity.name: quantity for quantity in default_quantities(COMPUTE, RATIO)}
STEP = 12

# Correlated as in a fit of runs: log A with beta and log B with gamma almost fully.
SPREAD = np.array([0.02, 0.15, 0.2, 0.008, 0.009])
CORRELATION = np.array(
    [
        [1.0, 0.6, 0.6, 0.65, 0.65],
        [0.6, 1.0, 0.3, 0.99, 0.3],
        [0.6, 0.3, 1.0, 0.3, 0.99],
        [0.65, 0.99, 0.3, 1.0, 0.3],
        [0.65, 0.3, 0.99, 0.3, 1.0],
    ]
)
COVARIANCE = CORRELATION * np.outer(SPREAD, SPREAD)


def by_minimising(reference: Any, theta: dict[str, Any]) -> dict[str, Any]:
    """Every quantity at (E, log A, log B, beta, gamma) from the minimum of the loss along 6 N D =
    C, without a closed form.
    """
    mp = reference.mp
    law = mp.exp(theta["log A"]), mp.exp(theta["log B"]), theta["beta"], theta["gamma"]
    here, further, at_one = (
        reference(c, *law) for c in (mp.mpf(COMPUTE), mp.mpf(COMPUTE) * mp.e, mp.mpf(1))
    )
    return {
        "alpha": mp.log(here.reducible / further.reducible),
        "C0": at_one.reducible,
        "params_share": further.log_params - here.log_params,
        "tokens_share": further.log_tokens - here.log_tokens,
        "N_star": here.params,
        "D_star": here.tokens,
        "tokens_per_param": here.tokens / here.params,
        "L_star": theta["E"] + here.reducible,
        "R_star": here.reducible,
        "penalty": here.penalty(-mp.log(RATIO) / 2),
    }


@pytest.fixture(scope="module")
def exact(reference: Any) -> dict[str, tuple[float, np.ndarray]]:
    """Value and gradient of every quantity."""
    mp = reference.mp
    h = mp.mpf(10) ** -STEP
    plain = {name: mp.mpf(number) for name, number in FITTED.items()}
    theta = {x: mp.log(plain[x[-1]]) if x.startswith("log ") else plain[x] for x in COORDINATES}
    values = by_minimising(reference, theta)
    slopes: dict[str, list[float]] = {name: [] for name in values}
    for coordinate in COORDINATES:
        low, high = (
            by_minimising(reference, theta | {coordinate: theta[coordinate] + x}) for x in (-h, h)
        )
        for name, found in slopes.items():
            found.append(float((high[name] - low[name]) / (2 * h)))
    return {name: (float(values[name]), np.array(slopes[name])) for name in values}


def test_the_quantities(exact: Any) -> None:
    assert list(QUANTITIES) == list(exact)
    assert [quantity.name for quantity in default_quantities()] == [
        "alpha",
        "C0",
        "params_share",
        "tokens_share",
    ]


@pytest.mark.parametrize("name", QUANTITIES)
def test_value_and_gradient_are_those_of_the_minimised_loss(name: str, exact: Any) -> None:
    value, gradient = exact[name]
    assert QUANTITIES[name].value(LAW) == pytest.approx(value, rel=1e-13)
    found = QUANTITIES[name].gradient(LAW)
    assert list(found) == list(COORDINATES)
    assert list(found.values()) == pytest.approx(gradient.tolist(), rel=1e-13, abs=1e-24)


@pytest.mark.parametrize("name", QUANTITIES)
def test_the_standard_error_is_that_of_the_numerical_gradient(name: str, exact: Any) -> None:
    value, gradient = exact[name]
    (found,) = derived(LAW, COVARIANCE, quantities=(QUANTITIES[name],))
    assert found.standard_error == pytest.approx(
        math.sqrt(gradient @ COVARIANCE @ gradient), rel=1e-10
    )
    assert found.low < value < found.high


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    """Coefficients of laws drawn from the normal distribution of the estimates."""
    centre = [math.log(FITTED[x[-1]]) if x.startswith("log ") else FITTED[x] for x in COORDINATES]
    E, log_a, log_b, beta, gamma = (
        np.random.default_rng(7).multivariate_normal(centre, COVARIANCE, 20_000).T
    )
    return {"E": E, "A": np.exp(log_a), "B": np.exp(log_b), "beta": beta, "gamma": gamma}


@pytest.mark.parametrize("name", QUANTITIES)
def test_intervals_hold_what_simulation_says(name: str, drawn: dict[str, np.ndarray]) -> None:
    """The 90 % interval about the truth holds 90 % of simulated estimates, each tail about 5 %."""
    (found,) = derived(LAW, COVARIANCE, quantities=(QUANTITIES[name],), level=0.9)
    assert found.low is not None
    assert found.high is not None
    values = QUANTITIES[name].values(**drawn)
    assert values.shape == (20_000,)
    assert np.mean(values < found.low) == pytest.approx(0.05, abs=0.01)
    assert np.mean(values > found.high) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("name", QUANTITIES)
def test_many_laws_at_once_are_the_laws_one_by_one(name: str, drawn: dict[str, np.ndarray]) -> None:
    first = {key: column[:20] for key, column in drawn.items()}
    laws = [
        Law.from_coefficients({key: float(column[i]) for key, column in first.items()})
        for i in range(20)
    ]
    one_by_one = [QUANTITIES[name].value(law) for law in laws]
    assert QUANTITIES[name].values(**first).tolist() == pytest.approx(one_by_one, rel=1e-13)
    shared = QUANTITIES[name].values(E=first["E"], A=500.0, B=2000.0, beta=0.35, gamma=0.36)
    alone = [
        QUANTITIES[name].value(Law(E=float(E), A=500.0, B=2000.0, beta=0.35, gamma=0.36))
        for E in first["E"]
    ]
    assert shared.tolist() == pytest.approx(alone, rel=1e-13)


# Scales of the intervals


@pytest.mark.parametrize("name", [name for name, quantity in QUANTITIES.items() if quantity.log])
def test_intervals_on_a_log_scale_stay_inside_the_domain(name: str) -> None:
    (found,) = derived(LAW, 100 * COVARIANCE, quantities=(QUANTITIES[name],), level=0.99)
    assert found.low is not None
    assert found.high is not None
    floor, share = (1.0 if name == "penalty" else 0.0), name.endswith("_share")
    assert floor < found.low < found.value < found.high
    low, value, high = (
        x / (1.0 - x) if share else x - floor for x in (found.low, found.value, found.high)
    )
    assert low * high == pytest.approx(value**2, rel=1e-9)
    assert found.high < 1.0 or not share


def test_that_of_the_loss_is_symmetric() -> None:
    (found,) = derived(LAW, COVARIANCE, quantities=(QUANTITIES["L_star"],))
    assert found.low is not None
    assert found.high is not None
    assert found.standard_error is not None
    assert found.high - found.value == pytest.approx(found.value - found.low, rel=1e-12)
    assert (found.high - found.low) / found.standard_error == pytest.approx(2 * 1.6448536269514722)


def test_the_exponents_of_the_allocation_are_equally_sure() -> None:
    params, tokens = derived(LAW, COVARIANCE, quantities=default_quantities()[2:])
    assert params.value + tokens.value == pytest.approx(1.0, rel=1e-15)
    assert params.standard_error == pytest.approx(tokens.standard_error, rel=1e-13)


def test_at_ratio_one_the_penalty_is_known_exactly() -> None:
    (found,) = derived(LAW, COVARIANCE, quantities=(penalty_at(1.0),))
    assert (found.value, found.standard_error, found.low, found.high) == (1.0, 0.0, 1.0, 1.0)
    (close,) = derived(LAW, COVARIANCE, quantities=(penalty_at(1.0 + 1e-9),))
    assert close.low == close.high == 1.0
    assert close.standard_error is not None
    assert 0.0 < close.standard_error < 1e-18


def test_a_quantity_that_nothing_tells_has_no_upper_end() -> None:
    (found,) = derived(LAW, 1e10 * COVARIANCE, quantities=at_compute(COMPUTE)[:1])
    assert (found.low, found.high) == (0.0, math.inf)


# Coordinates


def test_fixed_coefficients_count_as_known() -> None:
    """Rows of zeros and rows left out are the same, in any order."""
    keep = [4, 0, 2]
    part = COVARIANCE[np.ix_(keep, keep)]
    padded = np.zeros((5, 5))
    padded[np.ix_(keep, keep)] = part
    everything = tuple(QUANTITIES.values())
    named = derived(LAW, part, [COORDINATES[i] for i in keep], everything)
    for one, other in zip(named, derived(LAW, padded, quantities=everything), strict=True):
        assert astuple(one)[:4] == pytest.approx(astuple(other)[:4], rel=1e-12)


def test_without_covariance_there_is_no_error() -> None:
    for found in derived(LAW, np.zeros((5, 5)), quantities=tuple(QUANTITIES.values())):
        assert found.standard_error == 0.0
        assert (found.low, found.high) == pytest.approx((found.value, found.value), rel=1e-14)


def test_a_law_without_irreducible_loss() -> None:
    law = Law(A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    loss, reducible = at_compute(COMPUTE)[3:]
    assert derived(law, COVARIANCE, quantities=(reducible,))[0].value == reducible.value(LAW)
    with pytest.raises(ValueError, match="E=None"):
        derived(law, COVARIANCE, quantities=(loss,))


def test_exponents_alone_give_alpha_and_the_penalty() -> None:
    law = Law(beta=0.3478, gamma=0.3658)
    variances = COVARIANCE[3:, 3:]
    found = derived(law, variances, ("beta", "gamma"), (QUANTITIES["alpha"], penalty_at(RATIO)))
    assert [one.value for one in found] == [
        QUANTITIES[name].value(LAW) for name in ("alpha", "penalty")
    ]
    with pytest.raises(ValueError, match="A, B=None"):
        derived(law, variances, ("beta", "gamma"), (QUANTITIES["C0"],))


# What is refused


@pytest.mark.parametrize("bad", [0.0, -1e21, math.nan, math.inf, "1e21", True])
def test_a_compute_or_a_ratio_that_is_none(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"compute=.*positive finite"):
        default_quantities(compute=bad)
    with pytest.raises(ValueError, match=r"ratio=.*positive finite"):
        default_quantities(ratio=bad)


@pytest.mark.parametrize("level", [0.0, 1.0, 90, -0.1, math.nan, "0.9"])
def test_a_level_that_is_none(level: Any) -> None:
    with pytest.raises(ValueError, match="level="):
        derived(LAW, COVARIANCE, level=level)


@pytest.mark.parametrize("covariance", [-COVARIANCE, COVARIANCE * 1e308])
def test_a_variance_that_is_none(covariance: Any) -> None:
    with pytest.raises(ValueError, match=r"covariance: gives .* the variance"):
        derived(LAW, covariance, quantities=tuple(QUANTITIES.values()))


def test_a_result_beyond_the_largest_float_is_refused() -> None:
    steep = Law(E=1.0, A=1e300, B=1.0, beta=0.01, gamma=0.5)
    quantity: Quantity = at_compute(1e30)[0]
    with pytest.raises(ValueError, match="exceeds the largest float"):
        derived(steep, COVARIANCE, quantities=(quantity,))
