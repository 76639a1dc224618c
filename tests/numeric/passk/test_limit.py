"""Upper limits of irreducible parts: against a plain search, in simulated truth, under clusters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import t

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.fit import fit_form
from isoflop.numeric.passk import fit_passk
from isoflop.numeric.passk.fit_at_k import SQUARES, Models, PassFit, overdispersion, upper_limit
from isoflop.numeric.passk.kinds import KINDS

COMPUTE = KINDS["compute"]
BUDGETS = np.geomspace(1e18, 1e22, 40)


def squares(compute, values, clusters=None):
    """A compute law fitted by least squares to values of -log pass@k."""
    row = np.arange(1, 1 + len(values))
    table = {"params": None, "tokens": None, "compute": compute, "loss": values}
    fit = fit_form(Runs(**table, row=row, source="made"), COMPUTE.terms, SQUARES)
    return PassFit(
        kind=COMPUTE,
        k=1,
        method="least-squares-log",
        fit=fit,
        used=np.ones(len(values), dtype=bool),
        scatter=float(np.sqrt(fit.objective_value / (len(values) - 3))),
        clusters=clusters,
    )


def scattered(seed, E0=0.0):
    noise = np.random.default_rng([7, seed]).standard_normal(len(BUDGETS))
    return (E0 + 5.0 * (BUDGETS / 1e18) ** -0.15) * np.exp(0.2 * noise)


#: The first seed whose estimate is 0.
ON_THE_BOUND = next(
    seed for seed in range(20) if squares(BUDGETS, scattered(seed)).coefficients["E0"] == 0.0
)


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_least_squares_against_a_simplex(level):
    """A simplex over the other two coefficients and bisection over E0."""
    values = scattered(ON_THE_BOUND)
    x, u = np.log(BUDGETS / 1e20), np.log(values)

    def least(E0):
        def squares(theta):
            return float(np.sum((np.log(E0 + np.exp(theta[0] - theta[1] * x)) - u) ** 2))

        how: Any = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
        return minimize(squares, (1.0, 0.15), method="Nelder-Mead", options=how).fun

    spare = len(values) - 3
    most = len(values) * np.log1p(t.ppf(0.5 + level / 2, spare) ** 2 / spare)
    limit = brentq(lambda E0: len(values) * np.log(least(E0) / least(0.0)) - most, 1e-6, 3.0)
    assert upper_limit(squares(BUDGETS, values), level) == pytest.approx(limit, rel=1e-4)


def test_the_likelihood_of_many_samples_is_a_sum_of_squares(drawn):
    """Counts that pin each model's pass@k down: least squares on the values that these make most
    likely.
    """
    found = drawn(seed=5, E0=0.0, sampled={"problems": 300, "samples": 1024})
    fit = fit_passk(found, laws="compute", k=[10], resamples=0).at(10)
    assert fit.evidence is not None
    plain = squares(found.covariates["compute"], np.exp(fit.evidence.most_likely))
    assert upper_limit(fit) > fit.coefficients["E0"]
    assert upper_limit(fit) == pytest.approx(upper_limit(plain), rel=0.05)


def test_intervals_of_a_floor(drawn):
    """On its bound it reaches from 0 to the limit, above it has its percentiles."""
    options: Any = {"laws": "compute", "k": [10], "method": "least-squares-log", "resamples": 40}
    fit = fit_passk(drawn("compute", seed=5, E0=0.0), **options).at(10)
    found, limit = fit.estimate("E0"), upper_limit(fit)
    highest = max(limit, np.quantile(fit.drawn[:, 0], 0.95))
    assert (found.value, found.low, found.high) == (0.0, 0.0, highest)
    limits = [upper_limit(fit, level) for level in (0.5, 0.9, 0.99)]
    assert limits == sorted(limits)
    assert fit.interval_ahead({"compute": [1e30]})[1] >= limit  # all that is left may be the floor
    counts = drawn(seed=1, E0=1.0, scatter=0.02, sampled={"problems": 400})
    fit = fit_passk(counts, **options).at(10)
    found = fit.estimate("E0")
    assert [found.low, found.high] == pytest.approx(np.quantile(fit.drawn[:, 0], [0.05, 0.95]))


def test_copies_of_a_model_tell_nothing_more():
    """Each of 40 models three times: scores of clusters are three times those of models."""
    values = scattered(ON_THE_BOUND)
    fit = squares(np.repeat(BUDGETS, 3), np.repeat(values, 3), clusters=np.repeat(np.arange(40), 3))
    assert overdispersion(fit) == pytest.approx(3.0 * (40 / 39) * (119 / 120), rel=1e-9)
    alone = upper_limit(squares(BUDGETS, values))
    assert upper_limit(fit) == pytest.approx(alone, rel=0.05)
    assert upper_limit(replace(fit, clusters=None)) < 0.8 * alone
    each = squares(BUDGETS, values, clusters=np.arange(40))
    assert overdispersion(each) == pytest.approx(1.0, abs=1e-12)  # never narrower


def test_as_many_coefficients_as_models_have_no_interval(compute_counts):
    few = Models(compute_counts.subset(np.array([0, 12, 29])), (10,))
    options: Any = {"laws": "compute", "method": "least-squares-log", "resamples": 50}
    fit = fit_passk(few, **options).at(10)
    assert (fit.spare, len(fit.drawn)) == (0, 0)
    assert not fit.estimate("alpha").has_interval
