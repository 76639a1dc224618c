"""isoflop fit --law overtraining: Gadre's published numbers, the library's own, statuses, and what
bad input says.
"""

import json
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy.overtraining import fit_overtraining
from isoflop.numeric.data.evaluations import Evaluations

#: The selection of Gadre et al. 2024 on their own table, whose params may be N or N_no_embed.
SMALLEST = "token_multiplier == 320 and params < 2e7"
PUBLISHED = (
    *("--column", "params=N", "--where", "dataset == 'rpj'", "--loss", "c4_val"),
    *("--benchmark", "gadre2024"),
    *("--fit-where", f"token_multiplier == 20 and params < 1e9 or {SMALLEST}"),
    *("--error-where", f"token_multiplier == 20 and params < 2e9 or {SMALLEST}"),
    *("--predict-where", "token_multiplier == 640 and params > 1e9 or params > 2e9"),
)
E, A, B, BETA = 1.7, 120.0, 300.0, 0.27
EPSILON, K, GAMMA = 0.86, 2.2, 0.71
LAW = ("--law", "overtraining")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Six sizes by six ratios, a row for each run, with small errors."""
    place = tmp_path_factory.mktemp("overtraining") / "runs.csv"
    random = np.random.default_rng(7)
    lines = ["params,tokens,source,loss_c4,acc_one,acc_two"]
    for params in np.geomspace(1e7, 1e9, 6):
        for ratio in (5.0, 10.0, 20.0, 80.0, 160.0, 640.0):
            tokens, source = ratio * params, "web" if ratio < 100 else "books"
            loss = E + A * params**-BETA + B * tokens**-BETA + 0.005 * random.normal()
            accuracy = 1 - EPSILON + K * np.exp(-GAMMA * loss) + 0.002 * random.normal()
            cells = (params, tokens, source, loss, accuracy - 0.05, accuracy + 0.05)
            lines.append(",".join(map(str, cells)))
    place.write_text("\n".join(lines) + "\n")
    return place


def test_published_relative_errors(call, public_runs):
    result = call("fit", public_runs / "gadre2024" / "runs.csv", *LAW, *PUBLISHED)
    assert (result.code, result.err) == (0, "")
    words = " ".join(result.out.split())
    for printed in ("+0.7103 %", "+0.7320 %", "+3.6365 %", "+0.0464 %"):
        assert printed in words
    for coefficient in ("A 166.211", "b 366.687", "beta 0.272851"):
        assert coefficient in words


def test_the_condition_for_the_law_of_error_is_needed(data, public_runs):
    """Without the 1.4B model at 20 tokens a parameter the errors foretold are 13 % and 11 % off."""
    place = public_runs / "gadre2024" / "runs.csv"
    at = PUBLISHED.index("--error-where")
    found = data("fit", place, *LAW, *PUBLISHED[:at], *PUBLISHED[at + 2 :])
    off = [f"{100 * run['error_difference']:.2f}" for run in found["predictions"]]
    assert off == ["12.79", "10.64"]


def test_json_is_what_the_library_finds(data, runs):
    conditions: dict[str, Any] = {
        "fit_where": "source == 'web'",
        "error_where": "params < 5e8",
        "predict_where": "params > 5e8",
    }
    words = [
        word
        for name, condition in conditions.items()
        for word in (f"--{name.replace('_', '-')}", condition)
    ]
    words += ["--compute", "1e20", "2e21", "--tokens-per-param", "20,200"]
    found = fit_overtraining(
        Evaluations.read(str(runs)),
        loss="c4",
        benchmarks=["two"],
        **conditions,
        compute=[1e20, 2e21],
        tokens_per_param=[20.0, 200.0],
    )
    shown = data("fit", runs, *LAW, "--loss", "c4", "--benchmark", "two", *words)
    assert shown == json.loads(json.dumps(found.as_dict()))
    assert len(shown["predictions"]) == 6
    costed = [(cost["compute"], cost["tokens_per_param"]) for cost in shown["costs"]]
    assert costed == [(1e20, 20.0), (1e20, 200.0), (2e21, 20.0), (2e21, 200.0)]


def test_text_is_at_most_100_columns_wide(call, runs):
    words = ("--fit-where", "params < 1e8", "--compute", 1e-300, 1e308)
    ratios = ("--tokens-per-param", "1e-300,1e300")
    result = call("fit", runs, *LAW, "--loss", "c4", *words, *ratios)
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 100


def test_the_picture(call, runs, tmp_path):
    target = tmp_path / "laws.png"
    words = ("--loss", "c4", "--fit-where", "params < 1e8", "--plot", target)
    assert call("fit", runs, *LAW, *words).code == 0
    assert target.stat().st_size > 5_000


def test_a_law_that_the_runs_leave_undetermined_is_status_3(call, runs):
    head, *lines = runs.read_text().splitlines()
    more = []
    for power, line in zip(range(7, 13), lines, strict=False):
        n, d = 10.0**power, 10.0 ** (power + 1)
        loss = E + A * n**-BETA + B * d**-BETA
        more.append(",".join(map(str, [n, d, "web", loss, *line.split(",")[4:]])))
    place = runs.with_name("one_ratio.csv")
    place.write_text("\n".join([head, *more]) + "\n")
    result = call("fit", place, *LAW, "--loss", "c4")
    assert (result.code, result.err) == (3, "")
    assert "undetermined; they need several ratios D/N" in result.out
    assert "costs of over-training" not in result.out


def test_it_reads_what_simulate_writes(call, tmp_path):
    place = tmp_path / "evaluations.csv"
    assert call("simulate", "--seed", 1, "-o", place).code == 0
    words = ("--where", 'dataset != "C4"', "--fit-where", "compute < 1e21")
    result = call("fit", place, *LAW, "--loss", "c4", *words)
    assert (result.code, result.err) == (0, "")
    assert "predictions" in result.out


def test_rows_that_are_of_no_use_are_said(call, runs):
    place = runs.with_name("gaps.csv")
    place.write_text(runs.read_text() + ",1e9,web,3.1,0.4,0.5\n")
    assert "1 dropped: row 37" in call("fit", place, *LAW, "--loss", "c4").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--loss is missing"),
        (("--loss", "pile"), "--loss 'pile': "),
        (("--benchmark", "three"), "--benchmark 'three': "),
        (("--benchmark", "gadre2024"), "--benchmark 'gadre2024': file 'runs.csv' lacks 17"),
        (("--fit-where", "params <"), "--fit-where 'params <': "),
        (("--error-where", "sauce == 'web'"), "--error-where \"sauce == 'web'\": no column"),
        (("--predict-where", "params < 1"), "--predict-where 'params < 1': holds for none"),
        (("--fit-where", "params < 1"), "--fit-where 'params < 1': leaves none"),
        (("--error-where", "params < 1"), "--error-where 'params < 1': leaves none"),
        (("--compute", "-3"), "--compute '-3': "),
        (("--tokens-per-param", "20", "none"), "--tokens-per-param 'none': "),
        (("--plot", "laws.gif"), "--plot 'laws.gif': "),
        (("--margin", "0.1"), "unknown option --margin"),
    ],
)
def test_bad_input_is_one_line(call, runs, monkeypatch, words, message):
    monkeypatch.chdir(runs.parent)
    loss = () if not words or words[0] == "--loss" else ("--loss", "c4")
    result = call("fit", "runs.csv", *LAW, *loss, *words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("isoflop: error: " + message)
    assert result.err.count("\n") == 1
