"""Tables that a distribution of success rates produces rise and are concave; what does not is
found, with its row and size.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.passk import Counts, PassTable, curve, impossible


def table_of(ks: Any, values: Any) -> dict[str, Any]:
    return {"k": list(ks), "pass_at_k": list(values)}


def names(table: Any, **options: Any) -> set[str]:
    return {one["inequality"] for one in impossible(table, **options)}


lists_of_k = st.lists(st.integers(1, 20_000), min_size=1, max_size=9, unique=True)
distributions = st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=6)


@given(lists_of_k, distributions)
def test_no_distribution_breaks_any(ks: list[int], distribution: list[tuple[float, float]]) -> None:
    p, weights = map(np.array, zip(*distribution, strict=True))
    share = weights / weights.sum()
    values = (1 - (1 - p[:, None]) ** np.asarray(ks, dtype=float)).T @ share
    assert not impossible(table_of(ks, np.clip(values, 0, 1)), tolerance=1e-12)


@given(
    st.lists(st.tuples(st.integers(40, 90), st.floats(0, 1)), min_size=1, max_size=8), lists_of_k
)
def test_estimates_of_the_same_problems_rise_and_are_concave(
    problems: list[tuple[int, float]], ks: list[int]
) -> None:
    n = np.array([n for n, _ in problems])
    c = np.round([share * n for n, share in problems]).astype(int)
    counts = Counts.read({"problem": np.arange(len(n)), "n": n, "c": c})
    usable = [k for k in ks if k <= 40] or [1, 2, 3]
    assert not impossible(curve(counts, usable), tolerance=1e-12)


@pytest.mark.parametrize(
    ("ks", "values", "expected"),
    [
        ([5], [1.2], {"from 0 to 1"}),
        ([5, 7], [-0.1, 0.2], {"from 0 to 1"}),
        ([1, 3], [0.4, 0.3], {"non-decreasing"}),
        ([1, 3], [0.1, 0.35], {"concave"}),
        ([2, 3, 5], [0.1, 0.1125, 0.178], {"concave"}),
        ([1, 2, 3], [0.1, 0.9, 0.8], {"non-decreasing", "concave"}),
        ([1, 5, 9], [0.0, 0.0, 1.0], {"concave"}),
        ([1, 5, 9], [0.0, 0.0, 0.0], set()),
        ([1, 5, 9], [1.0, 1.0, 1.0], set()),
    ],
)
def test_each_inequality_is_noticed(ks: list[int], values: list[float], expected: set[str]) -> None:
    assert names(table_of(ks, values)) == expected


def test_rows_and_sizes() -> None:
    data = {"model": ["b", "a", "b", "a"], "k": [3, 1, 1, 3], "pass_at_k": [0.25, 0.1, 0.3, 0.2]}
    (one,) = impossible(data)
    assert (one["model"], one["row"], one["inequality"], one["k"], one["others"]) == (
        *("b", 1, "non-decreasing", 3),
        [1],
    )
    assert (one["pass_at_k"], one["bound"], one["excess"]) == pytest.approx((0.25, 0.3, 0.05))


def test_rounding_is_allowed_in_every_entry() -> None:
    assert names(table_of([1, 2], [0.1, 0.0998])) == {"non-decreasing"}
    assert not impossible(table_of([1, 2], [0.1, 0.0998]), tolerance=1.1e-4)
    assert not impossible(table_of([1, 3], [0.1, 0.3003]), tolerance=1.1e-4)
    with pytest.raises(ValueError, match="tolerance=-1: must be"):
        impossible(table_of([1], [0.1]), tolerance=-1)


def test_usual_names_and_conditions(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Benchmark,model,K,mean_pass_at_k\nx,a,2,0.3\nx,a,1,0.2\ny,a,1,\ny,a,4,0.1\n")
    table = PassTable.read(path)
    assert (table.by, table.labels) == (("Benchmark", "model"), (("x", "a"), ("y", "a")))
    assert (table.k.tolist(), table.row.tolist()) == ([1, 2, 4], [2, 1, 4])
    assert PassTable.read(path, where="k > 1", by="Benchmark").k.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"k": [1, 2.5], "pass_at_k": [0.1, 0.2]}, "row 2, column 'k': k=2.5 must be a whole"),
        ({"k": [1, 1], "pass_at_k": [0.1, 0.2]}, "rows 1 and 2: hold the same k of the same group"),
        ({"k": [1]}, "no column for pass_at_k; the columns are 'k'"),
        ({"k": [1], "pass_at_k": ["high"]}, "row 1, column 'pass_at_k': 'high' is not a number"),
    ],
)
def test_bad_tables(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        impossible(data)


def test_published_means_beyond_128_are_not_possible(public_runs: Path) -> None:
    """Counting problems with n < k as solved makes pass@k jump."""
    path = public_runs / "pythia-passk" / "mean_pass_at_k.csv"
    whole = impossible(path)
    assert len({(one["benchmark"], one["model"]) for one in whole}) > 90
    assert max(one["excess"] for one in whole) > 0.45
    assert not impossible(path, where="k <= 128")
    counts = Counts.read(path.with_name("per_problem_counts.csv"))
    assert not impossible(curve(counts, [1, 2, 4, 8, 10, 16, 32, 64, 100, 128]))
