"""Laws of accuracy fitted to a benchmark's runs and to resamples of them, and their predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.sample import above_guessing
from ..errors import whole_number
from ..fit.hold_out import errors
from ..fit.resample import Draws, case_weights, refits_of
from .kind import LawFit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .baselines import Baseline
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = [
    "SAME",
    "LawFit",
    "errors",
    "fit_law",
    "outside_range",
    "predictions",
    "resampled",
    "simplest_of_least",
]

#: Errors of accuracy that differ by less than this are one.
SAME = 5e-5

#: Refits in one batch, after which a bar moves and an interrupt is heard.
BATCH = 50
#: Beyond 0 and 1 by more than rounding.
ROUNDING = 1e-12


def fit_law(sample: Sample, kind: Kind) -> LawFit:
    """The law fitted to the runs that exceed guessing by more than its margin.

    Raises
    ------
    ValueError
        Where the runs are too few.
    """
    least = kind.margin
    train = sample.subset(above_guessing(sample.accuracy, sample.baseline, least))
    if not len(train):
        raise ValueError(
            f"{sample.benchmark}: no run exceeds guessing ({sample.baseline:g}) by more than "
            f"{least:g} and is below 1"
        )
    return replace(kind.fit(train), n_below=len(sample) - len(train), margin=least)


def resampled(
    fit: LawFit, baseline: Baseline, resamples: int, seed: int, *, progress: bool = False
) -> LawFit:
    """The same with refits to resamples of its runs, each with its own accuracy of guessing.

    Runs are drawn; the pairs of a run and its k come and go together. The weights of the resamples
    depend on seed and number of runs alone, so that laws on the same runs are paired.
    """
    repeats = whole_number("resamples", resamples, 0)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    weights = case_weights(
        fit.sample.index if fit.sample.at.k is not None else None, len(fit.sample), repeats, random
    )
    baselines = baseline.draws(repeats, random)
    if not repeats:
        return fit
    batches = [slice(start, start + BATCH) for start in range(0, repeats, BATCH)]
    samples = ({"weights": weights[rows], "baselines": baselines[rows]} for rows in batches)
    try:
        draws = refits_of(fit, samples, repeats, seed=seed, progress=progress, what=fit.name)
    except KeyboardInterrupt:
        nothing, index = np.empty((0, len(fit.names))), np.empty(0, dtype=np.intp)
        draws = Draws(fit, nothing, index, repeats, failed=0, interrupted=True, seed=seed)
    return replace(fit, draws=draws, baselines=baselines[draws.index])


def predictions(
    fit: LawFit, runs: Sample, names: Sequence[str], level: float
) -> list[dict[str, Any]]:
    """What a law says of runs beside what they measured, a record a run; `names`: of all runs of
    the evaluations.

    `low` and `high` are the ends of the interval of a new run, None without refits.
    """
    if not len(runs):
        return []
    law, ends = fit.accuracy(runs.at), fit.new_run(runs.at, level)
    known = [
        part for part in ("compute", "params", "tokens", "k") if getattr(runs.at, part) is not None
    ]
    return [
        {"run": names[int(runs.index[i])] if names and runs.index is not None else None}
        | {part: float(getattr(runs.at, part)[i]) for part in known}
        | {"accuracy": float(runs.accuracy[i]), "predicted": float(law[i])}
        | {
            name: None if ends is None else float(ends[i, place])
            for place, name in enumerate(("low", "high"))
        }
        for i in range(len(runs))
    ]


def outside_range(accuracies: Floats) -> int:
    """How many of these are no accuracy: below 0 or above 1."""
    return int(np.count_nonzero((accuracies < -ROUNDING) | (accuracies > 1.0 + ROUNDING)))


def simplest_of_least(errors: Mapping[str, float], width: Mapping[str, int]) -> str:
    """The law with the least error of accuracy; of laws within 5e-5 of it the one with the fewest
    coefficients.
    """
    least = min(errors.values())
    return min(
        (law for law in errors if errors[law] < least + SAME),
        key=lambda law: (width[law], errors[law]),
    )
