"""pass@k of groups: means, errors and counts of problems against loops and simulations, and against
the public means.
"""

from fractions import Fraction
from math import comb, inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.passk import Counts, Curve, curve

STORED = (1, 2, 4, 8, 10, 16, 32, 64, 100, 128)
BEYOND = (256, 512, 768, 1000, 1024, 1280, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 10_000)


def counts_of(*groups: list[tuple[int, int]]) -> Counts:
    rows = [(f"m{g}", i, n, c) for g, group in enumerate(groups) for i, (n, c) in enumerate(group)]
    return Counts.read(
        dict(zip(("model", "problem", "n", "c"), zip(*rows, strict=True), strict=True))
    )


def exact(n: int, c: int, k: int) -> Fraction:
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def test_means_and_errors_by_hand() -> None:
    problems = [(10, 0), (10, 3), (12, 12), (9, 1), (40, 3), (9, 1)]
    ks = [1, 2, 5, 9, 10, 12, 30, 41]
    found = curve(counts_of(problems, [(5, 1)]), ks)
    for i, k in enumerate(ks):
        values = [exact(n, c, k) for n, c in problems if n >= k]
        assert found.n_problems[0, i] == len(values)
        assert found.n_refused[0, i] == len(problems) - len(values)
        assert found.n_unsolved[0, i] == (k <= 10)
        if not values:
            assert np.isnan(
                [
                    found.pass_at_k[0, i],
                    found.neg_log[0, i],
                    found.se[0, i],
                    found.se_sampling[0, i],
                ]
            ).all()
            continue
        mean = sum(values) / len(values)
        assert found.pass_at_k[0, i] == pytest.approx(float(mean), rel=1e-14)
        assert found.neg_log[0, i] == pytest.approx(-log(mean), rel=1e-13)
        if len(values) > 1:
            variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
            assert found.se[0, i] == pytest.approx(sqrt(variance / len(values)), rel=1e-12)
        else:
            assert np.isnan(found.se[0, i])
    assert found.complete[0].tolist() == [True] * 4 + [False] * 4
    assert found.n_problems[1].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_errors_in_repeated_experiments() -> None:
    """se_sampling is the scatter for the same problems, se that for new problems from the same
    distribution.
    """
    rng = np.random.default_rng(5)
    repeats, problems, n, ks = 3000, 12, 24, [1, 6, 12]
    rates = rng.beta(0.6, 3.0, problems)
    for fixed in (True, False):
        p = rates if fixed else rng.beta(0.6, 3.0, (repeats, problems))
        c = rng.binomial(n, p, (repeats, problems))
        rows = {
            "model": np.repeat(np.arange(repeats), problems),
            "problem": np.tile(np.arange(problems), repeats),
        }
        found = curve(Counts.read(rows | {"n": n, "c": c.ravel()}), ks)
        scatter = found.pass_at_k.std(axis=0)
        claimed = np.sqrt(((found.se_sampling if fixed else found.se) ** 2).mean(axis=0))
        assert claimed == pytest.approx(scatter, rel=0.05)


def test_all_zeros_and_all_ones() -> None:
    found = curve(counts_of([(8, 0), (8, 0)], [(8, 8), (8, 8)]), [1, 8])
    assert found.pass_at_k.tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert found.neg_log.tolist() == [[inf, inf], [0.0, 0.0]]
    assert found.se_sampling.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.isnan(found.se).all()  # that nothing scatters makes nothing certain
    assert found.status.tolist() == [["no success"] * 2, ["all solved"] * 2]
    assert found.n_unsolved.tolist() == [[2, 2], [0, 0]]
    assert not np.signbit(found.neg_log).any()


def test_what_a_value_is() -> None:
    """At k = 8 every draw of 8 from (8, 1) holds its success; at k = 9 there is no such draw."""
    found = curve(counts_of([(8, 0), (4, 1)], [(8, 1), (8, 1)], [(8, 0), (9, 9)]), [1, 4, 8, 9])
    assert found.status.tolist() == [
        ["estimate", "estimate", "no success", "refused"],
        ["estimate", "estimate", "all solved", "refused"],
        ["estimate", "estimate", "estimate", "all solved"],
    ]
    assert np.isnan(found.se[found.status != "estimate"]).all()


def test_near_one_the_log_keeps_its_precision() -> None:
    found = curve(counts_of([(100_000, 4000), (100_000, 5000)]), [1000])
    fail = sum(Fraction(comb(100_000 - c, 1000), comb(100_000, 1000)) for c in (4000, 5000)) / 2
    assert found.neg_log[0, 0] == pytest.approx(float(fail), rel=1e-13)


@pytest.mark.parametrize(
    ("ks", "message"),
    [
        ([0], "k=0: must be a whole number of at least 1"),
        ([], r"ks=\[\]: must be a list"),
        ([2, 2], r"ks=\[2, 2\]: must be different"),
        (["1"], "must be a list of whole numbers"),
    ],
)
def test_domain(ks: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        curve(counts_of([(4, 1)]), ks)
    with pytest.raises(ValueError, match="refused='drop': must be one of out, solved"):
        curve(counts_of([(4, 1)]), [1], refused="drop")


# -- the public counts -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(public_runs: Path) -> Path:
    return public_runs / "pythia-passk"


@pytest.fixture(scope="module")
def public(folder: Path) -> Counts:
    return Counts.read(folder / "per_problem_counts.csv")


@pytest.fixture(scope="module")
def stored(folder: Path, public: Counts) -> np.ndarray:
    """The means as published, (G, K)."""
    import csv

    with (folder / "mean_pass_at_k.csv").open() as file:
        known = {
            (row["benchmark"], row["model"], int(row["k"])): float(row["mean_pass_at_k"])
            for row in csv.DictReader(file)
        }
    return np.array(
        [[known[label[0], label[1], k] for k in STORED + BEYOND] for label in public.labels]
    )


@pytest.fixture(scope="module")
def honest(public: Counts) -> Curve:
    return curve(public, STORED + BEYOND)


def test_published_means_up_to_128(honest: Curve, stored: np.ndarray) -> None:
    assert honest.complete[:, : len(STORED)].all()
    assert np.abs(honest.pass_at_k - stored)[:, : len(STORED)].max() < 1e-9


def test_published_means_count_refused_problems_as_solved(
    public: Counts, stored: np.ndarray
) -> None:
    found = curve(public, STORED + BEYOND, refused="solved")
    assert np.abs(found.pass_at_k - stored).max() < 1e-9
    assert found.refused == "solved"


def test_how_far_that_convention_is_off(honest: Curve, stored: np.ndarray) -> None:
    at_most = honest.n_refused.sum(axis=0) / (honest.n_refused + honest.n_problems).sum(axis=0)
    assert at_most[-1] == pytest.approx(0.45, abs=0.01)
    off = stored - honest.pass_at_k
    assert np.nanmax(off) == pytest.approx(0.86, abs=0.005)
    assert np.nanmin(off) > -1e-9
    touched = (honest.n_refused > 0).any(axis=1)
    assert touched.sum() == 97
    assert (np.isnan(honest.pass_at_k[:, -1])).sum() == 25
