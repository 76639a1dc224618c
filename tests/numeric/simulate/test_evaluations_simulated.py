"""Simulated evaluations: the design, the truth, and its noise."""

from collections import Counter

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from isoflop.numeric.simulate.evaluations import (
    LAWS,
    LOSSES,
    PROBLEMS,
    design,
    simulate,
    true_accuracy,
)
from isoflop.theory.data.krajewski2025 import C4, MIXTURE, RUNS

MP = mpmath.mp.clone()
MP.dps = 50
DESIGN = design()


def scores(table, name, metric):
    """The scores of all runs on one benchmark."""
    return table.query("benchmark == @name and metric_type == @metric").score.to_numpy()


@pytest.fixture(scope="module")
def drawn():
    return simulate(seed=4)


def test_the_design_is_that_of_the_tables():
    assert len(DESIGN) == len(set(DESIGN.run)) == 150 + 45
    assert Counter(DESIGN.dataset) == {MIXTURE: 150, C4: 45}
    listed = Counter((float(C), float(tokens.removesuffix("B"))) for _, C, tokens, *_ in RUNS)
    mixture = DESIGN[DESIGN.dataset == MIXTURE]
    assert Counter(zip(mixture.compute, mixture.tokens / 1e9, strict=True)) == listed
    assert DESIGN.compute.tolist() == pytest.approx((6 * DESIGN.params * DESIGN.tokens).tolist())
    named = [1e9 * float(name.partition("B-")[0]) for name in DESIGN.run]
    assert DESIGN.params.tolist() == pytest.approx(named, rel=0.09)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_truth_is_that_of_table_12(name):
    """Four runs, against 50 digits."""
    law, Q = LAWS[name], true_accuracy(name, DESIGN)
    A, B, beta, gamma = (MP.mpf(law.coefficients[role]) for role in ("A", "B", "beta", "gamma"))
    guess = MP.mpf(law.random_baseline)
    for i in np.flatnonzero(DESIGN.dataset == MIXTURE)[[0, 40, 100, 149]]:
        params, tokens = MP.mpf(float(DESIGN.params[i])), MP.mpf(float(DESIGN.tokens[i]))
        expected = guess + (1 - guess) * MP.exp(-A / params**beta - B / tokens**gamma)
        assert Q[i] == pytest.approx(float(expected), rel=1e-12)


def test_losses_and_what_c4_does_not_teach(drawn):
    for name, (E, A, B, exponent) in LOSSES.items():
        expected = E + A * DESIGN.params**-exponent + B * DESIGN.tokens**-exponent
        assert np.log(scores(drawn, name, "loss") / expected).std() == pytest.approx(0.002, rel=0.2)
    on_c4 = drawn[(drawn.dataset == C4) & (drawn.metric_type != "loss")]
    best = (on_c4.score - on_c4.random_baseline).groupby(on_c4.benchmark).max()
    assert (
        {*best[best <= 0.1].index} == {*best[best == 0.0].index} == {"GSM8K", "HumanEval", "LBPP"}
    )


def test_noise_has_the_stated_size(drawn):
    """The spread of log(-log Q') over runs: that between runs, and that of a finite number of
    questions, which are the same for all runs.
    """
    truth = true_accuracy("WebQS", DESIGN)
    clear = truth > 0.05
    found, Q = scores(drawn, "WebQS", "exact_match")[clear], truth[clear]
    # The chance that two runs, whose normal scores are correlated, both answer; what is left of
    # the variance of independent answers.
    joint = multivariate_normal(cov=[[1.0, 0.5], [0.5, 1.0]])
    both = joint.cdf(np.stack([ndtri(Q), ndtri(Q)], axis=1))
    of_questions = np.sqrt((Q - both) / PROBLEMS["WebQS"]) / (Q * -np.log(Q))
    standard = np.log(np.log(found) / np.log(Q)) / np.hypot(0.02, of_questions)
    assert clear.sum() > 100
    assert np.std(standard) == pytest.approx(1.0, rel=0.2)
    assert np.mean(standard) == pytest.approx(0.0, abs=4.0 / np.sqrt(clear.sum()))


def test_a_seed_gives_the_same_scores_whatever_else_is_drawn(drawn):
    one, other = (simulate(seed=seed, benchmarks=["PIQA"]) for seed in (4, 8))
    own, alone, others = (scores(table, "PIQA", "acc_norm") for table in (drawn, one, other))
    assert (own == alone).all()
    assert (own != others).any()
    assert (1838 * own[:3]).round().tolist() == [1529, 1499, 1534]  # as since the first version


@pytest.mark.parametrize("bad", [{"seed": -1}, {"benchmarks": ["MMLU"]}, {"benchmarks": []}])
def test_bad_input(bad):
    with pytest.raises(ValueError, match=r"=.*must be"):
        simulate(**bad)
