"""The accuracy of guessing: which source comes first, estimates with their errors, and what is
refused.
"""

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import write_rows

from isoflop.cli.arguments import Parser, read
from isoflop.cli.errors import UsageError
from isoflop.cli.evaluation_options import EvaluationTable, declare_guessing
from isoflop.cli.tables import declare_evaluations
from isoflop.numeric.accuracy.baselines import Baseline, resolve
from isoflop.numeric.data.evaluations import Evaluations

#: Table 11 of Krajewski et al. 2025, column Q_random, by the names in the authors' own csv.
TABLE_11 = {
    "arc_easy": ("acc_norm", 0.2918),
    "arc_challenge": ("acc_norm", 0.2150),
    "sciq": ("acc_norm", 0.3039),
    "piqa": ("acc_norm", 0.5286),
    "hellaswag": ("acc_norm", 0.2518),
    "winogrande": ("acc", 0.5),
    "webqs_1shot": ("exact_match", 0.0),
    "triviaqa_1shot": ("exact_match", 0.0),
    "lambada_openai": ("acc", 0.0),
    "gsm8k_cot_llama": ("exact_match", 0.0),
    "humaneval-py": ("pass@1", 0.0),
    "lbpp": ("pass@1", 0.0),
}
SMALL = (0.24, 0.27, 0.255)


def runs(
    metric: str | None = "acc", *, table: float | None = None, benchmark: str = "arc_easy"
) -> Evaluations:
    """Three runs that guess, and two that do not."""
    compute = (1e16, 2e16, 3e16, 1e20, 1e22)
    rows = [
        {
            "C": C,
            "benchmark": benchmark,
            "metric_type": metric,
            "score": q,
            "random_baseline": table,
        }
        for C, q in zip(compute, (*SMALL, 0.5, 0.7), strict=True)
    ]
    return Evaluations.read(rows)


def asked(path: Path, *words: str) -> EvaluationTable:
    parser = Parser("isoflop any", ["RUNS"], "", [])
    declare_evaluations(parser)
    declare_guessing(parser)
    return EvaluationTable(read(parser, [str(path), *words]))


def written(evaluations: Evaluations, folder: Path) -> Path:
    (benchmark,) = evaluations.benchmarks
    scores = zip(evaluations.compute, evaluations.scores[benchmark], strict=True)
    rows = [(C, benchmark, "acc", score) for C, score in scores]
    return write_rows(folder / "runs.csv", ("C", "benchmark", "metric_type", "score"), rows)


# -- sources -----------------------------------------------------------------------------------------------------------


def test_published_values_are_of_one_metric() -> None:
    found = resolve(runs("acc_norm,none"), "krajewski2025")["arc_easy"]
    assert (found.value, found.standard_error, found.how) == (
        0.2918,
        0.0,
        "Krajewski et al. 2025, Table 11",
    )
    assert resolve(runs(None), "krajewski2025")["arc_easy"].value == 0.2918
    with pytest.raises(
        ValueError,
        match=r"'arc_easy' \(acc\) in data is not known",
    ):
        resolve(runs("acc"), "krajewski2025")


def test_published_margins_come_with_the_published_values() -> None:
    lbpp = resolve(runs("pass@1", benchmark="lbpp"), "krajewski2025")["lbpp"]
    assert (lbpp.value, lbpp.margin) == (0.0, 0.02)
    assert resolve(runs("acc_norm"), "krajewski2025")["arc_easy"].margin is None
    assert resolve(runs("pass@1", benchmark="lbpp"))["lbpp"].margin is None


def test_what_is_given_comes_first_then_small_runs_then_the_table_then_the_metric() -> None:
    small = "compute < 1e17"
    assert resolve(runs(table=0.2), {"arc_easy": 0.3}, small)["arc_easy"] == Baseline(0.3)
    assert resolve(runs(table=0.2), 0.1)["arc_easy"] == Baseline(0.1)
    assert (
        resolve(runs(table=0.2), None, small)["arc_easy"].how
        == "mean of 3 runs with compute < 1e17"
    )
    assert resolve(runs(table=0.2))["arc_easy"] == Baseline(0.2, how="from the table")
    for metric in ("exact_match", "pass@1", "em", "exact_match,flexible-extract"):
        assert resolve(runs(metric), None, small)["arc_easy"] == Baseline(
            0.0, how=f"0 for {metric}"
        )
    assert resolve(runs("exact_match", table=0.2))["arc_easy"].value == 0.2


def test_an_estimate_is_the_mean_with_its_standard_error() -> None:
    found = resolve(runs(), None, "C < 1e17")["arc_easy"]
    assert found.value == pytest.approx(statistics.mean(SMALL), rel=1e-14)
    assert found.standard_error == pytest.approx(statistics.stdev(SMALL) / 3**0.5, rel=1e-12)


