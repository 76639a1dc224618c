r"""What training past the compute optimum costs, in loss and in downstream error.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L},

with M = D/N and C = 6 N D. The law of loss is the params+tokens law with beta = gamma = 2 eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). So its optimum, its envelope and its
penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and off it
the reducible loss grows by cosh(eta log(M/M*)). Source of both laws: Gadre et al. 2024, arXiv
2403.08540.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.rows import those_dropped
from ..errors import ArgumentError, outside, positive_array, whole_number
from ..fit.objective import Objective
from ..fit.resample import Draws, Refits, resample
from ..law import Law
from ..results import Estimate, checked_level
from ..words import counted
from .fitting import errors
from .links import EXPONENTIAL, LinkFit
from .tied import COEFFICIENTS, TiedFit, fit_tied, terms_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "GADRE_TASKS",
    "Cost",
    "Foretold",
    "Overtraining",
    "Prediction",
    "doubts_of",
    "fit_overtraining",
]

KINDS = ("residuals", "cases")
#: Of the law of error.
OF_ERROR = ("epsilon", "k", "gamma")
#: With no more runs beyond the coefficients than this a law's scatter is hardly known.
FEW_SPARE = 3
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25
#: Costs are told at these multiples of the optimal ratio where no ratios are asked for.
MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
#: So many kinds of pooled runs are listed, the most frequent ones.
MOST_LISTED = 6
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


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """What a law says of a run, and what it measured.

    Attributes
    ----------
    measured : float or None
        None where it was not.
    predicted : Estimate or None
        With the interval of the law at the run, from resamples; the run's own scatter is not in it:
        most runs lie outside. None without a law.
    new_run : Estimate or None
        With the interval of what such a run measures: with the scatter of the fitted runs about the
        laws. It has no ends without resamples, and where a law has no more runs than coefficients
        to tell its scatter from.
    is_fitted : bool
        Whether the law was fitted to this run: then the difference is a residual and no test of it.
    """

    measured: float | None
    predicted: Estimate | None = None
    new_run: Estimate | None = None
    is_fitted: bool = False

    @property
    def difference(self) -> float | None:
        """(predicted - measured)/measured."""
        if self.predicted is None or not self.measured:
            return None
        return (self.predicted.value - self.measured) / self.measured


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What the laws say of a run, and what it measured.

    Attributes
    ----------
    run : str
    params, tokens, tokens_per_param, compute : float
    loss, error : Foretold
        The error at the predicted loss.
    asked : bool
        Whether the run is among those to predict.
    """

    run: str
    params: float
    tokens: float
    tokens_per_param: float
    compute: float
    loss: Foretold
    error: Foretold
    asked: bool = True

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = {
            name: getattr(self, name)
            for name in ("run", "params", "tokens", "tokens_per_param", "compute", "asked")
        }
        for what, found in (("loss", self.loss), ("error", self.error)):
            data |= {
                what: found.measured,
                f"predicted_{what}": None if found.predicted is None else found.predicted.value,
                f"{what}_difference": found.difference,
                f"{what}_interval": _ends(found.predicted),
                f"new_{what}_interval": _ends(found.new_run),
                f"in_{what}_fit": found.is_fitted,
            }
        return data

    def row(self) -> dict[str, Any]:
        """The same as a row of a table, the ends of intervals apart."""
        cells: dict[str, Any] = {}
        for name, value in self.as_dict().items():
            if name.endswith("_interval"):
                cells |= dict(
                    zip((f"{name}_low", f"{name}_high"), value or (None, None), strict=True)
                )
            else:
                cells[name] = value
        return cells


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a ratio of tokens to params costs against the optimal one at the same compute.

    Attributes
    ----------
    compute, tokens_per_param, params, tokens : float
    loss : float
        L.
    extra_loss : Estimate
        L - L*(C).
    penalty : float
        (L - E)/(L* - E).
    lost_compute : Estimate
        Share of the compute that the optimal ratio would save at the same loss.
    error : float or None
        1 - Q; None without a law of error.
    extra_error : Estimate or None
        What it exceeds that of the optimal ratio by.

    Where the interval of M* holds the ratio, at which the three estimates are 0, they are bounded
    from above alone.
    """

    compute: float
    tokens_per_param: float
    params: float
    tokens: float
    loss: float
    extra_loss: Estimate
    penalty: float
    lost_compute: Estimate
    error: float | None = None
    extra_error: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = dict(self.__dict__)
        for name in ("extra_loss", "lost_compute", "extra_error"):
            estimate = data[name]
            data |= {
                name: None if estimate is None else estimate.value,
                f"{name}_interval": _ends(estimate),
            }
        return data


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining:
    """The two laws fitted, and what follows; a `isoflop.numeric.fit.fitted.Fitted`.

    Attributes
    ----------
    loss_fit : TiedFit
    error_fit : LinkFit or None
        None where no benchmark was asked for.
    losses, errors : ndarray
        (M,): measured, by run.
    for_loss, for_error : ndarray of bool
        (M,): the runs that each law was fitted to.
    runs : tuple of Prediction
        Every run that a law was fitted to or that was to be predicted.
    draws : Draws or None
        Both laws refitted to resamples.
    loss_name : str
    benchmarks : tuple of str
        The error is 1 less the mean accuracy on these.
    level : float
    notes : tuple of str
        What was left out and why, and what speaks against a result.
    source : str
    """

    loss_fit: TiedFit
    error_fit: LinkFit | None
    losses: Floats
    errors: Floats
    for_loss: Mask
    for_error: Mask
    loss_name: str
    benchmarks: tuple[str, ...]
    level: float
    source: str
    runs: tuple[Prediction, ...] = ()
    draws: Draws | None = None
    notes: tuple[str, ...] = ()

    # -- as a fit that can be made again -------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients of both laws."""
        return COEFFICIENTS if self.error_fit is None else (*COEFFICIENTS, *OF_ERROR)

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """E, A, B, beta of the law of loss in params and tokens; epsilon, k, gamma of the law of
        error.
        """
        of_error = () if self.error_fit is None else self.error_fit.coefficients.tolist()
        return dict(zip(self.names, (*self.loss_fit.coefficients.tolist(), *of_error), strict=True))

    @property
    def size(self) -> int:
        """Runs that some law was fitted to."""
        return int((self.for_loss | self.for_error).sum())

    @property
    def converged(self) -> bool:
        """Whether both laws are certified minima."""
        return self.loss_fit.converged and (self.error_fit is None or self.error_fit.converged)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave undetermined."""
        of_error = OF_ERROR if self.error_fit is not None and self.error_fit.undetermined else ()
        return (*self.loss_fit.undetermined, *of_error)

    def refit(
        self, *, weights: Floats | None = None, observed: tuple[Floats, Floats] | None = None
    ) -> Refits:
        """Both laws with weights (K, n) of the runs, or to other losses (K, n) and accuracies (K,
        m).
        """
        if observed is not None:
            return self._to_others(*observed)
        assert weights is not None
        drawn = np.zeros((len(weights), len(self.losses)))
        drawn[:, self.for_loss | self.for_error] = weights
        own, theirs = drawn[:, self.for_loss], drawn[:, self.for_error]
        enough = (own > 0.0).sum(axis=1) >= len(COEFFICIENTS)
        own[~enough] = 1.0  # left out below; a law has no minimum without runs
        loss = self.loss_fit.refit(weights=own)
        if self.error_fit is None:
            return Refits(loss.coefficients, loss.converged & enough)
        enough &= (theirs > 0.0).sum(axis=1) >= EXPONENTIAL.least
        theirs[theirs.sum(axis=1) == 0.0] = 1.0
        error = EXPONENTIAL.refit(
            self.losses[self.for_error], 1.0 - self.errors[self.for_error], theirs
        )
        return _joined(loss, error, enough)

    def _to_others(self, observed: Floats, accuracies: Floats) -> Refits:
        loss = self.loss_fit.refit(observed=np.maximum(observed, np.finfo(np.float64).tiny))
        positive = np.asarray((observed > 0.0).all(axis=1))
        if self.error_fit is None:
            return Refits(loss.coefficients, loss.converged & positive)
        return _joined(
            loss,
            EXPONENTIAL.refit(self.losses[self.for_error], accuracies, np.ones_like(accuracies)),
            positive,
        )

    def redrawn(self, count: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Losses (K, n) and accuracies (K, m): what the laws say of their runs, with residuals
        drawn anew.
        """
        own = random.choice(self._residuals_of_loss(), size=(count, len(self.loss_fit.fitted)))
        observed = self._measured(self.loss_fit.fitted, own)
        if self.error_fit is None:
            return observed, np.empty((count, 0))
        accuracy = 1.0 - self.error(self.losses[self.for_error])
        return observed, accuracy + random.choice(
            self._residuals_of_error(), size=(count, len(accuracy))
        )

    def _residuals_of_loss(self) -> Floats:
        """As they are drawn, (n,): of log loss where the objective is of logs."""
        fit = self.loss_fit
        residuals = (
            np.log(fit.observed / fit.fitted)
            if fit.objective.in_logs
            else fit.observed - fit.fitted
        )
        return _inflated(residuals, len(COEFFICIENTS), "law of loss")

    def _residuals_of_error(self) -> Floats:
        """Of accuracy about the law of error, (m,)."""
        accuracy = 1.0 - self.error(self.losses[self.for_error])
        return _inflated(
            1.0 - self.errors[self.for_error] - accuracy, EXPONENTIAL.least, "law of error"
        )

    def _measured(self, losses: Floats, residuals: Floats) -> Floats:
        """Losses with residuals of the law of loss."""
        return losses * np.exp(residuals) if self.loss_fit.objective.in_logs else losses + residuals

    # -- the runs ------------------------------------------------------------------------------------------------------------

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """The runs that were to be predicted."""
        return tuple(run for run in self.runs if run.asked)

    @property
    def n_loss(self) -> int:
        """Runs that the law of loss was fitted to."""
        return int(self.for_loss.sum())

    @property
    def n_error(self) -> int:
        """Runs that the law of error was fitted to."""
        return 0 if self.error_fit is None else int(self.for_error.sum())

    @property
    def largest_compute(self) -> float:
        """Of the runs, in FLOP."""
        return max(run.compute for run in self.runs)

    @cached_property
    def loss_errors(self) -> dict[str, float | None]:
        """n, MAE, MRE, RMSE and R2 of the law of loss on the runs that it was fitted to."""
        return errors(self.loss_fit.fitted, self.loss_fit.observed)

    @cached_property
    def error_errors(self) -> dict[str, float | None]:
        """The same of the law of error at the measured losses; empty without one."""
        return (
            {}
            if self.error_fit is None
            else errors(self.error(self.losses[self.for_error]), self.errors[self.for_error])
        )

    # -- the laws ------------------------------------------------------------------------------------------------------------

    @property
    def determined(self) -> bool:
        """Whether the runs determine the law of loss: a certified minimum, and no coefficient
        undetermined.
        """
        return self.loss_fit.converged and not self.loss_fit.undetermined

    @property
    def sound(self) -> bool:
        """Whether they determine both laws."""
        return self.converged and not self.undetermined

    @property
    def law(self) -> Law:
        """The law of loss with its optimum, envelope and penalty.

        Raises
        ------
        ValueError
            Where the runs do not determine it.
        """
        if not self.determined:
            raise ValueError("law: the runs do not determine the law of loss; see the notes")
        source = f"one exponent, fitted to {counted(self.n_loss, 'run')} of {self.source} by {self.loss_fit.objective.name}"
        return _law_of(*self.loss_fit.coefficients.tolist(), name="over-training", source=source)

    @cached_property
    def compute_coefficients(self) -> dict[str, float]:
        """E, a, b, eta of L = E + (a M^eta + b M^-eta) C^-eta: a and b are the terms at C = 1 and M
        = 1.
        """
        return in_compute(*self.loss_fit.coefficients.tolist())

    @property
    def published_coefficients(self) -> dict[str, float]:
        """As the code behind the paper has them: L = alpha N^p + beta 6^(p/2) (M N)^p + E with p =
        -2 eta.

        Its alpha is A, its beta is b: only one of the two carries the 6 of C = 6 N D.
        """
        E, A, _, beta = self.loss_fit.coefficients.tolist()
        return {"alpha": A, "beta": self.compute_coefficients["b"], "exponent": -beta, "E": E}

    @cached_property
    def intervals(self) -> dict[str, Estimate]:
        """E, A, B, beta, a, b, eta, M* and the coefficients of the law of error with the intervals
        of the resamples.
        """
        drawn = {} if self.draws is None else dict(self.draws.columns)
        of_loss = (
            np.empty((0, len(COEFFICIENTS)))
            if self.draws is None
            else self.draws.coefficients[:, : len(COEFFICIENTS)]
        )
        written = [in_compute(*each) for each in of_loss.tolist()]
        drawn |= {name: np.array([each[name] for each in written]) for name in ("a", "b", "eta")}
        drawn["optimal_tokens_per_param"] = np.array([optimum(*each) for each in of_loss.tolist()])
        values = self.coefficients | self.compute_coefficients
        values["optimal_tokens_per_param"] = optimum(*self.loss_fit.coefficients.tolist())
        order = (
            *COEFFICIENTS,
            "a",
            "b",
            "eta",
            "optimal_tokens_per_param",
            *self.names[len(COEFFICIENTS) :],
        )
        return {
            name: Estimate.of_draws(values[name], drawn.get(name, ()), self.level) for name in order
        }

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        return losses_of(
            self.loss_fit.coefficients[None],
            positive_array("params", params),
            positive_array("tokens", tokens),
        )[0]

    def error(self, loss: Any) -> Floats:
        """1 - Q at losses, (m,).

        Raises
        ------
        ValueError
            Where there is no law of error.
        """
        if self.error_fit is None:
            raise ValueError("error: no benchmarks were asked for, so there is no law of error")
        return _error_at(
            self.error_fit.coefficients, np.atleast_1d(np.asarray(loss, dtype=np.float64))
        )

    @property
    def optimal_tokens_per_param(self) -> float:
        """M*, at every compute."""
        return float(self.law.envelope.tokens_per_param(1.0))

    # -- what ratios cost ----------------------------------------------------------------------------------------------------

    def cost(self, compute: float, tokens_per_param: Sequence[float] | Floats) -> tuple[Cost, ...]:
        """What ratios of tokens to params cost at one compute (FLOP), in loss and in error."""
        ratios = np.atleast_1d(positive_array("tokens_per_param", tokens_per_param))
        budget, width = float(compute), len(COEFFICIENTS)
        link = None if self.error_fit is None else self.error_fit.coefficients
        costs = _costs(self.law, link, budget, ratios)
        drawn: list[dict[str, Floats] | None] = []
        for each in () if self.draws is None else self.draws.coefficients:
            try:
                drawn.append(
                    _costs(
                        _law_of(*each[:width].tolist()),
                        each[width:] if len(each) > width else None,
                        budget,
                        ratios,
                    )
                )
            except ValueError:  # no law with an optimum
                drawn.append(None)
        best = self.intervals["optimal_tokens_per_param"]

        def estimate(name: str, i: int) -> Estimate:
            """A cost is 0 at M*, and never less: where M* may be the ratio it is bounded from above
            alone.
            """
            draws = np.array([np.nan if each is None else each[name][i] for each in drawn])
            draws = draws if np.isfinite(draws).all() else np.empty(0)
            is_bounded = all(end is not None and np.isfinite(end) for end in (best.low, best.high))
            may_be_least = not (is_bounded and best.excludes(ratios[i]))
            return Estimate.of_draws(
                float(costs[name][i]), draws, self.level, least=0.0 if may_be_least else None
            )

        return tuple(
            Cost(
                compute=budget,
                tokens_per_param=float(ratio),
                params=float(formulas.ray_params(budget, float(ratio))),
                tokens=float(formulas.ray_tokens(budget, float(ratio))),
                loss=float(costs["loss"][i]),
                extra_loss=estimate("extra_loss", i),
                penalty=float(costs["penalty"][i]),
                lost_compute=estimate("lost_compute", i),
                error=None if link is None else float(costs["error"][i]),
                extra_error=None if link is None else estimate("extra_error", i),
            )
            for i, ratio in enumerate(ratios)
        )

    def costs(
        self,
        compute: Sequence[float] | None = None,
        tokens_per_param: Sequence[float] | None = None,
    ) -> tuple[Cost, ...]:
        """What ratios cost at every compute, by default `MULTIPLES` of the optimal one at the
        largest compute of the runs.

        None at all where the runs do not determine the law of loss.
        """
        if not self.determined:
            return ()
        ratios = (
            [self.optimal_tokens_per_param * each for each in MULTIPLES]
            if tokens_per_param is None
            else tokens_per_param
        )
        return tuple(
            cost
            for budget in compute or (self.largest_compute,)
            for cost in self.cost(budget, ratios)
        )

    # -- output --------------------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        of_loss = {
            name: self.coefficients[name] for name in COEFFICIENTS
        } | self.compute_coefficients
        loss = {
            "name": self.loss_name,
            "n": self.n_loss,
            "objective": self.loss_fit.objective.as_dict(),
            **_state(self.loss_fit, self.loss_errors),
            "coefficients": of_loss,
        }
        if self.determined:
            envelope = self.law.envelope
            loss |= {
                "optimal_tokens_per_param": self.optimal_tokens_per_param,
                "envelope": {"C0": envelope.coefficient, "alpha": envelope.exponent},
            }
        data: dict[str, Any] = {"source": self.source, "loss": loss}
        if self.error_fit is not None:
            data["error"] = {
                "benchmarks": list(self.benchmarks),
                "n": self.n_error,
                **_state(self.error_fit, self.error_errors),
                "coefficients": {name: _known(self.coefficients[name]) for name in OF_ERROR},
            }
        if self.draws is not None:
            intervals = {name: _ends(estimate) for name, estimate in self.intervals.items()}
            data["bootstrap"] = self.draws.as_dict() | {"intervals": intervals}
        data["level"] = self.level
        data["predictions"] = [run.as_dict() for run in self.predictions]
        data["notes"] = list(self.notes)
        return data

    def rows(self) -> list[dict[str, Any]]:
        """A record for every run, the ends of its intervals apart."""
        return [run.row() for run in self.runs]

    def to_json(self) -> str:
        """The plain data as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n"

    def to_latex(self, costs: Sequence[Cost] | None = None) -> str:
        """Booktabs tables of the laws, the predictions and the costs, as for `to_text`."""
        from .overtraining_tables import overtraining_latex

        return overtraining_latex(self, self.costs() if costs is None else costs)

    def to_text(self, costs: Sequence[Cost] | None = None) -> str:
        """For a reader, at most 100 columns wide; `costs`: what is said of over-training, by
        default `Overtraining.costs`.
        """
        from .overtraining_tables import overtraining_text

        return overtraining_text(self, self.costs() if costs is None else costs)

    def __str__(self) -> str:
        return self.to_text()


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
        The error is 1 less the mean raw accuracy on these. By default all; an empty sequence: no
        law of error.
    fit_where, error_where : str, optional
        Conditions on the runs of the law of loss (by default all runs), and of the law of error (by
        default the same).
    predict_where : str, optional
        Condition on the runs that are predicted; by default all those that the law of loss was not
        fitted to.
    objective : Objective or str
        Of the law of loss; by default the paper's least squares. The law of error is fitted by
        least squares to measured losses.
    repeats : int
        Resamples; 0: no intervals.
    kind : {"residuals", "cases"}
        What is drawn: the residuals about each law, centred and inflated by sqrt(n/(n - p)), which
        works for a few planned runs, or whole runs, of which there must be many.
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
    The published numbers of Gadre et al. 2024: on their runs of one training set, `fit_where` the
    runs at 20 tokens a parameter of their four small models, and at 320 of the smallest;
    `error_where` the same and the 1.4B model at 20; `GADRE_TASKS`.
    """
    from ..data.evaluations import Evaluations

    runs = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    chosen = Objective(name=objective) if isinstance(objective, str) else objective
    repeats, seed, level = (
        whole_number("repeats", repeats, 0),
        whole_number("seed", seed, 0),
        checked_level(level),
    )
    if kind not in KINDS:
        raise ArgumentError("kind", kind, f"one of {', '.join(KINDS)}")
    if runs.params is None or runs.tokens is None:
        raise ValueError(
            f"{runs.source}: has no params and tokens of the runs; the law of loss needs both"
        )
    asked = None if predict_where is None else runs.mask(predict_where, "predict_where")
    if asked is not None and not asked.any():
        complaint = f"holds for none of {counted(len(runs), 'run')} of {runs.source}"
        raise ArgumentError("predict_where", predict_where, complaint=complaint)
    if _is_accuracy(runs, loss):
        raise ArgumentError("proxy", loss, complaint="is an accuracy, not a loss")
    losses = runs.proxy(loss)
    bad = np.flatnonzero(np.isfinite(losses) & (losses <= 0.0))
    if bad.size:
        raise outside(
            f"{loss} of run {runs.run[bad[0]]!r}", float(losses[bad[0]]), "positive: it is no loss"
        )
    names = _benchmarks(runs, benchmarks)
    errors = (
        1.0 - np.mean([runs.scores[name] for name in names], axis=0)
        if names
        else np.full(len(runs), np.nan)
    )

    notes = [*runs.warnings, *([f"rows {those_dropped(runs.dropped)}"] if runs.dropped else [])]
    for_loss = _chosen(runs, "fit_where", fit_where, losses, f"the loss {loss!r}", notes)
    fitted = fit_tied(runs.params[for_loss], runs.tokens[for_loss], losses[for_loss], chosen)
    link, for_error = None, for_loss
    if names:
        condition = fit_where if error_where is None else error_where
        both = np.where(np.isfinite(losses), errors, np.nan)
        for_error = _chosen(
            runs, "error_where", condition, both, "a loss and all benchmarks", notes
        )
        link = EXPONENTIAL.fit(losses[for_error], 1.0 - errors[for_error], what=f"loss {loss!r}")
    notes = (
        pooled(runs, for_loss, fitted.observed - fitted.fitted)
        + notes
        + _doubts(fitted, link, int(for_error.sum()))
    )
    laws = Overtraining(
        loss_fit=fitted,
        error_fit=link,
        losses=losses,
        errors=errors,
        for_loss=for_loss,
        for_error=for_error,
        loss_name=loss,
        benchmarks=names,
        level=level,
        source=runs.source,
    )
    if repeats:
        draws = resample(laws, repeats, kind=kind, seed=seed, progress=progress)
        if not len(draws):
            complaint = "no refit reached a certified minimum; the runs do not determine the laws"
            raise ArgumentError("repeats", repeats, complaint=complaint)
        if draws.failed:
            notes.append(
                f"{draws.failed} of {draws.done} refits reached no certified minimum and are left "
                f"out"
            )
        laws = replace(laws, draws=draws)
    foretold = _foretold(laws, runs, ~for_loss if asked is None else asked)
    if doubt := beyond(
        [
            run.error.predicted.value
            for run in foretold
            if run.asked and run.error.predicted is not None
        ]
    ):
        notes.append(doubt)
    return replace(laws, runs=foretold, notes=tuple(notes))


