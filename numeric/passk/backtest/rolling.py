"""Backtests: laws fitted to the cheap models predict the expensive ones, cutoff by cutoff."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from ..._parallel import in_order
from ..._progress import progress_bar
from ...errors import process_count, whole_number
from ...fit.intervals import checked_level
from ...words import counted
from ..cautions import AUTO
from .checkpoint import appending, key_of, read_steps
from .plan import planned
from .reading import subject_of
from .result import Backtest
from .step import Step, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from os import PathLike

    from .plan import Plan
    from .subject import Fitter, Subject

__all__ = ["backtest"]

AXES = ("compute", "params", "tokens", "gold")
#: Fits that a process makes before it hands them over.
AT_ONCE = 12


def backtest(
    data: Any,
    *,
    laws: str | Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    axis: str = "compute",
    targets: Any = 1,
    cutoffs: Any = None,
    method: str | None = None,
    level: float = 0.9,
    resamples: int = 200,
    seed: int = 0,
    cluster: str | None = AUTO,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
    by: str | Sequence[str] | None = None,
    models: Any = None,
    gold: Any = None,
    random_baseline: float | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: bool = False,
    jobs: int = 1,
) -> Backtest:
    """Fit laws to the models up to a cutoff, predict those beyond, and move the cutoff.

    Parameters
    ----------
    data : Counts, Runs, path, or anything that ``pandas.DataFrame`` accepts
        Counts of samples and correct ones by model and problem: the laws of -log pass@k. Or runs with a loss: the laws of the
        loss. A table is of counts where it has columns for both numbers (see `Counts.read`, `Runs.read`).
    laws : str or sequence of str, optional
        Of compute, params-tokens and, for counts, gold. By default all for which there are covariates of enough models.
    k : sequence of int, optional
        For counts; by default the powers of ten up to 10,000 (least squares: up to the fewest samples of a problem).
    axis : {"compute", "params", "tokens", "gold"}
        What makes a model expensive. For gold, -log probability of the gold reference solution, less is more expensive.
    targets : int, float, sequence of str, or "all"
        What is predicted, and never trained on: the models at so many of the highest values of the axis, a share of all models,
        or those of these names. "all": from every cutoff all models beyond it, which tells far more of the coverage of intervals.
    cutoffs : int or sequence of float, optional
        So many, evenly spread over the logarithm of the axis, or these values. By default the axis value of every model with
        enough models up to it: one more than the law has coefficients.
    method : str, optional
        For counts "likelihood" (default) or "least-squares-log". For runs an objective of `isoflop.fit`, by default
        "least-squares-log": prediction intervals take the scatter about the law to be normal in the logarithm.
    level : float
        Nominal coverage of intervals.
    resamples : int
        Of the models, for the final intervals of the coefficients; 0: those of their standard errors.
    seed : int
        Of the resamples.
    cluster : str, optional
        For counts, what models are drawn together by behind the final intervals; as in `fit_passk`. Runs have their `group`.
    columns, where, by, models, gold, random_baseline
        How a table is read; see `Counts.read` and `Runs.read`.
    checkpoint : path, optional
        A file where every fit is written as soon as it is made. Where it exists, its fits are not made again; a file of other
        data or options is refused.
    progress : bool
        Show a bar on the standard error.
    jobs : int
        Processes; more than one needs joblib.

    Returns
    -------
    Backtest
        Of the fits that were made where it is interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, the models are too few, or no fit can be made.

    Notes
    -----
    A fit knows nothing of the models beyond its cutoff: what the counts of its own say of pass@k beyond the number of samples is
    learnt from these alone.

    A prediction interval is that of Student's t in the logarithm, with the variance of the law, of the scatter of models
    about it, and of the target's own measurement. Targets without a success, or without a failure, are not observed: they
    are counted and enter neither errors nor coverage. Nor do predictions of a fit that is not certified as a minimum, or that
    leaves a coefficient open: along that coefficient the fit ends anywhere, and so do its predictions.
    """
    level = checked_level(level)
    resamples, seed, jobs = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0), process_count(jobs)
    if axis not in AXES:
        raise ValueError(f"axis={axis!r}: must be one of {', '.join(AXES)}")
    reading = {"columns": columns, "where": where, "by": by, "models": models, "gold": gold, "random_baseline": random_baseline}
    subject, ks = subject_of(data, k, method, cluster, reading)
    if axis not in subject.covariates:
        raise ValueError(
            f"axis={axis!r}: {subject.source} has no {axis}; it has {', '.join(subject.covariates) or 'no covariate'}"
        )
    plans = _plans(subject, laws, axis, targets, cutoffs)
    options = {"axis": axis, "targets": targets if isinstance(targets, (str, int, float)) else list(targets)}
    options |= {"level": level, "resamples": resamples, "seed": seed}
    made = {} if checkpoint is None else read_steps(checkpoint, key := key_of(subject.identity(), options))
    tasks = [task for k_ in ks for plan in plans.values() for task in plan.tasks(k_)]
    steps = {task: made[task] for task in tasks if task in made}
    interrupted = False
    bar = progress_bar(len(tasks), progress, what="backtest", unit="fit", done=len(steps))
    try:
        with appending(checkpoint, key if checkpoint is not None else "") as keep:
            rest = [task for task in tasks if task not in steps]
            for step in _made(subject, plans, rest, (resamples, seed, level), jobs):
                steps[step.task] = step
                keep(step)
                bar.update(1)
    except KeyboardInterrupt:
        if not steps:
            raise KeyboardInterrupt(f"0 of {counted(len(tasks), 'fit')} are made") from None
        interrupted = True
    finally:
        bar.close()
    _some_fit(subject, list(steps.values()), interrupted)
    return Backtest(
        what=subject.what,
        source=subject.source,
        method=subject.method,
        axis=axis,
        level=level,
        resamples=resamples,
        names=subject.names,
        plans=plans,
        observed={k_: subject.observed(k_) for k_ in ks},
        steps=tuple(steps[task] for task in tasks if task in steps),
        planned=len(tasks),
        interrupted=interrupted,
    )


def _plans(subject: Subject, laws: str | Sequence[str] | None, axis: str, targets: Any, cutoffs: Any) -> dict[str, Plan]:
    """A plan for every law that was asked for; by default for every law that has the models for one."""
    every = ("compute", "params-tokens", "gold") if subject.what == "counts" else ("compute", "params-tokens")
    if laws is not None:
        names = (laws,) if isinstance(laws, str) else tuple(laws)
        for name in names or ("",):
            if name not in every:
                raise ValueError(f"laws={name!r}: must be one of {', '.join(every)}")
        return {name: planned(_with(subject, name), name, axis, targets, cutoffs) for name in names}
    found, first = {}, None
    for name in every:
        if any(need not in subject.covariates for need in subject.needs(name)):
            continue
        try:
            found[name] = planned(subject, name, axis, targets, cutoffs)
        except ValueError as error:
            if not str(error).startswith("law="):
                raise
            first = first or error
    if not found:
        raise first or ValueError(
            f"{subject.source}: no law has all that it depends on; there is {', '.join(subject.covariates)}"
        )
    return found


def _with(subject: Subject, law: str) -> Subject:
    """The subject, which has what a law depends on."""
    if absent := [name for name in subject.needs(law) if name not in subject.covariates]:
        raise ValueError(
            f"laws={law!r}: {subject.source} has no {' and no '.join(absent)}; the law needs {', '.join(subject.needs(law))}"
        )
    return subject


def _made(
    subject: Subject, plans: Mapping[str, Plan], tasks: Sequence[Task], options: tuple[int, int, float], jobs: int
) -> Iterator[Step]:
    """The fits as they are made."""
    by_k = [(k, list(group)) for k, group in groupby(tasks, key=lambda task: task.k)]
    if jobs == 1:
        for k, group in by_k:
            part = subject.at(k)
            for task in group:
                yield step_of(part, plans[task.law], task, options)
        return
    calls = (
        (part, {task.law: plans[task.law] for task in block}, block, options)
        for k, group in by_k
        for part in (subject.at(k),)
        for block in _blocks(_by_training(plans, group))
    )
    for found in in_order(_steps, calls, jobs):
        yield from found


def _by_training(plans: Mapping[str, Plan], tasks: Sequence[Task]) -> list[Task]:
    """Those with equal training sets together: they share what is learnt from these."""
    return sorted(tasks, key=lambda task: -plans[task.law].place(task.cutoff))


def _some_fit(subject: Subject, steps: Sequence[Step], interrupted: bool) -> None:
    """Raise where no law could be fitted anywhere, with the cause at the last cutoff, which has the most models."""
    if steps and not interrupted and all(step.failed for step in steps):
        last = max(steps, key=lambda step: step.n_train)
        at = f" at k={last.task.k}" if subject.what == "counts" else ""
        raise ValueError(f"{subject.source}: no fit can be made; law {last.task.law}{at}: {last.failed}")


def _blocks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    rest = iter(tasks)
    while block := list(islice(rest, AT_ONCE)):
        yield block


def _steps(subject: Fitter, plans: Mapping[str, Plan], tasks: Sequence[Task], options: tuple[int, int, float]) -> list[Step]:
    return [step_of(subject, plans[task.law], task, options) for task in tasks]


def step_of(subject: Fitter, plan: Plan, task: Task, options: tuple[int, int, float]) -> Step:
    """One fit, or why there is none."""
    resamples, seed, level = options
    training = plan.training(task.cutoff)
    try:
        return subject.step(task, training, plan.beyond(task.cutoff), resamples if task.final else 0, seed, level)
    except ValueError as error:
        return Step.failure(task, int(training.sum()), str(error).removeprefix(f"k={task.k}: "))
