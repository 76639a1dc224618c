r"""The derived envelope against the compute laws that the same runs allow: the frontier, isoFLOP
minima and runs at a fixed ratio, each beside what the theory predicts for it.

The relative difference in loss over the compute that the runs cover is what the data can tell: the
exponent alpha and C0 trade off against E, and with few budgets many triples draw one curve. Both are
reported; the verdict goes by the curve.
"""

from __future__ import annotations

from math import ceil, exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import positive_number, whole_number
from ..fit.fit import fit
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS
from ..law import Law
from ..law.file import beyond
from ..law.form import COMPUTE
from ..results import DEFAULT_LEVEL, Estimate, checked_level, percentiles
from ..words import counted
from .approaches import FixedRatio, Isoflop, find_budgets, find_frontier, find_ray
from .band import CANNOT_TELL, CONSISTENT, INCONSISTENT, reason, simultaneous_band, verdict
from .lack_of_fit import lack_of_fit
from .laws import SIX_ND, Laws, RunsBudget
from .paired import Noise, PairedDraws, draw_paired
from .result import AllocationCheck, Check, CurveCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ..fit import Fit
    from .approaches import Approach, Estimates

    Floats = NDArray[np.float64]

__all__ = ["check"]

#: The largest relative difference in loss at which two curves are said to agree.
TOLERANCE = 0.01
NAMES = ("E", "A", "B", "beta", "gamma")
LEAST_RESAMPLES = 20
#: More runs than so many times the points (params, tokens) are repetitions that a word is due to.
MOST_REPEATS = 3
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the
#: noise.
LEAST_SPARE = 15
#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2
NO_OPTIMUM = "the params-tokens law that fits best has lost a term, and with it its optimum: vary params and tokens apart"


def check(
    runs: Any,
    *,
    objective: str | Objective = "huber-log",
    draws: int = 1000,
    seed: int = 0,
    level: float = DEFAULT_LEVEL,
    tolerance: float = TOLERANCE,
    compute: float | None = None,
    progress: bool = False,
) -> Check:
    r"""Fit the params+tokens law, derive its envelope, and set it beside every compute law that the
    runs allow.

    Parameters
    ----------
    runs : Runs, or anything that `Runs.read` accepts
        Training runs with params, tokens and loss; where they have a `group`, residuals are drawn
        from one group for another, and of fewer than four groups nothing can be told.
    objective : str or Objective
        Of the joint fit.
    draws : int
        Number of resamples, at least 20.
    seed : int
        Of the resamples, at least 0.
    level : float
        Of intervals and bands, between 0 and 1.
    tolerance : float
        Largest relative difference in loss that counts as agreement; > 0.
    compute : float, optional
        At which N*, D* and L* of all approaches are given, FLOP, > 0; by default the largest of the
        runs.
    progress : bool
        Show a progress bar on the standard error.

    Returns
    -------
    Check

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the params+tokens law cannot be fitted to the
        runs.

    Notes
    -----
    Points of an approach are moved along the fitted law to where the theory speaks, which takes off
    the bias of parabolas and of staircases (`isoflop.numeric.check.approaches`). Every resample draws
    new residuals about the fitted law and refits the joint law and the empirical laws alike: what
    they have in common drops out of their difference (`isoflop.numeric.check.paired`). In that world
    the law holds, so the median difference there, as the selection of the lowest runs brings about,
    is taken off, and the scatter about it makes the band. It is simultaneous over an approach's range
    of compute, and by Bonferroni's inequality over the approaches. The law itself is held against
    its runs by their residuals (`isoflop.numeric.check.lack_of_fit`). Where the table gives a compute
    that is not 6ND, the budget is the power law kappa N^a D^d through it.

    A verdict is *consistent* where the band lies within the tolerance of 0 throughout, *inconsistent*
    where it lies outside somewhere, else *cannot tell*. Overall: inconsistent where any approach is,
    or where the law does not fit its runs; else consistent where at least one approach is; else
    cannot tell. By the envelope theorem the loss hardly feels the allocation: N*(C) and D*(C) through
    the isoFLOP minima are compared beside the verdict and without a say in it.

    A KeyboardInterrupt ends the resampling; the result is that of the resamples so far and says so.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> law = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
    >>> budgets, sizes = np.meshgrid(np.geomspace(1e18, 1e22, 5), np.geomspace(0.25, 4.0, 7))
    >>> params = sizes * law.envelope.params(budgets)
    >>> tokens = budgets / (6.0 * params)
    >>> losses = law.loss(params, tokens) * np.exp(
    ...     0.002 * np.random.default_rng(1).standard_normal(params.shape)
    ... )
    >>> data = {"N": params.ravel(), "D": tokens.ravel(), "L": losses.ravel()}
    >>> check(data, draws=200).verdict
    'consistent'
    """
    objective = objective if isinstance(objective, Objective) else Objective(name=objective)
    draws, seed = whole_number("draws", draws, LEAST_RESAMPLES), whole_number("seed", seed, 0)
    tolerance, level = positive_number("tolerance", tolerance), checked_level(level)

    fitted = fit(runs, model="params-tokens", objective=objective)
    rows = fitted.runs
    spent = formulas.compute(rows.params, rows.tokens) if rows.compute is None else rows.compute
    at = float(spent.max()) if compute is None else positive_number("compute", compute)
    budget = RunsBudget.of(rows.params, rows.tokens, spent)
    laws = Laws(fitted.solution.values[None], budget)
    if not laws.sound[0]:
        raise ValueError(f"{rows.source}: {NO_OPTIMUM}")
    profiles, unfit = find_budgets(rows.params, rows.tokens, spent), _unfit(fitted)
    found: list[Approach] = [
        find_frontier(rows, spent),
        profiles.usable(rows.loss, rows.weight, laws),
        find_ray(rows, spent, laws, objective),
    ]
    approaches = [] if unfit else [each for each in found if not each.lacks]
    noise = Noise.of(rows, laws.losses(rows.params, rows.tokens)[0], fitted.solution.spare)
    drawn = PairedDraws(laws[:0])
    if approaches:
        drawn = draw_paired(fitted, budget, noise, approaches, draws, seed, progress=progress)
    estimates = iter(drawn.estimates)
    band_level = 1.0 - (1.0 - level) / max(1, len(approaches))
    derived = _derived(fitted, budget, level)
    checks, allocation = list[CurveCheck](), tuple[AllocationCheck, ...]()
    for approach in found:
        if unfit or approach.lacks:
            lacks, n_runs = (unfit, 0) if unfit else (approach.lacks, approach.n_runs)
            checks.append(CurveCheck(approach=approach.name, reason=lacks, n_runs=n_runs))
            continue
        here, own = approach.estimate(rows.loss[None], rows.weight, laws), next(estimates)
        checks.append(_compared(approach, here, own, at, level, band_level, tolerance))
        if isinstance(approach, Isoflop):
            allocation = _allocation(here, own, laws, drawn.laws, derived, level)
    misfit = None
    if not unfit:
        law = fitted.model.law(fitted.coefficients)
        columns = rows.params, rows.tokens, spent, rows.loss
        misfit = lack_of_fit(*columns, law, group=rows.group, seed=seed)
    verdicts = [each.verdict for each in checks] if fitted.converged else []
    if fitted.converged and misfit is not None and misfit.matters(tolerance):
        verdicts.append(INCONSISTENT)
    return Check(
        fit=fitted,
        laws=laws,
        derived=derived,
        empirical=tuple(checks),
        lack_of_fit=misfit,
        budgets=profiles.frame(rows.loss, rows.weight, laws),
        allocation=allocation,
        compute=at,
        verdict=next(
            (word for word in (INCONSISTENT, CONSISTENT) if word in verdicts), CANNOT_TELL
        ),
        warnings=(*fitted.warnings, *_warnings(fitted, budget, drawn, draws), *_far(spent, at)),
        tolerance=tolerance,
        level=level,
        draws=draws,
        done=drawn.done,
        seed=seed,
    )


