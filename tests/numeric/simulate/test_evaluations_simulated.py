"""Simulated evaluations: the design, the truth, and its noise."""

from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from isoflop.numeric.accuracy.laws import law_named
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.sample import Points, Sample, above_guessing
from isoflop.numeric.passk import impossible
from isoflop.numeric.simulate.evaluations import (
    LAWS,
    LOSSES,
    METRIC_TYPES,
    PROBLEMS,
    RUN_NOISE,
    SAMPLES,
    design,
    simulate,
    true_accuracy,
)
from isoflop.theory.data.krajewski2025 import C4, MIXTURE, RUNS

MP = mpmath.mp.clone()
MP.dps = 50
CODE = ("HumanEval", "LBPP")
DESIGN = design()


@pytest.fixture(scope="module")
def drawn():
    return simulate(seed=4, small_runs=True)


def test_the_design_is_that_of_the_tables():
    assert len(DESIGN) == len(set(DESIGN.run)) == 150 + 45 + 10
    assert Counter(DESIGN.dataset) == {MIXTURE: 160, C4: 45}
    listed = Counter((float(C), float(tokens.removesuffix("B"))) for _, C, tokens, *_ in RUNS)
    large = DESIGN.compute > 1e17
    mixture = DESIGN[large & (DESIGN.dataset == MIXTURE)]
    assert Counter(zip(mixture.compute, mixture.tokens / 1e9, strict=True)) == listed
    assert DESIGN.compute.tolist() == pytest.approx((6 * DESIGN.params * DESIGN.tokens).tolist())
    for name, params in zip(DESIGN.run[large], DESIGN.params[large], strict=True):
        assert params == pytest.approx(1e9 * float(name.partition("B-")[0]), rel=0.09)
    assert (~large).sum() == 10


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_truth_is_that_of_table_12(name):
    """At single runs with 50 digits, and by a fit to the runs that exceed guessing by 0.05."""
    law, Q, mixture = LAWS[name], true_accuracy(name, DESIGN), DESIGN.dataset == MIXTURE
    A, B, beta, gamma = (MP.mpf(law.coefficients[role]) for role in ("A", "B", "beta", "gamma"))
    guess = MP.mpf(law.random_baseline)
    for i in np.flatnonzero(mixture)[[0, 40, 100, 149, 155]]:
        params, tokens = MP.mpf(float(DESIGN.params[i])), MP.mpf(float(DESIGN.tokens[i]))
        expected = guess + (1 - guess) * MP.exp(-A / params**beta - B / tokens**gamma)
        assert Q[i] == pytest.approx(float(expected), rel=1e-12)
    at = Points(params=DESIGN.params, tokens=DESIGN.tokens, compute=DESIGN.compute)
    sample = Sample(benchmark=name, accuracy=Q, baseline=float(guess), at=at)
    usable = above_guessing(Q, float(guess), 0.02 if name == "LBPP" else 0.05) & mixture
    usable &= (DESIGN.compute <= 6e21) & (DESIGN.tokens / DESIGN.params <= 100.0)
    kind = law_named("params-tokens")
    fitted = kind.fit(sample.subset(usable))
    for role, value in zip(kind.coefficients, fitted.values, strict=True):
        assert value == pytest.approx(float(str(law.coefficients[role])), rel=1e-5)


def test_losses_and_what_c4_does_not_teach(drawn):
    runs, on_c4 = drawn.design, drawn.design.dataset == C4
    for name, (E, A, B, exponent) in LOSSES.items():
        expected = E + A * runs.params**-exponent + B * runs.tokens**-exponent
        away = np.log(drawn.scores[name, "loss"] / expected)[runs.compute > 1e17]
        assert away.std() == pytest.approx(0.002, rel=0.2)
        assert np.isnan(drawn.scores[name, "loss"]).sum() == 10
    for (name, metric), scores in drawn.scores.items():
        if name in ("GSM8K", *CODE):
            assert not scores[on_c4].any()
        elif metric != "loss":
            assert scores[on_c4].max() > drawn.baselines[name] + 0.1


