"""How well proxies tell accuracy: against SciPy, in every output, and what bad input says."""

import json

import numpy as np
import pytest

from isoflop.numeric.accuracy.proxy_quality import proxy_quality, rank_correlation
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
    assert [(row.benchmark, row.proxy) for row in found.rows] == [
        ("clean", "c4"),
        ("clean", "code"),
        ("floor", "c4"),
        ("floor", "code"),
    ]
    for row in found.rows:
        x, q = evaluations.proxies[row.proxy], evaluations.scores[row.benchmark]
        assert row.n == len(x)
        assert row.spearman == pytest.approx(spearmanr(x, q).statistic, abs=1e-12)
        about = ((q - q.mean()) ** 2).sum()
        (a, b), _ = curve_fit(lambda x, a, b: 1 / (1 + np.exp(-a * x + b)), x, q, p0=[-2, -6])
        squares = ((q - 1 / (1 + np.exp(-a * x + b))) ** 2).sum()
        assert (row.a, row.b) == pytest.approx((a, b), rel=1e-4)
        assert row.r2 == pytest.approx(1 - squares / about, rel=1e-8)
        assert row.rmse == pytest.approx(np.sqrt(squares / len(x)), rel=1e-8)
        four, _ = curve_fit(
            lambda x, a, k, m, b: a / (1 + np.exp(-k * (x - m))) + b,
            x,
            q,
            p0=[0.6, -4, 2.8, 0.2],
            maxfev=20000,
        )
        squares = ((q - four[0] / (1 + np.exp(-four[1] * (x - four[2]))) - four[3]) ** 2).sum()
        assert row.r2_four == pytest.approx(1 - squares / about, rel=1e-6)
        assert not row.note


def test_the_truth_is_recovered():
    x = np.linspace(2, 4, 30)
    runs = Evaluations.read(
        {"N": x * 1e9, "D": x * 1e10, "acc_q": 1 / (1 + np.exp(3 * x - 8)), "loss_c4": x}
    )
    (row,) = proxy_quality(runs).rows
    assert (row.a, row.b, row.r2, row.spearman) == pytest.approx((-3.0, -8.0, 1.0, -1.0))


def test_any_column_and_other_benchmarks_as_proxies(evaluations):
    found = proxy_quality(
        evaluations,
        benchmarks=["clean"],
        proxies=["noise", "floor", "clean", "loss_c4"],
        where="shard == 'a'",
    )
    assert {row.proxy for row in found.rows} == {"noise", "floor", "loss_c4"}
    assert [row.proxy for row in found.rows][-1] == "noise"
    assert all(row.n == 20 for row in found.rows)
    other = next(row for row in found.rows if row.proxy == "floor")
    assert other.spearman is not None
    assert other.spearman > 0.9
    assert found.of("clean") == found.rows


def test_four_coefficients_are_never_worse(evaluations):
    for row in proxy_quality(evaluations, proxies=["c4", "code", "noise"]).rows:
        assert row.rmse is not None
        assert row.rmse_four is not None
        assert row.rmse_four <= row.rmse * (1 + 1e-3)


def test_runs_without_a_score_or_a_proxy_do_not_count():
    columns = table()
    whole = proxy_quality(
        Evaluations.read({**columns, "acc_clean": columns["acc_clean"][:]}), benchmarks=["floor"]
    )
    columns["acc_clean"] = [None if i < 10 else q for i, q in enumerate(columns["acc_clean"])]
    found = proxy_quality(Evaluations.read(columns))
    assert {(row.benchmark, row.n) for row in found.rows} == {("clean", 30), ("floor", 40)}
    for one, other in zip(found.of("floor"), whole.rows, strict=True):
        assert (one.r2, one.rmse_four) == pytest.approx((other.r2, other.rmse_four), rel=1e-9)
    alone = {name: values[10:] for name, values in columns.items()}
    (first, _) = proxy_quality(Evaluations.read(alone), benchmarks=["clean"]).rows
    assert found.of("clean")[0].r2 == pytest.approx(first.r2, rel=1e-9)


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
        (row.benchmark, row.proxy): row for row in proxy_quality(Evaluations.read(columns)).rows
    }
    constant = found["grows", "same"]
    assert (constant.r2, constant.spearman, constant.note) == (
        None,
        None,
        "the proxy takes 1 value",
    )
    few = found["grows", "three"]
    assert few.r2 is not None
    assert few.r2 > 0.9
    assert (few.r2_four, few.note) == (None, "four coefficients: 3 values")
    flat = found["flat", "three"]
    assert (flat.r2, flat.spearman) == (None, None)
    assert flat.rmse == pytest.approx(0.0, abs=1e-9)
    assert "accuracy is constant" in flat.note


