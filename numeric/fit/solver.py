"""The best minimum of one fit of a separable law: scan, follow, compare, certify."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .newton import Problems, minimise, values
from .nonsmooth import sharpen
from .optimality import Solution
from .path import NARROWEST, follow, freed, joined, median_residuals, stirred
from .scan import Scan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .models import Design
    from .newton import Minima
    from .objective import Objective

    Floats = NDArray[np.float64]

MOST_STARTS = 6
#: Exponents tried for each term.
FINE = 12
NOWHERE_FINITE = "runs: at no exponents are the law and its errors at them finite numbers; is a quantity in an impossible unit?"
LEAST, MOST = 1e-100, 1e100
#: A residual beyond so many medians is an outlier that may have led squares astray.
OUTLYING = 12.0
#: Minima whose objectives differ by less than this share are one.
SAME = 1e-7
#: With as few runs, and for a sharp objective, the points of the grid are compared by the objective
#: itself as well, which then has many minima, smooth over this many median absolute residuals.
FEW, NARROW = 128, 0.5
#: Points around the best minimum are followed then, at distances in these multiples of the
#: parameters' own spread.
STIRRING_SCALES = (0.3, 5.0)
#: Of a sharp objective, this many of the best smooth minima are followed to the end.
MOST_SHARPENED, DISTINCT = 5, 1e-3
#: More runs than this are first fitted on a sample of them.
LARGE, SAMPLE = 20_000, 4_096


def solve(
    design: Design, observed: Floats, weights: Floats | None, objective: Objective
) -> Solution:
    """The best minimum that the scan leads to.

    Raises
    ------
    ValueError
        Where no law is a number at the runs, or no float holds the squares of what is observed.
    """
    if not (observed.min() > LEAST and observed.max() < MOST):
        raise ValueError(NOWHERE_FINITE)
    if design.model.size > LARGE:
        return _solve_large(design, observed, weights, objective)
    found, starts = _minima(design, observed, weights, objective)
    problems = Problems.of(design.model, observed, weights, objective)
    found = freed(problems, objective, found, design.lower, design.upper)
    return _best(design, problems, objective, found, max(starts, len(found.value)))


def _minima(
    design: Design, observed: Floats, weights: Floats | None, objective: Objective
) -> tuple[Minima, int]:
    problems = Problems.of(design.model, observed, weights, objective)
    squares = np.ones_like(observed) if weights is None else weights
    if objective.in_logs:
        with np.errstate(all="ignore"):
            squares = squares / observed**2
    few = objective.is_sharp or len(observed) <= FEW
    scan = Scan.of(design.model, design.lower, design.upper, FINE)
    begun = scan.starts(observed, squares, most=MOST_STARTS)
    if not len(begun):
        raise ValueError(NOWHERE_FINITE)
    if not objective.is_square:
        size = np.abs(problems.residuals(begun[:1]))[0]
        middle = float(median_residuals(problems, begun[:1])[0, 0])
        if few or float(size.max()) > OUTLYING * middle:
            # Once more with the weights of an absolute deviation, which outliers do not lead
            # astray.
            robust = squares / np.maximum(size, 0.1 * middle)

            def judge(points: Floats) -> Floats:
                return values(problems.with_clip(objective.clip(NARROW * middle)), points)

            more = scan.starts(observed, robust, most=MOST_STARTS, judge=judge if few else None)
            begun = np.concatenate([begun, more]) if few else more
    found = follow(problems, objective, begun, design.lower, design.upper)
    if objective.is_square or not few:
        return found, len(begun)
    around = stirred(
        problems,
        found.theta[int(np.argmin(found.value))],
        design.lower,
        design.upper,
        STIRRING_SCALES,
    )
    return joined(found, follow(problems, objective, around, design.lower, design.upper)), len(
        begun
    ) + len(around)


def _solve_large(
    design: Design, observed: Floats, weights: Floats | None, objective: Objective
) -> Solution:
    """Starts from a sample of the runs, spread evenly over their order of loss; the minimum over
    all of them.
    """
    sample = np.argsort(observed, kind="stable")[:: max(1, len(observed) // SAMPLE)]
    part = replace(design, model=design.model.part(sample))
    found, starts = _minima(
        part, observed[sample], None if weights is None else weights[sample], objective
    )
    order = np.argsort(found.value, kind="stable")
    distinct = [
        index
        for rank, index in enumerate(order)
        if rank == 0 or found.value[index] > (1 + SAME) * found.value[order[0]]
    ]
    problems = Problems.of(design.model, observed, weights, objective)
    begun = found.theta[distinct[:2]]
    if objective.is_sharp:
        clip = objective.clip(NARROWEST * float(median_residuals(problems, begun[:1])[0, 0]))
        refined = minimise(problems.with_clip(clip), begun, design.lower, design.upper)
    else:
        refined = minimise(problems, begun, design.lower, design.upper)
    return _best(design, problems, objective, refined, starts)


def _best(
    design: Design, problems: Problems, objective: Objective, found: Minima, starts: int
) -> Solution:
    if objective.is_sharp:
        return _best_sharp(design, problems, objective, found, starts)
    order = np.argsort(found.value, kind="stable")
    best = int(order[0])
    value = float(found.value[best])
    rounding = float(problems.rounding[0])
    close = found.value <= value + SAME * abs(value) + rounding
    theta = found.theta[best]
    certificate = max(float(found.decrement[best]) - rounding, 0.0) / max(value, 1e-300)
    others = found.theta[[index for index in order if not close[index]]]
    return Solution(
        theta, value, bool(found.done[best]), certificate, starts, int(close.sum()), others
    )


def _best_sharp(
    design: Design, problems: Problems, objective: Objective, found: Minima, starts: int
) -> Solution:
    """Of the smooth minima the best few whose sharp objectives differ, each followed to the end."""
    with np.errstate(all="ignore"):
        residuals = problems.residuals(found.theta)
    blunt = np.array([objective.value(row, problems.weights) for row in residuals])
    chosen: list[int] = []
    for index in np.argsort(blunt, kind="stable"):
        if np.isfinite(blunt[index]) and (
            not chosen or blunt[index] > (1.0 + DISTINCT) * blunt[chosen[-1]]
        ):
            chosen.append(int(index))
    ends = [
        sharpen(problems, objective, found.theta[index], design.lower, design.upper)
        for index in chosen[:MOST_SHARPENED]
    ]
    if not ends:
        raise ValueError(NOWHERE_FINITE)
    ends.sort(key=lambda end: end.value)
    best = ends[0]
    agreeing = sum(end.value <= best.value * (1.0 + SAME) for end in ends)
    others = [end.theta for end in ends if end.value > best.value * (1.0 + SAME)]
    return Solution(
        best.theta,
        best.value,
        best.certified,
        best.subgradient,
        starts,
        agreeing,
        np.array(others).reshape(-1, len(best.theta)),
    )