def test_small_runs_without_a_score_leave_the_table() -> None:
    rows = [
        {"C": C, "acc_piqa": q, "acc_sciq": 0.2 if C > 1e17 else None}
        for C, q in ((1e16, 0.5), (2e16, 0.52), (1e20, 0.7))
    ]
    with pytest.raises(
        ValueError,
        match=r"small='C < 1e17': leaves 0 runs with a score of 'sciq' in data; must be at least 2",
    ):
        resolve(Evaluations.read(rows), None, "C < 1e17")
    assert resolve(Evaluations.read(rows), None, "C < 1e17", benchmarks=["piqa"])[
        "piqa"
    ].value == pytest.approx(0.51)


def test_every_key_has_one() -> None:
    rows = [
        {"C": 1e20, "lbpp_pass@1": 0.1, "lbpp_pass@8": 0.4, "acc_sciq": 0.6},
        {"C": 1e21, "lbpp_pass@8": 0.4},
    ]
    found = resolve(Evaluations.read(rows), {"sciq": 0.25})
    assert {key: baseline.value for key, baseline in found.items()} == {
        "lbpp": 0.0,
        "lbpp pass@8": 0.0,
        "sciq": 0.25,
    }


# -- draws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "error"), [(0.25, 0.01), (0.002, 0.01), (0.995, 0.02)])
def test_draws_follow_the_normal_distribution_cut_to_the_domain(value: float, error: float) -> None:
    from scipy.stats import kstest, truncnorm

    drawn = Baseline(value, error).draws(4000, np.random.default_rng(1))
    expected = truncnorm((0.0 - value) / error, (1.0 - value) / error, loc=value, scale=error)
    assert kstest(drawn, expected.cdf).pvalue > 0.01


def test_no_draws_and_known_values() -> None:
    assert Baseline(0.25, 0.1).draws(0, np.random.default_rng(0)).shape == (0,)
    assert str(Baseline(0.25)) == "0.25 (given)"
    assert str(Baseline(0.255, 0.00866, "small")) == "0.255 +- 0.0087 (small)"


# -- refused -----------------------------------------------------------------------------------------------------------

#: Case -> options in Python, words on the command line, and what both messages tell.
REFUSED: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "unknown": ({}, (), r"'arc_easy' \(acc\) in .* is not known.*arc_easy=VALUE.*--small-runs"),
    "no benchmark": (
        {"given": {"arc_esy": 0.25}},
        ("--random-baseline", "arc_esy=0.25"),
        r"'arc_esy' is no benchmark of .*did you mean arc_easy\?",
    ),
    "in percent": (
        {"given": {"arc_easy": 25}},
        ("--random-baseline", "arc_easy=25"),
        r"arc_easy.*=25'?: must be .*1",
    ),
    "exactly 1": ({"given": 1.0}, ("--random-baseline", "1"), "must be"),
    "no number": ({"given": "krajewski"}, ("--random-baseline", "krajewski"), "krajewski2025"),
    "one small run": (
        {"small": "C < 1.5e16"},
        ("--small-runs", "C < 1.5e16"),
        "'C < 1.5e16': leaves 1 run with a score of 'arc_easy'",
    ),
    "no such column": (
        {"small": "flop < 1"},
        ("--small-runs", "flop < 1"),
        "'flop < 1': no column 'flop'",
    ),
    "above all runs": (
        {"given": 0.8},
        ("--random-baseline", "80%"),
        r"none of 5 runs of .* is above the random baseline 0.8 .*highest accuracy is 0.7",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_baselines_are_refused(case: str, tmp_path: Path) -> None:
    options, words, message = REFUSED[case]
    for call in (
        lambda: resolve(runs(), **options),
        lambda: asked(written(runs(), tmp_path), *words).baselines(),
    ):
        with pytest.raises((UsageError, ValueError), match=message) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Baseline(1.0), r"value=1.0: must be a number of at least 0 and below 1"),
        (
            lambda: Baseline(0.5, margin=1.0),
            r"margin=1.0: must be a number of at least 0 and below 1",
        ),
        (
            lambda: Baseline(0.5, -1.0),
            r"standard_error=-1.0: must be a finite number of at least 0",
        ),
        (
            lambda: Baseline(0.5).draws(-1, np.random.default_rng(0)),
            r"K=-1: must be a whole number of at least 0",
        ),
        (
            lambda: resolve(runs(), 0.1, benchmarks=["piqa"]),
            r"benchmark='piqa': data has no such benchmark",
        ),
    ],
)
def test_bad_arguments(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# -- public runs -------------------------------------------------------------------------------------------------------


def test_every_benchmark_of_the_transcribed_runs_is_published(public_runs: Path) -> None:
    found = Evaluations.read(public_runs / "apple-downstream" / "runs.csv")
    assert {
        key: baseline.value
        for key, baseline in resolve(found, "krajewski2025").items()
        if key in found.benchmarks
    } == {name: value for name, (_, value) in TABLE_11.items()}
