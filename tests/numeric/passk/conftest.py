"""Simulated counts that several tests of the laws of -log pass@k share."""

import numpy as np
import pytest
from tests.data import law_truth

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.simulate.counts import grid, simulate

SIZES = tuple(np.geomspace(2e7, 1e10, 6))
TOKENS = tuple(np.geomspace(2e9, 3e11, 5))


@pytest.fixture(scope="session")
def design():
    """Six sizes with five token counts each; the gold reference's loss scatters about its law."""
    return grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)


@pytest.fixture(scope="session")
def truths(design):
    """Coefficients of each law, with -log pass@10 from about 3 nats at the smallest model to about
    0.4 at the largest.
    """
    compute, params, tokens = (
        float(values.min()) for values in (design.compute, design.params, design.tokens)
    )
    return {
        "compute": {"E0": 0.2, "C0": 3.0 * compute**0.25, "alpha": 0.25},
        "params-tokens": {
            "E0": 0.2,
            "N0": 1.5 * params**0.45,
            "D0": 1.5 * tokens**0.5,
            "beta": 0.45,
            "gamma": 0.5,
        },
        "gold": {"xi0": 0.2, "K0": 3.0 * float(design.gold.max()) ** -2.0, "kappa": 2.0},
    }


@pytest.fixture(scope="session")
def drawn(design, truths):
    """Counts of models that scatter about one of the laws at k = 10."""

    def draw(
        law="compute",
        *,
        seed=0,
        k=10,
        scatter=0.1,
        concentration=2.0,
        of=None,
        sampled=None,
        **changed,
    ):
        random = np.random.default_rng([4711, seed])
        models = design if of is None else of
        truth = law_truth(
            models,
            law,
            truths[law] | changed,
            k=k,
            concentration=concentration,
            scatter=scatter,
            rng=random,
        )
        how = {"problems": 64, "samples": 64} | (sampled or {})
        return Counts.read(simulate(truth, **how, rng=random))

    return draw


@pytest.fixture(scope="session")
def compute_counts(drawn):
    """Of the compute law."""
    return drawn("compute", seed=1)


@pytest.fixture(scope="session")
def joint_counts(drawn):
    """Of the params+tokens law."""
    return drawn("params-tokens", seed=2)


@pytest.fixture(scope="session")
def adaptive_counts(drawn):
    """Problems sampled in batches of 32 until they are solved, at most 1024 times; the law holds at
    k = 1000.
    """
    return drawn(seed=3, k=1000, sampled={"problems": 32, "samples": 1024, "batch": 32})
