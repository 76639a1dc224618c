"""Simulated evaluations: the design, the truth, and its noise."""

import csv
from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from isoflop.numeric.passk.beta import beta_pass
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
EQ_2_FROM, EQ_2_TO = 3e18, 6e21


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
    assert runs.compute == pytest.approx(6.0 * runs.params * runs.tokens)
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


def test_small_runs_guess(exact):
    small = exact.design.compute < 1e17
    for (name, metric), scores in exact.scores.items():
        if metric != "loss":
            assert scores[small].mean() - exact.baselines[name] < 0.002


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
        assert simulated.scores[name, "loss"] == pytest.approx(expected, rel=1e-12)


# -- noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROBLEMS)
def test_scores_are_whole_numbers_of_problems(name, drawn):
    samples = SAMPLES if name in CODE else 1
    answered = drawn.scores[name, METRIC_TYPES[name]] * PROBLEMS[name] * samples
    assert np.abs(answered - answered.round()).max() < 1e-6


def test_so_are_the_public_ones(public_runs):
    """Where the numbers of problems come from, and the 200 samples of code."""
    scores: dict[str, list[float]] = {}
    with (public_runs / "apple-downstream" / "runs.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["metric_type"] in ("acc", "acc_norm", "exact_match", "pass@1"):
                scores.setdefault(row["benchmark"], []).append(float(row["score"]))
    assert len(scores) == 12
    for key, values in scores.items():
        label = _label(key)
        samples = SAMPLES if label in CODE else 1
        fitting = [
            n for n in range(2, PROBLEMS[label] + 1) if _whole(np.array(values) * n * samples)
        ]
        assert fitting == [PROBLEMS[label]]


def _whole(answered):
    """The scores have ten digits at least."""
    return np.abs(answered - answered.round()).max() < 1e-5


def _label(key):
    plain = key.partition("_1shot")[0].replace("_", "").replace("-", "").lower()
    spelt = {
        "arceasy": "ARC-E",
        "arcchallenge": "ARC-C",
        "lambadaopenai": "LAMBADA",
        "gsm8kcotllama": "GSM8K",
        "humanevalpy": "HumanEval",
    }
    return spelt.get(plain) or next(label for label in PROBLEMS if label.lower() == plain)


def public_scores(folder):
    """Label -> (compute, accuracy) of the public runs of nominal ratio 20; code also by k."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with (folder / "apple-downstream" / "runs.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["tpr"] == "20" and row["metric_type"] != "loss":
                key = (_label(row["benchmark"]), row["metric_type"])
                found.setdefault(key, []).append((float(row["flops_table"]), float(row["score"])))
    return {key: np.array(pairs).T for key, pairs in found.items()}


def test_the_noise_is_that_of_the_public_runs(public_runs):
    """Run noise and the correlation of questions, by restricted likelihood about quadratics in log
    C.
    """
    curves = []
    for (name, metric), (compute, Q) in public_scores(public_runs).items():
        if name not in CODE and metric == METRIC_TYPES[name]:
            baseline = float(str(LAWS[name].random_baseline))
            kept = baseline + 0.05 < Q
            share, x = (Q[kept] - baseline) / (1.0 - baseline), np.log(compute[kept]) - 49.0
            binomial = (
                Q[kept]
                * (1.0 - Q[kept])
                / PROBLEMS[name]
                / ((1.0 - baseline) * share * np.log(share)) ** 2
            )
            curves.append((np.vander(x, 3), np.log(-np.log(share)), Q[kept], binomial))
    assert len(curves) == 10
    common = ndtri((np.arange(200) + 0.5) / 200)

    def deviance(theta):
        noise, shared = np.exp(theta[0]), 1.0 / (1.0 + np.exp(-theta[1]))
        total = 0.0
        for X, y, Q, binomial in curves:
            rate = ndtr(
                (np.sqrt(shared) * common - ndtri(1.0 - Q)[:, None]) / np.sqrt(1.0 - shared)
            )
            variance = noise**2 + binomial * (rate * (1.0 - rate)).mean(axis=1) / (Q * (1.0 - Q))
            inner = X.T @ (X / variance[:, None])
            rest = y - X @ np.linalg.solve(inner, X.T @ (y / variance))
            total += (
                np.log(variance).sum() + np.linalg.slogdet(inner)[1] + (rest**2 / variance).sum()
            )
        return total

    best = minimize(deviance, [np.log(0.03), 1.0], method="Nelder-Mead")
    assert np.exp(best.x[0]) == pytest.approx(0.021, abs=0.001)
    assert 1.0 / (1.0 + np.exp(-best.x[1])) == pytest.approx(0.44, abs=0.02)
    assert deviance([np.log(RUN_NOISE), 0.0]) - best.fun < 0.3
    assert deviance([np.log(0.016), -20.0]) - best.fun == pytest.approx(1.4, abs=0.1), (
        "questions independent between runs"
    )


def concentration(q, target, k):
    """a + b of the Beta(a, b) of mean q whose pass@k is the target."""
    return np.exp(
        brentq(lambda s: beta_pass(np.exp(s) * q, np.exp(s) * (1.0 - q), k) - target, -5.0, 5.0)
    )


def test_success_rates_are_those_of_the_public_runs(public_runs):
    """a + b of the Beta(a, b) with the public pass@1 and pass@k, over runs that solve more than 5
    %.
    """
    scores = public_scores(public_runs)
    for name in CODE:
        ones = dict(scores[name, "pass@1"].T)
        for k in (8, 128):
            totals = []
            for compute, target in scores[name, f"pass@{k}"].T:
                q = ones.get(compute, 0.0)
                if q > 0.05 and 1.02 * q < target < 1.0:
                    totals.append(concentration(q, target, k))
            assert len(totals) > 8
            assert np.median(totals) == pytest.approx(0.4, abs=0.05)


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


def test_the_accuracy_of_guessing_can_be_estimated_from_the_small_runs(drawn):
    small = drawn.design.compute < 1e17
    for name in ("ARC-E", "PIQA", "HellaSwag", "Winogrande"):
        scores = drawn.scores[name, METRIC_TYPES[name]][small]
        error = np.sqrt(0.25 / PROBLEMS[name] / 10)
        assert abs(scores.mean() - drawn.baselines[name]) < 0.002 + 4 * error


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
