"""Refits to resampled runs, many at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import whole_number
from .newton import Problems, best_of, minimise
from .objective import Clip
from .optimality import Solution
from .path import follow
from .resample import Refits, resample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .resample import Draws
    from .result import Fit

    Floats = NDArray[np.float64]

#: Other minima of the fit from which every refit starts as well.
MOST_OTHERS = 2


def refit(fit: Fit, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
    """The fit repeated with other weights, or to other observed values.

    Parameters
    ----------
    fit : Fit
        Of a params+tokens or a compute law.
    weights : ndarray of shape (K, n), optional
        How often each run is drawn; times the runs' own weights.
    observed : ndarray of shape (K, n), optional

    Returns
    -------
    Refits
        With the columns of `fit.coefficients`. All are refitted at once from the fit and its other
        minima. A refit that ends there at no certified minimum is made once more by itself, as the
        fit was. Together, those by a sharp objective are left smooth over a small share of the
        median residual; of a named law each is then followed to its sharp minimum.
    """
    own = fit.runs.weight
    if weights is None:
        drawn = own
        count = len(np.atleast_2d(observed))  # type: ignore[arg-type]
    else:
        drawn = np.asarray(weights, dtype=np.float64)
        drawn = drawn if own is None else drawn * own
        count = len(drawn)
    values = np.asarray(fit.runs.loss if observed is None else observed, dtype=np.float64)
    problems = Problems.of(fit.design.model, values, drawn, fit.objective)
    ends = [
        follow(
            problems,
            fit.objective,
            np.repeat(start[None], count, axis=0),
            fit.design.lower,
            fit.design.upper,
        )
        for start in _starts(fit)
    ]
    theta, value, done, _ = best_of(ends)
    exact = fit.objective.is_sharp and not fit.model.is_expression
    for index in range(count) if exact else np.flatnonzero(~done):
        own = drawn if drawn is None or drawn.ndim == 1 else drawn[index]
        end = _alone(fit, values if values.ndim == 1 else values[index], own, theta[index])
        if end is not None and (end.converged or end.value < value[index]):
            theta[index], value[index], done[index] = end.theta, end.value, end.converged
    return Refits(fit.design.coefficients(theta), done, value)


def _alone(fit: Fit, observed: Floats, weights: Floats | None, near: Floats) -> Solution | None:
    """Where the solver of the fit itself ends for one resample; None where it finds no law.

    By a sharp objective next to the smooth minimum at hand, if that is certified.
    """
    from .nonsmooth import sharpen

    drawn = np.arange(len(observed)) if weights is None else np.flatnonzero(weights)
    observed, weights = observed[drawn], None if weights is None else weights[drawn]
    design = replace(fit.design, model=fit.design.model.part(drawn))
    try:
        if fit.objective.is_sharp and not fit.model.is_expression:
            problem = Problems.of(design.model, observed, weights, fit.objective)
            end = sharpen(problem, fit.objective, near, design.lower, design.upper)
            if end.converged:
                return end
        return design.solve(observed, weights, fit.objective, fit.coefficients)
    except ValueError:
        return None


def _starts(fit: Fit) -> list[Floats]:
    """The fit, its other minima, and the least squares fit: where a resample draws outliers often,
    its minimum is near that.
    """
    found = [fit.theta, *fit.solution.others[:MOST_OTHERS]]
    if not fit.objective.is_square:
        squares = fit.problems.with_clip(Clip(2.0, -np.inf, np.inf))
        found.append(
            minimise(squares, fit.theta[None], fit.design.lower, fit.design.upper).theta[0]
        )
    return found


def bootstrap(
    fit: Fit,
    repeats: int = 1000,
    *,
    seed: int = 0,
    progress: bool = False,
    jobs: int = 1,
) -> Draws:
    """Resample the runs, whole groups of them where they have a group, refit, repeat.

    Parameters
    ----------
    fit : Fit
    repeats : int
        How many resamples.
    seed : int
        The draws are the same for every number of jobs.
    progress : bool
        Show a bar on the standard error.
    jobs : int
        Processes; more than one needs joblib, whose backends (loky, dask, ray) then run the
        batches.

    Returns
    -------
    Draws
        Of the resamples that were done where it is interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, there are fewer than four groups, or the fit leaves
        coefficients undetermined: its resamples would tell about the search, not about the runs.
    """
    repeats = whole_number("repeats", repeats, 1)
    if fit.undetermined:
        raise ValueError(f"bootstrap: the runs leave {', '.join(fit.undetermined)} undetermined")
    draws = resample(fit, repeats, by=fit.runs.group, seed=seed, jobs=jobs, progress=progress)
    if not len(draws):
        raise ValueError(
            f"bootstrap: none of {draws.failed} refits reached a minimum; the runs do not "
            f"determine the law"
        )
    return draws
