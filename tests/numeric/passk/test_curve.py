"""pass@k of groups: means, errors and counts of problems against rationals and the public means."""

from fractions import Fraction
from math import comb, inf, log, sqrt

import numpy as np
import pandas as pd
import pytest

from isoflop.numeric.passk import Counts, curve


def counts_of(*groups):
    rows = [(f"m{g}", i, n, c) for g, group in enumerate(groups) for i, (n, c) in enumerate(group)]
    names = ("model", "problem", "n", "c")
    return Counts.read(dict(zip(names, zip(*rows, strict=True), strict=True)))


def test_means_and_errors_by_hand():
    problems = [(10, 0), (10, 3), (12, 12), (9, 1), (40, 3), (9, 1)]
    counts, ks = counts_of(problems, [(5, 1)]), [1, 2, 5, 9, 10, 12, 30, 41]
    found = curve(counts, ks)
    assert found.model.tolist() == ["m0"] * 8 + ["m1"] * 8
    for row in found[:8].itertuples():
        used = [(n, c) for n, c in problems if n >= row.k]
        values = [1 - Fraction(comb(n - c, row.k), comb(n, row.k)) for n, c in used]
        size = len(used)
        assert (row.n_problems, row.n_refused, row.n_unsolved) == (size, 6 - size, row.k <= 10)
        if not size:
            assert np.isnan([row.pass_at_k, row.neg_log, row.se]).all()
            continue
        mean = sum(values) / size
        assert row.pass_at_k == pytest.approx(float(mean), rel=1e-14)
        assert row.neg_log == pytest.approx(-log(mean), rel=1e-13)
        spread = sum((value - mean) ** 2 for value in values)
        error = sqrt(spread / (size - 1) / size) if size > 1 else np.nan
        assert row.se == pytest.approx(error, rel=1e-12, nan_ok=True)
    assert found.n_problems[8:].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_no_success_and_no_failure():
    """At k = 8 every draw of 8 from (8, 1) holds its success; at k = 9 there is no such draw. That
    nothing scatters makes nothing certain.
    """
    found = curve(counts_of([(8, 0), (4, 1)], [(8, 1), (8, 1)], [(9, 0), (9, 0)]), [4, 8, 9])
    logs = [log(2), inf, np.nan, log(2), 0.0, np.nan, inf, inf, inf]
    assert found.neg_log.tolist() == pytest.approx(logs, nan_ok=True)
    assert found.se.isna().tolist() == [False] + [True] * 2 + [False] + [True] * 5
    found = curve(counts_of([(100_000, 4000), (100_000, 5000)]), [1000])
    fail = sum(Fraction(comb(100_000 - c, 1000), comb(100_000, 1000)) for c in (4000, 5000)) / 2
    assert found.neg_log[0] == pytest.approx(float(fail), rel=1e-13)


@pytest.mark.parametrize("ks", [[0], [], [2, 2], ["1"]])
def test_domain(ks):
    with pytest.raises(ValueError, match=r"^ks?=.*: must be .*whole number"):
        curve(counts_of([(4, 1)]), ks)


def test_the_published_means(public_runs):
    """Up to k = 128 they are the estimates; beyond, problems with fewer than k samples count as
    solved.
    """
    path = public_runs / "pythia-passk" / "mean_pass_at_k.csv"
    counts, stored = Counts.read(path.with_name("per_problem_counts.csv")), pd.read_csv(path)
    stored = stored[["benchmark", "model", "k", "mean_pass_at_k"]]
    both = curve(counts, sorted(stored.k.unique())).merge(stored)
    assert len(both) == len(stored)
    small, means = both.k <= 128, both.mean_pass_at_k
    assert (both.n_refused[small] == 0).all()
    assert (both.pass_at_k - means)[small].abs().max() < 1e-9
    share = both.pass_at_k.fillna(0) * both.n_problems + both.n_refused
    assert (share / (both.n_problems + both.n_refused) - means).abs().max() < 1e-9
    assert (means - both.pass_at_k).max() == pytest.approx(0.86, abs=0.005)
