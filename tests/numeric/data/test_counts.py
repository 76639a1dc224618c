"""Reading of counts: what is recognised, joined, left out and refused; every message is one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.counts import Counts

ROWS: dict[str, Any] = {
    "model": ["a", "a", "b", "b"],
    "problem": [1, 2, 1, 2],
    "n_samples": [10, 20, 10, 30],
    "n_correct": [0, 20, 3, 1],
}
OPTIONS = {"columns", "where"}


def read(data: Any = ROWS, **changed: Any) -> Counts:
    """Counts from the rows with columns changed or added, and options of Counts.read."""
    options = {name: changed.pop(name) for name in OPTIONS & changed.keys()}
    return Counts.read(data | changed if changed else data, **options)


def refused(message: str, data: Any = ROWS, **changed: Any) -> None:
    with pytest.raises(ValueError, match=message) as error:
        read(data, **changed)
    assert "\n" not in str(error.value)


def test_groups_in_order_of_appearance_and_subsets_of_them() -> None:
    data = {"model": ["z", "a", "z"], "problem": ["p", "p", "q"], "n": [4, 5, 6], "c": [1, 2, 3]}
    counts = Counts.read(data | {"N": [1e9, 1e8, 1e9], "D": [2e10, 2e9, 2e10]})
    assert (counts.by, counts.labels, counts.names) == (("model",), (("z",), ("a",)), ("z", "a"))
    assert (counts.group.tolist(), counts.problem.tolist()) == ([0, 1, 0], ["p", "p", "q"])
    assert [values.tolist() for values in counts.per_group(0)] == [[4, 6], [1, 3]]
    assert {counts.n.dtype, counts.c.dtype, counts.group.dtype} == {np.dtype(np.int64)}
    # n and c count, N and D do not.
    assert counts.covariates["compute"].tolist() == [1.2e20, 1.2e18]
    swapped, second = counts.subset([1, 0]), counts.subset(np.array([False, True]))
    assert (swapped.names, swapped.row.tolist()) == (("a", "z"), [2, 1, 3])
    assert (second.n.tolist(), second.covariates["params"].tolist()) == ([5], [1e8])


@pytest.mark.parametrize("cells", [(True, False), ("1", "0")])
def test_a_row_for_each_sample(cells: tuple[Any, Any]) -> None:
    yes, no = cells
    data = {
        "model": ["a", "a", "b", "a", "a", "b"],
        "task_id": ["p", "p", "p", "q", "p", "q"],
        "passed": [yes, no, yes, no, yes, None],
    }
    counts = Counts.read(data)
    assert (counts.names, counts.problem.tolist()) == (("a", "b"), ["p", "p", "q"])
    assert (counts.n.tolist(), counts.c.tolist()) == ([3, 1, 1], [2, 1, 0])
    assert counts.row.tolist() == [1, 3, 4]
    assert "5 rows taken as samples of 3 problems" in counts.warnings
    assert list(map(str, counts.dropped)) == ["row 6: n_correct is missing"]
    refused("no column for n_samples", data | {"passed": [1, 2, 0, 0, 0, 0]})
    refused("no column for n_samples", {"problem": [1, 2], "c": [1, 0]})  # of how many samples?


def test_empty_cells_and_conditions() -> None:
    counts = read(n_samples=["10000", None, "1e4", "128"], n_correct=[5, 3, "NA", 0])
    assert (counts.n.tolist(), counts.c.tolist()) == ([10_000, 128], [5, 0])
    reasons = ["row 2: n_samples is missing", "row 3: n_correct='NA' is not a number"]
    assert [str(each) for each in counts.dropped] == reasons
    some = read(where="n_samples > 10 and model == 'b'")
    assert (some.names, some.row.tolist(), some.left_out) == (("b",), [4], 3)


def test_covariates_of_groups() -> None:
    """The mean over the rows of gold, and one value of the others."""
    some = read(N=[None, 1e8, 1e9, 1e9], C=[6e18] * 2 + [6e20] * 2, gold=[1.0, 2.0, 3.0, 3.0])
    assert some.covariates["params"].tolist() == [1e8, 1e9]
    assert some.covariates["tokens"] == pytest.approx([1e10, 1e11])  # two give the third
    assert some.covariates["gold"].tolist() == [1.5, 3.0]
    missing = read(gold=[3.0, 3.0, None, None])
    assert np.isnan(missing.covariates["gold"]).tolist() == [False, True]
    assert "no gold for 1 group of 2 ('b')" in missing.warnings


def test_public_counts(public_runs: Path) -> None:
    folder = public_runs / "pythia-passk"
    means, rows = folder / "mean_pass_at_k.csv", pd.read_csv(folder / "per_problem_counts.csv")
    models = pd.read_csv(means).drop_duplicates(["benchmark", "model"])
    counts = Counts.read(rows.merge(models[["benchmark", "model", "N", "D", "C_6ND"]], "left"))
    assert (len(counts), len(counts.n), counts.by) == (153, 19_370, ("benchmark", "model"))
    N, D, C = (counts.covariates[name] for name in ("params", "tokens", "compute"))
    assert pytest.approx(6 * N * D, rel=1e-6) == C
    assert not counts.warnings
    assert counts.labels[0] == ("gsm8k", "Pythia_1.4B_200B")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_correct": [0, 21, 13, 1]}, "row 2, .*: n_correct=21 must be at most n_samples"),
        ({"n_correct": [0, 2.5, 3, 1]}, "row 2, column 'n_correct': n_correct=2.5"),
        ({"problem": [1, 1, 1, 2]}, "rows 1 and 2: hold the same problem"),
        ({"model": [" ", "", " ", " "]}, "row 1: model is missing"),
        ({"N": [1e8, 2e8, 1e9, 1e9]}, "row 1, column 'N': params is from"),
        ({"where": "n > 1000"}, "none of 4 rows is usable .4 rows left out by the condition"),
        ({"gold": [-5.0] * 4}, "none of 4 rows is usable"),
    ],
)
def test_what_is_refused(changed: Any, message: str) -> None:
    refused(message, **changed)
