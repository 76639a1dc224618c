r"""The derived envelope against the compute laws that the same runs allow: the frontier, isoFLOP
minima and runs at a fixed ratio, each beside what the theory predicts for it.

Exponents trade off against E, and with few budgets many triples E, C0, alpha draw one curve. So the
verdict goes by the relative difference in loss over the compute of the runs.
"""

from __future__ import annotations

from math import ceil, exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Shortest
from .. import formulas
from ..errors import positive_number, whole_number
from ..fit.fit import fit
from ..fit.resample import LEAST_GROUPS
from ..law.file import beyond
from ..results import DEFAULT_LEVEL, Estimate, checked_level, percentiles
from ..words import counted
from .approaches import (
    Approach,
    Rows,
    find_frontier,
    find_minima,
    find_profiles,
    find_ray,
)
from .lack_of_fit import lack_of_fit
from .laws import SIX_ND, RunsBudget
from .paired import Noise, Resamples, banded, is_sound, resample
from .result import CANNOT_TELL, COLUMNS, CONSISTENT, INCONSISTENT, Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..fit import Fit

    Floats = NDArray[np.float64]

__all__ = ["check"]

#: The largest relative difference in loss at which two curves are said to agree.
TOLERANCE = 0.01
#: Exponents of N*(C) that differ by less are the same.
SAME_EXPONENT = 0.01
LEAST_RESAMPLES = 20
#: Runs beyond the coefficients of the joint law, at least: with fewer its residuals do not show the
#: noise.
LEAST_SPARE = 15
#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2
EMPTY: dict[str, Any] = dict.fromkeys(column.key for column in COLUMNS)
NO_OPTIMUM = (
    "the params-tokens law that fits best has lost a term, and with it its optimum: vary params and "
    "tokens apart"
)


