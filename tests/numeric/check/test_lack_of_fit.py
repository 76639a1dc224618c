"""The lack-of-fit test: true laws under noise of several kinds, noise that groups share, few runs."""

from typing import Any

import numpy as np
import pytest
from tests.data import grid

from isoflop.numeric.check.lack_of_fit import lack_of_fit
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.fit import fit
from isoflop.numeric.law import Law

LAW = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
GROUP = np.repeat(np.arange(12), 9)[:100]


def noise(kind: str, random: Any, params: Any) -> Any:
    """Errors of log losses."""
    normal = 0.003 * random.standard_normal(len(params))
    if kind == "uneven":
        return normal * np.where(params < 3e8, 2.0, 0.5)
    if kind == "heavy":
        return 0.002 * random.standard_t(3.0, len(params))
    if kind == "outliers":
        return normal + 0.05 * (random.permutation(len(params)) < 2)
    return 0.2 * normal + 0.004 * random.standard_normal(12)[GROUP] if kind == "shared" else normal


def judged(seed: int, kind: str, **more: Any) -> Any:
    """The test of 100 scattered runs of the law."""
    random = np.random.default_rng(seed)
    params, tokens = 10 ** random.uniform(7.5, 10.0, 100), 10 ** random.uniform(9.0, 11.5, 100)
    loss = LAW.loss(params, tokens) * np.exp(noise(kind, random, params))
    runs = Runs.read({"params": params, "tokens": tokens, "loss": loss, **more})
    return lack_of_fit(runs, 6.0 * params * tokens, fit(runs).law, seed=seed)


@pytest.mark.parametrize("kind", ["heavy", "uneven", "outliers"])
def test_true_laws_are_rarely_found_to_misfit(kind):
    """At 3 %, four or more of 15 have a probability of 0.001."""
    assert sum(judged(seed, kind).matters(0.01) for seed in range(15)) < 4


def test_errors_that_groups_share_are_no_misfit():
    found = [judged(seed, "shared", group=GROUP.astype(str)) for seed in range(6)]
    assert sum(misfit.p_value < 0.03 for misfit in found) <= 1


@pytest.mark.parametrize(
    ("copies", "groups", "known"), [(1, 0, False), (4, 0, True), (4, 4, False)]
)
def test_too_few_runs_or_groups_are_no_test(copies, groups, known):
    params, tokens = grid(np.geomspace(1e7, 1e9, 3), np.geomspace(1e9, 1e11, 3))
    params, tokens = np.tile(params, copies), np.tile(tokens, copies)
    loss = LAW.loss(params, tokens) * np.exp(noise("normal", np.random.default_rng(0), params))
    table = {"params": params, "tokens": tokens, "loss": loss}
    if groups:
        table["group"] = np.arange(len(params)) % groups
    assert (lack_of_fit(Runs.read(table), 6.0 * params * tokens, LAW) is not None) == known
