r"""The derived envelope against the compute laws that the same runs allow.

A params+tokens law fitted to runs implies their compute-optimal envelope E + C0 C^-alpha and, along any fixed ratio D/N, a ray law.
Three approaches reach a compute law without it: the frontier runs, isoFLOP minima, and runs at a fixed ratio. Each is set
beside what the theory predicts for it, by the relative difference in loss over the compute that its runs cover.

That difference is what the data can tell. The exponent alpha and C0 can be far less certain than the curve, for they trade off
against E: with few budgets, or less than two decades of compute, many triples draw one curve. Both are reported; the verdict goes
by the curve.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isoflop.numeric._domain import UNIT_INTERVAL, outside, positive_number
from isoflop.numeric.check_runs_result import CurveCheck, Estimate, PowerLawCheck, RunsCheck
from isoflop.numeric.empirical.approaches import (
    LEAST_BUDGETS,
    LEAST_SPAN,
    Estimates,
    FixedRatio,
    Frontier,
    Isoflop,
    envelopes,
)
from isoflop.numeric.empirical.band import CANNOT_TELL, CONSISTENT, INCONSISTENT, Band, simultaneous_band, verdict
from isoflop.numeric.empirical.compute_fit import ComputeLaws
from isoflop.numeric.empirical.isoflop import IsoflopDesign, describe, find_budgets
from isoflop.numeric.empirical.joint import JointLaw
from isoflop.numeric.empirical.laws import Laws
from isoflop.numeric.empirical.rays import find_rays
from isoflop.numeric.empirical.resamples import case_counts, group_codes, residual_losses
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.power_law import fit_power_law, lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from isoflop.numeric.empirical.approaches import Approach
    from isoflop.numeric.runs import Runs

    Floats = NDArray[np.float64]

__all__ = ["check_runs"]

#: Resamples that are taken together.
CHUNK = 50
GRID = 33
#: The largest relative difference in loss at which two curves are said to agree.
TOLERANCE = 0.01
LEVEL = 0.9
#: Rays with the most runs, so many at most.
MOST_RAYS = 3
LEAST_RAY_RUNS = 5
#: A ratio that fewer of the runs share is one by chance.
LEAST_RAY_SHARE = 0.1
#: A frontier of fewer runs has too little beyond the three coefficients to be judged.
LEAST_FRONTIER = 6
#: Usable resamples beyond the quantile of a band, at least.
LEAST_BEYOND = 2


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
    progress: bool = False,
) -> RunsCheck:
    r"""Fit the params+tokens law, derive its envelope, and set it beside every compute law that the runs allow.

    Parameters
    ----------
    runs : Runs, or anything that `Runs.read` accepts
        Training runs with params, tokens and loss; a `group` makes resamples draw whole groups.
    objective : str or Objective
        Of the joint fit; not "pinball-log", whose quantile is not what minima and frontiers estimate.
    bootstrap : int
        Number of resamples, at least 20.
    seed : int
        Of the resamples.
    level : float
        Of intervals and bands, between 0 and 1.
    tolerance : float
        Largest relative difference in loss that counts as agreement; > 0.
    budget_tolerance, ratio_tolerance : float
        Runs share a budget, or a ratio D/N, where the largest exceeds the smallest by at most this share; > 0.
    progress : bool
        Show a progress bar.

    Returns
    -------
    RunsCheck

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the params+tokens law cannot be fitted to the runs.

    Notes
    -----
    Every resample draws runs (or groups) with replacement and refits the joint law and the empirical laws alike, so that what
    they have in common drops out of their difference. For the frontier the resamples are of residuals, and the mean of the
    difference over them, which selection alone brings about, is taken off.

    The band over an approach's range of compute is simultaneous, at a level that Bonferroni's inequality makes
    simultaneous over the approaches as well. A verdict is *consistent* where the band lies within the tolerance of 0
    throughout, *inconsistent* where it lies wholly outside somewhere, else *cannot tell*. Overall: inconsistent where any
    approach is; else consistent where at least one is, the others having nothing to say against it; else cannot tell.

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
    from isoflop.numeric.fit.fitting import fit

    objective = _objective(objective)
    bootstrap, seed = _whole("bootstrap", bootstrap, 20), _whole("seed", seed, 0)
    tolerance = positive_number("tolerance", tolerance)
    if not 0.0 < positive_number("level", level) < 1.0:
        raise outside("level", level, UNIT_INTERVAL)
    tolerances = positive_number("budget_tolerance", budget_tolerance), positive_number("ratio_tolerance", ratio_tolerance)

    fitted = fit(runs, model="params-tokens", objective=objective.name, delta=objective.delta)
    joint = JointLaw.of(fitted.runs, objective, fitted.coefficients)
    compute = _compute(fitted.runs)
    approaches, refused = _approaches(fitted.runs, compute, joint, objective, *tolerances)
    drawn = _Resampling(fitted.runs, joint, approaches).run(bootstrap, seed, progress=progress)

    band_level = 1.0 - (1.0 - level) / max(1, len(approaches))
    checks = [
        _curve_check(approach, joint, drawn.of[index], level, band_level, tolerance)
        for index, approach in enumerate(approaches)
    ]
    checks += refused
    warnings = [*fitted.runs.warnings, *_warnings(fitted, joint, drawn, bootstrap, tolerance)]
    design = next((approach.design for approach in approaches if isinstance(approach, Isoflop)), None)
    return RunsCheck(
        fit=fitted,
        law=fitted.law,
        derived=_derived(joint.laws, drawn.laws, level),
        empirical=tuple(sorted(checks, key=lambda check: ("frontier", "isoflop", "fixed-ratio").index(check.approach))),
        budgets=_budgets(fitted.runs, compute, joint, tolerances[0]),
        allocation=() if design is None else _allocation(design, joint, drawn.minima, drawn.laws, level),
        verdict=_overall(checks, converged=bool(fitted.converged)),
        n_runs=len(fitted.runs),
        dropped=tuple(fitted.runs.dropped),
        warnings=tuple(warnings),
        objective=objective,
        tolerance=tolerance,
        level=level,
        band_level=band_level,
        bootstrap=bootstrap,
        n_resamples=drawn.done,
        interrupted=drawn.done < bootstrap,
        seed=seed,
    )


