"""What speaks against a fit, a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import BUDGET, LETTERS
from ..law.file import beyond
from ..words import counted
from .quantities import spelt
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .fit import Fit

#: Root mean square of the log residuals: in the public sets of runs of one kind (eleven isoFLOP
#: studies, Hoffmann et al. among them) it is 0.3 to 2.7 %, pooled sets have 3 to 70 %.
LARGEST_SCATTER = 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0


def cautions(fit: Fit, level: float, computes: Sequence[float] = ()) -> Iterator[str]:
    """The warnings of a fit whose intervals have this level, of what is derived at computes: what
    reading the runs found, what the optimum does not tell, what the runs do not, what the intervals
    do not.
    """
    reads_compute = "compute" in {LETTERS.get(name, name) for name in fit.model.variables}
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    yield from (text if reads_compute else text.replace(given, kept) for text in fit.runs.warnings)
    if not fit.converged:
        yield "no point was certified as a minimum: these numbers are no result"
    if fit.undetermined:
        moves = "; ".join(
            ", ".join(f"{name} {change:+.2g}" for name, change in direction.items())
            for direction in fit.open_directions
        )
        noticed = f"; no run notices these changes, in shares of each: {moves}" if moves else ""
        yield f"the runs leave {', '.join(fit.undetermined)} undetermined{noticed}"
    for name in fit.at_bound:
        if name == "E" and fit.coefficients["E"] == 0.0:
            yield "E = 0 is the least it can be: these runs do not tell it from 0"
        elif name not in fit.undetermined:
            yield f"{name} = {fit.coefficients[name]:.6g} is on a bound: intervals take it as known"
    with np.errstate(all="ignore"):
        logs = np.log(fit.fitted) - np.log(fit.observed)
        scatter = float(np.sqrt(np.mean(logs**2)))
    if fit.converged and fit.runs.metric == "loss" and scatter > LARGEST_SCATTER:
        yield (
            f"the losses scatter about the law by {100.0 * scatter:.3g} % (root mean square), runs of "
            f"one kind by 3 % and less: fit one kind with --where, or another law"
        )
    ranges = run_ranges(fit.runs)
    for quantity in (LETTERS.get(name, name) for name in fit.model.variables):
        low, high = ranges.get(quantity, (1.0, 1.0))
        if low < high < NARROWEST_RANGE * low:
            yield (
                f"{quantity} spans a factor of {high / low:.3g} alone ({low:.4g} to {high:.4g}): what "
                f"is fitted along it holds there"
            )
    for compute in computes:
        if far := beyond(ranges, compute=compute):
            yield f"what is derived at {spelt(compute)} FLOP is far beyond the runs: {far}"
    if fit.no_covariance:
        yield f"no standard errors: {fit.no_covariance}"
    groups = FEW_GROUPS if fit.runs.group is None else len({*fit.runs.group.tolist()})
    if groups < FEW_GROUPS and fit.interval_kind != "none":
        yield f"{counted(groups, 'group')}: with fewer than {FEW_GROUPS}, intervals by group are rough"
    if fit.draws is not None:
        yield from _of_draws(fit, level)


def _of_draws(fit: Fit, level: float) -> Iterator[str]:
    draws: Any = fit.draws
    if draws.interrupted:
        yield (
            f"bootstrap: interrupted after {draws.done} of {counted(draws.requested, 'resample')}; "
            f"the intervals are of these"
        )
    if draws.failed:
        left = "is left out" if draws.failed == 1 else "are left out"
        yield (
            f"bootstrap: {draws.failed} of {counted(draws.done, 'refit')} reached no certified "
            f"minimum and {left}"
        )
    for name, share in zip(fit.names, fit.on_limit(draws.coefficients).mean(axis=0), strict=True):
        if share >= 0.5 * (1.0 - level):
            yield (
                f"bootstrap: {name} ran to a limit of the search in {100.0 * share:.3g} % of the "
                f"resamples: an end of its interval is that limit and not what the runs say"
            )


def run_ranges(runs: Any) -> dict[str, tuple[float, float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: (float(values.min()), float(values.max()))
        for name, values in held.items()
        if values is not None
    }