def _derived(fitted: Fit, budget: RunsBudget, level: float) -> dict[str, Estimate]:
    """What the joint law implies, with the intervals of the fit."""

    def estimate(take: Callable[[Laws], Floats]) -> Estimate:
        def quantity(columns: Any) -> Floats:
            laws = Laws(np.stack([columns[name] for name in NAMES], axis=1), budget)
            with np.errstate(all="ignore"):  # a draw may have lost a term
                return take(laws)

        return fitted.estimate(quantity, level)

    return {
        "alpha": estimate(lambda laws: laws.envelopes.coefficients[:, 2]),
        "C0": estimate(lambda laws: np.exp(laws.envelopes.coefficients[:, 1])),
        "E": estimate(lambda laws: laws.coefficients[:, 0]),
        "params_exponent": estimate(lambda laws: laws.shares[:, 0]),
        "tokens_exponent": estimate(lambda laws: laws.shares[:, 1]),
    }


def _allocation(
    here: Estimates,
    drawn: Estimates,
    laws: Laws,
    resampled: Laws,
    derived: dict[str, Estimate],
    level: float,
) -> tuple[AllocationCheck, ...]:
    """The exponents of N*(C) and D*(C) through the corrected minima beside the derived ones."""
    known = np.isfinite(drawn.exponents).all(axis=1)
    exponents = drawn.exponents[known]
    differences = exponents - resampled.shares[known]
    unbiased = here.exponents[0] - np.median(differences, axis=0)
    excess = here.exponents[0] - laws.shares[0]
    return tuple(
        AllocationCheck(
            quantity=name,
            exponent=_about(unbiased[k], exponents[:, k], level),
            derived=derived[f"{name}_exponent"],
            difference=beyond_chance(excess[k], differences[:, k], level),
        )
        for k, name in enumerate(("params", "tokens"))
    )


