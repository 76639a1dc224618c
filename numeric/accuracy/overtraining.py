r"""What training past the compute optimum costs, in loss and in downstream error.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L},

with M = D/N and C = 6 N D. The law of loss is the params+tokens law with beta = gamma = 2 eta, a =
6^eta A and b = 6^eta B (derivation `overtraining_law`). So its optimum, its envelope and its
penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and off it
the reducible loss grows by cosh(eta log(M/M*)). Source of both laws: Gadre et al. 2024, arXiv
2403.08540.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.rows import those_dropped
from ..data.runs import Runs
from ..data.sample import Points
from ..errors import ArgumentError, outside, positive_array, positive_number, whole_number
from ..fit.fitted import Fitted, Joint
from ..fit.fitting import fit_form
from ..fit.models import ONE_EXPONENT
from ..fit.objective import Objective
from ..fit.resample import inflated, resample, together
from ..results import Band, Estimate, checked_level
from ..words import counted
from .fitting import errors
from .links import EXPONENTIAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...theory.typeset.table import Table
    from ..data.evaluations import Evaluations
    from ..fit.resample import Draws, Refits
    from ..fit.result import Fit
    from ..law import Law
    from .links import LinkFit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = [
    "GADRE_TASKS",
    "Foretold",
    "ForetoldRun",
    "Overtraining",
    "RatioCost",
    "fit_overtraining",
]

#: What a ratio costs with an interval.
UNCERTAIN = ("extra_loss", "lost_compute", "extra_error")
KINDS = ("residuals", "cases")
SQUARES = Objective(name="least-squares")
#: Coefficients of the law of loss, and of the law of error.
OF_ERROR = ("epsilon", "k", "gamma")
COEFFICIENTS = ONE_EXPONENT.coefficients
OF_LOSS = len(COEFFICIENTS)
#: With no more runs beyond the coefficients than this a law's scatter is hardly known.
FEW_SPARE = 3
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25
#: By default costs are given at these multiples of the optimal ratio.
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
    """What a law says of a run, and what the run measured.

    Attributes
    ----------
    measured : float or None
        None where it was not measured.
    predicted : Estimate
        With the interval of the law at the run, from resamples. The scatter of the run itself is
        not in it: most runs lie outside.
    new_run : Estimate
        With the interval of what such a run measures: with the scatter of the fitted runs about the
        law. It has no ends where the law has no more runs than coefficients.
    is_fitted : bool
        Whether the law was fitted to this run: then the difference is a residual, no test.
    """

    measured: float | None
    predicted: Estimate
    new_run: Estimate
    is_fitted: bool

    @property
    def difference(self) -> float | None:
        """(predicted - measured)/measured."""
        return (self.predicted.value - self.measured) / self.measured if self.measured else None


@dataclass(frozen=True, kw_only=True)
class ForetoldRun:
    """What the laws say of a run.

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
    asked: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = dict(self.__dict__)
        for what in ("loss", "error"):
            law: Foretold = data[what]
            data |= {
                what: law.measured,
                f"predicted_{what}": law.predicted.value,
                f"{what}_difference": law.difference,
                f"{what}_interval": _ends(law.predicted),
                f"new_{what}_interval": _ends(law.new_run),
                f"in_{what}_fit": law.is_fitted,
            }
        return data


