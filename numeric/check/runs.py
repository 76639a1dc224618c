r"""The derived envelope against the compute laws that the same runs allow.

A params+tokens law fitted to runs implies their compute-optimal envelope E + C0 C^-alpha and, along any fixed ratio D/N, a ray
law. Three approaches reach a compute law without it: the frontier runs, isoFLOP minima, and runs at a fixed ratio. Each is set
beside what the theory predicts for it, by the relative difference in loss over the compute that its runs cover.

That difference is what the data can tell. The exponent alpha and C0 can be far less certain than the curve, for they trade off
against E: with few budgets, or less than two decades of compute, many triples draw one curve. Both are reported; the verdict goes
by the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UNIT_INTERVAL, ArgumentError, outside, positive_number
from ..fit.objective import Objective
from ..fit.power_law import fit_power_law
from ..fit.resample import FEW_GROUPS, LEAST_GROUPS
from ..law import Law
from ..results import Estimate
from ..words import counted
from .approaches import (
    LEAST_BUDGETS,
    LEAST_SPAN,
    FixedRatio,
    Frontier,
    Isoflop,
    envelopes,
)
from .band import CANNOT_TELL, CONSISTENT, INCONSISTENT
from .clusters import geometric_mean
from .comparison import Comparison, about, beyond_chance
from .isoflop import IsoflopDesign, describe, find_budgets
from .laws import Laws
from .paired import PairedSamples, allocation_exponents, draw_paired, nothing_drawn, sound
from .phrases import flop, percent, round_percent
from .rays import at_ratio, find_rays, preferred
from .resamples import Noise
from .runs_result import CurveCheck, PowerLawCheck, RunsCheck, ToleranceMeaning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.result import Fit
    from .approaches import Approach
    from .rays import Ray

    Floats = NDArray[np.float64]

__all__ = ["check_runs"]

APPROACHES = ("frontier", "isoflop", "fixed-ratio")
#: The largest relative difference in loss at which two curves are said to agree.
TOLERANCE = 0.01
LEVEL = 0.9
LEAST_RESAMPLES = 20
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the noise.
LEAST_SPARE = 15
#: A frontier of fewer runs has too little beyond the three coefficients to be judged.
LEAST_FRONTIER = 6
#: So many rays where none are chosen: those around and above the optimum.
MOST_RAYS = 3
LEAST_RAY_RUNS = 5
#: A ratio that fewer of the runs share is one by chance.
LEAST_RAY_SHARE = 0.1
#: More runs than so many times the points (params, tokens) are repetitions that a word is due to.
MOST_REPEATS = 3
#: Ratios that one message names.
MOST_NAMED = 12
NO_OPTIMUM = "the params-tokens law that fits best has lost a term, and with it its optimum: vary params and tokens apart"


def check_runs(
    runs: Any,
    *,
    objective: str | Objective = "huber-log",
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = LEVEL,
    tolerance: float = TOLERANCE,
    budget_tolerance: float = 0.1,
    ratio_tolerance: float = 0.1,
    ratios: Sequence[float] | None = None,
    progress: bool = False,
) -> RunsCheck:
    r"""Fit the params+tokens law, derive its envelope, and set it beside every compute law that the runs allow.

    Parameters
    ----------
    runs : Runs, or anything that `Runs.read` accepts
        Training runs with params, tokens and loss; where they have a `group`, residuals are drawn from one group for another,
        and of fewer than four groups nothing can be told.
    objective : str or Objective
        Of the joint fit; not "pinball-log", whose quantile is not what minima and frontiers estimate.
    bootstrap : int
        Number of resamples, at least 20.
    seed : int
        Of the resamples, at least 0.
    level : float
        Of intervals and bands, between 0 and 1.
    tolerance : float
        Largest relative difference in loss that counts as agreement; > 0.
    budget_tolerance, ratio_tolerance : float
        Runs share a budget, or a ratio D/N, where the largest exceeds the smallest by at most this share; > 0.
    ratios : sequence of float, optional
        The D/N whose runs are compared with their ray, each within `ratio_tolerance` of that of at least five runs over a factor
        10 of compute; > 0. By default at most three of those that a tenth of the runs share: the one nearest the D*/N* of the
        fitted law at the geometric mean of the runs' compute, then those above it, then those below, on either side those with
        the most runs first, of as many runs the nearest to the optimum. What is left out is in `RunsCheck.ratios_left_out`.
    progress : bool
        Show a progress bar on the standard error.

    Returns
    -------
    RunsCheck

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the params+tokens law cannot be fitted to the runs.

    Notes
    -----
    Points of an approach are moved along the fitted law to where the theory speaks (`isoflop.numeric.check`), which takes off
    the bias of parabolas and of staircases. Every resample draws new residuals about the fitted law and refits the joint law and
    the empirical laws alike: what they have in common drops out of their difference. In that world the law holds, so the median
    difference there, as the selection of the lowest runs brings about, is taken off, and the scatter about it makes the band.

    Intervals of what the joint law implies are those of the bootstrap of runs, or of groups (`Fit.bootstrap`).

    The band over an approach's range of compute is simultaneous, at a level that Bonferroni's inequality makes
    simultaneous over the approaches as well. A verdict is *consistent* where the band lies within the tolerance of 0
    throughout, *inconsistent* where it lies wholly outside somewhere, else *cannot tell*. Overall: inconsistent where any
    approach is; else consistent where at least one is, the others having nothing to say against it; else cannot tell.

    By the envelope theorem the loss hardly feels the allocation: N*(C) and D*(C) through the isoFLOP minima are compared with
    the derived ones by their paired differences, beside the verdict and without a say in it.

    A KeyboardInterrupt ends the resampling; the result is that of the resamples so far and says so.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> law = Law(E=1.8, A=480.0, B=2100.0, beta=0.35, gamma=0.37)
    >>> budgets, sizes = np.meshgrid(np.geomspace(1e18, 1e22, 5), np.geomspace(0.25, 4.0, 7))
    >>> params = sizes * law.envelope.params(budgets)
    >>> tokens = budgets / (6.0 * params)
    >>> losses = law.loss(params, tokens) * np.exp(0.002 * np.random.default_rng(1).standard_normal(params.shape))
    >>> data = {"N": params.ravel(), "D": tokens.ravel(), "L": losses.ravel()}
    >>> check_runs(data, bootstrap=200).verdict
    'consistent'
    """
    from ..fit.fitting import fit

    objective = _objective(objective)
    bootstrap, seed = _whole("bootstrap", bootstrap, LEAST_RESAMPLES), _whole("seed", seed, 0)
    tolerance, level = positive_number("tolerance", tolerance), positive_number("level", level)
    if not level < 1.0:
        raise outside("level", level, UNIT_INTERVAL)
    shares = positive_number("budget_tolerance", budget_tolerance), positive_number("ratio_tolerance", ratio_tolerance)
    chosen = None if ratios is None else _ratios(ratios)

    fitted = fit(runs, model="params-tokens", objective=objective)
    found = fitted.runs
    laws = Laws.of([fitted.coefficients[name] for name in ("E", "A", "B", "beta", "gamma")])
    if not sound(laws)[0]:
        raise ValueError(f"{found.source}: {NO_OPTIMUM}")
    compute = _compute(found)
    budgets = find_budgets(found.params, found.tokens, compute, tolerance=shares[0])
    spare = len(found) - int(fitted.free.sum())
    reason = _unfit(fitted, spare)
    approaches: list[Approach] = []
    left_out: tuple[float, ...] = ()
    law = Law(**fitted.coefficients, name=fitted.name, source=fitted.source)
    if reason:
        refused = [CurveCheck.refused(name, reason, n_runs=0) for name in APPROACHES]
    else:
        approaches, refused = _approaches(found, compute, budgets, laws)
        optimum = float(law.envelope.tokens_per_param(geometric_mean(compute)))
        rays, left_out, no_rays = _rays(found, compute, optimum, shares[1], chosen)
        approaches += [FixedRatio(ray, found.params, found.tokens, compute, objective) for ray in rays]
        refused += [CurveCheck.refused("fixed-ratio", no_rays, n_runs=0)] if no_rays else []
    predicted = laws.losses(found.params, found.tokens)[0]
    noise = Noise.of(found.loss, predicted, found.params, found.tokens, found.group, spare)
    drawn = draw_paired(fitted, noise, approaches, bootstrap, seed, progress=progress) if approaches else nothing_drawn(laws)
    # Where nothing can be judged no resample says more; where there is but no approach, those of the joint law still do.
    wanted = 0 if reason else max(drawn.done, LEAST_RESAMPLES) if approaches else bootstrap
    resampled, done, stopped = _resampled_laws(fitted, drawn, wanted, seed)

    band_level = 1.0 - (1.0 - level) / max(1, len(approaches))
    checks = [
        Comparison(approach, approach.estimate(found.loss[None], found.weight, laws), sample, level).check(
            band_level, tolerance, _described(approach, found.loss)
        )
        for approach, sample in zip(approaches, drawn.curves, strict=True)
    ]
    checks = sorted([*checks, *refused], key=lambda check: APPROACHES.index(check.approach))
    derived = _derived(laws, resampled, level)
    allocation = _allocation(approaches, found, laws, drawn, derived, level)
    return RunsCheck(
        fit=fitted,
        law=law,
        derived=derived,
        empirical=tuple(checks),
        budgets=describe(budgets, budgets.minima(found.loss, found.weight), budgets.biases(laws, found.weight)),
        allocation=allocation,
        ratios_left_out=left_out,
        verdict=_overall(checks, converged=fitted.converged),
        n_runs=len(found),
        dropped=tuple(found.dropped),
        warnings=(
            *found.warnings,
            *_warnings(fitted, drawn, bootstrap),
            *_corrections(checks, tolerance),
            *_of_allocation(allocation),
        ),
        objective=objective,
        tolerance=tolerance,
        tolerance_means=ToleranceMeaning.of(law, geometric_mean(compute), tolerance),
        level=level,
        band_level=band_level,
        compared=len(approaches),
        bootstrap=bootstrap,
        n_resamples=drawn.done if approaches else done,
        interrupted=stopped or bool(approaches and drawn.done < bootstrap),
        seed=seed,
    )


# -- what the runs allow -----------------------------------------------------------------------------------------------


def _compute(runs: Runs) -> Floats:
    from .. import formulas

    return np.asarray(formulas.compute(runs.params, runs.tokens) if runs.compute is None else runs.compute)


def _unfit(fitted: Fit, spare: int) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the joint law; takes at least {LEAST_SPARE}"
    groups = _groups(fitted.runs)
    if groups is not None and groups < LEAST_GROUPS:
        return f"the runs come in {counted(groups, 'group')}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    found = fitted.identifiability()
    if not found.identified:
        return f"the runs do not determine the params-tokens law; takes {', '.join(found.remedies) or 'another design'}"
    return ""


def _groups(runs: Runs) -> int | None:
    """How many groups there are; None where the runs have none."""
    return None if runs.group is None else len(np.unique(runs.group.astype(str)))


def _approaches(runs: Runs, compute: Floats, budgets: IsoflopDesign, laws: Laws) -> tuple[list[Approach], list[CurveCheck]]:
    """Frontier and isoFLOP minima where the runs allow them, and a line for each that they do not."""
    found: list[Approach] = []
    refused: list[CurveCheck] = []

    front = Frontier(runs.params, runs.tokens, compute)
    chosen = front.chosen(runs.loss)
    span = float(compute[chosen].max() / compute[chosen].min())
    if chosen.sum() >= LEAST_FRONTIER and span >= LEAST_SPAN:
        found.append(front)
    else:
        number = int(chosen.sum())
        over = f" over a factor {span:.3g} of compute" if number > 1 else ""
        reason = (
            f"{counted(number, 'run')} on the frontier{over}; takes at least {LEAST_FRONTIER} over a factor {LEAST_SPAN:g} of "
            f"compute"
        )
        refused.append(CurveCheck.refused("frontier", reason, n_runs=int(chosen.sum())))

    minima = budgets.minima(runs.loss, runs.weight)
    usable = budgets.some(budgets.corrected(minima, budgets.biases(laws, runs.weight)).valid[0])
    if len(usable) >= LEAST_BUDGETS and usable.compute[-1] >= LEAST_SPAN * usable.compute[0]:
        found.append(Isoflop(usable))
    else:
        reason = (
            f"{counted(len(budgets), 'budget')} with five sizes or more over a factor 2, {len(usable)} with a minimum within "
            f"the sizes; takes at least {LEAST_BUDGETS} with one, over a factor {LEAST_SPAN:g} of compute"
        )
        refused.append(CurveCheck.refused("isoflop", reason, n_runs=sum(map(len, usable.members))))

    return found, refused


def _rays(
    runs: Runs, compute: Floats, optimum: float, tolerance: float, chosen: tuple[float, ...] | None
) -> tuple[list[Ray], tuple[float, ...], str]:
    """The rays to compare, the ratios of those that are left out, and why there is none; empty where there is one.

    Raises
    ------
    ValueError
        Where a chosen ratio has no ray, or two have the same.
    """

    def found(least_runs: int) -> list[Ray]:
        return find_rays(
            runs.params,
            runs.tokens,
            compute,
            tolerance=tolerance,
            least_budgets=LEAST_RAY_RUNS,
            least_runs=least_runs,
            least_span=LEAST_SPAN,
        )

    least_runs = max(LEAST_RAY_RUNS, ceil(LEAST_RAY_SHARE * len(runs)))
    usual = found(least_runs)
    if chosen is None:
        shown = preferred(usual, optimum, MOST_RAYS)
    else:
        every, shown = found(LEAST_RAY_RUNS), []
        for ratio in chosen:
            ray = at_ratio(every, ratio, tolerance)
            if ray is None:
                raise ArgumentError("ratios", ratio, complaint=f"{_no_ray(every, tolerance)}")
            if any(ray is other for other in shown):
                complaint = f"names the runs at D/N = {ray.tokens_per_param:.3g} once more"
                raise ArgumentError("ratios", ratio, complaint=complaint)
            shown.append(ray)
        shown.sort(key=lambda ray: ray.tokens_per_param)
    taken = {ray.tokens_per_param for ray in shown}
    left_out = tuple(ray.tokens_per_param for ray in usual if ray.tokens_per_param not in taken)
    reason = (
        f"no {least_runs} runs with D/N within {round_percent(tolerance)} of one another, at {LEAST_RAY_RUNS} or more values of "
        f"compute over a factor {LEAST_SPAN:g}"
    )
    return shown, left_out, "" if shown else reason


def _no_ray(rays: list[Ray], tolerance: float) -> str:
    needed = (
        f"must be the D/N, within {round_percent(tolerance)}, of at least {LEAST_RAY_RUNS} runs at as many values of compute "
        f"over a factor {LEAST_SPAN:g}"
    )
    if not rays:
        return f"{needed}; these runs have no such D/N"
    named = sorted(sorted(rays, key=lambda ray: -len(ray.members))[:MOST_NAMED], key=lambda ray: ray.tokens_per_param)
    rest = f" and {len(rays) - len(named)} more" if len(rays) > len(named) else ""
    return f"{needed}: {', '.join(f'{ray.tokens_per_param:.3g}' for ray in named)}{rest}"


def _ratios(ratios: Any) -> tuple[float, ...]:
    """The chosen ratios as positive numbers."""
    listed = ratios if isinstance(ratios, (Sequence, np.ndarray)) and not isinstance(ratios, str) else [ratios]
    found = tuple(positive_number("ratios", ratio) for ratio in listed)
    if not found:
        raise outside("ratios", ratios, "at least one positive finite number, or None")
    return found


def _described(approach: Approach, losses: Floats) -> dict[str, Any]:
    """What is said of an approach whatever comes out."""
    if isinstance(approach, Isoflop):
        return {"n_runs": sum(map(len, approach.design.members)), "n_budgets": len(approach.design)}
    if isinstance(approach, FixedRatio):
        return {"n_runs": len(approach.ray.members), "tokens_per_param": approach.ray.tokens_per_param}
    assert isinstance(approach, Frontier)
    return {"n_runs": int(approach.chosen(losses).sum())}


# -- together ----------------------------------------------------------------------------------------------------------


def _resampled_laws(fitted: Fit, drawn: PairedSamples, wanted: int, seed: int) -> tuple[Laws, int, bool]:
    """The joint law refitted to so many resamples of runs (or groups), how many were drawn, and whether that was interrupted.

    The paired resamples keep the design and know the noise from the residuals alone: good for differences, too narrow for the
    law. Of few groups neither says anything: there is no law then.
    """
    groups = _groups(fitted.runs)
    if not wanted or (groups is not None and groups < LEAST_GROUPS):
        return drawn.laws.some(slice(0)), 0, False
    try:
        found = fitted.bootstrap(wanted, seed=seed)
    except KeyboardInterrupt:
        return drawn.laws, 0, True
    except ValueError:  # no refit reached a minimum
        return drawn.laws, wanted, False
    laws = Laws.of(found.coefficients)
    kept = sound(laws)
    used = Laws(*(part[kept] for part in laws)) if kept.any() else drawn.laws
    return used, found.done, found.interrupted


def _derived(laws: Laws, drawn: Laws, level: float) -> dict[str, Estimate]:
    """What the joint law implies, with percentile intervals, none where nothing was drawn."""
    here, there = envelopes(laws), envelopes(drawn)
    return {
        "alpha": Estimate.of_draws(here.alpha[0], there.alpha, level),
        "C0": Estimate.of_draws(here.log_C0[0], there.log_C0, level).mapped(exp),
        "E": Estimate.of_draws(here.E[0], there.E, level),
        "params_exponent": Estimate.of_draws(laws.params_share[0], drawn.params_share, level),
        "tokens_exponent": Estimate.of_draws(laws.tokens_share[0], drawn.tokens_share, level),
    }


def _allocation(
    approaches: list[Approach],
    runs: Runs,
    laws: Laws,
    drawn: PairedSamples,
    derived: dict[str, Estimate],
    level: float,
) -> tuple[PowerLawCheck, ...]:
    """N*(C) and D*(C) by power laws through the minima, raw and corrected, beside the derived exponents."""
    design = next((approach.design for approach in approaches if isinstance(approach, Isoflop)), None)
    if design is None:
        return ()
    raw = design.minima(runs.loss, runs.weight)
    corrected = design.corrected(raw, design.biases(laws, runs.weight))
    here = allocation_exponents(design, runs.loss[None], runs.weight, laws)[0]
    known = np.isfinite(drawn.exponents).all(axis=1)
    checks = []
    for k, name in enumerate(("params", "tokens")):
        exponents = drawn.exponents[known, k]
        differences = exponents - getattr(drawn.laws, f"{name}_share")[known]
        checks.append(
            PowerLawCheck(
                quantity=name,
                raw=fit_power_law(design.compute, np.exp(getattr(raw, f"log_{name}")[0])),
                corrected=fit_power_law(design.compute, np.exp(getattr(corrected, f"log_{name}")[0])),
                exponent=about(here[k] - np.median(differences), exponents, level),
                derived=derived[f"{name}_exponent"],
                difference=beyond_chance(here[k] - float(getattr(laws, f"{name}_share")[0]), differences, level),
            )
        )
    return tuple(checks)


def _overall(checks: list[CurveCheck], *, converged: bool) -> str:
    verdicts = {check.verdict for check in checks}
    if not converged:
        return CANNOT_TELL
    return next((found for found in (INCONSISTENT, CONSISTENT) if found in verdicts), CANNOT_TELL)


def _warnings(fitted: Fit, drawn: PairedSamples, bootstrap: int) -> Iterator[str]:
    if not fitted.converged:
        yield "the params-tokens fit is not certified to be a minimum: no verdict rests on it"
    if fitted.at_bound:
        yield f"at a bound in the params-tokens fit: {', '.join(fitted.at_bound)}"
    if drawn.curves and drawn.done < bootstrap:
        yield f"interrupted: {drawn.done} of {bootstrap} resamples"
    if repeated := _repeated(fitted.runs):
        yield repeated
    if drawn.lost:
        yield f"{drawn.lost} of {drawn.done} resamples left out: the joint law did not converge there, or lost a term"
    groups = _groups(fitted.runs)
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
        f"{len(runs)} runs at {points} points (params, tokens) count as independent; where those of a point differ in more than "
        f"the seed, as in learning rate, choose the best of each, or name a column that tells which belong together as group"
    )


def _corrections(checks: list[CurveCheck], tolerance: float) -> Iterator[str]:
    for check in checks:
        if (largest := check.largest_correction) is not None and abs(largest.share) > tolerance:
            yield (
                f"{check.name}: the correction, {percent(largest.share, sign=True)} at {flop(largest.compute)} FLOP, is larger "
                f"than the tolerance of {round_percent(tolerance)} and rests on the law under test"
            )


def _of_allocation(allocation: tuple[PowerLawCheck, ...]) -> Iterator[str]:
    found = " and ".join(f"{'N' if check.quantity == 'params' else 'D'}*(C)" for check in allocation if check.differs)
    if found:
        yield (
            f"the allocation differs: the exponent of {found} through the isoFLOP minima is not the derived one; the loss hardly "
            f"depends on the allocation about the optimum, so the verdict does not see it"
        )


def _objective(objective: str | Objective) -> Objective:
    found = objective if isinstance(objective, Objective) else Objective(name=objective)
    if found.name == "pinball-log":
        raise ArgumentError(
            "objective", found.name, complaint="is for a quantile; frontier and isoFLOP minima take one for the centre"
        )
    return found


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise outside(name, value, f"a whole number of at least {least}")
    return int(value.__index__())
