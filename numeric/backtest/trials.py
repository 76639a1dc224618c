"""Backtests of losses and of pass@k: laws fitted to the cheap models predict the expensive ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..data.columns import name_it
from ..data.counts import Counts, role
from ..data.metrics import kind_of
from ..data.runs import Runs
from ..data.table import table_of
from ..errors import ArgumentError, TableError, outside, whole_number
from ..fit.fitted import DEFAULT_LEVEL
from ..fit.hold_out import Trial, judge
from ..fit.models import MODELS, form_of
from ..fit.objective import Objective
from ..passk.kinds import KINDS
from ..passk.laws import Data, ks_of
from ..results import checked_level
from ..words import counted, listed
from .counts import METHOD, of_counts
from .cutoffs import cutoffs_of
from .losses import of_runs
from .result import Backtest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .cutoffs import Cutoffs
    from .subject import Observed, Subject

__all__ = ["backtest", "kind_of_table"]

AXES = ("compute", "params", "tokens", "gold")
#: Of runs the forms that have a name, those that need least first.
LAWS = {
    "counts": tuple(KINDS),
    "runs": tuple(sorted(MODELS, key=lambda name: len(MODELS[name].requires))),
}
POWERS = (1, 10, 100, 1000, 10_000)


def backtest(
    data: Any,
    *,
    laws: str | Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    axis: str = "compute",
    targets: Any = 1,
    cutoffs: Any = None,
    hold_out: str | None = None,
    method: str | None = None,
    level: float = DEFAULT_LEVEL,
    resamples: int = 200,
    seed: int = 0,
    columns: Mapping[str, str | None] | None = None,
    where: str | None = None,
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
        Of compute, params-tokens and, for counts, gold; for runs also a formula, as the `model` of
        `isoflop.fit`. By default all for which there are covariates of enough models.
    k : sequence of int, optional
        For counts; by default the powers of ten up to 10,000.
    axis : {"compute", "params", "tokens", "gold"}
        What makes a model expensive. For gold, -log probability of the gold reference solution,
        less is more expensive.
    targets : int, float, or "all"
        What is predicted, and never trained on: the models at so many of the highest values of the
        axis, or a share of all models. "all": from every cutoff all models beyond it, which tells
        far more of the coverage of intervals.
    cutoffs : int or sequence of float, optional
        So many, evenly spread over the logarithm of the axis, or these values. By default the axis
        value of every model with enough models up to it: one more than the law has coefficients.
    hold_out : str, optional
        A condition on the models or runs, as in "compute > 1e22". They are predicted from all
        others, once: `targets` and `cutoffs` have no part.
    method : str, optional
        For runs an objective of `isoflop.fit`, by default "least-squares-log": prediction intervals
        take the scatter about the law to be normal in the logarithm. Laws of counts are fitted by
        their likelihood.
    level : float
        Nominal coverage of intervals.
    resamples : int
        Of the models, for the final intervals of the coefficients; 0: those of their standard
        errors. What belongs together is drawn together: runs of one `group`, and models as in
        `fit_passk`.
    seed : int
        Of the resamples.
    columns, where
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
    A fit knows nothing of the models beyond its cutoff.

    A prediction interval is that of Student's t in the logarithm, with the variance of the law, of
    the scatter of models about it, and of the target's own measurement. Targets without a success,
    or without a failure, are not observed: they are counted and enter neither errors nor coverage.
    Nor do predictions of a fit that is not certified as a minimum, or that leaves a coefficient
    open: along that coefficient the fit ends anywhere, and so do its predictions.
    """
    level = checked_level(level)
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    if axis not in AXES:
        raise outside("axis", axis, f"one of {', '.join(AXES)}")
    read: dict[str, Any] = {"columns": columns, "where": where}
    if kind_of_table(data, columns) == "counts":
        if method is not None:
            raise ArgumentError("method", method, complaint="is for runs; these are counts")
        subject = _of_counts(Counts.read(data, **read), k)
    else:
        if k is not None:
            raise ArgumentError("k", k, complaint="is for counts; these are runs with a loss")
        forms = {name: form_of(name) for name in _names(laws, "runs")}
        named = {name for form in forms.values() for name in form.names}
        runs = Runs.read(data, **read, names=named, require=("loss",))
        on_runs = {name: form.on(runs) for name, form in forms.items()}
        subject = of_runs(runs, on_runs, Objective(name=method or "least-squares-log"))
    if axis not in subject.covariates:
        have = ", ".join(subject.covariates) or "no covariate"
        raise ArgumentError(
            "axis", axis, complaint=f"{subject.source} has no {axis}; it has {have}"
        )
    cuts = _cutoffs(subject, laws, (axis, targets, cutoffs, hold_out))
    splits = {law: each.splits() for law, each in cuts.items()}
    total = len(subject.ks) * sum(map(len, splits.values()))
    observed: dict[int, Observed] = {}

    def trials() -> Iterator[Trial]:
        """By k and law, from the last cutoff to the first; the fit of the last one is resampled."""
        for k in subject.ks:
            rows, observed[k] = subject.rows(k)
            for law, several in splits.items():
                for number, split in enumerate(several):
                    learner = subject.learner(law, k, level, 0 if number else resamples, seed)
                    yield Trial(learner, rows, split, observed[k].value, subject=k)

    held = judge(trials(), jobs=jobs, progress=progress, total=total)
    if held.interrupted and not held.judged:
        raise KeyboardInterrupt(f"0 of {counted(total, 'fit')} are made")
    if not held.interrupted and all(each.fitted is None for each in held.judged):
        last = max(held.judged, key=lambda each: each.n_train)
        at = f" at k={last.subject}" if subject.what == "counts" else ""
        raise TableError(subject.source, f"no fit can be made; law {last.law}{at}: {last.failed}")
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
        hold_out=hold_out,
    )


