"""Times side by side, and ratios with their targets."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
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

    def as_dict(self) -> dict[str, Any]:
        ratio = self.seconds / self.reference
        met = "" if self.target is None else ratio <= self.target
        return self._asdict() | {"ratio": ratio, "met": met}


def interleaved(
    cases: Mapping[str, Callable[[], object]], repeats: int, of: Callable[[list[float]], float]
) -> dict[str, float]:
    """Seconds of every case, run in turn, so that a slow spell of the machine hits all of them;
    `of`: min or median of the repeats.
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, case in cases.items():
            start = time.perf_counter()
            case()
            seconds[name].append(time.perf_counter() - start)
    return {name: of(values) for name, values in seconds.items()}


def printed_by(*arguments: str) -> str:
    """What a program prints, from start to end."""
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def seconds_of(code: str) -> float:
    """The number that a fresh interpreter prints."""
    return float(printed_by(sys.executable, "-c", code))
