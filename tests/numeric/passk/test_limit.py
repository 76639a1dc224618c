"""Upper limits of irreducible parts: against a plain search, in simulated truth, and under
clusters.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import t

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.fit import fit_form
from isoflop.numeric.passk.fit_at_k import PassFit, overdispersion, upper_limit
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import SQUARES, Data, fit_passk
from isoflop.numeric.simulate.counts import Fixed

COMPUTE = KINDS["compute"]
BUDGETS = np.geomspace(1e18, 1e22, 40)
SCATTER = 0.2


def law(compute, E0):
    return E0 + 5.0 * (compute / 1e18) ** -0.15


def squares(compute, values, clusters=None):
    """A compute law fitted by least squares to values of -log pass@k."""
    runs = Runs(
        params=None,
        tokens=None,
        compute=compute,
        loss=values,
        row=np.arange(1, 1 + len(values)),
        source="made",
    )
    fit = fit_form(runs, COMPUTE.terms, SQUARES)
    return PassFit(
        kind=COMPUTE,
        k=1,
        method="least-squares-log",
        fit=fit,
        used=np.ones(len(values), dtype=bool),
        scatter=float(np.sqrt(fit.objective_value / (len(values) - 3))),
        clusters=clusters,
    )


def scattered(seed, E0=0.0, compute=BUDGETS):
    return law(compute, E0) * np.exp(
        SCATTER * np.random.default_rng([7, seed]).standard_normal(len(compute))
    )


def searched(compute, values, level):
    """The same limit by a simplex over the other two coefficients and bisection over E0."""
    x, u = np.log(compute / 1e20), np.log(values)

    def least(E0, start=(1.0, 0.15)):
        def squares(theta):
            return float(np.sum((np.log(E0 + np.exp(theta[0] - theta[1] * x)) - u) ** 2))

        return minimize(
            squares,
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000},
        ).fun

    spare = len(values) - 3
    most = len(values) * np.log1p(t.ppf(0.5 + level / 2, spare) ** 2 / spare)
    return brentq(
        lambda E0: len(values) * np.log(least(E0) / least(0.0)) - most,
        1e-6,
        float(values.max()),
        rtol=1e-9,
    )


def on_the_bound(E0=0.0):
    """The first seed whose estimate is 0."""
    return next(
        seed
        for seed in range(20)
        if squares(BUDGETS, scattered(seed, E0)).coefficients["E0"] == 0.0
    )


@pytest.mark.parametrize("level", [0.8, 0.9, 0.99])
def test_least_squares_against_a_simplex(level):
    values = scattered(on_the_bound())
    fit = squares(BUDGETS, values)
    limit, theta = upper_limit(fit, level)
    assert limit == pytest.approx(searched(BUDGETS, values, level), rel=1e-4)
    assert theta[0] == limit


def test_it_holds_the_truth_as_often_as_it_says():
    """E0 = 0.15, where about half of the estimates are 0: the limit of a 90 % interval lies above
    it 19 times of 20.
    """
    fits = [squares(BUDGETS, scattered(seed, E0=0.15)) for seed in range(150)]
    zero = np.mean([fit.coefficients["E0"] == 0.0 for fit in fits])
    held = np.mean([upper_limit(fit)[0] > 0.15 for fit in fits])
    assert 0.2 < zero < 0.8
    assert abs(held - 0.95) < 3.0 * np.sqrt(0.05 * 0.95 / len(fits))


def test_the_likelihood_of_many_samples_is_a_sum_of_squares(drawn):
    """Counts that pin each model's pass@k down: least squares on the values that these make most
    likely.
    """
    found = drawn("compute", seed=5, E0=0.0, problems=300, sampling=Fixed(1024)).counts()
    (fit,) = fit_passk(found, k=[10]).fits
    assert fit.evidence is not None
    plain = squares(found.covariates["compute"], np.exp(fit.evidence.most_likely))
    assert fit.floor_limit()[0] > fit.coefficients["E0"]
    assert fit.floor_limit()[0] == pytest.approx(plain.floor_limit()[0], rel=0.05)


def test_intervals_of_a_floor_on_its_bound_reach_the_limit(drawn):
    found = drawn("compute", seed=5, E0=0.0).counts()
    laws = fit_passk(found, k=[10], method="least-squares-log", resamples=40)
    (fit,) = laws.fits
    assert fit.coefficients["E0"] == 0.0
    row, high = fit.row(), max(fit.floor_limit()[0], np.quantile(fit.drawn[:, 0], 0.95))
    assert (row["E0"], row["E0_lo"], row["E0_hi"]) == (0.0, 0.0, high)
    limits = [fit.floor_limit(level)[0] for level in (0.5, 0.9, 0.99)]
    assert limits == sorted(limits)
    ahead = {"compute": [1e20, 1e30]}
    low, above = fit.interval_ahead(ahead)
    assert (low < fit.predict(ahead)).all()
    assert (
        above[1] > fit.floor_limit()[0]
    )  # far beyond the models all that is left may be the floor


def test_a_floor_above_its_bound_keeps_its_percentiles(drawn):
    (fit,) = fit_passk(
        drawn("compute", seed=1, E0=1.0, scatter=0.02, problems=400).counts(),
        k=[10],
        method="least-squares-log",
        resamples=40,
    ).fits
    assert not fit.is_limited()
    found = fit.estimate("E0")
    assert [found.low, found.high] == pytest.approx(np.quantile(fit.drawn[:, 0], [0.05, 0.95]))


def test_nothing_is_excluded_where_models_scatter_widely():
    """Four models about a law with three coefficients."""
    fit = squares(BUDGETS[::13], np.array([9.0, 1.0, 3.0, 0.2]))
    assert fit.coefficients["E0"] == 0.0
    assert upper_limit(fit, 0.99)[0] == np.inf
    assert fit.interval_ahead({"compute": [1e24]}, 0.99)[1].tolist() == [np.inf]


# -- clusters --------------------------------------------------------------------------------------


def test_copies_of_a_model_tell_nothing_more():
    """Each of 40 models three times: scores of clusters are three times those of models."""
    values = scattered(on_the_bound())
    fit = squares(np.repeat(BUDGETS, 3), np.repeat(values, 3), clusters=np.repeat(np.arange(40), 3))
    assert overdispersion(fit) == pytest.approx(3.0 * (40 / 39) * (119 / 120), rel=1e-9)
    assert overdispersion(replace(fit, clusters=None)) == 1.0
    alone = upper_limit(squares(BUDGETS, values))[0]
    assert upper_limit(fit)[0] == pytest.approx(alone, rel=0.05)
    assert upper_limit(replace(fit, clusters=None))[0] < 0.8 * alone


def test_clusters_never_narrow_a_limit():
    fit = squares(BUDGETS, scattered(on_the_bound()), clusters=np.arange(40))
    assert overdispersion(fit) == pytest.approx(1.0, abs=1e-12)


# -- no degrees of freedom -------------------------------------------------------------------------


def test_as_many_coefficients_as_models_have_no_interval(compute_counts):
    few = Data(compute_counts.subset(np.array([0, 12, 29])), (10,))
    laws = fit_passk(few, method="least-squares-log", resamples=50)
    (fit,) = laws.fits
    assert fit.spare == 0
    assert not fit.estimate("alpha").has_interval
    assert len(fit.drawn) == 0
    assert fit.row()["alpha_lo"] is None
