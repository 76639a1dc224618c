"""isoflop report: the contract for scripts, bad input, figures, interrupts."""

from typing import Any

import numpy as np
import pytest
from tests.data import accuracies, at_ratios, evaluations, write_csv

FAST = ("--bootstrap", "20")
LAWS = ("--law", "compute", "params-tokens")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two benchmarks, in the long form with the accuracy of guessing, and a loss."""
    params, tokens = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
    random = np.random.default_rng(5)
    how: dict[str, Any] = {"noise": 0.01, "seed": random}
    scores = {
        ("piqa", "acc"): accuracies(params, tokens, baseline=0.5, **how),
        ("task two", "acc"): accuracies(params, tokens, scale=2.0, **how),
        ("web", "loss"): 1.5 + 900.0 * (6.0 * params * tokens) ** -0.15,
    }
    path = tmp_path_factory.mktemp("report") / "evaluations.csv"
    return write_csv(path, evaluations(params, tokens, scores, **{"piqa": 0.5, "task two": 0.0}))


def refused(outcome, *named):
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("isoflop: error: ")
    assert outcome.err.count("\n") == 1
    for part in named:
        assert part in outcome.err, (part, outcome.err)


def test_latex_and_a_figure(call, runs, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    words = (
        "--format",
        "latex",
        "--output",
        tmp_path / "page.tex",
        "--plot",
        tmp_path / "page.png",
    )
    result = call("report", runs, "--benchmark", "task two", *LAWS, *FAST, *words)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert (
        (tmp_path / "page.tex")
        .read_text(encoding="utf-8")
        .startswith(r"% needs \usepackage{booktabs}")
    )
    assert (tmp_path / "page.png").stat().st_size > 10_000


def test_one_benchmark_needs_no_name(call, runs) -> None:
    result = call(
        "report",
        runs,
        "--where",
        "benchmark == 'piqa' or metric_type == 'loss'",
        "--law",
        "compute",
        "--bootstrap",
        "0",
    )
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("piqa: ")
    assert "intervals:" not in result.out


def test_two_stages(call, runs) -> None:
    asked = ("report", runs, "--benchmark", "piqa", "--law", "compute", "two-stage-linear", *FAST)
    assert "two-stage-linear" in call(*asked).out
    without = call(*asked, "--where", "benchmark != 'web'")
    assert without.code == 3
    assert "left out: two-stage-linear: needs a proxy" in without.out


def test_a_law_that_is_left_open(call, runs, tmp_path) -> None:
    """One ratio of tokens to params and no noise: exit status 3, and what is open is said."""
    params = np.geomspace(1e8, 1e10, 12)
    y = 60.0 * params**-0.27 + 400.0 * (20.0 * params) ** -0.27
    table = {"params": params, "tokens": 20.0 * params, "acc_task": np.exp(-y)}
    write_csv(tmp_path / "ray.csv", table)
    words = (
        "report",
        tmp_path / "ray.csv",
        "--random-baseline",
        "0",
        "--law",
        "params-tokens",
        "--bootstrap",
        "0",
    )
    result = call(*words)
    assert (result.code, result.err) == (3, "")
    assert "not identified: params-tokens" in result.out
    assert "What to train" not in result.out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), ("--benchmark: name one of piqa, task two",)),
        (("--benchmark", "none"), ("--benchmark 'none'", "no such benchmark")),
        (("--benchmark", "piqa", "task two"), ("--benchmark: name one of", "one")),
        (("--benchmark", "piqa", "--law", "none"), ("--law 'none'", "must be one of compute")),
        (("--benchmark", "piqa", "--law", "compute", "compute"), ("--law 'compute'", "twice")),
        (
            ("--benchmark", "piqa", "--law", "bilinear"),
            ("--benchmark 'piqa'", "needs pass@k at several k"),
        ),
        (
            ("--benchmark", "piqa", "--law", "compute", "--ratio", "10"),
            ("--ratio '10': is for params-tokens", "--law names none"),
        ),
        (
            ("--benchmark", "piqa", "--law", "compute", "--loss-law", "besiroglu2024"),
            ("--loss-law 'besiroglu2024': is for params-tokens", "--law names none"),
        ),
        (
            ("--benchmark", "piqa", "--hold-out", "compute > 1"),
            ("--hold-out 'compute > 1'", "all 30 runs"),
        ),
        (
            ("--benchmark", "piqa", "--hold-out", "size > 3"),
            ("--hold-out 'size > 3'", "no column 'size'"),
        ),
        (("--benchmark", "piqa", "--loss-law", "none.json"), ("--loss-law 'none.json'",)),
        (("--benchmark", "piqa", "--bootstrap", "1"), ("--bootstrap '1'", "at least 2")),
    ],
)
def test_bad_options(call, runs, words, named) -> None:
    law = () if "--law" in words else ("--law", "compute")
    refused(call("report", runs, *law, *words), *named)


def test_an_interrupt_keeps_what_is_done(call, runs, monkeypatch) -> None:
    from isoflop.numeric.accuracy.fitting import fit_law

    def stops(sample, kind):
        if kind.name == "params-tokens":
            raise KeyboardInterrupt
        return fit_law(sample, kind)

    monkeypatch.setattr("isoflop.numeric.accuracy.benchmark.fit_law", stops)
    result = call("report", runs, "--benchmark", "piqa", *LAWS, *FAST)
    assert result.code == 130
    assert (
        result.err
        == "isoflop: interrupted: 1 of 2 laws are fitted; laws and refits that were not reached "
        "are left out\n"
    )
    assert "compute" in result.out


def test_a_bar_is_for_terminals_alone(call, runs, monkeypatch) -> None:
    pytest.importorskip("tqdm")
    asked = ("report", runs, "--benchmark", "piqa", "--law", "compute", *FAST)
    assert call(*asked).err == ""
    monkeypatch.setattr("isoflop.cli.report.is_terminal", lambda stream: True)
    assert "piqa" in call(*asked).out