@pytest.mark.parametrize("name", PROBLEMS)
def test_scores_are_whole_numbers_of_problems(name, drawn):
    samples = SAMPLES if name in CODE else 1
    answered = drawn.scores[name, METRIC_TYPES[name]] * PROBLEMS[name] * samples
    assert np.abs(answered - answered.round()).max() < 1e-6


def test_noise_has_the_stated_size():
    """Spread of log(-log Q') at a run over seeds: that of runs, and of questions that are the same
    for all runs.
    """
    name, seeds = "WebQS", 200
    drawn = [
        simulate(seed=seed, benchmarks=[name]).scores[name, "exact_match"][0]
        for seed in range(seeds)
    ]
    Q = true_accuracy(name, DESIGN)[0]
    # Right in two runs, of correlated normal scores: what is left of the variance of independent
    # answers.
    both = multivariate_normal(cov=[[1.0, 0.5], [0.5, 1.0]]).cdf([ndtri(Q), ndtri(Q)])
    of_questions = np.sqrt((Q - both) / PROBLEMS[name]) / (Q * -np.log(Q))
    expected = np.hypot(RUN_NOISE, of_questions)
    assert 1.0 - (Q - both) / (Q * (1.0 - Q)) > 0.3
    y = np.log(-np.log(drawn))
    assert np.std(y) == pytest.approx(expected, rel=0.2)
    assert np.mean(y) == pytest.approx(np.log(-np.log(Q)), abs=4.0 * expected / np.sqrt(seeds))


def test_pass_at_k_is_possible():
    """Concave and rising in k, but for what unbiased estimates may be beyond."""
    columns = simulate(seed=6, benchmarks=CODE).columns()
    rows = [i for i, metric in enumerate(columns["metric_type"]) if "@" in metric]
    found = impossible(
        {
            "model": [f"{columns['run'][i]} {columns['benchmark'][i]}" for i in rows],
            "k": [int(columns["metric_type"][i].partition("@")[2]) for i in rows],
            "pass_at_k": [columns["score"][i] for i in rows],
        }
    )
    assert max((one["excess"] for one in found), default=0.0) <= 2e-3


def test_a_seed_gives_the_same_scores_whatever_else_is_drawn(drawn):
    one, other = (simulate(seed=seed, benchmarks=["PIQA"], small_runs=True) for seed in (4, 8))
    assert (drawn.scores["PIQA", "acc_norm"] == one.scores["PIQA", "acc_norm"]).all()
    assert (drawn.scores["PIQA", "acc_norm"] != other.scores["PIQA", "acc_norm"]).any()
    answered = np.round(1838 * drawn.scores["PIQA", "acc_norm"][:3]).tolist()
    assert answered == [1526, 1501, 1536]  # as ever


def test_columns_are_read_as_they_are():
    simulated = simulate(seed=3, benchmarks=["ARC-E", "HumanEval"])
    read = Evaluations.read(simulated.columns())
    assert (list(read.run), len(read)) == (list(simulated.design.run), 195)
    assert (read.compute == simulated.design.compute).all()
    assert (read.scores["ARC-E"] == simulated.scores["ARC-E", "acc_norm"]).all()
    assert (read.scores["HumanEval pass@128"] == simulated.scores["HumanEval", "pass@128"]).all()
    assert (read.proxies["dclm"] == simulated.scores["dclm", "loss"]).all()
    assert read.table_baselines["ARC-E"] == 0.2918


@pytest.mark.parametrize(
    "arguments",
    [
        *({"seed": -1}, {"seed": 1.5}, {"benchmarks": ["MMLU"]}, {"benchmarks": []}),
        *({"run_noise": -0.1}, {"run_noise": 1e5}),
    ],
)
def test_bad_input(arguments):
    with pytest.raises(ValueError, match=rf"{next(iter(arguments))}=.*must be"):
        simulate(**arguments)