def _warnings(fitted: Fit, budget: RunsBudget, drawn: PairedDraws, draws: int) -> Iterator[str]:
    if budget != SIX_ND:
        yield f"the compute of the runs is not 6ND: the budget is {budget}"
    if drawn.estimates and drawn.done < draws:
        yield f"interrupted: {drawn.done} of {draws} resamples"
    runs = fitted.runs
    points = len(np.unique(np.stack([runs.params, runs.tokens]), axis=1).T)
    if runs.group is None and len(runs) > MOST_REPEATS * points:
        yield (
            f"{len(runs)} runs at {points} points (params, tokens) count as independent; where those "
            f"of a point differ in more than the seed, choose the best of each, or name a column "
            f"that tells which belong together as group"
        )
    if drawn.lost:
        yield f"{drawn.lost} of {drawn.done} resamples left out: the joint law did not converge there, or lost a term"


def _far(spent: Floats, at: float) -> Iterator[str]:
    """The warning where N*, D* and L* are asked for far beyond the runs."""
    if far := beyond({"compute": (float(spent.min()), float(spent.max()))}, compute=at):
        yield f"N*, D* and L* at {at:.3g} FLOP are far beyond the runs: {far}"


def _unfit(fitted: Fit) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    spare, group = fitted.solution.spare, fitted.runs.group
    groups = None if group is None else len({*group.tolist()})
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the joint law; takes at least {LEAST_SPARE}"
    if groups is not None and groups < LEAST_GROUPS:
        return f"the runs come in {counted(groups, 'group')}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    if fitted.undetermined:
        return (
            f"the runs leave {', '.join(fitted.undetermined)} of the params-tokens law undetermined"
        )
    return ""


def _compared(
    approach: Approach,
    here: Estimates,
    drawn: Estimates,
    at: float,
    level: float,
    band_level: float,
    tolerance: float,
) -> CurveCheck:
    """The verdict on one approach with everything it rests on, from its estimates for the losses of
    the runs and for the resamples; N*, D* and L* at a compute.
    """
    counts: dict[str, Any] = {"approach": approach.name, "n_runs": approach.n_runs}
    if isinstance(approach, Isoflop):
        counts["n_budgets"] = len(approach.members)
    if isinstance(approach, FixedRatio):
        counts["tokens_per_param"] = approach.tokens_per_param
    if not here.valid[0]:
        return CurveCheck(reason="the compute law through its points did not converge", **counts)
    usable, needed = int(drawn.valid.sum()), ceil(LEAST_BEYOND / (1.0 - band_level))
    if usable < needed:
        few = (
            f"too few resamples gave a compute law, {usable}: a band at {100.0 * band_level:.3g} % "
            f"takes {needed}"
        )
        return CurveCheck(reason=few, **counts)
    difference = drawn.difference[drawn.valid]
    centre = np.median(difference, axis=0)
    band = simultaneous_band(here.difference[0] - centre, difference - centre, band_level)
    # Every resample has its own law: what is common to all is what selection does.
    exponents = drawn.empirical[drawn.valid, 2]
    differences = exponents - drawn.predicted[drawn.valid, 2]
    E, log_C0, alpha = here.empirical[0]
    sizes = np.exp(here.intercepts[0] + here.exponents[0] * log(at))
    return CurveCheck(
        verdict=verdict(band, tolerance),
        reason=reason(band, approach.grid, tolerance),
        law=_compute_law(here.empirical[0], approach.name),
        predicted_law=_compute_law(here.predicted[0], f"{approach.name}, predicted"),
        alpha=_about(alpha - np.median(differences), exponents, level),
        params=float(sizes[0]) if np.isfinite(sizes[0]) else None,
        tokens=float(sizes[1]) if np.isfinite(sizes[1]) else None,
        loss=float(E + exp(log_C0 - alpha * log(at))),
        compute=approach.grid,
        band=band,
        **counts,
    )


def _compute_law(row: Floats, name: str) -> Law:
    E, log_C0, alpha = row.tolist()
    return Law(form=COMPUTE, E=E, C0=exp(log_C0), alpha=alpha, name=name)


def _about(value: float, resampled: Floats, level: float) -> Estimate:
    """The value with the quantiles of the deviations of the resamples from their median."""
    low, high = percentiles(resampled - np.median(resampled), level)
    return Estimate(float(value), float(value + low), float(value + high), level=level)


def beyond_chance(difference: float, resampled: Floats, level: float) -> Estimate:
    """How far a difference goes beyond what the resamples, in which the law holds, bring about by
    chance.

    The interval excludes 0 just where the difference is outside the central `level` of the
    resampled ones; their median is taken off the value.
    """
    low, high = percentiles(resampled, level)
    excess = float(difference - np.median(resampled))
    return Estimate(excess, float(difference - high), float(difference - low), level=level)
