"""Tables of evaluations: which rows are one run, what is refused, and in whose words."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.evaluations import Evaluations

Row = dict[str, Any]


def score(N: float, benchmark: str, value: Any, metric: str | None = "acc", **more: Any) -> Row:
    own = {"benchmark": benchmark, "metric_type": metric, "score": value}
    return {"N": N, "D": 20 * N, **own, **more}


LONG = [score(N, name, q) for N, q in ((1e8, 0.3), (1e9, 0.5)) for name in ("piqa", "sciq")]
METRICS = {"piqa": "acc", "arc_easy": "acc_norm", "hella swag": "exact_match", "c4": "loss"}


def test_the_table_is_that_which_pandas_pivots_in_any_order() -> None:
    """Runs may be of one size; a third of the scores is missing."""
    random = np.random.default_rng(2)
    sizes = {f"run {i}": (random.choice((1e8, 1e9)), random.choice((2e9, 3e10))) for i in range(5)}
    rows = pd.DataFrame(
        score(sizes[run][0], benchmark, random.uniform(0.1, 0.9), metric, run=run, D=sizes[run][1])
        for run in sizes
        for benchmark, metric in METRICS.items()
        if benchmark == "piqa" or random.random() < 0.7
    )
    truth = rows.pivot(index="run", columns="benchmark", values="score")
    found = Evaluations.read(rows.sample(frac=1.0, random_state=2))
    order = list(found.run)
    assert (sorted(order), found.frame.shape) == (sorted(sizes), (5, 4 + len(METRICS)))
    assert [*zip(found.params, found.tokens, strict=True)] == [sizes[name] for name in order]
    scores = found.scores | found.proxies
    assert ({*scores}, dict(found.metric_types)) == ({*truth}, METRICS)
    for key, values in scores.items():
        np.testing.assert_array_equal(values, truth.loc[order, key])


def test_runs_are_told_apart_by_size_or_by_the_column_that_is_named() -> None:
    """A training set is of the run, but only the user can say so; a time is of each score."""
    rows = [
        score(1e8, name, 0.5, data=data, model="m", seconds=10.0 * i + j)
        for i, data in enumerate("xy")
        for j, name in enumerate(("piqa", "sciq"))
    ]
    assert len(Evaluations.read(rows, where="data == 'x'")) == 1
    with pytest.raises(ValueError, match=r"two scores of the same run.*; choose one with .*'run'"):
        Evaluations.read(rows)
    found = Evaluations.read(rows, columns={"run": "data"})
    assert (list(found.run), "seconds" in found.frame) == (["x", "y"], False)
    assert list(Evaluations.read(rows, columns={"run": "model + data"}).run) == ["mx", "my"]


def test_pass_at_k_is_a_family_and_several_metrics_are_named() -> None:
    rows = [score(1e8, "lbpp", 0.1 * k, f"pass@{k}") for k in (4, 1, 2)]
    rows += [score(1e8, "arc", q, m) for q, m in ((0.3, "acc"), (0.4, "acc_norm"), (1.7, "nll"))]
    rows += [score(1e8, "c4", 3.0, "loss")]
    found = Evaluations.read(rows)
    assert found.benchmarks == ("lbpp", "arc acc", "arc acc_norm")
    assert found.family("lbpp") == {1: "lbpp", 2: "lbpp pass@2", 4: "lbpp pass@4"}
    assert found.family("arc acc") == {}
    assert set(found.proxies) == {"arc nll", "c4"}
    assert found.benchmark_of("arc acc_norm") == "arc"
    assert list(found.only(["lbpp"]).scores) == ["lbpp", "lbpp pass@2", "lbpp pass@4"]
    assert list(found.only(["lbpp pass@2"]).scores) == ["lbpp pass@2"]
    pairs = found.sample("lbpp", 0.0, in_k=True)
    assert pairs.k.tolist() == [1.0, 2.0, 4.0]
    assert pairs.accuracy.tolist() == pytest.approx([0.1, 0.2, 0.4])
    assert found.held_out(pairs, "k > 1 and N < 1e9").tolist() == [False, True, True]
    message = r"benchmark='arc': .*; it has .*'arc acc', 'arc acc_norm'"
    with pytest.raises(ValueError, match=message):
        found.sample("arc", 0.25)
    with pytest.raises(ValueError, match="benchmark='arc acc': no run of data has a pass@k of it"):
        found.sample("arc acc", 0.0, in_k=True)


def test_a_sample_has_the_runs_with_a_score() -> None:
    rows = [score(N, "piqa", N / 4e10, width=N / 1e5) for N in (1e8, 1e9, 1e10)]
    rows += [
        score(N, "c4", x, "loss", width=N / 1e5) for N, x in ((1e8, 3.1), (1e9, 2.6), (3e10, 2))
    ]
    found = Evaluations.read(rows)
    assert found.sample("piqa", 0.25).index.tolist() == [0, 1, 2]
    assert found.proxy("c4").tolist()[:2] == [3.1, 2.6]
    assert found.proxy("width").tolist() == [1e3, 1e4, 1e5, 3e5]
    held = found.sample("piqa", 0.25).subset([0, 1])
    assert found.held_out(held, "tokens/params >= 20 and c4 < 3").tolist() == [False, True]
    with pytest.raises(ValueError, match=r"'c5': data has no such column.*it has 'width', 'piqa'"):
        found.proxy("c5")


RUN_A = [{**row, "run": "a"} for row in (LONG[0], LONG[3])]
OF_TWO = [score(N, "a", 0.5, random_baseline=r) for N, r in ((1e8, 0.25), (1e9, 0.5))]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*LONG, score(2e9, "piqa", 61.0)], "piqa=61 must be a number from 0 to 1; of percent"),
        ([score(1e8, "c4", 3.2, None)], "c4=3.2 must be a number from 0 to 1"),
        ([*LONG, score(2e9, "squad", 0.4, "f1")], "by --where \"metric_type != 'f1'\""),
        ([score(2e9, "squad", 0.4, None) | {"metric_type": " "}], "row 1: metric_type is missing"),
        ([*LONG, score(1e8, "piqa", 0.4)], "rows 1 and 5: hold two scores of the same run"),
        (RUN_A, "params is from 100000000 to 1000000000 in rows of one run"),
        ([LONG[0] | {"run": " "}], "row 1: run is missing"),
        ([LONG[0] | {"benchmark": "tokens"}], "a benchmark may not be called 'tokens'"),
        ([{"N": 1e8, "D": 2e9, "hella": 0.5}], "into rows by DataFrame.melt"),
        ([{"task": "a", "score": 0.5}], "no column tells which run a score is of"),
        (OF_TWO, "column 'random_baseline': a: random_baseline must be one number"),
    ],
)
def test_bad_tables_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Evaluations.read(rows)
    assert "\n" not in str(caught.value)


def test_the_transcribed_runs(public_runs: Path) -> None:
    path = public_runs / "apple-downstream" / "runs.csv"
    found = Evaluations.read(path, columns={"params": None, "compute": "flops_table"})
    assert (len(found), len(found.benchmarks)) == (33, 12)
    assert set(found.proxies) == {"c4", "dclm", "fineweb"}
    assert np.allclose(6 * found.params * found.tokens, found.compute, rtol=1e-12)
    every = [*found.scores.values(), *found.proxies.values()]
    assert sum(np.count_nonzero(~np.isnan(values)) for values in every) == 606
    assert [*found.family("lbpp")] == [*found.family("humaneval-py")] == [2**i for i in range(8)]
    assert len(found.sample("humaneval-py", 0.0, in_k=True)) == 21 * 8
