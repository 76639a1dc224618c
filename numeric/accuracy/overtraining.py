r"""What training past the compute optimum costs, in loss and in downstream error.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L},

with M = D/N and C = 6 N D. The law of loss is the params+tokens law with beta = gamma = 2 eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). So its optimum, its envelope and its
penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and off it
the reducible loss grows by cosh(eta log(M/M*)). Source of both laws: Gadre et al. 2024, arXiv
2403.08540.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Places, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from .. import formulas
from ..data.rows import those_dropped
from ..data.runs import Runs
from ..data.sample import Points
from ..errors import ArgumentError, outside, positive_array
from ..fit.fit import fit_form
from ..fit.models import ONE_EXPONENT, Expression
from ..fit.objective import Objective
from ..results import prediction_errors
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..fit.fit import Fit
    from ..law import Law

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["GADRE_TASKS", "Overtraining", "fit_overtraining"]

SQUARES = Objective(name="least-squares")
#: The law of error in the loss x.
ERROR = Expression("epsilon - k*exp(-gamma*x)")
#: By default costs are given at these multiples of the optimal ratio; so many predictions are
#: printed, those of the largest compute; of long names of runs the end.
MULTIPLES, MOST_LISTED, LONGEST = (1.0, 4.0, 16.0, 64.0), 20, 26
#: The 17 tasks over which Gadre et al. 2024 average the error.
GADRE_TASKS = (
    *("bigbench_operators", "pubmed_qa_labeled", "hellaswag_zeroshot", "boolq", "arc_easy", "coqa"),
    *("bigbench_dyck_languages", "lambada_openai", "bigbench_novel_concepts", "winograd"),
    *("bigbench_cs_algorithms", "commonsense_qa", "bigbench_qa_wikidata", "hellaswag", "copa"),
    *("squad", "piqa"),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining(Shown):
    """The two laws fitted, and what follows.

    Attributes
    ----------
    loss_fit, error_fit : Fit
        Of the loss in params and tokens, and of the error 1 - Q in the measured loss.
    runs : pandas.DataFrame
        Every run that a law was fitted to or that was to be predicted: run, params, tokens,
        tokens_per_param, compute; loss, predicted_loss, loss_difference (relative), in_loss_fit,
        and the same of the error, at the predicted loss; asked.
    loss_name : str
    benchmarks : tuple of str
        The error is 1 less the mean accuracy on these.
    notes : tuple of str
        What was left out and why, and what speaks against a result.
    source : str
    """

    loss_fit: Fit
    error_fit: Fit
    runs: pd.DataFrame
    loss_name: str
    benchmarks: tuple[str, ...]
    notes: tuple[str, ...]
    source: str

    @property
    def is_sound(self) -> bool:
        """Whether both fits are certified and leave no coefficient undetermined."""
        return self.loss_fit.is_sound and self.error_fit.is_sound

    @property
    def coefficients(self) -> dict[str, float]:
        """E, A, B, beta and a, b, eta of the law of loss; epsilon, k, gamma of the law of error."""
        c = self.loss_fit.coefficients
        in_compute = {
            "a": float(formulas.params_term(formulas.ray_params(1.0, 1.0), c["A"], c["beta"])),
            "b": float(formulas.tokens_term(formulas.ray_tokens(1.0, 1.0), c["B"], c["beta"])),
            "eta": 0.5 * c["beta"],
        }
        return {**c, **in_compute, **self.error_fit.coefficients}

    @cached_property
    def law(self) -> Law:
        """The law of loss with its optimum, envelope and penalty.

        Raises
        ------
        ValueError
            Where the runs do not determine it.
        """
        if not self.loss_fit.is_sound:
            raise ValueError("law: the runs do not determine the law of loss; see the notes")
        law: Any = ONE_EXPONENT.law(self.loss_fit.coefficients, "over-training", source=self.source)
        return law

    @property
    def optimal_tokens_per_param(self) -> float | None:
        """M*, at every compute; None where the runs do not determine the law of loss."""
        return float(self.law.envelope.tokens_per_param(1.0)) if self.loss_fit.is_sound else None

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        theta = self.loss_fit.solution.values[None]
        return ONE_EXPONENT.values(theta, Points(params=params, tokens=tokens))[0]

    def error(self, loss: Any) -> Floats:
        """1 - Q at losses, (m,)."""
        c = self.error_fit.coefficients
        return np.asarray(c["epsilon"] - c["k"] * np.exp(-c["gamma"] * np.asarray(loss)))

    @property
    def predictions(self) -> pd.DataFrame:
        """The runs that were to be predicted."""
        return self.runs[self.runs["asked"]]

    def costs(self, compute: Any = None, tokens_per_param: Any = None) -> pd.DataFrame:
        """What ratios of tokens to params cost at one compute (FLOP) against the optimal one.

        Parameters
        ----------
        compute, tokens_per_param : sequence of float, optional
            By default the largest compute of the runs, and 1, 4, 16 and 64 times the optimal ratio.

        Returns
        -------
        DataFrame
            A row for each compute and ratio, none where the law of loss is not determined: compute,
            ratio (M/M*), tokens_per_param; loss, penalty ((L - E)/(L* - E)), lost_compute (the
            share that the optimal ratio would save at the same loss), error, extra_error.
        """
        import pandas as pd

        best = self.optimal_tokens_per_param
        if best is None:
            return pd.DataFrame(columns=["compute"])
        budgets = [self.runs["compute"].max()] if compute is None else compute
        asked = best * np.array(MULTIPLES) if tokens_per_param is None else tokens_per_param
        ratios = positive_array("tokens_per_param", asked)
        grid = np.meshgrid(positive_array("compute", budgets), ratios, indexing="ij")
        budget, M = (each.ravel() for each in grid)
        off, reducible = self.law.penalty(M / best), self.law.envelope.reducible_loss(budget)
        optimal = self.loss_fit.coefficients["E"] + reducible
        loss = optimal + off.excess * reducible
        return pd.DataFrame(
            {
                "compute": budget,
                "ratio": M / best,
                "tokens_per_param": M,
                "loss": loss,
                "penalty": off.loss_penalty,
                "lost_compute": off.lost_compute,
                "error": self.error(loss),
                "extra_error": self.error(loss) - self.error(optimal),
            }
        )

    # -- output ------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "source": self.source,
            "loss_name": self.loss_name,
            "benchmarks": list(self.benchmarks),
            "coefficients": self.coefficients,
            "optimal_tokens_per_param": self.optimal_tokens_per_param,
            **{
                what: prediction_errors(fit.solution.fitted, fit.solution.observed)
                | {"converged": fit.converged, "undetermined": list(fit.undetermined)}
                for what, fit in (("loss", self.loss_fit), ("error", self.error_fit))
            },
            "predictions": _records(self.predictions),
            "costs": _records(self.costs()),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """The runs with what the laws say of them."""
        return self.runs

    def tables(self) -> tuple[Table, ...]:
        """Coefficients; predictions; costs."""
        best, errors = self.optimal_tokens_per_param, self.as_dict()
        title = "; ".join(
            f"{what}: {counted(errors[what]['n'], 'run')}, RMSE {errors[what]['rmse']:.3g}"
            for what in ("loss", "error")
        )
        told = "not determined" if best is None else f"{best:.4g} tokens per param"
        named = [{"name": name, "value": value} for name, value in self.coefficients.items()]
        columns = [Column("name", "coefficient", align="left")]
        columns.append(Column("value", format=Significant(6)))
        four, three, off = Places(4), Significant(3), Percent(places=4, sign=True)
        of_runs = [
            Column("run", align="left", of=lambda row: row["run"][-LONGEST:]),
            Column("tokens_per_param", "M", format=three),
            Column("loss", format=four),
            Column("predicted_loss", "predicted", format=four),
            Column("loss_difference", "off by", format=off),
            Column("error", format=four),
            Column("predicted_error", "predicted", format=four),
            Column("error_difference", "off by", format=off),
        ]
        of_costs = [
            Column("compute", format=three),
            Column("tokens_per_param", "M", format=three),
            Column("ratio", "M/M*", format=three),
            Column("loss", format=four),
            Column("penalty", format=Significant(5)),
            Column("lost_compute", "lost compute", format=Percent(places=1)),
            Column("error", format=four),
            Column("extra_error", "extra error", format=three),
        ]
        foretold = self.predictions.sort_values("compute", ascending=False, kind="stable")
        rest = len(foretold) - MOST_LISTED
        more = [f"and {counted(rest, 'run')} of less compute"] if rest > 0 else []
        tables = [
            Table(columns, named, f"{title}; M* = {told}", [*self.notes]),
            Table(of_runs, _records(foretold[:MOST_LISTED]), "predictions", more),
            Table(of_costs, _records(self.costs()), "costs of over-training"),
        ]
        return tuple(table for table in tables if len(table))

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.overtraining.plot_overtraining`."""
        from ..plot.overtraining import plot_overtraining

        return plot_overtraining(self)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A row a record, None for what is not known."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]


