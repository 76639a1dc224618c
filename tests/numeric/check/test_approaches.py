"""The approaches by their definitions: frontier, isoFLOP minima with their bias, rays; compute laws
against one multistart fit after another; the noise and the bands of resamples.
"""

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares
from tests.data import grid, isoflop_group, power_law

from isoflop.numeric.check.approaches import (
    SIX_ND,
    Rows,
    RunsBudget,
    find_profiles,
    fit_compute_laws,
    frontier,
    lines,
    losses_at,
    vertices,
)
from isoflop.numeric.check.paired import noise_about, simultaneous_band
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.law import Law

#: Far from symmetric, so that profiles are no parabolas.
LAW: dict[str, Any] = {"E": 1.7, "A": 8000.0, "B": 220.0, "beta": 0.46, "gamma": 0.22}
SIZES = np.geomspace(1e8, 2e10, 9)


def rows_of(params, tokens, loss=None, compute=None) -> Rows:
    compute = 6.0 * params * tokens if compute is None else compute
    loss = power_law(params, tokens, **LAW) if loss is None else loss
    return Rows(params, tokens, compute, loss)


@given(runs=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 8)), min_size=1, max_size=30))
def test_the_frontier_by_its_definition(runs):
    compute, losses = (np.array(column, dtype=float) for column in zip(*runs, strict=True))
    expected = [
        not any(c < own and other <= value for c, other in runs)
        and not any(c == own and other < value for c, other in runs)
        for own, value in runs
    ]
    assert frontier(compute, losses).tolist() == expected
    assert frontier(compute, np.stack([losses, losses[::-1]]))[0].tolist() == expected


# -- isoFLOP minima --------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n=st.integers(3, 10))
def test_vertices_and_lines_against_numpy(seed, n):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(18.0, 24.0, n)) + 0.1 * np.arange(n)
    y, w = 3.0 + 0.001 * (3.0 * (x - x.mean()) ** 2 + rng.standard_normal(n)), rng.uniform(1, 3, n)
    c, b, a = np.linalg.lstsq(np.vander(x - 21.0, 3), y, rcond=None)[0]
    at = 21.0 - b / (2.0 * c)
    inside = c > 0.0 and x[0] < at < x[-1]
    expected = np.array([at, a - b * b / (4.0 * c)] if inside else [np.nan] * 2)
    assert vertices(x, y[None])[:, 0] == pytest.approx(expected, rel=1e-7, nan_ok=True)
    slope, intercept = np.polyfit(x, y, 1, w=np.sqrt(w))
    assert lines(x, y, w) == pytest.approx((slope, intercept), rel=1e-7, abs=1e-9)
    assert np.isnan(lines(np.full(3, 2.0), np.arange(3.0), np.ones(3))[0])


def test_the_14_fits_of_porian_et_al(public_runs):
    """Porian et al. 2024, arXiv 2406.19146: N* = n_coef C^n_exponent and D* = t_coef C^t_exponent."""
    keys = ["file", "dataset", "hparams", "warmup", "decay", "param_count", "val"]
    points, fits = (
        pd.read_csv(
            public_runs / "porian2024" / f"compute_optimal_{name}.csv", dtype={"decay": str}
        )
        for name in ("points", "fits")
    )
    assert len(fits) == 14
    for (_, row), column in product(fits.iterrows(), ("n", "t")):
        own = points[(points[keys].astype(str) == row[keys].astype(str)).all(axis=1)]
        known = own.dropna(subset=column)
        compute, optimal = np.log(known[["flops", column]].to_numpy()).T
        found = lines(compute, optimal, np.ones(len(known)))
        expected = row[f"{column}_exponent"], np.log(row[f"{column}_coef"])
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("off", [0.0, 0.04])
def test_the_bias_of_the_parabola_is_taken_off(reference, off):
    """Also where the compute of runs is 4 % off the budget."""
    compute, params = grid((1e19, 1e20, 1e21, 1e22), SIZES)
    random = np.random.default_rng(2)
    tokens = compute / (6.0 * params) * np.exp(random.uniform(-off, off, len(params)))
    found = find_profiles(rows_of(params, tokens))
    losses = found.rows.loss[None]
    log_params, loss = found.corrected(losses, Law(**LAW))
    moved = {"A": 8000.0 * 1e9**0.023, "B": 220.0 * 2e10**-0.011, "beta": 0.483, "gamma": 0.209}
    nearly, _ = found.corrected(losses, Law(**LAW | moved))
    names = ("A", "B", "beta", "gamma")
    optima = [reference(float(budget), *map(LAW.get, names)) for budget in found.compute]
    best, least = (
        np.array([float(getattr(each, name)) for each in optima])
        for name in ("log_params", "reducible")
    )
    assert log_params[0] == pytest.approx(best, abs=1e-6)
    assert loss[0] == pytest.approx(LAW["E"] + least, rel=1e-6)
    table = found.table(Law(**LAW), SIX_ND)
    assert table.corrected_params.to_numpy() == pytest.approx(np.exp(best), rel=1e-6)
    spent = 6.0 * table.corrected_params * table.corrected_tokens
    assert spent.to_numpy() == pytest.approx(found.compute, rel=1e-12)
    before, after = (np.abs(each - best).max() for each in (found.minima(losses)[0][0], nearly[0]))
    assert before > 0.15  # N* is 15 % off or more
    assert after < 0.5 * before  # of a law whose exponents are 5 % off