def _foretold(laws: Overtraining, runs: Evaluations, asked: Mask) -> tuple[Prediction, ...]:
    """Every run that a law was fitted to or that is to be predicted."""
    index = np.flatnonzero(laws.for_loss | laws.for_error | asked)
    params, tokens = runs.params[index], runs.tokens[index]
    compute = np.atleast_1d(formulas.compute(params, tokens))
    losses = laws.loss(params, tokens)
    drawn = new_losses = drawn_errors = new_errors = None
    if laws.draws is not None:
        drawn = losses_of(laws.draws.coefficients[:, : len(COEFFICIENTS)], params, tokens)
        new_losses, new_errors = _measured_anew(laws, laws.draws, drawn)
        if laws.error_fit is not None:
            drawn_errors = 1.0 - EXPONENTIAL.accuracy(
                laws.draws.coefficients[:, len(COEFFICIENTS) :], drawn
            )

    def estimate(value: float, draws: Floats | None, i: int) -> Estimate:
        return Estimate.of_draws(value, () if draws is None else draws[:, i], laws.level)

    predictions = []
    for place, i in enumerate(index.tolist()):
        loss = float(losses[place])
        of_loss = Foretold(
            measured=_known(laws.losses[i]),
            predicted=estimate(loss, drawn, place),
            new_run=estimate(loss, new_losses, place),
            is_fitted=bool(laws.for_loss[i]),
        )
        of_error = Foretold(measured=_known(laws.errors[i]))
        if laws.error_fit is not None:
            error = float(laws.error(loss)[0])
            of_error = Foretold(
                measured=of_error.measured,
                predicted=estimate(error, drawn_errors, place),
                new_run=estimate(error, new_errors, place),
                is_fitted=bool(laws.for_error[i]),
            )
        predictions.append(
            Prediction(
                run=str(runs.run[i]),
                params=float(params[place]),
                tokens=float(tokens[place]),
                tokens_per_param=float(tokens[place] / params[place]),
                compute=float(compute[place]),
                loss=of_loss,
                error=of_error,
                asked=bool(asked[i]),
            )
        )
    return tuple(predictions)


