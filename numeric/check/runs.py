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
from ..errors import (
    UNIT_INTERVAL,
    ArgumentError,
    outside,
    positive_array,
    positive_number,
    whole_number,
)
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS
from ..law import Law
from ..law.form import COMPUTE
from ..results import Estimate, percentiles
from ..words import counted
from .approaches import (
    LEAST_BUDGETS,
    LEAST_RUNS,
    LEAST_SPAN,
    Approach,
    FixedRatio,
    Frontier,
    Isoflop,
    find_budgets,
    find_rays,
    frontier,
)
from .band import CANNOT_TELL, CONSISTENT, INCONSISTENT, reason, simultaneous_band, verdict
from .lack_of_fit import lack_of_fit
from .laws import SIX_ND, Laws, RunsBudget
from .paired import Noise, PairedDraws, draw_paired
from .result import AllocationCheck, Check, CurveCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..fit import Fit
    from .approaches import Estimates

    Floats = NDArray[np.float64]

__all__ = ["check"]

#: The largest relative difference in loss at which two curves are said to agree.
TOLERANCE = 0.01
#: Runs share a budget, or a ratio D/N, where the largest exceeds the smallest by at most this share.
TOGETHER = 0.1
LEVEL = 0.9
NAMES = ("E", "A", "B", "beta", "gamma")
LEAST_RESAMPLES = 20
#: More runs than so many times the points (params, tokens) are repetitions that a word is due to.
MOST_REPEATS = 3
#: A ratio that fewer of the runs share is one by chance.
LEAST_SHARE = 0.1
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the
#: noise.
LEAST_SPARE = 15
#: A frontier of fewer runs has too little beyond the three coefficients to be judged.
LEAST_FRONTIER = 6
#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2
NO_OPTIMUM = "the params-tokens law that fits best has lost a term, and with it its optimum: vary params and tokens apart"


