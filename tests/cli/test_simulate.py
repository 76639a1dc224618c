"""isoflop simulate: what it writes, and that the commands it is for can read it."""

import csv
import io
import json

import pytest

from isoflop.numeric.simulate import simulate_counts, simulate_losses
from isoflop.numeric.simulate.evaluations import PROBLEMS, simulate


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_evaluations_are_those_of_the_library(run_cli):
    result = run_cli("simulate", "--seed", 3)
    assert (result.code, result.err) == (0, "")
    columns = simulate(seed=3).columns()
    found = rows(result.out)
    assert list(found[0]) == list(columns)
    assert [float(row["score"]) for row in found] == columns["score"]
    assert [row["run"] for row in found] == columns["run"]


def test_evaluations_can_be_read_back(run_cli, tmp_path):
    from isoflop.numeric.data.evaluations import Evaluations

    place = tmp_path / "evaluations.csv"
    assert run_cli("simulate", "--seed", 1, "--output", place) == (0, "", "")
    read = Evaluations.read(place)
    assert len(read) == 195
    assert list(read.benchmarks) == list(PROBLEMS)
    assert set(read.proxies) == {"c4", "dclm"}
    assert read.table_baselines["PIQA"] == 0.5286
    assert not read.warnings


def test_losses_are_those_of_the_library(run_cli):
    shown = rows(run_cli("simulate", "runs", "--law", "hoffmann2022", "--noise", "0").out)
    expected = simulate_losses(law="hoffmann2022", noise=0.0)
    assert {name: [float(row[name]) for row in shown] for name in shown[0]} == expected


def test_counts_with_their_models(run_cli, tmp_path):
    counts, models, gold = (tmp_path / f"{name}.csv" for name in ("counts", "models", "gold"))
    result = run_cli(
        "simulate", "counts", "--seed", 2, "--output", counts, "--models", models, "--gold", gold
    )
    assert result == (0, "", "")
    expected = simulate_counts(seeds=(6, 7, 8))
    assert [int(row["n_correct"]) for row in rows(counts.read_text())] == expected.counts[
        "n_correct"
    ].tolist()
    assert [float(row["gold"]) for row in rows(gold.read_text())] == expected.gold["gold"].tolist()
    shown = json.loads(
        run_cli(
            "passk", counts, "--models", models, "--gold", gold, "--k", 1, "--format", "json"
        ).out
    )
    assert len(shown) == 48


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "TABLE 'run': must be one of downstream, runs, counts (did you mean runs?)"),
        (["runs", "counts"], "unexpected argument 'counts'"),
        (["--law", "hoffmann2022"], "--law: is for runs, not for downstream"),
        (["runs", "--models", "m.csv"], "--models: is for counts"),
        (["counts", "--noise", "0.1"], "--noise: is for downstream and runs, not for counts"),
        (["runs", "--noise", "1e5"], "--noise '1e5': must be so small that every loss is above 0"),
        (["--noise", "1e5"], "--noise '1e5': must be so small that every -log Q' is finite"),
        (["--noise", "-1"], "--noise '-1': must be a finite number of at least 0"),
        (["--seed", "1.5"], "--seed '1.5': must be a whole number of at least 0"),
        (["runs", "--law", "nobody"], "--law 'nobody': is no published law"),
        (
            ["runs", "--law", "krajewski2025-arc-e"],
            "must be a law of loss; this is one of -log normalised accuracy",
        ),
        (
            ["counts", "--models", "/no/such/folder/m.csv"],
            "--models '/no/such/folder/m.csv': cannot be written",
        ),
    ],
)
def test_bad_input(run_cli, words, said):
    result = run_cli("simulate", *words)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.count("\n") == 1


def test_a_terminal_is_no_place_for_a_long_table(run_cli, monkeypatch, tmp_path):
    monkeypatch.setattr("isoflop.cli.simulate.is_terminal", lambda stream: True)
    result = run_cli("simulate", "runs")
    assert (result.code, result.out) == (2, "")
    assert "--output is missing" in result.err
    assert run_cli("simulate", "runs", "-o", tmp_path / "runs.csv") == (0, "", "")
