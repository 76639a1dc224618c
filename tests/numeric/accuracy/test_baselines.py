"""The accuracy of guessing, which source comes first and its error; the average of benchmarks; how
proxies rank runs.
"""

import statistics
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import spearmanr
from tests.data import TABLE_11, evaluations

from isoflop.numeric.accuracy.averages import averaged, rank_proxies
from isoflop.numeric.accuracy.baselines import Baseline, resolve
from isoflop.numeric.data.evaluations import Evaluations

SMALL = (0.24, 0.27, 0.255)


def runs(metric: Any = "acc", *, table: Any = None, benchmark="arc_easy") -> Evaluations:
    """Three runs that guess, and two that do not."""
    compute = (1e16, 2e16, 3e16, 1e20, 1e22)
    own = {"benchmark": benchmark, "metric_type": metric, "random_baseline": table}
    scores = zip(compute, (*SMALL, 0.5, 0.7), strict=True)
    return Evaluations.read([{"C": C, "score": q, **own} for C, q in scores])


@pytest.mark.parametrize(
    ("read", "given", "small", "value", "how"),
    [
        ({"table": 0.2}, {"arc_easy": 0.3}, "C < 1e17", 0.3, "given"),
        ({"table": 0.2}, 0.1, None, 0.1, "given"),
        ({"table": 0.2}, None, "C < 1e17", 0.255, "mean of 3 runs with C < 1e17"),
        ({"table": 0.2}, None, "C < 1.5e16", 0.2, "from the table"),
        ({"metric": "exact_match", "table": 0.2}, None, None, 0.2, "from the table"),
        ({"metric": "exact_match"}, None, "C < 1e17", 0.0, "0 for exact_match"),
        ({"metric": "pass@1"}, None, "C < 1e17", 0.0, "0 for pass@1"),
    ],
)
def test_what_comes_first(read, given, small, value, how) -> None:
    found = resolve(runs(**read), given, small)["arc_easy"]
    assert found.how == how
    assert found.value == pytest.approx(value, rel=1e-14)
    error = statistics.stdev(SMALL) / 3**0.5 if how.startswith("mean") else 0.0
    assert found.standard_error == pytest.approx(error, rel=1e-12)


def test_every_key_has_one() -> None:
    rows = [("lbpp", "pass@1", 0.1), ("lbpp", "pass@8", 0.4), ("sciq", "acc", 0.6)]
    table = DataFrame(rows, columns=["benchmark", "metric_type", "score"]).assign(C=1e20)
    found = resolve(Evaluations.read(table), {"sciq": 0.25})
    values = {key: baseline.value for key, baseline in found.items()}
    assert values == {"lbpp": 0.0, "lbpp pass@8": 0.0, "sciq": 0.25}


@pytest.mark.parametrize(
    ("given", "small", "message"),
    [
        (None, None, r"'arc_easy' \(acc\) in data is not known.*=VALUE.*--small-runs"),
        ({"arc_esy": 0.25}, None, r"'arc_esy': .* no such benchmark .did you mean arc_easy\?"),
        ({"arc_easy": 25}, None, r"arc_easy.*=25: must be .*divide percentages by 100"),
        (1.0, None, "must be"),
        (None, "C < 1.5e16", "'C < 1.5e16': leaves 1 run with a score of 'arc_easy'"),
        (None, "flop < 1", "'flop < 1': no column 'flop'"),
        (0.8, None, r"none of 5 runs of .* is above the random baseline 0.8"),
    ],
)
def test_what_cannot_be_told_is_refused(given, small, message) -> None:
    with pytest.raises(ValueError, match=message):
        resolve(runs(), given, small)


def test_bad_baselines() -> None:
    wrong: Any = {"value": (1.0,), "standard_error": (0.5, -1.0), "margin": (0.5, 0.0, "", 1.0)}
    for name, values in wrong.items():
        with pytest.raises(ValueError, match=f"{name}=.*1.0: must be"):
            Baseline(*values)


# -- averages and proxies --------------------------------------------------------------------------

GUESSING = {"a": Baseline(0.25), "b": Baseline(0.5), "c": Baseline(0.0)}
SCORES = {
    ("a", "acc"): [0.5, 0.625, 0.28125, 0.5, 0.125],  # the third is 0.03125 above guessing
    ("b", "acc"): [0.75, 0.625, 0.75, None, 0.5],
    ("c", "acc"): [0.25, 0.5, 0.25, 0.25, None],
    ("loss", "loss"): [3.0, 2.5, 2.7, 2.8, None],
}
TABLE = Evaluations.read(evaluations(2.0 ** np.arange(25, 30), [1e9] * 5, SCORES))


def test_the_mean_is_exact_and_what_has_none_is_counted() -> None:
    found = averaged(TABLE, GUESSING)
    assert found.benchmarks == ("a", "b", "c", "average")
    exact = [float(Fraction(13, 36)), float(Fraction(5, 12))]
    assert found.scores["average"][:2].tolist() == pytest.approx(exact, rel=1e-15)
    assert np.isnan(found.scores["average"][2:]).all()
    assert "of 2 of 5 runs: 2 lack a score, 1 are not above" in found.warnings[-1]
    assert resolve(found.only(["average"]))["average"].value == 0.0
    two = averaged(TABLE, GUESSING, benchmarks=["c", "a"]).scores["average"]
    assert two[0] == pytest.approx((0.25 + 1 / 3) / 2.0)
    assert np.isfinite(two).tolist() == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("baselines", "options", "message"),
    [
        ({"a": Baseline(0.25), "b": Baseline(0.5)}, {}, r"baselines: has none for 'c'"),
        (GUESSING, {"benchmarks": ["a"]}, r"\['a'\]: must be at least 2 different benchmarks"),
        (GUESSING, {"benchmarks": ["a", "d"]}, r"benchmark='d': data has no such benchmark"),
        (
            {**GUESSING, "c": Baseline(0.6)},
            {},
            "is of 0 of 5 runs: 2 lack a score, 3 are not above",
        ),
    ],
)
def test_what_has_no_average(baselines, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        averaged(TABLE, baselines, **options)


def test_proxies_by_their_rank_correlation() -> None:
    proxy = next(iter(TABLE.proxies))
    found = rank_proxies(TABLE, proxies=["b", proxy]).set_index(["benchmark", "proxy"])
    pairs = {("a", proxy): 4, ("a", "b"): 4, ("b", proxy): 3, ("c", proxy): 4, ("c", "b"): 3}
    assert found["n"].to_dict() == pairs
    exact = spearmanr([3.0, 2.5, 2.7, 2.8], [0.5, 0.625, 0.28125, 0.5]).statistic
    assert found["spearman"]["a", proxy] == pytest.approx(exact, rel=1e-12)
    for _, own in found["spearman"].abs().groupby(level="benchmark"):
        assert own.is_monotonic_decreasing
    with pytest.raises(ValueError, match=r"none .* that is not the benchmark itself"):
        rank_proxies(TABLE, ["a"], ["a"])


def test_the_transcribed_runs(public_runs) -> None:
    """Appendix K fits up to 6e21 FLOP; in the subset no run there was
    evaluated on all ten benchmarks and clears them.
    """
    path = public_runs / "apple-downstream" / "runs.csv"
    found = Evaluations.read(path, columns={"params": None, "compute": "flops_table"})
    known = resolve(found, TABLE_11)
    ten = [name for name in TABLE_11 if name not in ("gsm8k_cot_llama", "lbpp")]
    sample = averaged(found, known, benchmarks=ten).sample("average", 0.0)
    assert len(sample) == 6
    assert (sample.compute > 6e21).all()
