"""What speaks against a fit, a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import LETTERS
from ..law.file import beyond
from ..results import LEAST_DRAWS
from ..words import counted
from .covariance import irreducible_at_zero
from .entries import outcome, run_ranges, spelt
from .identifiability import NO_DERIVATIVES
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .entries import Errors, FitNumber
    from .result import Fit

#: Below so many resamples beyond either end, percentiles are rough.
LEAST_IN_TAIL = 5
#: In the public sets of runs of one kind (eleven isoFLOP studies, Hoffmann et al. among them) the
#: root mean square of the log residuals is 0.3 to 2.7 %, with outliers; pooled sets have 3 to 70 %.
USUAL_SCATTER, LARGEST_SCATTER = 0.03, 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0
#: A column of words tells sets of runs apart where it has at most so many, each in so many runs on
#: average; so many are shown.
MOST_SOURCES, LEAST_PER_SOURCE, MOST_SHOWN = 20, 8, 3


def cautions(
    fit: Fit, errors: Errors, computes: Sequence[float], entries: Sequence[FitNumber]
) -> list[str]:
    """Everything that a reader of the numbers must know.

    `errors` is where standard errors come from, `computes` and `entries` what is derived.
    """
    resampled = errors.kind == "bootstrap"
    return [
        *_of_runs(fit),
        *_several_sources(fit),
        *_convergence(fit),
        *_scatter(fit),
        *_as_many(fit),
        *_on_bounds(fit, resampled=resampled),
        *_irreducible(fit),
        *_narrow_ranges(fit),
        *_extrapolated(fit, computes),
        *errors.warnings(),
        *(_of_resamples(fit, errors, entries) if resampled else []),
        *_few_groups(fit, errors.kind),
        *_infinite_ends(entries),
        *_left_open(fit, errors.weak()),
    ]


def _of_runs(fit: Fit) -> list[str]:
    """What reading the table found; of compute only where the law reads it."""
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    reads_compute = "compute" in {LETTERS.get(name, name) for name in fit.model.variables}
    return [text if reads_compute else text.replace(given, kept) for text in fit.runs.warnings]


def _several_sources(fit: Fit) -> list[str]:
    """Columns of few different words, which may tell apart sets of runs that follow laws of their
    own.
    """
    texts, most = [], min(MOST_SOURCES, len(fit.runs) // LEAST_PER_SOURCE)
    used = {*fit.model.variables, *fit.runs.columns.values()}
    for name in fit.runs.extra.keys() - used if most > 1 else ():
        cells = fit.runs.extra[name]
        words = sorted({cell for cell in cells if isinstance(cell, str) and cell.strip()})
        if 1 < len(words) <= most and not any(map(_is_number, words)):
            more = ", ..." if len(words) > MOST_SHOWN else ""
            texts.append(f"{name} has {len(words)} values ({', '.join(words[:MOST_SHOWN])}{more})")
    if not texts:
        return []
    return [f"{', '.join(texts)}: if these runs are not of one kind, fit one with --where"]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _convergence(fit: Fit) -> list[str]:
    if fit.converged:
        return []
    reason = f": {fit.solution.reason}" if fit.solution.reason else ""
    return [f"the fit did not reach an optimum{reason}; its numbers are no result"]


def _scatter(fit: Fit) -> list[str]:
    """Residuals far larger than losses of runs of one kind scatter about a law of theirs."""
    with np.errstate(all="ignore"):
        logs = np.log(fit.fitted) - np.log(fit.observed)
        size = float(np.sqrt(np.mean(logs**2)))
    if not fit.converged or outcome(fit) or not size > LARGEST_SCATTER:
        return []
    return [
        f"the losses scatter about the law by {100.0 * size:.3g} % (root mean square), runs of one "
        f"kind by {100 * USUAL_SCATTER:.0f} % and less: the runs are of different kinds, or the "
        f"law is not theirs, and no interval tells that"
    ]


def _as_many(fit: Fit) -> list[str]:
    """What it means that there are no more runs than free coefficients."""
    free = int(fit.free.sum())
    if not free or fit.spare > 0:
        return []
    return [
        f"{counted(len(fit.runs), 'run')} for {counted(free, 'free coefficient')}: the law meets "
        f"any losses, true or not"
    ]


def _on_bounds(fit: Fit, *, resampled: bool) -> list[str]:
    """What it means that coefficients are on a bound."""
    texts = []
    for name in fit.at_bound:
        meaning = _meaning(fit, name)
        on = f"{name} = {fit.coefficients[name]:.6g} is on a bound"
        texts.append(f"{on}: {meaning}" if meaning else on)
    names = [name for name in fit.at_bound if name not in fit.undetermined]
    if not names or (irreducible_at_zero(fit) and not resampled):
        return texts  # at E = 0 there are no errors at all, and why is said
    which = f"what depends on {', '.join(names)}"
    if resampled:
        rough = f"percentile intervals of {which} need not cover as often as their level says"
        return [*texts, rough]
    these = "this value" if len(names) == 1 else "these values"
    return [*texts, f"the errors of {which} are unknown; the others hold for {these}"]


def _meaning(fit: Fit, name: str) -> str:
    from .models import LARGEST_EXPONENT, SMALLEST_EXPONENT

    index, value = fit.names.index(name), fit.coefficients[name]
    low, high = float(fit.design.lower[index]), float(fit.design.upper[index])
    is_lower = abs(fit.theta[index] - low) <= abs(high - fit.theta[index])
    side = "lower" if is_lower else "upper"
    terms: Any = fit.model
    if fit.model.is_expression:
        return f"its {side} one"
    if name == "E" and value == 0.0:
        return "these runs do not tell it from 0"
    centre = fit.design.centres[terms.prefactors.index(name)] if name in terms.prefactors else 0.0
    if is_lower and centre != 0.0:
        return "its term is too small to be seen in these runs"
    if name in terms.exponents and value in (SMALLEST_EXPONENT, LARGEST_EXPONENT):
        if is_lower:
            return "its term hardly falls over these runs"
        return "its term falls faster than these runs can tell"
    return f"the {side} one that was given"


def _irreducible(fit: Fit) -> list[str]:
    """A given E that losses lie below; an expression's E without a bound that ended below 0."""
    E = fit.coefficients.get("E", 0.0)
    if E > 0.0 and ("E" in fit.design.given or "E" in fit.at_bound):
        n = int(np.count_nonzero(fit.observed <= E))
        have = f"{'has' if n == 1 else 'have'} {'an L' if outcome(fit) else 'a loss'}"
        what = f"{n} of {counted(len(fit.runs), 'run')} {have} of at most E = {E:.6g}"
        return [f"{what}, which is given: no such law reaches them"] if n else []
    if E < 0.0 and fit.model.is_expression and "E" not in fit.design.given:
        return [
            f"E = {E:.6g} is negative, which no irreducible loss is: --bound E=0: keeps it from "
            f"that (bounds in Python)"
        ]
    return []


