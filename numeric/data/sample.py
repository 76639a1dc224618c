"""What a law of accuracy is fitted to and asked at: runs, and one benchmark at them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, outside

__all__ = ["SPREAD", "Points", "above_guessing", "one_ratio"]

#: Runs whose D/N is within this factor of one ratio are at that ratio: nominal 20 is 17.4 to 23.
SPREAD = 1.15


@dataclass(frozen=True, eq=False, kw_only=True)
class Points:
    """Where a law is fitted or asked, (n,) each, None where it is not known: params N, tokens D,
    compute C (FLOP), the proxy of a two-stage law, and the samples k of pass@k.

    Of a benchmark also the raw accuracy Q, (n,), the accuracy of guessing Q_r in [0, 1), and `index`:
    which run of the evaluations each is.
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
        held = {x: v for x, v in vars(self).items() if v is not None}
        return {name: held[name] for name in held if name not in ("baseline", "benchmark")}

    def __len__(self) -> int:
        return len(next(iter(self._known().values())))

    def subset(self, index: Any) -> Points:
        """The points at a mask or at indices."""
        return replace(self, **{name: values[index] for name, values in self._known().items()})

    def column(self, name: str) -> Any:
        """The values of a quantity; a ValueError where it is not known, or somewhere no positive
        finite number (a proxy: no finite number).
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
    """The least and the largest D/N of runs that are all within a factor `SPREAD` of one ratio, where
    N and D are one quantity, and which of two terms is of params is not for the runs to say; None
    of others.
    """
    if at.params is None or at.tokens is None:
        return None
    ratios = at.column("tokens") / at.column("params")
    lowest, highest = float(ratios.min()), float(ratios.max())
    return (lowest, highest) if highest <= SPREAD**2 * lowest else None


def above_guessing(accuracy: Any, baseline: Any, margin: float | None) -> Any:
    """Where -log of normalised accuracy exists and is no noise: Q_r + margin < Q < 1; everywhere
    where the margin is None, as of laws that are fitted to all runs.
    """
    if margin is None:
        return np.ones(np.shape(accuracy), dtype=bool)
    return np.asarray((accuracy > baseline + margin) & (accuracy < 1.0))