# -- what it is of ---------------------------------------------------------------------------------


def kind_of_table(data: Any, columns: Mapping[str, str | None] | None = None) -> str:
    """Whether a table holds "counts" (columns of samples and of correct ones), "evaluations"
    (benchmarks) or "runs" (a loss).

    Raises
    ------
    ValueError
        Where there is neither.
    """
    if isinstance(data, (Counts, Runs)):
        return "counts" if isinstance(data, Counts) else "runs"
    table = table_of(data)
    kind = kind_of(table, columns)
    if kind in (None, "pass@k"):
        which = f"the columns are {listed(table.names)}; {name_it('n_correct')}"
        neither = "has neither counts of samples (n_samples, n_correct) nor a loss of runs"
        raise TableError(table.source, f"{neither}; {which}")
    return str(kind)


def _of_counts(counts: Counts, k: Sequence[int] | None) -> Subject:
    """Counts of one benchmark at these k."""
    for index, name in enumerate(counts.by):
        labels = dict.fromkeys(label[index] for label in counts.labels)
        if role(name) == "benchmark" and len(labels) > 1:
            raise TableError(
                counts.source,
                f"has {len(labels)} benchmarks ({listed(labels)}); choose one with "
                f"where=\"{name} == '{next(iter(labels))}'\"",
            )
    return of_counts(Data(counts, ks_of(counts, POWERS if k is None else k, METHOD)))


def _names(laws: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    """The laws that are asked for; of runs also those with a formula of their own."""
    if laws is None:
        return LAWS[what]
    names = (laws,) if isinstance(laws, str) else tuple(laws)
    unknown = [name for name in names if what == "counts" and name not in LAWS[what]]
    if unknown or not names:
        raise outside("laws", (unknown or [""])[0], f"one of {', '.join(LAWS[what])}")
    return names


def _cutoffs(
    subject: Subject, laws: str | Sequence[str] | None, rule: tuple[Any, ...]
) -> dict[str, Cutoffs]:
    """Of every law that was asked for; by default of every law that has the models for some."""
    cuts: dict[str, Cutoffs] = {}
    refused: ArgumentError | None = None
    for name in _names(laws, subject.what):
        needs, _ = subject.forms[name]
        absent = [need for need in needs if need not in subject.covariates]
        if absent and laws is not None:
            has = f"{subject.source} has no {' and no '.join(absent)}"
            complaint = f"{has}; the law needs {', '.join(needs)}"
            raise ArgumentError("laws", name, complaint=complaint)
        if absent:
            continue
        try:
            cuts[name] = cutoffs_of(subject, name, *rule)
        except ArgumentError as error:
            if laws is not None or error.argument != "law":
                raise
            refused = refused or error
    if not cuts:
        have = ", ".join(subject.covariates)
        raise refused or TableError(
            subject.source, f"no law has all that it depends on; there is {have}"
        )
    return cuts
