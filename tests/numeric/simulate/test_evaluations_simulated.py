"""Simulated evaluations: the design, the truth, and its noise."""

from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from isoflop.numeric.accuracy.laws import law_named
from isoflop.numeric.data.sample import Points, Sample, above_guessing
from isoflop.numeric.simulate.evaluations import (
    KS,
    LAWS,
    LOSSES,
    METRIC_TYPES,
    PROBLEMS,
    RUN_NOISE,
    SAMPLES,
    design,
    simulate,
)
from isoflop.theory.data.krajewski2025 import C4, MIXTURE, RUNS

MP = mpmath.mp.clone()
MP.dps = 50
CODE = ("HumanEval", "LBPP")


@pytest.fixture(scope="module")
def drawn():
    return simulate(seed=4, small_runs=True)


@pytest.fixture(scope="module")
def exact():
    return simulate(exact=True, small_runs=True)


# -- the runs --------------------------------------------------------------------------------------


def test_the_design_is_that_of_the_tables():
    runs = design()
    assert len(runs) == len(set(runs.run)) == 150 + 45 + 10
    assert Counter(runs.dataset) == {MIXTURE: 160, C4: 45}
    listed = Counter(
        (float(flops), float(tokens.removesuffix("B"))) for _, flops, tokens, *_ in RUNS
    )
    large = runs.compute > 1e17
    mixture = large & (runs.dataset == MIXTURE)
    assert Counter(zip(runs.compute[mixture], runs.tokens[mixture] / 1e9, strict=True)) == listed
    assert runs.compute.tolist() == pytest.approx((6.0 * runs.params * runs.tokens).tolist())
    for name, params in zip(runs.run[large], runs.params[large], strict=True):
        assert params == pytest.approx(1e9 * float(name.partition("B-")[0]), rel=0.09)
    assert (~large).sum() == 10


# -- the truth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_without_noise_accuracy_is_that_of_table_12(name, exact):
    law = LAWS[name]
    A, B, beta, gamma, baseline = (
        MP.mpf(digits)
        for digits in (
            *(law.coefficients[r] for r in ("A", "B", "beta", "gamma")),
            law.random_baseline,
        )
    )
    runs, scores = exact.design, exact.scores[name, METRIC_TYPES[name]]
    for i in np.flatnonzero(runs.dataset == MIXTURE)[[0, 40, 100, 149, 155]]:
        params, tokens = MP.mpf(float(runs.params[i])), MP.mpf(float(runs.tokens[i]))
        expected = baseline + (1 - baseline) * MP.exp(-A / params**beta - B / tokens**gamma)
        assert scores[i] == pytest.approx(float(expected), rel=1e-12)


def test_on_c4_nothing_is_known_of_code_and_maths(drawn):
    on_c4 = drawn.design.dataset == C4
    for (name, metric), scores in drawn.scores.items():
        if name in ("GSM8K", *CODE):
            assert not scores[on_c4].any()
        elif metric != "loss":
            assert scores[on_c4].max() > drawn.baselines[name] + 0.1


def test_pass_at_k_of_the_law_is_an_integral_over_success_rates():
    simulated = simulate(benchmarks=["HumanEval"], datasets=[MIXTURE], exact=True)
    for i in (0, 90):
        q = MP.mpf(float(simulated.scores["HumanEval", "pass@1"][i]))
        a, b = MP.mpf("0.4") * q, MP.mpf("0.4") * (1 - q)
        for k in KS[1:]:
            fail = MP.beta(a, b + k) / MP.beta(a, b)
            assert simulated.scores["HumanEval", f"pass@{k}"][i] == pytest.approx(
                float(1 - fail), rel=1e-10
            )


def test_losses_fall_with_params_and_tokens():
    simulated = simulate(benchmarks=["PIQA"], exact=True)
    assert np.isnan(simulate(benchmarks=["PIQA"], small_runs=True).scores["c4", "loss"]).sum() == 10
    for name, (E, A, B, exponent) in LOSSES.items():
        expected = (
            E + A * simulated.design.params**-exponent + B * simulated.design.tokens**-exponent
        )
        assert simulated.scores[name, "loss"] == pytest.approx(expected.to_numpy(), rel=1e-12)


# -- noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_scores_are_whole_numbers_of_problems(name, drawn):
    samples = SAMPLES if name in CODE else 1
    answered = drawn.scores[name, METRIC_TYPES[name]] * PROBLEMS[name] * samples
    assert np.abs(answered - answered.round()).max() < 1e-6