@dataclass(frozen=True, kw_only=True)
class RatioCost:
    """What a ratio of tokens to params costs against the optimal one at the same compute.

    Attributes
    ----------
    compute, tokens_per_param, params, tokens : float
    loss, error : float
        L and 1 - Q.
    penalty : float
        (L - E)/(L* - E).
    extra_loss, extra_error : Estimate
        L - L*(C), and by how much the error exceeds that of the optimal ratio.
    lost_compute : Estimate
        Share of the compute that the optimal ratio would save at the same loss.

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
    error: float
    extra_error: Estimate

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = dict(self.__dict__)
        for name in UNCERTAIN:
            estimate: Estimate = data[name]
            data |= {name: estimate.value, f"{name}_interval": _ends(estimate)}
        return data


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining(Joint):
    """The two laws fitted, and what follows.

    Attributes
    ----------
    loss_fit : Fit
    error_fit : LinkFit
    losses, errors : ndarray
        (M,): measured, by run.
    for_loss, for_error : ndarray of bool
        (M,): the runs that each law was fitted to.
    runs : tuple of ForetoldRun
        Every run that a law was fitted to or that was to be predicted.
    costs : tuple of RatioCost
        What over-training costs; none where the runs do not determine the law of loss.
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

    loss_fit: Fit
    error_fit: LinkFit
    losses: Floats
    errors: Floats
    for_loss: Mask
    for_error: Mask
    loss_name: str
    benchmarks: tuple[str, ...]
    level: float
    source: str
    runs: tuple[ForetoldRun, ...] = ()
    costs: tuple[RatioCost, ...] = ()
    draws: Draws | None = None
    notes: tuple[str, ...] = ()

    # -- as a fit that can be made again -----------------------------------------------------------

    @property
    def parts(self) -> tuple[Fitted, ...]:  # type: ignore[override]
        """Both fits."""
        return self.loss_fit, self.error_fit

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """E, A, B, beta of the law of loss in params and tokens; epsilon, k, gamma of the law of
        error.
        """
        of_error = zip(OF_ERROR, self.error_fit.values.tolist(), strict=True)
        return {**self.loss_fit.coefficients, **dict(of_error)}

    @property
    def size(self) -> int:
        """Runs that some law was fitted to."""
        return int((self.for_loss | self.for_error).sum())

    @property
    def objective_value(self) -> float:
        """Half the sum of squares of the losses about their law."""
        return self.loss_fit.objective_value

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave undetermined."""
        return (*self.loss_fit.undetermined, *(OF_ERROR if self.error_fit.undetermined else ()))

    def refit(
        self, *, weights: Floats | None = None, observed: tuple[Floats, ...] | None = None
    ) -> Refits:
        """Both laws with weights (K, n) of the runs, or to other losses (K, n) and accuracies (K,
        m). A law without as many runs as coefficients has no minimum and is not certified.
        """
        if observed is not None:
            given = zip(self.parts, observed, strict=True)
            return together(part.refit(observed=values) for part, values in given)
        assert weights is not None
        drawn = np.zeros((len(weights), len(self.losses)))
        drawn[:, self.for_loss | self.for_error] = weights
        refits = []
        for part, fitted in zip(self.parts, (self.for_loss, self.for_error), strict=True):
            own = drawn[:, fitted]
            enough = (own > 0.0).sum(axis=1) >= len(part.names)
            own[~enough] = 1.0
            again = part.refit(weights=own)
            refits.append(again._replace(converged=again.converged & enough))
        return together(refits)

    def redrawn(self, count: int, random: np.random.Generator) -> tuple[Floats, ...]:
        """Losses (K, n) and accuracies (K, m): what the laws say of their runs, with residuals
        drawn anew.
        """
        return tuple(part.redrawn(count, random) for part in self.parts)

    # -- the laws ----------------------------------------------------------------------------------

    @property
    def law(self) -> Law:
        """The law of loss with its optimum, envelope and penalty.

        Raises
        ------
        ValueError
            Where the runs do not determine it.
        """
        if not self.loss_fit.is_sound:
            raise ValueError("law: the runs do not determine the law of loss; see the notes")
        runs = counted(int(self.for_loss.sum()), "run")
        source = f"one exponent, fitted to {runs} of {self.source} by least squares"
        law: Any = ONE_EXPONENT.law(self.loss_fit.coefficients, "over-training", source)
        return law

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        at = Points(
            params=positive_array("params", params), tokens=positive_array("tokens", tokens)
        )
        return ONE_EXPONENT.values(self.values[None, :OF_LOSS], at)[0]

    def predict(self, rows: Any) -> Floats:
        """L at other rows with params and tokens, (m,)."""
        return self.loss(rows.params, rows.tokens)

    def error(self, loss: Any) -> Floats:
        """1 - Q at losses, (m,)."""
        return _errors_at(self.values[None], np.atleast_1d(np.asarray(loss, np.float64)))[0]

    @property
    def optimal_tokens_per_param(self) -> float:
        """M*, at every compute."""
        return float(self.law.envelope.tokens_per_param(1.0))

    @property
    def compute_coefficients(self) -> dict[str, float]:
        """E, a, b, eta of L = E + (a M^eta + b M^-eta) C^-eta: a and b are the terms at C = 1 and M
        = 1.
        """
        written = _in_compute(self.values[None])
        return {"E": self.coefficients["E"]} | {name: float(x[0]) for name, x in written.items()}

    @cached_property
    def intervals(self) -> dict[str, Estimate]:
        """E, A, B, beta, a, b, eta, M* and the coefficients of the law of error with the intervals
        of the resamples.
        """

        def quantities(coefficients: Floats) -> dict[str, Floats]:
            columns = dict(zip(self.names, coefficients.T, strict=True))
            of_loss, of_error = (
                {name: columns[name] for name in names} for names in (COEFFICIENTS, OF_ERROR)
            )
            best = np.array([_optimum(*row) for row in coefficients[:, :OF_LOSS].tolist()])
            in_compute = _in_compute(coefficients)
            return {**of_loss, **in_compute, "optimal_tokens_per_param": best, **of_error}

        values = quantities(self.values[None])
        drawn = {} if self.draws is None else quantities(self.draws.coefficients)
        return {
            name: Estimate.of_draws(float(value[0]), drawn.get(name, ()), self.level)
            for name, value in values.items()
        }

    @cached_property
    def loss_errors(self) -> dict[str, float | None]:
        """n, MAE, MRE, RMSE and R2 of the law of loss on the runs that it was fitted to."""
        return errors(self.loss_fit.fitted, np.asarray(self.loss_fit.runs.loss))

    @cached_property
    def error_errors(self) -> dict[str, float | None]:
        """The same of the law of error at the measured losses."""
        return errors(self.error(self.losses[self.for_error]), self.errors[self.for_error])

    @property
    def predictions(self) -> tuple[ForetoldRun, ...]:
        """The runs that were to be predicted."""
        return tuple(run for run in self.runs if run.asked)

    def cost(self, compute: float, tokens_per_param: Any) -> tuple[RatioCost, ...]:
        """What ratios of tokens to params cost at one compute (FLOP), in loss and in error, where
        the runs determine the law of loss.
        """
        ratios = np.atleast_1d(positive_array("tokens_per_param", tokens_per_param))
        budget = positive_number("compute", compute)
        costs = {name: row[0] for name, row in _costs(self.values[None], budget, ratios).items()}
        drawn: dict[str, Floats] = {}
        if self.draws is not None:
            with suppress(ValueError):  # some law has no optimum
                drawn = _costs(self.draws.coefficients, budget, ratios)
        best = self.intervals["optimal_tokens_per_param"]
        is_bounded = all(end is not None and np.isfinite(end) for end in (best.low, best.high))

        def estimate(name: str, i: int) -> Estimate:
            """A cost is 0 at M*, and never less: where M* may be the ratio it is bounded from above
            alone.
            """
            draws = drawn[name][:, i] if name in drawn else np.empty(0)
            least = None if is_bounded and best.excludes(ratios[i]) else 0.0
            return Estimate.of_draws(
                float(costs[name][i]),
                draws if np.isfinite(draws).all() else (),
                self.level,
                least=least,
            )

        return tuple(
            RatioCost(
                compute=float(budget),
                tokens_per_param=ratio,
                params=float(formulas.ray_params(budget, ratio)),
                tokens=float(formulas.ray_tokens(budget, ratio)),
                loss=float(costs["loss"][i]),
                extra_loss=estimate("extra_loss", i),
                penalty=float(costs["penalty"][i]),
                lost_compute=estimate("lost_compute", i),
                error=float(costs["error"][i]),
                extra_error=estimate("extra_error", i),
            )
            for i, ratio in enumerate(ratios.tolist())
        )

    # -- output ------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        of_loss = {name: self.coefficients[name] for name in COEFFICIENTS}
        loss = {
            "name": self.loss_name,
            "n": int(self.for_loss.sum()),
            "objective": SQUARES.as_dict(),
            **_state(self.loss_fit, self.objective_value, self.loss_errors),
            "coefficients": of_loss | self.compute_coefficients,
        }
        if self.loss_fit.is_sound:
            envelope = self.law.envelope
            loss |= {
                "optimal_tokens_per_param": self.optimal_tokens_per_param,
                "envelope": {"C0": envelope.coefficient, "alpha": envelope.exponent},
            }
        error = {
            "benchmarks": list(self.benchmarks),
            "n": int(self.for_error.sum()),
            **_state(self.error_fit, self.error_fit.objective_value, self.error_errors),
            "coefficients": {name: _known(self.coefficients[name]) for name in OF_ERROR},
        }
        data: dict[str, Any] = {"source": self.source, "loss": loss, "error": error}
        if self.draws is not None:
            intervals = {name: _ends(estimate) for name, estimate in self.intervals.items()}
            data["bootstrap"] = self.draws.as_dict() | {"intervals": intervals}
        return data | {
            "level": self.level,
            "predictions": [run.as_dict() for run in self.predictions],
            "costs": [cost.as_dict() for cost in self.costs],
            "notes": list(self.notes),
        }

    def tables(self) -> Sequence[Table]:
        """Coefficients; predictions of loss and of error; costs at every compute."""
        from .overtraining_tables import tables_of

        return tables_of(self)

    def __str__(self) -> str:
        from .overtraining_tables import head

        return f"{head(self)}\n\n{super().__str__()}"

    def to_latex(self, caption: str = "", label: str = "") -> str:
        """Every table in a float, for booktabs; by default the caption of the first has both laws."""
        from . import overtraining_tables as page

        first, *others = self.tables()
        floats = [first.latex(caption or page.caption(self), label, size=page.SIZE)]
        floats += [table.latex(str(table.title), size=page.SIZE) for table in others]
        return "\n\n".join(floats)


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
    repeats: int = 0,
    kind: str = "residuals",
    seed: int = 0,
    level: float = 0.9,
    progress: bool = False,
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
    repeats, seed = whole_number("repeats", repeats, 0), whole_number("seed", seed, 0)
    if kind not in KINDS:
        raise ArgumentError("kind", kind, f"one of {', '.join(KINDS)}")
    if runs.params is None or runs.tokens is None:
        raise ValueError(f"{runs.source}: has no params and tokens; the law of loss needs both")
    asked = None if predict_where is None else runs.mask(predict_where, "predict_where")
    if asked is not None and not asked.any():
        complaint = f"holds for none of {counted(len(runs), 'run')} of {runs.source}"
        raise ArgumentError("predict_where", predict_where, complaint=complaint)
    losses, names = _losses_of(runs, loss), _benchmarks(runs, benchmarks)
    measured = 1.0 - np.mean([runs.scores[name] for name in names], axis=0)

    left_out = [*runs.warnings, *([f"rows {those_dropped(runs.dropped)}"] if runs.dropped else [])]
    for_loss = _chosen(runs, "fit_where", fit_where, losses, f"the loss {loss!r}", left_out)
    for_error = _chosen(
        runs,
        "error_where",
        fit_where if error_where is None else error_where,
        np.where(np.isfinite(losses), measured, np.nan),
        "a loss and all benchmarks",
        left_out,
    )
    if (few := int(for_loss.sum())) < OF_LOSS:
        raise ValueError(
            f"{few} runs: must be at least {OF_LOSS} for the coefficients of {ONE_EXPONENT}"
        )
    fitted = fit_form(
        Runs(
            params=runs.params[for_loss],
            tokens=runs.tokens[for_loss],
            compute=None,
            loss=losses[for_loss],
            row=np.flatnonzero(for_loss) + 1,
            source=runs.source,
            n_rows=len(runs),
        ),
        ONE_EXPONENT,
        SQUARES,
    )
    laws = Overtraining(
        loss_fit=fitted,
        error_fit=EXPONENTIAL.fit(
            losses[for_error], 1.0 - measured[for_error], what=f"loss {loss!r}"
        ),
        losses=losses,
        errors=measured,
        for_loss=for_loss,
        for_error=for_error,
        loss_name=loss,
        benchmarks=names,
        level=checked_level(level),
        source=runs.source,
    )
    notes = [*_pooled(runs, for_loss, fitted.residuals), *left_out, *_doubts(laws)]
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
    laws = replace(laws, runs=_foretold(laws, runs, ~for_loss if asked is None else asked))
    if laws.loss_fit.is_sound:
        best = laws.optimal_tokens_per_param
        ratios = (
            [best * each for each in MULTIPLES] if tokens_per_param is None else tokens_per_param
        )
        budgets = compute or (max(run.compute for run in laws.runs),)
        costs = tuple(cost for budget in budgets for cost in laws.cost(budget, ratios))
        laws = replace(laws, costs=costs)
    notes += _impossible([run.error.predicted.value for run in laws.predictions])
    notes += _impossible(
        [cost.error for cost in laws.costs]
        + [cost.error - cost.extra_error.value for cost in laws.costs]
    )
    return replace(laws, notes=tuple(notes))


def _foretold(laws: Overtraining, runs: Evaluations, asked: Mask) -> tuple[ForetoldRun, ...]:
    """Every run that a law was fitted to or that is to be predicted."""
    index = np.flatnonzero(laws.for_loss | laws.for_error | asked)
    params, tokens = runs.params[index], runs.tokens[index]
    compute = np.atleast_1d(formulas.compute(params, tokens))
    losses = laws.loss(params, tokens)
    errors = laws.error(losses)
    drawn_losses = drawn_errors = new_losses = new_errors = np.empty((0, len(index)))
    if laws.draws is not None:
        drawn, at = laws.draws.coefficients, Points(params=params, tokens=tokens)
        drawn_losses = ONE_EXPONENT.values(drawn[:, :OF_LOSS], at)
        drawn_errors = _errors_at(drawn, drawn_losses)
        new_losses, new_errors = _measured_anew(laws, drawn_losses, laws.draws)

    def foretold(
        measured: Floats, fitted: Mask, values: Floats, drawn: Floats, new: Floats
    ) -> list[Foretold]:
        law, run = (Band.of_draws(values, draws, laws.level) for draws in (drawn, new))
        return [
            Foretold(
                measured=_known(measured[i]),
                predicted=law[place],
                new_run=run[place],
                is_fitted=bool(fitted[i]),
            )
            for place, i in enumerate(index)
        ]

    columns = zip(
        index.tolist(),
        params.tolist(),
        tokens.tolist(),
        compute.tolist(),
        foretold(laws.losses, laws.for_loss, losses, drawn_losses, new_losses),
        foretold(laws.errors, laws.for_error, errors, drawn_errors, new_errors),
        strict=True,
    )
    return tuple(
        ForetoldRun(
            run=str(runs.run[i]),
            params=n,
            tokens=d,
            tokens_per_param=d / n,
            compute=c,
            loss=loss,
            error=error,
            asked=bool(asked[i]),
        )
        for i, n, d, c, loss, error in columns
    )


def _measured_anew(laws: Overtraining, losses: Floats, draws: Draws) -> tuple[Floats, Floats]:
    """What runs measure, (R, m): the loss by each refitted law (K, m) with the residual of some
    run, and the error at that loss by the refitted law of error with a residual of its own.

    R is 0 where a law has no more runs than coefficients, and so no residuals.
    """
    random, none = np.random.default_rng([draws.seed, 1]), np.empty((0, losses.shape[1]))

    def scatter(fit: Fit | LinkFit, like: Floats) -> Floats:
        residuals = inflated(fit.residuals, len(fit.names))
        return np.stack([random.choice(residuals, size=len(like)) for _ in like.T], axis=1)

    if laws.loss_fit.size <= OF_LOSS:
        return none, none
    new_losses = np.repeat(losses, NEW_RUNS, axis=0)
    new_losses = new_losses + scatter(laws.loss_fit, new_losses)
    if laws.error_fit.size <= len(OF_ERROR):
        return new_losses, none
    errors = _errors_at(np.repeat(draws.coefficients, NEW_RUNS, axis=0), new_losses)
    return new_losses, errors - scatter(laws.error_fit, errors)


# -- the laws in other forms -----------------------------------------------------------------------


def _in_compute(coefficients: Floats) -> dict[str, Floats]:
    """a, b, eta of K laws (K, 7): a and b are the terms at C = 1 and M = 1."""
    _, A, B, beta = coefficients[:, :OF_LOSS].T
    return {
        "a": np.asarray(formulas.params_term(formulas.ray_params(1.0, 1.0), A, beta)),
        "b": np.asarray(formulas.tokens_term(formulas.ray_tokens(1.0, 1.0), B, beta)),
        "eta": 0.5 * beta,
    }


def _optimum(E: float, A: float, B: float, beta: float) -> float:
    """M*; NaN where a float holds none, as for a law without a term."""
    try:
        return float(formulas.optimal_tokens_per_param(1.0, A, B, beta, beta))
    except ValueError:
        return float("nan")


def _errors_at(coefficients: Floats, losses: Floats) -> Floats:
    """1 - Q (K, m) of K pairs of laws (K, 7) at losses (m,) or (K, m)."""
    return np.asarray(1.0 - EXPONENTIAL.accuracy(coefficients[:, OF_LOSS:], losses))


def _costs(coefficients: Floats, compute: float, ratios: Floats) -> dict[str, Floats]:
    """What ratios (m,) cost at one compute by K pairs of laws (K, 7): (K, m) each."""
    E, A, B, beta = coefficients[:, :OF_LOSS].T[:, :, None]
    best = formulas.optimal_tokens_per_param(1.0, A, B, beta, beta)
    s = formulas.log_size_ratio_at_ratio(ratios / best)
    reducible = formulas.optimal_reducible_loss(compute, A, B, beta, beta)
    excess = np.asarray(formulas.excess(s, beta, beta))
    loss, optimal = E + reducible + excess * reducible, E + reducible
    error = _errors_at(coefficients, loss)
    return {
        "loss": loss,
        "extra_loss": excess * reducible,
        "penalty": np.asarray(formulas.penalty(s, beta, beta)),
        "lost_compute": np.asarray(formulas.lost_compute(s, beta, beta)),
        "error": error,
        "extra_error": error - _errors_at(coefficients, optimal),
    }


def _state(fit: Fit | LinkFit, value: float, scatter: dict[str, float | None]) -> dict[str, Any]:
    return {
        "value": value,
        "rmse": scatter["rmse"],
        "r2": scatter["r2"],
        "converged": fit.converged,
        "undetermined": list(fit.undetermined),
    }


def _ends(estimate: Estimate) -> list[float] | None:
    """Both ends, where they are known and finite."""
    ends = (estimate.low, estimate.high)
    return [*ends] if None not in ends and np.isfinite(ends).all() else None  # type: ignore[list-item,arg-type]


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


# -- which runs and benchmarks are asked for, and what speaks against the laws ---------------------


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


def _doubts(laws: Overtraining) -> Iterator[str]:
    loss, error = laws.loss_fit, laws.error_fit
    for what, fit, runs, width, why in (
        ("loss", loss, laws.for_loss, OF_LOSS, "they need several ratios D/N"),
        ("error", error, laws.for_error, len(OF_ERROR), "error is nearly linear in loss over them"),
    ):
        spare = int(runs.sum()) - width
        if spare <= FEW_SPARE:
            yield (
                f"law of {what}: {spare + width} runs for {width} coefficients: {spare} left to "
                f"tell the scatter from"
            )
        if not fit.converged:
            yield f"law of {what}: no certified minimum; its coefficients are no result"
        if fit.undetermined:
            names = OF_ERROR if what == "error" else fit.undetermined
            yield f"law of {what}: the runs leave {', '.join(names)} undetermined; {why}"


def _impossible(errors: Sequence[float]) -> list[str]:
    """What to say where the law of error foretells less than 0 or more than 1."""
    wrong = sum(not 0.0 <= error <= 1.0 for error in errors)
    what = "errors that it foretells are outside 0 to 1: it does not reach so far"
    return [f"law of error: {wrong} of {len(errors)} {what}"] if wrong else []


def _pooled(runs: Evaluations, fitted: Mask, residuals: Floats) -> Iterator[str]:
    """What to say of every column of text that parts the fitted runs into kinds, with the mean
    residual of each and the F test that these are one.

    Such a column has a value shared by several runs, and several values among runs of one size: the
    name of a model, which follows from the size, and that of a run, which is its own, part nothing
    that the law of loss does not know of.
    """
    import pandas as pd
    from scipy.stats import f_oneway

    for name, values in runs.extra.items():
        if values.dtype.kind not in "OU":
            continue
        table = pd.DataFrame(
            {"kind": values[fitted], "params": runs.params[fitted], "residual": residuals}
        )
        table = table[[isinstance(kind, str) for kind in table["kind"]]]
        groups = [group for _, group in table.groupby("kind", sort=False)["residual"]]
        parts_a_size = (table.groupby("params")["kind"].nunique() > 1).any()
        if not (1 < len(groups) <= len(table) // 2 and parts_a_size):
            continue
        groups.sort(key=len, reverse=True)
        kinds = [str(table["kind"][group.index[0]]) for group in groups]
        listed = [
            f"{kind} ({len(group)} runs, {group.mean():+.3g})"
            for kind, group in list(zip(kinds, groups, strict=True))[:MOST_LISTED]
        ]
        more = [f"{len(groups) - MOST_LISTED} more"] if len(groups) > MOST_LISTED else []
        column = name if name.isidentifier() else f"`{name}`"
        yield (
            f"warning: the law of loss pools runs of {len(groups)} kinds of {name}, with mean "
            f"residuals: {', '.join([*listed, *more])}; p = {f_oneway(*groups).pvalue:.2g} that "
            f"they share a law; fit one at a time by a condition such as {column} == {kinds[0]!r}"
        )
