"""Resamples: refits are fits of the resampled runs, draws are reproducible, and what is interrupted
or fails is said.
"""

import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.fit import Fit, fit
from isoflop.numeric.fit.models import PARAMS_TOKENS
from isoflop.numeric.fit.quantities import quantities
from isoflop.numeric.fit.resample import Draws, case_weights


def table(noise=0.01, seed=0, **more):
    return grid_runs(noise=noise, seed=seed, **{"sizes": 6, "durations": 7, **more})


def draws_of(found, coefficients):
    return found.with_draws(Draws(coefficients, np.arange(len(coefficients)), len(coefficients)))


@pytest.fixture(scope="module")
def squares():
    return fit(table(), objective="least-squares-log")


# -- refits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["least-squares-log", "huber-log", "least-squares"])
def test_a_resample_by_weights_is_a_fit_of_the_drawn_runs(objective):
    found = fit(table(), objective=objective)
    drawn = case_weights(None, 42, 6, np.random.default_rng(3))
    refits = found.refit(weights=drawn)
    assert refits.converged.all()
    for times, value, coefficients in zip(
        drawn, np.asarray(refits.values), refits.coefficients, strict=True
    ):
        again = fit(
            found.runs.subset(np.repeat(np.arange(42), times.astype(int))), objective=objective
        )
        # Huber's function has several minima on so few runs, the best of which a refit need not
        # find; none below the fit.
        assert value >= again.objective_value * (1.0 - 1e-9)
        assert value == pytest.approx(
            again.objective_value, rel=1e-9 if objective.startswith("least") else 2e-2
        )
        if value <= again.objective_value * (1.0 + 1e-9):
            np.testing.assert_allclose(coefficients, list(again.coefficients.values()), rtol=1e-4)


def test_refits_multiply_the_runs_own_weights():
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 42)
    found = fit({**table(), "weight": weights}, objective="least-squares-log")
    drawn = case_weights(None, 42, 3, np.random.default_rng(3))
    for times, value in zip(drawn, np.asarray(found.refit(weights=drawn).values), strict=True):
        index = np.repeat(np.arange(42), times.astype(int))
        assert value == pytest.approx(
            fit(found.runs.subset(index), objective="least-squares-log").objective_value, rel=1e-9
        )


@pytest.mark.parametrize("objective", ["huber-log", "least-squares-log"])
def test_refits_of_chinchilla_are_optimal(chinchilla_240, objective):
    """Each within 1e-6 of a fit from scratch of the resampled runs, or below it."""
    found = fit(chinchilla_240, objective=objective)
    drawn = case_weights(None, 240, 40, np.random.default_rng(7))
    refits = found.refit(weights=drawn)
    assert refits.converged.all()
    thorough = [
        fit(
            chinchilla_240.subset(np.repeat(np.arange(240), times.astype(int))), objective=objective
        )
        for times in drawn
    ]
    ratios = np.asarray(refits.values) / [each.objective_value for each in thorough]
    assert ratios.max() <= 1.0 + 1e-6
    assert ratios.min() >= 1.0 - 1e-6


# -- draws -----------------------------------------------------------------------------------------


def test_standard_errors_of_besiroglu(chinchilla_240):
    """Printed in 2404.10102, of 4000 draws, some of which ended early: A 124.5, B 1293.3, E 0.0257,
    alpha 0.0154, beta 0.0206.
    """
    errors = fit(chinchilla_240).resampled(400, seed=0).estimates()
    printed = {"E": 0.0257, "A": 124.5, "B": 1293.3, "beta": 0.0154, "gamma": 0.0206}
    for name, value in printed.items():
        assert errors[name].standard_error == pytest.approx(value, rel=0.25)


def test_draws_are_the_seeds(squares):
    one = squares.resampled(150, seed=3).drawn
    np.testing.assert_array_equal(
        one.coefficients, squares.resampled(150, seed=3).drawn.coefficients
    )
    assert not np.array_equal(one.coefficients, squares.resampled(150, seed=4).drawn.coefficients)
    # Batches have their own numbers: more resamples leave the first ones as they are.
    np.testing.assert_allclose(
        squares.resampled(200, seed=3).drawn.coefficients[:100], one.coefficients[:100], rtol=1e-12
    )


# -- what goes wrong -------------------------------------------------------------------------------


def failing(share):
    refit = Fit.refit

    def refits(*given, **more):
        found = refit(*given, **more)
        bad = np.arange(len(found.converged)) < share * len(found.converged)
        return found._replace(
            coefficients=np.where(bad[:, None], np.nan, found.coefficients),
            converged=found.converged & ~bad,
        )

    return refits