# -- what the runs allow -----------------------------------------------------------------------------------------------


def _compute(runs: Runs) -> Floats:
    from isoflop.numeric._generated import array

    return np.asarray(array.compute(runs.params, runs.tokens) if runs.compute is None else runs.compute)


def _approaches(
    runs: Runs, compute: Floats, joint: JointLaw, objective: Objective, budget_tolerance: float, ratio_tolerance: float
) -> tuple[list[Approach], list[CurveCheck]]:
    """The approaches that the runs allow, and a line for each that they do not."""
    found: list[Approach] = []
    refused: list[CurveCheck] = []
    front = Frontier(runs.params, runs.tokens, compute)
    on_frontier = int(front.chosen(runs.loss).sum())
    lo, hi = front.span
    if on_frontier >= LEAST_FRONTIER and hi >= LEAST_SPAN * lo:
        found.append(front)
    else:
        reason = (
            f"{on_frontier} runs on the frontier over a factor {hi / lo:.3g} of compute; at least {LEAST_FRONTIER} runs over a "
            f"factor {LEAST_SPAN:g} are needed"
        )
        refused.append(CurveCheck.refused("frontier", reason, n_runs=on_frontier))

    design = find_budgets(runs.params, runs.tokens, compute, tolerance=budget_tolerance)
    usable = design.some(_usable(design, joint, runs))
    if len(usable) >= LEAST_BUDGETS and usable.compute[-1] >= LEAST_SPAN * usable.compute[0]:
        found.append(Isoflop(usable))
    else:
        reason = (
            f"{len(design)} budgets with at least 5 sizes over a factor 2, {len(usable)} of them with a minimum within the sizes; "
            f"at least {LEAST_BUDGETS} with one, over a factor {LEAST_SPAN:g} of compute, are needed"
        )
        refused.append(CurveCheck.refused("isoflop", reason, n_runs=sum(map(len, usable.members))))

    least_runs = max(LEAST_RAY_RUNS, ceil(LEAST_RAY_SHARE * len(runs)))
    rays = find_rays(
        runs.params,
        runs.tokens,
        compute,
        tolerance=ratio_tolerance,
        least_runs=least_runs,
        least_span=LEAST_SPAN,
        most=MOST_RAYS,
    )
    found += [FixedRatio(ray, runs.params, runs.tokens, compute, objective) for ray in rays]
    if not rays:
        reason = (
            f"no {least_runs} runs ({LEAST_RAY_SHARE:.0%} of all, at least {LEAST_RAY_RUNS}) with D/N within "
            f"{ratio_tolerance:.0%} of one another at as many compute values over a factor {LEAST_SPAN:g}"
        )
        refused.append(CurveCheck.refused("fixed-ratio", reason, n_runs=0))
    return found, refused


def _usable(design: IsoflopDesign, joint: JointLaw, runs: Runs) -> NDArray[np.bool_]:
    raw = design.minima(runs.loss, runs.weight)
    return np.asarray(design.corrected(raw, design.biases(joint.laws, runs.weight)).valid[0])


