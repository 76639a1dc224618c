"""What speaks against a fit, a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..data.columns import BUDGET, LETTERS
from ..law.file import beyond
from ..words import counted
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .fit import Fit

#: Root mean square of the log residuals: in the public sets of runs of one kind (eleven isoFLOP
#: studies, Hoffmann et al. among them) it is 0.3 to 2.7 %, pooled sets have 3 to 70 %.
LARGEST_SCATTER = 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0


def cautions(fit: Fit, computes: Sequence[float] = ()) -> Iterator[str]:
    """The warnings of a fit and of what is derived at computes: what reading the runs found, what
    the optimum does not tell, what the runs do not, what the intervals do not.
    """
    runs, solution, draws = fit.runs, fit.solution, fit.draws
    read = [LETTERS.get(name, name) for name in fit.model.variables]
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    for text in runs.warnings:
        yield text if "compute" in read else text.replace(given, kept)
    if not fit.converged:
        yield "no point was certified as a minimum: these numbers are no result"
    if fit.undetermined:
        moves = "; ".join(
            ", ".join(f"{name} {change:+.2g}" for name, change in direction.items())
            for direction in fit.open_directions
        )
        noticed = f"; no run notices these changes, in shares of each: {moves}" if moves else ""
        yield f"the runs leave {', '.join(fit.undetermined)} undetermined{noticed}"
    if "E" in solution.at_bound and fit.coefficients["E"] == 0.0:
        yield "E = 0 is the least it can be: these runs do not tell it from 0"
    with np.errstate(all="ignore"):
        logs = np.log(solution.fitted) - np.log(solution.observed)
        scatter = float(np.sqrt(np.mean(logs**2)))
    if fit.converged and runs.metric == "loss" and scatter > LARGEST_SCATTER:
        yield (
            f"the losses scatter about the law by {100.0 * scatter:.3g} % (root mean square), runs of "
            f"one kind by 3 % and less: fit one kind with --where, or another law"
        )
    ranges = run_ranges(runs)
    for name in read:
        low, high = ranges.get(name, (1.0, 1.0))
        if low < high < NARROWEST_RANGE * low:
            span = f"{high / low:.3g} alone ({low:.4g} to {high:.4g})"
            yield f"{name} spans a factor of {span}: what is fitted along it holds there"
    for compute in computes:
        if far := beyond(ranges, compute=compute):
            yield f"what is derived at {spelt(compute)} FLOP is far beyond the runs: {far}"
    groups = FEW_GROUPS if runs.group is None else len({*runs.group.tolist()})
    if groups < FEW_GROUPS and fit.drawn is not None:
        yield f"{counted(groups, 'group')}: with fewer than {FEW_GROUPS}, intervals by group are rough"
    if draws is not None and draws.interrupted:
        done = f"{draws.done} of {counted(draws.requested, 'resample')}"
        yield f"bootstrap: interrupted after {done}; the intervals are of these"
    if draws is not None and draws.failed:
        left = f"{draws.failed} of {counted(draws.done, 'refit')}"
        yield f"bootstrap: {left} reached no certified minimum; the intervals are of the others"


def run_ranges(runs: object) -> dict[str, tuple[float, float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: (float(values.min()), float(values.max()))
        for name, values in held.items()
        if values is not None
    }


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")
