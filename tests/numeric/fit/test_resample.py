"""Resamples: refits are fits of the resampled runs, draws are reproducible, and what is interrupted
or fails is counted.
"""

from functools import partial

import numpy as np
import pytest
from tests.data import grid_runs

from isoflop.numeric.fit import fit
from isoflop.numeric.fit.resample import Draws, case_weights, resample

# -- a straight line, whose refits NumPy makes one by one ------------------------------------------

N = 30
X = np.linspace(0.0, 1.0, N)
Y = 1.0 + 2.0 * X + 0.1 * np.random.default_rng(0).normal(size=N)


def line(*, weights, fail=-np.inf, stop=-1):
    """Intercepts and slopes; those below `fail` are not certified, an interrupt comes in the call
    of `stop` resamples.
    """
    if len(weights) == stop:
        raise KeyboardInterrupt
    found = np.array([np.polyfit(X, Y, 1, w=np.sqrt(own))[::-1] for own in weights])
    return Draws(rows=found, converged=found[:, 1] > fail)


def test_draws_are_refits_of_the_drawn_rows():
    draws = resample(line, N, 250, seed=5)
    assert (len(draws), draws.requested, draws.failed, draws.interrupted) == (250, 250, 0, False)
    for index in (0, 99, 100, 249):
        random = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(index // 100,)))
        rows = case_weights(None, N, min(100, 250 - 100 * (index // 100)), random)[index % 100]
        chosen = np.repeat(np.arange(N), rows.astype(int))
        slope, intercept = np.polyfit(X[chosen], Y[chosen], 1)
        assert draws.coefficients[index] == pytest.approx([intercept, slope], rel=1e-9)


def test_draws_do_not_depend_on_the_number_of_jobs():
    one, two = (resample(line, N, 120, seed=3, jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coefficients, two.coefficients)


def test_groups_are_drawn_whole():
    by = np.repeat(list("abcdef"), 5)
    assert resample(line, N, 3, by=by).kind == "groups"
    weights = case_weights(by, N, 50, np.random.default_rng(0)).reshape(50, 6, 5)
    assert (weights == weights[:, :, :1]).all()
    assert (weights[:, :, 0].sum(axis=1) == 6).all()


def test_failed_refits_are_counted_and_left_out():
    whole = resample(line, N, 150)
    middle = float(np.median(whole.coefficients[:, 1]))
    some = resample(partial(line, fail=middle), N, 150)
    assert (len(some), some.failed, some.done) == (75, 75, 150)
    np.testing.assert_array_equal(some.coefficients, whole.coefficients[some.converged])


def test_an_interrupt_keeps_what_is_done():
    whole = resample(line, N, 250)
    part = resample(partial(line, stop=50), N, 250)  # in the last batch
    assert part.interrupted
    assert (len(part), part.requested) == (200, 250)
    np.testing.assert_array_equal(part.coefficients, whole.coefficients[:200])
    with pytest.raises(KeyboardInterrupt):
        resample(partial(line, stop=50), N, 50)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 1}, "n=1: must be a whole number of at least 2"),
        ({"n": 10.0}, "n=10.0"),
        ({"seed": -1}, "seed=-1"),
        ({"jobs": 0}, "jobs=0"),
        ({"by": ["a"] * N}, "by: has 1 groups; resampling whole groups needs at least 4"),
    ],
)
def test_bad_arguments(given, message):
    with pytest.raises(ValueError, match="^" + message):
        resample(line, N, **given)


# -- refits of a law -------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["huber-log", "least-squares-log"])
def test_refits_of_chinchilla_are_optimal(chinchilla_240, objective):
    """Each within 1e-6 of a fit from scratch of the resampled runs, or below it."""
    drawn = case_weights(None, 240, 6, np.random.default_rng(7))
    refits = fit(chinchilla_240, objective=objective).solution.refit(weights=drawn)
    assert refits.converged.all()
    for times, value in zip(drawn, refits.values, strict=True):
        rows = chinchilla_240.subset(np.repeat(np.arange(240), times.astype(int)))
        assert value == pytest.approx(fit(rows, objective=objective).objective_value, rel=1e-6)


def test_standard_errors_of_besiroglu(chinchilla_240):
    """Printed in 2404.10102, of 4000 draws, some of which ended early: A 124.5, B 1293.3, E 0.0257,
    alpha 0.0154, beta 0.0206.
    """
    errors = fit(chinchilla_240).resampled(400, seed=0).estimates()
    printed = {"E": 0.0257, "A": 124.5, "B": 1293.3, "beta": 0.0154, "gamma": 0.0206}
    for name, value in printed.items():
        assert errors[name].standard_error == pytest.approx(value, rel=0.25)


def test_refits_by_absolute_deviations_are_sharp():
    """Not minima of a smoothed objective: at each as many residuals are 0 as there are
    coefficients, as of a linear programme; one less where an exponent or E is on its bound.
    """
    found = fit(grid_runs(6, 4, noise=0.006, seed=4), objective="absolute-log").solution
    drawn = case_weights(None, 24, 3, np.random.default_rng(3))
    refits = found.refit(weights=drawn)
    assert refits.converged.all()
    thetas = found.model.write(refits.rows)
    for times, value, theta in zip(drawn, refits.values, thetas, strict=True):
        law = found.model.evaluate(theta[None])[0][0]
        residuals = np.abs(np.log(law) - np.log(found.observed))[times > 0]
        assert value == pytest.approx(float(residuals @ times[times > 0]), rel=1e-12)
        assert np.count_nonzero(residuals < 1e-9) >= 4
