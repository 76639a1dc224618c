"""The command line in this process and in another one, and references by numerical search at 50
digits.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Outcome
from tests.numeric.conftest import Reference as Search

SRC = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture(scope="session")
def call(run_cli: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Run ``isoflop ARGS...`` in this process."""
    return run_cli


@pytest.fixture(scope="session")
def data(call: Callable[..., Outcome]) -> Callable[..., Any]:
    """The JSON that a command prints, read by a reader that refuses NaN and Infinity."""
    import json

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    def read(*argv: object) -> Any:
        result = call(*argv, "--format", "json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out, parse_constant=refuse)

    return read


@pytest.fixture(scope="session")
def command() -> tuple[list[str], dict[str, str]]:
    """Command and environment of ``isoflop`` in a process of its own."""
    return [sys.executable, "-m", "isoflop"], {**os.environ, "PYTHONPATH": str(SRC)}


@pytest.fixture(scope="session")
def spawn(command: tuple[list[str], dict[str, str]]) -> Callable[..., Outcome]:
    """Run ``isoflop ARGS...`` in a process of its own."""
    start, environment = command

    def run(*argv: str, **variables: str) -> Outcome:
        done = subprocess.run(
            [*start, *argv],
            capture_output=True,
            text=True,
            timeout=600,
            env={**environment, **variables},
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


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


@pytest.fixture(scope="session")
def rounded() -> Reference:
    return Reference(E="1.69", A="406.4", B="410.7", beta="0.34", gamma="0.28")


@pytest.fixture(scope="session")
def interrupted(command: tuple[list[str], dict[str, str]]) -> Callable[..., Outcome]:
    """What ``isoflop ARGS...`` leaves where Ctrl-C comes some seconds after its start: later on a
    slow machine, where the interpreter itself had not begun.
    """
    start, environment = command

    def run(*argv: object) -> Outcome:
        for seconds in (3.0, 10.0, 30.0):
            process = subprocess.Popen(
                [*start, *map(str, argv)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # else ignored
            )
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
            if process.returncode != -signal.SIGINT:
                break
        return Outcome(process.returncode, out, err)

    return run
