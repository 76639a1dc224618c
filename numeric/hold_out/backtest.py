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
from .splits import ALL, AXES, DEAREST, NEXT, Split, place_of, splits_of
from .tasks import of_counts, of_evaluations, of_runs
from .threshold import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pandas import DataFrame

    from .tasks import Task

__all__ = ["backtest"]

POWERS = (1, 10, 100, 1000, 10_000)
#: Cutoffs of evaluations from one to the next.
CUTOFFS = 6


def backtest(
    table: Runs | Counts | Evaluations,
    *,
    laws: str | Sequence[str] | None = None,
    hold_out: str | None = None,
    axis: str | None = None,
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
        Runs with a loss: laws of the loss. Counts of samples and correct ones by model and problem:
        laws of -log pass@k. Evaluations of runs on benchmarks: laws of accuracy.
    laws : str or sequence of str, optional
        By default all for which there are columns. Of a loss also a formula, as the `model` of
        `isoflop.fit`; of accuracy names as in `isoflop.numeric.accuracy.laws.LAWS`.
    hold_out : str, optional
        A condition on the rows, as in "compute > 6e21": they are predicted from all others, once.
    axis : {"compute", "params", "tokens", "gold"}, optional
        Without a condition, what cutoffs are in; by default compute. For gold, -log probability of
        the gold reference solution, less is more expensive.
    sweep : bool
        Whether each cutoff predicts all rows beyond it, which tells far more of the coverage of
        intervals. By default it predicts the rows at the highest value of the axis, on which no fit
        is trained; of evaluations those up to the next cutoff.
    cutoffs : int or sequence of float, optional
        So many, evenly spread over the logarithm of the axis, or these values. By default the value
        of every row with enough rows up to it: one more than the law has coefficients, of
        evaluations at least 6; of evaluations 6 of them, and of a sweep over compute those of
        Krajewski et al. 2025, Appendix C: 24 from 6e19 to 5e22 FLOP.
    k : sequence of int, optional
        Of counts; by default the powers of ten up to 10,000 and to the most samples of a problem.
    benchmarks, baselines, proxy : optional
        Of evaluations: which benchmarks; what guessing scores (by default what
        `isoflop.numeric.accuracy.baselines.resolve` finds); the loss or other metric that two-stage
        laws go by (by default the only one there is).
    resamples : int, optional
        Of the rows, for the intervals of the final fits; by default 200, of evaluations none. What
        belongs together is drawn together: runs of one `group`, and models as in `fit_passk`.
    seed : int
        Of the resamples.
    progress : bool
        Show a bar on the standard error.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.
    """
    import pandas as pd
    from tqdm import tqdm

    of_one_kind: dict[str, Any] = {"k": (k, Counts), "benchmarks": (benchmarks, Evaluations)}
    of_one_kind |= {"baselines": (baselines, Evaluations), "proxy": (proxy, Evaluations)}
    for name, (value, kind) in of_one_kind.items():
        if value is not None and not isinstance(table, kind):
            raise ArgumentError(name, value, complaint=f"is for {kind.__name__} alone")
    if hold_out is not None and (sweep or axis is not None or cutoffs is not None):
        complaint = "rows are held out by a condition or by cutoffs, not by both"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    if (axis := axis or "compute") not in AXES:
        raise outside("axis", axis, f"one of {', '.join(AXES)}")
    asked = [laws] if isinstance(laws, str) else None if laws is None else [*dict.fromkeys(laws)]
    if asked == []:
        raise outside("laws", [], "at least one law")
    is_of_accuracy = isinstance(table, Evaluations)
    usual = 0 if is_of_accuracy else 200
    count = whole_number("resamples", usual if resamples is None else resamples, 0)
    how: Any = {"laws": asked, "hold_out": hold_out, "seed": whole_number("seed", seed, 0)}
    known = dict(baselines or {})
    if isinstance(table, Evaluations):
        names = table.benchmarks if benchmarks is None else tuple(benchmarks)
        known |= resolve(table, benchmarks=[name for name in names if name not in known])
        known = {name: known[name] for name in names}
        tasks = [*of_evaluations(table, known, proxy, **how)]
        if cutoffs is None:
            cutoffs = _thresholds(table) if sweep and axis == "compute" else CUTOFFS
    elif isinstance(table, Counts):
        powers = [power for power in POWERS if power <= table.n.max()]
        tasks = [
            *of_counts(table, ks_of(of_one_benchmark(table), powers if k is None else k), **how)
        ]
    else:
        table = Runs.read(table, require=("loss",))
        tasks = [*of_runs(table, **how)]
    if not tasks:
        raise TableError(table.source, "no law has all that it depends on")
    if hold_out is None and axis not in tasks[0].rows:
        raise ArgumentError("axis", axis, complaint=f"{table.source} has no {axis}")
    held = [] if hold_out is None else [part for task in tasks for part in task.rows["held"]]
    if held and (all(held) or not any(held)):
        complaint = f"holds out {'all' if all(held) else 'none'} of the rows of {table.source}"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    targets = ALL if sweep else NEXT if is_of_accuracy else DEAREST
    splits = [  # of which the first of each law, the final one, has resamples
        (task, split, 0 if index else count)
        for task in tasks
        for index, split in enumerate(splits_of(task.rows, task.least, axis, targets, cutoffs))
    ]
    bar = tqdm(splits, disable=not progress, desc="held out", unit="fit", leave=False)
    judged = [_judged(task, split, times, axis) for task, split, times in bar]
    frames = [frame for _, frame in judged]
    some = [frame for frame in frames if len(frame)] or frames[:1]
    fits = pd.DataFrame([row for row, _ in judged])
    predictions = pd.concat(some, ignore_index=True)
    points = dict[Any, Any]()
    for task in tasks:
        points.setdefault(task.subject, task.rows)
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
        notes=(
            *_left_out(fits, predictions, points if is_of_accuracy else {}),
            *([lost] if lost else []),
            *table.warnings,
        ),
    )


def _thresholds(table: Evaluations) -> Any:
    """The thresholds of a sweep over evaluations, as far as there are runs on both sides."""
    if table.compute is None:
        return CUTOFFS
    grid = np.geomspace(*THRESHOLDS)
    grid = grid[(grid > table.compute.min()) & (grid < table.compute.max())]
    return grid.tolist() or CUTOFFS


def _judged(
    task: Task, split: Split, resamples: int, axis: str
) -> tuple[dict[str, Any], DataFrame]:
    """The row of a fit, and those of its predictions, none without a fit; see `Backtest`."""
    from pandas import DataFrame

    rows, fit, failed, ahead = task.rows, None, "", task.rows[split.test]
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
    converged, is_open = (
        fit is not None and fit.converged,
        ", ".join(fit.undetermined if fit else ()),
    )
    doubt = failed or ("" if converged else "the fit is not certified as a minimum")
    if is_open and not failed and not isinstance(fit, LawFit):
        doubt = f"the fitted rows leave {is_open} open"
    about: dict[str, Any] = {"subject": task.subject, "law": task.law, "cutoff": split.cutoff}
    about |= {"n_train": int(split.train.sum())}
    row = {**about, "failed": failed, "converged": converged, "undetermined": is_open}
    row |= {**train, "fit": fit, "split": split}
    is_cut, observed = not np.isnan(split.cutoff), ahead["observed"]
    place = place_of(rows, axis, split.cutoff if is_cut else 1.0)
    beyond = 0.0 if is_cut else place[split.train].max(initial=-np.inf)
    usable = observed.notna() & np.isfinite(band.value) & (doubt == "")
    low, high = (np.nan if end is None else end for end in (band.low, band.high))
    frame = DataFrame(
        {
            **about,
            "target": ahead["target"],
            "size": ahead.get(axis, np.nan),
            "decades_held_out": place[split.test] - beyond,
            "observed": observed,
            "predicted": band.value,
            "lo": low,
            "hi": high,
            "error": band.value - observed,
            "relative_error": band.value / observed - 1.0,
            "usable": usable,
            "inside": observed.between(low, high).astype("boolean"),
            "left_out": ("target not observed: " + ahead["why"]).where(observed.isna(), doubt),
        }
    )
    frame["inside"] = frame["inside"].where(usable & np.isfinite(frame["hi"]))
    return row, frame.sort_values("decades_held_out", kind="stable")[: 0 if fit is None else None]


def _left_out(fits: DataFrame, table: DataFrame, points: Mapping[Any, DataFrame]) -> list[str]:
    """What has no part in the errors, and why; and what speaks against a final law of accuracy."""
    lost = [
        (one.subject, one.law, f"no fit: {one.failed}")
        for one in fits[fits["fit"].isna()].itertuples()
    ]
    lost += [
        (one.subject, one.law, one.left_out) for one in table[table["left_out"] != ""].itertuples()
    ]
    for one in fits.groupby(["subject", "law"], sort=False).head(1).itertuples():
        if isinstance(one.fit, LawFit):
            said = [f"the runs leave {one.undetermined} open"] if one.undetermined else []
            if (crossing := crossing_of(one.fit, DEFAULT_LEVEL)) is not None:
                said.append(f"the curves of all k cross at C_x = {crossing:.3g}")
            lost += [(one.subject, one.law, why) for why in (*said, *one.fit.remarks)]
    for subject, rows in points.items():
        if unjudged := int((~rows["test"]).sum()):
            why = "accuracy near guessing, below it, or 1, or a quantity that is not known"
            lost.append(
                (subject, "", f"no law is judged on {unjudged} of {len(rows)} runs ({why})")
            )
    return [
        f"{subject} {law}".strip() + f": {why}" + (f" ({n} times)" if n > 1 else "")
        for (subject, law, why), n in Counter(lost).items()
    ]
