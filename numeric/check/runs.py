r"""The derived envelope against the compute laws that the same runs allow.

A params+tokens law fitted to runs implies their compute-optimal envelope E + C0 C^-alpha and, along
any fixed ratio D/N, a ray law. Three approaches reach a compute law without it: the frontier runs,
isoFLOP minima, and runs at a fixed ratio. Each is set beside what the theory predicts for it, by
the relative difference in loss over the compute that its runs cover.

That difference is what the data can tell. The exponent alpha and C0 can be far less certain than
the curve, for they trade off against E: with few budgets, or less than two decades of compute, many
triples draw one curve. Both are reported; the verdict goes by the curve.
"""

from __future__ import annotations

from math import ceil, exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import UNIT_INTERVAL, outside, positive_number, whole_number
from ..fit.objective import Objective
from ..fit.resample import FEW_GROUPS, LEAST_GROUPS
from ..law import Law
from ..results import Estimate, percentiles
from ..words import counted
from .approaches import (
    LEAST_BUDGETS,
    LEAST_SPAN,
    Approach,
    FixedRatio,
    Frontier,
    chosen_rays,
    frontier,
    geometric_mean,
)
from .band import (
    CANNOT_TELL,
    CONSISTENT,
    INCONSISTENT,
    SIGNED,
    flop,
    reason,
    round_percent,
    simultaneous_band,
    verdict,
)
from .isoflop import Isoflop, IsoflopDesign, find_budgets
from .lack_of_fit import lack_of_fit
from .laws import Laws, RunsBudget
from .paired import Noise, draw_paired, lines_of, nothing_drawn
from .result import AllocationCheck, CurveCheck, RunsCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.fit import Fit
    from .paired import CurveDraws, PairedDraws

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
APPROACHES = ("frontier", "isoflop", "fixed-ratio")
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
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = LEVEL,
    tolerance: float = TOLERANCE,
    ratios: Sequence[float] | None = None,
    compute: float | None = None,
    progress: bool = False,
) -> RunsCheck:
    r"""Fit the params+tokens law, derive its envelope, and set it beside every compute law that the
    runs allow.

    Parameters
    ----------
    runs : Runs, or anything that `Runs.read` accepts
        Training runs with params, tokens and loss; where they have a `group`, residuals are drawn
        from one group for another, and of fewer than four groups nothing can be told.
    objective : str or Objective
        Of the joint fit.
    bootstrap : int
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
    RunsCheck

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the params+tokens law cannot be fitted to the
        runs.

    Notes
    -----
    Points of an approach are moved along the fitted law to where the theory speaks
    (`isoflop.numeric.check`), which takes off the bias of parabolas and of staircases. Every
    resample draws new residuals about the fitted law and refits the joint law and the empirical
    laws alike: what they have in common drops out of their difference. In that world the law holds,
    so the median difference there, as the selection of the lowest runs brings about, is taken off,
    and the scatter about it makes the band.

    Intervals of what the joint law implies are those of the bootstrap of runs, or of groups
    (`Fit.bootstrap`).

    The law itself is held against its runs by their residuals (`lack_of_fit`): a hump in the loss
    about one budget bends all approaches alike, and the comparison of curves does not see it.

    Where the table gives a compute that is not 6ND, the budget is the power law kappa N^a D^d
    through it, and envelope, N* and D* are meant under that.

    The band over an approach's range of compute is simultaneous, at a level that Bonferroni's
    inequality makes simultaneous over the approaches as well. A verdict is *consistent* where the
    band lies within the tolerance of 0 throughout, *inconsistent* where it lies wholly outside
    somewhere, else *cannot tell*. Overall: inconsistent where any approach is, or where the law does
    not fit its runs; else consistent where at least one approach is, the others having nothing to
    say against it; else cannot tell.

    By the envelope theorem the loss hardly feels the allocation: N*(C) and D*(C) through the
    isoFLOP minima are compared with the derived ones by their paired differences, beside the
    verdict and without a say in it.

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
    >>> check(data, bootstrap=200).verdict
    'consistent'
    """
    from ..fit.fit import fit

    objective = _objective(objective)
    bootstrap = whole_number("bootstrap", bootstrap, LEAST_RESAMPLES)
    seed = whole_number("seed", seed, 0)
    tolerance, level = positive_number("tolerance", tolerance), positive_number("level", level)
    if not level < 1.0:
        raise outside("level", level, UNIT_INTERVAL)

    fitted = fit(runs, model="params-tokens", objective=objective)
    rows = fitted.runs
    spent = formulas.compute(rows.params, rows.tokens) if rows.compute is None else rows.compute
    at = float(spent.max()) if compute is None else positive_number("compute", compute)
    budget = RunsBudget.of(rows.params, rows.tokens, spent)
    laws = Laws.of([fitted.coefficients[name] for name in NAMES], budget)
    if not laws.sound[0]:
        raise ValueError(f"{rows.source}: {NO_OPTIMUM}")
    law = Law(name=fitted.name, source=fitted.source, **dict[str, Any](fitted.coefficients))
    budgets = find_budgets(rows.params, rows.tokens, spent, TOGETHER)
    candidates: list[Approach | CurveCheck] = []
    if unfit := _unfit(fitted):
        candidates += (CurveCheck(approach=name, reason=unfit) for name in APPROACHES)
    else:
        centre = np.array([geometric_mean(spent)])
        optimum = float(laws.tokens(centre)[0, 0] / laws.params(centre)[0, 0])
        rays, no_rays = chosen_rays(rows.params, rows.tokens, spent, optimum, TOGETHER, ratios)
        candidates += (_frontier(rows, spent), _isoflop(rows, budgets, laws))
        candidates += (FixedRatio(ray, rows.params, rows.tokens, spent, objective) for ray in rays)
        candidates += [CurveCheck(approach="fixed-ratio", reason=no_rays)] if no_rays else []
    approaches = [each for each in candidates if isinstance(each, Approach)]
    refused = [each for each in candidates if isinstance(each, CurveCheck)]
    predicted = laws.losses(rows.params, rows.tokens)[0]
    noise = Noise.of(rows.loss, predicted, rows.params, rows.tokens, rows.group, _spare(fitted))
    drawn = nothing_drawn(laws)
    if approaches:
        drawn = draw_paired(fitted, budget, noise, approaches, bootstrap, seed, progress=progress)
    # Where nothing can be judged no resample says more; where there is but no approach, those of
    # the joint law still do.
    wanted = 0 if unfit else max(drawn.done, LEAST_RESAMPLES) if approaches else bootstrap
    resampled, done, stopped = _resampled_laws(fitted, drawn, wanted, seed)

    levels = {
        "level": level,
        "band_level": 1.0 - (1.0 - level) / max(1, len(approaches)),
        "tolerance": tolerance,
    }
    checks = [
        *refused,
        *(
            compared(approach, rows.loss, rows.weight, laws, draws, at, **levels)
            for approach, draws in zip(approaches, drawn.curves, strict=True)
        ),
    ]
    checks.sort(key=lambda check: APPROACHES.index(check.approach))
    derived = _derived(laws, resampled, level)
    isoflop = next((each for each in approaches if isinstance(each, Isoflop)), None)
    misfit = None
    if not unfit:
        misfit = lack_of_fit(
            rows.params, rows.tokens, spent, rows.loss, law, group=rows.group, seed=seed
        )
    found = [check.verdict for check in checks]
    if misfit is not None and misfit.matters(tolerance):
        found.append(INCONSISTENT)
    return RunsCheck(
        fit=fitted,
        law=law,
        laws=laws,
        derived=derived,
        empirical=tuple(checks),
        lack_of_fit=misfit,
        budgets=budgets.described(rows.loss, rows.weight, laws),
        allocation=()
        if isoflop is None
        else _allocation(isoflop, rows, laws, drawn, derived, level),
        compute=at,
        verdict=_overall(found, converged=fitted.converged),
        n_runs=len(rows),
        dropped=tuple(rows.dropped),
        warnings=(
            *rows.warnings,
            *_warnings(fitted, budget, drawn, bootstrap),
            *_corrections(checks, tolerance),
        ),
        objective=objective,
        bootstrap=bootstrap,
        n_resamples=drawn.done if approaches else done,
        interrupted=stopped or bool(approaches and drawn.done < bootstrap),
        seed=seed,
        **levels,
    )