def check(
    runs: Any,
    *,
    objective: str | Objective = "huber-log",
    draws: int = 1000,
    seed: int = 0,
    level: float = LEVEL,
    tolerance: float = TOLERANCE,
    ratios: Sequence[float] | None = None,
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
    ratios : sequence of float, optional
        The D/N whose runs are compared with their ray, each within 10 % of that of at least five
        runs over a factor 10 of compute; > 0. By default, of those that a tenth of the runs share,
        the one nearest the D*/N* of the fitted law at the geometric mean of the runs' compute.
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
    from ..fit import fit

    objective = objective if isinstance(objective, Objective) else Objective(name=objective)
    draws, seed = whole_number("draws", draws, LEAST_RESAMPLES), whole_number("seed", seed, 0)
    tolerance, level = positive_number("tolerance", tolerance), positive_number("level", level)
    if not level < 1.0:
        raise outside("level", level, UNIT_INTERVAL)

    fitted = fit(runs, model="params-tokens", objective=objective)
    rows = fitted.runs
    spent = formulas.compute(rows.params, rows.tokens) if rows.compute is None else rows.compute
    at = float(spent.max()) if compute is None else positive_number("compute", compute)
    budget = RunsBudget.of(rows.params, rows.tokens, spent)
    laws = Laws(np.array([[fitted.coefficients[name] for name in NAMES]]), budget)
    if not laws.sound[0]:
        raise ValueError(f"{rows.source}: {NO_OPTIMUM}")
    profiles = find_budgets(rows.params, rows.tokens, spent, TOGETHER)

    approaches: list[Approach] = []
    checks: list[CurveCheck] = []
    unfit = _unfit(fitted)
    if unfit:
        names = ("frontier", "isoflop", "fixed-ratio")
        checks += (CurveCheck(approach=name, reason=unfit) for name in names)
    else:
        candidates = [
            _frontier(rows, spent),
            _isoflop(rows, profiles, laws),
            *_rays(rows, spent, laws, objective, ratios),
        ]
        approaches += (each for each in candidates if isinstance(each, Approach))
        checks += (each for each in candidates if isinstance(each, CurveCheck))
    predicted = laws.losses(rows.params, rows.tokens)[0]
    noise = Noise.of(rows, predicted, fitted.solution.spare)
    drawn = PairedDraws(laws[:0])
    if approaches:
        drawn = draw_paired(fitted, budget, noise, approaches, draws, seed, progress=progress)
    band_level = 1.0 - (1.0 - level) / max(1, len(approaches))
    misfit, derived = None, _derived(fitted, budget, level)
    allocation: tuple[AllocationCheck, ...] = ()
    for approach, resamples in zip(approaches, drawn.estimates, strict=True):
        here = approach.estimate(rows.loss[None], rows.weight, laws)
        counts = _counts(approach, rows)
        checks.append(
            _compared(approach, counts, here, resamples, at, level, band_level, tolerance)
        )
        if isinstance(approach, Isoflop):
            allocation = _allocation(here, resamples, laws, drawn.laws, derived, level)
    order = ("frontier", "isoflop", "fixed-ratio")
    checks.sort(key=lambda each: order.index(each.approach))
    if not unfit:
        columns = rows.params, rows.tokens, spent, rows.loss
        misfit = lack_of_fit(
            *columns, fitted.model.law(fitted.coefficients), group=rows.group, seed=seed
        )
    found = [each.verdict for each in checks] if fitted.converged else []
    if fitted.converged and misfit is not None and misfit.matters(tolerance):
        found.append(INCONSISTENT)
    return Check(
        fit=fitted,
        laws=laws,
        derived=derived,
        empirical=tuple(checks),
        lack_of_fit=misfit,
        budgets=profiles.frame(rows.loss, rows.weight, laws),
        allocation=allocation,
        compute=at,
        verdict=next((word for word in (INCONSISTENT, CONSISTENT) if word in found), CANNOT_TELL),
        warnings=(*fitted.warnings, *_warnings(fitted, budget, drawn, draws)),
        tolerance=tolerance,
        level=level,
        draws=draws,
        done=drawn.done,
        seed=seed,
    )


# -- together --------------------------------------------------------------------------------------


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


# -- which approaches ------------------------------------------------------------------------------


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


def _frontier(runs: Any, compute: Floats) -> Frontier | CurveCheck:
    chosen = compute[frontier(compute, runs.loss)]
    span = float(chosen.max() / chosen.min())
    if len(chosen) >= LEAST_FRONTIER and span >= LEAST_SPAN:
        return Frontier(runs.params, runs.tokens, compute)
    over = f" over a factor {span:.3g} of compute" if len(chosen) > 1 else ""
    reason = (
        f"{counted(len(chosen), 'run')} on the frontier{over}; takes at least {LEAST_FRONTIER} "
        f"over a factor {LEAST_SPAN:g} of compute"
    )
    return CurveCheck(approach="frontier", reason=reason, n_runs=len(chosen))


def _isoflop(runs: Any, profiles: Isoflop, laws: Laws) -> Isoflop | CurveCheck:
    usable = profiles.some(profiles.corrected(runs.loss[None], runs.weight, laws).valid[0])
    found = len(usable.members)
    if found >= LEAST_BUDGETS and usable.compute[-1] >= LEAST_SPAN * usable.compute[0]:
        return usable
    reason = (
        f"{counted(len(profiles.members), 'budget')} with five sizes or more over a factor 2, {found} "
        f"with a minimum within the sizes; takes at least {LEAST_BUDGETS} with one, over a factor "
        f"{LEAST_SPAN:g} of compute"
    )
    return CurveCheck(approach="isoflop", reason=reason, n_runs=sum(map(len, usable.members)))


def _rays(
    runs: Any, compute: Floats, laws: Laws, objective: Objective, ratios: Sequence[float] | None
) -> list[FixedRatio | CurveCheck]:
    """The rays of the chosen ratios; without any the one nearest D*/N* at the mean compute, of those
    that a tenth of the runs share.
    """
    rays: list[FixedRatio | CurveCheck] = []
    rays += (found := find_rays(runs.params, runs.tokens, compute, TOGETHER, objective))
    over = f"at {LEAST_RUNS} or more values of compute over a factor {LEAST_SPAN:g}"
    if ratios is None:
        least = max(LEAST_RUNS, ceil(LEAST_SHARE * len(runs)))
        usual = [ray for ray in found if len(ray.members) >= least]
        if not usual:
            none = f"no {least} runs with D/N within {100 * TOGETHER:g} % of one another, {over}"
            return [CurveCheck(approach="fixed-ratio", reason=none)]
        centre = np.array([exp(np.log(compute).mean())])
        optimum = float(laws.tokens(centre)[0, 0] / laws.params(centre)[0, 0])
        return [min(usual, key=lambda ray: abs(log(ray.tokens_per_param / optimum)))]
    wanted = np.atleast_1d(positive_array("ratios", ratios))
    if not wanted.size:
        raise outside("ratios", ratios, "at least one positive finite number, or None")
    own = np.array([ray.tokens_per_param for ray in found])
    near = np.abs(np.log(own[:, None] / wanted)) <= np.log1p(TOGETHER)
    for ratio in wanted[~near.any(axis=0)]:
        known = ", ".join(f"{one:.3g}" for one in own) or "there is none"
        domain = (
            f"must be the D/N, within {100 * TOGETHER:g} %, of {LEAST_RUNS} runs {over}: {known}"
        )
        raise ArgumentError("ratios", float(ratio), complaint=domain)
    nearest = {int(np.abs(np.log(own / ratio)).argmin()) for ratio in wanted}
    return [ray for place, ray in enumerate(rays) if place in nearest]


# -- one approach ----------------------------------------------------------------------------------


def _counts(approach: Approach, runs: Any) -> dict[str, Any]:
    """How many runs an approach uses, and how many budgets or at which ratio."""
    if isinstance(approach, Isoflop):
        return {"n_runs": sum(map(len, approach.members)), "n_budgets": len(approach.members)}
    if isinstance(approach, FixedRatio):
        return {"n_runs": len(approach.members), "tokens_per_param": approach.tokens_per_param}
    return {"n_runs": int(frontier(approach.compute, runs.loss).sum())}


def _compared(
    approach: Approach,
    counts: dict[str, Any],
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
    counts = {"approach": approach.name, **counts}
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
