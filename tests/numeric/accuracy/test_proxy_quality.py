"""How well proxies tell accuracy: against SciPy, in every output, and what bad input says."""

import numpy as np
import pytest

from isoflop.numeric.accuracy.proxy_quality import proxy_quality
from isoflop.numeric.data.evaluations import Evaluations


def table(n=40, seed=0):
    """Two benchmarks that follow a loss, one of them with a floor, and a column that tells nothing."""
    random = np.random.default_rng(seed)
    loss = random.uniform(2.0, 4.0, n)
    return {
        "N": np.geomspace(1e8, 1e10, n),
        "D": np.geomspace(2e9, 2e11, n),
        "acc_clean": 1 / (1 + np.exp(3.0 * loss - 8.0)) + random.normal(0, 0.004, n),
        "acc_floor": 0.25 + 0.6 / (1 + np.exp(4.0 * (loss - 2.8))) + random.normal(0, 0.004, n),
        "loss_c4": loss,
        "loss_code": loss + random.normal(0, 0.3, n),
        "noise": random.normal(size=n),
        "shard": ["a" if i % 2 else "b" for i in range(n)],
    }


@pytest.fixture
def evaluations():
    return Evaluations.read(table())


def test_against_scipy(evaluations):
    from scipy.optimize import curve_fit
    from scipy.stats import spearmanr

    found = proxy_quality(evaluations)
    assert [(row.benchmark, row.proxy) for row in found.itertuples()] == [
        ("clean", "c4"),
        ("clean", "code"),
        ("floor", "c4"),
        ("floor", "code"),
    ]
    for row in found.itertuples():
        x, q = evaluations.proxies[row.proxy], evaluations.scores[row.benchmark]
        assert row.n == len(x)
        assert row.spearman == pytest.approx(spearmanr(x, q).statistic, abs=1e-12)
        about = ((q - q.mean()) ** 2).sum()
        (a, b), _ = curve_fit(lambda x, a, b: 1 / (1 + np.exp(-a * x + b)), x, q, p0=[-2, -6])
        squares = ((q - 1 / (1 + np.exp(-a * x + b))) ** 2).sum()
        assert (row.a, row.b) == pytest.approx((a, b), rel=1e-4)
        assert row.r2 == pytest.approx(1 - squares / about, rel=1e-8)
        assert row.rmse == pytest.approx(np.sqrt(squares / len(x)), rel=1e-8)
        assert not row.note


def test_the_truth_is_recovered():
    x = np.linspace(2, 4, 30)
    runs = Evaluations.read(
        {"N": x * 1e9, "D": x * 1e10, "acc_q": 1 / (1 + np.exp(3 * x - 8)), "loss_c4": x}
    )
    (row,) = proxy_quality(runs).itertuples()
    assert (row.a, row.b, row.r2, row.spearman) == pytest.approx((-3.0, -8.0, 1.0, -1.0))


def test_any_column_and_other_benchmarks_as_proxies(evaluations):
    found = proxy_quality(
        evaluations,
        benchmarks=["clean"],
        proxies=["noise", "floor", "clean", "loss_c4"],
    )
    assert {row.proxy for row in found.itertuples()} == {"noise", "floor", "loss_c4"}
    assert [row.proxy for row in found.itertuples()][-1] == "noise"
    other = next(row for row in found.itertuples() if row.proxy == "floor")
    assert other.spearman > 0.9


def test_what_cannot_be_told_is_said():
    n = 6
    columns = {
        "N": np.geomspace(1e8, 1e9, n),
        "D": np.geomspace(1e9, 1e10, n),
        "acc_flat": np.full(n, 0.25),
        "acc_grows": np.linspace(0.3, 0.5, n),
        "loss_same": np.full(n, 3.0),
        "loss_three": [3.0, 3.0, 2.9, 2.9, 2.8, 2.8],
    }
    found = {
        (row.benchmark, row.proxy): row
        for row in proxy_quality(Evaluations.read(columns)).itertuples()
    }
    constant = found["grows", "same"]
    assert np.isnan([constant.r2, constant.spearman]).all()
    assert constant.note == "the proxy takes 1 value"
    few = found["grows", "three"]
    assert few.r2 > 0.9
    flat = found["flat", "three"]
    assert np.isnan([flat.r2, flat.spearman]).all()
    assert flat.note == "accuracy is constant"


# -- bad input -----------------------------------------------------------------------------------------------------------


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
        proxy_quality(evaluations, **options)


def test_on_public_runs(public_runs):
    """On the over-trained runs of Gadre et al. the loss on C4 ranks HellaSwag best of all eight
    losses.
    """
    runs = Evaluations.read(public_runs / "gadre2024" / "runs.csv", columns={"params": "N"})
    found = proxy_quality(runs, benchmarks=["hellaswag", "arc_easy"])
    assert len(found) == 16
    assert not found["note"].any()
    best = next(row for row in found.itertuples() if row.benchmark == "hellaswag")
    assert (best.proxy, round(best.spearman, 3)) == ("c4_val", -0.993)
