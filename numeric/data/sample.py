"""The points at which a law of accuracy is fitted or evaluated: runs, and their scores on a
benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, outside

#: Runs whose D/N is within this factor of one ratio are at that ratio: nominal 20 is 17.4 to 23.
SPREAD = 1.15


@dataclass(frozen=True, eq=False, kw_only=True)
class Points:
    """Points at which a law is fitted or evaluated, (n,) each, None where a quantity is not known:
    N, D and C (FLOP); the proxy of a two-stage law; the samples k of pass@k; the raw accuracy Q on
    a benchmark, where guessing scores the baseline Q_r in [0, 1); the run of the evaluations that
    each point is.
    """

    params: Any = None
    tokens: Any = None
    compute: Any = None
    proxy: Any = None
    k: Any = None
    accuracy: Any = None
    index: Any = None
    baseline: float = 0.0
    benchmark: str = ""

    def __post_init__(self) -> None:
        for name, values in self._known().items():
            kind = np.int64 if name == "index" else np.float64
            object.__setattr__(self, name, np.atleast_1d(np.asarray(values, dtype=kind)))

    def _known(self) -> dict[str, Any]:
        """The quantities that are known."""
        held = {x: v for x, v in vars(self).items() if v is not None}
        return {name: held[name] for name in held if name not in ("baseline", "benchmark")}

    def __len__(self) -> int:
        return len(next(iter(self._known().values())))

    def subset(self, index: Any) -> Points:
        """The points at a mask or at indices."""
        return replace(self, **{name: values[index] for name, values in self._known().items()})

    def column(self, name: str) -> Any:
        """The values of a quantity; a ValueError where it is not known, or a value is not positive
        and finite (a proxy: not finite).
        """
        values = getattr(self, name)
        if values is None:
            raise ArgumentError(name, complaint="is not known at the runs; the law needs it")
        bad = ~np.isfinite(values) | ((values <= 0.0) & (name != "proxy"))
        if bad.any():
            domain = "finite" if name == "proxy" else "positive and finite"
            raise outside(name, float(values[bad][0]), domain)
        return np.asarray(values)


def one_ratio(at: Points) -> tuple[float, float] | None:
    """The least and the largest D/N of runs within a factor `SPREAD` of one ratio, else None. Such
    runs vary N and D together, and do not tell the term of the params from that of the tokens.
    """
    if at.params is None or at.tokens is None:
        return None
    ratios = at.column("tokens") / at.column("params")
    lowest, highest = float(ratios.min()), float(ratios.max())
    return (lowest, highest) if highest <= SPREAD**2 * lowest else None


def above_guessing(accuracy: Any, baseline: Any, margin: float | None) -> Any:
    """The mask of the accuracies whose -log Q' exists and is more than noise: Q_r + margin < Q < 1;
    all of them where the margin is None, as for laws that are fitted to all runs.
    """
    if margin is None:
        return np.ones(np.shape(accuracy), dtype=bool)
    return np.asarray((accuracy > baseline + margin) & (accuracy < 1.0))
