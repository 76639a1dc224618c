"""Which approaches a design of runs allows, and why not the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..fit.resample import LEAST_GROUPS
from ..words import counted
from .approaches import LEAST_BUDGETS, LEAST_SPAN
from .frontier import Frontier, frontier
from .isoflop import Isoflop
from .rays import FixedRatio, chosen_rays
from .runs_result import CurveCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.runs import Runs
    from ..fit.objective import Objective
    from ..fit.result import Fit
    from .approaches import Approach
    from .isoflop import IsoflopDesign
    from .laws import Laws

    Floats = NDArray[np.float64]

__all__ = ["APPROACHES", "Allowed", "allowed", "group_count", "spare_runs", "unfit"]

APPROACHES = ("frontier", "isoflop", "fixed-ratio")
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the
#: noise.
LEAST_SPARE = 15
#: A frontier of fewer runs has too little beyond the three coefficients to be judged.
LEAST_FRONTIER = 6


class Allowed(NamedTuple):
    """The approaches that the runs allow, the checks of those that they do not, and the ratios D/N
    that are left out.
    """

    approaches: tuple[Approach, ...]
    refused: tuple[CurveCheck, ...]
    ratios_left_out: tuple[float, ...] = ()


def spare_runs(fitted: Fit) -> int:
    """Runs beyond the free coefficients of the joint law."""
    return len(fitted.runs) - int(fitted.free.sum())


def group_count(runs: Runs) -> int | None:
    """How many groups there are; None where the runs have none."""
    return None if runs.group is None else len(np.unique(runs.group.astype(str)))


def unfit(fitted: Fit) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    spare, groups = spare_runs(fitted), group_count(fitted.runs)
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the joint law; takes at least {LEAST_SPARE}"
    if groups is not None and groups < LEAST_GROUPS:
        return f"the runs come in {counted(groups, 'group')}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    if (told := fitted.identifiability()).identified:
        return ""
    return f"the runs do not determine the params-tokens law; takes {', '.join(told.remedies) or 'another design'}"


def allowed(
    runs: Runs,
    compute: Floats,
    budgets: IsoflopDesign,
    laws: Laws,
    optimum: float,
    objective: Objective,
    ratio_tolerance: float,
    ratios: Sequence[float] | None,
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
    ratios : sequence of float, optional
        The chosen ones.

    Raises
    ------
    ValueError
        Where a chosen ratio has no ray.
    """
    rays, left_out, no_rays = chosen_rays(
        runs.params, runs.tokens, compute, optimum, ratio_tolerance, ratios
    )
    candidates: list[Approach | CurveCheck] = [
        _frontier(runs, compute),
        _isoflop(runs, budgets, laws),
        *(FixedRatio(ray, runs.params, runs.tokens, compute, objective) for ray in rays),
    ]
    if no_rays:
        candidates.append(CurveCheck(approach="fixed-ratio", reason=no_rays))
    refused = tuple(each for each in candidates if isinstance(each, CurveCheck))
    approaches = tuple(each for each in candidates if not isinstance(each, CurveCheck))
    return Allowed(approaches, refused, left_out)


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
