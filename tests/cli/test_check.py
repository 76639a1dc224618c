"""isoflop check: verdicts, exit statuses, the contract for scripts, bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.data import grid, noisy, write_csv

from isoflop.numeric.law import Law

TRUTH = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
RESAMPLES = ("--bootstrap", "100", "--seed", "1")


def write(path: Path, bend=0.0, **more) -> Path:
    """IsoFLOP runs about the optimum of a law, bent upwards at both ends of compute."""
    compute, ratio = grid(np.geomspace(1e18, 1e22, 6), np.geomspace(0.2, 5.0, 9))
    params = ratio * TRUTH.envelope.params(compute)
    tokens = compute / (6.0 * params)
    position = (np.log10(compute) - 20.0) / 2.0
    loss = noisy(TRUTH.loss(params, tokens) * (1.0 + bend * (position**2 - 0.3)), 0.002)
    return write_csv(path, {"my size": params, "tokens": tokens, "loss": loss, **more})


SIZE = ("--column", "params=my size")
PAIRS = {"group": ["a", "b"] * 27}


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ({}, 0, "verdict: consistent"),
        ({"bend": 0.04}, 1, "verdict: inconsistent"),
        (PAIRS, 3, "fewer than 4 groups"),
    ],
)
def test_verdicts_and_statuses(run_cli, tmp_path, how, code, said):
    path = write(tmp_path / "runs.csv", **how)
    words = (path, *SIZE, *RESAMPLES, "--explain", "--compute", "1e24")
    result = run_cli("check", *words, "--plot", tmp_path / "check.png")
    assert (result.code, result.err) == (code, "")
    assert said in " ".join(result.out.split())
    assert " 1e24 FLOP" in result.out
    assert "optimal params" in result.out
    assert max(map(len, result.out.splitlines())) <= 100
    assert (tmp_path / "check.png").stat().st_size > 20_000
    brief = run_cli("check", path, *SIZE, *RESAMPLES).out
    assert len(brief.splitlines()) <= 12


def test_rows_are_chosen_as_for_a_fit(run_cli, tmp_path):
    path = write(tmp_path / "runs.csv")
    assert run_cli("check", path).code == 2
    words = ("--where", "compute < 5e21", *RESAMPLES, "--format", "json")
    assert json.loads(run_cli("check", path, *SIZE, *words).out)["n_runs"] == 45


def test_the_published_tables_are_drawn(run_cli, tmp_path):
    result = run_cli("check", "--plot", tmp_path / "check.png")
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "check.png").read_bytes().startswith(b"\x89PNG")


def test_an_interrupted_check_says_so(run_cli, tmp_path, monkeypatch):
    from isoflop.numeric.fit import Fit

    calls, refit = [], Fit.refit

    def stopped(*arguments, **named):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return refit(*arguments, **named)

    monkeypatch.setattr(Fit, "refit", stopped)
    result = run_cli("check", write(tmp_path / "runs.csv"), *SIZE, *RESAMPLES)
    assert result.code == 130
    assert "interrupted" in result.err
    assert "verdict" in result.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--bootstrap 5", "--bootstrap '5'"),
        ("--tolerance -1%", "--tolerance '-1%'"),
        ("--plot check.txt", "--plot 'check.txt'"),
        ("--ratio 3000", "--ratio '3000': must be"),
        ("--ratio -3", "positive"),
    ],
)
def test_bad_options(run_cli, tmp_path, words, said):
    result = run_cli("check", write(tmp_path / "runs.csv"), *SIZE, *words.split())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("isoflop: error:")
    assert said in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--where=x", "--ratio=20", "--bootstrap=100", "--explain"])
def test_options_of_runs_need_runs(run_cli, option):
    result = run_cli("check", option)
    assert result.code == 2
    assert option.partition("=")[0] in result.err
