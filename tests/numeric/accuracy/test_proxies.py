"""How well proxies rank accuracy: against SciPy, on public runs, and what bad input says."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from isoflop.numeric.accuracy.proxies import rank_proxies
from isoflop.numeric.data.evaluations import Evaluations


@pytest.fixture
def evaluations():
    """Two benchmarks that follow a loss, and a column that tells nothing."""
    random, n = np.random.default_rng(0), 40
    loss = random.uniform(2.0, 4.0, n)
    return Evaluations.read(
        {
            "N": np.geomspace(1e8, 1e10, n),
            "D": np.geomspace(2e9, 2e11, n),
            "acc_clean": 1 / (1 + np.exp(3.0 * loss - 8.0)) + random.normal(0, 0.004, n),
            "acc_floor": 0.25 + 0.6 / (1 + np.exp(4.0 * (loss - 2.8))),
            "loss_c4": loss,
            "loss_code": loss + random.normal(0, 0.3, n),
            "noise": random.normal(size=n),
            "shard": ["a" if i % 2 else "b" for i in range(n)],
        }
    )


def test_against_scipy(evaluations):
    found = rank_proxies(evaluations)
    assert [(row.benchmark, row.proxy) for row in found.itertuples()] == [
        ("clean", "c4"),
        ("clean", "code"),
        ("floor", "c4"),
        ("floor", "code"),
    ]
    for row in found.itertuples():
        x, Q = evaluations.proxies[row.proxy], evaluations.scores[row.benchmark]
        assert (row.n, row.spearman) == (40, pytest.approx(spearmanr(x, Q).statistic, abs=1e-12))


def test_any_column_and_other_benchmarks_as_proxies(evaluations):
    asked = ["noise", "floor", "clean", "loss_c4"]
    found = rank_proxies(evaluations, benchmarks=["clean"], proxies=asked).set_index("proxy")
    assert list(found.index)[-1] == "noise"
    assert {*found.index} == {"noise", "floor", "loss_c4"}
    assert found["spearman"]["floor"] > 0.9


def test_what_is_constant_has_no_rank():
    n = 6
    columns = {
        "N": np.geomspace(1e8, 1e9, n),
        "D": np.geomspace(1e9, 1e10, n),
        "acc_flat": np.full(n, 0.25),
        "loss_three": [3.0, 3.0, 2.9, 2.9, 2.8, 2.8],
    }
    assert np.isnan(rank_proxies(columns)["spearman"]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmarks": ["arc"]}, "benchmark='arc': .* has no such benchmark"),
        ({"benchmarks": ["clean"], "proxies": ["acc_clean"]}, "no proxy of itself"),
        ({"benchmarks": []}, "benchmarks=.*at least one"),
        ({"proxies": ["mmlu_loss"]}, "proxy='mmlu_loss': .* has no such column"),
        ({"proxies": ["shard"]}, "proxy='shard': the column holds text"),
    ],
)
def test_bad_arguments(evaluations, options, message):
    with pytest.raises(ValueError, match=message):
        rank_proxies(evaluations, **options)


def test_on_public_runs(public_runs):
    """On the over-trained runs of Gadre et al. the loss on C4 ranks HellaSwag best of all eight
    losses.
    """
    runs = Evaluations.read(public_runs / "gadre2024" / "runs.csv", columns={"params": "N"})
    best = rank_proxies(runs, benchmarks=["hellaswag"]).iloc[0]
    assert (best["proxy"], round(best["spearman"], 3)) == ("c4_val", -0.993)