def test_ranks_of_ties():
    from scipy.stats import spearmanr

    random = np.random.default_rng(1)
    x, y = random.integers(0, 5, 30), random.integers(0, 4, 30)
    assert rank_correlation(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert rank_correlation([1.0, 1.0], [0.2, 0.3]) is None


# -- output --------------------------------------------------------------------------------------------------------------


def test_outputs_agree(evaluations):
    found = proxy_quality(evaluations, proxies=["c4", "noise"])
    data = json.loads(json.dumps(found.as_dict()))
    records = found.table.records()
    assert len(records) == len(data["proxies"]) == 4
    for record, entry, row in zip(records, data["proxies"], found.rows, strict=True):
        assert record["proxy"] == entry["proxy"] == row.proxy
        assert record["r2"] == entry["r2"] == row.r2
    assert max(map(len, str(found).splitlines())) <= 100
    assert found.table.latex().count(r"\\") == 5


def test_long_names_and_notes_keep_to_the_width():
    columns = {
        f"{key}_{'x' * 60}" if key.startswith(("acc", "loss")) else key: values
        for key, values in table().items()
    }
    columns[f"loss_{'y' * 50}"] = np.full(40, 2.0)
    text = str(proxy_quality(Evaluations.read(columns)))
    assert max(map(len, text.splitlines())) <= 100
    assert "takes 1 value" in text


# -- bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmarks": ["arc"]}, "benchmark='arc': .* has no such benchmark"),
        ({"benchmarks": ["clean"], "proxies": ["acc_clean"]}, "a benchmark is no proxy of itself"),
        ({"benchmarks": []}, "benchmarks: must name at least one"),
        ({"benchmarks": "clean"}, "benchmarks='clean': must be a sequence of names"),
        ({"proxies": ["mmlu_loss"]}, "proxy='mmlu_loss': .* has no such column"),
        ({"proxies": ["shard"]}, "proxy='shard': the column holds text"),
        ({"where": "N > 1e30"}, "leaves none of 40 runs"),
    ],
)
def test_bad_arguments(evaluations, options, message):
    with pytest.raises(ValueError, match=message):
        proxy_quality(evaluations, **options)


def test_no_proxy_at_all():
    columns = {name: values for name, values in table().items() if not name.startswith("loss")}
    with pytest.raises(
        ValueError, match="the evaluations have no metric but accuracies; name those to compare"
    ):
        proxy_quality(columns)


def test_on_public_runs(public_runs):
    """On the over-trained runs of Gadre et al. the loss on C4 ranks HellaSwag best of all eight
    losses.
    """
    runs = Evaluations.read(public_runs / "gadre2024" / "runs.csv", columns={"params": "N"})
    found = proxy_quality(runs, benchmarks=["hellaswag", "arc_easy"])
    assert len(found.rows) == 16
    assert not any(row.note for row in found.rows)
    best = found.of("hellaswag")[0]
    assert best.spearman is not None
    assert best.r2_four is not None
    assert (best.proxy, round(best.spearman, 3), round(best.r2_four, 3)) == (
        "c4_val",
        -0.993,
        0.985,
    )