def test_nothing_but_failures(squares, monkeypatch):
    monkeypatch.setattr(Fit, "refit", failing(1.0))
    with pytest.raises(ValueError, match="none of 20 refits reached a minimum"):
        squares.resampled(20)


def test_one_group_cannot_be_resampled():
    found = fit({**table(), "group": ["a"] * 42})
    with pytest.raises(
        ValueError, match="by: has 1 groups; resampling whole groups needs at least 4"
    ):
        found.resampled(5)


# -- refits that the batch leaves uncertified ------------------------------------------------------


def few_runs(seed=4):
    """24 runs, whose resamples often hang on a handful of them."""
    n, d = (x.ravel() for x in np.meshgrid(np.geomspace(1e8, 3e9, 6), np.geomspace(2e9, 6e10, 4)))
    clean = 1.7 + 400.0 * n**-0.34 + 410.0 * d**-0.28
    return {
        "params": n,
        "tokens": d,
        "loss": clean * np.exp(0.006 * np.random.default_rng(seed).normal(size=24)),
    }


@pytest.mark.parametrize(
    "options",
    [{"delta": 1e-4}, {"objective": "absolute-log"}],
)
def test_no_refit_is_left_out(options):
    found = fit(few_runs(), **options)
    assert found.resampled(60).drawn.failed == 0


def test_refits_by_absolute_deviations_are_sharp():
    """Not minima of a smoothed objective: at each as many residuals are 0 as there are
    coefficients, as of a linear programme.
    """
    found = fit(few_runs(), objective="absolute-log")
    drawn = case_weights(None, 24, 12, np.random.default_rng(3))
    refits = found.refit(weights=drawn)
    assert refits.converged.all()
    for times, value, theta in zip(
        drawn, np.asarray(refits.values), found.design.thetas(refits.coefficients), strict=True
    ):
        law = found.design.model.evaluate(theta[None])[0][0]
        residuals = np.abs(np.log(law) - np.log(found.runs.loss))[times > 0]
        assert value == pytest.approx(float(residuals @ times[times > 0]), rel=1e-12)
        assert (
            np.count_nonzero(residuals < 1e-9) >= 4
        )  # one less where an exponent or E is on its bound


# -- wild resamples --------------------------------------------------------------------------------


def with_draws(found, *wild):
    """A bootstrap of a hundred draws around the fit, and the wild ones."""
    own = np.array(list(found.coefficients.values()))
    draws = own * np.exp(0.01 * np.random.default_rng(0).normal(size=(100, 5)))
    return draws_of(found, np.vstack([draws, *wild]))


def test_a_wild_resample_takes_no_interval_away(squares):
    """D*/N* of beta = gamma = 1e-3 and B/A = 1e5 is 1e2500: one of 101 draws, and no percentile
    hangs on it.
    """
    tame, one = with_draws(squares), with_draws(squares, [1.7, 1.0, 1e5, 1e-3, 1e-3])
    for quantity in quantities(PARAMS_TOKENS, (1e24,)):
        interval, without = (each.estimate(quantity.function) for each in (one, tame))
        assert np.isfinite([interval.low, interval.high]).all()
        assert without.low <= interval.value <= without.high
        assert interval.high == pytest.approx(without.high, rel=0.1)
        if quantity.name == "tokens_per_param":
            columns = dict(zip(one.names, one.drawn.coefficients.T, strict=True))
            assert quantity.function(columns)[-1] == np.inf


def test_no_standard_error_that_a_few_draws_make(squares):
    heavy = with_draws(squares, [1.7, 1e80, 400.0, 0.34, 0.28])
    estimate = heavy.estimate("A")
    assert estimate.standard_error is None
    assert estimate.low < estimate.value < estimate.high
    assert heavy.estimate("beta").standard_error == pytest.approx(
        np.std(heavy.drawn.coefficients[:, 3], ddof=1), rel=1e-12
    )


def test_ends_at_a_limit_of_the_search_are_marked(squares):
    limit = [[1.7, 400.0, 410.0 * np.exp(9.72 * 23.0), 0.34, 10.0]] * 12
    found = with_draws(squares, *limit)
    assert found.estimates()["gamma"].at_limit == ("high",)
    assert found.estimates()["beta"].at_limit == ()
    assert any("gamma ran to a limit of the search in 10.7 %" in text for text in found.warnings)