def test_noise_has_the_stated_size():
    """Spread of log(-log Q') at a run over seeds: that of runs, and of questions that are the same
    for all runs.
    """
    name, run, seeds = "WebQS", 0, 200
    drawn = [
        simulate(seed=seed, benchmarks=[name]).scores[name, "exact_match"][run]
        for seed in range(seeds)
    ]
    Q = simulate(benchmarks=[name], exact=True).scores[name, "exact_match"][run]
    # Right in two runs, of correlated normal scores: what is left of the variance of independent
    # answers.
    both = multivariate_normal(cov=[[1.0, 0.5], [0.5, 1.0]]).cdf([ndtri(Q), ndtri(Q)])
    of_questions = np.sqrt((Q - both) / PROBLEMS[name]) / (Q * -np.log(Q))
    expected = np.hypot(RUN_NOISE, of_questions)
    assert 1.0 - (Q - both) / (Q * (1.0 - Q)) > 0.3
    y = np.log(-np.log(drawn))
    assert np.std(y) == pytest.approx(expected, rel=0.2)
    assert np.mean(y) == pytest.approx(np.log(-np.log(Q)), abs=4.0 * expected / np.sqrt(seeds))


@pytest.mark.parametrize(("exact", "excess"), [(True, 0.0), (False, 2e-3)])
def test_pass_at_k_is_possible(exact, excess):
    """Concave and rising in k, and what any distribution of success rates allows; unbiased
    estimates may be a little beyond.
    """
    from isoflop.numeric.passk import impossible

    columns = simulate(seed=6, benchmarks=CODE, exact=exact).columns()
    rows = [i for i, metric in enumerate(columns["metric_type"]) if "@" in metric]
    found = impossible(
        {
            "model": [f"{columns['run'][i]} {columns['benchmark'][i]}" for i in rows],
            "k": [int(columns["metric_type"][i].partition("@")[2]) for i in rows],
            "pass_at_k": [columns["score"][i] for i in rows],
        }
    )
    assert max((one["excess"] for one in found), default=0.0) <= excess


def test_a_seed_gives_the_same_scores_whatever_else_is_drawn(drawn):
    one, other = (
        simulate(seed=4, benchmarks="PIQA", datasets=[C4]),
        simulate(seed=8, benchmarks=["PIQA"], small_runs=True),
    )
    on_c4 = drawn.design.dataset == C4
    assert (drawn.scores["PIQA", "acc_norm"][on_c4] == one.scores["PIQA", "acc_norm"]).all()
    assert (drawn.scores["PIQA", "acc_norm"] != other.scores["PIQA", "acc_norm"]).any()
    assert (drawn.scores["c4", "loss"][on_c4] == one.scores["c4", "loss"]).all()


def test_columns_are_read_as_they_are():
    simulated = simulate(seed=3, benchmarks=["ARC-E", "HumanEval"])
    read = simulated.evaluations()
    assert list(read.run) == list(simulated.design.run)
    assert (read.compute == simulated.design.compute).all()
    assert (read.scores["ARC-E"] == simulated.scores["ARC-E", "acc_norm"]).all()
    assert (read.scores["HumanEval pass@128"] == simulated.scores["HumanEval", "pass@128"]).all()
    assert (read.proxies["dclm"] == simulated.scores["dclm", "loss"]).all()
    assert read.table_baselines["ARC-E"] == 0.2918
    small = simulate(benchmarks=["PIQA"], small_runs=True)
    assert (len(simulated.design), len(small.design)) == (195, 205)


@pytest.mark.parametrize("name", PROBLEMS)
def test_without_noise_the_truth_is_fitted_exactly(name, exact):
    """The params+tokens law, from the runs that exceed guessing by 0.05 and are within its range."""
    kind, key, runs = law_named("params-tokens"), (name, METRIC_TYPES[name]), exact.design
    at = Points(params=runs.params, tokens=runs.tokens, compute=runs.compute)
    Q, baseline = exact.scores[key], exact.baselines[name]
    sample = Sample(benchmark=name, accuracy=Q, baseline=baseline, at=at)
    usable = above_guessing(Q, baseline, 0.02 if name == "LBPP" else 0.05)
    usable &= (runs.compute <= 6e21) & (runs.tokens / runs.params <= 100.0)
    fitted = kind.fit(sample.subset(usable & (runs.dataset == MIXTURE)))
    for role, value in zip(kind.coefficients, fitted.values, strict=True):
        assert value == pytest.approx(float(str(LAWS[name].coefficients[role])), rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"benchmarks": ["MMLU"]}, "benchmarks='MMLU'"),
        ({"benchmarks": []}, "benchmarks=[]"),
        ({"datasets": ["c4"]}, "datasets='c4'"),
        ({"run_noise": -0.1}, "run_noise=-0.1"),
    ],
)
def test_bad_input(arguments, said):
    with pytest.raises(ValueError, match="must be") as error:
        simulate(**arguments)
    assert said in str(error.value)
