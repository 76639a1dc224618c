r"""What training past the compute optimum costs, in loss and in downstream error.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L},

with M = D/N and C = 6 N D. The law of loss is the params+tokens law with beta = gamma = 2 eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). So its optimum, its envelope and its
penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and off it
the reducible loss grows by cosh(eta log(M/M*)). Source of both laws: Gadre et al. 2024, arXiv
2403.08540.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Places, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table, Words
from .. import formulas
from ..data.rows import those_dropped
from ..data.runs import Runs
from ..data.sample import Points
from ..errors import ArgumentError, outside, positive_array, positive_number
from ..fit.fit import fit_form
from ..fit.models import ONE_EXPONENT, Expression
from ..fit.objective import Objective
from ..results import Estimate, prediction_errors
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
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
#: With no more runs beyond the coefficients than this a law's scatter is hardly known.
FEW_SPARE = 3
#: By default costs are given at these multiples of the optimal ratio.
MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
#: So many of the predicted runs, those of the largest compute, are printed; the frame has all.
MOST_LISTED = 20
#: Of long names of runs the end is printed, by which they tend to differ.
LONGEST = 26
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
    costs : pandas.DataFrame
        What ratios cost, see `cost`; empty where the runs do not determine the law of loss.
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
    costs: pd.DataFrame
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
        """E, A, B, beta of the law of loss; epsilon, k, gamma of the law of error."""
        return {**self.loss_fit.coefficients, **self.error_fit.coefficients}

    @property
    def compute_coefficients(self) -> dict[str, float]:
        """a, b, eta of L = E + (a M^eta + b M^-eta) C^-eta: a and b are the terms at C = 1 and M
        = 1.
        """
        c = self.loss_fit.coefficients
        return {
            "a": float(formulas.params_term(formulas.ray_params(1.0, 1.0), c["A"], c["beta"])),
            "b": float(formulas.tokens_term(formulas.ray_tokens(1.0, 1.0), c["B"], c["beta"])),
            "eta": 0.5 * c["beta"],
        }

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
        law: Any = ONE_EXPONENT.law(self.loss_fit.coefficients, "over-training", self.source)
        return law

    @property
    def optimal_tokens_per_param(self) -> float:
        """M*, at every compute."""
        return float(self.law.envelope.tokens_per_param(1.0))

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        at = Points(
            params=positive_array("params", params), tokens=positive_array("tokens", tokens)
        )
        return ONE_EXPONENT.values(self.loss_fit.values[None], at)[0]

    def error(self, loss: Any) -> Floats:
        """1 - Q at losses, (m,)."""
        c = self.error_fit.coefficients
        return np.asarray(c["epsilon"] - c["k"] * np.exp(-c["gamma"] * np.atleast_1d(loss)))

    @property
    def predictions(self) -> pd.DataFrame:
        """The runs that were to be predicted."""
        return self.runs[self.runs["asked"]]

    def cost(self, compute: float, tokens_per_param: Any) -> pd.DataFrame:
        """What ratios of tokens to params cost at one compute (FLOP) against the optimal one.

        Returns
        -------
        pandas.DataFrame
            A row a ratio: compute, ratio (M/M*), tokens_per_param, params, tokens; loss,
            extra_loss (L - L*(C)), penalty ((L - E)/(L* - E)), lost_compute (the share that the
            optimal ratio would save at the same loss), error, extra_error.
        """
        import pandas as pd

        ratios = np.atleast_1d(positive_array("tokens_per_param", tokens_per_param))
        budget = positive_number("compute", compute)
        off = self.law.penalty(ratios / self.optimal_tokens_per_param)
        reducible = float(self.law.envelope.reducible_loss(budget))
        optimal = self.loss_fit.coefficients["E"] + reducible
        loss = optimal + off.excess * reducible
        return pd.DataFrame(
            {
                "compute": float(budget),
                "ratio": ratios / self.optimal_tokens_per_param,
                "tokens_per_param": ratios,
                "params": formulas.ray_params(budget, ratios),
                "tokens": formulas.ray_tokens(budget, ratios),
                "loss": loss,
                "extra_loss": off.excess * reducible,
                "penalty": off.loss_penalty,
                "lost_compute": off.lost_compute,
                "error": self.error(loss),
                "extra_error": self.error(loss) - self.error(optimal),
            }
        )

    # -- output ------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        laws: dict[str, dict[str, Any]] = {}
        for what, fit, more in (
            ("loss", self.loss_fit, self.compute_coefficients),
            ("error", self.error_fit, {}),
        ):
            laws[what] = {
                **prediction_errors(fit.fitted, np.asarray(fit.runs.loss)),
                "converged": fit.converged,
                "undetermined": list(fit.undetermined),
                "coefficients": {
                    name: estimate.as_dict() for name, estimate in _estimates(fit).items()
                },
                **more,
            }
        if self.loss_fit.is_sound:
            laws["loss"]["optimal_tokens_per_param"] = self.optimal_tokens_per_param
        return {
            "source": self.source,
            "loss_name": self.loss_name,
            "benchmarks": list(self.benchmarks),
            **laws,
            "predictions": _records(self.predictions),
            "costs": _records(self.costs),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pd.DataFrame:
        """The runs with what the laws say of them."""
        return self.runs

    def __str__(self) -> str:
        of_loss, of_error = (
            "{}, least squares: RMSE {rmse:.3g}, R2 {r2:.5f}".format(
                counted(fit.size, "run"),
                **dict[str, Any](prediction_errors(fit.fitted, np.asarray(fit.runs.loss))),
            )
            for fit in (self.loss_fit, self.error_fit)
        )
        best = "not determined"
        if self.loss_fit.is_sound:
            best = f"{self.optimal_tokens_per_param:.4g} tokens per param"
        lines = (
            f"loss   L = {LOSS_TEXT}",
            f"       {of_loss}; M* = {best}",
            "error  1 - Q = epsilon - k exp(-gamma L)",
            f"       {of_error}; mean over {counted(len(self.benchmarks), 'benchmark')}",
        )
        return "\n".join([*lines, "", super().__str__()])

    def tables(self) -> tuple[Table, ...]:
        """Coefficients; predictions; costs at every compute."""
        tables = [self._coefficients()]
        if len(self.predictions):
            tables.append(self._predictions())
        tables += [_costs(costs) for _, costs in self.costs.groupby("compute", sort=False)]
        *others, last = tables
        return *others, last.changed(notes=[*last.notes, *self.notes])

    def _coefficients(self) -> Table:
        estimates = {**_estimates(self.loss_fit), **_estimates(self.error_fit)}
        rows: list[dict[str, Any]] = [
            {"name": Words(name, LATEX.get(name, f"${name}$")), "estimate": value}
            for name, value in {**estimates, **self.compute_coefficients}.items()
        ]
        columns = [
            Column("name", "coefficient", align="left"),
            Column("estimate", "value", format=Significant(6)),
            Column("estimate", "90 % interval", show="interval"),
        ]
        return Table(columns, rows)

    def _predictions(self) -> Table:
        runs = self.predictions.sort_values("compute", ascending=False, kind="stable")
        columns = [
            Column("run", align="left", of=lambda row: row["run"][-LONGEST:]),
            Column("tokens_per_param", "M", "$M$", format=Significant(3)),
        ]
        for what in ("loss", "error"):
            columns += [
                Column(what, what, format=Places(4)),
                Column(f"predicted_{what}", "predicted", format=Places(4)),
                Column(f"{what}_difference", "off by", format=Percent(places=4, sign=True)),
                Column(f"in_{what}_fit", " ", of=partial(_mark, what=what)),
            ]
        rest = len(runs) - MOST_LISTED
        notes = [f"and {counted(rest, 'run')} of less compute"] if rest > 0 else []
        if runs.head(MOST_LISTED)[["in_loss_fit", "in_error_fit"]].any(axis=None):
            notes.append("*: the law was fitted to this run, so that this is no prediction")
        title = "predictions, of the error by the loss that the law of loss foretells"
        return Table(columns, _records(runs.head(MOST_LISTED)), title, notes)


LOSS_TEXT = "E + A N^-beta + B D^-beta = E + (a M^eta + b M^-eta) C^-eta, M = D/N"
#: Greek letters in LaTeX.
LATEX = {"beta": r"$\beta$", "gamma": r"$\gamma$", "eta": r"$\eta$", "epsilon": r"$\varepsilon$"}


def _estimates(fit: Fit) -> dict[str, Estimate]:
    """The coefficients with their intervals; without where a run alone determines one."""
    try:
        return fit.estimates()
    except ValueError:
        return {name: Estimate(value) for name, value in fit.coefficients.items()}


def _mark(row: Any, what: str) -> str:
    return "*" if row[f"in_{what}_fit"] else ""


def _costs(costs: pd.DataFrame) -> Table:
    three, four = Significant(3), Places(4)
    columns = [
        Column("ratio", "M/M*", "$M/M^*$", format=three),
        Column("tokens_per_param", "M", "$M$", format=three),
        Column("params", "params", "$N$", format=three),
        Column("tokens", "tokens", "$D$", format=three),
        Column("loss", "loss", "$L$", format=four),
        Column("extra_loss", "extra\nloss", r"$\Delta L$", format=three),
        Column("penalty", "penalty", format=Significant(5)),
        Column("lost_compute", "lost\ncompute", "lost compute", format=Percent(places=1)),
        Column("error", "error", "$1 - Q$", format=four),
        Column("extra_error", "extra\nerror", r"$\Delta(1 - Q)$", format=three),
    ]
    budget = three.text(costs["compute"].iloc[0])
    title = f"what a ratio costs at {budget} FLOP, against M* at the same compute"
    return Table(columns, _records(costs), title)


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
    compute: Sequence[float] | None = None,
    tokens_per_param: Sequence[float] | None = None,
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
    compute : sequence of float, optional
        FLOP at which over-training is costed; by default the largest compute of the runs.
    tokens_per_param : sequence of float, optional
        Ratios that are costed; by default 1 to 64 times the optimal one.

    Raises
    ------
    ValueError
        Where a name or condition is wrong, or the runs are too few.

    Notes
    -----
    The published numbers of Gadre et al. 2024: on their runs of one training set, `fit_where` the
    runs at 20 tokens a parameter of their four small models, and at 320 of the smallest;
    `error_where` the same and the 1.4B model at 20; `GADRE_TASKS`.
    """
    import pandas as pd

    from ..data.evaluations import Evaluations

    read = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    if read.params is None or read.tokens is None:
        raise ValueError(f"{read.source}: has no params and tokens; the law of loss needs both")
    losses, names = _losses_of(read, loss), _benchmarks(read, benchmarks)
    measured = 1.0 - np.mean([read.scores[name] for name in names], axis=0)
    notes = [*read.warnings, *([f"rows {those_dropped(read.dropped)}"] if read.dropped else [])]
    for_loss = _chosen(read, "fit_where", fit_where, losses, notes)
    at_error = fit_where if error_where is None else error_where
    for_error = _chosen(read, "error_where", at_error, losses + measured, notes)
    asked = ~for_loss
    if predict_where is not None:
        asked = read.mask(predict_where, "predict_where")
        if not asked.any():
            complaint = f"holds for none of {counted(len(read), 'run')} of {read.source}"
            raise ArgumentError("predict_where", predict_where, complaint=complaint)
    loss_fit = _fitted(read, ONE_EXPONENT, losses, losses, for_loss)
    error_fit = _fitted(read, ERROR, measured, losses, for_error)
    notes += _doubts("loss", loss_fit, "they need several ratios D/N")
    notes += _doubts("error", error_fit, "error is nearly linear in loss over them")
    of_laws: dict[str, Any] = {
        "loss_fit": loss_fit,
        "error_fit": error_fit,
        "loss_name": loss,
        "benchmarks": names,
        "source": read.source,
    }
    none = pd.DataFrame(columns=["compute"])
    laws = Overtraining(**of_laws, runs=none, costs=none, notes=())
    foretold = laws.loss(read.params, read.tokens)
    errors_foretold = laws.error(foretold)
    runs = pd.DataFrame(
        {
            "run": [str(name) for name in read.run],
            "params": read.params,
            "tokens": read.tokens,
            "tokens_per_param": read.tokens / read.params,
            "compute": formulas.compute(read.params, read.tokens),
            "loss": losses,
            "predicted_loss": foretold,
            "loss_difference": foretold / losses - 1.0,
            "in_loss_fit": for_loss,
            "error": measured,
            "predicted_error": errors_foretold,
            "error_difference": errors_foretold / measured - 1.0,
            "in_error_fit": for_error,
            "asked": asked,
        }
    )[for_loss | for_error | asked]
    wrong = int((~runs["predicted_error"][runs["asked"]].between(0.0, 1.0)).sum())
    if wrong:
        what = "errors that it foretells are outside 0 to 1: it does not reach so far"
        notes.append(f"law of error: {wrong} of {int(runs['asked'].sum())} {what}")
    costs = none
    if loss_fit.is_sound:
        best = laws.optimal_tokens_per_param
        ratios = best * np.array(MULTIPLES) if tokens_per_param is None else tokens_per_param
        budgets = compute or (float(runs["compute"].max()),)
        costs = pd.concat([laws.cost(budget, ratios) for budget in budgets], ignore_index=True)
    return Overtraining(**of_laws, runs=runs, costs=costs, notes=tuple(notes))


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


