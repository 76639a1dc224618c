r"""What training past the compute optimum costs, in loss and in downstream error: the laws of Gadre et al.

.. math:: L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta}, \qquad 1 - Q = \varepsilon - k e^{-\gamma L}, \qquad M = D/N,\; C = 6 N D.

The law of loss is the params+tokens law with beta = gamma = 2 eta, a = 6^eta A and b = 6^eta B (derivation `overtraining_law`).
So its optimum, its envelope and its penalty are those of `isoflop.numeric.law.Law`: M* = (b/a)^(1/(2 eta)) at every compute, and
off it the reducible loss grows by cosh(eta log(M/M*)). Source: Gadre et al. 2024, arXiv 2403.08540.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric._call import evaluate
from isoflop.numeric._domain import outside, positive_array, whole_number
from isoflop.numeric.downstream.links import EXPONENTIAL, LinkFit
from isoflop.numeric.downstream.overtraining_draws import KINDS, Draws, draw
from isoflop.numeric.downstream.tied import COEFFICIENTS, TiedFit, fit_tied, terms_of
from isoflop.numeric.fit.bootstrap import percentile
from isoflop.numeric.fit.intervals import checked_level
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.law import Law
from isoflop.numeric.runs import those_dropped
from isoflop.numeric.runs_cells import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.downstream.evaluations import Evaluations

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["GADRE_TASKS", "Cost", "Overtraining", "Prediction", "fit_overtraining"]

#: With no more runs beyond the coefficients than this a law's scatter is hardly known.
FEW_SPARE = 3
#: Costs are told at these multiples of the optimal ratio where no ratios are asked for.
MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
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
class Prediction:
    """What the laws say of a run that they were not fitted to, and what it measured.

    Attributes
    ----------
    run : str
    params, tokens, tokens_per_param, compute : float
    loss, error : float or None
        Measured; None where it was not.
    predicted_loss : float
    predicted_error : float or None
        At the predicted loss; None without a law of error.
    loss_difference, error_difference : float or None
        (predicted - measured)/measured.
    loss_interval, error_interval : (float, float) or None
        Of the law at the run, from resamples; the run's own scatter is not in it.
    """

    run: str
    params: float
    tokens: float
    tokens_per_param: float
    compute: float
    loss: float | None
    predicted_loss: float
    loss_difference: float | None
    error: float | None = None
    predicted_error: float | None = None
    error_difference: float | None = None
    loss_interval: tuple[float, float] | None = None
    error_interval: tuple[float, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.__dict__.items()}


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a ratio of tokens to params costs against the optimal one at the same compute.

    Attributes
    ----------
    compute, tokens_per_param, params, tokens : float
    loss, extra_loss : float
        L, and L - L*(C).
    penalty : float
        (L - E)/(L* - E).
    lost_compute : float
        Share of the compute that the optimal ratio would save at the same loss.
    error, extra_error : float or None
        1 - Q, and what it exceeds that of the optimal ratio by; None without a law of error.
    """

    compute: float
    tokens_per_param: float
    params: float
    tokens: float
    loss: float
    extra_loss: float
    penalty: float
    lost_compute: float
    error: float | None
    extra_error: float | None

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining:
    """The two laws, and what follows.

    Attributes
    ----------
    loss_fit : TiedFit
    error_fit : LinkFit or None
        None where no benchmark was asked for.
    predictions : tuple of Prediction
    draws : Draws or None
        Refits to resamples.
    loss_name : str
    benchmarks : tuple of str
        The error is 1 less the mean accuracy on these.
    n_loss, n_error : int
        Runs that the laws were fitted to.
    largest_compute : float
        Of the runs that were fitted or predicted; FLOP.
    level : float
    notes : tuple of str
        What was left out and why, and what speaks against a result.
    source : str
    """

    loss_fit: TiedFit
    error_fit: LinkFit | None
    predictions: tuple[Prediction, ...]
    draws: Draws | None
    loss_name: str
    benchmarks: tuple[str, ...]
    n_loss: int
    n_error: int
    largest_compute: float
    level: float
    notes: tuple[str, ...]
    source: str

    # -- the laws ------------------------------------------------------------------------------------------------------

    @property
    def determined(self) -> bool:
        """Whether the runs determine the law of loss: a certified minimum, and no coefficient left open."""
        return self.loss_fit.converged and not self.loss_fit.undetermined

    @property
    def sound(self) -> bool:
        """Whether they determine both laws."""
        return self.determined and (self.error_fit is None or (self.error_fit.converged and not self.error_fit.undetermined))

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """E, A, B, beta of the law of loss in params and tokens."""
        return dict(zip(COEFFICIENTS, map(float, self.loss_fit.coefficients), strict=True))

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
        c = self.coefficients
        source = f"one exponent, fitted to {counted(self.n_loss, 'run')} of {self.source} by {self.loss_fit.objective.name}"
        return Law(E=c["E"], A=c["A"], B=c["B"], beta=c["beta"], gamma=c["beta"], name="over-training", source=source)

    @cached_property
    def compute_coefficients(self) -> dict[str, float]:
        """E, a, b, eta of L = E + (a M^eta + b M^-eta) C^-eta: a and b are the terms at C = 1 and M = 1."""
        return _in_compute(*map(float, self.loss_fit.coefficients))

    @property
    def published_coefficients(self) -> dict[str, float]:
        """As the code behind the paper has them: L = alpha N^p + beta 6^(p/2) (M N)^p + E with p = -2 eta.

        Its alpha is A, its beta is b: only one of the two carries the 6 of C = 6 N D.
        """
        return {
            "alpha": self.coefficients["A"],
            "beta": self.compute_coefficients["b"],
            "exponent": -self.coefficients["beta"],
            "E": self.coefficients["E"],
        }

    @property
    def error_coefficients(self) -> dict[str, float] | None:
        """epsilon, k, gamma of the law of error."""
        if self.error_fit is None:
            return None
        return dict(zip(("epsilon", "k", "gamma"), map(float, self.error_fit.coefficients), strict=True))

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """Of E, A, B, beta, a, b, eta, M* and the coefficients of the law of error, from resamples; empty without these.

        None where more resamples than the interval leaves out have no finite value.
        """
        if self.draws is None:
            return {}
        drawn = self.draws.loss.tolist()
        in_compute = [_in_compute(*each) for each in drawn]
        every: dict[str, Any] = dict(zip(COEFFICIENTS, self.draws.loss.T, strict=True))
        every |= {name: [each[name] for each in in_compute] for name in ("a", "b", "eta")}
        every["optimal_tokens_per_param"] = [_optimum(*each) for each in drawn]
        if self.error_fit is not None:
            every |= dict(zip(("epsilon", "k", "gamma"), self.draws.error.T, strict=True))
        return {name: _interval(np.asarray(values), self.level) for name, values in every.items()}

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        return _losses(self.loss_fit.coefficients[None], positive_array("params", params), positive_array("tokens", tokens))[0]

    def error(self, loss: Any) -> Floats:
        """1 - Q at losses, (m,).

        Raises
        ------
        ValueError
            Where there is no law of error.
        """
        if self.error_fit is None:
            raise ValueError("error: no benchmarks were asked for, so there is no law of error")
        return 1.0 - EXPONENTIAL.accuracy(self.error_fit.coefficients[None], np.atleast_1d(np.asarray(loss, dtype=np.float64)))[0]

    @property
    def optimal_tokens_per_param(self) -> float:
        """M*, at every compute."""
        return float(self.law.envelope.tokens_per_param(1.0))

    def cost(self, compute: float, tokens_per_param: Sequence[float] | Floats) -> tuple[Cost, ...]:
        """What ratios of tokens to params cost at one compute (FLOP), in loss and in error."""
        law, best = self.law, self.optimal_tokens_per_param
        ratios = np.atleast_1d(positive_array("tokens_per_param", tokens_per_param))
        optimal_loss = float(law.envelope.loss(compute))
        reducible = float(law.envelope.reducible_loss(compute))
        optimal_error = None if self.error_fit is None else float(self.error(optimal_loss)[0])
        found = []
        for ratio in ratios.tolist():
            penalty = law.penalty(ratio=ratio / best)
            extra = float(penalty.excess) * reducible
            error = None if optimal_error is None else float(self.error(optimal_loss + extra)[0])
            found.append(
                Cost(
                    compute=float(compute),
                    tokens_per_param=ratio,
                    params=float(evaluate("ray_params", {}, compute=float(compute), tokens_per_param=ratio)),
                    tokens=float(evaluate("ray_tokens", {}, compute=float(compute), tokens_per_param=ratio)),
                    loss=optimal_loss + extra,
                    extra_loss=extra,
                    penalty=float(penalty.loss_penalty),
                    lost_compute=float(penalty.lost_compute),
                    error=error,
                    extra_error=None if error is None or optimal_error is None else error - optimal_error,
                )
            )
        return tuple(found)

    def costs(self, compute: Sequence[float] | None = None, tokens_per_param: Sequence[float] | None = None) -> tuple[Cost, ...]:
        """What ratios cost at every compute, by default `MULTIPLES` of the optimal one at the largest compute of the runs.

        None at all where the runs do not determine the law of loss.
        """
        if not self.determined:
            return ()
        ratios = [self.optimal_tokens_per_param * each for each in MULTIPLES] if tokens_per_param is None else tokens_per_param
        return tuple(cost for each in compute or (self.largest_compute,) for cost in self.cost(each, ratios))

    # -- output --------------------------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        loss = {
            "name": self.loss_name,
            "n": self.n_loss,
            "objective": self.loss_fit.objective.as_dict(),
            "value": self.loss_fit.value,
            "converged": self.loss_fit.converged,
            "undetermined": list(self.loss_fit.undetermined),
            "coefficients": {**self.coefficients, **{k: v for k, v in self.compute_coefficients.items() if k != "E"}},
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
                "value": self.error_fit.value,
                "converged": self.error_fit.converged,
                "undetermined": list(self.error_fit.undetermined),
                "coefficients": {name: _finite(value) for name, value in (self.error_coefficients or {}).items()},
            }
        if self.draws is not None:
            found = {name: None if each is None else list(each) for name, each in self.intervals.items()}
            data["bootstrap"] = self.draws.as_dict() | {"intervals": found}
        data["level"] = self.level
        data["predictions"] = [each.as_dict() for each in self.predictions]
        data["notes"] = list(self.notes)
        return data

    def to_json(self) -> str:
        """The plain data as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n"

    def to_text(self, costs: Sequence[Cost] | None = None) -> str:
        """For a reader, at most 100 columns wide; `costs`: what is said of over-training, by default `Overtraining.costs`."""
        from isoflop.numeric.downstream.overtraining_text import overtraining_text

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
    from isoflop.numeric.downstream.evaluations import Evaluations

    runs = evaluations if isinstance(evaluations, Evaluations) else Evaluations.read(evaluations)
    chosen = Objective(name=objective) if isinstance(objective, str) else objective
    repeats, seed, level = whole_number("repeats", repeats, 0), whole_number("seed", seed, 0), checked_level(level)
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: must be one of {', '.join(KINDS)}")
    if runs.params is None or runs.tokens is None:
        raise ValueError(f"{runs.source}: has no params and tokens of the runs; the law of loss needs both")
    asked = None if predict_where is None else runs.mask(predict_where)
    if asked is not None and not asked.any():
        raise ValueError(f"predict_where={predict_where!r}: holds for none of {counted(len(runs), 'run')} of {runs.source}")
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

    draws = None
    if repeats:
        draws = draw(fitted, link, for_loss, for_error, losses, errors, kind=kind, repeats=repeats, seed=seed, progress=progress)
        if draws.failed:
            notes.append(f"{draws.failed} of {draws.failed + len(draws)} refits reached no certified minimum and are left out")
    asked = ~for_loss if asked is None else asked
    predictions = _predictions(runs, np.flatnonzero(asked), losses, errors, fitted, link, draws, level)
    if doubt := beyond([each.predicted_error for each in predictions]):
        notes.append(doubt)
    used = for_loss | for_error | asked
    return Overtraining(
        loss_fit=fitted,
        error_fit=link,
        predictions=predictions,
        draws=draws,
        loss_name=loss,
        benchmarks=names,
        n_loss=int(for_loss.sum()),
        n_error=int(for_error.sum()) if names else 0,
        largest_compute=float(np.max(evaluate("compute", {}, params=runs.params[used], tokens=runs.tokens[used]))),
        level=level,
        notes=tuple(notes),
        source=runs.source,
    )


def _benchmarks(runs: Evaluations, asked: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(asked, str):
        raise ValueError(f"benchmarks={asked!r}: must be a sequence of names")
    names = tuple(runs.benchmarks if asked is None else dict.fromkeys(asked))
    for name in names:
        runs.require(name)
        if name not in runs.scores:
            raise ValueError(
                f"benchmark={name!r}: {runs.source} has it as {', '.join(runs.family(name).values())} alone; name one"
            )
    return names


def _chosen(runs: Evaluations, argument: str, condition: str | None, values: Floats, what: str, notes: list[str]) -> Mask:
    """The runs that satisfy a condition and have the values; what is left out is noted."""
    asked = np.ones(len(runs), dtype=bool) if condition is None else runs.mask(condition)
    found = asked & np.isfinite(values)
    if not found.any():
        raise ValueError(f"{argument}={condition!r}: leaves none of {counted(len(runs), 'run')} of {runs.source} with {what}")
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


def _in_compute(E: float, A: float, B: float, beta: float) -> dict[str, float]:
    """E, a, b, eta: a and b are the terms at C = 1 and M = 1."""
    at = {"compute": 1.0, "tokens_per_param": 1.0}
    a = evaluate("params_term", {"A": A, "beta": beta}, params=evaluate("ray_params", {}, **at))
    b = evaluate("tokens_term", {"B": B, "gamma": beta}, tokens=evaluate("ray_tokens", {}, **at))
    return {"E": E, "a": float(a), "b": float(b), "eta": 0.5 * beta}


def _optimum(E: float, A: float, B: float, beta: float) -> float:
    """M*; NaN where a float holds none, as for a law without a term."""
    try:
        return float(evaluate("optimal_tokens_per_param", {"A": A, "B": B, "beta": beta, "gamma": beta}, compute=1.0))
    except ValueError:
        return float("nan")


def _interval(draws: Floats, level: float) -> tuple[float, float] | None:
    """None where an end is not finite: a gap of two infinite draws is no number."""
    if np.isfinite(draws).all():
        return percentile(draws, level)
    with np.errstate(invalid="ignore"):
        found = percentile(draws, level)
    return found if np.isfinite(found).all() else None


def beyond(errors: Sequence[float | None]) -> str:
    """What to say where a law of error foretells less than 0 or more than 1; else nothing.

    >>> beyond([0.2, None, -0.1])
    'law of error: 1 of 2 errors that it foretells are outside 0 to 1: it does not reach so far'
    """
    known = [each for each in errors if each is not None]
    wrong = sum(not 0.0 <= each <= 1.0 for each in known)
    what = "errors that it foretells are outside 0 to 1: it does not reach so far"
    return f"law of error: {wrong} of {len(known)} {what}" if wrong else ""


def doubts_of(costs: Sequence[Cost]) -> tuple[str, ...]:
    """What speaks against costs: errors, their own or those of the optimal ratio, that no law can foretell."""
    optimal = [each.error - each.extra_error for each in costs if each.error is not None and each.extra_error is not None]
    doubt = beyond([*(each.error for each in costs), *optimal])
    return (doubt,) if doubt else ()


def _losses(coefficients: Floats, params: Floats, tokens: Floats) -> Floats:
    """L (K, m) of K laws (K, 4) at m runs."""
    return coefficients[:, :1] + terms_of(coefficients, np.atleast_1d(params), np.atleast_1d(tokens))


def _predictions(
    runs: Evaluations,
    index: NDArray[np.intp],
    losses: Floats,
    errors: Floats,
    fitted: TiedFit,
    link: LinkFit | None,
    draws: Draws | None,
    level: float,
) -> tuple[Prediction, ...]:
    if not index.size:
        return ()
    params, tokens = runs.params[index], runs.tokens[index]
    compute = np.atleast_1d(evaluate("compute", {}, params=params, tokens=tokens))
    foretold = _losses(fitted.coefficients[None], params, tokens)
    wrong = None if link is None else 1.0 - EXPONENTIAL.accuracy(link.coefficients[None], foretold)
    drawn = None if draws is None else _losses(draws.loss, params, tokens)
    drawn_wrong = None if draws is None or link is None or drawn is None else 1.0 - EXPONENTIAL.accuracy(draws.error, drawn)
    found = []
    for place, i in enumerate(index.tolist()):
        loss, error = _known(losses[i]), _known(errors[i])
        predicted = float(foretold[0, place])
        predicted_error = None if wrong is None else float(wrong[0, place])
        found.append(
            Prediction(
                run=str(runs.run[i]),
                params=float(params[place]),
                tokens=float(tokens[place]),
                tokens_per_param=float(tokens[place] / params[place]),
                compute=float(compute[place]),
                loss=loss,
                predicted_loss=predicted,
                loss_difference=_difference(predicted, loss),
                error=error,
                predicted_error=predicted_error,
                error_difference=_difference(predicted_error, error),
                loss_interval=None if drawn is None else percentile(drawn[:, place], level),
                error_interval=None if drawn_wrong is None else percentile(drawn_wrong[:, place], level),
            )
        )
    return tuple(found)


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _difference(predicted: float | None, measured: float | None) -> float | None:
    return (predicted - measured) / measured if predicted is not None and measured else None
