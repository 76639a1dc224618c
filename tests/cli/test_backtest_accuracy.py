"""isoflop backtest of evaluations: the contract for scripts, every bad input a line, figures,
interrupts.
"""

import json
from typing import Any

import numpy as np
import pytest
from tests.data import accuracies, at_ratios, write_rows

from isoflop.numeric.hold_out import judge as engine

HEADER = ("params", "tokens", "benchmark", "metric_type", "score", "random_baseline")
LAWS = ("compute", "params-tokens")
HOLD_OUT = ("--hold-out", "compute > 1e22")
WIDTH = 100


PARAMS, TOKENS = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))


def rows():
    """Two benchmarks at 30 runs, with the accuracy of guessing."""
    noisy: dict[str, Any] = {"noise": 0.01, "seed": np.random.default_rng(5)}
    return [
        [*run, name, "acc", score, guess]
        for name, guess, scale in (("piqa", 0.5, 1.0), ("task two", 0.0, 2.0))
        for *run, score in zip(
            PARAMS,
            TOKENS,
            accuracies(PARAMS, TOKENS, baseline=guess, scale=scale, **noisy),
            strict=True,
        )
    ]


def piqa():
    """The rows of the first one."""
    return rows()[: len(PARAMS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("backtest")


@pytest.fixture(scope="module")
def file(folder):
    """Write rows to a file, once."""

    def write(name, content, header=HEADER):
        return write_rows(folder / f"{name}.csv", header, content)

    return write


@pytest.fixture(scope="module")
def runs(file):
    return file("runs", rows())


def refused(outcome, *named):
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.err.startswith("isoflop: error: ")
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
    for part in named:
        assert part in outcome.err, (part, outcome.err)


# -- the contract ----------------------------------------------------------------------------------


def test_cutoffs(data, call, runs) -> None:
    words = ("backtest", runs, "--law", "compute", "--benchmark", "piqa", "--cutoffs")
    rolling = data(*words, "2", "--rolling", "compute")
    assert (rolling["fits"], rolling["thresholds"]) == (2, [])
    text = call(*words, "2", "--rolling", "compute")
    assert max(map(len, text.out.splitlines())) <= WIDTH
    swept = data(*words, "1e20", "1e21", "3e21", "--sweep")
    assert sorted(row["cutoff"] for row in swept["coefficients"]) == pytest.approx(
        [1e20, 1e21, 3e21]
    )
    assert [one["law"] for one in swept["thresholds"]] == ["compute"]


def test_a_law_that_does_not_fall_is_at_its_bound(data, file) -> None:
    ordered = sorted(piqa(), key=lambda row: row[0] * row[1])
    path = file("falling", [[*row[:4], 0.7 - 0.003 * i, 0.5] for i, row in enumerate(ordered)])
    (law,) = data("backtest", path, "--law", "compute", "--bootstrap", "20")["coefficients"]
    assert law["coefficients"]["alpha"]["value"] == pytest.approx(1e-3)
    assert "alpha" in law["undetermined"]


def test_the_status_tells_of_laws_that_could_not_be_fitted(data, call, file) -> None:
    ones = [[*row[:4], 1.0, row[5]] for row in rows()]
    for name, content, why in (
        ("few", piqa()[:3], "3 runs above guessing; must be at least 4"),
        ("ones", ones, "no run exceeds guessing (0.5) by more than 0.05 and is below 1"),
    ):
        result = call("backtest", file(name, content), "--law", *LAWS, "--format", "json")
        assert result.code == 3
        assert any(why in row["reason"] for row in json.loads(result.out)["failures"])


# -- bad input -------------------------------------------------------------------------------------

BAD_WORDS = [
    (("--law", "compte"), ("--law 'compte': must be one of", "did you mean compute")),
    (("--law", "compute", "compute"), ("--law 'compute': is given twice",)),
    (("--law", "bilinear"), ("--law 'bilinear': needs pass@k at several k; piqa has none",)),
    (("--hold-out", "compute > 1e30"), ("--hold-out 'compute > 1e30': holds out none",)),
    (("--hold-out", "compute > 1"), ("--hold-out 'compute > 1': holds out all",)),
    (("--hold-out", "flops > 1e21"), ("--hold-out 'flops > 1e21': no column 'flops'",)),
    (("--hold-out", "compute >"), ("--hold-out 'compute >': ",)),
    (("--law", "two-stage-linear"), ("--proxy: two-stage laws need one", "no loss or other proxy")),
    (("--law", "compute", "--proxy", "piqa"), ("--proxy 'piqa': is for two-stage laws",)),
    (
        ("--law", "two-stage-linear", "--proxy", "piqa"),
        ("--proxy 'piqa': is the benchmark itself",),
    ),
    (("--bootstrap", "1"), ("--bootstrap '1': must be 0, or at least 2",)),
    (("--cutoffs", "1e20", *HOLD_OUT), ("--hold-out: is a rule of its own",)),
    (("--cutoffs", "1e20"), ("--cutoffs '1e20': needs an axis",)),
    (("--rolling", "gold"), ("--rolling 'gold': ", "has no gold")),
    (("--k", "1", "--benchmark", "piqa"), ("--k '1': is for counts",)),
    (("--sweep", "--cutoffs", "-1"), ("--cutoffs",)),
    (("--format", "xml"), ("--format 'xml': must be one of text, json, csv, latex",)),
    (("--plot", "laws.gif"), ("--plot 'laws.gif': must end in",)),
    (("another.csv",), ("unexpected argument 'another.csv': one file",)),
]


@pytest.mark.parametrize(
    ("words", "said"), BAD_WORDS, ids=[" ".join(words) for words, _ in BAD_WORDS]
)
def test_bad_words(call, runs, words, said) -> None:
    given = words if "--law" in words else (*words, "--law", "compute")
    refused(call("backtest", runs, *given), *said)


def test_no_file(call, folder) -> None:
    refused(call("backtest"), "TABLE is missing")
    refused(
        call("backtest", "--law", "compute", "runs.csv"),
        "TABLE is missing",
        "in front of --law, which takes all that follows",
    )
    refused(call("backtest", folder / "none.csv"), "none.csv", "No such file")


# -- interrupts ------------------------------------------------------------------------------------


def test_laws_with_undetermined_coefficients_say_so(data, file) -> None:
    """At one D/N the two terms cannot be told apart, and yet they may predict best."""
    near = [row for row in piqa() if abs(row[1] / row[0] - 20.0) < 1e-6]
    found = data("backtest", file("one-ratio", near), "--law", "params-tokens", *HOLD_OUT)
    assert {"A", "B"} <= {*found["coefficients"][0]["undetermined"]}
    assert found["errors_overall"][0]["mae"] < 0.05


def test_ctrl_c_leaves_what_was_done(call, runs, monkeypatch) -> None:
    real, calls = engine._judged, []

    def stops(*task):
        calls.append(task)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*task)

    monkeypatch.setattr(engine, "_judged", stops)
    result = call("backtest", runs, "--law", *LAWS, *HOLD_OUT, "--format", "json")
    assert result.code == 130
    said = "isoflop: interrupted: 1 of 4 fits are made; what was not reached is left out\n"
    assert result.err == said
    found = json.loads(result.out)
    assert found["interrupted"] is True
    assert [law["law"] for law in found["coefficients"]] == ["compute"]
