"""isoflop backtest: counts and runs, formats, bad input."""

import csv
import io
import json
import re
from typing import Any

import pytest
from tests.data import runs_at, write_csv

from isoflop.numeric.hold_out import judge as engine
from isoflop.numeric.simulate.counts import Fixed, grid, law_truth, simulate


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """counts.csv without covariates, models.csv, gold.csv, runs.csv."""
    folder = tmp_path_factory.mktemp("tables")
    design = grid((1e8, 4e8, 1.6e9), (2e9, 1.3e10, 7e10, 5e11))
    truth = law_truth(design, "compute", {"E0": 0.3, "C0": 2e3, "alpha": 0.16}, concentration=200.0)
    made = simulate(design, truth, problems=40, sampling=Fixed(200), rng=1)
    held = made.columns()
    write_csv(
        folder / "counts.csv",
        {name: held[name] for name in ("model", "problem", "n_samples", "n_correct")},
    )
    write_csv(
        folder / "models.csv",
        {"model": design.names, "params": design.params, "tokens": design.tokens},
    )
    write_csv(folder / "gold.csv", {"model": design.names, "gold": design.gold})
    write_csv(folder / "runs.csv", runs_at(design.params, design.tokens, noise=1e-3))
    write_csv(folder / "other.csv", {"a": [1, 2], "b": [3, 4]})
    return folder


@pytest.fixture
def run(run_cli, tables, monkeypatch):
    """isoflop backtest in the folder of the tables."""
    monkeypatch.chdir(tables)
    return lambda *words: run_cli("backtest", *words)


QUICK = ("--law", "compute", "--cutoffs", "3", "--bootstrap", "0")
COUNTS = ("counts.csv", "--models", "models.csv", "--k", "1", *QUICK)


def test_csv_of_all_targets(run):
    done = run(*COUNTS, "--sweep", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0
    assert len({row["target"] for row in rows}) > 1
    assert all(float(row["decades_held_out"]) > 0.0 for row in rows)


def test_runs(run):
    done = run("runs.csv", *QUICK, "--format", "json")
    assert done.code == 0
    data = json.loads(done.out)
    assert (data["what"], data["method"], data["k"]) == ("runs", "least-squares-log", [])
    assert len({row["target"] for row in data["predictions"]}) == 1


def test_output_and_plot(run, tables):
    done = run(*COUNTS, "--plot", "page.png")
    assert done.code == 0
    assert (tables / "page.png").read_bytes().startswith(b"\x89PNG")
    assert "inside" in done.out


@pytest.mark.parametrize("count", [0, 2])
def test_interrupted(run, monkeypatch, count):
    made: list[Any] = []
    real = engine._judged

    def interrupted(*task):
        if len(made) == count:
            raise KeyboardInterrupt
        made.append(task)
        return real(*task)

    monkeypatch.setattr(engine, "_judged", interrupted)
    part = run(*COUNTS, "--format", "json")
    assert part.code == 130
    assert f"{count} of 3 fits are made" in part.err
    assert (json.loads(part.out)["fits"] if part.out else 0) == count


def test_nothing_observed_is_no_verdict(run, tables):
    rows = list(csv.DictReader(io.StringIO((tables / "counts.csv").read_text())))
    held = {name: [row[name] for row in rows] for name in ("model", "problem", "n_samples")}
    last = list(dict.fromkeys(held["model"]))[-1]
    write_csv(
        tables / "last.csv",
        held | {"n_correct": [0 if row["model"] == last else row["n_correct"] for row in rows]},
    )
    done = run("last.csv", "--models", "models.csv", "--k", "1", *QUICK)
    assert done.code == 3
    assert "no prediction could be compared with an observation" in done.out


def test_a_condition_holds_out_rows(run, tables):
    """The rows that it names are predicted, once, from all others."""
    done = run("runs.csv", *QUICK[:2], "--hold-out", "compute > 1e21", "--format", "json")
    assert done.code == 0
    data = json.loads(done.out)
    assert (data["hold_out"], data["fits"], data["stability"]) == ("compute > 1e21", 1, [])
    held = {row["target"] for row in data["predictions"]}
    assert {row["n_train"] for row in data["predictions"]} == {12 - len(held)}
    of_counts = ("counts.csv", "--models", "models.csv", "--k", "1", "--law", "compute")
    rule = ("--bootstrap", "0", "--hold-out", "N > 1e9", "--plot", "held.png")
    assert run(*of_counts, *rule).code == 0
    assert (tables / "held.png").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "TABLE is missing"),
        (("counts.csv", "runs.csv"), "unexpected argument 'runs.csv'"),
        (("counts.csv",), "no law has all that it depends on"),
        (("other.csv",), "has neither counts of samples"),
        ((*COUNTS, "--rolling", "gold"), "--rolling 'gold': .* has no gold"),
        ((*COUNTS, "--rolling", "time"), "--rolling 'time': must be one of"),
        (("counts.csv", "--models", "models.csv", "--law", "gold"), "--law 'gold': .* has no gold"),
        (("counts.csv", "--models", "models.csv", "--law", "best"), "--law 'best': must be one of"),
        (("counts.csv", "--models", "models.csv", "--k", "0"), "--k '0': must be a whole number"),
        ((*COUNTS, "--hold-out", "N > 1"), "--hold-out: is a rule of its own"),
        (("runs.csv", "--hold-out", "N > 1"), "--hold-out 'N > 1': holds out all"),
        (("runs.csv", "--hold-out", "size > 1"), "--hold-out 'size > 1': .*size"),
        (
            ("counts.csv", "--models", "models.csv", "--cutoffs", "1e9"),
            "--cutoffs '1e9': must be from",
        ),
        ((*COUNTS, "--random-baseline", "0.1"), "--random-baseline '0.1': is for evaluations"),
        ((*COUNTS, "--plot", "page.bmp"), "--plot 'page.bmp': must end in"),
        (("runs.csv", "--k", "1"), "--k '1': is for counts"),
        (
            ("runs.csv", "--column", "loss=Loss"),
            "--column 'loss=Loss': .*no column 'Loss' for loss",
        ),
    ],
)
def test_bad_input_is_one_line(run, words, message):
    done = run(*words)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err), done.err
    assert done.err.startswith("isoflop: error: ")
    assert len(done.err.splitlines()) == 1
