r"""What training past the compute optimum costs, in loss and in downstream error: the laws of Gadre et al.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L}, \qquad M = D/N,\; C = 6 N D.

The law of loss is the params+tokens law with beta = gamma = 2 eta, a = 6^eta A and b = 6^eta B (derivation `overtraining_law`).
So its optimum, its envelope and its penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and
off it the reducible loss grows by cosh(eta log(M/M*)). Source: Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.rows import those_dropped
from ..errors import ArgumentError, outside, whole_number
from ..fit.intervals import checked_level
from ..fit.objective import Objective
from ..words import counted
from .links import EXPONENTIAL, LinkFit
from .overtraining_costs import Cost, beyond, doubts_of
from .overtraining_draws import KINDS, draw
from .overtraining_pools import pooled
from .overtraining_result import Overtraining
from .overtraining_runs import Prediction, said_of
from .tied import COEFFICIENTS, TiedFit, fit_tied

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["GADRE_TASKS", "Cost", "Overtraining", "Prediction", "doubts_of", "fit_overtraining"]

#: With no more runs beyond the coefficients than this a law's scatter is hardly known.
FEW_SPARE = 3
#: The 17 tasks over which Gadre et al. 2024 average the error.
GADRE_TASKS = (
    "bigbench_operators",
    "pubmed_qa_labeled",
    "hellaswag_zeroshot",
    "boolq",
    "arc_easy",
    "coqa",
    "bigbench_dyck_languages",
    "lambada_openai",
    "bigbench_novel_concepts",
    "winograd",
    "bigbench_cs_algorithms",
    "commonsense_qa",
    "bigbench_qa_wikidata",
    "hellaswag",
    "copa",
    "squad",
    "piqa",
)


def fit_overtraining(
    evaluations: Evaluations | Any,
    *,
    loss: str,
    benchmarks: Sequence[str] | None = None,
    fit_where: str | None = None,
    error_where: str | None = None,
    predict_where: str | None = None,
    objective: Objective | str = "least-squares",
    repeats: int = 0,
    kind: str = "residuals",
    seed: int = 0,
    level: float = 0.9,
    progress: bool = False,
) -> Overtraining:
    """The law of loss and the law of error of over-trained runs, and what they say of other runs.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
        Read by `Evaluations.read` where they are none yet; with params and tokens.
    loss : str
        The column of losses.
    benchmarks : sequence of str, optional
        The error is 1 less the mean raw accuracy on these. By default all; an empty sequence: no law of error.
    fit_where, error_where : str, optional
        Conditions on the runs of the law of loss (by default all runs), and of the law of error (by default the same).
    predict_where : str, optional
        Condition on the runs that are predicted; by default all those that the law of loss was not fitted to.
    objective : Objective or str
        Of the law of loss; by default the paper's least squares. The law of error is fitted by least squares to measured losses.
    repeats : int
        Resamples; 0: no intervals.
    kind : {"residuals", "cases"}
        What is drawn: the residuals about each law, centred and inflated by sqrt(n/(n - p)), which works for a few planned runs,
        or whole runs, of which there must be many.
    seed : int
    level : float
        Of the percentile intervals.
    progress : bool
        Show a bar on the standard error.

    Returns
    -------
    Overtraining
        Its resamples may be fewer where they are interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where a name or condition is wrong, or the runs are too few.

    Notes
    -----
    The published numbers of Gadre et al. 2024: on their runs of one training set, `fit_where` the runs at 20 tokens a parameter
    of their four small models, and at 320 of the smallest; `error_where` the same and the 1.4B model at 20; `GADRE_TASKS`.
    """
    from ..data.evaluations import Evaluations

    runs = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    chosen = Objective(name=objective) if isinstance(objective, str) else objective
    repeats, seed, level = whole_number("repeats", repeats, 0), whole_number("seed", seed, 0), checked_level(level)
    if kind not in KINDS:
        raise ArgumentError("kind", kind, f"one of {', '.join(KINDS)}")
    if runs.params is None or runs.tokens is None:
        raise ValueError(f"{runs.source}: has no params and tokens of the runs; the law of loss needs both")
    asked = None if predict_where is None else runs.mask(predict_where, "predict_where")
    if asked is not None and not asked.any():
        raise ArgumentError(
            "predict_where", predict_where, complaint=f"holds for none of {counted(len(runs), 'run')} of {runs.source}"
        )
    if _is_accuracy(runs, loss):
        raise ArgumentError("proxy", loss, complaint="is an accuracy, not a loss")
    losses = runs.proxy(loss)
    bad = np.flatnonzero(np.isfinite(losses) & (losses <= 0.0))
    if bad.size:
        raise outside(f"{loss} of run {runs.run[bad[0]]!r}", float(losses[bad[0]]), "positive: it is no loss")
    names = _benchmarks(runs, benchmarks)
    errors = 1.0 - np.mean([runs.scores[name] for name in names], axis=0) if names else np.full(len(runs), np.nan)

    notes = [*runs.warnings, *([f"rows {those_dropped(runs.dropped)}"] if runs.dropped else [])]
    for_loss = _chosen(runs, "fit_where", fit_where, losses, f"the loss {loss!r}", notes)
    fitted = fit_tied(runs.params[for_loss], runs.tokens[for_loss], losses[for_loss], chosen)
    link, for_error = None, for_loss
    if names:
        condition = fit_where if error_where is None else error_where
        both = np.where(np.isfinite(losses), errors, np.nan)
        for_error = _chosen(runs, "error_where", condition, both, "a loss and all benchmarks", notes)
        link = EXPONENTIAL.fit(losses[for_error], 1.0 - errors[for_error], what=f"loss {loss!r}")
    notes += _doubts(fitted, link, int(for_error.sum()))

    notes = pooled(runs, for_loss, fitted.observed - fitted.fitted) + notes

    draws = None
    if repeats:
        draws = draw(fitted, link, for_loss, for_error, losses, errors, kind=kind, repeats=repeats, seed=seed, progress=progress)
        if draws.failed:
            notes.append(f"{draws.failed} of {draws.failed + len(draws)} refits reached no certified minimum and are left out")
    asked = ~for_loss if asked is None else asked
    said = said_of(runs, for_loss, for_error, asked, losses, errors, fitted, link, draws, level)
    if doubt := beyond([each.predicted_error for each in said if each.asked]):
        notes.append(doubt)
    return Overtraining(
        loss_fit=fitted,
        error_fit=link,
        runs=said,
        draws=draws,
        loss_name=loss,
        benchmarks=names,
        level=level,
        notes=tuple(notes),
        source=runs.source,
    )


def _benchmarks(runs: Evaluations, asked: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(asked, str):
        raise ArgumentError("benchmarks", asked, "a sequence of names")
    names = tuple(runs.benchmarks if asked is None else dict.fromkeys(asked))
    for name in names:
        runs.require(name)
        if name not in runs.scores:
            complaint = f"{runs.source} has it as {', '.join(runs.family(name).values())} alone; name one"
            raise ArgumentError("benchmark", name, complaint=complaint)
    return names


def _is_accuracy(runs: Evaluations, name: str) -> bool:
    """Whether `Evaluations.proxy` finds a score of a benchmark under this name, by key or by column."""
    scored = {*runs.scores, *(runs.columns[key] for key in runs.scores if key in runs.columns)}
    losses = {*runs.proxies, *(runs.columns[key] for key in runs.proxies if key in runs.columns)}
    return name in scored - losses


def _chosen(runs: Evaluations, argument: str, condition: str | None, values: Floats, what: str, notes: list[str]) -> Mask:
    """The runs that satisfy a condition and have the values; what is left out is noted."""
    asked = np.ones(len(runs), dtype=bool) if condition is None else runs.mask(condition, argument)
    found = asked & np.isfinite(values)
    if not found.any():
        raise ArgumentError(
            argument, condition, complaint=f"leaves none of {counted(len(runs), 'run')} of {runs.source} with {what}"
        )
    if missing := int((asked & ~found).sum()):
        notes.append(f"{counted(missing, 'run')} of those asked for by {argument} left out: without {what}")
    return found


def _doubts(fitted: TiedFit, link: LinkFit | None, n_error: int) -> list[str]:
    found = []
    for what, runs, width in (("loss", fitted.model.size, len(COEFFICIENTS)), ("error", n_error, EXPONENTIAL.least)):
        if (what == "loss" or link is not None) and runs - width <= FEW_SPARE:
            found.append(f"law of {what}: {runs} runs for {width} coefficients: {runs - width} left to tell the scatter from")
    if not fitted.converged:
        found.append("law of loss: no certified minimum; its coefficients are no result")
    if fitted.undetermined:
        found.append(f"law of loss: the runs leave {', '.join(fitted.undetermined)} undetermined; they need several ratios D/N")
    if link is not None and not link.converged:
        found.append("law of error: no certified minimum; its coefficients are no result")
    if link is not None and link.undetermined:
        found.append("law of error: the runs leave epsilon, k, gamma undetermined; error is nearly linear in loss over them")
    return found
