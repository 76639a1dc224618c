"""What a law of accuracy is fitted to and asked at: one benchmark at some runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, outside

__all__ = ["SPREAD", "Points", "Sample", "above_guessing", "one_ratio"]

#: Runs whose D/N is within this factor of one ratio are at that ratio: nominal 20 is 17.4 to 23.
SPREAD = 1.15


@dataclass(frozen=True, eq=False, kw_only=True)
class Points:
    """Where a law is fitted or asked, (n,) each, None where it is not known: params N, tokens D,
    compute C (FLOP), the proxy of a two-stage law, and the samples k of pass@k.
    """

    params: Any = None
    tokens: Any = None
    compute: Any = None
    proxy: Any = None
    k: Any = None

    def __post_init__(self) -> None:
        for name, values in self._known().items():
            object.__setattr__(self, name, np.atleast_1d(np.asarray(values, dtype=np.float64)))

    def _known(self) -> dict[str, Any]:
        return {name: values for name, values in vars(self).items() if values is not None}

    def __len__(self) -> int:
        return len(next(iter(self._known().values())))

    def subset(self, index: Any) -> Points:
        """The points at a mask or at indices."""
        return Points(**{name: values[index] for name, values in self._known().items()})

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """A benchmark's raw accuracy Q at n runs `at`, (n,), with the accuracy of guessing Q_r in [0, 1);
    `index`: which run of the evaluations each is.
    """

    benchmark: str
    accuracy: Any
    baseline: float
    at: Points
    index: Any = None

    def __len__(self) -> int:
        return len(self.accuracy)

    def subset(self, index: Any) -> Sample:
        """The runs at a mask or at indices."""
        own = None if self.index is None else self.index[index]
        return replace(self, accuracy=self.accuracy[index], at=self.at.subset(index), index=own)


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
