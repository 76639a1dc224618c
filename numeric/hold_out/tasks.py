"""A law with the rows of a table that it may be fitted to and judged on: laws of the loss of runs,
of -log pass@k of models with counts, and of accuracy on benchmarks.

Source of what is fitted and judged on benchmarks: Krajewski et al. 2025, arXiv 2512.08894, Sections
3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy.law import fit_law, resampled
from ..accuracy.laws import LAWS, law_named
from ..data.columns import BUDGET
from ..data.sample import above_guessing
from ..errors import ArgumentError
from ..fit.fit import fit_form
from ..fit.models import MODELS, form_of
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS, case_weights
from ..passk.curve import curve
from ..passk.fit_at_k import KINDS, fit_at_k, kind_of
from ..passk.laws import clusters
from ..passk.likelihood import evidence_of
from ..results import Band, coverage_factor, percentiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..accuracy.baselines import Baseline
    from ..accuracy.law import Law, LawFit
    from ..data.counts import Counts
    from ..data.evaluations import Evaluations
    from ..data.rows import View
    from ..data.runs import Runs
    from ..data.sample import Sample
    from ..fit.fit import Fit
    from ..passk.fit_at_k import PassFit, PassKind
    from ..passk.likelihood import Evidence

    Mask = NDArray[np.bool_]

__all__ = ["Task", "tasks_of_counts", "tasks_of_evaluations", "tasks_of_runs"]

#: How laws of loss are fitted: prediction intervals take the scatter about a law to be normal in the
#: logarithm.
SQUARES = Objective(name="least-squares-log")
#: The laws of loss that are compared where none are asked for, those that need least first, and the
#: laws of accuracy.
OF_LOSS = sorted(MODELS, key=lambda name: len(MODELS[name].requires))
OF_ACCURACY = [name for name in LAWS if name not in ("bnsl-2", "bnsl-3")]
#: Cutoffs leave at least so many runs to a law of accuracy.
LEAST = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """A law to be fitted to some of n rows and judged on others.

    Attributes
    ----------
    subject : str or int
        What the rows are of: a benchmark, or k of pass@k; "" for losses.
    law : str
    points : DataFrame
        The rows: `target`, a name; `observed`, a loss, -log pass@k or accuracy; `why` it is not
        observed; and the axes that cutoffs may be in.
    fit : callable
        Rows to be fitted (n,), resamples -> the law fitted to them; ValueError with the reason
        where that is impossible.
    predict : callable
        A fit, rows (n,), level -> `Band`: predictions (m,), with the intervals of new rows.
    train, test : ndarray of bool
        (n,): which rows may be fitted, and which may be predicted.
    least : int
        The fewest rows that a cutoff leaves to be fitted.
    held : ndarray of bool or None
        (n,): the rows that a condition holds out.
    grid : ndarray of bool
        (n,): the rows at which cutoffs may lie.
    """

    subject: str | int
    law: str
    points: DataFrame
    fit: Callable[[Mask, int], Any]
    predict: Callable[[Any, Mask, float], Band]
    train: Mask
    test: Mask
    least: int
    held: Mask | None
    grid: Mask


def _has(
    law: str, needs: Sequence[str], known: Any, asked: Sequence[str] | None, source: str
) -> bool:
    """Whether a law has all that it depends on; an ArgumentError where it was asked for and has not."""
    missing = [need for need in needs if need not in known]
    if missing and asked is not None:
        complaint = f"{source} has no {' and no '.join(missing)}; the law needs {', '.join(needs)}"
        raise ArgumentError("laws", law, complaint=complaint)
    return not missing


def _held(condition: str | None, table: View) -> Mask | None:
    """The rows that a condition holds out; no column that it names may be empty anywhere."""
    if condition is None:
        return None
    return np.asarray(table.mask(condition, "hold_out", everywhere=True))


# -- losses ----------------------------------------------------------------------------------------


def tasks_of_runs(
    runs: Runs, laws: Sequence[str] | None, hold_out: str | None, *, seed: int
) -> list[Task]:
    """The laws of the loss, by name or formula; by default those with a name."""
    import pandas as pd

    axes = {name: values for name in BUDGET if (values := getattr(runs, name)) is not None}
    names = [f"row {row}" for row in runs.row]
    points = pd.DataFrame({"target": names, "observed": runs.loss, "why": "", **axes})
    held, every = _held(hold_out, runs), np.ones(len(runs), dtype=bool)
    forms = {name: form_of(name).on(runs) for name in laws or OF_LOSS}
    return [
        Task(
            subject="",
            law=name,
            points=points,
            fit=partial(_fit_loss, runs, form, seed),
            predict=partial(_predict_loss, runs),
            train=every,
            test=every,
            least=len(form.coefficients) + 1,
            held=held,
            grid=every,
        )
        for name, form in forms.items()
        if _has(name, form.requires, axes, laws, runs.source)
    ]


def _fit_loss(runs: Runs, form: Any, seed: int, chosen: Mask, resamples: int) -> Fit:
    rows = runs.subset(chosen)
    fit = fit_form(rows, form, SQUARES, seed=seed)
    enough = rows.group is None or len(np.unique(rows.group.astype(str))) >= LEAST_GROUPS
    return fit.resampled(resamples, seed=seed) if resamples and fit.is_sound and enough else fit


def _predict_loss(runs: Runs, fit: Fit, chosen: Mask, level: float) -> Band:
    """The law at some of the runs, with the interval of a new run.

    Its ends are apart from the law by the percentiles of the draws of the law and, as an
    independent error, by Student's t times the scatter of the fitted runs, in the logarithm.
    Without draws there are none.
    """
    rows = runs.subset(chosen)
    law = np.asarray(fit.predict(rows), dtype=np.float64)
    if fit.drawn is None:
        return Band(law, level=level)
    solution, spare = fit.solution, max(1, fit.solution.spare)
    off = np.log(solution.fitted) - np.log(solution.observed)
    thetas = solution.model.write(fit.drawn.coefficients)
    scatter = coverage_factor(level, spare) * np.sqrt((off**2).sum() / spare)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentiles(np.log(solution.model.at(rows).evaluate(thetas)[0]), level)
        below = np.hypot(np.log(law) - low, scatter)
        above = np.hypot(high - np.log(law), scatter)
    return Band(law, law * np.exp(-below), law * np.exp(above), level)


# -- counts ----------------------------------------------------------------------------------------


def tasks_of_counts(
    counts: Counts,
    ks: Sequence[int],
    laws: Sequence[str] | None,
    hold_out: str | None,
    *,
    seed: int,
) -> list[Task]:
    """The laws of -log pass@k at every k, by default all."""
    import pandas as pd

    tasks, once = list[Task](), curve(counts, [1])
    held = _held(hold_out, counts)
    for k, evidence in evidence_of(counts, ks).items():
        found, few = curve(counts, [k]), f"fewer than {k} samples of some problem"
        why = np.select(
            [once.pass_at_k == 0.0, once.neg_log == 0.0, found.n_refused > 0, found.neg_log == 0.0],
            ["no success", "no failure", few, "every pass@k is 1"],
            "",
        )
        observed = {"observed": np.where(why == "", found.neg_log, np.nan), "why": why}
        points = pd.DataFrame({"target": counts.names, **observed, **counts.covariates})
        for kind in (kind_of(name) for name in laws or KINDS):
            if not _has(kind.name, kind.covariates, counts.covariates, laws, counts.source):
                continue
            known = points[[*kind.covariates]].notna().all(axis=1).to_numpy()
            tasks.append(
                Task(
                    subject=k,
                    law=kind.name,
                    points=points,
                    fit=partial(_fit_pass, counts, kind, k, evidence, seed),
                    predict=partial(_predict_pass, counts, evidence.moments()[1]),
                    train=known,
                    test=known,
                    least=len(kind.coefficients) + 1,
                    held=held,
                    grid=known,
                )
            )
    return tasks


def _fit_pass(
    counts: Counts,
    kind: PassKind,
    k: int,
    evidence: Evidence,
    seed: int,
    chosen: Mask,
    resamples: int,
) -> PassFit:
    """Resamples draw together the models that belong together."""
    part, group, weights = counts.subset(chosen), None, None
    if resamples:
        _, group = clusters(part)
        weights = case_weights(group, len(part), resamples, np.random.default_rng(seed))
    return fit_at_k(part, kind, k, evidence.some(chosen), weights, group)


def _predict_pass(counts: Counts, error: Any, fit: PassFit, chosen: Mask, level: float) -> Band:
    """The law at some of the models, with the models' own measurement in the intervals."""
    at = {name: counts.covariates[name][chosen] for name in fit.kind.covariates}
    return fit.predict(at, level, error[chosen])


