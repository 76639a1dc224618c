"""Estimates against NumPy's quantiles, SciPy's t and simulation."""

import math

import numpy as np
import pytest

from isoflop.numeric.results import Band, Estimate, percentiles

LEVEL = 0.9
DRAWS = np.random.default_rng(3).normal(2.0, 0.5, 400)


def test_of_draws_is_between_the_percentiles() -> None:
    estimate = Estimate.of_draws(2.1, DRAWS, LEVEL)
    assert estimate.value == 2.1
    assert (estimate.low, estimate.high) == tuple(np.quantile(DRAWS, [0.05, 0.95]))
    assert estimate.standard_error == pytest.approx(np.std(DRAWS, ddof=1), rel=1e-14)
    assert estimate.level == LEVEL
    assert all(isinstance(x, float) for x in (estimate.value, estimate.low, estimate.high))


def test_there_is_no_interval_without_draws() -> None:
    for draws in ([], [1.0], [1.0, 2.0, math.nan]):
        estimate = Estimate.of_draws(1.0, draws, LEVEL)
        assert (estimate.low, estimate.high, estimate.standard_error) == (None, None, None)
        assert not estimate.has_interval


def test_infinite_draws_make_an_infinite_end() -> None:
    draws = [*range(1, 10), math.inf]  # the quantile at 0.95 lies between 9 and inf
    estimate = Estimate.of_draws(5.0, draws, LEVEL)
    assert (estimate.low, estimate.high, estimate.standard_error) == (1.0, math.inf, None)
    inner = Estimate.of_draws(5.0, draws, 0.6)  # shares 0.2 and 0.8: draws 1.8 and 7.2 of 0..9
    assert (inner.low, inner.high) == (2.0, 9.0)


def test_a_few_draws_that_make_the_deviation() -> None:
    heavy = np.concatenate([DRAWS, [1e9]])
    assert Estimate.of_draws(2.0, heavy, LEVEL).standard_error is None
    assert Estimate.of_draws(2.0, np.full(5, 1e308), LEVEL).standard_error == 0.0


def test_a_cost_is_bounded_above_alone() -> None:
    estimate = Estimate.of_draws(0.1, DRAWS, LEVEL, least=0.0)
    assert (estimate.low, estimate.high) == (0.0, np.quantile(DRAWS, LEVEL))
    assert estimate.at_most
    assert f"{estimate:.1f}" == f"0.1 (at most {np.quantile(DRAWS, LEVEL):.1f})"


def test_ends_next_to_a_draw_on_a_limit() -> None:
    draws = np.arange(101.0)  # the ends are draws 5 and 95
    on_limit = draws > 94.5
    assert Estimate.of_draws(50.0, draws, LEVEL, on_limit=on_limit).at_limit == ("high",)
    assert Estimate.of_draws(50.0, draws, LEVEL, on_limit=draws < 3.5).at_limit == ()
    one_sided = Estimate.of_draws(50.0, draws, 0.95, least=0.0, on_limit=on_limit)
    assert one_sided.at_limit == ("high",)


def test_a_level_lies_between_0_and_1() -> None:
    for level in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(ValueError, match="level="):
            Estimate.of_draws(1.0, DRAWS, level)


def test_plain_data() -> None:
    interval = Estimate(-0.1, -0.5, 0.2)
    assert [interval.excludes(x) for x in (0.3, 0.1)] == [True, False]
    assert not Estimate(5.0).excludes(0.0)
    estimate = Estimate(np.float64(1.0), math.nan, math.inf, 0.1)
    assert type(estimate.value) is float
    assert estimate.low is None
    assert estimate.as_dict(low="lo", high="") == {"value": 1.0, "lo": None}
    assert estimate.as_dict("E", "E_lo", "E_hi") == {"E": 1.0, "E_lo": None, "E_hi": None}


def test_infinite_draws_at_one_point_spoil_no_other() -> None:
    draws = np.array([[1.0, 1.0], [2.0, math.inf], [3.0, 3.0]])
    low, high = percentiles(draws, LEVEL)
    assert (low[0], high[0]) == tuple(np.quantile(draws[:, 0], [0.05, 0.95]))
    assert (low[1], high[1]) == (1.0, math.inf)
    with pytest.raises(ValueError, match="without ends"):
        _ = Band(np.array([2.0])).ends