def fit_overtraining(
    evaluations: Evaluations | Any,
    *,
    loss: str,
    benchmarks: Sequence[str] | None = None,
    fit_where: str | None = None,
    error_where: str | None = None,
    predict_where: str | None = None,
) -> Overtraining:
    """The law of loss and the law of error of over-trained runs, and what they say of other runs.

    Both are fitted by least squares, that of error to measured losses.

    Parameters
    ----------
    evaluations : Evaluations, path, or anything that ``pandas.DataFrame`` accepts
        Read by `Evaluations.read` where they are none yet; with params and tokens.
    loss : str
        The column of losses.
    benchmarks : sequence of str, optional
        The error is 1 less the mean raw accuracy on these; by default all.
    fit_where, error_where : str, optional
        Conditions on the runs of the law of loss (by default all runs), and of the law of error (by
        default the same).
    predict_where : str, optional
        Condition on the runs that are predicted; by default all those that the law of loss was not
        fitted to.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, a condition leaves no run, or the runs are too few.

    Examples
    --------
    >>> rows = [
    ...     (n, m * n, 1.7 + 120 * n**-0.27 + 300 * (m * n) ** -0.27)
    ...     for n in (1e8, 1e9, 1e10)
    ...     for m in (20, 640)
    ... ]
    >>> runs = [
    ...     {"params": n, "tokens": d, "loss_c4": x, "acc_arc": 0.1 + 2 * 2.7**-x} for n, d, x in rows
    ... ]
    >>> round(fit_overtraining(runs, loss="c4").optimal_tokens_per_param, 1)
    29.8
    """
    import pandas as pd

    from ..data.evaluations import Evaluations

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    if read.params is None or read.tokens is None:
        raise ValueError(f"{read.source}: has no params and tokens; the law of loss needs both")
    losses = read.proxy(loss)
    if (bad := np.flatnonzero(losses <= 0.0)).size:
        at = f"{loss} of run {read.run[bad[0]]!r}"
        raise outside(at, float(losses[bad[0]]), "positive: it is no loss")
    names = tuple(read.benchmarks if benchmarks is None else dict.fromkeys(benchmarks))
    if isinstance(benchmarks, str) or not names:
        raise ArgumentError("benchmarks", benchmarks, "a sequence of names")
    for name in names:
        read.require(name)
    measured = 1.0 - np.mean([read.scores[name] for name in names], axis=0)
    notes = [*read.warnings, *([those_dropped(read.dropped)] if read.dropped else [])]
    error_where = fit_where if error_where is None else error_where
    for_loss = _chosen(read, "fit_where", fit_where, losses, notes)
    for_error = _chosen(read, "error_where", error_where, losses + measured, notes)
    asked = ~for_loss
    if predict_where is not None:
        asked = read.mask(predict_where, "predict_where")
        if not asked.any():
            complaint = f"holds for none of {counted(len(read), 'run')} of {read.source}"
            raise ArgumentError("predict_where", predict_where, complaint=complaint)
    columns = {
        "run": [str(name) for name in read.run],
        "params": read.params,
        "tokens": read.tokens,
        "tokens_per_param": read.tokens / read.params,
        "compute": formulas.compute(read.params, read.tokens),
        "asked": asked,
    }
    found = Overtraining(
        loss_fit=_fitted(read, ONE_EXPONENT, losses, losses, for_loss),
        error_fit=_fitted(read, ERROR, measured, losses, for_error),
        runs=pd.DataFrame(columns),
        loss_name=loss,
        benchmarks=names,
        notes=(),
        source=read.source,
    )
    foretold = found.loss(read.params, read.tokens)
    for what, known, law, chosen in (
        ("loss", losses, foretold, for_loss),
        ("error", measured, found.error(foretold), for_error),
    ):
        columns |= {what: known, f"predicted_{what}": law, f"in_{what}_fit": chosen}
        columns |= {f"{what}_difference": law / np.where(known > 0.0, known, np.nan) - 1.0}
    runs = pd.DataFrame(columns)[for_loss | for_error | asked]
    for what, fit in (("loss", found.loss_fit), ("error", found.error_fit)):
        if not fit.converged:
            notes.append(f"law of {what}: no certified minimum; its coefficients are no result")
        if fit.undetermined:
            notes.append(
                f"law of {what}: the runs leave {', '.join(fit.undetermined)} undetermined"
            )
    if wrong := int((~runs["predicted_error"][runs["asked"]].between(0.0, 1.0)).sum()):
        notes.append(f"law of error: {wrong} of {int(asked.sum())} predictions are outside 0 to 1")
    return replace(found, runs=runs, notes=tuple(notes))


