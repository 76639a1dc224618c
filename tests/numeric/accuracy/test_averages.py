"""The average of benchmarks: exact sums, which runs have none and why."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isoflop.cli.arguments import Parser, read
from isoflop.cli.errors import UsageError
from isoflop.cli.evaluation_options import EvaluationTable, declare_guessing
from isoflop.cli.tables import declare_evaluations
from isoflop.numeric.accuracy.averages import averaged
from isoflop.numeric.accuracy.baselines import Baseline, resolve
from isoflop.numeric.data.evaluations import Evaluations

#: All but the two of the twelve that Appendix K leaves out.
TEN = (
    *(
        "arc_easy",
        "arc_challenge",
        "sciq",
        "piqa",
        "hellaswag",
        "winogrande",
        "webqs_1shot",
        "triviaqa_1shot",
        "lambada_openai",
    ),
    "humaneval-py",
)
GUESSING = {"a": Fraction(1, 4), "b": Fraction(1, 2), "c": Fraction(0)}


def table(rows: list[dict[str, float | None]]) -> Evaluations:
    return Evaluations.read(
        [
            {"C": 1e18 * 2.0**i, **{f"acc_{k}": v for k, v in row.items()}}
            for i, row in enumerate(rows)
        ]
    )


ROWS: list[dict[str, float | None]] = [
    {"a": 0.5, "b": 0.75, "c": 0.25},
    {"a": 0.625, "b": 0.625, "c": 0.5},
    {"a": 0.28125, "b": 0.75, "c": 0.25},  # a: 0.03125 above guessing
    {"a": 0.5, "b": None, "c": 0.25},
    {"a": 0.125, "b": 0.5, "c": None},
]
BASELINES = {key: float(value) for key, value in GUESSING.items()}


def test_the_mean_is_exact_and_what_has_none_is_counted() -> None:
    found = averaged(table(ROWS), BASELINES)
    assert found.benchmarks == ("a", "b", "c", "average")
    assert found.scores["average"][:2].tolist() == pytest.approx(
        [float(Fraction(13, 36)), float(Fraction(5, 12))], rel=1e-15
    )
    assert np.isnan(found.scores["average"][2:]).all()
    assert found.table_baselines["average"] == 0.0
    assert found.warnings[-1] == (
        "'average', the mean of 3 benchmarks, is of 2 of 5 runs: 2 lack a score, 1 are not above "
        "guessing + 0.05 on all"
    )
    assert found.sample("average", 0.0).index.tolist() == [0, 1]
    assert resolve(found.only(["average"]))["average"].value == 0.0


def test_other_benchmarks_and_margins() -> None:
    two = averaged(table(ROWS), BASELINES, benchmarks=["c", "a"]).scores["average"]
    assert two[0] == pytest.approx(
        float((ROWS[0]["c"] or 0.0) + ((ROWS[0]["a"] or 0.0) - 0.25) / 0.75) / 2.0
    )
    assert averaged(table(ROWS), BASELINES, margin=0.0).sample("average", 0.0).index.tolist() == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda e: averaged(e, {"a": 0.25, "b": 0.5}),
            r"baselines: has none for 'c'; must have one for every benchmark",
        ),
        (
            lambda e: averaged(e, BASELINES, benchmarks=["a"]),
            r"benchmarks=\['a'\]: must be at least 2 different benchmarks",
        ),
        (
            lambda e: averaged(e, BASELINES, benchmarks=["a", "d"]),
            r"benchmark='d': data has no such benchmark",
        ),
        (
            lambda e: averaged(e, BASELINES, margin=1.0),
            r"margin=1.0: must be a number of at least 0 and below 1",
        ),
        (
            lambda e: averaged(e, BASELINES, margin=0.9),
            "is of 0 of 5 runs: 2 lack a score, 3 are not above",
        ),
    ],
)
def test_bad_arguments(call: Callable[[Evaluations], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(table(ROWS))


def test_the_options_add_an_average(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "C,acc_a,acc_b,acc_c\n1e18,0.5,0.75,0.25\n1e19,0.625,0.625,0.5\n", encoding="utf-8"
    )

    def asked(*words: str) -> EvaluationTable:
        parser = Parser("isoflop any", ["RUNS"], "", [])
        declare_evaluations(parser)
        declare_guessing(parser)
        return EvaluationTable(
            read(parser, [str(path), "--random-baseline", "a=25%,b=0.5", "c=0", *words])
        )

    every = asked("--average")
    assert every.read().benchmarks == ("a", "b", "c", "average")
    assert every.baselines()["average"] == Baseline(0.0, how="0 for a mean of normalised accuracy")
    two = asked("--benchmark", "a", "--average", "b,c")
    assert two.read().benchmarks == ("a", "average")
    assert two.read().scores["average"][0] == pytest.approx((0.5 + 0.25) / 2)
    assert set(two.baselines()) == {"a", "average"}
    with pytest.raises(
        UsageError, match=r"^--average 'a': must be at least 2 different benchmarks"
    ):
        asked("--average", "a").read()
    with pytest.raises(
        UsageError, match=r"^--average 'd': file .* has no such benchmark; there are 'a', 'b', 'c'"
    ):
        asked("--average", "a", "d").read()


def test_the_transcribed_runs_leave_nothing_to_extrapolate_from(public_runs: Path) -> None:
    """Appendix K fits up to 6e21 FLOP; in the subset no run there was evaluated on all ten
    benchmarks and clears them.
    """
    found = Evaluations.read(
        public_runs / "apple-downstream" / "runs.csv",
        columns={"params": None, "compute": "flops_table"},
    )
    more = averaged(found, resolve(found, "krajewski2025"), benchmarks=TEN)
    sample = more.sample("average", 0.0)
    assert len(sample) == 6
    assert (sample.at.compute > 6e21).all()
    assert "25 lack a score, 2 are not above guessing" in more.warnings[-1]
