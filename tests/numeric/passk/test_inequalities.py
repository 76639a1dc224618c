"""Tables that a distribution of success rates produces rise and are concave; what does not is
found, with rows and size.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.passk import Counts, PassTable, curve, violations
from isoflop.numeric.passk.inequalities import PARTS


def table_of(ks: Any, values: Any, **more: Any) -> dict[str, Any]:
    return {"k": list(ks), "pass_at_k": list(values), **more}


def produced(ks: Any, p: Any, share: Any) -> np.ndarray:
    """pass@k of a distribution that has so much of its mass at each success rate."""
    return (1 - (1 - np.asarray(p)[:, None]) ** np.asarray(ks, dtype=float)).T @ np.asarray(share)


def names(table: Any, **options: Any) -> set[str]:
    return {one.inequality for one in violations(table, **options).violations}


lists_of_k = st.lists(st.integers(1, 20_000), min_size=1, max_size=9, unique=True)
distributions = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1e-9, 1e-5, 1e-3, 0.02, 0.3, 0.9, 1.0]) | st.floats(0, 1),
        st.floats(0.01, 1),
    ),
    min_size=1,
)


# -- what is possible ------------------------------------------------------------------------------


@given(lists_of_k, distributions)
def test_no_distribution_breaks_any(ks: list[int], distribution: list[tuple[float, float]]) -> None:
    p, weights = map(np.array, zip(*distribution, strict=True))
    values = produced(ks, p, weights / weights.sum())
    assert not violations(table_of(ks, np.clip(values, 0, 1)), tolerance=1e-12)


@given(
    st.lists(st.tuples(st.integers(40, 90), st.floats(0, 1)), min_size=1, max_size=8), lists_of_k
)
def test_estimates_of_the_same_problems_rise_and_are_concave(
    problems: list[tuple[int, float]], ks: list[int]
) -> None:
    """Exactly, whatever the samples are."""
    n = np.array([n for n, _ in problems])
    rows = {
        "problem": np.arange(len(n)),
        "n": n,
        "c": np.round([share * n for n, share in problems]).astype(int),
    }
    usable = [k for k in ks if k <= 40] or [1, 2, 3]
    assert not violations(curve(Counts.read(rows), usable), tolerance=1e-12)


# -- what is not -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ks", "values", "expected"),
    [
        ([5], [1.2], {"from 0 to 1"}),
        ([5, 7], [-0.1, 0.2], {"from 0 to 1"}),
        ([1, 3], [0.4, 0.3], {"non-decreasing"}),
        ([2, 3], [0.4, 0.3], {"non-decreasing"}),
        ([1, 3], [0.1, 0.35], {"concave"}),
        ([2, 3, 5], [0.1, 0.1125, 0.178], {"concave"}),
        ([4, 6], [0.1, 0.16], {"concave"}),
        ([1, 2, 3], [0.1, 0.9, 0.8], {"non-decreasing", "concave"}),
    ],
)
def test_each_inequality_is_noticed(ks: list[int], values: list[float], expected: set[str]) -> None:
    assert names(table_of(ks, values)) == expected


def test_rows_and_sizes() -> None:
    data = {"model": ["b", "a", "b", "a"], "k": [3, 1, 1, 3], "pass_at_k": [0.25, 0.1, 0.3, 0.2]}
    found = violations(data)
    assert [
        (one.label, one.inequality, one.k, one.others, one.rows) for one in found.violations
    ] == [(("b",), "non-decreasing", 3, (1,), (1, 3))]
    first = found.violations[0]
    assert (first.pass_at_k, first.bound, first.excess) == pytest.approx((0.25, 0.3, 0.05))
    assert np.isnan(first.standard_errors)
    assert list(found.rows()[0]) == ["model", *PARTS]
    assert (found.n_values, found.n_groups, len(found), bool(found)) == (4, 2, 1, True)
    assert "1 violation in 1 group (rounding of 1e-09 in each is allowed)" in str(found)
    assert "non-decreasing  3  0.250000  at least 0.300000     1  0.0500" in str(found)


def test_the_worst_partner_is_named() -> None:
    found = violations(table_of([1, 2, 4, 5], [0.2, 0.36, 0.5, 0.1]))
    (one,) = (each for each in found.violations if each.inequality == "non-decreasing")
    assert (one.k, one.others) == (5, (4,))
    assert one.excess == pytest.approx(0.4)


def test_standard_errors_are_those_by_which_all_must_move() -> None:
    data = table_of([1, 2], [0.30, 0.24], se=[0.01, 0.02])
    (one, *_) = violations(data).violations
    assert one.standard_errors == pytest.approx(0.06 / 0.03)
    exact = violations(table_of([1, 2], [0.30, 0.24], se=[0.0, 0.0])).violations[0]
    assert exact.standard_errors == np.inf


def test_rounding_is_allowed_in_every_entry() -> None:
    assert names(table_of([1, 2], [0.1, 0.0998])) == {"non-decreasing"}
    assert not violations(table_of([1, 2], [0.1, 0.0998]), tolerance=1.1e-4)
    assert not violations(table_of([1, 3], [0.1, 0.3003]), tolerance=1.1e-4)


def test_zero_and_one_are_no_problem() -> None:
    assert not violations(table_of([1, 5, 9], [0.0, 0.0, 0.0]))
    assert not violations(table_of([1, 5, 9], [1.0, 1.0, 1.0]))
    assert names(table_of([1, 5, 9], [0.0, 0.0, 1.0])) == {"concave"}
    assert not violations(table_of([5], [0.3]))


def test_problems_that_are_refused_are_said() -> None:
    counts = Counts.read({"problem": [1, 2], "n": [10, 50], "c": [9, 1]})
    found = violations(curve(counts, [1, 10, 20, 60]))
    assert found.notes == (
        "1 of 3 means leave out problems with n < k: they are over other problems than those at "
        "smaller k, and need not obey",
        "1 mean of no problem (n < k for all) cannot be checked",
    )
    assert "non-decreasing" in {one.inequality for one in found.violations}


# -- reading ---------------------------------------------------------------------------------------


def test_usual_names_and_conditions(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Benchmark,model,K,mean_pass_at_k\nx,a,2,0.3\nx,a,1,0.2\ny,a,1,\ny,a,4,0.1\n")
    table = PassTable.read(path)
    assert (table.by, table.labels) == (("Benchmark", "model"), (("x", "a"), ("y", "a")))
    assert (table.k.tolist(), table.row.tolist()) == ([1, 2, 4], [2, 1, 4])
    assert [str(row) for row in table.dropped] == ["row 3: pass_at_k is missing"]
    assert PassTable.read(path, where="k > 1", by="Benchmark").k.tolist() == [2, 4]
    assert PassTable.read({"k": [1], "pass@k": [0.1], "stderr": [0.01]}).se.tolist() == [0.01]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"k": [1, 2.5], "pass_at_k": [0.1, 0.2]},
            "data, row 2, column 'k': k=2.5 must be a whole number",
        ),
        ({"k": [1, 0], "pass_at_k": [0.1, 0.2]}, "row 2, column 'k': k=0 must be"),
        (
            {"k": [1, 1], "pass_at_k": [0.1, 0.2]},
            r"rows 1 and 2: hold the same k of the same group \('k=1'\)",
        ),
        ({"k": [1]}, "no column for pass_at_k; the columns are 'k'"),
        ({"k": [None], "pass_at_k": [0.1]}, "none of 1 row has k and pass@k"),
        ({"k": [1], "pass_at_k": ["high"]}, "row 1, column 'pass_at_k': 'high' is not a number"),
    ],
)
def test_bad_tables(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        violations(data)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="tolerance=-1: must be"):
        violations(table_of([1], [0.1]), tolerance=-1)
    read = PassTable.read(table_of([1], [0.1]))
    with pytest.raises(ValueError, match="by='model': is for a table to be read"):
        violations(read, by="model")


# -- the public table ------------------------------------------------------------------------------


def test_published_means_beyond_128_are_not_possible(public_runs: Path) -> None:
    """Counting problems with n < k as solved makes pass@k jump."""
    path = public_runs / "pythia-passk" / "mean_pass_at_k.csv"
    whole = violations(path)
    assert len({one.label for one in whole.violations}) > 90
    assert whole.counts()["concave"] > 100
    assert max(one.excess for one in whole.violations) > 0.45
    assert not violations(path, where="k <= 128")


def test_honest_estimates_up_to_128_are_possible(public_runs: Path) -> None:
    counts = Counts.read(public_runs / "pythia-passk" / "per_problem_counts.csv")
    assert not violations(curve(counts, [1, 2, 4, 8, 10, 16, 32, 64, 100, 128]))
