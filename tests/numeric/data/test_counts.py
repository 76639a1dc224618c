"""Reading of counts: what is recognised, joined, left out and refused; every message is one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.passk import Counts

ROWS: dict[str, Any] = {
    "model": ["a", "a", "b", "b"],
    "problem": [1, 2, 1, 2],
    "n_samples": [10, 20, 10, 30],
    "n_correct": [0, 20, 3, 1],
}


def read(**changed: Any) -> Counts:
    """Counts from the rows with columns changed or added, and options of Counts.read."""
    names = {"columns", "where", "by", "models", "gold"} & changed.keys()
    options = {name: changed.pop(name) for name in names}
    return Counts.read(ROWS | changed, **options)


def refused(message: str, data: Any = ROWS, **options: Any) -> None:
    with pytest.raises(ValueError, match=message) as error:
        Counts.read(data, **options)
    assert "\n" not in str(error.value)


def test_groups_in_order_of_appearance() -> None:
    counts = Counts.read(
        {"model": ["z", "a", "z"], "problem": ["p", "p", "q"], "n": [4, 5, 6], "c": [1, 2, 3]}
    )
    assert (counts.by, counts.labels, counts.names) == (("model",), (("z",), ("a",)), ("z", "a"))
    assert (counts.group.tolist(), counts.problem.tolist()) == ([0, 1, 0], ["p", "p", "q"])
    assert [values.tolist() for values in counts.per_group(0)] == [[4, 6], [1, 3]]
    assert (counts.n_problems.tolist(), counts.row.tolist()) == ([2, 1], [1, 2, 3])
    assert {counts.n.dtype, counts.c.dtype, counts.group.dtype} == {np.dtype(np.int64)}


def test_small_letters_are_counts_and_capitals_are_sizes() -> None:
    letters = {"n": [10], "c": [3], "N": [1e9], "D": [2e10], "C": [1.2e20]}
    counts = Counts.read({"model": ["a"], "problem": [1], **letters})
    assert (counts.n.tolist(), counts.c.tolist()) == ([10], [3])
    sizes = {name: values.tolist() for name, values in counts.covariates.items()}
    assert sizes == {"params": [1e9], "tokens": [2e10], "compute": [1.2e20]}


@pytest.mark.parametrize("cells", [("True", "False"), (True, False), (1, 0), ("1", "0")])
def test_a_row_for_each_sample(cells: tuple[Any, Any]) -> None:
    yes, no = cells
    data = {
        "model": ["a", "a", "b", "a", "a", "b"],
        "task_id": ["p", "p", "p", "q", "p", "q"],
        "sample": [0, 1, 0, 0, 2, 0],
        "passed": [yes, no, yes, no, yes, None],
    }
    counts = Counts.read(data)
    assert (counts.names, counts.problem.tolist()) == (("a", "b"), ["p", "p", "q"])
    assert (counts.n.tolist(), counts.c.tolist()) == ([3, 1, 1], [2, 1, 0])
    assert counts.row.tolist() == [1, 3, 4]
    assert "5 rows taken as samples of 3 problems" in counts.warnings
    assert list(map(str, counts.dropped)) == ["row 6: n_correct is missing"]
    assert Counts.read(data, where="task_id == 'q'").n.tolist() == [1]
    refused("no column for n_samples", data | {"passed": [1, 2, 0, 0, 0, 0]})
    refused("no column for n_samples", {"problem": [1, 2], "c": [1, 0]})  # of how many samples?


def test_numerals_empty_cells_and_conditions(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("model,problem,n_samples,n_correct\na,1,10k,5\na,2,,3\na,3,1e4,NA\nb,1,128,0\n")
    counts = Counts.read(path)
    assert (counts.n.tolist(), counts.c.tolist()) == ([10_000, 128], [5, 0])
    reasons = ["row 2: n_samples is missing", "row 3: n_correct is missing"]
    assert [str(each) for each in counts.dropped] == reasons
    some = read(where="n_samples > 10 and model == 'b'")
    assert (some.names, some.row.tolist(), some.left_out) == (("b",), [4], 3)
    assert read(where="c == 0").row.tolist() == [1]
    refused("none of 4 rows has counts .4 rows left out by the condition", where="n > 1000")


def test_subset_keeps_rows_and_covariates_of_its_groups() -> None:
    counts = read(N=[1e8, 1e8, 1e9, 1e9], D=[1e9, 1e9, 1e10, 1e10])
    both, second = counts.subset([1, 0]), counts.subset(np.array([False, True]))
    assert (both.names, both.group.tolist()) == (("b", "a"), [0, 0, 1, 1])
    assert (both.row.tolist(), both.covariates["params"].tolist()) == ([3, 4, 1, 2], [1e9, 1e8])
    assert (second.n.tolist(), second.covariates["tokens"].tolist()) == ([10, 30], [1e10])
    for wrong in ([0, 0], [2], [-1], [True], [[0]], [0.5]):
        with pytest.raises(ValueError, match="groups"):
            counts.subset(wrong)


# -- covariates ------------------------------------------------------------------------------------


def test_models_are_joined_on_what_both_tables_have() -> None:
    data = ROWS | {"benchmark": ["x", "x", "x", "y"], "problem": [1, 2, 1, 2]}
    models = {"Model Name": ["b", "a", "a"], "N": [1e9, 1e8, 1e8], "compute": [6e20, 6e18, 6e18]}
    counts = Counts.read(data, models=models)
    assert counts.names == ("x a", "x b", "y b")
    assert counts.covariates["params"].tolist() == [1e8, 1e9, 1e9]
    assert counts.covariates["tokens"] == pytest.approx([1e10, 1e11, 1e11])  # two give the third
    assert "compute" not in read(N=[1e8, 1e8, 1e9, 1e9]).covariates
    both = read(N=[1e8, 1e8, 1e9, 1e9], models={"model": ["a", "b"], "N": [2e8, None]})
    assert both.covariates["params"].tolist() == [2e8, 1e9]
    assert any("params of 1 group differs between two tables" in text for text in both.warnings)


def test_gold_is_the_mean_over_problems_of_its_own_table() -> None:
    nll = [10.0, 20.0, 60.0, 5.0]
    gold = {"model": ["a", "a", "a", "b"], "problem_idx": [1, 2, 3, 1], "gold_ref_nll_nats": nll}
    assert read(gold=gold).covariates["gold"].tolist() == [30.0, 5.0]
    single = read(gold={"model": ["b", "a"], "nll": [0.1, 0.3]})
    assert single.covariates["gold"].tolist() == [0.3, 0.1]
    missing = read(gold={"model": ["a", "a"], "gold": [3.0, None]})
    assert np.isnan(missing.covariates["gold"]).tolist() == [False, True]
    assert "no gold for 1 group of 2 ('b')" in missing.warnings
    assert "gold: gold is missing in 1 row; the mean is over the others" in missing.warnings


def test_gold_of_one_benchmark_is_not_given_to_another() -> None:
    data, gold = ROWS | {"benchmark": ["x", "x", "y", "y"]}, {"model": ["a"], "gold": [1.0]}
    refused("has no column 'benchmark', and the counts hold several", data, gold=gold)
    only = Counts.read(data, gold=gold, where="benchmark == 'x'")
    assert only.covariates["gold"].tolist() == [1.0]


def test_public_counts(public_runs: Path) -> None:
    folder = public_runs / "pythia-passk"
    path, gold = folder / "per_problem_counts.csv", folder / "gold_reference_nll_gsm8k.csv"
    counts = Counts.read(path, models=folder / "mean_pass_at_k.csv")
    assert (len(counts), len(counts.n), counts.by) == (153, 19_370, ("benchmark", "model"))
    assert len(counts.pairs()[0]) < 2000
    N, D, C = (counts.covariates[name] for name in ("params", "tokens", "compute"))
    assert pytest.approx(6 * N * D, rel=1e-6) == C
    assert not counts.warnings
    some = Counts.read(path, gold=gold, where="benchmark == 'gsm8k'")
    assert np.isfinite(some.covariates["gold"]).sum() == 9
    assert any("no gold for 72 groups of 81" in text for text in some.warnings)
    refused("the counts hold several .'gsm8k', 'math'", path, gold=gold)
    refused("they differ in 'benchmark'", path, by="model")


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"n_correct": [0, 21, 13, 1]},
            r"row 2, .*: n_correct=21 must be at most n_samples \(1 more row\)",
        ),
        ({"n_correct": [0, 2.5, 3, 1]}, "row 2, column 'n_correct': n_correct=2.5"),
        ({"n_samples": [10, 20, 0, 30], "n_correct": [0, 1, 0, 1]}, "row 3, .*: n_samples=0"),
        ({"problem": [1, 1, 1, 2]}, r"rows 1 and 2: .* \('a problem 1'\)"),
        ({"model": ["a", None, "b", "b"]}, "row 2, column 'model': is empty"),
        ({"N": [1e8, 2e8, 1e9, 1e9]}, "column 'N': params of 'a' is 100000000 in row 1"),
    ],
)
def test_bad_rows(changed: Any, message: str) -> None:
    refused(message, ROWS | changed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"n_right": "n_correct"}}, "'n_right' is no quantity"),
        ({"by": "modle"}, r"by='modle': no column 'modle' \(did you mean model"),
        ({"by": ["model", "model"]}, "is given twice"),
        ({"by": 3}, "by=3: must be"),
        ({"models": {"size": ["a"], "N": [1.0]}}, "models: has no column in common"),
        ({"models": {"model": ["c"], "N": [1e8]}}, "models: none of its rows"),
        ({"models": {"model": ["a"], "layers": [3]}}, "no column for params or tokens or compute"),
        ({"gold": {"model": ["a"], "gold": [-5.0]}}, "column 'gold': gold=-5.0: must be above 0"),
        ({"models": {"model": ["a", "a"], "N": [1e8, 2e8]}}, "models, column 'N': params of 'a'"),
        ({"models": 3}, "models"),
    ],
)
def test_bad_options(options: Any, message: str) -> None:
    refused(message, **options)
