"""Runs at one D/N: whether they show the two-term law, on laws written out, with and without
scatter.
"""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy.broken import Break, BrokenLaw
from isoflop.numeric.accuracy.broken_ray import at_one_ratio, ray_break
from isoflop.numeric.data.sample import Points, Sample
from isoflop.numeric.results import Estimate

COMPUTE = np.geomspace(1e18, 4e22, 50)
#: E, A, B, beta, gamma.
BENT = (0.1, 6e7, 50.0, 0.9, 0.25)


def runs(y, noise=0.0, seed=0, ratio: Any = 20.0) -> Sample:
    params = np.sqrt(COMPUTE / (6.0 * ratio))
    y = y * np.exp(noise * np.random.default_rng(seed).standard_normal(len(COMPUTE)))
    at = Points(params=params, tokens=ratio * params, compute=COMPUTE)
    return Sample(benchmark="task", accuracy=0.2 + 0.8 * np.exp(-y), baseline=0.2, at=at)


def two_terms(E, A, B, beta, gamma, ratio=20.0):
    params = np.sqrt(COMPUTE / (6.0 * ratio))
    return E + A * params**-beta + B * (ratio * params) ** -gamma


@pytest.mark.parametrize(
    "law",
    [
        BENT,
        (0.0, 3e4, 300.0, 0.54, 0.27),
        (0.05, 3e3, 400.0, 0.5, 0.3),
        (0.0, 3e4, 300.0, 0.6, 0.25),
        (0.0, 60.0, 400.0, 0.27, 0.3),
    ],
)
def test_an_exact_two_term_law_is_recognised(law) -> None:
    found = ray_break(runs(two_terms(*law)), margin=0.0)
    assert found.verdict == "two terms", str(found)
    assert found.rmse["two terms"] < 1e-6 < found.rmse["no break"]
    assert found.p_two_terms is None
    assert "c1 f1 = -1" in str(found)


def test_its_break_and_exponents() -> None:
    found = ray_break(runs(two_terms(*BENT)), margin=0.0)
    assert found.product.value == pytest.approx(-1.0, abs=1e-6)
    assert found.product.has_interval
    assert not found.product.excludes(-1.0)
    assert (found.beta, found.gamma) == pytest.approx((0.9, 0.25), rel=1e-4)
    assert (found.coefficients["c0"], found.coefficients["c1"]) == pytest.approx(
        (0.45, -0.325), rel=1e-4
    )
    assert found.open == ()


def test_scatter_that_hides_the_break_leaves_it_open_and_less_does_not() -> None:
    law = (0.0, 3e4, 300.0, 0.54, 0.27)
    verdicts = {
        noise: [
            ray_break(runs(two_terms(*law), noise, seed), margin=0.0).verdict for seed in range(3)
        ]
        for noise in (0.002, 0.1)
    }
    assert verdicts[0.002].count("two terms") >= 2
    assert verdicts[0.1].count("open") >= 2


@pytest.mark.slow
def test_a_true_two_term_law_is_seldom_rejected() -> None:
    rejected = [
        ray_break(runs(two_terms(*BENT), 0.005, seed), margin=0.0).verdict == "no two terms"
        for seed in range(40)
    ]
    assert sum(rejected) <= 6


def test_a_sharper_break_is_none() -> None:
    sharp = BrokenLaw(a=0.1, b=3e4, c0=0.3, breaks=(Break(change=-0.2, compute=1e20, width=0.8),))
    found: Any = ray_break(runs(sharp.accuracy(COMPUTE), 5e-4), margin=0.0)
    assert found.verdict == "no two terms"
    assert found.product.value == pytest.approx(-0.16, abs=0.06)
    assert found.product.high < -0.05
    assert "not the two-term law" in str(found)


def test_a_law_without_a_break_is_open() -> None:
    assert ray_break(runs(0.1 + 3e3 * COMPUTE**-0.17, 0.01), margin=0.0).verdict == "open"
    assert ray_break(runs(0.1 + 3e3 * COMPUTE**-0.17), margin=0.0).verdict == "open"


def test_the_other_exact_law_is_told() -> None:
    found = ray_break(runs(two_terms(*BENT)), margin=0.0)
    assert not found.is_near_twin
    from dataclasses import replace

    assert replace(found, product=Estimate(-2.0)).is_near_twin
    assert replace(found, product=Estimate(-1.4, -2.1, -0.7)).is_near_twin


def test_runs_at_one_ratio() -> None:
    ratio = np.where(np.arange(len(COMPUTE)) % 2, 20.0, 160.0) * np.geomspace(
        0.9, 1.1, len(COMPUTE)
    )
    sample = runs(np.full(len(COMPUTE), 0.5), ratio=ratio)
    assert at_one_ratio(sample) is None
    near = at_one_ratio(sample, 20.0)
    assert near is not None
    assert len(near) == 25
    assert np.abs(np.log(near.at.tokens / near.at.params / 20.0)).max() <= np.log(1.15)
    assert len(at_one_ratio(near) or ()) == 25
    with pytest.raises(
        ValueError, match=r"ray=5\.0: no run of task is within a factor 1\.15; D/N is"
    ):
        at_one_ratio(sample, 5.0)
    with pytest.raises(ValueError, match="ray=-1"):
        at_one_ratio(sample, -1.0)


def test_too_few_runs() -> None:
    with pytest.raises(
        ValueError, match="6 values of compute; a law with one break needs more than 6"
    ):
        ray_break(runs(two_terms(*BENT)).subset(np.arange(6)), margin=0.0)


def test_few_runs_cannot_tell_and_each_p_says_of_what() -> None:
    """Eleven runs for six coefficients give no verdict, however the tests end; twice as many do."""
    whole = runs(two_terms(*BENT), 0.002)
    few = ray_break(whole.subset(slice(0, None, len(whole) // 10)).subset(slice(0, 11)), margin=0.0)
    assert few.n < 12
    assert few.verdict == "cannot tell"
    assert "these runs cannot tell" in str(few)
    assert "two terms against one break, p = " in str(few)
    assert "no break against two terms, p = " in str(few)
    assert ray_break(whole, margin=0.0).verdict == "two terms"
