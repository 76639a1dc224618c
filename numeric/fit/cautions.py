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

#: Fewer resamples beyond either end than this leave an interval rough.
LEAST_IN_TAIL = 5
#: Root mean square of the log residuals: in the public sets of runs of one kind (eleven isoFLOP
#: studies, Hoffmann et al. among them) it is 0.3 to 2.7 %, pooled sets have 3 to 70 %.
LARGEST_SCATTER = 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0


def warnings_of(fit: Fit, level: float, computes: Sequence[float] = ()) -> tuple[str, ...]:
    """The warnings of a fit whose intervals have this level, of what is derived at computes."""
    return tuple(
        dict.fromkeys(
            (*_of_runs(fit), *_of_optimum(fit), *_of_data(fit, computes), *_of_draws(fit, level))
        )
    )


def outcome(fit: Fit) -> str:
    """What L stands for where it is not the loss: -log Q of accuracy Q, normalised by the accuracy
    of guessing.
    """
    if fit.runs.metric == "loss":
        return ""
    baseline = fit.runs.random_baseline
    return f"-log((Q - {baseline:g})/(1 - {baseline:g}))" if baseline else "-log Q"


def run_ranges(runs: Any) -> dict[str, list[float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: [float(values.min()), float(values.max())]
        for name, values in held.items()
        if values is not None
    }


def _of_runs(fit: Fit) -> list[str]:
    """What reading the table found; of compute only where the law reads it."""
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    reads_compute = "compute" in {LETTERS.get(name, name) for name in fit.model.variables}
    return [text if reads_compute else text.replace(given, kept) for text in fit.runs.warnings]


def _of_optimum(fit: Fit) -> Iterator[str]:
    """What the optimum does not tell."""
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
    E = fit.coefficients.get("E", 0.0)
    if E < 0.0:
        yield f"E = {E:.6g} is negative, which no irreducible loss is: --bound E=0: keeps it from that"
    elif E > 0.0 and not fit.free[fit.names.index("E")] and (n := int((fit.observed <= E).sum())):
        yield f"{counted(n, 'run')} of at most E = {E:.6g}, which is given: no such law reaches them"


def _of_data(fit: Fit, computes: Sequence[float]) -> Iterator[str]:
    """What the runs themselves do not tell."""
    with np.errstate(all="ignore"):
        logs = np.log(fit.fitted) - np.log(fit.observed)
        scatter = float(np.sqrt(np.mean(logs**2)))
    if fit.converged and not outcome(fit) and scatter > LARGEST_SCATTER:
        yield (
            f"the losses scatter about the law by {100.0 * scatter:.3g} % (root mean square), runs of "
            f"one kind by 3 % and less: fit one kind with --where, or another law"
        )
    ranges = run_ranges(fit.runs)
    for name in fit.model.variables:
        quantity = LETTERS.get(name, name)
        low, high = ranges.get(quantity, [1.0, 1.0])
        if low < high < NARROWEST_RANGE * low:
            yield (
                f"{quantity} spans a factor of {high / low:.3g} alone ({low:.4g} to {high:.4g}): what "
                f"is fitted along it holds there"
            )
    known: Any = {name: tuple(ends) for name, ends in ranges.items()}
    for compute in computes:
        if far := beyond(known, compute=compute):
            yield f"what is derived at {spelt(compute)} FLOP is far beyond the runs: {far}"


def _of_draws(fit: Fit, level: float) -> Iterator[str]:
    """What the intervals do not tell."""
    if fit.no_covariance:
        yield f"no standard errors: {fit.no_covariance}"
    groups = None if fit.runs.group is None else len({*fit.runs.group.tolist()})
    if groups is not None and groups < FEW_GROUPS and fit.interval_kind != "none":
        yield f"{counted(groups, 'group')}: with fewer than {FEW_GROUPS}, intervals by group are rough"
    draws = fit.draws
    if draws is None:
        return
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
    if 0.5 * (1.0 - level) * len(draws) < LEAST_IN_TAIL:
        yield f"bootstrap: {counted(len(draws), 'resample')}: too few for intervals of level {level:g}"
    for name, share in draws.at_limit.items():
        if share >= 0.5 * (1.0 - level):
            yield (
                f"bootstrap: {name} ran to a limit of the search in {100.0 * share:.3g} % of the "
                f"resamples: an end of its interval is that limit and not what the runs say"
            )
