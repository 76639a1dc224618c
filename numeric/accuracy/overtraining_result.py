"""The two laws of over-training with what follows from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import positive_array
from ..fit.bootstrap import percentile
from ..law import Law
from ..words import counted
from .bounds import upper_bound
from .fitting import errors
from .links import EXPONENTIAL, LinkFit
from .overtraining_costs import Cost, costs_at
from .overtraining_forms import in_compute, losses_of, optimum
from .tied import COEFFICIENTS, TiedFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .overtraining_draws import Draws
    from .overtraining_runs import Prediction

    Floats = NDArray[np.float64]

__all__ = ["Overtraining"]

#: Costs are told at these multiples of the optimal ratio where no ratios are asked for.
MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Overtraining:
    """The two laws, and what follows.

    Attributes
    ----------
    loss_fit : TiedFit
    error_fit : LinkFit or None
        None where no benchmark was asked for.
    runs : tuple of Prediction
        Every run that a law was fitted to or that was to be predicted.
    draws : Draws or None
        Refits to resamples.
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
    runs: tuple[Prediction, ...]
    draws: Draws | None
    loss_name: str
    benchmarks: tuple[str, ...]
    level: float
    notes: tuple[str, ...]
    source: str

    # -- the runs ------------------------------------------------------------------------------------------------------

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        """The runs that were to be predicted."""
        return tuple(each for each in self.runs if each.asked)

    @property
    def n_loss(self) -> int:
        """Runs that the law of loss was fitted to."""
        return sum(each.in_loss_fit for each in self.runs)

    @property
    def n_error(self) -> int:
        """Runs that the law of error was fitted to."""
        return sum(each.in_error_fit for each in self.runs)

    @property
    def largest_compute(self) -> float:
        """Of the runs, in FLOP."""
        return max(each.compute for each in self.runs)

    @cached_property
    def loss_errors(self) -> dict[str, float | None]:
        """n, MAE, MRE, RMSE and R2 of the law of loss on the runs that it was fitted to."""
        return errors(self.loss_fit.fitted, self.loss_fit.observed)

    @cached_property
    def error_errors(self) -> dict[str, float | None]:
        """The same of the law of error at the measured losses; empty without one."""
        fitted = [each for each in self.runs if each.in_error_fit]
        if not fitted:
            return {}
        return errors(self.error([each.loss for each in fitted]), np.array([each.error for each in fitted], dtype=np.float64))

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
        return in_compute(*map(float, self.loss_fit.coefficients))

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
        written = [in_compute(*each) for each in drawn]
        every: dict[str, Any] = dict(zip(COEFFICIENTS, self.draws.loss.T, strict=True))
        every |= {name: [each[name] for each in written] for name in ("a", "b", "eta")}
        every["optimal_tokens_per_param"] = [optimum(*each) for each in drawn]
        if self.error_fit is not None:
            every |= dict(zip(("epsilon", "k", "gamma"), self.draws.error.T, strict=True))
        return {name: _interval(np.asarray(values), self.level) for name, values in every.items()}

    def loss(self, params: Any, tokens: Any) -> Floats:
        """L at runs, (m,)."""
        return losses_of(self.loss_fit.coefficients[None], positive_array("params", params), positive_array("tokens", tokens))[0]

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
        found = costs_at(self.law, None if self.error_fit is None else self._error_at, compute, tokens_per_param)
        return found if self.draws is None else self._with_intervals(found, compute)

    def _with_intervals(self, costs: Sequence[Cost], compute: float) -> tuple[Cost, ...]:
        """The same with what the resampled laws say of the same ratios."""
        ratios = [each.tokens_per_param for each in costs]
        drawn = [self._redrawn(i, compute, ratios) for i in range(len(self.draws or ()))]
        best = self.intervals["optimal_tokens_per_param"]
        names = ("extra_loss", "lost_compute", *(() if self.error_fit is None else ("extra_error",)))
        found = []
        for place, each in enumerate(costs):
            columns = {name: np.array([np.nan if one is None else getattr(one[place], name) for one in drawn]) for name in names}
            within = best is None or best[0] <= each.tokens_per_param <= best[1]
            ends: dict[str, Any] = {
                f"{name}_interval": _cost_interval(column, self.level, within) for name, column in columns.items()
            }
            found.append(replace(each, **ends))
        return tuple(found)

    def _redrawn(self, index: int, compute: float, ratios: Sequence[float]) -> tuple[Cost, ...] | None:
        """The costs by a resampled law; None where it is no law with an optimum."""
        if self.draws is None:
            return None
        E, A, B, beta = self.draws.loss[index].tolist()
        link = self.draws.error[index]

        def error(loss: float) -> float:
            return float(1.0 - EXPONENTIAL.accuracy(link[None], np.array([loss]))[0, 0])

        try:
            return costs_at(Law(E=E, A=A, B=B, beta=beta, gamma=beta), error if len(link) else None, compute, ratios)
        except ValueError:
            return None

    def _error_at(self, loss: float) -> float:
        return float(self.error(loss)[0])

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
            "rmse": self.loss_errors["rmse"],
            "r2": self.loss_errors["r2"],
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
                "rmse": self.error_errors["rmse"],
                "r2": self.error_errors["r2"],
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

    def rows(self) -> list[dict[str, Any]]:
        """A record for every run, the ends of its intervals apart."""
        return [each.row() for each in self.runs]

    def to_latex(self, costs: Sequence[Cost] | None = None) -> str:
        """Booktabs tables of the laws, the predictions and the costs, as for `to_text`."""
        from .overtraining_latex import overtraining_latex

        return overtraining_latex(self, self.costs() if costs is None else costs)

    def to_json(self) -> str:
        """The plain data as JSON."""
        return json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n"

    def to_text(self, costs: Sequence[Cost] | None = None) -> str:
        """For a reader, at most 100 columns wide; `costs`: what is said of over-training, by default `Overtraining.costs`."""
        from .overtraining_text import overtraining_text

        return overtraining_text(self, self.costs() if costs is None else costs)

    def __str__(self) -> str:
        return self.to_text()


def _interval(draws: Floats, level: float) -> tuple[float, float] | None:
    """None where an end is not finite: a gap of two infinite draws is no number."""
    if np.isfinite(draws).all():
        return percentile(draws, level)
    with np.errstate(invalid="ignore"):
        found = percentile(draws, level)
    return found if np.isfinite(found).all() else None


def _cost_interval(draws: Floats, level: float, within: bool) -> tuple[float, float] | None:
    """Of what is least, 0, at M*: bounded from above alone where M* may be the ratio; None where an end is not finite."""
    if not np.isfinite(draws).all():
        return None
    return upper_bound(draws, level) if within else percentile(draws, level)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