def _measured_anew(
    laws: Overtraining, draws: Draws, losses: Floats
) -> tuple[Floats, Floats | None]:
    """What runs measure, (R, m): the loss, and where there is a law of error the error.

    The loss by each refitted law, (K, m), with the residual of some run, and the error at that loss
    by the refitted law of error with a residual of its own. NaN where a law has no more runs than
    coefficients, and so no residuals.
    """
    random = np.random.default_rng([draws.seed, 1])
    count, nothing = NEW_RUNS * len(losses), np.full((1, losses.shape[1]), np.nan)
    if laws.n_loss <= len(COEFFICIENTS):
        return nothing, None if laws.error_fit is None else nothing
    about = laws._residuals_of_loss()
    measured = [
        laws._measured(np.repeat(law, NEW_RUNS), random.choice(about, size=count))
        for law in losses.T
    ]
    if laws.error_fit is None or laws.n_error <= EXPONENTIAL.least:
        return np.stack(measured, axis=1), None if laws.error_fit is None else nothing
    about, links = (
        laws._residuals_of_error(),
        np.repeat(draws.coefficients[:, len(COEFFICIENTS) :], NEW_RUNS, axis=0),
    )
    accuracy = [
        EXPONENTIAL.accuracy(links, own[:, None])[:, 0] + random.choice(about, size=count)
        for own in measured
    ]
    return np.stack(measured, axis=1), 1.0 - np.stack(accuracy, axis=1)


