"""Simulated counts: pass@k is what was asked for, and adaptive sampling stops where it should."""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.simulate.counts import grid, simulate, with_rates

MP = mpmath.mp.clone()
MP.dps = 50
WANTED = (1e-3, 0.1, 2.0, 40.0)


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_pass_at_k_is_what_is_wanted(k):
    """pass@k = 1 - B(a, b + k)/B(a, b), at 50 digits."""
    truth = with_rates(grid(WANTED, [1e9]), WANTED, k=k, concentration=1.5)
    for a, b, wanted in zip(truth.a, truth.b, WANTED, strict=True):
        fail = MP.beta(a, MP.mpf(b) + k) / MP.beta(a, b)
        assert float(-MP.log(1 - fail)) == pytest.approx(wanted, rel=1e-10)


def test_adaptive_sampling_stops_after_enough_successes():
    rates = np.repeat([1e-12, 0.01, 0.5], [50, 200, 200])
    models = grid(np.arange(1.0, 451.0), [1.0]).assign(a=1e12 * rates, b=1e12 * (1 - rates))
    rows = simulate(models, problems=1, samples=950, batch=100, solved=2)
    n, c = rows.n_samples.to_numpy(), rows.n_correct.to_numpy()
    assert (n[:50] == 950).all()
    assert (c[:50] == 0).all()
    assert ((c >= 2) | (n == 950)).all()
    assert {*n.tolist()} <= {*range(100, 1000, 100), 950}
    assert (n[250:] == 100).all()
    # Waiting for the second success: stopped problems look better than they are.
    assert (c / n)[50:250].mean() > 0.0105


def test_counts_are_those_of_the_seed_and_of_their_models():
    truth = with_rates(grid([1e8, 1e9], [1e9, 1e10]), [2.0, 1.0, 0.5, 0.2])
    one, same, other = (simulate(truth, problems=20, rng=seed) for seed in (4, 4, 5))
    assert one.equals(same)
    assert (one.n_correct != other.n_correct).any()
    counts = Counts.read(one)
    assert (counts.names, counts.n.tolist()) == (tuple(truth.model), [128] * 80)
    for name, values in counts.covariates.items():
        assert values == pytest.approx(truth[name].to_numpy(), rel=1e-15)