# -- resampling --------------------------------------------------------------------------------------------------------


class _Columns(NamedTuple):
    """What is kept of the resamples of one approach: curves on its grid and coefficients, of the valid ones."""

    difference: Floats
    moved: Floats
    predicted: Floats
    at_bound: int
    lost: int


class _Drawn(NamedTuple):
    of: list[_Columns]
    laws: Laws
    minima: tuple[Floats, Floats]
    done: int
    lost: int


class _Resampling:
    """One pass over the resamples that serves the joint law and every approach."""

    def __init__(self, runs: Runs, joint: JointLaw, approaches: list[Approach]) -> None:
        self.runs, self.joint, self.approaches = runs, joint, approaches
        self.codes = group_codes(runs.group)
        self.grids = [_grid(approach) for approach in approaches]
        self.predicted = joint.laws.losses(runs.params, runs.tokens)[0]

    def run(self, count: int, seed: int, *, progress: bool) -> _Drawn:
        parts: list[list[tuple[Estimates, NDArray[np.bool_]]]] = [[] for _ in self.approaches]
        laws: list[Floats] = []
        minima: list[tuple[Floats, Floats]] = []
        done = lost = 0
        for_cases, for_residuals = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
        try:
            for size in _chunks(count, progress=progress):
                counts = case_counts(for_cases, len(self.runs), size, self.codes)
                by_cases, good = self.joint.refit(counts=counts)
                by_cases, counts = by_cases.some(good), counts[good]
                found = [self._estimate(approach, counts, by_cases, for_residuals, size) for approach in self.approaches]
                here = self._minima(counts, by_cases)
                # Nothing of an interrupted chunk is kept: all parts have equally many resamples.
                for part, entry in zip(parts, found, strict=True):
                    part.append(entry)
                laws.append(by_cases.table())
                minima.append(here)
                done += size
                lost += int((~good).sum())
        except KeyboardInterrupt:
            if not done:
                raise
        columns = [_columns(part, grid, done) for part, grid in zip(parts, self.grids, strict=True)]
        exponents = (
            np.concatenate([entry[0] for entry in minima], axis=0),
            np.concatenate([entry[1] for entry in minima], axis=0),
        )
        return _Drawn(columns, Laws.of(np.concatenate(laws)), exponents, done, lost)

    def _estimate(
        self, approach: Approach, counts: Floats, laws: Laws, rng: np.random.Generator, size: int
    ) -> tuple[Estimates, NDArray[np.bool_]]:
        own = self.runs.weight
        if approach.by_residuals:
            log_residuals = np.log(self.runs.loss / self.predicted)
            losses = residual_losses(rng, self.predicted, log_residuals, size, self.codes)
            laws, good = self.joint.refit(losses=losses)
            losses, laws = losses[good], laws.some(good)
            estimates = approach.estimate(losses, own, laws)
        else:
            weights = counts if own is None else counts * own
            estimates = approach.estimate(self.runs.loss[None], weights, laws)
        return estimates, estimates.valid

    def _minima(self, counts: Floats, laws: Laws) -> tuple[Floats, Floats]:
        """Exponents of N*(C) and D*(C) through the corrected minima, one row a resample."""
        design = next((approach.design for approach in self.approaches if isinstance(approach, Isoflop)), None)
        if design is None:
            return np.empty((len(laws), 2)), np.empty((len(laws), 0))
        weights = counts if self.runs.weight is None else counts * self.runs.weight
        found = design.corrected(design.minima(self.runs.loss[None], weights), design.biases(laws, weights))
        valid = found.valid.astype(np.float64)
        x = np.log(design.compute)
        slopes = [lines(x, np.where(found.valid, y, 0.0), valid).slope for y in (found.log_params, found.log_tokens)]
        return np.stack(slopes, axis=1), np.where(found.valid, found.log_params, np.nan)


def _grid(approach: Approach) -> Floats:
    return np.geomspace(*approach.span, GRID)


