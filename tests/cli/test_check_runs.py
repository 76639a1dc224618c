"""isoflop check RUNS: verdicts, exit statuses, the contract for scripts, bad input."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.data import at_ratios, grid, noisy, write_csv

from isoflop.numeric.law import Law

TRUTH = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
RESAMPLES = ("--bootstrap", "200", "--seed", "1")


def write(path: Path, losses) -> Path:
    """IsoFLOP runs about the optimum of the truth, with the losses that a function of (params,
    tokens) gives.
    """
    compute, ratio = grid(np.geomspace(1e18, 1e22, 6), np.geomspace(0.2, 5.0, 9))
    params = ratio * TRUTH.envelope.params(compute)
    tokens = compute / (6.0 * params)
    loss = noisy(losses(params, tokens), 0.002)
    return write_csv(path, {"params": params, "tokens": tokens, "loss": loss})


def bent(params, tokens):
    """A law that no sum of power terms follows: 4 % higher at both ends of compute."""
    position = (np.log10(6.0 * params * tokens) - 20.0) / 2.0
    return TRUTH.loss(params, tokens) * (1.0 + 0.04 * (position**2 - 0.3))


def test_runs_of_the_law_are_consistent(run_cli, tmp_path):
    result = run_cli("check", write(tmp_path / "runs.csv", TRUTH.loss), *RESAMPLES)
    assert result.code == 0
    assert "verdict: consistent" in result.out
    assert max(map(len, result.out.splitlines())) <= 100
    assert len(result.out.splitlines()) <= 12
    explained = run_cli(
        "check", tmp_path / "runs.csv", *RESAMPLES, "--explain", "--compute", "1e24"
    )
    assert "optimal params" in explained.out
    assert " 1e24 FLOP" in explained.out


def test_a_misfit_is_inconsistent(run_cli, tmp_path):
    result = run_cli("check", write(tmp_path / "runs.csv", bent), *RESAMPLES)
    assert result.code == 1
    assert "verdict: inconsistent" in result.out


def test_few_groups_cannot_tell(run_cli, tmp_path):
    path = write(tmp_path / "runs.csv", TRUTH.loss)
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    lines = [f"{head},group", *(f"{row},{'ab'[index % 2]}" for index, row in enumerate(rows))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = run_cli("check", path, *RESAMPLES)
    assert result.code == 3
    assert "fewer than 4 groups" in " ".join(result.out.split())
    assert "consistent" not in result.out.split("verdict:")[1].splitlines()[0]


def test_columns_and_rows_are_chosen_as_for_a_fit(run_cli, tmp_path):
    path = write(tmp_path / "runs.csv", TRUTH.loss)
    path.write_text(
        path.read_text(encoding="utf-8").replace("params,", "my size,", 1), encoding="utf-8"
    )
    assert run_cli("check", path).code == 2
    result = run_cli(
        "check",
        path,
        "--column",
        "params=my size",
        "--where",
        "compute < 5e21",
        *RESAMPLES,
        "--format",
        "json",
    )
    assert json.loads(result.out)["n_runs"] == 45


def test_the_figure(run_cli, tmp_path):
    result = run_cli(
        "check",
        write(tmp_path / "runs.csv", TRUTH.loss),
        *RESAMPLES,
        "--plot",
        tmp_path / "check.png",
    )
    assert result.code == 0
    assert (tmp_path / "check.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("words", "message"), [(("30",), "1.26, 3.17, 7.96, 20, 50.2, 126, 317"), (("-3",), "positive")]
)
def test_a_ratio_without_runs(run_cli, tmp_path, words, message):
    params, tokens = at_ratios(np.geomspace(1e18, 1e21, 6), [1.26, 3.17, 7.96, 20, 50.2, 126, 317])
    loss = noisy(TRUTH.loss(params, tokens), 0.002)
    path = write_csv(tmp_path / "runs.csv", {"params": params, "tokens": tokens, "loss": loss})
    result = run_cli("check", path, "--ratio", *words)
    assert result.code == 2
    assert result.err.startswith(f"isoflop: error: --ratio '{words[0]}': must be")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_an_interrupted_check_says_so(run_cli, tmp_path, monkeypatch):
    from isoflop.numeric.fit import Fit

    calls, refit = [], Fit.refit

    def stopped(*arguments, **named):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return refit(*arguments, **named)

    monkeypatch.setattr(Fit, "refit", stopped)
    result = run_cli("check", write(tmp_path / "runs.csv", TRUTH.loss), *RESAMPLES)
    assert result.code == 130
    assert "interrupted" in result.err
    assert "verdict" in result.out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--objective", "pinball"), "--objective"),
        (("--bootstrap", "5"), "--bootstrap"),
        (("--tolerance", "-1%"), "--tolerance"),
        (("--level", "90"), "--level"),
        (("--plot", "check.txt"), "--plot"),
    ],
)
def test_bad_options(run_cli, tmp_path, words, named):
    result = run_cli("check", write(tmp_path / "runs.csv", TRUTH.loss), *words)
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("isoflop: error:")
    assert named in result.err
    assert len(result.err.splitlines()) == 1


def test_options_of_runs_need_runs(run_cli):
    for words in (
        ("--where", "loss < 4"),
        ("--ratio", "20"),
        ("--tolerance", "1%"),
        ("--bootstrap", "100"),
    ):
        result = run_cli("check", *words)
        assert result.code == 2
        assert words[0] in result.err