# -- evaluations -----------------------------------------------------------------------------------


def tasks_of_evaluations(
    evaluations: Evaluations,
    laws: Sequence[str] | None,
    hold_out: str | None,
    *,
    baselines: Mapping[str, Baseline],
    proxy: str | None,
    seed: int,
) -> tuple[list[Task], list[str]]:
    """The laws of accuracy on every benchmark, by default those for which there are columns, and
    notes on the runs that none is judged on.

    A law is fitted to the runs that exceed guessing by more than its own margin and, if it needs the
    proxy, have it. All laws of a benchmark are judged on the runs that exceed guessing by more than
    the strictest of their margins. The law in k is for a condition alone: cutoffs are at k = 1.
    """
    source, tasks, notes = evaluations.source, list[Task](), list[str]()
    if proxy is None and len(evaluations.proxies) == 1:
        proxy = next(iter(evaluations.proxies))
    if proxy is None and any("proxy" in law_named(law).requires for law in laws or ()):
        complaint = (
            f"two-stage laws need one; {source} has {', '.join(evaluations.proxies) or 'none'}"
        )
        raise ArgumentError("proxy", complaint=complaint)
    for name, baseline in baselines.items():
        runs, held_pairs = evaluations.sample(name, baseline.value), hold_out is not None
        known = {quantity for quantity in BUDGET if getattr(runs.at, quantity) is not None}
        known |= {"k"} if held_pairs and len(evaluations.family(name)) > 1 else set()
        if proxy is not None:  # NaN at runs without it
            known |= {"proxy"}
            runs = replace(runs, at=replace(runs.at, proxy=evaluations.proxy(proxy)[runs.index]))
        every = [law_named(law, baseline) for law in laws or OF_ACCURACY]
        own = [law for law in every if _has(law.name, law.requires, known, laws, source)]
        margin = max((law.margin for law in own if law.margin is not None), default=0.0)
        grid = clear = above_guessing(runs.accuracy, runs.baseline, margin)
        if not clear.all():
            why = f"accuracy within {margin:g} of guessing, below it, or 1"
            left = f"{(~clear).sum()} of {len(runs)} runs"
            notes.append(f"{name}: no law is judged on {left}: {why}")
        if any("proxy" in law.requires for law in own):
            grid = clear & np.isfinite(runs.at.proxy)
        least = max(LEAST, 1 + max((len(law.coefficients) for law in own), default=0))
        for law in own:
            rows = (
                evaluations.sample(name, baseline.value, in_k=True) if "k" in law.requires else runs
            )
            has_all = np.isfinite(rows.at.proxy) if "proxy" in law.requires else True
            tasks.append(
                Task(
                    subject=name,
                    law=law.name,
                    points=_points(evaluations, rows),
                    fit=partial(_fit_accuracy, law, rows, baseline, seed),
                    predict=partial(_predict_accuracy, rows),
                    train=has_all & above_guessing(rows.accuracy, rows.baseline, law.margin),
                    test=has_all & above_guessing(rows.accuracy, rows.baseline, margin),
                    least=least,
                    held=None if hold_out is None else _held_runs(evaluations, rows, hold_out),
                    grid=grid,
                )
            )
    return tasks, notes


def _points(evaluations: Evaluations, rows: Sample) -> DataFrame:
    import pandas as pd

    axes = {name: values for name in BUDGET if (values := getattr(rows.at, name)) is not None}
    names = evaluations.run[rows.index].astype(str)
    return pd.DataFrame({"target": names, "observed": rows.accuracy, "why": "", **axes})


def _held_runs(evaluations: Evaluations, rows: Sample, hold_out: str) -> Mask:
    """The rows that a condition holds out; runs without k are those at k = 1."""
    at = rows.at if rows.at.k is not None else replace(rows.at, k=np.ones(len(rows)))
    return np.asarray(evaluations.held_out(replace(rows, at=at), hold_out))


def _fit_accuracy(
    law: Law, rows: Sample, baseline: Baseline, seed: int, chosen: Mask, resamples: int
) -> LawFit:
    """Resamples redraw what guessing scores."""
    fit = fit_law(rows.subset(chosen), law)
    return resampled(fit, baseline, resamples, seed) if resamples else fit


def _predict_accuracy(rows: Sample, fit: LawFit, chosen: Mask, level: float) -> Band:
    """Accuracy at some of the rows; with resamples the interval of a new run's."""
    return fit.new_run(rows.at.subset(chosen), level)
