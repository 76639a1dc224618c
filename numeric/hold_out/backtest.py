"""Backtests: laws fitted to the cheap rows of a table predict the expensive ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.baselines import Baseline, resolve
from ..accuracy.law import LawFit
from ..accuracy.laws import crossing_of
from ..data.counts import Counts
from ..data.evaluations import Evaluations
from ..data.rows import lost_rows
from ..data.runs import Runs
from ..errors import ArgumentError, TableError, outside, whole_number
from ..passk.laws import ks_of, of_one_benchmark
from ..results import DEFAULT_LEVEL, Band, prediction_errors
from .result import Backtest
from .tasks import AXES, Split, accuracy_tasks, loss_tasks, pass_tasks, splits_of
from .threshold import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pandas import DataFrame

    from .tasks import Task

__all__ = ["backtest"]

#: The k of counts by default, as far as there are so many samples of a problem.
POWERS = (1, 10, 100, 1000, 10_000)
#: The number of cutoffs of evaluations by default.
CUTOFFS = 6


def backtest(
    table: Runs | Counts | Evaluations,
    *,
    laws: str | Sequence[str] | None = None,
    hold_out: str | None = None,
    axis: str = "compute",
    sweep: bool = False,
    cutoffs: Any = None,
    k: Sequence[int] | None = None,
    benchmarks: Sequence[str] | None = None,
    baselines: Mapping[str, Baseline] | None = None,
    proxy: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Backtest:
    """Fit laws to some rows of a table and judge them on the others.

    Parameters
    ----------
    table : Runs, Counts or Evaluations
        Runs with a loss: laws of the loss. Counts of samples: laws of -log pass@k. Evaluations of
        runs on benchmarks: laws of accuracy.
    laws : str or sequence of str, optional
        The laws, by default all for which there are columns. A law of loss may be a formula, as the
        `model` of `isoflop.fit`; laws of accuracy are those of
        `isoflop.numeric.accuracy.laws.LAWS`.
    hold_out : str, optional
        A condition on the rows, as in "compute > 6e21": they are predicted once, from all others.
    axis : {"compute", "params", "tokens", "gold"}
        The quantity that cutoffs are in. For gold, the -log probability of the gold reference
        solution, less is more expensive.
    sweep : bool
        Whether each cutoff predicts all rows beyond it, which tells far more about the coverage of
        intervals, or those at the highest value of the axis, which are never fitted.
    cutoffs : int or sequence of float, optional
        The number of cutoffs, evenly spread over the logarithm of the axis, or their values. By
        default the value of every row with enough rows up to it (one more than the law has
        coefficients); for evaluations, where at least 6 are enough, 6 of these values, and in a
        sweep over compute those of Krajewski et al. 2025, Appendix C: 24 from 6e19 to 5e22 FLOP.
    k : sequence of int, optional
        Of counts; by default the powers of ten up to 10,000 and to the most samples of a problem.
    benchmarks, baselines, proxy : optional
        Of evaluations: the benchmarks; the accuracy of guessing (by default what
        `isoflop.numeric.accuracy.baselines.resolve` finds); the loss or other metric of two-stage
        laws (by default the only one of the table).
    resamples, seed : int, optional
        The number of resamples of the rows, for the intervals of the final fits; by default 200, for
        evaluations none. Runs of one `group` are drawn together, and models as in `fit_passk`.
    progress : bool
        Show a bar on the standard error.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.
    """
    import pandas as pd
    from tqdm import tqdm

    if k is not None and not isinstance(table, Counts):
        raise ArgumentError("k", k, complaint="is for Counts alone")
    of_scores = {"benchmarks": benchmarks, "baselines": baselines, "proxy": proxy}
    for name, value in of_scores.items() if not isinstance(table, Evaluations) else ():
        if value is not None:
            raise ArgumentError(name, value, complaint="is for Evaluations alone")
    if hold_out is not None and (sweep or cutoffs is not None):
        complaint = "rows are held out by a condition or by cutoffs, not by both"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    if axis not in AXES:
        raise outside("axis", axis, f"one of {', '.join(AXES)}")
    asked = [laws] if isinstance(laws, str) else None if laws is None else [*dict.fromkeys(laws)]
    if asked == []:
        raise outside("laws", [], "at least one law")
    how: Any = (asked, hold_out, whole_number("seed", seed, 0))
    usual, known = 200, dict(baselines or {})
    if isinstance(table, Evaluations):
        names = table.benchmarks if benchmarks is None else tuple(benchmarks)
        known |= resolve(table, benchmarks=[name for name in names if name not in known])
        known = {name: known[name] for name in names}
        found = accuracy_tasks(table, known, proxy, *how)
        usual = 0
        if cutoffs is None:
            cutoffs = _thresholds(table) if sweep and axis == "compute" else CUTOFFS
    elif isinstance(table, Counts):
        powers = [power for power in POWERS if power <= table.n.max()]
        found = pass_tasks(table, ks_of(of_one_benchmark(table), powers if k is None else k), *how)
    else:
        table = Runs.read(table, require=("loss",))
        found = loss_tasks(table, *how)
    tasks, count = [*found], whole_number("resamples", usual if resamples is None else resamples, 0)
    if not tasks:
        raise TableError(table.source, "no law has all that it depends on")
    points = dict[Any, Any]()
    for task in tasks:
        points.setdefault(task.subject, task.rows)
    if hold_out is None and axis not in tasks[0].rows:
        raise ArgumentError("axis", axis, complaint=f"{table.source} has no {axis}")
    held = [] if hold_out is None else [part for task in tasks for part in task.rows["held"]]
    if held and (all(held) or not any(held)):
        complaint = f"holds out {'all' if all(held) else 'none'} of the rows of {table.source}"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    splits = [  # the first split of each law, the final one, has resamples
        (task, split, 0 if index else count)
        for task in tasks
        for index, split in enumerate(splits_of(task.rows, task.least, axis, sweep, cutoffs))
    ]
    bar = tqdm(splits, disable=not progress, desc="held out", unit="fit", leave=False)
    each = [_judged(task, split, times, axis) for task, split, times in bar]
    rows, frames = zip(*each, strict=True)
    fits = pd.DataFrame(rows)
    predictions = pd.concat([x for x in frames if len(x)] or frames[:1], ignore_index=True)
    remarks = _remarks(fits, predictions, points if isinstance(table, Evaluations) else {})
    lost = lost_rows(table.left_out, table.dropped)
    return Backtest(
        what=type(table).__name__.lower(),
        source=table.source,
        hold_out=hold_out,
        axis=axis,
        sweep=sweep,
        resamples=count,
        seed=seed,
        fits=fits,
        table=predictions,
        points=points,
        baselines=known,
        notes=(*remarks, *([lost] if lost else []), *table.warnings),
    )


def _thresholds(table: Evaluations) -> Any:
    """The thresholds of a sweep over evaluations that have runs on both sides."""
    compute, grid = table.compute, np.geomspace(*THRESHOLDS)
    is_between = False if compute is None else (grid > compute.min()) & (grid < compute.max())
    return grid[is_between].tolist() or CUTOFFS


def _judged(
    task: Task, split: Split, resamples: int, axis: str
) -> tuple[dict[str, Any], DataFrame]:
    """The row of a fit and the rows of its predictions, see `Backtest`."""
    rows, ahead, fit, failed = task.rows, task.rows[split.test], None, ""
    band, train = Band(np.full(len(ahead), np.nan)), prediction_errors(np.empty(0), np.empty(0))
    try:
        if not split.train.any():
            raise ValueError(f"fewer than {task.least} cheaper rows to be fitted")
        fit = task.fit(split.train, resamples)
        seen = (split.train & rows["test"] & rows["observed"].notna()).to_numpy()
        if seen.any():
            fitted = rows["observed"].to_numpy()[seen]
            train = prediction_errors(task.predict(fit, seen).value, fitted)
        if len(ahead):
            band = task.predict(fit, split.test)
            failed = "" if np.isfinite(band.value).all() else "its prediction is not finite"
    except ValueError as error:
        failed = str(error)
    converged = fit is not None and fit.converged
    undetermined = ", ".join(fit.undetermined if fit else ())
    doubt = failed or ("" if converged else "the fit is not certified as a minimum")
    if undetermined and not failed and not isinstance(fit, LawFit):
        doubt = f"the fitted rows leave {undetermined} undetermined"
    about: dict[str, Any] = {"subject": task.subject, "law": task.law, "cutoff": split.cutoff}
    about |= {"n_train": int(split.train.sum())}
    row = {**about, "failed": failed, "converged": converged, "undetermined": undetermined}
    observed, value = ahead["observed"], band.value
    usable = observed.notna() & np.isfinite(value) & (doubt == "")
    low, high = (np.nan if end is None else end for end in (band.low, band.high))
    frame = ahead[["target"]].assign(
        size=ahead.get(axis, np.nan),
        decades_held_out=split.decades[split.test],
        observed=observed,
        predicted=value,
        lo=low,
        hi=high,
        error=value - observed,
        relative_error=value / observed - 1.0,
        usable=usable,
        inside=observed.between(low, high).astype("boolean").where(usable & np.isfinite(high)),
        left_out=("target not observed: " + ahead["why"]).where(observed.isna(), doubt),
    )
    for place, (name, constant) in enumerate(about.items()):
        frame.insert(place, name, constant)
    frame = frame.sort_values("decades_held_out", kind="stable")[: 0 if fit is None else None]
    return {**row, **train, "fit": fit, "split": split}, frame


def _remarks(fits: DataFrame, table: DataFrame, points: Mapping[Any, DataFrame]) -> list[str]:
    """Notes on what is left out of the errors, and on the final laws of accuracy."""
    failed, lost = fits[fits["fit"].isna()], table[table["left_out"] != ""]
    found = [*zip(failed["subject"], failed["law"], "no fit: " + failed["failed"], strict=True)]
    found += [*zip(lost["subject"], lost["law"], lost["left_out"], strict=True)]
    for row in fits.drop_duplicates(["subject", "law"]).itertuples():
        if isinstance(row.fit, LawFit):
            crossing = crossing_of(row.fit, DEFAULT_LEVEL)
            remarks = (
                [f"the runs leave {row.undetermined} undetermined"] if row.undetermined else []
            )
            remarks += (
                [] if crossing is None else [f"the curves of all k cross at C_x = {crossing:.3g}"]
            )
            found += [(row.subject, row.law, remark) for remark in (*remarks, *row.fit.remarks)]
    for subject, rows in points.items():
        if unjudged := int((~rows["test"]).sum()):
            reason = "accuracy near guessing, below it, or 1, or a quantity that is not known"
            remark = f"no law is judged on {unjudged} of {len(rows)} runs ({reason})"
            found.append((subject, "", remark))
    counted = dict.fromkeys(lost["left_out"], "predictions")
    return [
        f"{subject} {law}".strip()
        + f": {remark}"
        + (f" ({n} {counted.get(remark, 'times')})" if n > 1 else "")
        for (subject, law, remark), n in Counter(found).items()
    ]
