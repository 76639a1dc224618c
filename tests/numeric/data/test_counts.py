"""Reading of counts: what is recognised, joined, left out and refused; every message is one line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.passk import Counts

ROWS = {
    "model": ["a", "a", "b", "b"],
    "problem": [1, 2, 1, 2],
    "n_samples": [10, 20, 10, 30],
    "n_correct": [0, 20, 3, 1],
}


def read(**options: Any) -> Counts:
    changed = {
        name: options.pop(name)
        for name in list(options)
        if name not in ("columns", "where", "by", "models", "gold")
    }
    return Counts.read(ROWS | changed, **options)


def refused(message: str, data: Any = None, **options: Any) -> None:
    with pytest.raises(ValueError, match=message) as error:
        Counts.read(ROWS if data is None else data, **options)
    assert "\n" not in str(error.value)


# -- what is read ------------------------------------------------------------------------------------------------------


def test_groups_in_order_of_appearance() -> None:
    counts = Counts.read(
        {"model": ["z", "a", "z"], "problem": ["p", "p", "q"], "n": [4, 5, 6], "c": [1, 2, 3]}
    )
    assert counts.by == ("model",)
    assert (counts.labels, counts.names, len(counts)) == ((("z",), ("a",)), ("z", "a"), 2)
    assert (counts.group.tolist(), counts.problem.tolist(), counts.row.tolist()) == (
        [0, 1, 0],
        ["p", "p", "q"],
        [1, 2, 3],
    )
    assert [values.tolist() for values in counts.per_group(0)] == [[4, 6], [1, 3]]
    assert counts.n_problems.tolist() == [2, 1]
    assert {counts.n.dtype, counts.c.dtype, counts.group.dtype} == {np.dtype(np.int64)}


def test_small_letters_are_counts_and_capitals_are_sizes() -> None:
    counts = Counts.read(
        {
            "model": ["a"],
            "problem": [1],
            "n": [10],
            "c": [3],
            "N": [1e9],
            "D": [2e10],
            "C": [1.2e20],
        }
    )
    assert (counts.n.tolist(), counts.c.tolist()) == ([10], [3])
    assert {name: values.tolist() for name, values in counts.covariates.items()} == {
        "params": [1e9],
        "tokens": [2e10],
        "compute": [1.2e20],
    }


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
    assert counts.names == ("a", "b")
    assert counts.problem.tolist() == ["p", "p", "q"]
    assert (counts.n.tolist(), counts.c.tolist()) == ([3, 1, 1], [2, 1, 0])
    assert counts.row.tolist() == [1, 3, 4]
    assert "5 rows taken as samples of 3 problems" in counts.warnings
    assert list(map(str, counts.dropped)) == ["row 6: n_correct is missing"]
    assert Counts.read(data, where="task_id == 'q'").n.tolist() == [1]
    refused("no column for n_samples", data | {"passed": [1, 2, 0, 0, 0, 0]})
    refused("no column for n_samples", {"problem": [1, 2], "c": [1, 0]})  # of how many samples?


def test_numerals_and_empty_cells(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("model,problem,n_samples,n_correct\na,1,10k,5\na,2,,3\na,3,1e4,NA\nb,1,128,0\n")
    counts = Counts.read(path)
    assert (counts.n.tolist(), counts.c.tolist()) == ([10_000, 128], [5, 0])
    assert [str(each) for each in counts.dropped] == [
        "row 2: n_samples is missing",
        "row 3: n_correct is missing",
    ]
    assert "2 dropped" in repr(counts)


def test_conditions() -> None:
    counts = read(where="n_samples > 10 and model == 'b'")
    assert (counts.names, counts.row.tolist(), counts.left_out) == (("b",), [4], 3)
    assert read(where="c == 0").row.tolist() == [1]
    refused("none of 4 rows has counts .4 rows left out by the condition", where="n > 1000")


def test_subset_keeps_rows_and_covariates_of_its_groups() -> None:
    counts = read(N=[1e8, 1e8, 1e9, 1e9], D=[1e9, 1e9, 1e10, 1e10])
    both, second = counts.subset([1, 0]), counts.subset(np.array([False, True]))
    assert (both.names, both.group.tolist(), both.row.tolist()) == (
        ("b", "a"),
        [0, 0, 1, 1],
        [3, 4, 1, 2],
    )
    assert both.covariates["params"].tolist() == [1e9, 1e8]
    assert (second.names, second.n.tolist(), second.covariates["tokens"].tolist()) == (
        ("b",),
        [10, 30],
        [1e10],
    )
    for wrong in ([0, 0], [2], [-1], [True], [[0]], [0.5]):
        with pytest.raises(ValueError, match="groups"):
            counts.subset(wrong)


# -- covariates --------------------------------------------------------------------------------------------------------


def test_two_of_three_give_the_third() -> None:
    models = {"model": ["a", "b"], "params": [1e8, 1e9], "compute": [6e18, 6e20]}
    counts = read(models=models)
    assert counts.covariates["tokens"] == pytest.approx([1e10, 1e11])
    assert "compute" not in read(N=[1e8, 1e8, 1e9, 1e9]).covariates


def test_models_are_joined_on_what_both_tables_have() -> None:
    data = ROWS | {"benchmark": ["x", "x", "x", "y"], "problem": [1, 2, 1, 2]}
    models = {"Model Name": ["b", "a", "a"], "N": [1e9, 1e8, 1e8], "D": [1e10, 1e9, 1e9]}
    counts = Counts.read(data, models=models)
    assert counts.names == ("x a", "x b", "y b")
    assert counts.covariates["params"].tolist() == [1e8, 1e9, 1e9]


def test_gold_is_the_mean_over_problems_of_its_own_table() -> None:
    gold = {
        "model": ["a", "a", "a", "b"],
        "problem_idx": [1, 2, 3, 1],
        "gold_ref_nll_nats": [10.0, 20.0, 60.0, 5.0],
    }
    assert read(gold=gold).covariates["gold"].tolist() == [30.0, 5.0]
    assert read(gold={"model": ["b", "a"], "nll": [0.1, 0.3]}).covariates["gold"].tolist() == [
        0.3,
        0.1,
    ]
    missing = read(gold={"model": ["a"], "gold": [3.0]})
    assert np.isnan(missing.covariates["gold"]).tolist() == [False, True]
    assert "no gold for 1 group of 2 ('b')" in missing.warnings


def test_gold_of_one_benchmark_is_not_given_to_another() -> None:
    data = ROWS | {"benchmark": ["x", "x", "y", "y"]}
    gold = {"model": ["a", "b"], "gold": [1.0, 2.0]}
    refused("has no column 'benchmark', and the counts hold several", data, gold=gold)
    assert Counts.read(data, gold=gold, where="benchmark == 'x'").covariates["gold"].tolist() == [
        1.0
    ]


# -- what is refused ---------------------------------------------------------------------------------------------------


# -- the public counts -------------------------------------------------------------------------------------------------


def test_public_counts(public_runs: Path) -> None:
    folder = public_runs / "pythia-passk"
    counts = Counts.read(folder / "per_problem_counts.csv", models=folder / "mean_pass_at_k.csv")
    assert (len(counts), len(counts.n), counts.by) == (153, 19_370, ("benchmark", "model"))
    assert len(counts.pairs()[0]) < 2000
    assert counts.covariates.keys() == {"params", "tokens", "compute"}
    assert counts.covariates["compute"] == pytest.approx(
        6 * counts.covariates["params"] * counts.covariates["tokens"], rel=1e-6
    )
    assert not counts.warnings


def test_public_gold(public_runs: Path) -> None:
    folder = public_runs / "pythia-passk"
    gold = folder / "gold_reference_nll_gsm8k.csv"
    counts = Counts.read(folder / "per_problem_counts.csv", gold=gold, where="benchmark == 'gsm8k'")
    with_gold = counts.subset(np.isfinite(counts.covariates["gold"]))
    assert len(with_gold) == 9
    assert "gsm8k Pythia_12B_300B" in with_gold.names
    assert any("no gold for 72 groups of 81" in text for text in counts.warnings)
    refused(
        "the counts hold several .'gsm8k', 'math'", folder / "per_problem_counts.csv", gold=gold
    )
    refused("they differ in 'benchmark'", folder / "per_problem_counts.csv", by="model")


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_correct": [0, 21, 13, 1]}, r"row 2, .*: n_correct=21 .* n_samples=20 \(1 more row\)"),
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
