"""Runs: what is kept, what is computed, what is rejected and why, and what is warned of."""

import math
import pickle
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.data.runs import Runs

mp = mpmath.mp.clone()
mp.dps = 50

PLAIN: dict[str, list[Any]] = {
    "N": [1e8, 2e8, 4e8, 8e8],
    "D": [2e9, 4e9, 8e9, 1.6e10],
    "loss": [4.0, 3.5, 3.0, 2.5],
}
ROWS = list(zip(*PLAIN.values(), strict=True))


def read(columns: Any = None, **changes: Any) -> Runs:
    """Runs from the plain table with columns changed or added."""
    return Runs.read({**PLAIN, **changes}, columns=columns)


@pytest.mark.parametrize(
    "table",
    [
        {name: np.array(values) for name, values in PLAIN.items()},
        pd.DataFrame(PLAIN, index=[7, 7, 1, 0]),
        pd.DataFrame(PLAIN).astype({"N": "int64", "D": "Int64", "loss": "Float64"}),
        pd.DataFrame(PLAIN).astype(str),
        np.array(ROWS, dtype=[("N", float), ("D", "int64"), ("loss", "float32")]),
    ],
)
def test_tables(table: Any) -> None:
    runs = Runs.read(table)
    assert [runs.params.tolist(), runs.tokens.tolist(), runs.loss.tolist()] == list(PLAIN.values())
    assert {values.dtype for values in (runs.params, runs.compute, runs.loss)} == {np.dtype(float)}
    assert runs.row.tolist() == [1, 2, 3, 4]
    assert (runs.n_rows, runs.left_out, runs.dropped, runs.warnings) == (4, 0, (), ())
    assert (runs.metric, runs.derived, runs.group) == ("loss", "compute", None)


def test_the_third_of_the_budget() -> None:
    """To one rounding, twice allowed for."""
    values = 10.0 ** np.random.default_rng(0).uniform(-60.0, 90.0, (2, 200))
    x, y = (np.array([mp.mpf(float(number)) for number in row]) for row in values)
    for letters, name, exact in (
        ("ND", "compute", 6 * x * y),
        ("NC", "tokens", y / (6 * x)),
        ("CD", "params", x / (6 * y)),
    ):
        runs = Runs.read({**dict(zip(letters, values, strict=True)), "loss": [3.0] * 200})
        assert runs.derived == name
        assert max(abs(getattr(runs, name) / exact - 1)) < 2**-52


def test_given_compute_is_not_replaced_and_gaps_are_filled_and_counted() -> None:
    off = read(C=[1.2e18, 4.8e18, 3.84e19, 7.68e19])
    assert (off.compute[2], off.derived) == (3.84e19, None)
    assert "compute off 6ND by more than 10 % in 1 of 4 runs" in off.warnings[0]
    runs = read(C=[1.2e18, None, 1.92e19, math.nan], D=[2e9, 4e9, None, 1.6e10])
    assert runs.compute.tolist() == pytest.approx([1.2e18, 4.8e18, 1.92e19, 7.68e19], rel=1e-15)
    assert runs.tokens[2] == pytest.approx(8e9, rel=1e-15)
    assert "compute is missing in 2 rows with the other two" in runs.warnings[1]
    both = read(C=[1.2e18, None, 1.92e19, 7.68e19], D=[2e9, None, 8e9, 1.6e10])
    assert [*map(str, both.dropped)] == ["row 2: tokens is missing"]
    gaps = {"N": [1e8, None], "D": [2e9, None], "C": [1e18, 2e18], "loss": [3.0, 2.5]}
    loose = Runs.read(gaps, require=("loss",))
    assert [*map(str, loose.dropped)] == ["row 2: params is missing"]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        *((cell, "loss is missing") for cell in (None, "nan", "")),
        *((cell, f"loss={cell}: must be above 0 and finite") for cell in (0.0, math.inf)),
        *((cell, f"loss={cell!r} is not a number") for cell in ("diverged", "B", True, [3.0])),
    ],
)
def test_a_row_that_holds_no_number_is_rejected_by_name(cell: Any, reason: str) -> None:
    runs = read(loss=[4.0, cell, 3.0, 2.5], D=[-1, 4e9, 8e9, 1.6e10])
    first = "row 1: tokens=-1.0: must be above 0 and finite"
    assert [*map(str, runs.dropped)] == [first, f"row 2: {reason}"]
    assert (runs.row.tolist(), runs.loss.tolist(), runs.n_rows) == ([3, 4], [3.0, 2.5], 4)