# -- the laws in other forms ---------------------------------------------------------------------------------------------------


def in_compute(E: float, A: float, B: float, beta: float) -> dict[str, float]:
    """E, a, b, eta: a and b are the terms at C = 1 and M = 1."""
    at = {"compute": 1.0, "tokens_per_param": 1.0}
    a = formulas.params_term(formulas.ray_params(**at), A, beta)
    b = formulas.tokens_term(formulas.ray_tokens(**at), B, beta)
    return {"E": E, "a": float(a), "b": float(b), "eta": 0.5 * beta}


def optimum(E: float, A: float, B: float, beta: float) -> float:
    """M*; NaN where a float holds none, as for a law without a term."""
    try:
        return float(formulas.optimal_tokens_per_param(1.0, A, B, beta, beta))
    except ValueError:
        return float("nan")


def losses_of(coefficients: Floats, params: Floats, tokens: Floats) -> Floats:
    """L (K, m) of K laws (K, 4) at m runs."""
    return coefficients[:, :1] + terms_of(
        coefficients, np.atleast_1d(params), np.atleast_1d(tokens)
    )


def _law_of(E: float, A: float, B: float, beta: float, **about: Any) -> Law:
    return Law(E=E, A=A, B=B, beta=beta, gamma=beta, **about)


def _error_at(link: Floats, losses: Floats) -> Floats:
    """1 - Q (m,) of the law of error (3,) at losses (m,)."""
    return np.asarray(1.0 - EXPONENTIAL.accuracy(link[None], losses)[0])


