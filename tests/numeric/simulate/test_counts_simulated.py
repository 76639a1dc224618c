"""Simulated counts: the truth holds where it says, the samples have its moments, adaptive sampling
stops where it should.
"""

import numpy as np
import pytest
from scipy import stats
from tests.data import affine_rates

from isoflop.numeric.passk import Counts
from isoflop.numeric.simulate import counts as sim

COEFFICIENTS = {
    "compute": {"E0": 0.2, "C0": 1e5, "alpha": 0.25},
    "params-tokens": {"E0": 0.1, "N0": 300.0, "D0": 2000.0, "beta": 0.3, "gamma": 0.35},
    "gold": {"xi0": 0.05, "K0": 0.02, "kappa": 1.4},
}


def by_hand(law, design):
    c = COEFFICIENTS[law]
    if law == "compute":
        return [
            c["E0"] + c["C0"] * (6 * n * d) ** -c["alpha"]
            for n, d in zip(design.params, design.tokens, strict=True)
        ]
    if law == "gold":
        return [c["xi0"] + c["K0"] * g ** c["kappa"] for g in design.gold]
    terms = zip(design.params, design.tokens, strict=True)
    return [c["E0"] + c["N0"] * n ** -c["beta"] + c["D0"] * d ** -c["gamma"] for n, d in terms]


@pytest.mark.parametrize("law", COEFFICIENTS)
@pytest.mark.parametrize(("k", "atom"), [(1, 0.0), (100, 0.0), (100, 0.03)])
def test_the_law_holds_at_its_k(law, k, atom):
    design = sim.grid(gold_scatter=0.1, rng=3)
    truth = sim.law_truth(design, law, COEFFICIENTS[law], k=k, concentration=1.5, atom=atom)
    # The mean rate is found to 1e-14 in its logit, which pass@k sees times at most 40.
    assert truth.neg_log_pass_at_k([k])[:, 0] == pytest.approx(by_hand(law, design), rel=1e-11)
    assert truth.a + truth.b == pytest.approx(np.full(len(design), 1.5))
    curves = truth.neg_log_pass_at_k([1, 10, 1e3, 1e6])
    assert (np.diff(curves, axis=1) < 0).all()


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
    assert set(np.unique(n)) <= {*range(100, 1000, 100), 950}
    assert (n[250:] == 100).all()
    # Waiting for the second success: stopped problems look better than they are.
    assert (c / n)[50:250].mean() > 0.0105


def test_mean_pass_at_k_is_the_truths():
    design = sim.grid([1e8, 1e9, 1e10], [1e9, 1e10, 1e11])
    truth = affine_rates(design, (-0.5, 0.05), (3.0, -0.3))
    simulated = sim.simulate(design, truth, problems=20_000, rng=2)
    for k in (1, 30, 1000):
        realised = (1 - (1 - simulated.rates) ** k).mean(axis=1)
        expected = truth.pass_at_k([k])[:, 0]
        assert np.abs(realised - expected).max() < 4.5 * 0.5 / np.sqrt(20_000)


def test_the_same_seed_gives_the_same_counts():
    design = sim.grid([1e8, 1e9], [1e9, 1e10])
    truth = affine_rates(design, (-1.0, 0.0), (2.0, -0.2))
    one, same, other = (sim.simulate(design, truth, problems=20, rng=seed) for seed in (4, 4, 5))
    assert (one.c == same.c).all()
    assert (one.c != other.c).any()


def test_counts_are_what_reading_the_table_gives():
    design = sim.grid([1e8, 1e9], [1e9, 1e10])
    simulated = sim.simulate(
        design, affine_rates(design, (-1.0, 0.0), (2.0, -0.2)), problems=5, rng=1
    )
    made, read = (
        simulated.counts(),
        Counts.read(simulated.columns(), gold={"model": design.names, "gold": design.gold}),
    )
    assert made.labels == read.labels
    assert made.by == read.by
    for name in ("group", "n", "c", "row"):
        assert (getattr(made, name) == getattr(read, name)).all()
    assert set(made.covariates) == set(read.covariates)
    for name, values in made.covariates.items():
        assert values == pytest.approx(read.covariates[name], rel=1e-15)


def bad(**changes):
    design = sim.grid([1e8, 1e9], [1e9, 1e10])
    given = {"law": "compute", "coefficients": COEFFICIENTS["compute"], **changes}
    return sim.law_truth(design, given.pop("law"), given.pop("coefficients"), **given)


def simulated(models=81, **options):
    return sim.simulate(sim.grid(), sim.SuccessRates(np.ones(models), np.ones(models)), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bad(law="neither"), "law='neither': must be one of"),
        (lambda: bad(coefficients={"E0": 1.0}), "E0, C0, alpha"),
        (lambda: bad(coefficients={"E0": -1.0, "C0": 1.0, "alpha": 0.1}), "E0=-1.0"),
        (lambda: bad(k=0.5), "k=0.5: must be a number of at least 1"),
        (lambda: bad(concentration=0), "concentration=0"),
        (lambda: bad(scatter=-1), "scatter=-1"),
        (lambda: bad(atom=0.9), "atom=0.9: must be below"),
        (lambda: bad(atom=1.0), "atom=1.0"),
        (lambda: sim.grid([1e8, -1.0]), "params=-1.0"),
        (lambda: simulated(problems=0), "problems=0"),
        (lambda: simulated(models=1), "1 models"),
        (lambda: sim.Fixed(0).counts(np.ones(2), np.random.default_rng(0)), "n=0"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
