"""The command line in this process, and the tables that it reads."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Outcome
from tests.data import accuracies, at_ratios, evaluations, grid, runs_at, write_csv, write_rows


def as_json(data: Any) -> Any:
    """What is left of a result of the library in JSON, which has no Infinity."""
    return json.loads(json.dumps(data), parse_constant=lambda _: None)


@pytest.fixture(scope="session")
def call(run_cli: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Run ``isoflop`` in this process: the first argument is split as by a shell, each other is one
    word.
    """

    def run(words: str = "", *more: object) -> Outcome:
        return run_cli(*shlex.split(words), *more)

    return run


@pytest.fixture(scope="session")
def data(call: Callable[..., Outcome]) -> Callable[..., Any]:
    """The JSON that a command prints, read by a reader that refuses NaN and Infinity."""

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    def read(*argv: object, code: int = 0) -> Any:
        result = call(*argv, "--format", "json")
        assert (result.code, result.err) == (code, "")
        return json.loads(result.out, parse_constant=refuse)

    return read


@pytest.fixture(scope="session")
def refused(call: Callable[..., Outcome]) -> Callable[..., None]:
    """Bad input: exit status 2, nothing but one line, which names all that it must."""

    def check(named: tuple[str, ...], *argv: object) -> None:
        result = call(*argv)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result
        assert result.err.startswith("isoflop: error: ")
        assert result.err.endswith("\n")
        assert len(result.err) < 1100
        assert [part for part in named if part not in result.err] == [], result.err
        assert "={" not in result.err  # a mapping of Python

    return check


# -- tables ----------------------------------------------------------------------------------------

HELD = ("model", "problem", "n_samples", "n_correct")


def runs() -> dict[str, Any]:
    """36 runs: five isoFLOP budgets of six sizes, and six runs at 20 tokens per param."""
    compute, size = grid(np.geomspace(1e18, 1e21, 5), np.geomspace(0.2, 5, 6))
    params = 0.1 * size * np.sqrt(compute)
    ray = at_ratios(np.geomspace(1e18, 1e21, 6), (20.0,))
    N, D = np.append(params, ray[0]), np.append(compute / (6.0 * params), ray[1])
    law = {"E": 1.8, "A": 480.0, "B": 2080.0, "beta": 0.35, "gamma": 0.37}
    return runs_at(N, D, law, noise=0.003, seed=7)


def scores() -> dict[str, Any]:
    """Accuracies at 30 runs; the first 30 rows are of one benchmark."""
    at = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
    random = np.random.default_rng(5)
    found = {
        (name, "acc"): accuracies(*at, baseline=guess, scale=scale, noise=0.01, seed=random)
        for name, guess, scale in (("piqa", 0.5, 1.0), ("task two", 0.0, 2.0))
    }
    return evaluations(*at, found, **{"piqa": 0.5, "task two": 0.0})


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables:

    runs.csv, scores.csv
        Losses of 36 runs; two benchmarks at 30 runs, with the accuracy of guessing.
    counts.csv, gold.csv, ray.csv
        24 models at a grid of params and tokens with 40 problems each, success rates of Beta; with
        gold likelihoods; as if the models had seen 20 tokens per param.
    tries.csv, pass_at_k.csv, other.csv
        Counts of four problems; values of pass@k; a table of nothing known.
    """
    folder = tmp_path_factory.mktemp("tables")
    write_csv(folder / "runs.csv", runs())
    write_csv(folder / "scores.csv", scores())
    random = np.random.default_rng(7)
    rows = []
    for i, n in enumerate(np.geomspace(3e7, 1e10, 6)):
        for j, d in enumerate(np.geomspace(3e9, 3e11, 4)):
            b = 0.4 + 3.0 * (n / 3e7) ** -0.35 + 3.0 * (d / 3e9) ** -0.4
            correct = random.binomial(128, random.beta(0.6, b, size=40))
            gold = 400.0 * (6.0 * n * d) ** -0.05 * np.exp(0.02 * random.standard_normal())
            rows += [(f"m{i}{j}", k, 128, int(c), n, d, gold) for k, c in enumerate(correct)]
    sized = (*HELD, "params", "tokens")
    tries = [("a", 1, 10, 0), ("a", 2, 20, 5), ("b", 1, 10, 10), ("b", 2, 4, 1)]
    for name, header, table in (
        ("counts", sized, [row[:-1] for row in rows]),
        ("ray", sized, [(*row[:5], 20.0 * row[4]) for row in rows]),
        ("gold", (*sized, "gold"), rows),
        ("tries", HELD, tries),
        ("pass_at_k", ("k", "pass_at_k"), [(1, 0.1), (2, 0.15)]),
        ("other", ("a", "b"), [(1, 3), (2, 4)]),
    ):
        write_rows(folder / f"{name}.csv", header, table)
    return folder


@pytest.fixture
def there(tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tables, where the commands of the test run."""
    monkeypatch.chdir(tables)
    return tables