def _costs(law: Law, link: Floats | None, compute: float, ratios: Floats) -> dict[str, Floats]:
    """What ratios (m,) cost at one compute by a law of loss and, if there is one, a law of error."""
    penalty = law.penalty(ratio=ratios / float(law.envelope.tokens_per_param(1.0)))
    optimal, extra = (
        float(law.envelope.loss(compute)),
        penalty.excess * float(law.envelope.reducible_loss(compute)),
    )
    costs = {
        "loss": optimal + extra,
        "extra_loss": extra,
        "penalty": penalty.loss_penalty,
        "lost_compute": penalty.lost_compute,
    }
    if link is not None:
        costs["error"] = _error_at(link, optimal + extra)
        costs["extra_error"] = costs["error"] - _error_at(link, np.array([optimal]))
    return costs


def _joined(loss: Refits, error: Any, usable: Mask) -> Refits:
    """Refits of both laws to the same resamples."""
    coefficients = np.concatenate([loss.coefficients, error.coefficients], axis=1)
    return Refits(coefficients, loss.converged & error.converged & usable)


def _inflated(residuals: Floats, coefficients: int, what: str) -> Floats:
    """Residuals (n,) centred, with the spread that the coefficients took from them given back."""
    spare = len(residuals) - coefficients
    if spare <= 0:
        complaint = f"{len(residuals)} runs leave no residuals for the {coefficients} coefficients of the {what}"
        raise ArgumentError("kind", "residuals", complaint=complaint)
    return (residuals - residuals.mean()) * np.sqrt(len(residuals) / spare)