def _narrow_ranges(fit: Fit) -> list[str]:
    """A range so small that the exponent found over it says little about any other."""
    texts, ranges = [], run_ranges(fit.runs)
    for name in fit.model.variables:
        quantity = LETTERS.get(name, name)
        low, high = ranges.get(quantity, (1.0, 1.0))
        if low < high < NARROWEST_RANGE * low:
            texts.append(
                f"{quantity} spans a factor of {high / low:.3g} alone ({low:.4g} to {high:.4g}): "
                f"what is fitted along it holds there, and intervals do not tell what the form of "
                f"the law is elsewhere"
            )
    return texts


def _extrapolated(fit: Fit, computes: Sequence[float]) -> list[str]:
    """How far a compute lies beyond those of the runs."""
    known: Any = {name: tuple(ends) for name, ends in run_ranges(fit.runs).items()}
    distances = [(value, beyond(known, compute=value)) for value in computes]
    return [
        f"what is derived at {spelt(value)} FLOP is far beyond the runs: {far}"
        for value, far in distances
        if far
    ]


def _of_resamples(fit: Fit, errors: Errors, entries: Sequence[FitNumber]) -> list[str]:
    """What the resamples of a fit do not tell."""
    draws, level, texts = errors.draws, errors.level, list[str]()
    assert draws is not None
    limited = [entry.name for entry in entries if entry.estimate.at_limit]
    if limited:
        most = max(draws.at_limit[name] for name in limited)
        texts.append(
            f"bootstrap: {', '.join(limited)} ran to a limit of the search in {100.0 * most:.3g} % "
            f"of the resamples: an end of the interval, and of intervals of what follows, is that "
            f"limit and not what the runs say"
        )
    heavy = [
        entry.label
        for entry in entries
        if entry.estimate.has_interval and entry.estimate.standard_error is None
    ]
    if heavy:
        texts.append(
            f"bootstrap: no standard error of {', '.join(dict.fromkeys(heavy))}: a few resamples "
            f"make the standard deviation; the percentiles do not hang on them"
        )
    if draws.interrupted:
        texts.append(
            f"bootstrap: interrupted after {draws.done} of {counted(draws.requested, 'resample')}; "
            f"the intervals are of these"
        )
    if draws.failed:
        left = "is left out" if draws.failed == 1 else "are left out"
        texts.append(
            f"bootstrap: {draws.failed} of {counted(draws.done, 'refit')} reached no certified "
            f"minimum and {left}"
        )
    if len(draws) < LEAST_DRAWS:
        verb = "gives" if len(draws) == 1 else "give"
        resamples = counted(len(draws), "resample")
        texts.append(f"bootstrap: {resamples} {verb} no standard error and no interval")
    elif 0.5 * (1.0 - level) * len(draws) < LEAST_IN_TAIL:
        texts.append(f"bootstrap: {len(draws)} resamples are few for intervals of level {level:g}")
    return texts


