"""Tables that a distribution of success rates produces obey every inequality; what breaks one is found, with rows and size."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.passk import Counts, PassTable, curve, nearest, violations
from isoflop.numeric.passk.inequalities import INEQUALITIES

NAMES = {one.name for one in INEQUALITIES}
LINEAR = {one.name for one in INEQUALITIES if one.linear}


def table_of(ks: Any, values: Any, **more: Any) -> dict[str, Any]:
    return {"k": list(ks), "pass_at_k": list(values), **more}


def produced(ks: Any, p: Any, share: Any) -> np.ndarray:
    """pass@k of a distribution that has so much of its mass at each success rate."""
    return (1 - (1 - np.asarray(p)[:, None]) ** np.asarray(ks, dtype=float)).T @ np.asarray(share)


def names(table: Any, **options: Any) -> set[str]:
    return {one.inequality for one in violations(table, **options).violations}


lists_of_k = st.lists(st.integers(1, 20_000), min_size=1, max_size=9, unique=True)
distributions = st.lists(
    st.tuples(st.sampled_from([0.0, 1e-9, 1e-5, 1e-3, 0.02, 0.3, 0.9, 1.0]) | st.floats(0, 1), st.floats(0.01, 1)), min_size=1
)


# -- what is possible --------------------------------------------------------------------------------------------------


@given(lists_of_k, distributions)
def test_no_distribution_breaks_any(ks: list[int], distribution: list[tuple[float, float]]) -> None:
    p, weights = map(np.array, zip(*distribution, strict=True))
    values = produced(ks, p, weights / weights.sum())
    assert not violations(table_of(ks, np.clip(values, 0, 1)), tolerance=1e-12)


@given(lists_of_k.filter(lambda ks: len(ks) < 6), distributions)
def test_every_distribution_is_feasible(ks: list[int], distribution: list[tuple[float, float]]) -> None:
    p, weights = map(np.array, zip(*distribution, strict=True))
    found = nearest(ks, produced(ks, p, weights / weights.sum()))
    assert found.lower < 1e-8
    assert found.distance < 1e-6


@given(st.lists(st.tuples(st.integers(40, 90), st.floats(0, 1)), min_size=1, max_size=8), lists_of_k)
def test_estimates_of_the_same_problems_obey_the_linear_ones(problems: list[tuple[int, float]], ks: list[int]) -> None:
    """Exactly, whatever the samples are; those with products only on average."""
    n = np.array([n for n, _ in problems])
    rows = {"problem": np.arange(len(n)), "n": n, "c": np.round([share * n for n, share in problems]).astype(int)}
    usable = [k for k in ks if k <= 40] or [1, 2, 3]
    assert not names(curve(Counts.read(rows), usable), errors=0.0, tolerance=1e-12) & LINEAR


def test_estimates_break_products_by_chance_and_the_errors_say_so() -> None:
    """From 10 samples with 5 correct: fail@1 = 1/2, fail@2 = 2/9 < 1/4."""
    found = curve(Counts.read({"problem": [1], "n": [10], "c": [5]}), [1, 2])
    assert names(found, errors=0.0) == {"at most 1 - (1 - pass@1)^k", "log-convex fail@k", "power", "product"}
    assert not violations(found)


# -- what is not -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ks", "values", "expected"),
    [
        ([5], [1.2], {"from 0 to 1"}),
        ([5, 7], [-0.1, 0.2], {"from 0 to 1"}),
        ([1, 3], [0.4, 0.3], {"at least pass@1", "non-decreasing"}),
        ([2, 3], [0.4, 0.3], {"non-decreasing"}),
        (
            [1, 3],
            [0.1, 0.35],
            {"at most k pass@1", "at most 1 - (1 - pass@1)^k", "proportion", "power", "concave", "log-convex fail@k"},
        ),
        ([1, 3], [0.1, 0.28], {"at most 1 - (1 - pass@1)^k", "power", "log-convex fail@k"}),
        ([2, 4], [0.1, 0.195], {"power", "product", "log-convex fail@k"}),
        ([2, 3, 5], [0.1, 0.1125, 0.178], {"concave", "log-convex fail@k"}),
        ([10, 20, 31], [0.3, 0.5, 0.658], {"log-convex fail@k"}),
    ],
)
def test_each_inequality_is_noticed(ks: list[int], values: list[float], expected: set[str]) -> None:
    assert names(table_of(ks, values)) == expected
    assert nearest(ks, values).lower > 1e-6 or "from 0 to 1" in expected


def test_all_names_can_be_broken() -> None:
    parts = ([1.2, 0.1, 0.3], [0.4, 0.3, 0.2], [0.1, 0.5, 0.9])
    assert set().union(*(names(table_of([1, 2, 3], part)) for part in parts)) == NAMES


def test_rows_and_sizes() -> None:
    data = {"model": ["b", "a", "b", "a"], "k": [3, 1, 1, 3], "pass_at_k": [0.25, 0.1, 0.3, 0.2]}
    found = violations(data)
    assert [(one.label, one.inequality, one.k, one.others, one.rows) for one in found.violations] == [
        (("b",), "at least pass@1", 3, (1,), (1, 3)),
        (("b",), "non-decreasing", 3, (1,), (1, 3)),
    ]
    first = found.violations[0]
    assert (first.pass_at_k, first.bound, first.excess) == pytest.approx((0.25, 0.3, 0.05))
    assert np.isnan(first.standard_errors)
    assert found.rows()[0].keys() >= {
        "model",
        "inequality",
        "k",
        "others",
        "rows",
        "pass_at_k",
        "bound",
        "excess",
        "standard_errors",
    }
    assert (found.n_values, found.n_groups, len(found), bool(found)) == (4, 2, 2, True)
    assert "b row 1, non-decreasing: k = 3: 0.25 must be at least 0.3 (k = 1); off by 0.05" in str(found)


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


def test_products_within_their_errors_are_no_violation() -> None:
    data = table_of([2, 4], [0.1, 0.195], se=[0.01, 0.02])
    assert not violations(data)
    assert names(data, errors=0.0) == {"power", "product", "log-convex fail@k"}


def test_rounding_is_allowed_where_a_bound_multiplies_it() -> None:
    """Half a unit of the fourth decimal in pass@1 is 1000 of them in k pass@1."""
    q = 1.4e-4
    values = [round(q, 4), round(1 - (1 - q) ** 1000, 4)]
    assert names(table_of([1, 1000], values)) >= {"at most k pass@1", "power"}
    assert not violations(table_of([1, 1000], values), tolerance=5e-5)


def test_zero_and_one_are_no_problem() -> None:
    assert not violations(table_of([1, 5, 9], [0.0, 0.0, 0.0]))
    assert not violations(table_of([1, 5, 9], [1.0, 1.0, 1.0]))
    assert names(table_of([1, 5, 9], [0.0, 0.0, 1.0])) > {"at most k pass@1"}
    assert not violations(table_of([5], [0.3]))


def test_unequal_k_need_no_whole_ratios() -> None:
    assert "power" in names(table_of([4, 6], [0.1, 0.15]))
    assert "proportion" in names(table_of([4, 6], [0.1, 0.16]))


def test_problems_that_are_refused_are_said() -> None:
    counts = Counts.read({"problem": [1, 2], "n": [10, 50], "c": [9, 1]})
    found = violations(curve(counts, [1, 10, 20, 60]))
    assert found.notes == (
        "1 of 3 means leave out problems with n < k: they are over other problems than those at smaller k, and need not obey",
        "1 mean of no problem (n < k for all) cannot be checked",
    )
    assert "non-decreasing" in {one.inequality for one in found.violations}


# -- reading -----------------------------------------------------------------------------------------------------------


def test_usual_names_and_conditions(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Benchmark,model,K,mean_pass_at_k\nx,a,2,0.3\nx,a,1,0.2\ny,a,1,\ny,a,4,0.1\n")
    table = PassTable.read(path)
    assert (table.by, table.labels) == (("Benchmark", "model"), (("x", "a"), ("y", "a")))
    assert (table.k.tolist(), table.row.tolist()) == ([1, 2, 4], [2, 1, 4])
    assert table.notes == ("1 dropped: row 3: pass_at_k is missing",)
    assert PassTable.read(path, where="k > 1", by="Benchmark").k.tolist() == [2, 4]
    assert PassTable.read({"k": [1], "pass@k": [0.1], "stderr": [0.01]}).se.tolist() == [0.01]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"k": [1, 2.5], "pass_at_k": [0.1, 0.2]}, "data, row 2, column 'k': k=2.5 must be a whole number"),
        ({"k": [1, 0], "pass_at_k": [0.1, 0.2]}, "row 2, column 'k': k=0 must be"),
        ({"k": [1, 1], "pass_at_k": [0.1, 0.2]}, r"rows 1 and 2: hold the same k of the same group \('k=1'\)"),
        ({"k": [1]}, "no column for pass_at_k; the columns are 'k'"),
        ({"k": [None], "pass_at_k": [0.1]}, "none of 1 row has k and pass@k"),
        ({"k": [1], "pass_at_k": ["high"]}, "row 1, column 'pass_at_k': 'high' is not a number"),
    ],
)
def test_bad_tables(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        violations(data)


def test_bad_options() -> None:
    for name in ("tolerance", "errors"):
        with pytest.raises(ValueError, match=f"{name}=-1: must be"):
            violations(table_of([1], [0.1]), **{name: -1})  # type: ignore[arg-type]
    read = PassTable.read(table_of([1], [0.1]))
    with pytest.raises(ValueError, match="by='model': this is a PassTable already"):
        violations(read, by="model")


# -- the nearest possible table ----------------------------------------------------------------------------------------


def test_nearest_of_two_is_where_both_have_moved() -> None:
    """pass@2 <= 2 pass@1 - pass@1^2: 0.25 - t = 1 - (0.9 - t)^2."""
    found = nearest([1, 2], [0.1, 0.25])
    expected = 1.4 - np.sqrt(1.4**2 - 0.06)
    assert (found.distance, found.lower) == pytest.approx((expected, expected), abs=3e-9)
    assert np.abs(found.pass_at_k - [0.1, 0.25]).max() == pytest.approx(expected, abs=3e-9)
    assert produced([1, 2], found.p, found.share) == pytest.approx(found.pass_at_k, abs=1e-9)


def test_the_witness_separates_the_table_from_every_distribution() -> None:
    ks, values = [1, 3, 10, 30], [0.1, 0.29, 0.5, 0.6]
    found = nearest(ks, values)
    assert found.weights @ values - found.most == pytest.approx(found.distance, abs=3e-9)
    p = np.concatenate([[0, 1], np.geomspace(1e-8, 0.999, 3000)])
    assert (found.weights @ (1 - (1 - p) ** np.array(ks)[:, None])).max() <= found.most + 1e-12
    assert not found.feasible


def test_it_finds_what_no_named_inequality_does() -> None:
    """fail@k falls by 0.1, 0.08, 0.07, 0.05, so its second differences are 0.02, 0.01, 0.02: these must not increase."""
    ks, values = [1, 2, 3, 4], [0.1, 0.18, 0.25, 0.3]
    assert not violations(table_of(ks, values))
    assert nearest(ks, values).lower > 1e-4


def test_scale_gives_the_distance_in_its_units() -> None:
    free = nearest([1, 2], [0.1, 0.25])
    scaled = nearest([1, 2], [0.1, 0.25], scale=[0.01, 0.01])
    assert scaled.distance == pytest.approx(100 * free.distance, abs=1e-6)
    for wrong in ([0.0, 1.0], [1.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="scale="):
            nearest([1, 2], [0.1, 0.2], scale=wrong)
    with pytest.raises(ValueError, match="pass_at_k="):
        nearest([1, 2], [0.1])


# -- the public table --------------------------------------------------------------------------------------------------


def test_published_means_beyond_128_are_not_possible(public_runs: Path) -> None:
    """Counting problems with n < k as solved makes pass@k jump; up to k = 128 only products break, by estimates' own scatter."""
    path = public_runs / "pythia-passk" / "mean_pass_at_k.csv"
    whole = violations(path)
    assert len({one.label for one in whole.violations}) > 90
    assert whole.counts()["proportion"] > 300
    assert max(one.excess for one in whole.violations) > 0.95
    low = violations(path, where="k <= 128")
    assert not low.counts().keys() & LINEAR
    assert max(one.excess for one in low.violations) < 3e-6


def test_honest_estimates_up_to_128_are_possible(public_runs: Path) -> None:
    counts = Counts.read(public_runs / "pythia-passk" / "per_problem_counts.csv")
    assert not violations(curve(counts, [1, 2, 4, 8, 10, 16, 32, 64, 100, 128]))
