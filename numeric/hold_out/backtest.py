"""Backtests: laws fitted to the cheap rows of a table predict the expensive ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.baselines import resolve
from ..data.counts import Counts
from ..data.evaluations import Evaluations
from ..data.metrics import kind_of
from ..data.rows import lost_rows
from ..data.runs import Runs
from ..data.table import table_of
from ..errors import ArgumentError, TableError, outside, whole_number
from ..fit.models import form_of
from ..passk.fit_at_k import kind_of as law_of_passk
from ..passk.laws import ks_of, of_one_benchmark
from ..results import DEFAULT_LEVEL, checked_level
from ..words import listed
from .accuracy import tasks_of_evaluations
from .counts import tasks_of_counts
from .fold import fold_all
from .losses import tasks_of_runs
from .result import Backtest
from .splits import ALL, NEXT, Rule
from .threshold import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..accuracy.baselines import Baseline

__all__ = ["backtest", "kind_of_table"]

POWERS = (1, 10, 100, 1000, 10_000)
#: Cutoffs of evaluations from one to the next.
CUTOFFS = 6
#: What only tables of one kind have.
ONLY = {"k": "counts", "benchmarks": "evaluations", "proxy": "evaluations"}


def backtest(
    data: Any,
    *,
    laws: str | Sequence[str] | None = None,
    hold_out: str | None = None,
    axis: str | None = None,
    targets: int | str | None = None,
    cutoffs: Any = None,
    k: Sequence[int] | None = None,
    benchmarks: Sequence[str] | None = None,
    baselines: Mapping[str, Baseline] | None = None,
    proxy: str | None = None,
    level: float = DEFAULT_LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    progress: bool = False,
) -> Backtest:
    """Fit laws to some rows of a table and judge them on the others.

    Parameters
    ----------
    data : Runs, Counts, Evaluations, path, or anything that ``pandas.DataFrame`` accepts
        Runs with a loss: laws of the loss. Counts of samples and correct ones by model and problem:
        laws of -log pass@k. Evaluations of runs on benchmarks: laws of accuracy.
    laws : str or sequence of str, optional
        By default all for which there are columns. Of a loss also a formula, as the `model` of
        `isoflop.fit`; of accuracy names as in `isoflop.numeric.accuracy.laws.LAWS`.
    hold_out : str, optional
        A condition on the rows, as in "compute > 6e21": they are predicted from all others, once.
    axis : {"compute", "params", "tokens", "gold"}, optional
        Without a condition, what cutoffs are in; by default compute, and of evaluations no row is
        held out. For gold, -log probability of the gold reference solution, less is more expensive.
    targets : int, "all" or "next", optional
        What each cutoff predicts: rows at so many of the highest values of the axis (by default 1),
        on which no fit is trained; "all" rows beyond the cutoff, which tells far more of the
        coverage of intervals; those up to the "next" cutoff (of evaluations the default).
    cutoffs : int or sequence of float, optional
        So many, evenly spread over the logarithm of the axis, or these values. By default the value
        of every row with enough rows up to it: one more than the law has coefficients, of
        evaluations at least 6; of evaluations 6 of them, and with targets="all" those of Krajewski
        et al. 2025, Appendix C: 24 from 6e19 to 5e22 FLOP.
    k : sequence of int, optional
        Of counts; by default the powers of ten up to 10,000 and to the most samples of a problem.
    benchmarks, baselines, proxy : optional
        Of evaluations: which benchmarks; what guessing scores (by default what
        `isoflop.numeric.accuracy.baselines.resolve` finds); the loss or other metric that two-stage
        laws go by (by default the only one there is).
    level : float
        Nominal coverage of intervals.
    resamples : int, optional
        Of the rows, for the intervals of the final fits; by default 200, of evaluations none. What
        belongs together is drawn together: runs of one `group`, and models as in `fit_passk`.
    seed : int
        Of the resamples.
    columns, where
        How a table is read; see `Runs.read`, `Counts.read` and `Evaluations.read`.
    progress : bool
        Show a bar on the standard error.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or nothing can be fitted.
    """
    what = kind_of_table(data, columns)
    for name, value in {"k": k, "benchmarks": benchmarks, "proxy": proxy}.items():
        if value is not None and ONLY[name] != what:
            raise ArgumentError(name, value, complaint=f"is for {ONLY[name]}; these are {what}")
    rule = _rule(what, hold_out, axis, targets, cutoffs)
    usual = 0 if what == "evaluations" else 200
    count = usual if resamples is None else whole_number("resamples", resamples, 0)
    level, seed = checked_level(level), whole_number("seed", seed, 0)
    asked = None if laws is None else (laws,) if isinstance(laws, str) else tuple(laws)
    if asked == ():
        raise outside("laws", [], "at least one law")
    read: dict[str, Any] = {"columns": columns, "where": where}
    known, notes = {} if baselines is None else dict(baselines), list[str]()
    if what == "runs":
        named = {name for law in asked or () for name in form_of(law).names}
        table: Any = Runs.read(data, **read, names=named, require=("loss",))
        tasks = tasks_of_runs(table, asked, rule, seed=seed)
    elif what == "counts":
        table = of_one_benchmark(Counts.read(data, **read))
        for law in asked or ():
            law_of_passk(law)
        usual_k = [power for power in POWERS if power <= table.n.max()]
        ks = ks_of(table, usual_k if k is None else k)
        tasks = tasks_of_counts(table, ks, asked, rule, seed=seed)
    else:
        table = Evaluations.read(data, **read)
        names = tuple(table.benchmarks if benchmarks is None else benchmarks)
        known = known or resolve(table, benchmarks=names)
        chosen: Any = {"benchmarks": names, "baselines": known, "proxy": proxy}
        rule = _with_usual_cutoffs(rule, table)
        tasks, notes = tasks_of_evaluations(table, asked, rule, **chosen, seed=seed)
    if not tasks:
        raise TableError(table.source, "no law has all that it depends on")
    have = list(dict.fromkeys(name for task in tasks for name in task.covariates))
    if rule.hold_out is None and rule.axis not in have:
        complaint = f"{table.source} has no {rule.axis}; it has {', '.join(have) or 'no covariate'}"
        raise ArgumentError("axis", rule.axis, complaint=complaint)
    folds = fold_all(tasks, rule, level=level, resamples=count, progress=progress)
    started = {fold.task.law for fold in folds if fold.fit is not None}
    if what != "evaluations":
        if not started:
            last = max(folds, key=lambda one: one.n_train)
            complaint = f"no fit can be made; law {last.task.law}: {last.failed}"
            if last.split.lacks and last.split.at is not None:
                raise ArgumentError("cutoffs", last.split.at, complaint=complaint)
            raise TableError(table.source, complaint)
        if asked is None:
            folds = tuple(fold for fold in folds if fold.task.law in started)
    lost = lost_rows(table.left_out, table.dropped)
    return Backtest(
        what=what,
        source=table.source,
        rule=rule,
        level=level,
        resamples=count,
        seed=seed,
        folds=folds,
        baselines=known,
        notes=(*notes, *([lost] if lost else []), *table.warnings),
    )


def kind_of_table(data: Any, columns: Mapping[str, str | None] | None = None) -> str:
    """Whether a table holds "counts" (columns of samples and of correct ones), "evaluations"
    (benchmarks) or "runs" (a loss).

    Raises
    ------
    ValueError
        Where there is neither.
    """
    for kind, view in (("counts", Counts), ("runs", Runs), ("evaluations", Evaluations)):
        if isinstance(data, view):
            return kind
    table = table_of(data)
    found = kind_of(table, columns)
    if found in (None, "pass@k"):
        neither = "has neither counts of samples (n_samples, n_correct) nor a loss of runs"
        raise TableError(table.source, f"{neither}; the columns are {listed(table.names)}")
    return str(found)


def _rule(what: str, hold_out: str | None, axis: Any, targets: Any, cutoffs: Any) -> Rule:
    given = {"axis": axis, "targets": targets, "cutoffs": cutoffs}
    if hold_out is not None:
        for name, value in given.items():
            if value is not None:
                complaint = "is for cutoffs; a condition holds out rows without any"
                raise ArgumentError(name, value, complaint=complaint)
        return Rule(hold_out=hold_out)
    if what == "evaluations" and axis is None and targets is None:
        if cutoffs is not None:
            raise ArgumentError("cutoffs", cutoffs, complaint="needs an axis or targets")
        return Rule(hold_out="")
    usual = NEXT if what == "evaluations" else 1
    axis = "compute" if axis is None else axis
    return Rule(axis, usual if targets is None else targets, cutoffs)


def _with_usual_cutoffs(rule: Rule, table: Evaluations) -> Rule:
    """The cutoffs of evaluations where none are given."""
    if rule.hold_out is not None or rule.cutoffs is not None:
        return rule
    grid = np.geomspace(*THRESHOLDS)
    if rule.targets == ALL and rule.axis == "compute" and table.compute is not None:
        grid = grid[(grid > table.compute.min()) & (grid < table.compute.max())]
        return replace(rule, cutoffs=tuple(grid.tolist()) or CUTOFFS)
    return replace(rule, cutoffs=CUTOFFS)
