"""The frontier by its definition, rays by theirs, and the noise that resamples draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data import grid, power_law

from isoflop.numeric.check.approaches import chosen_rays, find_rays, frontier
from isoflop.numeric.check.band import farthest, reason, simultaneous_band, verdict
from isoflop.numeric.check.laws import Laws
from isoflop.numeric.check.paired import Noise
from isoflop.numeric.check.runs import beyond_chance
from isoflop.numeric.results import Band

COEFFICIENTS = {"E": 1.7, "A": 400.0, "B": 2000.0, "beta": 0.46, "gamma": 0.22}
LAW = tuple(COEFFICIENTS.values())


def loss(params, tokens):
    return power_law(params, tokens, **COEFFICIENTS)


@given(
    runs=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 8)), min_size=1, max_size=30),
)
def test_the_frontier_by_its_definition(runs):
    compute, losses = (np.array(column, dtype=float) for column in zip(*runs, strict=True))
    expected = [
        not any(c < own and other <= value for c, other in runs)
        and not any(c == own and other < value for c, other in runs)
        for own, value in runs
    ]
    assert frontier(compute, losses).tolist() == expected
    assert frontier(compute, np.stack([losses, losses[::-1]]))[0].tolist() == expected


def test_moved_runs_lie_on_the_envelope_and_keep_their_residual(reference):
    rng = np.random.default_rng(0)
    params, tokens = np.exp(rng.uniform(18, 23, 12)), np.exp(rng.uniform(22, 26, 12))
    compute, residuals = 6.0 * params * tokens, 0.01 * rng.standard_normal(12)
    law = Laws.of(LAW)
    moved = law.moved(
        (loss(params, tokens) * np.exp(residuals))[None], params, tokens, law.envelope(compute)
    )[0]
    best = np.array([LAW[0] + float(reference(float(c), *LAW[1:]).reducible) for c in compute])
    assert np.log(moved / best) == pytest.approx(residuals, abs=1e-12)


def test_moved_runs_lie_on_the_ray():
    rng = np.random.default_rng(1)
    params = np.geomspace(1e8, 1e10, 9)
    tokens = 20.0 * params * np.exp(rng.uniform(-0.04, 0.04, 9))
    compute = 6.0 * params * tokens
    law = Laws.of(LAW)
    moved = law.moved(loss(params, tokens)[None], params, tokens, law.ray(compute, 20.0))[0]
    on_ray = np.sqrt(compute / (6.0 * 20.0))
    assert moved == pytest.approx(loss(on_ray, 20.0 * on_ray), rel=1e-12)


def test_planned_ratios_are_found_and_chance_ones_are_not():
    params = np.tile(np.geomspace(1e8, 1e10, 8), 2)
    tokens = params * np.repeat([20.0, 80.0], 8)
    rng = np.random.default_rng(0)
    cloud = np.exp(rng.uniform(18, 23, 40))
    params, tokens = (
        np.concatenate([params, cloud]),
        np.concatenate([tokens, cloud * np.exp(rng.uniform(0, 6, 40))]),
    )
    rays = find_rays(params, tokens, 6.0 * params * tokens, 0.02, least_runs=6)
    assert [round(ray.tokens_per_param) for ray in rays] == [20, 80]
    assert all(
        set(range(8 * k, 8 * k + 8)) <= set(ray.members.tolist()) for k, ray in enumerate(rays)
    )


def test_the_ray_nearest_the_optimum_is_chosen():
    ratios = [1.26, 7.96, 20.0, 126.0]
    params, tokens = (
        x.ravel() for x in np.broadcast_arrays(*grid(np.geomspace(1e8, 1e10, 6), ratios))
    )
    tokens = tokens * params
    design = (params, tokens, 6.0 * params * tokens)
    for optimum, expected in ((1.0, 1.26), (23.0, 20.0), (1e4, 126.0)):
        (ray,), reason = chosen_rays(*design, optimum, 0.1, None)
        assert ray.tokens_per_param == pytest.approx(expected)
        assert reason == ""
    rays, _ = chosen_rays(*design, 23.0, 0.1, [126.0, 7.5])
    assert [ray.tokens_per_param for ray in rays] == pytest.approx([7.96, 126.0])
    none, reason = chosen_rays(
        params[:4], tokens[:4], 6.0 * params[:4] * tokens[:4], 20.0, 0.1, None
    )
    assert none == []
    assert "D/N" in reason


def test_noise_is_local_and_free_of_the_misfit():
    """Noise ten times larger on one side, and a misfit that is a step: resamples have the former,
    not the latter.
    """
    rng = np.random.default_rng(0)
    params, tokens = (
        g.ravel() for g in np.meshgrid(np.geomspace(1e7, 1e11, 20), np.geomspace(1e9, 1e12, 20))
    )
    large = params > 1e9
    residuals = np.where(large, 0.001, 0.01) * rng.standard_normal(400) + np.where(
        large, 0.05, -0.05
    )
    noise = Noise.of(np.exp(residuals), np.ones(400), params, tokens, None, 395)
    drawn = np.log(noise.draw(np.random.default_rng(1), 500))
    inner = (params < 3e8) | (params > 3e9)
    deviation = drawn.std(axis=0)
    assert np.median(deviation[inner & large]) == pytest.approx(0.001, rel=0.2)
    assert np.median(deviation[inner & ~large]) == pytest.approx(0.01, rel=0.2)
    assert abs(drawn[:, inner].mean(axis=0)).max() < 0.01


def test_the_runs_of_a_group_take_their_noise_from_one_group():
    rng = np.random.default_rng(0)
    n = 60
    params, tokens = np.exp(rng.uniform(18, 23, n)), np.exp(rng.uniform(22, 26, n))
    group = np.array([f"seed {i % 6}" for i in range(n)], dtype=object)
    noise = Noise.of(np.exp(0.01 * rng.standard_normal(n)), np.ones(n), params, tokens, group, 55)
    member = np.arange(n) % 6
    known = noise.noise
    of_noise = {float(value): int(member[i]) for i, value in enumerate(noise.noise)}
    for row in np.log(noise.draw(np.random.default_rng(1), 20)):
        donors = [of_noise[float(known[np.abs(known - value).argmin()])] for value in row]
        for code in range(6):
            assert (
                len({donor for donor, own in zip(donors, member, strict=True) if own == code}) == 1
            )


def test_a_simultaneous_band_holds_whole_curves():
    rng = np.random.default_rng(0)
    grid = np.linspace(-1.0, 1.0, 33)

    def curves(count):
        return rng.standard_normal((count, 3)) @ np.stack([np.ones(33), grid, grid**2])

    band = simultaneous_band(np.zeros(33), curves(4000), 0.9)
    fresh = curves(4000)
    share = ((fresh >= band.low) & (fresh <= band.high)).all(axis=1).mean()
    assert share == pytest.approx(0.9, abs=0.02)  # 4 sqrt(.09/4000), twice


@pytest.mark.parametrize(
    ("lo", "hi", "expected"),
    [
        ([-0.01, -0.005], [0.0, 0.01], "consistent"),
        ([-0.005, 0.011], [0.005, 0.02], "inconsistent"),
        ([-0.03, -0.005], [-0.011, 0.005], "inconsistent"),
        ([-0.02, -0.005], [0.0, 0.005], "cannot tell"),
        ([-0.02, -0.005], [0.02, 0.005], "cannot tell"),
    ],
)
def test_verdicts(lo, hi, expected):
    lo, hi = np.array(lo), np.array(hi)
    assert verdict(Band((lo + hi) / 2, lo, hi), 0.01) == expected


# -- what a band says --------------------------------------------------------------------------------------------------


def flat_band(curve, half):
    curve, half = np.array(curve, dtype=float), np.array(half, dtype=float)
    return Band(curve, curve - half, curve + half)


@pytest.mark.parametrize(
    ("curve", "half", "part"),
    [
        ([0.0, 0.0], [0.005, 0.012], "reaches 1.20 % at 1e20 FLOP"),
        ([0.0, 0.03], [0.005, 0.025], "reaches 5.50 % at 1e20 FLOP"),
        ([0.0, 0.03], [0.005, 0.005], "+3.00 % [+2.50 %, +3.50 %] at 1e20 FLOP, outside"),
    ],
)
def test_the_reason_says_where(curve, half, part):
    assert part in reason(flat_band(curve, half), np.array([1e18, 1e20]), 0.01)
    assert reason(flat_band([0.0], [0.005]), np.array([1e18]), 0.01) == ""


def test_the_place_where_a_band_is_farthest_from_0():
    assert farthest(flat_band([0.02, -0.03, 0.01], [0.001, 0.001, 0.001])) == 1
    assert farthest(flat_band([0.02, -0.03, 0.01], [0.001, 0.02, 0.001])) == 0


@given(seed=st.integers(0, 10**6), difference=st.floats(-4.0, 4.0))
def test_beyond_chance_is_outside_of_what_chance_brings(seed, difference):
    drawn = np.random.default_rng(seed).exponential(size=200) - 1.0
    found = beyond_chance(difference, drawn, 0.9)
    lo, hi = np.quantile(drawn, [0.05, 0.95])
    assert found.excludes(0.0) == (difference > hi or difference < lo)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(difference - np.median(drawn))