def _fitted(read: Evaluations, form: Any, observed: Floats, losses: Floats, chosen: Mask) -> Fit:
    """A law fitted to some of the runs, whose losses it may name x."""
    runs = Runs(
        params=read.params[chosen],
        tokens=read.tokens[chosen],
        compute=None,
        loss=observed[chosen],
        row=np.flatnonzero(chosen) + 1,
        source=read.source,
        n_rows=len(read),
        extra={"x": losses[chosen]},
    )
    law = form.on(runs)
    distinct = len(np.unique(losses[chosen]))
    if distinct < (least := len(law.coefficients)):
        raise ValueError(
            f"{counted(distinct, 'run')} of different loss: must be at least {least} for the "
            f"coefficients of {law}"
        )
    return fit_form(runs, law, SQUARES)


def _chosen(
    runs: Evaluations, argument: str, condition: str | None, values: Floats, notes: list[str]
) -> Mask:
    """The runs that satisfy a condition and have the values; what is left out is noted."""
    asked = np.ones(len(runs), dtype=bool) if condition is None else runs.mask(condition, argument)
    usable = asked & np.isfinite(values)
    what = "the loss" if argument == "fit_where" else "the loss and all benchmarks"
    if not usable.any():
        complaint = f"leaves none of {counted(len(runs), 'run')} of {runs.source} with {what}"
        raise ArgumentError(argument, condition, complaint=complaint)
    if missing := int((asked & ~usable).sum()):
        notes.append(f"{counted(missing, 'run')} left out by {argument}: without {what}")
    return usable
