"""The command line in this process and in another one, the tables that it reads, and references by
numerical search at 50 digits.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.inputs import write_all
from tests.conftest import Outcome
from tests.data import accuracies, at_ratios, write_rows
from tests.numeric.conftest import Reference as Search

SRC = Path(__file__).resolve().parents[2] / "src"


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


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables: those of the kept outputs and

    samples.csv, sizes.csv, gold.csv
        24 models at a grid of params and tokens with 40 problems each, success rates of Beta.
    scores.csv
        Two benchmarks at 30 runs, with the accuracy of guessing.
    tries.csv, pass_at_k.csv, other.csv
        Counts of four problems; values of pass@k; a table of nothing known.
    """
    folder = tmp_path_factory.mktemp("tables")
    write_all(folder)
    random = np.random.default_rng(7)
    models, rows, gold = [], [], []
    for i, n in enumerate(np.geomspace(3e7, 1e10, 6)):
        for j, d in enumerate(np.geomspace(3e9, 3e11, 4)):
            b = 0.4 + 3.0 * (n / 3e7) ** -0.35 + 3.0 * (d / 3e9) ** -0.4
            rates = random.beta(0.6, b, size=40)
            name = f"m{i}{j}"
            models.append((name, n, d))
            rows += [
                (name, k, 128, int(random.binomial(128, rate))) for k, rate in enumerate(rates)
            ]
            noise = float(np.exp(0.02 * random.standard_normal()))
            gold.append((name, 400.0 * (6.0 * n * d) ** -0.05 * noise))
    write_rows(folder / "samples.csv", HELD, rows)
    write_rows(folder / "sizes.csv", ("model", "params", "tokens"), models)
    write_rows(folder / "gold.csv", ("model", "gold"), gold)
    write_rows(
        folder / "scores.csv",
        ("params", "tokens", "benchmark", "metric_type", "score", "random_baseline"),
        scores(),
    )
    tries = [("a", 1, 10, 0), ("a", 2, 20, 5), ("b", 1, 10, 10), ("b", 2, 4, 1)]
    write_rows(folder / "tries.csv", HELD, tries)
    write_rows(folder / "pass_at_k.csv", ("k", "pass_at_k"), [(1, 0.1), (2, 0.15)])
    write_rows(folder / "other.csv", ("a", "b"), [(1, 3), (2, 4)])
    return folder


def scores() -> list[list[Any]]:
    """The rows of scores.csv; the first 30 are of one benchmark."""
    params, tokens = at_ratios(np.geomspace(3e18, 3e22, 10), (5.0, 20.0, 100.0))
    random = np.random.default_rng(5)
    found = []
    for name, guess, scale in (("piqa", 0.5, 1.0), ("task two", 0.0, 2.0)):
        values = accuracies(params, tokens, baseline=guess, scale=scale, noise=0.01, seed=random)
        found += [
            [n, d, name, "acc", score, guess]
            for n, d, score in zip(params, tokens, values, strict=True)
        ]
    return found


@pytest.fixture
def there(tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tables, where the commands of the test run."""
    monkeypatch.chdir(tables)
    return tables


# -- references ------------------------------------------------------------------------------------


class Reference:
    """Optimum and penalty of L = E + A N^-b + B D^-g under C = 6 N D by search: no closed form is
    used.
    """

    mp = Search.mp

    def __init__(self, A: str, B: str, beta: str, gamma: str, E: str = "0") -> None:
        self.E, self.A, self.B, self.b, self.g = map(self.mp.mpf, (E, A, B, beta, gamma))

    def at(self, compute: Any) -> Search:
        """The search at a compute."""
        return Search(self.mp.mpf(compute), self.A, self.B, self.b, self.g)

    def reducible(self, params: Any, tokens: Any) -> Any:
        return self.A * params**-self.b + self.B * tokens**-self.g

    def optimum(self, compute: Any) -> tuple[Any, Any]:
        found = self.at(compute)
        return found.params, found.tokens

    def best(self, compute: Any) -> Any:
        """The reducible loss at the optimum."""
        return self.at(compute).reducible

    def penalty(self, size_ratio: Any, compute: Any = 10**22) -> Any:
        return self.at(compute).penalty(self.mp.log(self.mp.mpf(size_ratio)))

    def overhead(self, size_ratio: Any, compute: Any = 10**22) -> Any:
        """Extra compute that reaches the best loss of ``compute`` at r N* params."""
        found, s = self.at(compute), self.mp.log(self.mp.mpf(size_ratio))
        tokens = found.log_tokens_for(found.reducible, found.log_params + s)
        return self.mp.exp(tokens - found.log_tokens + s) - 1

    def effective(self, size_ratio: Any, compute: Any = 10**22) -> Any:
        """The share of ``compute`` at which the optimum has the loss of a run at r N* params."""
        return self.at(compute).effective_compute(self.mp.log(self.mp.mpf(size_ratio)))


@pytest.fixture(scope="session")
def besiroglu() -> Reference:
    return Reference(E="1.8172", A="482.01", B="2085.43", beta="0.3478", gamma="0.3658")


# -- processes -------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def command() -> tuple[list[str], dict[str, str]]:
    """Command and environment of ``isoflop`` in a process of its own."""
    return [sys.executable, "-m", "isoflop"], {**os.environ, "PYTHONPATH": str(SRC)}


@pytest.fixture(scope="session")
def spawn(command: tuple[list[str], dict[str, str]]) -> Callable[..., Outcome]:
    """Run ``isoflop WORDS`` in a process of its own."""
    start, environment = command

    def run(words: str, *more: str, **variables: str) -> Outcome:
        done = subprocess.run(
            [*start, *shlex.split(words), *more],
            capture_output=True,
            text=True,
            timeout=600,
            env={**environment, **variables},
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def started(command: tuple[list[str], dict[str, str]]) -> Callable[..., Any]:
    """Start ``isoflop ARGS...``; one in the background would ignore Ctrl-C unless told otherwise."""
    start, environment = command

    def run(*argv: object, **options: Any) -> Any:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [*start, *map(str, argv)],
            text=True,
            env=environment,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            **streams,
        )

    return run


@pytest.fixture(scope="session")
def interrupted(started: Callable[..., Any]) -> Callable[..., Outcome]:
    """What ``isoflop ARGS...`` leaves where Ctrl-C comes some seconds after its start: later on a
    slow machine, where the interpreter itself had not begun.
    """

    def run(*argv: object) -> Outcome:
        for seconds in (3.0, 10.0, 30.0):
            process = started(*argv)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
            if process.returncode != -signal.SIGINT:
                break
        return Outcome(process.returncode, out, err)

    return run
