"""Which approaches a design of runs allows, and why not the others."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ArgumentError, outside, positive_number
from ..fit.resample import LEAST_GROUPS
from ..words import counted
from .approaches import LEAST_BUDGETS, LEAST_SPAN
from .frontier import Frontier, frontier
from .isoflop import Isoflop
from .phrases import round_percent
from .rays import FixedRatio, at_ratio, find_rays, preferred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.objective import Objective
    from ..fit.result import Fit
    from .approaches import Approach
    from .isoflop import IsoflopDesign
    from .laws import Laws
    from .rays import Ray

    Floats = NDArray[np.float64]

__all__ = ["Allowed", "allowed", "chosen_ratios", "group_count", "spare_runs", "unfit"]

APPROACHES = ("frontier", "isoflop", "fixed-ratio")
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the
#: noise.
LEAST_SPARE = 15
#: A frontier of fewer runs has too little beyond the three coefficients to be judged.
LEAST_FRONTIER = 6
#: So many rays where none are chosen: those around and above the optimum.
MOST_RAYS = 3
LEAST_RAY_RUNS = 5
#: A ratio that fewer of the runs share is one by chance.
LEAST_RAY_SHARE = 0.1
#: Ratios that one message names.
MOST_NAMED = 12


class Refusal(NamedTuple):
    """An approach that the runs do not allow, why, and how many runs it would have."""

    approach: str
    reason: str
    n_runs: int = 0


class Allowed(NamedTuple):
    """The approaches that the runs allow, those that they do not, and the ratios D/N that are left
    out.
    """

    approaches: tuple[Approach, ...]
    refusals: tuple[Refusal, ...]
    ratios_left_out: tuple[float, ...] = ()


def spare_runs(fitted: Fit) -> int:
    """Runs beyond the free coefficients of the joint law."""
    return len(fitted.runs) - int(fitted.free.sum())


def group_count(runs: Runs) -> int | None:
    """How many groups there are; None where the runs have none."""
    return None if runs.group is None else len(np.unique(runs.group.astype(str)))


def unfit(fitted: Fit) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    spare = spare_runs(fitted)
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the joint law; takes at least {LEAST_SPARE}"
    groups = group_count(fitted.runs)
    if groups is not None and groups < LEAST_GROUPS:
        return f"the runs come in {counted(groups, 'group')}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    found = fitted.identifiability()
    if not found.identified:
        return f"the runs do not determine the params-tokens law; takes {', '.join(found.remedies) or 'another design'}"
    return ""


def allowed(
    runs: Runs,
    compute: Floats,
    budgets: IsoflopDesign,
    laws: Laws,
    optimum: float,
    objective: Objective,
    ratio_tolerance: float,
    ratios: tuple[float, ...] | None,
) -> Allowed:
    """Frontier, isoFLOP minima and rays as far as the runs allow them, with the reason where they
    do not.

    Parameters
    ----------
    runs : Runs
    compute : ndarray
        (n,): of the runs.
    budgets : IsoflopDesign
    laws : Laws
        The fitted law.
    optimum : float
        D*/N* about which rays are preferred.
    objective : Objective
        Of the joint fit.
    ratio_tolerance : float
    ratios : tuple of float, optional
        The chosen ones.

    Raises
    ------
    ValueError
        Where a chosen ratio has no ray, or two have the same.
    """
    rays, left_out, no_rays = _rays(runs, compute, optimum, ratio_tolerance, ratios)
    front, minima = _frontier(runs, compute), _isoflop(runs, budgets, laws)
    found = [
        front,
        minima,
        *(FixedRatio(ray, runs.params, runs.tokens, compute, objective) for ray in rays),
    ]
    refusals = [entry for entry in (front, minima) if isinstance(entry, Refusal)]
    refusals += [Refusal("fixed-ratio", no_rays)] if no_rays else []
    return Allowed(
        tuple(entry for entry in found if not isinstance(entry, Refusal)), tuple(refusals), left_out
    )


def _frontier(runs: Runs, compute: Floats) -> Frontier | Refusal:
    front = Frontier(runs.params, runs.tokens, compute)
    chosen = compute[frontier(compute, runs.loss)]
    span = float(chosen.max() / chosen.min())
    if len(chosen) >= LEAST_FRONTIER and span >= LEAST_SPAN:
        return front
    over = f" over a factor {span:.3g} of compute" if len(chosen) > 1 else ""
    reason = (
        f"{counted(len(chosen), 'run')} on the frontier{over}; takes at least {LEAST_FRONTIER} "
        f"over a factor {LEAST_SPAN:g} of "
        f"compute"
    )
    return Refusal("frontier", reason, len(chosen))


def _isoflop(runs: Runs, budgets: IsoflopDesign, laws: Laws) -> Isoflop | Refusal:
    minima = budgets.corrected(
        budgets.minima(runs.loss, runs.weight), budgets.biases(laws, runs.weight)
    )
    usable = budgets.some(minima.valid[0])
    if len(usable) >= LEAST_BUDGETS and usable.compute[-1] >= LEAST_SPAN * usable.compute[0]:
        return Isoflop(usable)
    reason = (
        f"{counted(len(budgets), 'budget')} with five sizes or more over a factor 2, {len(usable)} "
        f"with a minimum within "
        f"the sizes; takes at least {LEAST_BUDGETS} with one, over a factor {LEAST_SPAN:g} of "
        f"compute"
    )
    return Refusal("isoflop", reason, sum(map(len, usable.members)))


def _rays(
    runs: Runs, compute: Floats, optimum: float, tolerance: float, chosen: tuple[float, ...] | None
) -> tuple[list[Ray], tuple[float, ...], str]:
    """The rays to compare, the ratios of those that are left out, and why there is none; empty
    where there is one.

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
                raise ArgumentError("ratios", ratio, complaint=_no_ray(every, tolerance))
            if any(ray is other for other in shown):
                complaint = f"names the runs at D/N = {ray.tokens_per_param:.3g} once more"
                raise ArgumentError("ratios", ratio, complaint=complaint)
            shown.append(ray)
        shown.sort(key=lambda ray: ray.tokens_per_param)
    taken = {ray.tokens_per_param for ray in shown}
    left_out = tuple(ray.tokens_per_param for ray in usual if ray.tokens_per_param not in taken)
    reason = (
        f"no {least_runs} runs with D/N within {round_percent(tolerance)} of one another, at "
        f"{LEAST_RAY_RUNS} or more values of "
        f"compute over a factor {LEAST_SPAN:g}"
    )
    return shown, left_out, "" if shown else reason


def _no_ray(rays: list[Ray], tolerance: float) -> str:
    needed = (
        f"must be the D/N, within {round_percent(tolerance)}, of at least {LEAST_RAY_RUNS} runs at "
        f"as many values of compute "
        f"over a factor {LEAST_SPAN:g}"
    )
    if not rays:
        return f"{needed}; these runs have no such D/N"
    named = sorted(
        sorted(rays, key=lambda ray: -len(ray.members))[:MOST_NAMED],
        key=lambda ray: ray.tokens_per_param,
    )
    rest = f" and {len(rays) - len(named)} more" if len(rays) > len(named) else ""
    return f"{needed}: {', '.join(f'{ray.tokens_per_param:.3g}' for ray in named)}{rest}"


def chosen_ratios(ratios: Any) -> tuple[float, ...]:
    """The chosen ratios as positive numbers."""
    listed = (
        ratios
        if isinstance(ratios, (Sequence, np.ndarray)) and not isinstance(ratios, str)
        else [ratios]
    )
    found = tuple(positive_number("ratios", ratio) for ratio in listed)
    if not found:
        raise outside("ratios", ratios, "at least one positive finite number, or None")
    return found
