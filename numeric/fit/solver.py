"""The best minimum of one fit: starts, follow each to the objective's own minimum, compare, certify.

What differs between forms is how starts are found, and each model says that itself: power terms by
a grid of their exponents, an expression by many draws. A law is infinitely bad where it is not
finite, or not positive under an objective of its logarithm.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .models import Expression
from .newton import Problems, minimise, values
from .nonsmooth import sharpen
from .optimality import FLAT, NO_SUBGRADIENT, Solution, objections
from .path import NARROWEST, follow, freed, joined, median_residuals, stirred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .models import Design
    from .newton import Ends
    from .objective import Objective

    Floats = NDArray[np.float64]

NOWHERE_FINITE = (
    "runs: the law and its errors are finite numbers at no start; is a quantity in an impossible "
    "unit, or an exponent too large?"
)
LEAST, MOST = 1e-100, 1e100
#: A residual beyond so many medians is an outlier that may have led squares astray.
OUTLYING = 12.0
#: Minima whose objectives differ by less than the first share are one; than the second, equal.
SAME, EQUAL = 1e-7, 1e-12
#: With as few runs, and for a sharp objective, starts are sought by the objective itself as well,
#: which then has many minima, smooth over this many median absolute residuals.
FEW, NARROW = 128, 0.5
#: Points around the best minimum are followed then, at distances in these multiples of the
#: parameters' own spread.
STIRRING_SCALES = (0.3, 5.0)
#: Of a sharp objective, this many of the best smooth minima are followed to the end, those above
#: the best by no more than a share of it: the end is lower by far less.
MOST_SHARPENED, DISTINCT, HOPEFUL = 5, 1e-3, 0.1
#: More runs than this are first fitted on a sample of them; so many minima are followed on all.
LARGE, SAMPLE, FOLLOWED = 20_000, 4_096, 2
#: Of the first steps from a start of the caller's, and how many there are at most.
DAMPINGS, FAR = (1e-2, 1.0), 300


def solve(
    design: Design,
    observed: Floats,
    weights: Floats | None,
    objective: Objective,
    near: Floats | None = None,
    *,
    seed: int = 0,
) -> Solution:
    """The best minimum that the starts lead to.

    Parameters
    ----------
    design : Design
    observed, weights : ndarray
        (n,); runs of weight 0 are left out.
    objective : Objective
    near : ndarray, optional
        (K, p): starts, in place of those that are sought.
    seed : int
        Of starts that are drawn.

    Raises
    ------
    ValueError
        Where no law is a number at the runs, or no float holds the squares of what is observed.
    """
    model: Any = design.model
    if weights is not None and not weights.all():
        counted = np.flatnonzero(weights)
        model, observed, weights = model.part(counted), observed[counted], weights[counted]
    if np.abs(observed).max() >= MOST or (objective.in_logs and observed.min() <= LEAST):
        raise ValueError(NOWHERE_FINITE)
    search = replace(design, model=model)
    with np.errstate(all="ignore"):
        if model.size > LARGE:
            problems, minima, starts = _on_sample(search, observed, weights, objective, near, seed)
        else:
            problems, minima = _minima(search, observed, weights, objective, near, seed)
            minima = freed(problems, objective, minima, design.lower, design.upper)
            starts = len(minima.value)
        if objective.is_sharp:
            return _sharp(search, problems, objective, minima, starts)
        return _smooth(search, problems, minima, starts, near)


def _minima(
    design: Design,
    observed: Floats,
    weights: Floats | None,
    objective: Objective,
    near: Floats | None,
    seed: int,
) -> tuple[Problems, Ends]:
    """The smooth minima that the starts lead to, one each."""
    model, lower, upper = design.model, design.lower, design.upper
    problems = Problems.of(model, observed, weights, objective)
    squares = np.ones_like(observed) if weights is None else weights
    if objective.in_logs:
        squares = squares / observed**2
    if near is None:
        begun = model.starts(observed, squares, lower, upper, seed=seed)
    else:
        begun = model.refined(near, observed, squares, lower, upper)
    few = objective.is_sharp or len(observed) <= FEW
    if len(begun) and not objective.is_square and near is None:
        size = np.abs(problems.residuals(begun[:1]))[0]
        middle = float(median_residuals(problems, begun[:1])[0, 0])
        if few or float(size.max()) > OUTLYING * middle:
            # Once more with the weights of an absolute deviation, which outliers do not lead
            # astray.
            robust = squares / np.maximum(size, 0.1 * middle)

            def judge(points: Floats) -> Floats:
                return values(problems.with_clip(objective.clip(NARROW * middle)), points)

            more = model.starts(
                observed, robust, lower, upper, judge=judge if few else None, seed=seed
            )
            begun = np.concatenate([begun, more]) if few else more
    if not np.isfinite(values(problems, begun)).any():
        raise ValueError(NOWHERE_FINITE)
    if near is None:
        minima = follow(problems, objective, begun, lower, upper)
    else:  # it may be far: by steps of either length, which lead to different minima
        minima = joined(
            *(
                follow(problems, objective, begun, lower, upper, settle=FAR, damping=damping)
                for damping in DAMPINGS
            )
        )
    if few and not objective.is_square:
        best = minima.theta[int(np.argmin(minima.value))]
        around = stirred(problems, best, lower, upper, STIRRING_SCALES)
        minima = joined(minima, follow(problems, objective, around, lower, upper))
    return problems, minima


def _on_sample(
    design: Design,
    observed: Floats,
    weights: Floats | None,
    objective: Objective,
    near: Floats | None,
    seed: int,
) -> tuple[Problems, Ends, int]:
    """Minima of a sample of the runs, spread evenly over the order of what is observed; the best of
    them over all runs.
    """
    sample = np.argsort(observed, kind="stable")[:: max(1, len(observed) // SAMPLE)]
    part = replace(design, model=design.model.part(sample))
    drawn = None if weights is None else weights[sample]
    _, minima = _minima(part, observed[sample], drawn, objective, near, seed)
    order = np.argsort(minima.value, kind="stable")
    least = minima.value[order[0]] * (1.0 + SAME)
    begun = minima.theta[[order[0], *order[minima.value[order] > least]][:FOLLOWED]]
    problems = Problems.of(design.model, observed, weights, objective)
    smooth = objective.clip()
    if objective.is_sharp:
        smooth = objective.clip(NARROWEST * float(median_residuals(problems, begun[:1])[0, 0]))
    found = minimise(problems.with_clip(smooth), begun, design.lower, design.upper)
    return problems, found, len(minima.value)


def _smooth(
    design: Design, problems: Problems, minima: Ends, starts: int, near: Floats | None
) -> Solution:
    order = np.argsort(minima.value, kind="stable")
    best = int(order[0])
    rounding = float(problems.rounding[0])
    if near is not None:  # terms that may change places make equal minima
        equal = minima.value <= minima.value[best] * (1.0 + EQUAL) + rounding
        equal &= minima.done | ~minima.done[best]
        distance = np.linalg.norm((minima.theta - near[0]) / (np.abs(near[0]) + 1e-300), axis=1)
        best = int(np.argmin(np.where(equal, distance, np.inf)))
    value = float(minima.value[best])
    close = minima.value <= value + SAME * abs(value) + rounding
    theta = minima.theta[best]
    reasons = _objections(design, problems, theta, done=bool(minima.done[best]))
    return Solution(
        theta=theta,
        value=value,
        converged=not reasons,
        certificate=max(float(minima.decrement[best]) - rounding, 0.0) / max(value, 1e-300),
        starts=starts,
        agreeing=int(close.sum()),
        others=minima.theta[[index for index in order if not close[index]]],
        reason="; ".join(reasons),
    )


def _sharp(
    design: Design, problems: Problems, objective: Objective, minima: Ends, starts: int
) -> Solution:
    """Of the smooth minima the best few whose sharp objectives differ, each followed to the end."""
    residuals = problems.residuals(minima.theta)
    blunt = np.array([objective.value(row, problems.weights) for row in residuals])
    chosen: list[int] = []
    for index in np.argsort(blunt, kind="stable"):
        if not chosen or (
            (1.0 + DISTINCT) * blunt[chosen[-1]]
            < blunt[index]
            <= (1.0 + HOPEFUL) * blunt[chosen[0]]
        ):
            chosen.append(int(index))
    ends = [
        sharpen(problems, objective, minima.theta[index], design.lower, design.upper)
        for index in chosen[:MOST_SHARPENED]
    ]
    ends.sort(key=lambda end: end.value)
    best, close = ends[0], ends[0].value * (1.0 + SAME)
    width = NARROWEST * float(median_residuals(problems, best.theta[None])[0, 0])
    smooth = problems.with_clip(objective.clip(width))
    reasons: tuple[str, ...] = () if best.converged else (NO_SUBGRADIENT,)
    reasons += tuple(
        reason for reason in _objections(design, smooth, best.theta, done=True) if reason == FLAT
    )
    others = [end.theta for end in ends if end.value > close]
    return replace(
        best,
        converged=not reasons,
        starts=starts,
        agreeing=sum(end.value <= close for end in ends),
        others=np.array(others).reshape(-1, len(best.theta)),
        reason="; ".join(reasons),
    )


def _objections(
    design: Design, problems: Problems, theta: Floats, *, done: bool
) -> tuple[str, ...]:
    """What speaks against a minimum. Of power terms what the runs leave open is told apart from
    that, by `identify`.
    """
    flat = isinstance(design.terms, Expression)
    return objections(problems, theta, design.lower, design.upper, done=done, flat=flat)
