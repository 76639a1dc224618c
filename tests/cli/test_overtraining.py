"""isoflop overtraining: Gadre's published numbers, the library's own, costs, statuses, and what bad
input says.
"""

import csv
import io
import json
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

from isoflop.cli import overtraining
from isoflop.numeric.accuracy.overtraining import KINDS, Overtraining, fit_overtraining
from isoflop.numeric.data.evaluations import Evaluations

#: The selection of Gadre et al. 2024 on their own table, whose params may be N or N_no_embed.
SMALLEST = "token_multiplier == 320 and params < 20M"
PUBLISHED = (
    *(
        "--column",
        "params=N",
        "--where",
        "dataset == 'rpj'",
        "--loss",
        "c4_val",
        "--benchmark",
        "gadre2024",
    ),
    *("--fit-where", f"token_multiplier == 20 and params < 1B or {SMALLEST}"),
    *("--error-where", f"token_multiplier == 20 and params < 2B or {SMALLEST}"),
    *("--predict-where", "token_multiplier == 640 and params > 1B or params > 2B"),
)
E, A, B, BETA = 1.7, 120.0, 300.0, 0.27
EPSILON, K, GAMMA = 0.86, 2.2, 0.71


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Six sizes by six ratios, a row for each run, with small errors."""
    place = tmp_path_factory.mktemp("overtraining") / "runs.csv"
    random = np.random.default_rng(7)
    lines = ["params,tokens,source,loss_c4,acc_one,acc_two"]
    for params in np.geomspace(1e7, 1e9, 6):
        for ratio in (5.0, 10.0, 20.0, 80.0, 160.0, 640.0):
            tokens = ratio * params
            loss = E + A * params**-BETA + B * tokens**-BETA + 0.005 * random.normal()
            accuracy = 1 - EPSILON + K * np.exp(-GAMMA * loss) + 0.002 * random.normal()
            cells = (
                params,
                tokens,
                "web" if ratio < 100 else "books",
                loss,
                accuracy - 0.05,
                accuracy + 0.05,
            )
            lines.append(",".join(map(str, cells)))
    place.write_text("\n".join(lines) + "\n")
    return place


# -- the published numbers -----------------------------------------------------------------------------------------------


def test_published_relative_errors(call, public_runs):
    result = call("overtraining", public_runs / "gadre2024" / "runs.csv", *PUBLISHED)
    assert (result.code, result.err) == (0, "")
    for printed in (
        "+0.7103 %",
        "+0.7320 %",
        "+3.6365 %",
        "+0.0464 %",
        "A 166.211",
        "b 366.687",
        "beta 0.272851",
    ):
        assert printed in " ".join(result.out.split())
    assert "mean over 17 benchmarks" in result.out


def test_the_published_runs_may_be_chosen_by_names_in_text(data, public_runs):
    """The same by the names of the models, and the set of training data in each condition rather
    than in --where.
    """
    small = "model in ('d=96_l=8_h=4', 'd=512_l=8_h=4', 'd=576_l=24_h=8', 'd=1024_l=24_h=8')"
    fit = f"dataset == 'rpj' and ({small} and token_multiplier == 20 or model == 'd=96_l=8_h=4' and token_multiplier == 320)"
    held_out = "dataset == 'rpj' and (model == 'open_lm_1b' and token_multiplier > 20 or model == 'open_lm_7b')"
    place = public_runs / "gadre2024" / "runs.csv"
    one = data("overtraining", place, *PUBLISHED)
    words = (
        "--column",
        "params=N",
        "--loss",
        "c4_val",
        "--fit-where",
        fit,
        "--predict-where",
        held_out,
    )
    other = data("overtraining", place, *words, "--benchmark", "gadre2024,piqa")
    assert other["loss"] == one["loss"]
    assert [each["run"] for each in other["predictions"]] == [
        each["run"] for each in one["predictions"]
    ]
    assert other["error"]["n"] == 5, "by default the runs of the law of loss"
    assert len(other["error"]["benchmarks"]) == 17, "piqa is one of them"


# -- the library's own numbers -------------------------------------------------------------------------------------------


def test_json_is_what_the_library_finds(call, runs):
    words = (
        "--fit-where",
        "source == 'web'",
        "--error-where",
        "params < 5e8",
        "--predict-where",
        "params > 5e8",
    )
    options: Any = {
        "fit_where": words[1],
        "error_where": words[3],
        "predict_where": words[5],
        "benchmarks": ["two"],
    }
    sure = ("--bootstrap", 30, "--seed", 3, "--level", "80%", "--resample", "cases")
    result = call(
        "overtraining",
        runs,
        "--loss",
        "c4",
        "--benchmark",
        "two",
        *words,
        *sure,
        "--format",
        "json",
    )
    found = fit_overtraining(
        Evaluations.read(str(runs)),
        loss="c4",
        **options,
        repeats=30,
        seed=3,
        level=0.8,
        kind="cases",
        objective="least-squares",
    )
    assert (result.code, result.err) == (0, "")
    shown = json.loads(result.out)
    assert shown.pop("costs") == json.loads(json.dumps([each.as_dict() for each in found.costs()]))
    assert shown == json.loads(found.to_json())
    assert len(shown["predictions"]) == 6


def test_intervals_of_the_coefficients(data, runs):
    """They hold the truth, and A, B, beta give a, b, eta in every resample, so that monotone
    functions keep their quantiles.
    """
    found = data("overtraining", runs, "--loss", "c4", "--bootstrap", 100)["bootstrap"]["intervals"]
    optimum = (B / A) ** (1 / BETA)
    truth = {
        "E": E,
        "A": A,
        "B": B,
        "beta": BETA,
        "eta": BETA / 2,
        "optimal_tokens_per_param": optimum,
        "gamma": GAMMA,
    }
    for name, value in truth.items():
        low, high = found[name]
        assert low < high
        assert abs(value - (low + high) / 2) < 2 * (high - low), name
    assert found["eta"] == pytest.approx([each / 2 for each in found["beta"]], rel=1e-12)
    assert set(found) == {*truth, "a", "b", "epsilon", "k"}


def test_costs_that_were_asked_for(call, data, runs):
    words = (
        "overtraining",
        runs,
        "--loss",
        "c4",
        "--compute",
        "1e20",
        "2e21",
        "--tokens-per-param",
        "20,200",
    )
    found = data(*words)
    assert [(each["compute"], each["tokens_per_param"]) for each in found["costs"]] == [
        (1e20, 20.0),
        (1e20, 200.0),
        (2e21, 20.0),
        (2e21, 200.0),
    ]
    c = found["loss"]["coefficients"]
    for each in found["costs"]:
        params = (each["compute"] / (6 * each["tokens_per_param"])) ** 0.5
        loss = (
            c["E"]
            + c["A"] * params ** -c["beta"]
            + c["B"] * (each["tokens_per_param"] * params) ** -c["beta"]
        )
        assert each["loss"] == pytest.approx(loss, rel=1e-10)
        e = found["error"]["coefficients"]
        assert each["error"] == pytest.approx(
            e["epsilon"] - e["k"] * np.exp(-e["gamma"] * loss), rel=1e-9
        )
    text = call(*words).out
    assert text.count("what a ratio costs at") == 2
    assert "at 2.00e21 FLOP" in text


def test_text_is_at_most_100_columns_wide(call, runs):
    words = (
        "--bootstrap",
        20,
        "--fit-where",
        "params < 1e8",
        "--compute",
        1e-300,
        1e308,
        "--tokens-per-param",
        "1e-300,1e300",
    )
    result = call("overtraining", runs, "--loss", "c4", *words)
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 100
    assert "90 % intervals of the laws: 20 resamples by residuals" in result.out


def test_errors_that_cannot_be_are_said(data, runs):
    """An error that falls fast with loss is foretold below 0 at much less loss."""
    head, *lines = runs.read_text().splitlines()
    cells = [line.split(",") for line in lines]
    steep = [
        ",".join([*row[:4], str(0.2 + 2.6 * np.exp(-0.5 * float(row[3]))), row[5]]) for row in cells
    ]
    place = runs.with_name("steep.csv")
    place.write_text(
        "\n".join([head, *(line for line in steep if float(line.split(",")[4]) <= 1.0)]) + "\n"
    )
    found = data("overtraining", place, "--loss", "c4", "--benchmark", "one", "--compute", 1e27)
    assert min(each["error"] for each in found["costs"]) < 0
    assert any("outside 0 to 1" in note for note in found["notes"])


# -- pooled training sets, and which runs are predictions -----------------------------------------------------------------


def test_pooled_training_sets_are_said(call, public_runs):
    """Three training sets: one law has another optimum than each of its own."""
    place = public_runs / "gadre2024" / "runs.csv"
    words = ("--column", "params=N", "--loss", "loss_c4_val", "--benchmark", "gadre2024")
    together = call("overtraining", place, *words)
    assert "pools runs of 3 kinds of dataset" in " ".join(together.out.split())
    assert "kinds of model" not in together.out, "the name of a model follows from its size"
    alone = call("overtraining", place, *words, "--where", "dataset == 'rpj'")
    assert "pools" not in alone.out
    assert "RMSE 0.121" in together.out, "in units of loss"
    assert "least-squares 1.5" not in together.out


def test_a_run_that_a_law_was_fitted_to_is_no_prediction(call, data, public_runs):
    """The law of error is fitted to the 1.4B model at 20 tokens a parameter as well."""
    place = public_runs / "gadre2024" / "runs.csv"
    words = PUBLISHED[: PUBLISHED.index("--predict-where")]
    found = data("overtraining", place, *words)
    fitted = {each["run"]: each for each in found["predictions"] if each["in_error_fit"]}
    assert list(fitted) == ["rpj-open_lm_1b-1.0"]
    assert not any(each["in_loss_fit"] for each in found["predictions"])
    lines = call("overtraining", place, *words).out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("% *") or line.endswith("%  *")] == [
        "rpj-open_lm_1b-1.0"
    ]
    assert "*: the law was fitted to this run, so that this is no prediction" in lines


def test_the_condition_for_the_law_of_error_is_needed(data, public_runs):
    """Without the 1.4B model at 20 tokens a parameter the errors foretold are 13 % and 11 % off."""
    place = public_runs / "gadre2024" / "runs.csv"
    at = PUBLISHED.index("--error-where")
    found = data("overtraining", place, *PUBLISHED[:at], *PUBLISHED[at + 2 :])
    assert [f"{100 * each['error_difference']:.2f}" for each in found["predictions"]] == [
        "12.79",
        "10.64",
    ]


# -- tables and pictures -------------------------------------------------------------------------------------------------


def test_csv_has_every_run(call, data, runs):
    words = ("overtraining", runs, "--loss", "c4", "--fit-where", "params < 1e8", "--bootstrap", 10)
    rows = list(csv.DictReader(io.StringIO(call(*words, "--format", "csv").out)))
    assert len(rows) == 36
    predicted = {row["run"]: row for row in rows if row["asked"] == "True"}
    for each in data(*words)["predictions"]:
        row = predicted.pop(each["run"])
        assert float(row["predicted_loss"]) == each["predicted_loss"]
        assert float(row["error_interval_high"]) == each["error_interval"][1]
    assert not predicted
    assert all(row["in_loss_fit"] == "True" for row in rows if row["asked"] == "False")


@pytest.mark.parametrize("resamples", [0, 10])
def test_latex_compiles(call, runs, tmp_path, resamples):
    words = (
        "--fit-where",
        "params < 1e8",
        "--predict-where",
        "params > 0",
        "--bootstrap",
        resamples,
        "--compute",
        "1e20",
        "1e22",
    )
    result = call("overtraining", runs, "--loss", "c4", *words, "--format", "latex")
    assert result.code == 0
    assert result.out.count(r"\begin{tabular}") == (5 if resamples == 0 else 7)
    assert "the law was fitted to this run" in result.out
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    document = (
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        + result.out
        + r"\end{document}"
    )
    (tmp_path / "laws.tex").write_text(document)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "laws.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_the_picture(call, runs, tmp_path, ending):
    target = tmp_path / f"laws.{ending}"
    assert (
        call(
            "overtraining", runs, "--loss", "c4", "--fit-where", "params < 1e8", "--plot", target
        ).code
        == 0
    )
    assert target.stat().st_size > 5_000


def test_a_table_without_losses_says_so(call, tmp_path):
    place = tmp_path / "scores.csv"
    place.write_text(
        "params,tokens,acc_piqa\n" + "".join(f"{i}e8,2e10,0.7{i}\n" for i in range(1, 8))
    )
    result = call("overtraining", place, "--loss", "c4")
    assert result.code == 2
    assert result.err.endswith(
        "has no such column; it has no losses or other numbers beside its scores\n"
    )


# -- statuses ------------------------------------------------------------------------------------------------------------


def test_a_law_that_the_runs_leave_open_is_status_3(call, runs):
    lines = runs.read_text().splitlines()
    rows = [line.split(",") for line in lines[1:7]]
    exact = [(10.0**i, 10.0 ** (i + 1)) for i in range(7, 13)]
    more = [
        f"{n},{d},web,{E + A * n**-BETA + B * d**-BETA},{row[4]},{row[5]}"
        for (n, d), row in zip(exact, rows, strict=True)
    ]
    place = runs.with_name("one_ratio.csv")
    place.write_text("\n".join([lines[0], *more]) + "\n")
    result = call("overtraining", place, "--loss", "c4")
    assert (result.code, result.err) == (3, "")
    assert "undetermined; they need several ratios D/N" in result.out
    assert "what a ratio costs" not in result.out
    assert (
        json.loads(call("overtraining", place, "--loss", "c4", "--format", "json").out)["costs"]
        == []
    )


def test_an_interrupt_keeps_the_resamples_that_were_drawn(call, runs, monkeypatch):
    real = Overtraining.redrawn
    calls: list[int] = []

    def stops(*arguments):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(Overtraining, "redrawn", stops)
    result = call("overtraining", runs, "--loss", "c4", "--bootstrap", 250)
    assert result.code == 130
    assert result.err == "isoflop: interrupted: intervals from 100 of 250 resamples\n"
    assert "100 resamples by residuals, interrupted" in result.out


def test_it_reads_what_simulate_writes(call, tmp_path):
    place = tmp_path / "evaluations.csv"
    assert call("simulate", "--seed", 1, "-o", place).code == 0
    target = tmp_path / "laws.txt"
    words = ("--where", 'dataset != "C4"', "--fit-where", "compute < 1e21", "--output", target)
    assert call("overtraining", place, "--loss", "c4", *words) == (0, "", "")
    assert "by the loss that the law of loss foretells" in target.read_text()


def test_rows_that_are_of_no_use_are_said(call, runs):
    lines = runs.read_text().splitlines()
    place = runs.with_name("gaps.csv")
    place.write_text("\n".join([*lines, ",1e9,web,3.1,0.4,0.5"]) + "\n")
    result = call("overtraining", place, "--loss", "c4")
    assert result.code == 0
    assert "1 dropped: row 37" in result.out


# -- bad input -----------------------------------------------------------------------------------------------------------


def test_what_the_options_are_called_in_the_library():
    assert overtraining.RESAMPLED == KINDS


def test_intervals_come_unasked_where_the_runs_allow_them(call, data, runs):
    words = ("overtraining", runs, "--loss", "c4")
    found = data(*words)
    assert found["bootstrap"]["requested"] == 200
    assert found == data(*words, "--bootstrap", 200)
    low, high = found["bootstrap"]["intervals"]["optimal_tokens_per_param"]
    assert f"(90 % interval {low:.4g} to {high:.4g})" in call(*words).out
    # As many runs as coefficients leave no residuals: nothing to resample, and no reason to refuse
    # what was asked for.
    few = (*words, "--fit-where", "params < 1.1e7 and tokens/params < 100")
    shown = call(*few)
    assert shown.code == 3
    assert "no intervals: 4 runs leave no residuals" in " ".join(shown.out.split())
    assert "90 %" not in shown.out
    assert "leave no residuals" in call(*few, "--bootstrap", 200).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--loss is missing: name the column of losses"),
        (("--loss", "pile"), "--loss 'pile': file 'runs.csv' has no such column"),
        (("--loss", "one"), "--loss 'one': is an accuracy, not a loss"),
        (("--loss", "source"), "--loss 'source': the column holds text; must be numbers"),
        (
            ("--loss", "c4", "--benchmark", "three"),
            "--benchmark 'three': file 'runs.csv' has no such benchmark",
        ),
        (
            ("--loss", "c4", "--benchmark", "gadre2024"),
            "--benchmark 'gadre2024': file 'runs.csv' lacks 17 of its 17 tasks: ",
        ),
        (
            ("--loss", "c4", "--fit-where", "params <"),
            "--fit-where 'params <': ends where a column",
        ),
        (
            ("--loss", "c4", "--error-where", "sauce == 'web'"),
            "--error-where \"sauce == 'web'\": no column 'sauce'",
        ),
        (
            ("--loss", "c4", "--predict-where", "params < 1"),
            "--predict-where 'params < 1': holds for none of 36 runs",
        ),
        (
            ("--loss", "c4", "--fit-where", "params < 1"),
            "--fit-where 'params < 1': leaves none of 36 runs",
        ),
        (
            ("--loss", "c4", "--error-where", "params < 1"),
            "--error-where 'params < 1': leaves none of 36 runs",
        ),
        (("--loss", "c4", "--compute", "-3"), "--compute '-3': must be a positive finite number"),
        (
            ("--loss", "c4", "--tokens-per-param", "20", "none"),
            "--tokens-per-param 'none': must be a positive finite number",
        ),
        (
            ("--loss", "c4", "--bootstrap", "1"),
            "--bootstrap '1': must be 0, or at least 2 for intervals",
        ),
        (
            ("--loss", "c4", "--bootstrap", "2.5"),
            "--bootstrap '2.5': must be a whole number of at least 0",
        ),
        (
            ("--loss", "c4", "--bootstrap", "9", "--level", "1"),
            "--level '1': must be a number between 0 and 1",
        ),
        (
            ("--loss", "c4", "--bootstrap", "9", "--resample", "pairs"),
            "--resample 'pairs': must be one of residuals, cases",
        ),
        (("--loss", "c4", "--bootstrap", "0", "--seed", "3"), "--seed '3': is for --bootstrap"),
        (
            ("--loss", "c4", "--bootstrap", "0", "--resample", "cases"),
            "--resample 'cases': is for --bootstrap",
        ),
        (("--loss", "c4", "--column", "params=size"), "--column 'params=size': "),
        (
            ("--loss", "c4", "--format", "yaml"),
            "--format 'yaml': must be one of text, json, csv, latex",
        ),
        (
            ("--loss", "c4", "--plot", "laws.gif"),
            "--plot 'laws.gif': must end in .png, .pdf or .svg",
        ),
        (
            ("--loss", "c4", "--output", "no/such/folder"),
            "--output 'no/such/folder': cannot be written",
        ),
        (("--loss", "c4", "--margin", "0.1"), "unknown option --margin"),
    ],
)
def test_bad_input_is_one_line(call, runs, monkeypatch, words, message):
    monkeypatch.chdir(runs.parent)
    result = call("overtraining", "runs.csv", *words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("isoflop: error: " + message)
    assert result.err.count("\n") == 1


def test_residuals_need_more_runs_than_coefficients(call, runs):
    words = ("--fit-where", "params < 1.1e7 and tokens/params < 100", "--bootstrap", 9)
    result = call("overtraining", runs, "--loss", "c4", *words)
    assert result.code == 2
    assert result.err.startswith(
        "isoflop: error: --resample 'residuals': 4 runs leave no residuals for the 4 coefficients"
    )


def test_options_are_checked_before_the_file_is_read(call):
    for option, word in (
        ("--compute", "0"),
        ("--predict-where", "(("),
        ("--bootstrap", "1"),
        ("--output", "no/such/folder"),
    ):
        assert call("overtraining", "nowhere.csv", "--loss", "c4", option, word).err.startswith(
            f"isoflop: error: {option} "
        )


def test_a_table_that_is_missing(call):
    assert "RUNS is missing" in call("overtraining", "--loss", "c4").err
    assert (
        "in front of --benchmark"
        in call("overtraining", "--loss", "c4", "--benchmark", "one", "runs.csv").err
    )
    assert (
        "one file of evaluations at a time"
        in call("overtraining", "a.csv", "b.csv", "--loss", "c4").err
    )


def test_runs_that_are_all_of_one_size(call, tmp_path) -> None:
    path = tmp_path / "same.csv"
    path.write_text(
        "model,params,tokens,acc_piqa,loss_val\n"
        + "".join(f"m{i},1e9,2e10,0.7{i},2.{i}\n" for i in range(8))
    )
    result = call("overtraining", str(path), "--loss", "val")
    assert result.code == 2
    assert "all runs have the same params and tokens" in result.err
