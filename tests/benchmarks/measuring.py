"""Times side by side, and ratios with their targets."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Ratio(NamedTuple):
    """A time as a multiple of another one from the same run; `target` is the most it should be."""

    name: str
    seconds: float
    against: str
    reference: float
    target: float

    def __str__(self) -> str:
        ratio = self.seconds / self.reference
        verdict = f"{'at most' if ratio <= self.target else 'MORE THAN'} {self.target:.2g}"
        return f"{self.name}: {ratio:.3g} times {self.against} ({verdict}; {self.seconds:.3g} s)"


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
