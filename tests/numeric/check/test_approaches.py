"""The approaches by their definitions: frontier, isoFLOP minima with their bias, rays; compute laws
against one multistart fit after another; the noise and the bands of resamples.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares
from tests.data import at_ratios, grid, isoflop_group, power_law

from isoflop.numeric.check.approaches import (
    BIASED_AWAY,
    NO_MINIMUM,
    clusters,
    find_budgets,
    find_ray,
    frontier,
    lines,
    vertices,
)
from isoflop.numeric.check.band import reason, simultaneous_band, verdict
from isoflop.numeric.check.laws import LEAST_SQUARES, Laws, fit_compute_laws
from isoflop.numeric.check.paired import Noise
from isoflop.numeric.check.runs import beyond_chance
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.results import Band

#: E, A, B, beta, gamma far from symmetric, so that profiles are no parabolas.
LAW = (1.7, 8000.0, 220.0, 0.46, 0.22)
SIZES = np.geomspace(1e8, 2e10, 9)


def loss(params, tokens, law=LAW):
    return power_law(
        params, tokens, **dict(zip(("E", "A", "B", "beta", "gamma"), law, strict=True))
    )


def laws(*coefficients):
    return Laws(np.array([coefficients or LAW]))


# -- the frontier, and runs that share a value -----------------------------------------------------


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


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    tolerance=st.floats(0.01, 1.0),
    least=st.integers(1, 6),
)
def test_clusters_are_disjoint_narrow_and_the_first_is_the_largest(seed, n, tolerance, least):
    values = np.exp(np.random.default_rng(seed).uniform(0.0, 3.0, n))
    found = clusters(values, tolerance, least)
    members = [index for cluster in found for index in cluster]
    assert len(members) == len(set(members))
    for cluster in found:
        assert len(cluster) >= least
        assert values[cluster].max() <= values[cluster].min() * (1.0 + tolerance) * (1.0 + 1e-8)
    most = max(int(((values >= v) & (values <= v * (1.0 + tolerance))).sum()) for v in values)
    assert max(map(len, found), default=0) == (most if most >= least else 0)


def test_losses_are_moved_along_the_law_and_keep_their_residuals(reference):
    """To the ray nearest D*/N* of those that a tenth of the runs share, among a cloud of ratios."""
    params, tokens = at_ratios(np.geomspace(1e18, 1e22, 8), [19.5, 20.4, 3000.0])
    random = np.random.default_rng(0)
    cloud, ratios = np.exp(random.uniform(18, 23, 40)), np.exp(random.uniform(0, 6, 40))
    params, tokens = np.r_[params, cloud], np.r_[tokens, ratios * cloud]
    compute, residuals = 6.0 * params * tokens, 0.01 * random.standard_normal(64)
    losses = loss(params, tokens) * np.exp(residuals)
    table = SimpleNamespace(params=params, tokens=tokens, loss=losses)
    ray = find_ray(table, compute, laws(1.7, 400.0, 2000.0, 0.34, 0.37), LEAST_SQUARES)
    planned = np.flatnonzero(np.abs(np.log(tokens[:24] / params[:24] / 20.0)) < 0.1)
    assert {*planned.tolist()} <= {*ray.members.tolist()}
    assert ray.tokens_per_param == pytest.approx(20.0, rel=0.05)
    on_ray = np.sqrt(ray.compute / (6.0 * ray.tokens_per_param))
    moved = ray.points(losses[None], None, laws()).losses[0]
    expected = loss(on_ray, ray.tokens_per_param * on_ray) * np.exp(residuals[ray.members])
    assert moved == pytest.approx(expected, rel=1e-12)
    best = np.array([LAW[0] + float(reference(float(c), *LAW[1:]).reducible) for c in compute[:9]])
    assert laws().envelope(compute[:9])[0] == pytest.approx(best, rel=1e-13)


# -- isoFLOP minima --------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n=st.integers(3, 10))
def test_vertices_against_rationals(seed, n):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(18.0, 24.0, n)) + 0.1 * np.arange(n)
    y = 3.0 + 0.02 * (x - 21.0) ** 2 + 0.001 * rng.standard_normal(n)
    w = rng.integers(1, 4, n).astype(float)
    X, Y, W = (sympy.Matrix([sympy.Rational(v) for v in values]) for values in (x, y, w))
    powers = sympy.Matrix([[1, v, v * v] for v in X])
    weighted = sympy.diag(*W) * powers
    a, b, c = (powers.T * weighted).LUsolve(weighted.T * Y)
    (position,), (height,), (curvature,), _ = vertices(x, y[None], w)
    assert curvature == pytest.approx(float(c), rel=1e-8, abs=1e-12)
    assert position == pytest.approx(float(-b / (2 * c)), rel=1e-8)
    assert height == pytest.approx(float(a - b * b / (4 * c)), rel=1e-8)
    *of_two_sizes, valid = vertices(np.array([1.0, 1.0, 2.0]), np.array([[1.0, 1.1, 1.2]]))
    assert np.isnan(of_two_sizes).all()
    assert not valid.any()


@pytest.mark.parametrize(("off", "share"), [(0.0, 1.0), (0.04, 1.05)])
def test_the_bias_of_the_parabola_is_taken_off(reference, off, share):
    """Also where the compute of runs is 4 % off the budget, or counts 5 % more than 6ND."""
    compute, params = grid((1e19, 1e20, 1e21, 1e22), SIZES)
    random = np.random.default_rng(2)
    tokens = compute / (6.0 * params) * np.exp(random.uniform(-off, off, len(params))) / share
    found = find_budgets(params, tokens, compute)
    losses = loss(params, tokens)[None]
    raw, corrected = found.minima(losses), found.corrected(losses, None, laws())
    other = laws(1.7, 8000.0 * 1e9**0.023, 220.0 * 2e10**-0.011, 0.483, 0.209)
    nearly = found.corrected(losses, None, other)
    optima = [reference(float(budget), *LAW[1:]) for budget in found.compute]
    log_params, log_tokens, best = (
        np.array([float(getattr(each, name)) for each in optima])
        for name in ("log_params", "log_tokens", "reducible")
    )
    assert corrected.valid.all()
    assert corrected.log_params[0] == pytest.approx(log_params, abs=1e-6)
    assert corrected.log_tokens[0] == pytest.approx(log_tokens, abs=1e-6)
    assert corrected.loss[0] == pytest.approx(LAW[0] + best, rel=1e-6)
    before, after = (np.abs(each.log_params[0] - log_params).max() for each in (raw, nearly))
    assert before > 0.15  # N* is 15 % off or more
    assert after < 0.5 * before  # of a law whose exponents are 5 % off


def test_budgets_are_left_out_with_their_reason():
    compute, params = grid((1e19, 1e20), np.geomspace(1e8, 1e9, 6))
    tokens = compute / (6.0 * params)
    losses = np.where(compute < 5e19, 3.0 - 0.04 * np.log(params / 1e8), 0.0)  # still falling
    losses[compute > 5e19] = 2.5 + 0.02 * np.log(params[compute > 5e19] / 3e8) ** 2
    found = find_budgets(params, tokens, compute)
    frame = found.frame(losses, None, laws(1.7, 400.0, 2000.0, 1.5, 0.1))
    assert frame.reason.tolist() == [NO_MINIMUM, BIASED_AWAY]
    assert np.isnan(frame.params[0])
    assert frame.params[1] == pytest.approx(3e8)
    for sizes in (np.geomspace(1e8, 1e10, 4), np.geomspace(1e8, 1.9e8, 9)):  # few, narrow
        compute, params = grid((1e19, 1e20), sizes)
        assert not find_budgets(params, compute / (6.0 * params), compute).members


def test_llama_3(public_runs):
    """The Llama-3 report: D*(C) = 0.29 C^0.53; its points, a parabola in log D per budget, then a
    line: 0.2994 C^0.5368.
    """
    runs = isoflop_group(public_runs, "llama_3__raw_loss")
    found = find_budgets(runs.params, runs.tokens, runs.compute)
    minima = found.minima(runs.loss[None])
    assert minima.valid.sum() == 10
    slope, intercept = lines(np.log(found.compute), minima.log_tokens[0], np.ones(10))
    assert np.exp(intercept) == pytest.approx(0.2994, abs=5e-5)
    assert slope == pytest.approx(0.5368, abs=5e-5)


# -- compute laws ----------------------------------------------------------------------------------

COMPUTE = np.geomspace(1e18, 1e22, 9)


def residuals(theta, values):
    return np.log(theta[0] + np.exp(theta[1] - theta[2] * np.log(COMPUTE / 1e20))) - np.log(values)


@pytest.mark.parametrize("weighted", [False, True])
def test_compute_laws_are_no_worse_than_a_multistart(weighted):
    rng = np.random.default_rng(3)
    E, C0, alpha = (rng.uniform(*ends, (40, 1)) for ends in ((0.5, 3.0), (0.3, 3.0), (0.05, 0.4)))
    values = (E + C0 * (COMPUTE / 1e20) ** -alpha) * np.exp(0.003 * rng.standard_normal((40, 9)))
    weights = rng.integers(0, 3, values.shape).astype(float) if weighted else np.ones_like(values)
    weights[:, [0, 3, 6, 8]] = np.maximum(weights[:, [0, 3, 6, 8]], 1.0)
    found = fit_compute_laws(COMPUTE, values, weights)
    assert found.converged.all()
    tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    for law, row, w in zip(found.losses(COMPUTE), values, weights, strict=True):
        best = min(
            least_squares(
                lambda theta, row=row, w=w: np.sqrt(w) * residuals(theta, row),
                (share * row.min(), np.log(row.min()), start),
                bounds=([0.0, -50.0, 1e-3], [np.inf, 50.0, 10.0]),
                **tight,
            ).cost
            for share in (0.1, 0.5, 0.9)
            for start in (0.02, 0.1, 0.3, 1.0)
        )
        assert (w * np.log(law / row) ** 2).sum() <= 2.0 * best * (1.0 + 1e-8) + 1e-20


def test_compute_laws_that_are_known():
    exact = 1.8 + 900.0 * COMPUTE**-0.155
    outlier = exact * np.where(np.arange(9) == 4, 1.2, 1.0)
    plain = fit_compute_laws(COMPUTE, np.stack([exact, outlier, exact - 1.85]))
    robust = fit_compute_laws(COMPUTE, outlier[None], objective=Objective(name="huber-log"))
    assert plain.coefficients[0] == pytest.approx([1.8, np.log(900.0), 0.155])
    assert abs(plain.coefficients[1, 2] - 0.155) > 0.01
    assert robust.coefficients[0, 2] == pytest.approx(0.155, abs=2e-3)
    assert plain.coefficients[2, 0] == 0.0  # no irreducible loss: at its bound
    weights = np.zeros((2, 9))
    weights[0, :2], weights[1, :4] = 1.0, 1.0
    few = fit_compute_laws(COMPUTE, np.stack([exact, exact]), weights)
    assert few.converged.tolist() == [False, True]  # three budgets, at least


# -- noise and bands -------------------------------------------------------------------------------


def noise_of(residuals, params, tokens, group=None):
    rows = SimpleNamespace(params=params, tokens=tokens, loss=np.exp(residuals), group=group)
    return Noise.of(rows, np.ones(len(params)), len(params) - 5)


def test_noise_is_local_and_free_of_the_misfit():
    """Noise ten times larger on one side, and a misfit that is a step: resamples have the former,
    not the latter.
    """
    params, tokens = grid(np.geomspace(1e7, 1e11, 20), np.geomspace(1e9, 1e12, 20))
    large = params > 1e9
    size, step = np.where(large, 0.001, 0.01), np.where(large, 0.05, -0.05)
    scatter = size * np.random.default_rng(0).standard_normal(400) + step
    drawn = np.log(noise_of(scatter, params, tokens).draw(np.random.default_rng(1), 500))
    inner = (params < 3e8) | (params > 3e9)
    deviation = drawn.std(axis=0)
    assert np.median(deviation[inner & large]) == pytest.approx(0.001, rel=0.2)
    assert np.median(deviation[inner & ~large]) == pytest.approx(0.01, rel=0.2)
    assert abs(drawn[:, inner].mean(axis=0)).max() < 0.01


def test_the_runs_of_a_group_take_their_noise_from_one_group():
    rng = np.random.default_rng(0)
    params, tokens = np.exp(rng.uniform(18, 23, 60)), np.exp(rng.uniform(22, 26, 60))
    member = np.arange(60) % 6
    noise = noise_of(0.01 * rng.standard_normal(60), params, tokens, member.astype(str))
    donors = {round(float(value), 12): int(own) for value, own in zip(noise.noise, member)}  # noqa: B905
    for row in np.log(noise.draw(np.random.default_rng(1), 20)):
        of_run = np.array([donors[round(float(value), 12)] for value in row])
        assert all(len(set(of_run[member == group].tolist())) == 1 for group in range(6))


def test_a_simultaneous_band_holds_whole_curves():
    rng = np.random.default_rng(0)
    x = np.linspace(-1.0, 1.0, 33)

    def curves(count):
        return rng.standard_normal((count, 3)) @ np.stack([np.ones(33), x, x**2])

    band = simultaneous_band(np.zeros(33), curves(4000), 0.9)
    fresh = curves(4000)
    share = ((fresh >= band.low) & (fresh <= band.high)).all(axis=1).mean()
    assert share == pytest.approx(0.9, abs=0.02)  # 4 sqrt(.09/4000), twice


@pytest.mark.parametrize(
    ("low", "high", "expected", "part"),
    [
        ([-0.01, -0.005], [0.0, 0.01], "consistent", ""),
        ([-0.005, 0.011], [0.005, 0.02], "inconsistent", "+1.10 %, +2.00 %] at 1e20 FLOP, outside"),
        ([-0.03, -0.005], [-0.011, 0.005], "inconsistent", "at 1e18 FLOP"),
        ([-0.005, -0.005], [0.0, 0.012], "cannot tell", "reaches 1.20 % at 1e20 FLOP"),
        ([-0.02, -0.005], [0.02, 0.005], "cannot tell", "reaches 2.00 % at 1e18 FLOP"),
    ],
)
def test_verdicts(low, high, expected, part):
    low, high = np.array(low), np.array(high)
    band = Band((low + high) / 2, low, high)
    assert verdict(band, 0.01) == expected
    assert part in reason(band, np.array([1e18, 1e20]), 0.01)


@given(seed=st.integers(0, 10**6), difference=st.floats(-4.0, 4.0))
def test_beyond_chance_is_outside_of_what_chance_brings(seed, difference):
    drawn = np.random.default_rng(seed).exponential(size=200) - 1.0
    found = beyond_chance(difference, drawn, 0.9)
    low, high = np.quantile(drawn, [0.05, 0.95])
    assert found.excludes(0.0) == (difference > high or difference < low)
    assert found.value == pytest.approx(difference - np.median(drawn))