def test_llama_3(public_runs):
    """The Llama-3 report: D*(C) = 0.29 C^0.53; its points, a parabola in log D per budget, then a
    line: 0.2994 C^0.5368.
    """
    runs = isoflop_group(public_runs, "llama_3__raw_loss")
    found = find_profiles(rows_of(runs.params, runs.tokens, runs.loss, runs.compute))
    log_tokens = np.log(found.compute / 6.0) - found.minima(runs.loss[None])[0][0]
    slope, intercept = lines(np.log(found.compute), log_tokens, np.ones(10))
    assert np.exp(intercept) == pytest.approx(0.2994, abs=5e-5)
    assert slope == pytest.approx(0.5368, abs=5e-5)


# -- compute laws, and the budget ------------------------------------------------------------------

COMPUTE = np.geomspace(1e18, 1e22, 9)


def test_compute_laws():
    """No worse than many starts; exact ones; with an outlier; at the bound of E; of too few points."""
    rng, x = np.random.default_rng(3), np.log(COMPUTE / 1e20)
    exact = 1.8 + 900.0 * COMPUTE**-0.155
    outlier = exact * np.where(np.arange(9) == 4, 1.2, 1.0)
    noisy = exact * np.exp(0.003 * rng.standard_normal((6, 9)))
    found, converged = fit_compute_laws(COMPUTE, np.stack([exact, outlier, exact - 1.85, *noisy]))
    assert converged.all()
    assert found[0] == pytest.approx([1.8, np.log(900.0), 0.155])
    assert found[2, 0] == 0.0
    rows, bounds = [outlier, exact - 1.85, *noisy[:2]], ([0, -50, 1e-3], [np.inf, 50, 10])
    for law, row in zip(losses_at(COMPUTE, found)[1:5], rows, strict=True):

        def off(theta, row=row):
            return np.log((theta[0] + np.exp(theta[1] - theta[2] * x)) / row)

        starts = [(share * row.min(), 0.0, b) for share in (0.1, 0.9) for b in (0.02, 0.1, 0.3)]
        best = min(least_squares(off, x0, bounds=bounds, xtol=1e-15).cost for x0 in starts)
        assert (np.log(law / row) ** 2).sum() <= 2.0 * best * (1.0 + 1e-8)
    robust, _ = fit_compute_laws(COMPUTE, outlier[None], objective=Objective(name="huber-log"))
    assert abs(found[1, 2] - 0.155) > 0.01 > abs(robust[0, 2] - 0.155)
    weights = np.array([[1.0] * 2 + [0.0] * 7, [1.0] * 4 + [0.0] * 5])
    _, converged = fit_compute_laws(COMPUTE, np.stack([exact, exact]), weights)
    assert converged.tolist() == [False, True]
    assert fit_compute_laws(COMPUTE, np.empty((0, 9)))[0].shape == (0, 3)


@pytest.mark.parametrize("expected", [(6.0, 1.0, 1.0), (4.0, 1.02, 1.0), (7.0, 0.9, 1.1)])
def test_the_budget_of_the_runs(expected):
    params, tokens = grid(np.geomspace(1e7, 1e10, 5), np.geomspace(1e9, 1e12, 5))
    kappa, a, d = expected
    budget = RunsBudget.of(params, tokens, kappa * params**a * tokens**d)
    assert budget == pytest.approx(expected, rel=1e-9)
    scaled = budget.scaled(params, tokens)
    assert 6.0 * scaled[0] * scaled[1] == pytest.approx(kappa * params**a * tokens**d)
    assert budget.law(**LAW).loss(*scaled) == pytest.approx(power_law(params, tokens, **LAW))
    assert np.array(budget.unscaled(*scaled)) == pytest.approx(np.array([params, tokens]))
    assert RunsBudget.of(params, 20.0 * params, 50.0 * params**2) == pytest.approx((2.5, 1, 1))
    with pytest.raises(ValueError, match=r"^compute: must grow with both"):
        RunsBudget.of(params, tokens, params / tokens)


# -- noise and bands -------------------------------------------------------------------------------


def test_noise_is_local_and_free_of_the_misfit():
    """Noise ten times larger on one side, and a misfit that is a step: resamples have the former,
    not the latter.
    """
    params, tokens = grid(np.geomspace(1e7, 1e11, 20), np.geomspace(1e9, 1e12, 20))
    large = params > 1e9
    size, step = np.where(large, 0.001, 0.01), np.where(large, 0.05, -0.05)
    scatter = size * np.random.default_rng(0).standard_normal(400) + step
    runs: Any = SimpleNamespace(params=params, tokens=tokens, loss=np.exp(scatter), group=None)
    drawn = np.log(noise_about(runs, np.ones(400), 395)(np.random.default_rng(1), 500))
    inner, deviation = (params < 3e8) | (params > 3e9), drawn.std(axis=0)
    assert np.median(deviation[inner & large]) == pytest.approx(0.001, rel=0.2)
    assert np.median(deviation[inner & ~large]) == pytest.approx(0.01, rel=0.2)
    assert abs(drawn[:, inner].mean(axis=0)).max() < 0.01


def test_a_simultaneous_band_holds_whole_curves():
    rng = np.random.default_rng(0)
    x = np.linspace(-1.0, 1.0, 33)
    curves = rng.standard_normal((8000, 3)) @ np.stack([np.ones(33), x, x**2])
    half = simultaneous_band(curves[:4000], 0.9)
    share = (np.abs(curves[4000:]) <= half).all(axis=1).mean()
    assert share == pytest.approx(0.9, abs=0.02)  # 4 sqrt(.09/4000), twice
