"""Backtests: laws fitted to the cheap rows of a table predict the expensive ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import name_it
from ..data.counts import Counts, role
from ..data.evaluations import Evaluations
from ..data.metrics import kind_of
from ..data.rows import those_dropped
from ..data.runs import Runs
from ..data.table import table_of
from ..errors import ArgumentError, TableError, outside, whole_number
from ..fit.models import form_of
from ..passk.fit_at_k import Models
from ..passk.kinds import KINDS
from ..passk.laws import ks_of
from ..results import DEFAULT_LEVEL, checked_level
from ..words import counted, listed
from . import accuracy, counts, losses
from .judge import judge
from .result import Backtest
from .splits import ALL, NEXT, Rule, require_some, splits_of
from .threshold import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..accuracy.baselines import Baseline
    from .judge import Task

__all__ = ["AXES", "backtest", "kind_of_table"]

AXES = ("compute", "params", "tokens", "gold")
POWERS = (1, 10, 100, 1000, 10_000)
#: Cutoffs of evaluations from one to the next.
CUTOFFS = 6


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
    margin: float | Mapping[str, float] | None = None,
    method: str | None = None,
    level: float = DEFAULT_LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    jobs: int = 1,
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
        Of counts; by default the powers of ten up to 10,000.
    benchmarks, baselines, proxy, margin : optional
        Of evaluations: which benchmarks; what guessing scores (by default what
        `isoflop.numeric.accuracy.baselines.resolve` finds); the loss or other metric that two-stage
        laws go by (by default the only one there is); fit where accuracy exceeds guessing by more
        than this, for all benchmarks or by benchmark, in place of each law's own margin.
    method : str, optional
        Of runs an objective of `isoflop.fit`, by default "least-squares-log".
    level : float
        Nominal coverage of intervals.
    resamples : int, optional
        Of the rows, for the intervals of the final fits; by default 200, of evaluations none. What
        belongs together is drawn together: runs of one `group`, and models as in `fit_passk`.
    seed : int
        Of the resamples.
    columns, where
        How a table is read; see `Runs.read`, `Counts.read` and `Evaluations.read`.
    jobs : int
        Processes; more than one needs joblib.
    progress : bool
        Show a bar on the standard error.

    Returns
    -------
    Backtest
        Of the fits that were made where it is interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or nothing can be fitted.
    """
    what = kind_of_table(data, columns)
    _of_this_kind(what, k=k, method=method, benchmarks=benchmarks, proxy=proxy, margin=margin)
    rule = _rule(what, hold_out, axis, targets, cutoffs)
    usual = 0 if what == "evaluations" else 200
    count = usual if resamples is None else whole_number("resamples", resamples, 0)
    level, seed = checked_level(level), whole_number("seed", seed, 0)
    asked = None if laws is None else (laws,) if isinstance(laws, str) else tuple(laws)
    read: dict[str, Any] = {"columns": columns, "where": where}
    more: dict[str, Any] = {"level": level, "seed": seed}
    notes: list[str] = []
    if what == "runs":
        named = {name for law in asked or () for name in form_of(law).names}
        table: Any = Runs.read(data, **read, names=named, require=("loss",))
        tasks = losses.tasks_of_runs(table, asked, rule or Rule(), method=method, **more)
        how = method or losses.METHOD
    elif what == "counts":
        table, how = Counts.read(data, **read), counts.METHOD
        _require_laws_of_counts(asked)
        _require_one_benchmark(table)
        of = Models(table, ks_of(table, POWERS if k is None else k, how))
        tasks = counts.tasks_of_counts(of, asked, rule or Rule(), **more)
    else:
        table, how = Evaluations.read(data, **read), ""
        chosen: dict[str, Any] = {"benchmarks": benchmarks, "baselines": baselines}
        chosen |= {"proxy": proxy, "margin": margin}
        tasks, notes = accuracy.tasks_of_evaluations(table, asked, rule, **chosen, **more)
        if table.left_out:
            notes.append(f"{counted(table.left_out, 'row')} left out by the condition")
        if table.dropped:
            notes.append(f"of the rows, {those_dropped(table.dropped)}")
        notes += table.warnings
    _require_covariates(tasks, rule, table.source)
    if rule is not None and what == "evaluations":
        rule = _with_usual_cutoffs(rule, tasks)
    splits = [splits_of(task, rule or Rule()) for task in tasks]
    if asked is None and what != "evaluations":
        fitted = [any(not split.lacks for split in own) for own in splits]
        if any(fitted):
            tasks, splits = list(compress(tasks, fitted)), list(compress(splits, fitted))
    if what != "evaluations":
        require_some(splits, tasks, rule or Rule())
    held = judge(tasks, splits, resamples=count, jobs=jobs, progress=progress)
    planned = sum(map(len, splits))
    if held.interrupted and not held.values:
        raise KeyboardInterrupt(f"0 of {counted(planned, 'fit')} are made")
    if what != "evaluations" and all(one.fit is None for one in held.values):
        last = max(held.values, key=lambda one: one.n_train)
        raise TableError(table.source, f"no fit can be made; law {last.law}: {last.failed}")
    return Backtest(
        what=what,
        source=table.source,
        method=how,
        rule=rule,
        level=level,
        resamples=count,
        seed=seed,
        tasks=tuple(tasks),
        judged=held.values,
        planned=planned,
        notes=tuple(notes),
        interrupted=held.interrupted,
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
        which = f"the columns are {listed(table.names)}; {name_it('n_correct')}"
        neither = "has neither counts of samples (n_samples, n_correct) nor a loss of runs"
        raise TableError(table.source, f"{neither}; {which}")
    return str(found)


#: What only tables of one kind have.
ONLY = {"k": "counts", "method": "runs"} | dict.fromkeys(
    ("benchmarks", "proxy", "margin"), "evaluations"
)


def _of_this_kind(what: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None and ONLY[name] != what:
            raise ArgumentError(name, value, complaint=f"is for {ONLY[name]}; these are {what}")


def _rule(what: str, hold_out: str | None, axis: Any, targets: Any, cutoffs: Any) -> Rule | None:
    given = {"axis": axis, "targets": targets, "cutoffs": cutoffs}
    if hold_out is not None:
        for name, value in given.items():
            if value is not None:
                complaint = "is for cutoffs; a condition holds out rows without any"
                raise ArgumentError(name, value, complaint=complaint)
        return Rule(hold_out=hold_out)
    if axis is not None and axis not in AXES:
        raise outside("axis", axis, f"one of {', '.join(AXES)}")
    if what == "evaluations":
        if axis is None and targets is None:
            if cutoffs is not None:
                raise ArgumentError("cutoffs", cutoffs, complaint="needs an axis or targets")
            return None
        targets = NEXT if targets is None else targets
    return Rule(axis or "compute", 1 if targets is None else targets, cutoffs)


def _with_usual_cutoffs(rule: Rule, tasks: list[Task]) -> Rule:
    """The cutoffs of evaluations where none are given."""
    if rule.hold_out is not None or rule.cutoffs is not None:
        return rule
    if rule.targets != ALL or rule.axis != "compute":
        return replace(rule, cutoffs=CUTOFFS)
    ends = [
        (place[task.least - 1], place[-1])
        for task in tasks
        if len(place := np.sort(task.covariates["compute"][task.trainable])) >= task.least
    ]
    if not ends:
        return replace(rule, cutoffs=CUTOFFS)
    low, high = min(first for first, _ in ends), max(last for _, last in ends)
    grid = np.geomspace(*THRESHOLDS)
    kept = tuple(grid[(grid >= low) & (grid < high)].tolist())
    return replace(rule, cutoffs=kept or CUTOFFS)


def _require_laws_of_counts(laws: Sequence[str] | None) -> None:
    unknown = [name for name in laws or () if name not in KINDS]
    if unknown or laws == ():
        raise outside("laws", (unknown or [""])[0], f"one of {', '.join(KINDS)}")


def _require_one_benchmark(table: Counts) -> None:
    for index, name in enumerate(table.by):
        labels = dict.fromkeys(label[index] for label in table.labels)
        if role(name) == "benchmark" and len(labels) > 1:
            raise TableError(
                table.source,
                f"has {len(labels)} benchmarks ({listed(labels)}); choose one with "
                f"where=\"{name} == '{next(iter(labels))}'\"",
            )


def _require_covariates(tasks: list[Task], rule: Rule | None, source: str) -> None:
    if not tasks:
        raise TableError(source, "no law has all that it depends on")
    if rule is not None and rule.hold_out is None:
        have = list(dict.fromkeys(name for task in tasks for name in task.covariates))
        if rule.axis not in have:
            complaint = f"{source} has no {rule.axis}; it has {', '.join(have) or 'no covariate'}"
            raise ArgumentError("axis", rule.axis, complaint=complaint)
