"""The lack-of-fit test: its size where the law holds, under noise of several kinds, and its power."""

from typing import Any

import numpy as np
import pytest
from tests.data import grid

from isoflop.numeric.check.lack_of_fit import lack_of_fit
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.fit import fit
from isoflop.numeric.law import Law

LAW = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
GROUP = np.repeat(np.arange(12), 9)[:100].astype(str)
#: Errors of log losses that a generator and params make.
NOISE: dict[str, Any] = {
    "normal": lambda random, params: 0.003 * random.standard_normal(len(params)),
    "heavy": lambda random, params: 0.002 * random.standard_t(3.0, len(params)),
    "uneven": lambda random, params: (
        NOISE["normal"](random, params) * np.where(params < 3e8, 2.0, 0.5)
    ),
    "outliers": lambda random, params: (
        NOISE["normal"](random, params) + 0.05 * (random.permutation(len(params)) < 2)
    ),
    "shared": lambda random, params: (
        0.004 * random.standard_normal(12)[GROUP.astype(int)] + NOISE["normal"](random, params) / 5
    ),
}


def judged(seed, noise, factor=None, group=None) -> Any:
    """The test of 100 scattered runs."""
    random = np.random.default_rng(seed)
    params, tokens = 10 ** random.uniform(7.5, 10.0, 100), 10 ** random.uniform(9.0, 11.5, 100)
    loss = LAW.loss(params, tokens) * np.exp(NOISE[noise](random, params))
    loss *= 1.0 if factor is None else factor(6.0 * params * tokens)
    table = {"params": params, "tokens": tokens, "loss": loss}
    runs = Runs.read(table if group is None else table | {"group": group})
    return lack_of_fit(runs, 6.0 * params * tokens, fit(runs).law, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["normal", "heavy", "uneven", "outliers"])
def test_true_laws_are_rarely_found_to_misfit(noise):
    """At 3 %, 1.8 of 60 are expected; 8 or more have a probability below 0.003."""
    assert sum(judged(seed, noise).matters(0.01) for seed in range(60)) < 8


def test_a_hump_about_one_budget_is_found():
    hump = lambda compute: 1.0 + 0.01 * np.exp(-0.5 * (np.log(compute / 1e20) / 0.6) ** 2)  # noqa: E731
    found = [judged(seed, "normal", hump) for seed in range(5)]
    assert all(one.matters(0.01) and one.misfit > 0.0 for one in found)
    assert [one.variable for one in found].count("compute") >= 4


def test_errors_that_groups_share_are_no_misfit():
    assert sum(judged(seed, "shared", group=GROUP).p_value < 0.03 for seed in range(8)) <= 2


@pytest.mark.parametrize(
    ("copies", "groups", "known"), [(1, 0, False), (4, 0, True), (4, 4, False)]
)
def test_too_few_runs_or_groups_are_no_test(copies, groups, known):
    params, tokens = grid(np.geomspace(1e7, 1e9, 3), np.geomspace(1e9, 1e11, 3))
    params, tokens = np.tile(params, copies), np.tile(tokens, copies)
    errors = NOISE["normal"](np.random.default_rng(0), params)
    table = {"params": params, "tokens": tokens, "loss": LAW.loss(params, tokens) * np.exp(errors)}
    if groups:
        table["group"] = np.arange(len(params)) % groups
    assert (lack_of_fit(Runs.read(table), 6.0 * params * tokens, LAW) is not None) == known
