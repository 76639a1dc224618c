"""isoflop fit: the contract for scripts, bad input, what is saved, interrupts."""

import csv
import json
import os
import re
from math import exp

import pytest

np = pytest.importorskip("numpy")

TRUTH = {"E": 1.7, "A": 400.0, "B": 410.0, "beta": 0.34, "gamma": 0.28}
NOISE = 0.004
KEYS = {"law", "objective", "coefficients", "derived", "converged", "n_runs", "dropped", "warnings"}
NUMBERS = {"value", "se", "lo", "hi"}


def loss(params, tokens):
    return (
        TRUTH["E"] + TRUTH["A"] * params ** -TRUTH["beta"] + TRUTH["B"] * tokens ** -TRUTH["gamma"]
    )


def write(path, rows, header=("params", "tokens", "loss")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def runs():
    """A grid of runs with noise in the logarithm, the same every time."""
    draw = np.random.default_rng(20240229).standard_normal(64)
    sizes, data = np.geomspace(3e7, 1e10, 8), np.geomspace(3e8, 3e11, 8)
    grid = [(float(n), float(d)) for n in sizes for d in data]
    return [
        (n, d, loss(n, d) * exp(NOISE * z)) for (n, d), z in zip(grid, draw.tolist(), strict=True)
    ]


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
    assert result.code == 2, result
    assert result.out == ""
    assert result.err.startswith("isoflop: error: ")
    assert result.err.count("\n") == 1
    for part in named:
        assert part in result.err, (part, result.err)
    assert "Traceback" not in result.err


def test_the_choices_are_those_of_the_library() -> None:
    """The command line spells them out, for a parser is built before NumPy is loaded."""
    from isoflop.cli import run_options
    from isoflop.numeric.fit import OBJECTIVES

    assert run_options.OBJECTIVES == OBJECTIVES


# -- the contract ------------------------------------------------------------------------------------------------------


def test_keys(plain) -> None:
    assert set(plain) >= KEYS
    assert list(plain["coefficients"]) == ["E", "A", "B", "beta", "gamma"]
    assert set(plain["derived"]) >= {"alpha", "C0"}
    for entry in (*plain["coefficients"].values(), *plain["derived"].values()):
        assert set(entry) == NUMBERS
        assert entry["lo"] < entry["value"] < entry["hi"]
        assert entry["se"] > 0
    assert plain["law"] == "E + A N^-beta + B D^-gamma"
    assert plain["objective"] == {
        "name": "huber-log",
        "delta": 1e-3,
        "value": plain["objective"]["value"],
    }
    assert (plain["converged"], plain["n_runs"], plain["dropped"], plain["warnings"]) == (
        True,
        64,
        [],
        [],
    )


def test_compute_and_ratio(data, path, call) -> None:
    found = data("fit", path, "--compute", "1e22", "--ratio", "10")
    derived = {name: entry["value"] for name, entry in found["derived"].items()}
    saved = path.with_name("for-allocate.json")
    assert call("fit", path, "--save", saved).code == 0
    (row,) = data("allocate", "--law", saved, "--compute", "1e22")["rows"]
    assert derived["N_star"] == pytest.approx(row["params"], rel=1e-12)
    assert derived["D_star"] == pytest.approx(row["tokens"], rel=1e-12)
    assert derived["L_star"] == pytest.approx(row["loss"], rel=1e-12)
    (row,) = data("penalty", "--law", saved, "--ratio", "10")["rows"]
    assert derived["penalty"] == pytest.approx(row["loss_penalty"], rel=1e-12)
    assert found["at"] == {"compute": 1e22, "ratio": 10.0}


def test_bounds(data, path) -> None:
    found = data("fit", path, "--bound", "beta=0.4:1", "--bound", "E=:1.75")
    assert found["coefficients"]["beta"] == {"value": 0.4, "se": None, "lo": None, "hi": None}
    assert "beta" in found["at_bound"]
    assert any("beta = 0.4 is on a bound" in text for text in found["warnings"])


def test_bootstrap(data, path, plain) -> None:
    words = ("fit", path, "--bootstrap", "200", "--seed", "7")
    found = data(*words)
    assert found == data(*words)
    other = data("fit", path, "--bootstrap", "200", "--seed", "8")
    assert found["coefficients"]["beta"]["se"] != other["coefficients"]["beta"]["se"]
    interval = found["interval"]
    assert (interval["kind"], interval["resample"], interval["repeats"], interval["seed"]) == (
        "bootstrap",
        "cases",
        200,
        7,
    )
    assert interval["interrupted"] is False
    for name, entry in found["coefficients"].items():
        assert entry["value"] == plain["coefficients"][name]["value"]
        assert entry["se"] == pytest.approx(plain["coefficients"][name]["se"], rel=0.6)


def test_groups(data, call, folder) -> None:
    rows = [(*row, index % 8) for index, row in enumerate(runs())]
    path = write(folder / "groups.csv", rows, ("N", "D", "loss", "seed"))
    found = data("fit", path, "--bootstrap", "120")
    assert found["interval"]["resample"] == "groups"
    rough = "8 groups: with fewer than 10, intervals by group are rough"
    assert rough in found["warnings"]
    assert rough in data("fit", path)["warnings"]
    few = write(
        folder / "few.csv",
        [(*row, index % 3) for index, row in enumerate(runs())],
        ("N", "D", "loss", "seed"),
    )
    refused(call("fit", few, "--bootstrap", "20"), "--bootstrap '20'", "at least 4")


# -- the runs ----------------------------------------------------------------------------------------------------------


def test_columns_and_conditions(data, call, folder, plain) -> None:
    rows = [(n, d, y, "keep") for n, d, y in runs()] + [(1e9, 1e10, 9.0, "leave")]
    path = write(folder / "columns.csv", rows, ("Größe", "Data seen", "final", "which"))
    columns = ("--column", "params=Größe", "--column", "D=Data seen", "--column", "loss=final")
    found = data("fit", path, *columns, "--where", "which == 'keep'")
    assert (found["n_runs"], found["n_rows"], found["left_out"]) == (64, 65, 1)
    assert found["coefficients"] == plain["coefficients"]
    assert found["columns"] == {"params": "Größe", "tokens": "Data seen", "loss": "final"}
    assert plain["columns"] == {"params": "params", "tokens": "tokens", "loss": "loss"}
    assert (
        "\ncolumns    params 'Größe', tokens 'Data seen', loss 'final'\n"
        in call("fit", path, *columns).out
    )
    assert "\ncolumns " not in call("fit", path.with_name("runs.csv")).out
    assert (
        data("fit", path, *columns, "--where", "`Data seen` < 1e13 and loss < 8")["coefficients"]
        == plain["coefficients"]
    )


def test_dropped_rows_are_named(data, call, folder, plain) -> None:
    rows = [
        *runs(),
        (1e9, 1e10, ""),
        (1e9, 1e10, "nan"),
        ("1e400", 1e10, 3),
        (1e9, -1, 3),
        (1e9, "inf", 3),
    ]
    path = write(folder / "dropped.csv", rows)
    found = data("fit", path)
    assert [entry["row"] for entry in found["dropped"]] == [65, 66, 67, 68, 69]
    reasons = [entry["reason"] for entry in found["dropped"]]
    assert reasons[0] == reasons[1] == "loss is missing"
    assert "params=inf" in reasons[2]
    assert "tokens=-1.0" in reasons[3]
    assert found["coefficients"] == plain["coefficients"]
    text = " ".join(call("fit", path).out.split())
    assert "5 rows" in text


def test_what_follows_from_the_budget_is_said(data, call, folder) -> None:
    path = write(
        folder / "budgets.csv",
        [(n, 6 * n * d, y) for n, d, y in runs()],
        ("Model Size", "C", "loss"),
    )
    assert data("fit", path)["columns"] == {
        "params": "Model Size",
        "compute": "C",
        "tokens": None,
        "loss": "loss",
    }
    assert (
        "columns    params 'Model Size', compute 'C', loss 'loss'; tokens from C = 6ND"
        in call("fit", path).out
    )


def test_names_of_an_expression(data, call, folder) -> None:
    """A name is a column where the table or --column has one, else a coefficient; the output says
    which.
    """
    path = write(
        folder / "multiples.csv",
        [(6 * n * d, d / n, y) for n, d, y in runs()],
        ("C", "token_multiplier", "loss"),
    )
    words = ("fit", path, "--model", "E + a*M^p*C^-eta + b*M^-q*C^-eta")
    found = data(*words, "--column", "M=token_multiplier")
    assert found["columns"] == {"M": "token_multiplier", "C": "C", "loss": "loss"}
    assert list(found["coefficients"]) == ["E", "a", "p", "eta", "b", "q"]
    text = " ".join(call(*words, "--column", "M=token_multiplier").out.split())
    assert (
        "columns M 'token_multiplier', C 'C', loss 'loss'; coefficients E, a, p, eta, b, q" in text
    )
    result = call(*words, "--format", "json")
    assert result.code == 3
    assert list(json.loads(result.out)["coefficients"]) == ["E", "a", "M", "p", "eta", "b", "q"]
    refused(
        call(*words, "--column", "M=multiplier"),
        "--column 'M=multiplier'",
        "no column 'multiplier' for M",
    )
    refused(
        call(*words, "--column", "Q=token_multiplier"),
        "--column 'Q=token_multiplier'",
        "'Q' is no quantity",
    )


def test_a_benchmark_of_evaluations(data, call, folder, plain) -> None:
    """The runs that exceed guessing by 0.05, and the law that they were drawn from."""
    grid = [(n, d) for n in np.geomspace(3e7, 1e10, 8) for d in np.geomspace(3e8, 3e11, 8)]
    rows = [
        (n, d, name, 0.25 + 0.75 * exp(-scale * (60.0 * n**-0.27 + 400.0 * d**-0.3)))
        for name, scale in (("easy", 1.0), ("hard", 2.0))
        for n, d in grid
    ]
    path = write(folder / "scores.csv", rows, ("params", "tokens", "benchmark", "score"))
    words = ("fit", path, "--benchmark", "hard", "--random-baseline", "0.25")
    found = data(*words, "--objective", "least-squares-log")
    kept = sum(score > 0.3 for _, _, name, score in rows if name == "hard")
    assert found["n_runs"] == kept < 64
    values = {name: entry["value"] for name, entry in found["coefficients"].items()}
    assert values["E"] == pytest.approx(0.0, abs=1e-6)
    truth = {"A": 120.0, "B": 800.0, "beta": 0.27, "gamma": 0.3}
    assert {name: values[name] for name in truth} == pytest.approx(truth, rel=1e-4)
    assert f"{64 - kept} runs left out: at most 0.05 above guessing" in call(*words).out
    result = call("fit", path, "--benchmark", "hrad", "--random-baseline", "0.25")
    assert result.code == 2
    assert "--benchmark 'hrad': " in result.err
    assert "did you mean hard?" in result.err


def test_accuracy(data, call, folder, plain) -> None:
    """-log((Q - Qr)/(1 - Qr)) of these accuracies is the loss of the other runs."""
    rows = [(n, d, 0.25 + 0.75 * exp(-y)) for n, d, y in runs()]
    path = write(folder / "accuracy.csv", rows, ("params", "tokens", "accuracy"))
    found = data("fit", path, "--random-baseline", "25%")
    for name, entry in found["coefficients"].items():
        assert entry["value"] == pytest.approx(plain["coefficients"][name]["value"], rel=1e-6)
    assert (found["metric"], found["random_baseline"]) == ("accuracy", 0.25)
    assert (plain["metric"], plain["random_baseline"]) == ("loss", None)
    saved = folder / "accuracy.json"
    text = call("fit", path, "--random-baseline", "25%", "--compute", "1e22", "--save", saved).out
    assert (
        "law        L = E + A N^-beta + B D^-gamma, L = -log((Q - 0.25)/(1 - 0.25)) of accuracy Q\n"
        in text
    )
    assert "columns    params 'params', tokens 'tokens', accuracy 'accuracy'" not in text
    assert json.loads(saved.read_text(encoding="utf-8"))["random_baseline"] == 0.25
    assert "L = -log Q of accuracy Q\n" in call("fit", path).out


# -- text, LaTeX, figures, files ---------------------------------------------------------------------------------------


def test_a_saved_fit_is_a_law(call, data, path, folder, plain) -> None:
    saved = folder / "my fit.json"
    assert call("fit", path, "--save", saved).code == 0
    assert json.loads(saved.read_text(encoding="utf-8"))["coefficients"] == plain["coefficients"]
    assert data("penalty", "--law", saved, "--ratio", "3")["law"] == "my fit"
    derived = data("derive", "--law", saved)
    assert derived is not None
    for words in (
        ["derive", "--law", saved],
        ["allocate", "--law", saved, "--compute", "1e22"],
        ["latex", "--law", saved],
    ):
        result = call(*words)
        assert (result.code, result.err) == (0, ""), words
    from isoflop.numeric.law import law as law_of

    law = law_of(saved)
    assert (law.E, law.gamma) == (
        plain["coefficients"]["E"]["value"],
        plain["coefficients"]["gamma"]["value"],
    )


def test_a_figure(call, path, folder) -> None:
    figure = folder / "fit.png"
    result = call("fit", path, "--plot", figure)
    assert (result.code, result.err) == (0, "")
    assert figure.read_bytes().startswith(b"\x89PNG")


# -- no optimum --------------------------------------------------------------------------------------------------------


@pytest.fixture
def never(monkeypatch):
    """A solver that certifies nothing."""
    from dataclasses import replace

    from isoflop.numeric.fit.solve import solve

    monkeypatch.setattr(
        "isoflop.numeric.fit.models.solve",
        lambda *words, **more: replace(solve(*words, **more), converged=False),
    )


@pytest.mark.usefixtures("never")
def test_no_optimum_is_no_verdict(call, path, folder) -> None:
    result = call("fit", path, "--format", "json", "--save", folder / "never.json")
    assert result.code == 3
    found = json.loads(result.out)
    assert found["converged"] is False
    assert found["coefficients"]["E"]["se"] is None
    assert found["warnings"][0].startswith("no point was certified as a minimum")
    refused(
        call("penalty", "--law", folder / "never.json", "--ratio", "3"),
        "never.json",
        "did not reach an optimum",
    )


# -- bad input ---------------------------------------------------------------------------------------------------------


def unsound(call, *words):
    """What a fit says that is no result."""
    result = call("fit", *words, "--format", "json")
    assert (result.code, result.err) == (3, "")
    found = json.loads(result.out)
    assert found["undetermined"]
    for name in found["undetermined"]:
        assert {found["coefficients"][name][key] for key in ("se", "lo", "hi")} == {None}
    return found


def test_all_runs_at_one_size(call, tmp_path) -> None:
    draw = np.random.default_rng(5).standard_normal(20).tolist()
    rows = [
        (1e9, d, loss(1e9, d) * exp(0.002 * z))
        for d, z in zip(np.geomspace(1e9, 1e11, 20).tolist(), draw, strict=True)
    ]
    path = write(tmp_path / "one-size.csv", rows)
    found = unsound(
        call,
        path,
        "--bootstrap",
        "10",
        "--compute",
        "1e22",
        "--save",
        tmp_path / "open.json",
    )
    assert {"A", "beta"} <= set(found["undetermined"])
    for name in ("alpha", "C0", "params_share", "N_star", "L_star"):
        assert found["derived"][name] == {"value": None, "se": None, "lo": None, "hi": None}
    assert any(text.startswith("no resamples") for text in found["warnings"])
    assert any("undetermined" in text for text in found["warnings"])
    text = call("fit", path, "--compute", "1e22").out
    for name in ("alpha", "C0", "N\\* at 1e22 FLOP"):
        assert re.search(rf"^{name} +undetermined +- +-", text, re.MULTILINE)
    assert r"$\alpha$ & undetermined & --- & --- &" in call("fit", path, "--format", "latex").out
    refused(call("penalty", "--law", tmp_path / "open.json", "--ratio", "3"), "undetermined")


def test_what_is_no_file(call, tmp_path) -> None:
    refused(call("fit", tmp_path), "directory")
    refused(call("fit", tmp_path / "none.csv"), "none.csv", "No such file")
    refused(call("fit"), "RUNS is missing")
    refused(call("fit", "a.csv", "b.csv"), "'b.csv'")


CASES = {
    "an unknown objective": (
        ["--objective", "huber"],
        ["--objective 'huber'", "did you mean huber-log?"],
    ),
    "no resamples": (["--bootstrap", "0"], ["--bootstrap '0'", "at least 1"]),
    "a seed below 0": (["--bootstrap", "10", "--seed", "-1"], ["--seed '-1'", "at least 0"]),
    "a seed for nothing": (["--seed", "1"], ["--seed '1'", "--bootstrap"]),
    "a misspelt model": (
        ["--model", "param-tokens"],
        ["--model 'param-tokens'", "did you mean params-tokens?"],
    ),
    "a model that cannot be read": (["--model", "E + a*N^"], ["--model 'E + a*N^'"]),
    "a model without runs": (["--model", "a + b"], ["--model 'a + b'", "column"]),
    "a model that is code": (["--model", "__import__('os').system('true')"], ["--model "]),
    "a fixed nothing": (["--fix", "E"], ["--fix 'E'", "NAME=VALUE"]),
    "a fixed stranger": (["--fix", "delta=1"], ["--fix 'delta=1'", "E, A, B, beta, gamma"]),
    "a bounded stranger": (["--bound", "delta=1:"], ["--bound 'delta=1:'", "E, A, B, beta, gamma"]),
    "a bound without ends": (["--bound", "beta=:"], ["--bound 'beta=:'", "LOW:HIGH"]),
    "a bound upside down": (["--bound", "beta=1:0.1"], ["--bound 'beta=1:0.1'", "below"]),
    "bounded and fixed": (["--bound", "beta=0.1:1", "--fix", "beta=0.3"], ["beta", "both"]),
    "a ratio of a compute law": (
        ["--model", "compute", "--ratio", "3"],
        ["--ratio '3'", "params-tokens"],
    ),
    "a compute of an expression": (
        ["--model", "a*N^-b", "--compute", "3"],
        ["--compute '3'", "params-tokens or compute"],
    ),
    "a figure of text": (["--plot", "fit.txt"], ["--plot 'fit.txt'", ".png, .pdf or .svg"]),
    "a fit saved in no folder": (
        ["--save", "/no/such/folder/fit.json"],
        ["--save '/no/such/folder/fit.json'", "cannot be written"],
    ),
}


def test_what_cannot_be_written_is_refused_before_the_work(call, path, monkeypatch) -> None:
    def work(*words, **options):
        raise AssertionError("too late")

    monkeypatch.setattr("isoflop.numeric.data.runs.Runs.read", work)
    for option in ("--save", "--plot", "--output"):
        refused(
            call("fit", path, option, "/no/such/folder/x.png"), f"{option} '/no/such/folder/x.png'"
        )


# -- Ctrl-C ------------------------------------------------------------------------------------------------------------


def test_an_interrupted_bootstrap_keeps_what_is_done(call, path, folder, monkeypatch) -> None:
    from isoflop.numeric.fit import Fit

    refit = Fit.refit
    done: list[object] = []

    def interrupted(*words, **more):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(words)
        return refit(*words, **more)

    monkeypatch.setattr(Fit, "refit", interrupted)
    result = call(
        "fit",
        path,
        "--bootstrap",
        "1000",
        "--format",
        "json",
        "--save",
        folder / "part.json",
    )
    assert result.code == 130
    assert (
        result.err
        == "isoflop: interrupted: 200 of 1000 resamples are done; the intervals are of these\n"
    )
    found = json.loads(result.out)
    assert (
        found["interval"]["repeats"],
        found["interval"]["requested"],
        found["interval"]["interrupted"],
    ) == (200, 1000, True)
    assert found["coefficients"]["E"]["se"] > 0
    assert (
        "bootstrap: interrupted after 200 of 1000 resamples; the intervals are of these"
        in found["warnings"]
    )
    assert (
        json.loads((folder / "part.json").read_text(encoding="utf-8"))["coefficients"]
        == found["coefficients"]
    )


def test_an_interrupt_before_any_resample_keeps_the_fit(call, path, monkeypatch, plain) -> None:
    from isoflop.numeric.fit import Fit

    def interrupted(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(Fit, "refit", interrupted)
    result = call("fit", path, "--bootstrap", "1000", "--format", "json")
    assert result.code == 130
    assert result.err.startswith("isoflop: interrupted: none of 1000 resamples is done")
    assert json.loads(result.out)["coefficients"] == plain["coefficients"]


@pytest.mark.skipif(os.name != "posix", reason="needs a signal")
def test_a_signal(interrupted, path) -> None:
    result = interrupted("fit", path, "--bootstrap", "100000000")
    assert result.code == 130
    if result.out:  # a slow machine may not have come as far as the resamples
        assert result.err.startswith("isoflop: interrupted: ")
        assert "L = E + A N^-beta + B D^-gamma" in result.out
    assert result.err.count("\n") <= 1


# -- what is no table of losses, and what no interval tells ------------------------------------------------------------


def test_pooled_sources_are_warned_of_in_text_json_and_file(call, data, folder) -> None:
    rows = [(n, d, y * (1.6 if i % 2 else 1.0), "ab"[i % 2]) for i, (n, d, y) in enumerate(runs())]
    pooled = write(folder / "pooled.csv", rows, ("params", "tokens", "loss", "source"))
    saved = folder / "pooled.json"
    text = call("fit", pooled, "--save", saved)
    assert "warning: the losses scatter about the law by" in text.out
    for held in (data("fit", pooled), json.loads(saved.read_text(encoding="utf-8"))):
        assert any(each.startswith("the losses scatter") for each in held["warnings"])