# -- together ------------------------------------------------------------------------------------


def _resampled_laws(
    fitted: Fit, drawn: PairedDraws, wanted: int, seed: int
) -> tuple[Laws, int, bool]:
    """The joint law refitted to so many resamples of runs (or groups), how many were drawn, and
    whether that was interrupted.

    The paired resamples keep the design and know the noise from the residuals alone: good for
    differences, too narrow for the law. Of few groups neither says anything: there is no law then.
    """
    groups = _group_count(fitted.runs)
    if not wanted or (groups is not None and groups < LEAST_GROUPS):
        return drawn.laws.some(slice(0)), 0, False
    try:
        draws = fitted.resampled(wanted, seed=seed).drawn
    except KeyboardInterrupt:
        return drawn.laws, 0, True
    except ValueError:  # no refit reached a minimum
        return drawn.laws, wanted, False
    laws = Laws.of(draws.coefficients, drawn.laws.budget)
    used = laws.some(laws.sound) if laws.sound.any() else drawn.laws
    return used, draws.done, draws.interrupted


def _derived(laws: Laws, drawn: Laws, level: float) -> dict[str, Estimate]:
    """What the joint law implies, with percentile intervals, none where nothing was drawn."""

    def estimate(of: Any) -> Estimate:
        return Estimate.of_draws(of(laws)[0], of(drawn), level)

    return {
        "alpha": estimate(lambda each: each.envelopes.alpha),
        "C0": estimate(lambda each: each.envelopes.log_C0).mapped(exp),
        "E": estimate(lambda each: each.E),
        "params_exponent": estimate(lambda each: each.shares[:, 0]),
        "tokens_exponent": estimate(lambda each: each.shares[:, 1]),
    }


