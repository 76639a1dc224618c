"""Backtests: laws fitted to the cheap models predict the expensive ones, cutoff by cutoff."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import whole_number
from ..fit.hold_out import Trial, judge
from ..passk.cautions import AUTO
from ..results import checked_level
from ..words import counted
from .cutoffs import cutoffs_of
from .reading import subject_of
from .result import Backtest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..fit.hold_out import Judged
    from .cutoffs import Cutoffs
    from .extrapolation import Observed, Subject

__all__ = ["backtest"]

AXES = ("compute", "params", "tokens", "gold")


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
    progress: bool = False,
    jobs: int = 1,
) -> Backtest:
    """Fit laws to the models up to a cutoff, predict those beyond, and move the cutoff.

    Parameters
    ----------
    data : Counts, Runs, path, or anything that ``pandas.DataFrame`` accepts
        Counts of samples and correct ones by model and problem: the laws of -log pass@k. Or runs
        with a loss: the laws of the loss. A table is of counts where it has columns for both
        numbers (see `Counts.read`, `Runs.read`).
    laws : str or sequence of str, optional
        Of compute, params-tokens and, for counts, gold. By default all for which there are
        covariates of enough models.
    k : sequence of int, optional
        For counts; by default the powers of ten up to 10,000 (least squares: up to the fewest
        samples of a problem).
    axis : {"compute", "params", "tokens", "gold"}
        What makes a model expensive. For gold, -log probability of the gold reference solution,
        less is more expensive.
    targets : int, float, sequence of str, or "all"
        What is predicted, and never trained on: the models at so many of the highest values of the
        axis, a share of all models, or those of these names. "all": from every cutoff all models
        beyond it, which tells far more of the coverage of intervals.
    cutoffs : int or sequence of float, optional
        So many, evenly spread over the logarithm of the axis, or these values. By default the axis
        value of every model with enough models up to it: one more than the law has coefficients.
    method : str, optional
        For counts "likelihood" (default) or "least-squares-log". For runs an objective of
        `isoflop.fit`, by default "least-squares-log": prediction intervals take the scatter about
        the law to be normal in the logarithm.
    level : float
        Nominal coverage of intervals.
    resamples : int
        Of the models, for the final intervals of the coefficients; 0: those of their standard
        errors.
    seed : int
        Of the resamples.
    cluster : str, optional
        For counts, what models are drawn together by behind the final intervals; as in `fit_passk`.
        Runs have their `group`.
    columns, where, by, models, gold, random_baseline
        How a table is read; see `Counts.read` and `Runs.read`.
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
    A fit knows nothing of the models beyond its cutoff: what the counts of its own say of pass@k
    beyond the number of samples is learnt from these alone.

    A prediction interval is that of Student's t in the logarithm, with the variance of the law, of
    the scatter of models about it, and of the target's own measurement. Targets without a success,
    or without a failure, are not observed: they are counted and enter neither errors nor coverage.
    Nor do predictions of a fit that is not certified as a minimum, or that leaves a coefficient
    open: along that coefficient the fit ends anywhere, and so do its predictions.
    """
    level = checked_level(level)
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    if axis not in AXES:
        raise ValueError(f"axis={axis!r}: must be one of {', '.join(AXES)}")
    reading = {
        "columns": columns,
        "where": where,
        "by": by,
        "models": models,
        "gold": gold,
        "random_baseline": random_baseline,
    }
    subject = subject_of(data, k, method, cluster, reading)
    if axis not in subject.covariates:
        raise ValueError(
            f"axis={axis!r}: {subject.source} has no {axis}; it has "
            f"{', '.join(subject.covariates) or 'no covariate'}"
        )
    cuts = _cutoffs(subject, laws, axis, targets, cutoffs)
    total = len(subject.ks) * sum(len(each.at) for each in cuts.values())
    observed: dict[int, Observed] = {}
    trials = _trials(subject, cuts, observed, level, resamples, seed)
    held = judge(trials, jobs=jobs, progress=progress, total=total)
    if held.interrupted and not held.judged:
        raise KeyboardInterrupt(f"0 of {counted(total, 'fit')} are made")
    _some_fit(subject, held.judged, held.interrupted)
    return Backtest(
        what=subject.what,
        source=subject.source,
        method=subject.method,
        axis=axis,
        level=level,
        resamples=resamples,
        names=subject.names,
        cutoffs=cuts,
        observed=observed,
        judged=held.judged,
        planned=total,
        interrupted=held.interrupted,
    )


def _trials(
    subject: Subject,
    cuts: Mapping[str, Cutoffs],
    observed: dict[int, Observed],
    level: float,
    resamples: int,
    seed: int,
) -> Iterator[Trial]:
    """By k and law, from the last cutoff to the first; the fit of the last one is resampled. Fills
    in what was observed.
    """
    for k in subject.ks:
        rows, observed[k] = subject.rows(k)
        for law, each in cuts.items():
            for number, split in enumerate(each.splits()):
                learner = subject.learner(law, k, level, 0 if number else resamples, seed)
                yield Trial(learner, rows, split, observed[k].value, subject=k)


def _cutoffs(
    subject: Subject, laws: str | Sequence[str] | None, axis: str, targets: Any, cutoffs: Any
) -> dict[str, Cutoffs]:
    """Of every law that was asked for; by default of every law that has the models for some."""
    every = (
        ("compute", "params-tokens", "gold")
        if subject.what == "counts"
        else ("compute", "params-tokens")
    )
    if laws is not None:
        names = (laws,) if isinstance(laws, str) else tuple(laws)
        for name in names or ("",):
            if name not in every:
                raise ValueError(f"laws={name!r}: must be one of {', '.join(every)}")
        return {
            name: cutoffs_of(_with(subject, name), name, axis, targets, cutoffs) for name in names
        }
    found, first = {}, None
    for name in every:
        if any(need not in subject.covariates for need in subject.needs(name)):
            continue
        try:
            found[name] = cutoffs_of(subject, name, axis, targets, cutoffs)
        except ValueError as error:
            if not str(error).startswith("law="):
                raise
            first = first or error
    if not found:
        raise first or ValueError(
            f"{subject.source}: no law has all that it depends on; there is "
            f"{', '.join(subject.covariates)}"
        )
    return found


def _with(subject: Subject, law: str) -> Subject:
    """The subject, which has what a law depends on."""
    if absent := [name for name in subject.needs(law) if name not in subject.covariates]:
        raise ValueError(
            f"laws={law!r}: {subject.source} has no {' and no '.join(absent)}; the law needs "
            f"{', '.join(subject.needs(law))}"
        )
    return subject


def _some_fit(subject: Subject, judged: Sequence[Judged], interrupted: bool) -> None:
    """Raise where no law could be fitted anywhere, with the cause at the last cutoff, which has the
    most models.
    """
    if judged and not interrupted and all(each.fitted is None for each in judged):
        last = max(judged, key=lambda each: each.n_train)
        at = f" at k={last.subject}" if subject.what == "counts" else ""
        raise ValueError(
            f"{subject.source}: no fit can be made; law {last.model}{at}: {last.failed}"
        )
