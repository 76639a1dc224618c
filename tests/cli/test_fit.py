"""isoflop fit: the contract for scripts, bad input, what is saved, interrupts."""

import csv
import json
import os
from dataclasses import replace
from math import exp

import pytest

np = pytest.importorskip("numpy")

TRUTH = {"E": 1.7, "A": 400.0, "B": 410.0, "beta": 0.34, "gamma": 0.28}
NUMBERS = {"value", "se", "lo", "hi"}
UNKNOWN = {"value": None, "se": None, "lo": None, "hi": None}


def loss(n, d):
    return TRUTH["E"] + TRUTH["A"] * n ** -TRUTH["beta"] + TRUTH["B"] * d ** -TRUTH["gamma"]


def write(path, rows, header=("params", "tokens", "loss")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def runs():
    """A grid of runs with noise in the logarithm, the same every time."""
    draw = np.random.default_rng(20240229).standard_normal(64).tolist()
    grid = [
        (float(n), float(d))
        for n in np.geomspace(3e7, 1e10, 8)
        for d in 10 * np.geomspace(3e7, 3e10, 8)
    ]
    return [(n, d, loss(n, d) * exp(0.004 * z)) for (n, d), z in zip(grid, draw, strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fit")


@pytest.fixture(scope="module")
def path(folder):
    return write(folder / "runs.csv", runs())


@pytest.fixture(scope="module")
def plain(data, path):
    return data("fit", path)


def refused(result, *named):
    assert (result.code, result.out) == (2, ""), result
    assert result.err.startswith("isoflop: error: ")
    assert result.err.count("\n") == 1
    for part in named:
        assert part in result.err, (part, result.err)


def test_the_choices_are_those_of_the_library() -> None:
    """The command line spells them out, for a parser is built before NumPy is loaded."""
    from isoflop.cli import run_options
    from isoflop.numeric.fit import OBJECTIVES

    assert run_options.OBJECTIVES == OBJECTIVES


# -- the contract ----------------------------------------------------------------------------------


def test_keys(plain) -> None:
    assert {"law", "objective", "interval", "ranges"} <= set(plain)
    assert list(plain["coefficients"]) == ["E", "A", "B", "beta", "gamma"]
    assert set(plain["derived"]) >= {"alpha", "C0"}
    for entry in (*plain["coefficients"].values(), *plain["derived"].values()):
        assert set(entry) == NUMBERS
        assert entry["lo"] < entry["value"] < entry["hi"]
        assert entry["se"] > 0
    known = {key: plain[key] for key in ("converged", "n_runs", "dropped", "warnings")}
    assert known == {"converged": True, "n_runs": 64, "dropped": [], "warnings": []}


def test_what_is_derived_is_what_the_saved_law_says(data, path, call, folder) -> None:
    saved = folder / "my fit.json"
    found = data("fit", path, "--compute", "1e22", "--ratio", "10", "--save", saved)
    derived = {name: entry["value"] for name, entry in found["derived"].items()}
    (row,) = data("allocate", "--law", saved, "--compute", "1e22")["rows"]
    expected = {"N_star": row["params"], "D_star": row["tokens"], "L_star": row["loss"]}
    penalty = data("penalty", "--law", saved, "--ratio", "10")
    expected["penalty"] = penalty["rows"][0]["loss_penalty"]
    assert {name: derived[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    assert penalty["law"] == "my fit"
    assert json.loads(saved.read_text(encoding="utf-8"))["coefficients"] == found["coefficients"]
    for words in (("derive",), ("latex",)):
        result = call(*words, "--law", saved)
        assert (result.code, result.err) == (0, ""), words


def test_bounds(data, path) -> None:
    found = data("fit", path, "--bound", "beta=0.4:1", "--bound", "E=:1.75")
    assert found["coefficients"]["beta"] == {"value": 0.4, "se": None, "lo": None, "hi": None}
    assert "beta" in found["at_bound"]
    assert any("beta = 0.4 is on a bound" in text for text in found["warnings"])


def test_bootstrap(data, path, plain) -> None:
    found, other = (data("fit", path, "--bootstrap", "200", "--seed", seed) for seed in "78")
    assert found["coefficients"]["beta"]["se"] != other["coefficients"]["beta"]["se"]
    interval = {"kind": "bootstrap", "resample": "cases", "repeats": 200, "seed": 7}
    assert interval.items() <= found["interval"].items()
    for name, entry in found["coefficients"].items():
        assert entry["value"] == plain["coefficients"][name]["value"]
        assert entry["se"] == pytest.approx(plain["coefficients"][name]["se"], rel=0.6)


def test_groups(data, call, folder) -> None:
    header = ("N", "D", "loss", "seed")
    path, few = (
        write(folder / f"{n}.csv", [(*row, i % n) for i, row in enumerate(runs())], header)
        for n in (8, 3)
    )
    found = data("fit", path, "--bootstrap", "120")
    assert found["interval"]["resample"] == "groups"
    assert "8 groups: with fewer than 10, intervals by group are rough" in found["warnings"]
    refused(call("fit", few, "--bootstrap", "20"), "--bootstrap '20'", "at least 4")


# -- the runs --------------------------------------------------------------------------------------


def test_columns_conditions_and_dropped_rows(data, call, folder, plain) -> None:
    bad = [(1e9, 1e10, ""), ("1e400", 1e10, 3), (1e9, -1, 3)]
    rows = [(*row, "keep") for row in (*runs(), *bad)] + [(1e9, 1e10, 9.0, "leave")]
    path = write(folder / "columns.csv", rows, ("Größe", "Data seen", "final", "which"))
    words = ("--column", "params=Größe", "--column", "D=Data seen", "--column", "loss=final")
    found = data("fit", path, *words, "--where", "which == 'keep'")
    assert (found["n_runs"], found["n_rows"], found["left_out"]) == (64, 68, 1)
    assert found["coefficients"] == plain["coefficients"]
    assert found["columns"] == {"params": "Größe", "tokens": "Data seen", "loss": "final"}
    assert [entry["row"] for entry in found["dropped"]] == [65, 66, 67]
    text = " ".join(call("fit", path, *words).out.split())
    assert "columns params 'Größe', tokens 'Data seen', loss 'final'" in text
    assert "3 rows dropped: row 65 (loss is missing), row 66" in text


def test_what_follows_from_the_budget_is_said(data, call, folder) -> None:
    rows = [(n, 6 * n * d, y) for n, d, y in runs()]
    path = write(folder / "budgets.csv", rows, ("Model Size", "C", "loss"))
    columns = {"params": "Model Size", "compute": "C", "tokens": None, "loss": "loss"}
    assert data("fit", path)["columns"] == columns
    assert "compute 'C', loss 'loss'; tokens from C = 6ND" in call("fit", path).out


def test_names_of_an_expression(data, call, folder) -> None:
    """A name is a column where the table or --column has one, else a coefficient."""
    rows = [(6 * n * d, d / n, y) for n, d, y in runs()]
    path = write(folder / "multiples.csv", rows, ("C", "token_multiplier", "loss"))
    words = ("fit", path, "--model", "E + a*M^p*C^-eta + b*M^-q*C^-eta")
    found = data(*words, "--column", "M=token_multiplier")
    assert found["columns"] == {"M": "token_multiplier", "C": "C", "loss": "loss"}
    assert list(found["coefficients"]) == ["E", "a", "p", "eta", "b", "q"]
    result = call(*words, "--format", "json")
    assert result.code == 3
    assert list(json.loads(result.out)["coefficients"]) == ["E", "a", "M", "p", "eta", "b", "q"]
    refused(call(*words, "--column", "M=multiplier"), "no column 'multiplier' for M")
    refused(call(*words, "--column", "Q=token_multiplier"), "'Q' is no quantity")


def test_a_benchmark_of_evaluations(data, call, folder) -> None:
    """The runs that exceed guessing by 0.05, and the law that they were drawn from."""
    rows = [
        (n, d, name, 0.25 + 0.75 * exp(-scale * (60.0 * n**-0.27 + 400.0 * d**-0.3)))
        for name, scale in (("easy", 1.0), ("hard", 2.0))
        for n, d, _ in runs()
    ]
    path = write(folder / "scores.csv", rows, ("params", "tokens", "benchmark", "score"))
    words = ("fit", path, "--benchmark", "hard", "--random-baseline", "0.25")
    found = data(*words, "--objective", "least-squares-log")
    kept = sum(score > 0.3 for _, _, name, score in rows if name == "hard")
    assert found["n_runs"] == kept < 64
    truth = {"A": 120.0, "B": 800.0, "beta": 0.27, "gamma": 0.3}
    values = {name: found["coefficients"][name]["value"] for name in truth}
    assert values == pytest.approx(truth, rel=1e-4)
    assert f"{64 - kept} runs left out: at most 0.05 above guessing" in call(*words).out
    words = ("fit", path, "--benchmark", "hrad", "--random-baseline", "0.25")
    refused(call(*words), "--benchmark 'hrad': ", "did you mean hard?")


def test_accuracy(data, call, folder, plain) -> None:
    """-log((Q - Qr)/(1 - Qr)) of these accuracies is the loss of the other runs."""
    rows = [(n, d, 0.25 + 0.75 * exp(-y)) for n, d, y in runs()]
    path = write(folder / "accuracy.csv", rows, ("params", "tokens", "accuracy"))
    found = data("fit", path, "--random-baseline", "25%")
    for name, entry in found["coefficients"].items():
        assert entry["value"] == pytest.approx(plain["coefficients"][name]["value"], rel=1e-6)
    assert (found["metric"], found["random_baseline"]) == ("accuracy", 0.25)
    assert "L = -log((Q - 0.25)/(1 - 0.25)) of" in call("fit", path, "--random-baseline", ".25").out


def test_a_figure(call, path, folder) -> None:
    figure = folder / "fit.png"
    result = call("fit", path, "--plot", figure)
    assert (result.code, result.err) == (0, "")
    assert figure.read_bytes().startswith(b"\x89PNG")


# -- no result -------------------------------------------------------------------------------------


def test_no_optimum_is_no_verdict(call, path, folder, monkeypatch) -> None:
    from isoflop.numeric.fit.solve import solve

    def never(*words, **more):
        return replace(solve(*words, **more), converged=False)

    monkeypatch.setattr("isoflop.numeric.fit.models.solve", never)
    result = call("fit", path, "--format", "json", "--save", folder / "never.json")
    found = json.loads(result.out)
    assert (result.code, found["converged"], found["coefficients"]["E"]["se"]) == (3, False, None)
    assert found["warnings"][0].startswith("no point was certified as a minimum")
    refused(call("penalty", "--law", folder / "never.json", "--ratio", "3"), "did not reach an opt")


def test_all_runs_at_one_size(call, tmp_path) -> None:
    rows = [(1e9, d, y * loss(1e9, d) / loss(n, d)) for n, d, y in runs()]
    path = write(tmp_path / "one-size.csv", rows)
    words = ("--bootstrap", "10", "--compute", "1e22", "--save", tmp_path / "open.json")
    result = call("fit", path, *words, "--format", "json")
    found = json.loads(result.out)
    assert (result.code, result.err) == (3, "")
    assert {"A", "beta"} <= set(found["undetermined"])
    for name in found["undetermined"]:
        assert {found["coefficients"][name][key] for key in ("se", "lo", "hi")} == {None}
    for name in ("alpha", "C0", "params_share", "N_star", "L_star"):
        assert found["derived"][name] == UNKNOWN
    assert any(text.startswith("no resamples") for text in found["warnings"])
    assert any("undetermined" in text for text in found["warnings"])
    assert r"$\alpha$ & undetermined & --- & --- &" in call("fit", path, "--format", "latex").out
    refused(call("penalty", "--law", tmp_path / "open.json", "--ratio", "3"), "undetermined")


# -- bad input -------------------------------------------------------------------------------------

CASES = {
    ("--objective", "huber"): ("--objective 'huber'", "did you mean huber-log?"),
    ("--bootstrap", "0"): ("--bootstrap '0'", "at least 1"),
    ("--bootstrap", "10", "--seed", "-1"): ("--seed '-1'", "at least 0"),
    ("--seed", "1"): ("--seed '1'", "--bootstrap"),
    ("--model", "param-tokens"): ("--model 'param-tokens'", "did you mean params-tokens?"),
    ("--model", "E + a*N^"): ("--model 'E + a*N^'",),
    ("--model", "a + b"): ("--model 'a + b'", "column"),
    ("--model", "__import__('os').system('true')"): ("--model ",),
    ("--fix", "E"): ("--fix 'E'", "NAME=VALUE"),
    ("--fix", "E=9"): ("--fix 'E=9'", "below some loss"),
    ("--fix", "delta=1"): ("--fix 'delta=1'", "E, A, B, beta, gamma"),
    ("--bound", "delta=1:"): ("--bound 'delta=1:'", "E, A, B, beta, gamma"),
    ("--bound", "beta=:"): ("--bound 'beta=:'", "LOW:HIGH"),
    ("--bound", "beta=1:0.1"): ("--bound 'beta=1:0.1'", "below"),
    ("--bound", "beta=0.1:1", "--fix", "beta=0.3"): ("beta", "both"),
    ("--model", "compute", "--ratio", "3"): ("--ratio '3'", "params-tokens"),
    ("--model", "a*N^-b", "--compute", "3"): ("--compute '3'", "params-tokens or compute"),
    ("--plot", "fit.txt"): ("--plot 'fit.txt'", ".png, .pdf or .svg"),
}


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_bad_options(call, path, words) -> None:
    refused(call("fit", path, *words), *CASES[words])


def test_what_is_no_file(call, tmp_path) -> None:
    refused(call("fit", tmp_path), "directory")
    refused(call("fit", tmp_path / "none.csv"), "none.csv", "No such file")
    refused(call("fit"), "RUNS is missing")
    refused(call("fit", "a.csv", "b.csv"), "'b.csv'")


def test_what_cannot_be_written_is_refused_before_the_work(call, path, monkeypatch) -> None:
    def work(*words, **options):
        raise AssertionError("too late")

    monkeypatch.setattr("isoflop.numeric.data.runs.Runs.read", work)
    for option in ("--save", "--plot"):
        target = "/no/such/folder/x.png"
        refused(call("fit", path, option, target), f"{option} '{target}'", "cannot be written")


# -- Ctrl-C ----------------------------------------------------------------------------------------


def test_an_interrupted_bootstrap_keeps_what_is_done(
    call, path, folder, monkeypatch, plain
) -> None:
    from isoflop.numeric.fit import Fit

    refit = Fit.refit
    left = [2]  # refits before the interrupt

    def interrupted(*words, **more):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return refit(*words, **more)

    monkeypatch.setattr(Fit, "refit", interrupted)
    words = ("fit", path, "--bootstrap", "1000", "--format", "json")
    result = call(*words, "--save", folder / "part.json")
    assert result.code == 130
    done = "200 of 1000 resamples are done; the intervals are of these"
    assert result.err == f"isoflop: interrupted: {done}\n"
    found = json.loads(result.out)
    interval = {"repeats": 200, "requested": 1000, "interrupted": True}
    assert interval.items() <= found["interval"].items()
    assert any("interrupted after 200 of 1000" in text for text in found["warnings"])
    saved = json.loads((folder / "part.json").read_text(encoding="utf-8"))
    assert saved["coefficients"] == found["coefficients"]
    result = call(*words)  # now before any resample
    assert result.code == 130
    assert result.err.startswith("isoflop: interrupted: none of 1000 resamples is done")
    assert json.loads(result.out)["coefficients"] == plain["coefficients"]


@pytest.mark.skipif(os.name != "posix", reason="needs a signal")
def test_a_signal(interrupted, path) -> None:
    result = interrupted("fit", path, "--bootstrap", "100000000")
    assert result.code == 130
    if result.out:  # a slow machine may not have come as far as the resamples
        assert result.err.startswith("isoflop: interrupted: ")
    assert result.err.count("\n") <= 1