def _few_groups(fit: Fit, kind: str) -> list[str]:
    """What it means that errors are told by few groups."""
    by_group = kind == "sandwich" or (
        kind == "bootstrap" and fit.draws is not None and fit.draws.kind == "groups"
    )
    if fit.runs.group is None or not by_group:
        return []
    if (count := len(set(fit.runs.group.tolist()))) >= FEW_GROUPS:
        return []
    few = f"with fewer than {FEW_GROUPS}, standard errors by group are rough"
    return [f"{counted(count, 'group')}: {few}"]


def _infinite_ends(entries: Sequence[FitNumber]) -> list[str]:
    ends = [(entry.label, (entry.estimate.low, entry.estimate.high)) for entry in entries]
    return [
        f"{label}: an end of its interval exceeds the largest float"
        for label, both in ends
        if any(end is not None and not np.isfinite(end) for end in both)
    ]


def _left_open(fit: Fit, weak: Sequence[object]) -> list[str]:
    """What the design leaves open, the runs that would settle it, and what is vague in practice."""
    design = fit.identifiability()
    if design.reason == NO_DERIVATIVES:
        return [design.reason]
    texts, names = [], design.undetermined
    if design.rank < len(design.coefficients):
        moving = f", and leave open {', '.join(names)}" if names else ""
        combinations = f"{design.rank} combinations of {len(design.coefficients)} coefficients"
        texts.append(f"the runs determine {combinations}{moving}")
    texts += [f"{item}; what would tell: {item.remedy}" for item in design.structures]
    texts += [f"hardly determined: {item}" for item in weak]
    if fit.model.is_expression:
        taken = "is no column of the table and was taken for a coefficient"
        texts += [f"{name} {taken}" for name in names]
    return texts
