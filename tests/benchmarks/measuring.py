"""Times side by side, and ratios with their targets."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Ratio(NamedTuple):
    """A time as a multiple of another one from the same run; `target` is the most it should be,
    None where only reported.
    """

    name: str
    seconds: float
    against: str
    reference: float
    target: float | None = None

    @property
    def value(self) -> float:
        return self.seconds / self.reference

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.value <= self.target else "NOT met"

    def as_dict(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "ratio": self.value,
            "met": None if self.target is None else self.value <= self.target,
        }


def interleaved(cases: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, list[float]]:
    """Seconds of every case, `repeats` times in turn, so that a slow spell of the machine hits all
    of them.
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, case in cases.items():
            start = time.perf_counter()
            case()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def best(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: min(values) for name, values in seconds.items()}


def median(seconds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: statistics.median(values) for name, values in seconds.items()}


def process(*arguments: str) -> Callable[[], None]:
    """A fresh interpreter, or any program: start to end, its output thrown away."""

    def run() -> None:
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(
                f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}"
            )

    return run


def python(code: str) -> Callable[[], None]:
    return process(sys.executable, "-c", code)


def printed_by(code: str) -> float:
    """The number that a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{code}: exit status {done.returncode}\n{done.stderr}")
    return float(done.stdout)
