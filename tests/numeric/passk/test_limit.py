"""Upper limits of irreducible parts: against a plain search, in simulated truth, and under
clusters.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import t

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.fitting import fit_form
from isoflop.numeric.fit.models import Design
from isoflop.numeric.fit.resample import Draws
from isoflop.numeric.passk.fit_at_k import PassFit, open_side, overdispersion, upper_limit
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
    assert fit.floor_limit() > fit.coefficients["E0"]
    assert fit.floor_limit() == pytest.approx(plain.floor_limit(), rel=0.05)


def test_intervals_of_a_floor_on_its_bound_reach_the_limit(drawn):
    found = drawn("compute", seed=5, E0=0.0).counts()
    laws = fit_passk(found, k=[10], method="least-squares-log", resamples=40)
    (fit,) = laws.fits
    assert fit.coefficients["E0"] == 0.0
    assert fit.interval("E0") == (
        0.0,
        max(fit.floor_limit(), np.quantile(fit.drawn_of("E0"), 0.95)),
    )
    assert fit.floor_limit(0.5) < fit.floor_limit(0.9) < fit.floor_limit(0.99)
    row = laws.rows()[0]
    assert (row["E0_lo"], row["E0_hi"], row["E0_interval"]) == (0.0, fit.interval("E0")[1], "limit")
    low, high = fit.interval_ahead({"compute": [1e20, 1e30]})
    usual = fit.prediction({"compute": [1e20, 1e30]}).interval()
    assert (low <= usual[0]).all()
    assert (high >= usual[1]).all()
    assert high[1] > fit.floor_limit()  # far beyond the models all that is left may be the floor


def test_a_floor_above_its_bound_keeps_its_percentiles(drawn):
    (fit,) = fit_passk(
        drawn("compute", seed=1, E0=1.0, scatter=0.02, problems=400).counts(),
        k=[10],
        method="least-squares-log",
        resamples=40,
    ).fits
    assert not fit.is_limited()
    assert fit.interval("E0") == pytest.approx(
        np.quantile(fit.drawn_of("E0"), [0.05, 0.95]), rel=1e-12
    )
    assert fit.row()["E0_interval"] == "percentiles"


def test_nothing_is_excluded_where_models_scatter_widely():
    """Four models about a law with three coefficients."""
    fit = squares(BUDGETS[::13], np.array([9.0, 1.0, 3.0, 0.2]))
    assert fit.coefficients["E0"] == 0.0
    assert upper_limit(fit, 0.99)[0] == np.inf
    same = np.tile(list(fit.coefficients.values()), (9, 1))
    drawn = fit.with_draws(Draws(fit, same, np.arange(9), 9, 0))
    assert drawn.row(0.99)["E0_open"] == "above"
    assert drawn.interval_ahead({"compute": [1e24]}, 0.99)[1].tolist() == [np.inf]


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


# -- ends that are none ----------------------------------------------------------------------------


def edged(share, exponent, name="params-tokens"):
    """A fit of which a share of the draws have this exponent."""
    kind = KINDS[name]
    random = np.random.default_rng(3)
    params, tokens = (
        np.exp(random.uniform(np.log(low), np.log(high), 30))
        for low, high in ((1e8, 1e10), (1e10, 1e12))
    )
    gold = random.uniform(20.0, 200.0, 30)
    values = 0.5 + (
        30.0 * params**-0.2 + 20.0 * tokens**-0.15 if name == "params-tokens" else 1e-3 * gold**1.5
    ) * np.exp(0.05 * random.standard_normal(30))
    held = {"params": params, "tokens": tokens, "gold": gold}
    variables: dict[str, Any] = {"params": None, "tokens": None, "compute": None} | kind.variables(
        {key: held[key] for key in kind.covariates}
    )
    runs = Runs(**variables, loss=values, row=np.arange(1, 31), source="made")
    fit = fit_form(runs, kind.terms, SQUARES)
    draws = np.tile(list(fit.coefficients.values()), (100, 1))
    last = len(kind.coefficients) - 1
    assert isinstance(fit.design, Design)
    centre = fit.design.centres[-1]
    lost = int(share * 100)
    prefactor = {"params-tokens": 2, "gold": 1}[name]
    draws[:lost, last] = exponent
    draws[:lost, prefactor] = np.exp(
        np.log(draws[0, prefactor]) + (exponent - draws[-1, last]) * centre
    )
    return PassFit(
        kind=kind,
        k=1,
        method="least-squares-log",
        fit=fit,
        used=np.ones(30, dtype=bool),
        scatter=0.05,
        draws=Draws(fit=fit, coefficients=draws, index=np.arange(100), requested=100, failed=0),
    )


@pytest.mark.parametrize(
    ("name", "exponent", "of_exponent", "of_prefactor"),
    [
        ("params-tokens", 10.0, "above", "above"),
        ("params-tokens", 1e-3, "below", "below"),
        ("gold", 10.0, "above", "below"),  # 1/g is below 1: K0 = T g^-kappa falls as kappa rises
    ],
)
def test_ends_at_a_limit_of_the_search_are_open(name, exponent, of_exponent, of_prefactor):
    fit = edged(0.06, exponent, name)
    last, prefactor = fit.kind.coefficients[-1], {"params-tokens": "D0", "gold": "K0"}[name]
    assert open_side(fit.estimate(last)) == of_exponent
    assert open_side(fit.estimate(prefactor)) == of_prefactor
    assert open_side(fit.estimate(last, 0.8)) is None  # 6 % of the draws are in the tail of 10 %
    assert open_side(edged(0.05, exponent, name).estimate(last)) is None
    for other in set(fit.kind.coefficients) - {last, prefactor, fit.kind.floor}:
        assert open_side(fit.estimate(other)) is None
    assert fit.at_edge(last).sum() == 6
    assert fit.row()[f"{last}_open"] == of_exponent


# -- no degrees of freedom -------------------------------------------------------------------------


def test_as_many_coefficients_as_models_have_no_interval(compute_counts):
    few = Data(compute_counts.subset(np.array([0, 12, 29])), (10,))
    laws = fit_passk(few, method="least-squares-log", resamples=50)
    (fit,) = laws.fits
    assert (fit.spare, fit.has_intervals) == (0, False)
    assert not fit.estimate("alpha").has_interval
    assert laws.draws("alpha").shape == (0, 1)
    row = laws.rows()[0]
    assert row["alpha_lo"] is row["alpha_hi"] is row["E0_interval"] is None
    assert row["alpha"] == fit.coefficients["alpha"]
