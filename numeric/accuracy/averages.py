r"""The average of benchmarks as a benchmark of its own: the mean of normalised accuracies (Q -
Q_r)/(1 - Q_r).

Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix K.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TableError, number, outside
from ..words import counted

if TYPE_CHECKING:
    from ..data.evaluations import Evaluations
    from .baselines import Baseline

__all__ = ["AVERAGE", "averaged"]

#: What an average of the benchmarks beside it is called.
AVERAGE = "average"

#: How many benchmarks a reason names, those that cost most runs first.
MOST_NAMED = 3
MARGIN = "a number of at least 0 and below 1, or None"


def averaged(
    evaluations: Evaluations,
    baselines: Mapping[str, Baseline | float],
    *,
    benchmarks: Sequence[str] | None = None,
    normalise: bool = True,
    margin: float | None = 0.05,
    name: str = AVERAGE,
) -> Evaluations:
    r"""The evaluations with one more benchmark: the mean of others.

    .. math:: \bar Q = \frac{1}{m} \sum_{j=1}^{m} \frac{Q_j - Q_{r,j}}{1 - Q_{r,j}}

    Parameters
    ----------
    evaluations : Evaluations
    baselines : mapping
        Benchmark -> accuracy of guessing, as :func:`isoflop.numeric.accuracy.baselines.resolve`
        gives it.
    benchmarks : sequence of str, optional
        Those to average; by default all, but for pass@k with k > 1.
    normalise : bool
        Whether to average normalised accuracy; else it is raw accuracy.
    margin : float or None
        Runs count where every one of the benchmarks exceeds guessing by more than this; in [0, 1).
        None: all that were evaluated on all of them (a normalised average may then be below 0, and
        such a run is left out).
    name : str
        Of the average; its accuracy of guessing, in ``table_baselines``, is 0, or for raw accuracy
        the mean of those of the benchmarks.

    Returns
    -------
    Evaluations
        With a warning that says how many runs have no average, and why; and, where what guessing
        scores is an estimate, what its standard error would be on the average, for which it counts
        as known.

    Raises
    ------
    ValueError
        Where a benchmark or its baseline is unknown, the name is taken, or no run has an average.
    """
    names = _names(evaluations, benchmarks, name)
    if margin is not None:
        margin = number("margin", margin, MARGIN)
        if not 0.0 <= margin < 1.0:
            raise outside("margin", margin, MARGIN)
    guessing = np.array([_value(baselines, key) for key in names])
    accuracy = np.stack([evaluations.scores[key] for key in names])
    missing = np.isnan(accuracy)
    low = np.zeros_like(missing) if margin is None else accuracy <= (guessing + margin)[:, None]
    scores = (accuracy - guessing[:, None]) / (1.0 - guessing[:, None]) if normalise else accuracy
    mean = scores.mean(axis=0)
    negative = ~missing.any(axis=0) & ~low.any(axis=0) & (mean < 0.0)
    kept = ~(missing.any(axis=0) | low.any(axis=0) | negative)
    reasons = _reasons(names, missing, low, negative, margin)
    said = f"{name!r}, the mean of {len(names)} benchmarks, is of {kept.sum()} of {counted(len(evaluations), 'run')}"
    if reasons:
        said += f"; left out: {'; '.join(reasons)}"
    if not kept.any():
        raise TableError(evaluations.source, said)
    errors = np.array([float(getattr(baselines[key], "standard_error", 0.0)) for key in names])
    if errors.any():
        shift = _shift(scores[:, kept], guessing, errors, normalise)
        said += f"; what guessing scores is taken as exact, its standard errors are {shift:.2g} of {_what(normalise)}"
    return replace(
        evaluations,
        scores={**evaluations.scores, name: np.where(kept, mean, np.nan)},
        metric_types={
            **evaluations.metric_types,
            name: "mean of normalised accuracy" if normalise else "mean accuracy",
        },
        table_baselines={
            **evaluations.table_baselines,
            name: 0.0 if normalise else float(guessing.mean()),
        },
        warnings=(*evaluations.warnings, said),
    )


def _shift(scores: Any, guessing: Any, errors: Any, normalise: bool) -> float:
    """Standard error of the average, a mean over the runs, from those of the accuracies of
    guessing.

    dQ'/dQ_r = (Q' - 1)/(1 - Q_r). Of raw accuracy that of the average's own accuracy of guessing.
    """
    each = (1.0 - scores) * (errors / (1.0 - guessing))[:, None] if normalise else errors[:, None]
    return float(np.sqrt((each**2).sum(axis=0)).mean()) / len(errors)


def _what(normalise: bool) -> str:
    return "the average" if normalise else "what guessing scores on average"


def _names(evaluations: Evaluations, benchmarks: Sequence[str] | None, name: str) -> list[str]:
    names = list(evaluations.benchmarks if benchmarks is None else benchmarks)
    if isinstance(benchmarks, str) or not all(isinstance(key, str) for key in names):
        raise ArgumentError("benchmarks", benchmarks, "names of benchmarks")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ArgumentError("benchmarks", names, "at least 2 different benchmarks to average")
    for key in names:
        evaluations.require(key)
    if (
        not isinstance(name, str)
        or not name
        or name in evaluations.scores
        or name in evaluations.proxies
    ):
        raise ArgumentError("name", name, "a new name, not that of a benchmark or proxy")
    return names


def _value(baselines: Mapping[str, Any], key: str) -> float:
    if key not in baselines:
        raise ValueError(
            f"baselines: has none for {key!r}; must have one for every benchmark of the average"
        )
    value = baselines[key]
    return float(getattr(value, "value", value))


def _reasons(
    names: Sequence[str], missing: Any, low: Any, negative: Any, margin: float | None
) -> list[str]:
    """How many runs have no average, each counted once, by its first reason; and which benchmarks
    it is for how often.
    """
    lacks, beneath = missing.any(axis=0), ~missing.any(axis=0) & low.any(axis=0)
    found = []
    if lacks.any():
        found.append(f"{counted(int(lacks.sum()), 'run')} without {_by(names, missing[:, lacks])}")
    if beneath.any():
        above = f"guessing + {margin:g}" if margin else "guessing"
        found.append(
            f"{counted(int(beneath.sum()), 'run')} not above {above} on "
            f"{_by(names, low[:, beneath])}"
        )
    if negative.any():
        found.append(f"{counted(int(negative.sum()), 'run')} with an average below guessing")
    return found


def _by(names: Sequence[str], where: Any) -> str:
    n = where.sum(axis=1)
    every = [f"{names[i]} ({n[i]})" for i in np.argsort(-n, kind="stable") if n[i]]
    rest = len(every) - MOST_NAMED
    return ", ".join(every[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
