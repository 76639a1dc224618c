"""The lack-of-fit test: its size where the law holds, under noise of several kinds, and its power."""

from typing import Any

import numpy as np
import pytest
from tests.data import grid

from isoflop.numeric.check.lack_of_fit import lack_of_fit
from isoflop.numeric.fit.fit import fit
from isoflop.numeric.law import Law

LAW = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
SETS = 60


def judged(seed, noise, factor=None, group=None):
    """The test of 100 scattered runs, whose log losses have errors that a generator and params make."""
    random = np.random.default_rng(seed)
    params, tokens = 10 ** random.uniform(7.5, 10.0, 100), 10 ** random.uniform(9.0, 11.5, 100)
    loss = LAW.loss(params, tokens) * np.exp(noise(random, params))
    if factor is not None:
        loss *= factor(6.0 * params * tokens)
    found = fit({"N": params, "D": tokens, "L": loss}).coefficients
    law = Law(**dict[str, Any](found))
    return lack_of_fit(params, tokens, 6.0 * params * tokens, loss, law, group=group, seed=seed)


def normal(random, params):
    return 0.003 * random.standard_normal(len(params))


def heavy(random, params):
    return 0.002 * random.standard_t(3.0, len(params))


def uneven(random, params):
    return normal(random, params) * np.where(params < 3e8, 2.0, 0.5)


def with_outliers(random, params):
    errors = normal(random, params)
    errors[random.choice(len(params), 2, replace=False)] += 0.05
    return errors


@pytest.mark.slow
@pytest.mark.parametrize("noise", [normal, heavy, uneven, with_outliers])
def test_true_laws_are_rarely_found_to_misfit(noise):
    """At 3 %, 1.8 of 60 are expected; 8 or more have a probability below 0.003."""
    assert sum(judged(seed, noise).matters(0.01) for seed in range(SETS)) < 8


def hump(size):
    return lambda compute: 1.0 + size * np.exp(-0.5 * (np.log(compute / 1e20) / 0.6) ** 2)


def test_a_hump_about_one_budget_is_found():
    found = [judged(seed, normal, hump(0.01)) for seed in range(5)]
    assert all(one.matters(0.01) for one in found)
    assert [one.variable for one in found].count("compute") >= 4
    assert all(one.misfit > 0.0 for one in found)


def test_errors_that_groups_share_are_no_misfit():
    """Runs in twelve groups whose errors are those of the group: the test that knows the groups
    does not take them for a misfit of the law.
    """
    group = np.repeat(np.arange(12), 9)[:100].astype(str)

    def shared(random, params):
        return (
            np.repeat(0.004 * random.standard_normal(12), 9)[: len(params)]
            + normal(random, params) / 5
        )

    assert sum(judged(seed, shared, group=group).p_value < 0.03 for seed in range(12)) <= 3


def test_too_few_runs_or_groups_are_no_test():
    params, tokens = grid(np.geomspace(1e7, 1e9, 3), np.geomspace(1e9, 1e11, 3))
    random = np.random.default_rng(0)
    loss = LAW.loss(params, tokens) * np.exp(normal(random, params))
    compute = 6.0 * params * tokens
    assert lack_of_fit(params, tokens, compute, loss, LAW) is None
    params, tokens, compute = (np.tile(x, 4) for x in (params, tokens, compute))
    loss = LAW.loss(params, tokens) * np.exp(normal(random, params))
    assert lack_of_fit(params, tokens, compute, loss, LAW) is not None
    few = np.repeat(["a", "b", "c", "d"], 9)
    assert lack_of_fit(params, tokens, compute, loss, LAW, group=few) is None