def _chunks(count: int, *, progress: bool) -> Iterator[int]:
    sizes = [CHUNK] * (count // CHUNK) + ([count % CHUNK] if count % CHUNK else [])
    if not progress:
        yield from sizes
        return
    from tqdm import tqdm

    with tqdm(total=count, desc="resamples", unit="") as bar:
        for size in sizes:
            yield size
            bar.update(size)


def _table(laws: ComputeLaws) -> Floats:
    return np.stack([laws.E, laws.log_C0, laws.alpha], axis=1)


def _columns(parts: list[tuple[Estimates, NDArray[np.bool_]]], grid: Floats, count: int) -> _Columns:
    differences, moved, predicted = [], [], []
    at_bound = 0
    for estimates, valid in parts:
        differences.append(_difference(estimates, grid)[valid])
        moved.append(_table(estimates.moved)[valid])
        predicted.append(_table(estimates.predicted)[valid])
        at_bound += int((estimates.moved.at_bound & valid).sum())
    curves = np.concatenate(differences)
    return _Columns(curves, np.concatenate(moved), np.concatenate(predicted), at_bound, count - len(curves))


def _difference(estimates: Estimates, grid: Floats) -> Floats:
    return estimates.moved.losses(grid) / estimates.predicted.losses(grid) - 1.0


# -- one approach ------------------------------------------------------------------------------------------------------


def _curve_check(
    approach: Approach, joint: JointLaw, drawn: _Columns, level: float, band_level: float, tolerance: float
) -> CurveCheck:
    estimates = approach.estimate(joint.observed[None], joint.weights, joint.laws)
    grid = _grid(approach)
    extra = _about(approach, joint)
    if not estimates.valid[0]:
        return CurveCheck.refused(approach.name, "the compute law through its points did not converge", **extra)
    needed = ceil(LEAST_BEYOND / (1.0 - band_level))
    if len(drawn.difference) < needed:
        reason = f"{len(drawn.difference)} usable resamples; at least {needed} are needed for a band"
        return CurveCheck.refused(approach.name, reason, **extra)

    difference, moved = _difference(estimates, grid)[0], _table(estimates.moved)[0]
    predicted = _table(estimates.predicted)[0]
    centre, shift = difference, np.zeros(3)
    if approach.by_residuals:
        # The resampled world obeys the law: what its frontier misses by is the selection's doing.
        centre = np.median(drawn.difference, axis=0)
        shift = np.median(drawn.moved - drawn.predicted, axis=0)
        difference, moved = difference - centre, moved - shift
    band = simultaneous_band(difference, drawn.difference - centre, band_level)
    found = verdict(band, tolerance)
    worst = int(np.abs(difference).argmax())

    def estimate(values: Floats, value: float, about: float | None = None) -> Estimate:
        """The percentile interval; for residuals, that of the deviations from their own median."""
        lo, hi = np.quantile(values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        if approach.by_residuals:
            middle = np.median(values) if about is None else about
            lo, hi = value + lo - middle, value + hi - middle
        return Estimate(float(value), float(lo), float(hi))

    raw = estimates.raw.law(name=f"{approach.name}, raw")
    grid_raw = estimates.raw.losses(grid)[0] / estimates.predicted.losses(grid)[0] - 1.0
    E, log_C0, alpha = (estimate(drawn.moved[:, k], moved[k]) for k in range(3))
    E = Estimate(max(E.value, 0.0), max(E.lo, 0.0), max(E.hi, 0.0))
    return CurveCheck(
        approach=approach.name,
        law=estimates.moved.law(name=approach.name),
        raw_law=raw,
        predicted_law=estimates.predicted.law(name=f"{approach.name}, predicted"),
        alpha=alpha,
        C0=log_C0.exponentiated(),
        E=E,
        alpha_predicted=float(predicted[2]),
        alpha_difference=estimate(drawn.moved[:, 2] - drawn.predicted[:, 2], moved[2] - predicted[2]),
        compute_range=approach.span,
        compute=grid,
        difference=band.curve,
        lo=band.lo,
        hi=band.hi,
        raw_difference=grid_raw,
        max_relative_difference=float(abs(difference[worst])),
        compute_at_max=float(grid[worst]),
        verdict=found,
        reason=_advice(approach, band, tolerance) if found == CANNOT_TELL else "",
        share_at_bound=drawn.at_bound / len(drawn.difference),
        lost=drawn.lost,
        **extra,
    )


def _about(approach: Approach, joint: JointLaw) -> dict[str, Any]:
    if isinstance(approach, Isoflop):
        return {"n_runs": sum(map(len, approach.design.members)), "n_budgets": len(approach.design)}
    if isinstance(approach, FixedRatio):
        return {"n_runs": len(approach.ray.members), "tokens_per_param": approach.ray.tokens_per_param}
    assert isinstance(approach, Frontier)
    return {"n_runs": int(approach.chosen(joint.observed).sum())}


def _advice(approach: Approach, band: Band, tolerance: float) -> str:
    """What data would tell."""
    half = (band.hi - band.lo) / 2.0
    centre = np.abs((band.hi + band.lo) / 2.0)
    widest = int(np.maximum(np.abs(band.lo), np.abs(band.hi)).argmax())
    where = f"at {band_place(approach, widest)} the band reaches {max(abs(band.lo[widest]), abs(band.hi[widest])):.2%}"
    what = {
        "isoflop": "more sizes near the optimum of each budget, or more budgets",
        "frontier": "more runs near the optimum",
        "fixed-ratio": "more runs at this ratio",
    }[approach.name]
    if (centre < tolerance).all():
        factor = float(((half / (tolerance - centre)) ** 2).max())
        if factor < 100.0:
            return f"{where}; about {max(2, ceil(factor))} times as many runs would tell: {what}"
        return f"{where}; {what}"
    return f"{where}, about a difference near the tolerance; {what}, or a tolerance further from {centre.max():.2%}"


def band_place(approach: Approach, index: int) -> str:
    """A place on the grid of an approach, for messages."""
    return f"{_grid(approach)[index]:.2g} FLOP".replace("e+", "e")


# -- together ----------------------------------------------------------------------------------------------------------


def _derived(laws: Laws, drawn: Laws, level: float) -> dict[str, Estimate]:
    def interval(value: Floats, values: Floats) -> Estimate:
        lo, hi = np.quantile(values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return Estimate(float(value[0]), float(lo), float(hi))

    here, there = envelopes(laws), envelopes(drawn)
    return {
        "alpha": interval(here.alpha, there.alpha),
        "C0": interval(here.log_C0, there.log_C0).exponentiated(),
        "E": interval(here.E, there.E),
        "params_exponent": interval(laws.params_share, drawn.params_share),
        "tokens_exponent": interval(laws.tokens_share, drawn.tokens_share),
    }


def _budgets(runs: Runs, compute: Floats, joint: JointLaw, tolerance: float) -> tuple[Any, ...]:
    design = find_budgets(runs.params, runs.tokens, compute, tolerance=tolerance)
    return describe(design, design.minima(runs.loss, runs.weight), design.biases(joint.laws, runs.weight))


def _allocation(
    design: IsoflopDesign, joint: JointLaw, drawn: tuple[Floats, Floats], laws: Laws, level: float
) -> tuple[PowerLawCheck, ...]:
    """N*(C) and D*(C) by power laws through the minima, raw and corrected, beside the derived exponents."""
    raw = design.minima(joint.observed, joint.weights)
    corrected = design.corrected(raw, design.biases(joint.laws, joint.weights))
    slopes = drawn[0]
    checks = []
    for k, name in enumerate(("params", "tokens")):
        field = f"log_{name}"
        through = fit_power_law(design.compute, np.exp(getattr(corrected, field)[0]))
        known = slopes[np.isfinite(slopes[:, k]), k]
        lo, hi = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        derived = joint.laws.params_share if name == "params" else joint.laws.tokens_share
        checks.append(
            PowerLawCheck(
                quantity=name,
                raw=fit_power_law(design.compute, np.exp(getattr(raw, field)[0])),
                corrected=through,
                exponent=Estimate(through.exponent, float(lo), float(hi)),
                derived_exponent=float(derived[0]),
            )
        )
    return tuple(checks)


def _overall(checks: list[CurveCheck], *, converged: bool) -> str:
    verdicts = {check.verdict for check in checks}
    if not converged:
        return CANNOT_TELL
    return next((found for found in (INCONSISTENT, CONSISTENT) if found in verdicts), CANNOT_TELL)


def _warnings(fitted: Any, joint: JointLaw, drawn: _Drawn, bootstrap: int, tolerance: float) -> Iterator[str]:
    if not fitted.converged:
        yield "the params-tokens fit did not converge: no verdict rests on it"
    if drawn.done < bootstrap:
        yield f"interrupted: {drawn.done} of {bootstrap} resamples"
    if drawn.lost:
        yield f"{drawn.lost} of {drawn.done} resamples left out: the joint law did not converge there, or lost a term"
    log_residuals = np.log(joint.observed / joint.laws.losses(fitted.runs.params, fitted.runs.tokens)[0])
    if abs(log_residuals.mean()) > tolerance / 2.0:
        yield (
            f"the residuals average {log_residuals.mean():.2%} of the loss: a robust objective follows their median, "
            f"isoFLOP parabolas their mean"
        )


def _objective(objective: str | Objective) -> Objective:
    found = objective if isinstance(objective, Objective) else Objective(name=objective)
    if found.name == "pinball-log":
        raise ValueError(f"objective={found.name!r}: fits a quantile; frontier and isoFLOP minima need a centre: huber-log, ...")
    return found


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise outside(name, value, f"a whole number of at least {least}")
    return int(value.__index__())