def check(
    runs: Any,
    *,
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
    new residuals about the fitted law and refits the joint law and the empirical laws alike
    (`isoflop.numeric.check.paired`). In that world the law holds, so the median difference there, as
    the selection of the lowest runs brings about, is taken off, and the scatter about it makes the
    band, simultaneous over the compute and, by Bonferroni's inequality, over the approaches. The law
    itself is held against its runs by their residuals (`isoflop.numeric.check.lack_of_fit`). Where the
    table gives a compute that is not 6ND, the budget is the power law kappa N^a D^d through it.

    A KeyboardInterrupt ends the resampling; the result is that of the resamples so far and says so.

    Examples
    --------
    >>> from isoflop.numeric.simulate.losses import simulate_losses
    >>> check(simulate_losses(seed=2024), draws=200).verdict
    'consistent'
    """
    from pandas import DataFrame

    draws, seed = whole_number("draws", draws, LEAST_RESAMPLES), whole_number("seed", seed, 0)
    tolerance, level = positive_number("tolerance", tolerance), checked_level(level)

    fitted = fit(runs)
    read = fitted.runs
    spent = formulas.compute(read.params, read.tokens) if read.compute is None else read.compute
    at = float(spent.max()) if compute is None else positive_number("compute", compute)
    if not is_sound(fitted.solution.values[None])[0]:
        raise ValueError(f"{read.source}: {NO_OPTIMUM}")
    budget = RunsBudget.of(read.params, read.tokens, spent)
    law = budget.law(**fitted.coefficients)
    weights = np.ones(len(read)) if read.weight is None else read.weight
    rows = Rows(*budget.scaled(read.params, read.tokens), spent, read.loss, weights)
    profiles, unfit = find_profiles(rows), _unfit(fitted)
    found = [
        find_frontier(rows),
        find_minima(profiles, law),
        find_ray(rows, budget, law),
    ]
    if unfit:
        found = [Approach({**each.row, "n_runs": 0, "reason": unfit}) for each in found]
    able, drawn, misfit = [each for each in found if not each.row["reason"]], Resamples({}), None
    if able:
        noise = Noise.of(read, law.loss(rows.params, rows.tokens), fitted.solution.spare)
        drawn = resample(fitted, budget, noise, able, draws, seed, progress=progress)
    if not unfit:
        misfit = lack_of_fit(read, spent, fitted.model.law(fitted.coefficients), seed=seed)

    params, tokens = budget.unscaled(law.N_opt(at), law.D_opt(at))
    derived = {
        "approach": "params+tokens",
        "name": "params+tokens",
        "n_runs": len(read),
        "verdict": "",
        "E": law.E,
    }
    derived |= {"C0": law.envelope.coefficient, "loss": law.L_opt(at)}
    derived |= {"params": params, "tokens": tokens}
    derived["params_exponent"] = law.envelope.params_share / budget.a
    derived["alpha"] = fitted.estimate(
        lambda own: formulas.exponent(own["beta"] / budget.a, own["gamma"] / budget.d), level
    )
    table, curves = [EMPTY | derived], dict[str, DataFrame]()
    band_level = 1.0 - (1.0 - level) / max(1, len(able))
    for each in found:
        table.append(row := EMPTY | {"verdict": CANNOT_TELL} | each.row)
        if each in able:
            name, here = row["approach"], each.estimate(rows.loss[None], law)
            resampled = drawn.estimates[name].query("valid")
            row["reason"] = _too_few(here, resampled, band_level)
            if not row["reason"]:
                row |= _numbers(here, resampled, budget, at, level)
                curves[name] = banded(each.compute, here, resampled, band_level)
                row |= _judged(curves[name], tolerance)
    verdicts = {row["verdict"] for row in table}
    if misfit is not None and misfit.matters(tolerance):
        verdicts.add(INCONSISTENT)
    first = [word for word in (INCONSISTENT, CONSISTENT) if word in verdicts and fitted.converged]
    notes = _notes(table, fitted, budget, spent, at, drawn, draws)
    return Check(
        fit=fitted,
        budget=budget,
        compute=at,
        rows=table,
        curves=curves,
        budgets=profiles.table(law, budget),
        lack_of_fit=misfit,
        verdict=[*first, CANNOT_TELL][0],
        notes=tuple(notes),
        tolerance=tolerance,
        level=level,
        draws=draws,
        done=drawn.done,
        seed=seed,
    )


def _unfit(fitted: Fit) -> str:
    """Why there is nothing to compare, or nothing to judge it by; empty where there is."""
    spare, group = fitted.solution.spare, fitted.runs.group
    groups = LEAST_GROUPS if group is None else len({*group.tolist()})
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the law; takes {LEAST_SPARE}"
    if groups < LEAST_GROUPS:
        few = counted(groups, "group")
        return f"the runs come in {few}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    left = ", ".join(fitted.undetermined)
    return f"the runs leave {left} of the params-tokens law undetermined" if left else ""


def _too_few(here: DataFrame, resampled: DataFrame, band_level: float) -> str:
    """Why the compute laws through the points of an approach tell nothing; empty where they do."""
    usable, needed = len(resampled), ceil(LEAST_BEYOND / (1.0 - band_level))
    if not here.valid[0]:
        return "the compute law through its points did not converge"
    band = f"a band at {100.0 * band_level:.3g} % takes {needed}"
    few = f"too few resamples gave a compute law, {usable}: {band}"
    return few if usable < needed else ""


def _judged(curve: DataFrame, tolerance: float) -> dict[str, Any]:
    """The verdict on a curve with its band, where and why, and the largest difference with the ends
    of the band: consistent where the band lies within the tolerance of 0 throughout, inconsistent
    where it lies outside anywhere.
    """
    compute, value, low, high = (curve[x].to_numpy() for x in ("compute", "difference", "lo", "hi"))
    beyond, reach = np.maximum(low, -high), np.maximum(-low, high)
    share, signed = Percent(places=2).text, Percent(places=2, sign=True).text
    within, verdict, reason = f"the tolerance of {100 * tolerance:.3g} %", CONSISTENT, ""
    if beyond.max() > tolerance:
        at, verdict = int(beyond.argmax()), INCONSISTENT
        place, ends = Shortest(2).text(compute[at]), f"[{signed(low[at])}, {signed(high[at])}]"
        reason = f"the difference is {signed(value[at])} {ends} at {place} FLOP, outside {within}"
    elif reach.max() > tolerance:
        at, verdict = int(reach.argmax()), CANNOT_TELL
        place = Shortest(2).text(compute[at])
        reason = f"the band reaches {share(reach[at])} at {place} FLOP, beyond {within}"
    most = value[np.abs(value).argmax()]
    found = Estimate(float(most), float(low.min()), float(high.max()))
    return {"difference": found, "verdict": verdict, "reason": reason}


def _numbers(
    here: DataFrame, resampled: DataFrame, budget: RunsBudget, at: float, level: float
) -> dict[str, Any]:
    """The compute law of an approach, N*, D* and L* at a compute, and the exponent of N*(C) beside the
    derived one, from the estimates for the losses of the runs and for the resamples.
    """
    own = here.iloc[0]
    numbers = {"E": own.E, "C0": exp(own.log_C0)}
    numbers["loss"] = own.E + exp(own.log_C0 - own.alpha * log(at))
    alphas, by_selection = resampled.alpha, resampled.alpha - resampled.alpha_predicted
    alpha = own.alpha - by_selection.median()
    low, high = percentiles(alphas - alphas.median(), level)
    numbers["alpha"] = Estimate(alpha, float(alpha + low), float(alpha + high))
    if np.isfinite(own.exponent):
        size = exp(own.level + own.exponent * log(at))
        numbers["params"], numbers["tokens"] = budget.unscaled(size, at / (6.0 * size))
        excess = (own.exponent - own.share) / budget.a
        by_chance = (resampled.exponent - resampled.share) / budget.a
        middle, (low, high) = by_chance.median(), percentiles(by_chance, level)
        # Excludes 0 just where the difference is outside of what chance brings about.
        numbers["excess"] = Estimate(excess - middle, float(excess - high), float(excess - low))
        numbers["params_exponent"] = own.exponent / budget.a - middle
    return numbers


def _notes(
    table: list[dict[str, Any]],
    fitted: Fit,
    budget: RunsBudget,
    spent: Floats,
    at: float,
    drawn: Resamples,
    draws: int,
) -> Iterator[str]:
    """What a reader has to know besides the verdict."""
    derived, _, minima, _ = table
    excess = minima["excess"]
    if excess and excess.excludes(0.0) and abs(excess.value) > SAME_EXPONENT:
        yield (
            f"N*(C) through the isoFLOP minima grows as C^{minima['params_exponent']:.3f}, by the law "
            f"as C^{derived['params_exponent']:.3f}: they differ beyond chance"
        )
    yield from fitted.warnings
    if budget != SIX_ND:
        yield f"the compute of the runs is not 6ND: the budget is {budget}"
    if 0 < drawn.done < draws:
        yield f"interrupted: {drawn.done} of {draws} resamples"
    if drawn.lost:
        yield f"{drawn.lost} of {drawn.done} resamples left out: their joint law did not converge"
    if far := beyond({"compute": (float(spent.min()), float(spent.max()))}, compute=at):
        yield f"N*, D* and L* at {at:.3g} FLOP are far beyond the runs: {far}"
    if dropped := len(fitted.runs.dropped):
        yield f"{counted(dropped, 'row')} dropped"