def _losses_of(runs: Evaluations, name: str) -> Floats:
    """The losses (M,) in a column."""
    losses = runs.proxy(name)
    scores, proxies = (
        {*held, *(runs.columns[key] for key in held if key in runs.columns)}
        for held in (runs.scores, runs.proxies)
    )
    if name in scores - proxies:
        raise ArgumentError("proxy", name, complaint="is an accuracy, not a loss")
    bad = np.flatnonzero(np.isfinite(losses) & (losses <= 0.0))
    if bad.size:
        at = f"{name} of run {runs.run[bad[0]]!r}"
        raise outside(at, float(losses[bad[0]]), "positive: it is no loss")
    return losses


def _benchmarks(runs: Evaluations, asked: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(runs.benchmarks if asked is None else dict.fromkeys(asked))
    if isinstance(asked, str) or not names:
        raise ArgumentError("benchmarks", asked, "a sequence of names")
    for name in names:
        runs.require(name)
        if name not in runs.scores:
            others = ", ".join(runs.family(name).values())
            complaint = f"{runs.source} has it as {others} alone; name one"
            raise ArgumentError("benchmark", name, complaint=complaint)
    return names


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
        runs_left = counted(missing, "run")
        notes.append(f"{runs_left} of those asked for by {argument} left out: without {what}")
    return usable


def _doubts(what: str, fit: Fit, why: str) -> Iterator[str]:
    width = len(fit.names)
    spare = fit.size - width
    if spare <= FEW_SPARE:
        yield (
            f"law of {what}: {fit.size} runs for {width} coefficients: {spare} left to tell the "
            f"scatter from"
        )
    if not fit.converged:
        yield f"law of {what}: no certified minimum; its coefficients are no result"
    if fit.undetermined:
        yield f"law of {what}: the runs leave {', '.join(fit.undetermined)} undetermined; {why}"