def _allocation(
    isoflop: Isoflop,
    runs: Runs,
    laws: Laws,
    drawn: PairedDraws,
    derived: dict[str, Estimate],
    level: float,
) -> tuple[AllocationCheck, ...]:
    """The exponents of N*(C) and D*(C) through the corrected minima beside the derived ones."""
    here = lines_of(isoflop, runs.loss[None], runs.weight, laws)
    known = np.isfinite(drawn.exponents).all(axis=1)
    exponents = drawn.exponents[known]
    differences = exponents - drawn.laws.shares[known]
    return tuple(
        AllocationCheck(
            quantity=name,
            exponent=about(here[k].slope[0] - np.median(differences[:, k]), exponents[:, k], level),
            derived=derived[f"{name}_exponent"],
            difference=beyond_chance(
                here[k].slope[0] - laws.shares[0, k], differences[:, k], level
            ),
        )
        for k, name in enumerate(("params", "tokens"))
    )


def _overall(verdicts: list[str], *, converged: bool) -> str:
    told = verdicts if converged else []
    return next((word for word in (INCONSISTENT, CONSISTENT) if word in told), CANNOT_TELL)


def _warnings(fitted: Fit, budget: RunsBudget, drawn: PairedDraws, bootstrap: int) -> Iterator[str]:
    if not fitted.converged:
        yield "the params-tokens fit is not certified to be a minimum: no verdict rests on it"
    if fitted.at_bound:
        yield f"at a bound in the params-tokens fit: {', '.join(fitted.at_bound)}"
    if not budget.is_6nd:
        yield f"the compute of the runs is not 6ND: the budget is {budget}"
    if drawn.curves and drawn.done < bootstrap:
        yield f"interrupted: {drawn.done} of {bootstrap} resamples"
    if repeated := _repeated(fitted.runs):
        yield repeated
    if drawn.lost:
        yield f"{drawn.lost} of {drawn.done} resamples left out: the joint law did not converge there, or lost a term"
    groups = _group_count(fitted.runs)
    if groups is not None and groups < LEAST_GROUPS:
        yield f"the runs come in {counted(groups, 'group')}: too few for bands and intervals"
    elif groups is not None and groups < FEW_GROUPS:
        yield f"the runs come in {groups} groups: with fewer than {FEW_GROUPS} every interval and band is rough"


def _repeated(runs: Runs) -> str:
    """What is to be known of many runs at few points; empty where they are few, or come in groups."""
    points = len(np.unique(np.stack([runs.params, runs.tokens]), axis=1).T)
    if runs.group is not None or len(runs) <= MOST_REPEATS * points:
        return ""
    return (
        f"{len(runs)} runs at {points} points (params, tokens) count as independent; where those "
        f"of a point differ in more than "
        f"the seed, as in learning rate, choose the best of each, or name a column that tells "
        f"which belong together as group"
    )