def test_a_column_that_holds_no_number_is_refused() -> None:
    for changes, message in (
        ({"C": ["none"] * 4}, "none of 4 .*: compute='none' is not a num"),
        ({"loss": [None, math.nan] * 2}, "'loss' is empty; say which .*--column loss='NAME'"),
    ):
        with pytest.raises(ValueError, match=message):
            read(**changes)


def test_cells_may_have_a_suffix_and_numbers_that_look_wrong_are_doubted() -> None:
    assert read(N=["0.014B", "7B", "70 m", "1e9"]).params.tolist() == [1.4e7, 7e9, 7e7, 1e9]
    for name, cells, option in (
        ("N", [0.1, 0.2, 0.4, 0.8], "--column params='N*1e6'"),
        ("C", [18.1, 18.7, 19.3, 19.9], "compute='10**C'"),
        ("loss", [54.6, 33.1, 20.1, 12.2], "--column loss='log(loss)'"),
    ):
        assert any(option in text for text in read(**{name: cells}).warnings)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("N > 5e8", [2]),
        ("`Model Size` == 1e8", [1]),
        ("C == compute and L < 2.5", [2]),
        ("`data set` == 'c4'", [1]),
        ("tokens/params >= 20 and loss < 9", [1, 2]),
    ],
)
def test_names_in_conditions_mean_quantities_before_columns(where: str, rows: list[int]) -> None:
    """Rows that a condition leaves out are counted, not listed."""
    table = {
        "Model Size": [1e8, 1e9, 1e9],
        "N": [5.0, 6.0, 7.0],
        "Training FLOP": [1.2e18, 1.2e20, 1.2e20],
        "loss": [3.0, 2.0, None],
        "data set": ["c4", None, None],
    }
    runs = Runs.read(table, columns={"params": "Model Size"}, where=where)
    assert runs.row.tolist() == rows
    assert runs.left_out + len(runs.dropped) == 3 - len(rows)
    again = Runs.read(table, columns={"params": "Model Size"})
    assert again.row[again.mask(where)].tolist() == rows


def test_groups_and_checkpoints_of_one_run() -> None:
    assert read(seed=[1.0, 1.0, 2.0, 2.0]).group.tolist() == ["1", "1", "2", "2"]
    gaps = read(seed=[1, None, 2, math.nan])
    assert gaps.group.tolist() == ["1", "row 2", "2", "row 4"]
    assert gaps.warnings == ("group is missing in 2 runs, each a group of its own",)
    checkpoints = {"N": [1e8, 1e8, 4e8, 4e8], "run_name": ["x", "x", "y", "y"]}
    runs = read(**checkpoints)
    assert (runs.group.tolist(), runs.columns["group"]) == (["x", "x", "y", "y"], "run_name")
    assert "4 rows of 2 runs by 'run_name'" in runs.warnings[0]
    assert read({"group": None}, **checkpoints).group is None
    assert read(**checkpoints, seed=[1, 1, 2, 2]).group.tolist() == ["1", "1", "2", "2"]
    assert read(run_name=["a", "a", "b", "b"]).group is None  # of two sizes


def test_subsets() -> None:
    runs = read(note=["a", "b", "c", "d"])
    some = pickle.loads(pickle.dumps(runs)).subset(runs.loss < 3.2)
    assert (some.row.tolist(), some.extra["note"].tolist()) == ([3, 4], ["c", "d"])
    assert runs.subset([3, 0, 0]).loss.tolist() == [2.5, 4.0, 4.0]
    assert len(runs.subset(np.zeros(4, dtype=bool))) == len(runs.subset([])) == 0
    assert Runs.read(runs) is runs
    with pytest.raises(ValueError, match="these are Runs already"):
        Runs.read(runs, where="loss > 9")


CHINCHILLA = "chinchilla/svg_extracted_data.csv"
PUBLIC = {
    CHINCHILLA: (245, {}, None, "tokens"),
    "isoflops/isoflops.csv": (123, {}, "source == 'epochai_chinchilla'", None),
    "porian2024/isoflop_points.csv": (1641, {}, None, None),
    "gadre2024/runs.csv": (104, {"params": "N", "loss": "loss_c4_val"}, None, "compute"),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_runs(name: str, public_runs: Path) -> None:
    n, columns, where, derived = PUBLIC[name]
    runs = Runs.read(public_runs / name, columns=columns, where=where)
    assert (len(runs), runs.derived, runs.dropped) == (n, derived, ())
    if name == CHINCHILLA:
        kept = Runs.read(public_runs / name, where=f"loss < {float(np.sort(runs.loss)[-5])!r}")
        assert (len(kept), kept.left_out, runs.warnings) == (240, 5, ())
