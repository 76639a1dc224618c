"""Simulated counts: the truth holds where it says, the samples have its moments, adaptive sampling
stops where it should.
"""

import numpy as np
import pytest
from scipy import stats
from tests.data import affine_rates

from isoflop.numeric.simulate import counts as sim

COEFFICIENTS = {
    "compute": {"E0": 0.2, "C0": 1e5, "alpha": 0.25},
    "params-tokens": {"E0": 0.1, "N0": 300.0, "D0": 2000.0, "beta": 0.3, "gamma": 0.35},
    "gold": {"xi0": 0.05, "K0": 0.02, "kappa": 1.4},
}
BY_HAND = {
    "compute": lambda n, d, g: 0.2 + 1e5 * (6 * n * d) ** -0.25,
    "params-tokens": lambda n, d, g: 0.1 + 300.0 * n**-0.3 + 2000.0 * d**-0.35,
    "gold": lambda n, d, g: 0.05 + 0.02 * g**1.4,
}


def by_hand(law, design):
    runs = zip(design.params.tolist(), design.tokens.tolist(), design.gold.tolist(), strict=True)
    return [BY_HAND[law](*run) for run in runs]


@pytest.mark.parametrize("law", COEFFICIENTS)
@pytest.mark.parametrize(("k", "atom"), [(1, 0.0), (100, 0.0), (100, 0.03)])
def test_the_law_holds_at_its_k(law, k, atom):
    design = sim.grid(gold_scatter=0.1, rng=3)
    truth = sim.law_truth(design, law, COEFFICIENTS[law], k=k, concentration=1.5, atom=atom)
    # The mean rate is found to 1e-14 in its logit, which pass@k sees times at most 40.
    assert truth.neg_log_pass_at_k([k])[:, 0] == pytest.approx(by_hand(law, design), rel=1e-11)
    assert truth.a + truth.b == pytest.approx(np.full(len(design), 1.5))
    assert (np.diff(truth.neg_log_pass_at_k([1, 10, 1e3, 1e6]), axis=1) < 0).all()


def test_scatter_about_the_law():
    design = sim.grid(np.geomspace(1e7, 1e10, 30).tolist(), np.geomspace(1e8, 1e11, 30).tolist())
    truth = sim.law_truth(design, "compute", COEFFICIENTS["compute"], scatter=0.3, rng=1)
    away = np.log(truth.neg_log_pass_at_k([1])[:, 0] / by_hand("compute", design))
    assert abs(away.mean()) < 4 * 0.3 / 30
    assert away.std() == pytest.approx(0.3, rel=0.1)  # 900 models: 2.4 % standard error


def test_rates_have_the_distribution():
    truth = sim.SuccessRates(np.array([0.3]), np.array([2.0]), 0.2)
    rates = truth.drawn(4000, np.random.default_rng(7))[0]
    assert np.mean(rates == 0.0) == pytest.approx(0.2, abs=4 * np.sqrt(0.2 * 0.8 / 4000))
    assert stats.kstest(rates[rates > 0], stats.beta(0.3, 2.0).cdf).pvalue > 1e-3


def test_adaptive_sampling_stops_after_enough_successes():
    rates = np.concatenate([np.zeros(50), np.full(200, 0.01), np.full(200, 0.5)])
    n, c = sim.Adaptive(batch=100, solved=2, most=950).counts(rates, np.random.default_rng(0))
    assert (n[:50] == 950).all()
    assert (c[:50] == 0).all()
    assert ((c >= 2) | (n == 950)).all()
    assert {*n.tolist()} <= {*range(100, 1000, 100), 950}
    assert (n[250:] == 100).all()
    # Waiting for the second success: stopped problems look better than they are.
    assert (c / n)[50:250].mean() > 0.0105


def test_mean_pass_at_k_is_the_truths():
    design = sim.grid([1e8, 1e9, 1e10], [1e9, 1e10, 1e11])
    truth = affine_rates(design, (-0.5, 0.05), (3.0, -0.3))
    simulated = sim.simulate(design, truth, problems=20_000, rng=2)
    for k in (1, 30, 1000):
        realised = (1 - (1 - simulated.rates) ** k).mean(axis=1)
        assert np.abs(realised - truth.pass_at_k([k])[:, 0]).max() < 4.5 * 0.5 / np.sqrt(20_000)


def test_counts_are_those_of_the_seed_and_of_their_models():
    design = sim.grid([1e8, 1e9], [1e9, 1e10])
    truth = affine_rates(design, (-1.0, 0.0), (2.0, -0.2))
    one, same, other = (sim.simulate(design, truth, problems=20, rng=seed) for seed in (4, 4, 5))
    assert (one.c == same.c).all()
    assert (one.c != other.c).any()
    counts = one.counts()
    assert counts.names == design.names
    assert (counts.n.tolist(), counts.c.tolist()) == (
        one.n.ravel().tolist(),
        one.c.ravel().tolist(),
    )
    for name, values in counts.covariates.items():
        assert values == pytest.approx(getattr(design, name), rel=1e-15)


def truth_of(law="compute", coefficients=COEFFICIENTS["compute"], **options):
    return sim.law_truth(sim.grid([1e8, 1e9], [1e9, 1e10]), law, coefficients, **options)


def simulated(models=81, **options):
    return sim.simulate(sim.grid(), sim.SuccessRates(np.ones(models), np.ones(models)), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: truth_of(law="neither"), "law='neither': must be one of"),
        (lambda: truth_of(coefficients={"E0": 1.0}), "E0, C0, alpha"),
        (lambda: truth_of(coefficients={"E0": -1.0, "C0": 1.0, "alpha": 0.1}), "E0=-1.0"),
        (lambda: truth_of(k=0.5), "k=0.5: must be a number of at least 1"),
        (lambda: truth_of(concentration=0), "concentration=0"),
        (lambda: truth_of(scatter=-1), "scatter=-1"),
        (lambda: truth_of(atom=0.9), "atom=0.9: must be below"),
        (lambda: truth_of(atom=1.0), "atom=1.0"),
        (lambda: sim.grid([1e8, -1.0]), "params=-1.0"),
        (lambda: simulated(problems=0), "problems=0"),
        (lambda: simulated(models=1), "1 models"),
        (lambda: sim.Fixed(0).counts(np.ones(2), np.random.default_rng(0)), "n=0"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