def _corrections(checks: list[CurveCheck], tolerance: float) -> Iterator[str]:
    for check in checks:
        if check.correction is not None and abs(check.correction[0]) > tolerance:
            share, compute = check.correction
            yield (
                f"{check.name}: the correction, {SIGNED.text(share)} at {flop(compute)}, exceeds "
                f"the tolerance and rests on the law under test"
            )


def _objective(objective: str | Objective) -> Objective:
    return objective if isinstance(objective, Objective) else Objective(name=objective)


# -- which approaches ------------------------------------------------------------------------------


def _spare(fitted: Fit) -> int:
    """Runs beyond the free coefficients of the joint law."""
    return len(fitted.runs) - int(fitted.free.sum())


def _group_count(runs: Runs) -> int | None:
    """How many groups there are; None where the runs have none."""
    return None if runs.group is None else len(np.unique(runs.group.astype(str)))


def _unfit(fitted: Fit) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    spare, groups = _spare(fitted), _group_count(fitted.runs)
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


def _frontier(runs: Runs, compute: Floats) -> Frontier | CurveCheck:
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


def _isoflop(runs: Runs, budgets: IsoflopDesign, laws: Laws) -> Isoflop | CurveCheck:
    usable = budgets.some(budgets.corrected_minima(runs.loss, runs.weight, laws).valid[0])
    if len(usable) >= LEAST_BUDGETS and usable.compute[-1] >= LEAST_SPAN * usable.compute[0]:
        return Isoflop(usable)
    reason = (
        f"{counted(len(budgets), 'budget')} with five sizes or more over a factor 2, {len(usable)} "
        f"with a minimum within the sizes; takes at least {LEAST_BUDGETS} with one, over a factor "
        f"{LEAST_SPAN:g} of compute"
    )
    return CurveCheck(approach="isoflop", reason=reason, n_runs=sum(map(len, usable.members)))


# -- one approach ----------------------------------------------------------------------------------


def compared(
    approach: Approach,
    losses: Floats,
    weights: Floats | None,
    laws: Laws,
    draws: CurveDraws,
    at: float,
    *,
    level: float,
    band_level: float,
    tolerance: float,
) -> CurveCheck:
    """The verdict on one approach with everything it rests on, from the losses (n,) and the draws;
    N*, D* and L* at a compute.
    """
    described = {"approach": approach.name, **approach.described(losses)}
    estimates = approach.estimate(losses[None], weights, laws)
    if not estimates.valid[0]:
        return CurveCheck(reason="the compute law through its points did not converge", **described)
    usable, needed = len(draws.difference), ceil(LEAST_BEYOND / (1.0 - band_level))
    if usable < needed:
        few = f"too few resamples gave a compute law, {usable}: a band at {round_percent(band_level)} takes {needed}"
        return CurveCheck(reason=few, **described)
    compute, centre = approach.grid, np.median(draws.difference, axis=0)
    curve = estimates.difference(compute)[0] - centre
    band = simultaneous_band(curve, draws.difference - centre, band_level)
    # Every resample has its own law: what is common to all is what selection does.
    empirical, predicted = estimates.moved.table()[0], estimates.predicted.table()[0]
    differences = draws.empirical - draws.predicted
    unbiased = empirical - np.median(differences, axis=0)
    sizes = [
        float(np.exp(line.intercept[0] + line.slope[0] * log(at)))
        for line in lines_of(approach, losses[None], weights, laws)
    ]
    return CurveCheck(
        verdict=verdict(band, tolerance),
        reason=reason(band, compute, tolerance),
        law=estimates.moved.law(name=approach.name),
        predicted_law=estimates.predicted.law(name=f"{approach.name}, predicted"),
        alpha=about(unbiased[2], draws.empirical[:, 2], level),
        alpha_difference=beyond_chance(empirical[2] - predicted[2], differences[:, 2], level),
        params=sizes[0] if sizes else None,
        tokens=sizes[1] if sizes else None,
        loss=float(estimates.moved.losses(np.array([at]))[0, 0]),
        compute=compute,
        band=band,
        correction=approach.points(losses[None], weights, laws).largest_correction(
            approach.compute
        ),
        **described,
    )


def about(value: float, resampled: Floats, level: float) -> Estimate:
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