def _state(fit: TiedFit | LinkFit, scatter: dict[str, float | None]) -> dict[str, Any]:
    return {
        "value": fit.value,
        "rmse": scatter["rmse"],
        "r2": scatter["r2"],
        "converged": fit.converged,
        "undetermined": list(fit.undetermined),
    }


def _ends(estimate: Estimate | None) -> list[float] | None:
    """Both ends, where they are known and finite."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return (
        [estimate.low, estimate.high] if np.isfinite([estimate.low, estimate.high]).all() else None
    )


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


# -- doubts --------------------------------------------------------------------------------------------------------------------


def beyond(errors: Sequence[float]) -> str:
    """What to say where a law of error foretells less than 0 or more than 1; else nothing.

    >>> beyond([0.2, -0.1])
    'law of error: 1 of 2 errors that it foretells are outside 0 to 1: it does not reach so far'
    """
    wrong = sum(not 0.0 <= error <= 1.0 for error in errors)
    what = "errors that it foretells are outside 0 to 1: it does not reach so far"
    return f"law of error: {wrong} of {len(errors)} {what}" if wrong else ""


def doubts_of(costs: Sequence[Cost]) -> tuple[str, ...]:
    """What speaks against costs: errors, their own or those of the optimal ratio, that no law can
    foretell.
    """
    own = [cost.error for cost in costs if cost.error is not None]
    optimal = [
        cost.error - cost.extra_error.value
        for cost in costs
        if cost.error is not None and cost.extra_error is not None
    ]
    doubt = beyond([*own, *optimal])
    return (doubt,) if doubt else ()


def pooled(runs: Evaluations, fitted: Mask, residuals: Floats) -> list[str]:
    """What to say of every column of text that parts the fitted runs into kinds, with the mean
    residual of each.

    Such a column has a value shared by several runs, and several values among runs of one size: the
    name of a model, which follows from the size, and that of a run, which is its own, part nothing
    that the law of loss does not know of.

    Parameters
    ----------
    runs : Evaluations
        M runs with their params.
    fitted : ndarray of bool
        (M,): n runs that a law of params and tokens was fitted to.
    residuals : ndarray
        (n,): observed minus fitted loss, in units of loss.
    """
    params = np.asarray(runs.params)[fitted]
    return [
        _of_kinds(name, values[fitted], residuals)
        for name, values in runs.extra.items()
        if values.dtype.kind in "OU" and _parts(values[fitted], params)
    ]


def _parts(values: Any, params: Floats) -> bool:
    known = [
        (value, size)
        for value, size in zip(values.tolist(), params.tolist(), strict=True)
        if isinstance(value, str)
    ]
    kinds = {value for value, _ in known}
    of_size: dict[float, set[str]] = {}
    for value, size in known:
        of_size.setdefault(size, set()).add(value)
    return 1 < len(kinds) <= len(known) // 2 and any(len(each) > 1 for each in of_size.values())


def _of_kinds(name: str, values: Any, residuals: Floats) -> str:
    """The kinds with their runs and mean residuals, and the F test that these are one."""
    groups = {
        value: residuals[values == value]
        for value in dict.fromkeys(values.tolist())
        if isinstance(value, str)
    }
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    shown = [
        f"{value} ({len(rest)} runs, {float(rest.mean()):+.3g})"
        for value, rest in ordered[:MOST_LISTED]
    ]
    more = [f"{len(ordered) - MOST_LISTED} more"] if len(ordered) > MOST_LISTED else []
    column = name if name.isidentifier() else f"`{name}`"
    return (
        f"warning: the law of loss pools runs of {len(ordered)} kinds of {name}, with mean "
        f"residuals: "
        f"{', '.join([*shown, *more])}; p = {_p(list(groups.values())):.2g} that they share a law; "
        f"fit one at a time by a condition such as {column} == {ordered[0][0]!r}"
    )


def _p(groups: list[Floats]) -> float:
    """Of the F test that the means are equal; 1 without runs to tell the scatter from."""
    every = np.concatenate(groups)
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    between = sum(len(group) * float((group.mean() - every.mean()) ** 2) for group in groups)
    spare = len(every) - len(groups)
    if spare < 1 or not within:
        return 1.0
    from scipy.stats import f as f_distribution

    return float(
        f_distribution.sf((between / (len(groups) - 1)) / (within / spare), len(groups) - 1, spare)
    )


# -- which runs and benchmarks are asked for ------------------------------------------------------------------------------


def _benchmarks(runs: Evaluations, asked: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(asked, str):
        raise ArgumentError("benchmarks", asked, "a sequence of names")
    names = tuple(runs.benchmarks if asked is None else dict.fromkeys(asked))
    for name in names:
        runs.require(name)
        if name not in runs.scores:
            complaint = (
                f"{runs.source} has it as {', '.join(runs.family(name).values())} alone; name one"
            )
            raise ArgumentError("benchmark", name, complaint=complaint)
    return names


def _is_accuracy(runs: Evaluations, name: str) -> bool:
    """Whether `Evaluations.proxy` finds a score of a benchmark under this name, by key or by
    column.
    """
    scored = {*runs.scores, *(runs.columns[key] for key in runs.scores if key in runs.columns)}
    losses = {*runs.proxies, *(runs.columns[key] for key in runs.proxies if key in runs.columns)}
    return name in scored - losses


def _chosen(
    runs: Evaluations,
    argument: str,
    condition: str | None,
    values: Floats,
    what: str,
    notes: list[str],
) -> Mask:
    """The runs that satisfy a condition and have the values; what is left out is noted."""
    asked = np.ones(len(runs), dtype=bool) if condition is None else runs.mask(condition, argument)
    usable = asked & np.isfinite(values)
    if not usable.any():
        complaint = f"leaves none of {counted(len(runs), 'run')} of {runs.source} with {what}"
        raise ArgumentError(argument, condition, complaint=complaint)
    if missing := int((asked & ~usable).sum()):
        notes.append(
            f"{counted(missing, 'run')} of those asked for by {argument} left out: without {what}"
        )
    return usable


def _doubts(fitted: TiedFit, link: LinkFit | None, n_error: int) -> list[str]:
    doubts = []
    for what, runs, width in (
        ("loss", fitted.model.size, len(COEFFICIENTS)),
        ("error", n_error, EXPONENTIAL.least),
    ):
        if (what == "loss" or link is not None) and runs - width <= FEW_SPARE:
            doubts.append(
                f"law of {what}: {runs} runs for {width} coefficients: {runs - width} left to tell "
                f"the scatter from"
            )
    if not fitted.converged:
        doubts.append("law of loss: no certified minimum; its coefficients are no result")
    if fitted.undetermined:
        doubts.append(
            f"law of loss: the runs leave {', '.join(fitted.undetermined)} undetermined; they need "
            f"several ratios D/N"
        )
    if link is not None and not link.converged:
        doubts.append("law of error: no certified minimum; its coefficients are no result")
    if link is not None and link.undetermined:
        doubts.append(
            "law of error: the runs leave epsilon, k, gamma undetermined; error is nearly linear "
            "in loss over them"
        )
    return doubts
