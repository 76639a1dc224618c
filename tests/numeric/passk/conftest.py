"""Simulated counts that several tests of the laws of -log pass@k share."""

import numpy as np
import pytest
from tests.data import law_truth

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.simulate.counts import grid, simulate

SIZES, TOKENS = tuple(np.geomspace(2e7, 1e10, 6)), tuple(np.geomspace(2e9, 3e11, 5))


@pytest.fixture(scope="session")
def design():
    """Six sizes with five token counts each; the gold reference's loss scatters about its law."""
    return grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)


@pytest.fixture(scope="session")
def truths(design):
    """Coefficients of each law, with -log pass@10 from about 3 nats at the smallest model to about
    0.4 at the largest.
    """
    N0, D0 = 1.5 * SIZES[0] ** 0.45, 1.5 * TOKENS[0] ** 0.5
    return {
        "compute": {"E0": 0.2, "C0": 3.0 * float(design.compute.min()) ** 0.25, "alpha": 0.25},
        "params-tokens": {"E0": 0.2, "N0": N0, "D0": D0, "beta": 0.45, "gamma": 0.5},
        "gold": {"xi0": 0.2, "K0": 3.0 * float(design.gold.max()) ** -2.0, "kappa": 2.0},
    }


@pytest.fixture(scope="session")
def drawn(design, truths):
    """Counts of models that scatter by 10 % about one of the laws at k."""

    def draw(law="compute", seed=0, k=10, problems=64, samples=64, batch=None, **changed):
        random = np.random.default_rng([4711, seed])
        options = {"k": k, "scatter": 0.1, "rng": random}
        truth = law_truth(design, law, truths[law] | changed, **options)
        how = {"problems": problems, "samples": samples, "batch": batch}
        return Counts.read(simulate(truth, **how, rng=random))

    return draw


@pytest.fixture(scope="session")
def joint_counts(drawn):
    """Counts of the params+tokens law."""
    return drawn("params-tokens", seed=2)
