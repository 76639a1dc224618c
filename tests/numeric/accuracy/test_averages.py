"""The average of benchmarks: exact sums, which runs have none and why."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        "'average', the mean of 3 benchmarks, is of 2 of 5 runs; left out: 2 runs without b (1), c "
        "(1); "
        "1 run not above guessing + 0.05 on a (1)"
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


@given(
    st.lists(st.tuples(*[st.none() | st.integers(0, 64)] * 3), min_size=1, max_size=8),
    st.sampled_from((0.0, 1 / 16, 1 / 4)),
)
def test_the_average_against_fractions(rows: list[tuple[int | None, ...]], margin: float) -> None:
    """Every run is kept or counted, and kept ones have the mean of exact normalised accuracies."""
    cells: list[dict[str, float | None]] = [
        {k: None if n is None else n / 64 for k, n in zip("abc", row, strict=True)} for row in rows
    ]
    whole = [row for row in cells if None not in row.values()]
    kept = [
        row
        for row in whole
        if all(Fraction(row[k] or 0.0) > GUESSING[k] + Fraction(margin) for k in "abc")
    ]
    if not kept:
        return
    found = averaged(
        table([row for row in cells if any(v is not None for v in row.values())]),
        BASELINES,
        margin=margin,
    )
    expected = [
        sum((Fraction(row[k] or 0.0) - GUESSING[k]) / (1 - GUESSING[k]) for k in "abc") / 3
        for row in kept
    ]
    assert found.sample("average", 0.0).accuracy.tolist() == pytest.approx(
        [float(x) for x in expected], rel=1e-14
    )
    assert f"is of {len(kept)} of " in found.warnings[-1]


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
            r"is of 0 of 5 runs; left out: 2 runs without .*; 3 runs not above",
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
    two = asked("--benchmark", "a", "--average", "b,c", "--margin", "0.2")
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


def test_an_average_tells_what_the_errors_of_guessing_are_worth() -> None:
    """Against the spread of the average over draws of what guessing scores."""
    random = np.random.default_rng(4)
    compute = np.geomspace(1e19, 1e22, 9)
    scores = {"a": 0.25 + 0.75 * (compute / 1e23) ** 0.1, "b": 0.5 + 0.5 * (compute / 1e23) ** 0.2}
    data = Evaluations.read({"C": compute, "acc_a": scores["a"], "acc_b": scores["b"]})
    errors = {"a": 0.01, "b": 0.02}
    more = averaged(data, {"a": Baseline(0.25, 0.01), "b": Baseline(0.5, 0.02)})
    said = more.warnings[-1]
    assert "taken as exact" in said
    draws = []
    for _ in range(4000):
        guess = {
            "a": 0.25 + errors["a"] * random.standard_normal(),
            "b": 0.5 + errors["b"] * random.standard_normal(),
        }
        draws.append(
            np.mean([(scores[name] - guess[name]) / (1.0 - guess[name]) for name in scores], axis=0)
        )
    told = float(said.rpartition("standard errors are ")[2].split()[0])
    assert told == pytest.approx(np.std(draws, axis=0).mean(), rel=0.06)
    assert "exact" not in averaged(data, {"a": 0.25, "b": 0.5}).warnings[-1]


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
    assert (
        "25 runs without sciq (14), piqa (14), winogrande (14) and 7 more; 2 runs not above "
        "guessing" in more.warnings[-1]
    )
